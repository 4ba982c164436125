// Bindings of search/bfs.hpp.
#include "search/bfs.hpp"

#include "bindings/arrays.hpp"
#include "bindings/question.hpp"

namespace steppe::bindings {

void bind_bfs(nb::module_& m) {
    m.def(
        "bfs",
        [](InOf<int64_t> indptr, In indices, std::optional<InOf<int64_t>> in_indptr, std::optional<In> in_indices,
           InOf<int64_t> sources, InOf<int64_t> targets, std::optional<int64_t> cutoff, int threads,
           OutOf<int32_t> hops, std::optional<Out> predecessors, nb::object progress) {
            same_size(indptr.size(), hops.size() + 1, "bfs");
            if (predecessors) same_size(hops.size(), predecessors->size(), "bfs");
            const Arrays arrays{indptr, indices, {}};
            const Question q{"bfs", sources, targets, {}, cutoff, 0, 1, 1, threads};
            PythonWatch watch(progress);
            return stats_dict(with_vertex(indices, [&](auto vertex) {
                using V = decltype(vertex);
                V* pred = predecessors ? out<V>(*predecessors) : nullptr;
                const auto g = arrays.csr<V, int32_t>();
                std::optional<rows::Csr<V, int32_t>> reverse;
                if (in_indptr) reverse = Arrays{*in_indptr, *in_indices, {}}.csr<V, int32_t>();
                return watch.run([&](Watch& w) {
                    const auto search = make_search<V, uint32_t>(q, g.n, w);
                    const auto* in = reverse ? &*reverse : nullptr;
                    const search::Stats stats = pred ? search::Bfs<true, V>(g, in, search, hops.data(), pred).run()
                                                     : search::Bfs<false, V>(g, in, search, hops.data(), nullptr).run();
                    w.check();
                    return stats;
                });
            }));
        },
        "indptr"_a, "indices"_a, "in_indptr"_a.none(), "in_indices"_a.none(), "sources"_a, "targets"_a,
        "cutoff"_a.none(), "threads"_a, "hops"_a, "predecessors"_a.none(), "progress"_a.none());
}

}  // namespace steppe::bindings

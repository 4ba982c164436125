// Bindings of search/bfs.hpp.
#include "search/bfs.hpp"

#include "bindings/question.hpp"

namespace steppe::bindings {

void bind_bfs(nb::module_& m) {
    // in_rows: those of the reverse graph, with which levels may be taken from the other side; or None.
    m.def(
        "bfs",
        [](const Rows& rows, const Rows* in_rows, const Question& question, OutOf<int32_t> hops,
           std::optional<Out> predecessors) {
            same_size(static_cast<size_t>(rows.n()), hops.size(), "hops");
            search::check_vertices(question.sources, rows.n());
            search::check_vertices(question.targets, rows.n());
            return rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& g) {
                V* pred = entries<V>(rows, predecessors);
                std::optional<rows::Csr<V, int32_t>> reverse;
                if (in_rows) reverse = in_rows->unweighted<V>();
                const auto* in = reverse ? &*reverse : nullptr;
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const search::Search<V, uint32_t> search(question, watch);
                    const search::Stats stats = pred ? search::Bfs<true, V>(g, in, search, hops.data(), pred).run()
                                                     : search::Bfs<false, V>(g, in, search, hops.data(), pred).run();
                    watch.check();
                    return stats;
                });
            });
        },
        "rows"_a, "in_rows"_a.none(), "question"_a, "hops"_a, "predecessors"_a.none() = nb::none());
}

}  // namespace steppe::bindings

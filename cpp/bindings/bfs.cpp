// Bindings of search/bfs.hpp.
#include "search/bfs.hpp"

#include "bindings/question.hpp"

namespace steppe::bindings {

void bind_bfs(nb::module_& m) {
    // in_rows: those of the reverse graph, with which levels may be taken from the other side; or None. record: write a
    // tree to `predecessors`. Otherwise the canonical one is written there if the search comes by it. Returns what was
    // done, and whether it is there.
    m.def(
        "bfs",
        [](const Rows& rows, const Rows* in_rows, const Question& question, OutOf<int32_t> hops,
           std::optional<Out> predecessors, bool record) {
            same_size(static_cast<size_t>(rows.n()), hops.size(), "hops");
            search::check_vertices(question.sources, rows.n());
            search::check_vertices(question.targets, rows.n());
            if (record && !predecessors) throw std::invalid_argument("a tree is recorded in predecessors");
            return rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& g) {
                V* pred = entries<V>(rows, predecessors);
                std::optional<rows::Csr<V, int32_t>> reverse;
                if (in_rows) reverse = in_rows->unweighted<V>();
                const auto* in = reverse ? &*reverse : nullptr;
                bool has_tree = false;
                const search::Stats done = PythonWatch(question.progress).run([&](Watch& watch) {
                    const search::Search<V, uint32_t> search(question, watch);
                    auto run = [&](auto&& bfs) {
                        const search::Stats stats = bfs.run();
                        watch.check();
                        has_tree = bfs.has_tree();
                        return stats;
                    };
                    if (record) return run(search::Bfs<true, V>(g, in, search, hops.data(), pred));
                    return run(search::Bfs<false, V>(g, in, search, hops.data(), pred));
                });
                return nb::make_tuple(done, has_tree);
            });
        },
        "rows"_a, "in_rows"_a.none(), "question"_a, "hops"_a, "predecessors"_a.none() = nb::none(), "record"_a = false);
}

}  // namespace steppe::bindings

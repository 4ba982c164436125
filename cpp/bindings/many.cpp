// Bindings of search/many.hpp.
#include "search/many.hpp"

#include "bindings/question.hpp"

namespace steppe::search {
STEPPE_METHODS(extern template)  // in search/methods_*.cpp
}  // namespace steppe::search

namespace steppe::bindings {

void bind_many(nb::module_& m) {
    // Fills `out` (sources x columns); `columns` None: every vertex; `offsets`: each source has columns of its own.
    // Returns the first source with a distance that does
    // not fit in 64 bits, or -1. The method "hops" counts edges.
    m.def(
        "many",
        [](const std::string& method, const Rows& rows, const Question& question, std::optional<InOf<int64_t>> columns,
           std::optional<InOf<int64_t>> offsets, Out out_rows) {
            search::check_vertices(question.sources, rows.n());
            search::Columns chosen;
            if (columns) chosen.list.emplace(columns->data(), columns->size());
            if (chosen.list) search::check_vertices(*chosen.list, rows.n());
            const size_t width = chosen.list ? chosen.list->size() : static_cast<size_t>(rows.n());
            if (offsets) {
                same_size(offsets->size(), question.sources.size() + 1, "many");
                chosen.offsets = offsets->data();
                const bool rising = std::is_sorted(chosen.offsets, chosen.offsets + offsets->size());
                if (!chosen.list || !rising || chosen.offsets[0] != 0)
                    throw std::invalid_argument("many: offsets of no columns");
                same_size(static_cast<size_t>(chosen.offsets[offsets->size() - 1]), width, "many");
                same_size(out_rows.size(), width, "many");
            } else {
                same_size(out_rows.size(), question.sources.size() * width, "many");
            }
            const bool hops = method == "hops";
            const search::Method named = hops ? search::Method::dijkstra : search::method_named(method);
            auto run = [&]<class V, class W>(const rows::View<V, W>& g) -> int64_t {
                using R = Distance<W>;
                R* to = out<R>(out_rows);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const rows::View<V, W> all = hops ? g : g.weighted();
                    return search::ManySearches<V, W, R>(named, all, question, chosen, to, watch).run();
                });
            };
            if (!hops) return rows.visit(run);
            return rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& csr) {
                rows::Forms<int32_t> none;
                return run(rows::View<V, int32_t>{csr, none});
            });
        },
        "method"_a, "rows"_a, "question"_a, "columns"_a.none(), "offsets"_a.none(), "out"_a);
}

}  // namespace steppe::bindings

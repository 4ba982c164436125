// Bindings of matrix/dense.hpp and of the kernel below it.
#include "bindings/question.hpp"
#include "matrix/dense.hpp"

namespace steppe::search {
STEPPE_METHODS(extern template)  // in search/methods_*.cpp
}  // namespace steppe::search

namespace steppe::bindings {

void bind_floyd_warshall(nb::module_& m) {
    // Fills `out` (sources x columns); `columns` None: every vertex. `essential`: floats are added as searches add
    // them. Returns the first source with a distance that does not fit in 64 bits, or any where vertices are int64:
    // no such matrix fits a memory; or -1.
    m.def(
        "floyd_warshall",
        [](const Rows& rows, const Question& question, std::optional<InOf<int64_t>> columns, Out out_rows,
           bool essential) {
            search::check_vertices(question.sources, rows.n());
            std::optional<std::span<const int64_t>> chosen;
            if (columns) chosen.emplace(columns->data(), columns->size());
            if (chosen) search::check_vertices(*chosen, rows.n());
            const size_t width = chosen ? chosen->size() : static_cast<size_t>(rows.n());
            same_size(out_rows.size(), question.sources.size() * width, "floyd_warshall");
            if (rows.is_wide()) return question.sources.empty() ? int64_t{-1} : 0;  // left to searches
            return rows.visit_narrow([&]<class V, class W>(const rows::View<V, W>& g) {
                using R = Distance<W>;
                R* to = out<R>(out_rows);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const rows::View<V, W> all = g.weighted();
                    matrix::Dense<V, W, R> dense(all, question, chosen, to, watch);
                    if constexpr (std::is_floating_point_v<W>)
                        if (essential) return dense.run_essential_edges();
                    return dense.run();
                });
            });
        },
        "rows"_a, "question"_a, "columns"_a.none(), "out"_a, "essential"_a);

    // "avx512", "avx2" or "none": what the product of tiles uses.
    m.def("min_plus_vectors", [] { return std::string(matrix::name_of(matrix::vectors_wanted())); });
}

}  // namespace steppe::bindings

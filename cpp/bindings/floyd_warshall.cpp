// Bindings of matrix/dense.hpp and of the kernel below it.
#include <chrono>

#include "bindings/question.hpp"
#include "matrix/dense.hpp"

namespace steppe::search {
STEPPE_METHODS(extern template)  // in sssp.cpp
}  // namespace steppe::search

namespace steppe::bindings {

void bind_floyd_warshall(nb::module_& m) {
    // Fills `out` (sources x columns); `columns` None: every vertex. `essential`: floats are added as searches add
    // them. Returns the first source with a distance that does not fit in 64 bits, or -1.
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
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                using R = Distance<W>;
                R* to = out<R>(out_rows);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const rows::View<V, W> all = g.weighted();
                    matrix::Dense<V, W, R> dense(all, question, chosen, to, watch);
                    if constexpr (std::is_floating_point_v<W>)
                        if (essential) return dense.run_essential();
                    return dense.run();
                });
            });
        },
        "rows"_a, "question"_a, "columns"_a.none(), "out"_a, "essential"_a);

    // "avx512", "avx2" or "none": what the product of tiles uses.
    auto name = [](matrix::Vectors vectors) {
        return std::string(vectors == matrix::Vectors::avx512 ? "avx512"
                           : vectors == matrix::Vectors::avx2 ? "avx2"
                                                              : "none");
    };
    m.def("min_plus_vectors", [name] { return name(matrix::vectors_wanted()); });
    // Tests take a narrower one, or what was found; returns what was used before.
    m.def(
        "use_min_plus_vectors",
        [name](const std::string& wanted) {
            const auto found = matrix::vectors_found();
            auto chosen = wanted == "avx512" ? matrix::Vectors::avx512
                          : wanted == "avx2" ? matrix::Vectors::avx2
                                             : matrix::Vectors::none;
            return name(std::exchange(matrix::vectors_wanted(), std::min(chosen, found)));
        },
        "wanted"_a);
    // Operations a second that one thread reaches while everything stays in its first cache; for benchmarks.
    m.def(
        "min_plus_peak",
        [](const std::string& dtype, int repeats) {
            auto now = [] {
                return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
            };
            return without_gil([&](Watch&) {
                if (dtype == "float32") return matrix::multiply_peak<float>(repeats, now);
                if (dtype == "float64") return matrix::multiply_peak<double>(repeats, now);
                if (dtype == "int32") return matrix::multiply_peak<uint32_t>(repeats, now);
                return matrix::multiply_peak<uint64_t>(repeats, now);
            });
        },
        "dtype"_a, "repeats"_a);
}

}  // namespace steppe::bindings

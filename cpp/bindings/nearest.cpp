// Bindings of matrix/nearest.hpp.
#include "matrix/nearest.hpp"

#include "bindings/question.hpp"

namespace steppe::bindings {

void bind_nearest(nb::module_& m) {
    // Fills `distances` and `numbers` (vertices x k); offsets: of the distances' type, one for each source, or None.
    // Returns whether a distance does not fit in 64 bits.
    m.def(
        "nearest_sources",
        [](const Rows& rows, const Question& question, std::optional<In> offsets, int64_t k, Out distances,
           OutOf<int64_t> numbers) {
            search::check_vertices(question.sources, rows.n());
            if (k < 1) throw std::invalid_argument("k must be at least 1");
            same_size(numbers.size(), static_cast<size_t>(rows.n() * k), "nearest_sources");
            same_size(distances.size(), numbers.size(), "nearest_sources");
            if (offsets) same_size(offsets->size(), question.sources.size(), "nearest_sources");
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                using R = Distance<W>;
                using D = Wide<W>;
                if (offsets && offsets->dtype() != nb::dtype<R>())
                    throw std::invalid_argument("nearest_sources: offsets have the wrong dtype");
                R* const to = out<R>(distances);
                const auto* starts = offsets ? reinterpret_cast<const D*>(in<R>(*offsets)) : nullptr;
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const bool lost = matrix::nearest_sources<V, W, D>(
                        g.csr, question.sources, starts, k, question.template reach<D>().limit(),
                        question.bound.index() != 0, reinterpret_cast<D*>(to), numbers.data(), watch);
                    if constexpr (std::is_integral_v<R>)
                        for (size_t i = 0; i < numbers.size(); ++i)
                            if (numbers.data()[i] < 0) to[i] = kUnreachable;
                    return lost;
                });
            });
        },
        "rows"_a, "question"_a, "offsets"_a.none(), "k"_a, "distances"_a, "numbers"_a);
}

}  // namespace steppe::bindings

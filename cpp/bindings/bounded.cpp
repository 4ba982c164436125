// Bindings of matrix/bounded.hpp.
#include "matrix/bounded.hpp"

#include "bindings/question.hpp"

namespace steppe::bindings {

namespace {

// The numbers as an array that owns it.
template <class T>
nb::object array_of(matrix::GrowingArray<T> buffer) {
    auto kept = std::make_unique<matrix::GrowingArray<T>>(std::move(buffer));
    const size_t size = kept->size();
    T* const data = kept->data();
    nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<matrix::GrowingArray<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

}  // namespace

void bind_bounded(nb::module_& m) {
    // (entries of each row, their columns, their distances); the question must have a bound. `columns` None: every
    // vertex. `hops`: every edge has length 1.
    m.def(
        "bounded",
        [](const Rows& rows, const Question& question, std::optional<InOf<int64_t>> columns, OutOf<int64_t> counts,
           bool hops) {
            search::check_vertices(question.sources, rows.n());
            same_size(question.sources.size(), counts.size(), "bounded");
            if (question.bound.index() == 0) throw std::invalid_argument("bounded: there is no bound");
            std::optional<std::span<const int64_t>> chosen;
            if (columns) chosen.emplace(columns->data(), columns->size());
            if (chosen) search::check_vertices(*chosen, rows.n());
            if (chosen && rows.n() < INT32_MAX && chosen->size() > INT32_MAX)
                throw std::invalid_argument("bounded: too many columns");
            auto run = [&]<class V, class W>(const rows::View<V, W>& g) {
                using R = Distance<W>;
                auto in = [&]<class D>() {
                    auto found = PythonWatch(question.progress).run([&](Watch& watch) {
                        const rows::View<V, W> all = g.weighted();
                        return matrix::Bounded<V, W, D, R>(all, question, chosen, watch).run();
                    });
                    std::copy(found.counts.begin(), found.counts.end(), counts.data());
                    return nb::make_tuple(array_of(std::move(found.columns)), array_of(std::move(found.distances)));
                };
                if constexpr (sizeof(V) == 4 && !std::is_same_v<Narrow<W>, Wide<W>>)
                    if (std::get<int64_t>(question.bound) <= static_cast<int64_t>(kLargest<Narrow<W>>))
                        return in.template operator()<Narrow<W>>();
                return in.template operator()<Wide<W>>();
            };
            if (!hops) return rows.visit(run);
            return rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& csr) {
                rows::Forms<int32_t> none;
                return run(rows::View<V, int32_t>{csr, none});
            });
        },
        "rows"_a, "question"_a, "columns"_a.none(), "counts"_a, "hops"_a);
}

}  // namespace steppe::bindings

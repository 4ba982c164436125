// Bindings of matrix/hops.hpp.
#include "matrix/hops.hpp"

#include "bindings/question.hpp"
#include "bindings/stored.hpp"

namespace steppe::bindings {

namespace {

// f(Hops<V>&) on these rows, without the GIL. in_rows: those of the reverse graph, or null.
template <class F>
void with_hops(const Rows& rows, const Rows* in_rows, const Question& question, F f) {
    search::check_vertices(question.sources, rows.n());
    rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& g) {
        std::optional<rows::Csr<V, int32_t>> in;
        if (in_rows) {
            same_size(static_cast<size_t>(rows.n()), static_cast<size_t>(in_rows->n()), "hops");
            in.emplace(in_rows->unweighted<V>());
        }
        PythonWatch(question.progress).run([&](Watch& watch) {
            auto run = [&]<int kWords>() {
                matrix::Hops<V, kWords> hops(g, in ? &*in : nullptr, question.sources,
                                             question.bound_or<int64_t>(kUnreachable - 1), question.threads, watch);
                f(hops);
            };
            if constexpr (sizeof(V) == 8) return run.template operator()<1>();  // one form
            // Rows of bits as wide as there are sources; narrower ones where there are very many vertices, for memory.
            const size_t wanted = std::min<size_t>(question.sources.size(), rows.n() > int64_t{1} << 21 ? 128 : 512);
            if (wanted <= 64) run.template operator()<1>();
            else if (wanted <= 128) run.template operator()<2>();
            else if (wanted <= 256) run.template operator()<4>();
            else run.template operator()<8>();
        });
    });
}

}  // namespace

void bind_hops(nb::module_& m) {
    // Fills `out` (sources x columns), of any type that distances can be stored in; `columns` None: every vertex.
    // Returns the first entry that does not fit, or -1.
    m.def(
        "hop_rows",
        [](const Rows& rows, const Rows* in_rows, const Question& question, std::optional<InOf<int64_t>> columns,
           Out out_rows) {
            std::span<const int64_t> chosen;
            if (columns) chosen = {columns->data(), columns->size()};
            search::check_vertices(chosen, rows.n());
            const size_t width = columns ? chosen.size() : static_cast<size_t>(rows.n());
            same_size(out_rows.size(), question.sources.size() * width, "hop_rows");
            const auto to = with_stored(
                out_rows.dtype(), [&]<class T>(T) { return matrix::levels_to(static_cast<T*>(out_rows.data())); });
            int64_t lost = -1;
            with_hops(rows, in_rows, question, [&](auto& hops) { lost = hops.rows(chosen, !columns, to); });
            return lost;
        },
        "rows"_a, "in_rows"_a.none(), "question"_a, "columns"_a.none(), "out"_a);

    // For each source the furthest distance, the sum of all, and the count of vertices reached, one after the other.
    m.def(
        "hop_sums",
        [](const Rows& rows, const Rows* in_rows, const Question& question, OutOf<int64_t> out) {
            same_size(out.size(), 3 * question.sources.size(), "hop_sums");
            static_assert(sizeof(matrix::HopSums) == 3 * sizeof(int64_t));
            with_hops(rows, in_rows, question,
                      [&](auto& hops) { hops.sums(reinterpret_cast<matrix::HopSums*>(out.data())); });
        },
        "rows"_a, "in_rows"_a.none(), "question"_a, "out"_a);
}

}  // namespace steppe::bindings

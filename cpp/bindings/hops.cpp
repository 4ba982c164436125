// Bindings of matrix/hops.hpp.
#include "matrix/hops.hpp"

#include "bindings/question.hpp"

namespace steppe::bindings {

namespace {

// f(Hops<V>&) on these rows, without the GIL. in_rows: those of the reverse graph, or null. bytes: whether a group
// keeps a byte for each vertex and source.
template <class F>
void with_hops(const Rows& rows, const Rows* in_rows, const Question& question, bool bytes, F f) {
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
            // Few sources for each thread: narrower rows of bits. Rows have a byte for each vertex and source, which is
            // more than the caches hold: groups of 128 (R-MAT of scale 18, 512 sources: 0.43 -> 0.31 s).
            const size_t each = question.sources.size() / static_cast<size_t>(std::max(1, question.threads));
            if (each <= 64 || (bytes && rows.n() > int64_t{1} << 21)) run.template operator()<1>();
            else if (bytes) run.template operator()<2>();
            else if (each <= 256) run.template operator()<4>();
            else run.template operator()<8>();
        });
    });
}

}  // namespace

void bind_hops(nb::module_& m) {
    // Fills `out` (sources x columns); `columns` None: every vertex.
    m.def(
        "hop_rows",
        [](const Rows& rows, const Rows* in_rows, const Question& question, std::optional<InOf<int64_t>> columns,
           OutOf<int64_t> out) {
            std::span<const int64_t> chosen;
            if (columns) chosen = {columns->data(), columns->size()};
            search::check_vertices(chosen, rows.n());
            const size_t width = columns ? chosen.size() : static_cast<size_t>(rows.n());
            same_size(out.size(), question.sources.size() * width, "hop_rows");
            with_hops(rows, in_rows, question, true, [&](auto& hops) { hops.rows(chosen, !columns, out.data()); });
        },
        "rows"_a, "in_rows"_a.none(), "question"_a, "columns"_a.none(), "out"_a);

    // For each source the furthest distance, the sum of all, and the count of vertices reached, one after the other.
    m.def(
        "hop_sums",
        [](const Rows& rows, const Rows* in_rows, const Question& question, OutOf<int64_t> out) {
            same_size(out.size(), 3 * question.sources.size(), "hop_sums");
            static_assert(sizeof(matrix::HopSums) == 3 * sizeof(int64_t));
            with_hops(rows, in_rows, question, false,
                      [&](auto& hops) { hops.sums(reinterpret_cast<matrix::HopSums*>(out.data())); });
        },
        "rows"_a, "in_rows"_a.none(), "question"_a, "out"_a);
}

}  // namespace steppe::bindings

// Bindings of matrix/lanes.hpp.
#include "matrix/lanes.hpp"

#include <numeric>

#include "bindings/question.hpp"
#include "bindings/vectors.hpp"
#include "rows/forms.hpp"

namespace steppe::bindings {

void bind_lanes(nb::module_& m) {
    // Fills `out` (sources x columns); `columns` None: every vertex. in_rows: the reverse graph's. Returns the numbers
    // of the sources whose rows are left to searches.
    m.def(
        "lanes",
        [](const Rows& rows, const Rows& in_rows, const Question& question, std::optional<InOf<int64_t>> columns,
           Out out_rows) {
            search::check_vertices(question.sources, rows.n());
            std::optional<std::span<const int64_t>> chosen;
            if (columns) chosen.emplace(columns->data(), columns->size());
            if (chosen) search::check_vertices(*chosen, rows.n());
            const size_t width = chosen ? chosen->size() : static_cast<size_t>(rows.n());
            same_size(out_rows.size(), question.sources.size() * width, "lanes");
            same_size(static_cast<size_t>(rows.n()), static_cast<size_t>(in_rows.n()), "lanes");
            same_size(static_cast<size_t>(rows.edges()), static_cast<size_t>(in_rows.edges()), "lanes");
            if (rows.is_wide()) {  // all are left
                std::vector<int64_t> left(question.sources.size());
                std::iota(left.begin(), left.end(), 0);
                return to_numpy(std::move(left));
            }
            return to_numpy(rows.visit_narrow([&]<class V, class W>(const rows::View<V, W>& g) {
                using R = Distance<W>;
                R* to = out<R>(out_rows);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const rows::View<V, W> all = g.weighted(), in = in_rows.as<V, W>().weighted();
                    return matrix::Lanes<V, W, R>(all.csr, in.csr, question, chosen, to, watch).run();
                });
            }));
        },
        "rows"_a, "in_rows"_a, "question"_a, "columns"_a.none(), "out"_a);
}

}  // namespace steppe::bindings

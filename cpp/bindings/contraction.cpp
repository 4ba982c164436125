// Bindings of matrix/contraction.hpp and matrix/sweep.hpp.
#include "matrix/contraction.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <variant>

#include "bindings/question.hpp"
#include "matrix/sweep.hpp"

namespace steppe::bindings {

namespace {

// A contraction in the type that its distances need.
struct AnyContraction {
    std::variant<matrix::Contraction<uint32_t>, matrix::Contraction<uint64_t>> of;
};

template <class D, class W>
std::unique_ptr<AnyContraction> contracted(const rows::Csr<int32_t, W>& g, int64_t most, Watch& watch) {
    matrix::Contracting<D> contracting(g, watch);
    const bool done = !watch.stopped() && contracting.run(most, watch);
    watch.check();
    if (!done) return nullptr;
    return std::make_unique<AnyContraction>(AnyContraction{matrix::Contraction<D>(contracting)});
}

}  // namespace

void bind_contraction(nb::module_& m) {
    nb::class_<AnyContraction>(m, "Contraction")
        .def_prop_ro(
            "arcs",
            [](const AnyContraction& any) { return std::visit([](const auto& c) { return c.arcs(); }, any.of); })
        .def_prop_ro("bytes", [](const AnyContraction& any) {
            return std::visit([](const auto& c) { return c.bytes(); }, any.of);
        });

    // None: it would be more than `most` looks at an arc, distances may not fit in 64 bits, or these types have none.
    m.def(
        "contract",
        [](const Rows& rows, int64_t most) -> std::unique_ptr<AnyContraction> {
            if (rows.is_wide()) return nullptr;
            return rows.visit_narrow(
                [&]<class V, class W>(const rows::View<V, W>& g) -> std::unique_ptr<AnyContraction> {
                    if constexpr (std::is_integral_v<W>) {
                        return without_gil([&](Watch& watch) -> std::unique_ptr<AnyContraction> {
                            const rows::View<V, W> all = g.weighted();
                            const double longest = matrix::longest_way(all.csr);
                            if constexpr (sizeof(W) == 4)
                                if (longest < static_cast<double>(kLargest<uint32_t>))
                                    return contracted<uint32_t>(all.csr, most, watch);
                            if (longest < 0x1p62) return contracted<uint64_t>(all.csr, most, watch);
                            return nullptr;
                        });
                    }
                    return nullptr;
                });
        },
        "rows"_a, "most"_a, nb::sig("def contract(rows: Rows, most: int) -> Contraction | None"));

    // Fills `out` (sources x columns); `columns` None: every vertex.
    m.def(
        "swept_rows",
        [](const AnyContraction& any, const Question& question, std::optional<InOf<int64_t>> columns,
           OutOf<int64_t> out) {
            std::visit(
                [&](const auto& contraction) {
                    search::check_vertices(question.sources, contraction.n);
                    std::optional<std::span<const int64_t>> chosen;
                    if (columns) chosen.emplace(columns->data(), columns->size());
                    if (chosen) search::check_vertices(*chosen, contraction.n);
                    const size_t width = chosen ? chosen->size() : static_cast<size_t>(contraction.n);
                    same_size(out.size(), question.sources.size() * width, "swept_rows");
                    PythonWatch(question.progress).run([&](Watch& watch) {
                        matrix::sweep(contraction, question, chosen, out.data(), watch);
                    });
                },
                any.of);
        },
        "contraction"_a, "question"_a, "columns"_a.none(), "out"_a);
}

}  // namespace steppe::bindings

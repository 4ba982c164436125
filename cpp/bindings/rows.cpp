// Bindings of a graph's rows: what they are prepared as (rows/forms.hpp), turned round (rows/build.hpp), proven
// (rows/prove.hpp).
#include "bindings/rows.hpp"

#include "rows/build.hpp"
#include "rows/prove.hpp"
#include "rows/typical.hpp"

namespace steppe::bindings {

namespace {

// in_rows: of the reverse graph, null where that is the graph itself.
void prepare(const Rows& rows, const Rows* in_rows, int threads, bool quads) {
    rows.visit_narrow([&]<class V, class W>(const rows::View<V, W>& g) {
        if (g.csr.edges() >> 32) throw std::invalid_argument("too many edges to pack");
        std::optional<rows::View<V, W>> reverse;
        if (in_rows) reverse.emplace(in_rows->as<V, W>());
        without_gil([&](Watch& watch) {
            if (quads && g.forms.make_quads(g.csr, threads, watch)) return;
            g.forms.make_packed(g.csr, reverse ? &reverse->csr : nullptr, reverse ? &reverse->forms : nullptr, threads,
                                watch);
        });
    });
}

}  // namespace

void bind_rows(nb::module_& m) {
    nb::class_<Rows>(m, "Rows")
        .def(nb::init<InOf<int64_t>, In, std::optional<In>, bool>(), "indptr"_a, "indices"_a, "weights"_a.none(),
             "mapped"_a = false)
        // Lays the rows out for many searches: rows of four where they suit (and quads is set), else packed rows of
        // both directions. Weights must not be negative.
        .def("prepare", &prepare, "in_rows"_a.none(), "threads"_a, "quads"_a = true)
        // Whether prepare() would make rows of four, which need no in_rows.
        .def_prop_ro("suits_quads",
                     [](const Rows& rows) {
                         return rows.visit([]<class V, class W>(const rows::View<V, W>& g) {
                             return sizeof(V) == 4 && rows::Quads<W>::suit(g.csr);
                         });
                     })
        // "quads", "packed", or "" where nothing is prepared.
        .def_prop_ro(
            "form",
            [](const Rows& rows) { return rows.visit([](const auto& g) { return std::string(g.forms.name()); }); })
        .def_prop_ro("is_prepared",
                     [](const Rows& rows) { return rows.visit([](const auto& g) { return *g.forms.name() != 0; }); })
        .def_prop_ro("prepared_bytes",
                     [](const Rows& rows) { return rows.visit([](const auto& g) { return g.forms.bytes(); }); })
        .def_prop_ro("mapped", &Rows::is_mapped)
        // See rows/typical.hpp.
        .def_prop_ro("typical_weight", [](const Rows& rows) {
            return rows.visit([](const auto& g) { return rows::typical_weight(g.csr); });
        });

    using rows::RowFault;
    nb::enum_<RowFault>(m, "RowFault")
        .value("none", RowFault::none)
        .value("offset", RowFault::offset)
        .value("target", RowFault::target)
        .value("weight", RowFault::weight)
        .value("one_way", RowFault::one_way);

    // (fault, place, smallest, largest, mean); undirected: every edge must have its opposite.
    m.def(
        "prove_rows",
        [](const Rows& rows, bool undirected, uint64_t key, int threads) {
            return rows.visit([&](const auto& g) {
                const auto f = without_gil([&](Watch& watch) {
                    return rows::prove_rows(g.csr, rows.edges(), undirected, key, rows.is_mapped(), threads, watch);
                });
                return nb::make_tuple(f.fault, f.place, f.smallest, f.largest, f.mean);
            });
        },
        "rows"_a, "undirected"_a, "key"_a, "threads"_a);

    m.def(
        "reverse_rows",
        [](const Rows& rows, OutOf<int64_t> indptr, Out indices, std::optional<Out> weights, int threads) {
            same_size(static_cast<size_t>(rows.n()) + 1, indptr.size(), "reverse_rows");
            same_size(static_cast<size_t>(rows.edges()), indices.size(), "reverse_rows");
            if (weights.has_value() != rows.is_weighted()) throw std::invalid_argument("reverse_rows: weights");
            if (weights) same_size(indices.size(), weights->size(), "reverse_rows");
            rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                // Weights are only moved: their size is all that counts.
                using Moved = std::conditional_t<sizeof(W) == 4, int32_t, int64_t>;
                const rows::Csr<V, Moved> from{g.csr.n, g.csr.offsets, g.csr.targets,
                                               reinterpret_cast<const Moved*>(g.csr.weights)};
                V* list = out<V>(indices);
                auto* to = reinterpret_cast<Moved*>(weights ? out<W>(*weights) : nullptr);
                without_gil([&](Watch& watch) { rows::reverse_csr(from, indptr.data(), list, to, threads, watch); });
            });
        },
        "rows"_a, "indptr"_a, "indices"_a, "weights"_a.none(), "threads"_a);

    m.def(
        "is_symmetric",
        [](const Rows& rows, const Rows& reverse, int threads) {
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                const rows::Csr<V, W> back = reverse.as<V, W>().csr;
                return without_gil([&](Watch& watch) { return rows::is_symmetric(g.csr, back, threads, watch); });
            });
        },
        "rows"_a, "reverse"_a, "threads"_a);
}

}  // namespace steppe::bindings

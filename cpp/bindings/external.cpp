// Bindings of external/sweep.hpp, external/bins.hpp and external/bellman_ford.hpp.
#include "bindings/question.hpp"
#include "external/bellman_ford.hpp"
#include "external/bins.hpp"
#include "external/sweep.hpp"
#include "search/answer.hpp"

namespace steppe::external {
STEPPE_BINS(extern template)
}  // namespace steppe::external

namespace steppe::bindings {

namespace {

template <class Rows, class V, class R>
search::Stats sweep_outside(const Rows& g, bool mapped, const Question& question, external::Budget& budget, R* result,
                            V* pred) {
    using W = typename Rows::Weight;
    return PythonWatch(question.progress).run([&](Watch& watch) {
        external::Window window(g, mapped, question.threads, budget);
        return search::find_answer<W>(g, question, result, pred, watch,
                                      [&]<class D>(const search::Search<V, D>& search, D* dist, V* p) {
                                          return external::sweep(g, window, budget.shift, search, dist, p);
                                      });
    });
}

template <class V, class W, class R>
search::Stats bin_outside(const rows::View<V, W>& g, const rows::View<V, W>* in, double lightest, bool mapped,
                          const Question& question, external::Budget& budget, R* result, V* pred) {
    return PythonWatch(question.progress).run([&](Watch& watch) {
        external::Window window(g.csr, mapped && !g.out(), question.threads, budget);
        return search::find_answer<W>(
            g.csr, question, result, pred, watch, [&]<class D>(const search::Search<V, D>& search, D* dist, V* p) {
                return p ? external::bin<true>(g, in, lightest, window, budget, search, dist, p)
                         : external::bin<false>(g, in, lightest, window, budget, search, dist, p);
            });
    });
}

}  // namespace

void bind_external(nb::module_& m) {
    // What a search may take; and, while it runs and afterwards, what it has taken.
    using external::Budget;
    nb::class_<Budget>(m, "Budget")
        .def(
            "__init__",
            [](Budget* self, int shift, int64_t window, int64_t bins) {
                if (shift < 6 || shift > 40) throw std::invalid_argument("a block has 2^6 to 2^40 vertices");
                new (self) Budget{shift, window, bins};
            },
            "shift"_a, "window"_a, "bins"_a = 0)
        .def_prop_ro("parts", [](const Budget& b) { return b.parts.load(); })
        .def_prop_ro("passes", [](const Budget& b) { return b.passes.load(); })
        .def_prop_ro("bytes_read", [](const Budget& b) { return b.bytes_read.load(); })
        .def_prop_ro("peak", [](const Budget& b) { return b.peak.load(); });

    // Distances, or hops where `distances` are int32. in_rows: those of the reverse graph, if they are at hand; of an
    // undirected one the rows themselves. lightest: no edge weighs less.
    m.def(
        "external",
        [](const Rows& rows, const Rows* in_rows, double lightest, const Question& question, Budget& budget,
           Out distances, std::optional<Out> predecessors) {
            if (distances.dtype() == nb::dtype<int32_t>())
                return rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& csr) {
                    return sweep_outside(external::Ones<V>{csr}, rows.is_mapped(), question, budget,
                                         entries<int32_t>(rows, distances), entries<V>(rows, predecessors));
                });
            if (!rows.is_weighted()) throw std::invalid_argument("external: edges without weights are counted");
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                auto* d = entries<Distance<W>>(rows, distances);
                V* p = entries<V>(rows, predecessors);
                if constexpr (sizeof(V) == 4)
                    if (budget.bins > 0) {
                        std::optional<rows::View<V, W>> in;
                        if (in_rows) in.emplace(in_rows->as<V, W>());
                        return bin_outside(g, in ? &*in : nullptr, lightest, rows.is_mapped(), question, budget, d, p);
                    }
                return sweep_outside(g.csr, rows.is_mapped(), question, budget, d, p);
            });
        },
        "rows"_a, "in_rows"_a.none(), "lightest"_a, "question"_a, "budget"_a, "distances"_a, "predecessors"_a.none());

    // Weights of any sign, as bellman_ford takes them.
    m.def(
        "external_bellman_ford",
        [](const Rows& rows, const Question& question, Budget& budget, Out distances, Out predecessors) {
            if (!rows.is_weighted()) throw std::invalid_argument("external: edges without weights are counted");
            search::check_vertices(question.sources, rows.n());
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                auto* d = entries<Distance<W>>(rows, distances);
                V* p = entries<V>(rows, predecessors);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    external::Window window(g.csr, rows.is_mapped(), 1, budget);
                    return external::ExternalBellmanFord<V, W>(g.csr, window, budget.shift, d, p, watch)
                        .run(question.sources);
                });
            });
        },
        "rows"_a, "question"_a, "budget"_a, "distances"_a, "predecessors"_a);
}

}  // namespace steppe::bindings

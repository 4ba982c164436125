// Bindings of search/bellman_ford.hpp.
#include "search/bellman_ford.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/question.hpp"

namespace steppe::bindings {

void bind_bellman_ford(nb::module_& m) {
    using Status = search::BellmanFordStatus;
    nb::enum_<Status>(m, "BellmanFordStatus")
        .value("done", Status::done)
        .value("negative_cycle", Status::negative_cycle)
        .value("overflow", Status::overflow)
        .value("restless", Status::restless);
    using Result = search::BellmanFordResult;
    nb::class_<Result>(m, "BellmanFordResult")
        .def_ro("status", &Result::status)
        .def_ro("cycle", &Result::cycle)
        .def_ro("rounds", &Result::rounds)
        .def_ro("edges_relaxed", &Result::edges_relaxed);

    // Weights of any sign. Fills distances and predecessors, which mean nothing unless it is done; there is no bound,
    // and targets do not end the search.
    m.def(
        "bellman_ford",
        [](const Rows& rows, const Question& question, Out distances, Out predecessors) {
            search::check_vertices(question.sources, rows.n());
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                auto* d = entries<Distance<W>>(rows, distances);
                V* p = entries<V>(rows, predecessors);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const rows::View<V, W> all = g.weighted();
                    return search::BellmanFord<V, W>(all.csr, d, p, watch).run(question.sources);
                });
            });
        },
        "rows"_a, "question"_a, "distances"_a, "predecessors"_a);
}

}  // namespace steppe::bindings

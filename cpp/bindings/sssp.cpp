// Bindings of search/methods.hpp: one question, weights that are not negative, the method by name.
#include "bindings/methods.hpp"
#include "bindings/question.hpp"
#include "search/answer.hpp"

namespace steppe::search {
STEPPE_METHODS(template)
}  // namespace steppe::search

namespace steppe::bindings {

search::Method method_named(const std::string& name) {
    if (name == "dijkstra") return search::Method::dijkstra;
    if (name == "delta-stepping") return search::Method::delta_stepping;
    if (name == "frontier") return search::Method::frontier;
    throw std::invalid_argument("unknown method " + name);
}

void bind_sssp(nb::module_& m) {
    // Fills distances and, where given, predecessors. After an overflow they mean nothing.
    m.def(
        "sssp",
        [](const std::string& method, const Rows& rows, const Question& question, Out distances,
           std::optional<Out> predecessors) {
            const search::Method named = method_named(method);
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                auto* result = entries<Distance<W>>(rows, distances);
                V* pred = entries<V>(rows, predecessors);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    const rows::View<V, W> all = g.weighted();
                    return search::find_answer<W>(g.csr, question, result, pred, watch,
                                                  [&]<class D>(const search::Search<V, D>& search, D* dist, V* p) {
                                                      return p ? search::run<true>(named, all, search, dist, p)
                                                               : search::run<false>(named, all, search, dist, p);
                                                  });
                });
            });
        },
        "method"_a, "rows"_a, "question"_a, "distances"_a, "predecessors"_a.none() = nb::none());
}

}  // namespace steppe::bindings

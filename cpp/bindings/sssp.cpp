// Bindings of search/methods.hpp: one question, weights that are not negative, the method by name.
#include "bindings/question.hpp"
#include "search/answer.hpp"
#include "search/methods.hpp"

namespace steppe::search {
STEPPE_METHODS(extern template)  // in search/methods_*.cpp
}  // namespace steppe::search

namespace steppe::bindings {

void bind_sssp(nb::module_& m) {
    // Fills distances and, where given, predecessors. After an overflow they mean nothing.
    m.def(
        "sssp",
        [](const std::string& method, const Rows& rows, const Question& question, Out distances,
           std::optional<Out> predecessors) {
            const search::Method named = search::method_named(method);
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

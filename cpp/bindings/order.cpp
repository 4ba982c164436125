// Bindings of search/order.hpp.
#include "search/order.hpp"

#include "bindings/rows.hpp"

namespace steppe::bindings {

void bind_order(nb::module_& m) {
    // Fills order (the vertices met, from the front) and met_from (-1: the source, or not met); returns how many.
    m.def(
        "search_order",
        [](const Rows& rows, int64_t source, bool depth_first, Out order, Out met_from) {
            if (source < 0 || source >= rows.n()) throw std::invalid_argument("vertex out of range");
            same_size(static_cast<size_t>(rows.n()), order.size(), "order");
            same_size(static_cast<size_t>(rows.n()), met_from.size(), "met_from");
            return rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& g) {
                V *to = out<V>(order), *from = out<V>(met_from);
                return without_gil([&](Watch& watch) {
                    const auto begin = static_cast<V>(source);
                    return depth_first ? search::depth_first(g, begin, to, from, watch)
                                       : search::breadth_first(g, begin, to, from, watch);
                });
            });
        },
        "rows"_a, "source"_a, "depth_first"_a, "order"_a, "met_from"_a);
}

}  // namespace steppe::bindings

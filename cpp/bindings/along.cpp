// Bindings of tree/edges.hpp and tree/along.hpp.
#include "tree/along.hpp"

#include "bindings/question.hpp"
#include "tree/edges.hpp"

namespace steppe::bindings {

void bind_along(nb::module_& m) {
    m.def(
        "path_edges",
        [](const Rows& rows, InOf<int64_t> vertices, OutOf<int64_t> edges) {
            same_size(vertices.size() ? vertices.size() - 1 : 0, edges.size(), "path_edges");
            search::check_vertices({vertices.data(), vertices.size()}, rows.n());
            rows.visit([&](const auto& g) {
                without_gil([&](Watch& watch) {
                    tree::path_edges(g.csr, vertices.data(), static_cast<int64_t>(vertices.size()), edges.data(),
                                     watch);
                });
            });
        },
        "rows"_a, "vertices"_a, "edges"_a);

    // Predecessors that are no vertices have no edges.
    m.def(
        "tree_edges",
        [](const Rows& rows, In predecessors, OutOf<int64_t> edges, int threads) {
            same_size(static_cast<size_t>(rows.n()), edges.size(), "tree_edges");
            same_size(static_cast<size_t>(rows.n()), predecessors.size(), "tree_edges");
            rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                if (predecessors.dtype() != nb::dtype<V>()) throw std::invalid_argument("tree_edges: type of vertices");
                without_gil(
                    [&](Watch& watch) { tree::tree_edges(g.csr, in<V>(predecessors), edges.data(), threads, watch); });
            });
        },
        "rows"_a, "predecessors"_a, "edges"_a, "threads"_a);

    // edges: of tree_edges(), none of them -1 where `reachable`, unless the predecessor is. ids: None where attributes
    // stand in the order of the rows. Returns the first vertex whose sum cannot be told, or -1.
    m.def(
        "sums_along",
        [](In predecessors, InOf<int64_t> edges, InOf<bool> reachable, In attribute, std::optional<In> ids, Out sums) {
            const auto n = static_cast<int64_t>(predecessors.size());
            same_size(predecessors.size(), edges.size(), "sums_along");
            same_size(predecessors.size(), reachable.size(), "sums_along");
            same_size(predecessors.size(), sums.size(), "sums_along");
            return with_vertex(predecessors, [&](auto vertex) {
                return with_weight(attribute, [&](auto a) {
                    using V = decltype(vertex);
                    using A = decltype(a);
                    using S = tree::Sum<A>;
                    S* to = out<S>(sums);
                    const S none = std::is_integral_v<S> ? std::numeric_limits<S>::max() : kInfinity<S>;
                    auto run = [&](const auto* numbers) {
                        return without_gil([&](Watch& watch) {
                            return tree::sums_along(in<V>(predecessors), edges.data(), reachable.data(), false, n,
                                                    in<A>(attribute), numbers, to, none, watch);
                        });
                    };
                    if (!ids) return run(static_cast<const int32_t*>(nullptr));
                    return with_vertex(*ids, [&](auto id) { return run(in<decltype(id)>(*ids)); });
                });
            });
        },
        "predecessors"_a, "edges"_a, "reachable"_a, "attribute"_a, "ids"_a.none(), "sums"_a);
}

}  // namespace steppe::bindings

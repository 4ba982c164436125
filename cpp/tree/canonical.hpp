// The canonical tree of finished distances, the quickest way that the graph allows: from the light edges where rows are
// prepared, else, or where they do not decide it, from all tight edges. (Where all edges are equally long and in-edges
// are at hand, by_levels.hpp is quicker still; its caller knows.)
#pragma once
#include <span>

#include "rows/forms.hpp"
#include "tree/by_light_edges.hpp"
#include "tree/by_search.hpp"

namespace steppe::tree {

// Writes pred[0..n). uniform: all edges have one and the same positive integer length. min_weight: no edge is shorter.
template <class V, class W, class D>
void canonical_tree(const rows::View<V, W>& g, const D* distances, std::span<const int64_t> sources, bool uniform,
                    W min_weight, V* pred, int threads, Watch& watch) {
    if constexpr (sizeof(V) == 4 && !std::is_same_v<D, int32_t>) {
        auto by_light_edges = [&](const auto* rows) {
            return rows &&
                   prepared_tree(*rows, g.forms.in(), distances, kInfinity<D>, min_weight, pred, threads, watch);
        };
        if (!uniform && (g.quads() ? by_light_edges(g.quads()) : by_light_edges(g.out()))) return;
    }
    tree_by_search(g.csr, distances, sources.data(), static_cast<int64_t>(sources.size()), uniform, min_weight, pred,
                   threads, watch);
}

}  // namespace steppe::tree

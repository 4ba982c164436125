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
    // Where there are no weights they are int32 with one form more; in other types all weights are made 1.
    const rows::Csr<V, W> rows = std::is_same_v<W, int32_t> ? g.csr : g.weighted().csr;
    tree_by_search(rows, distances, sources.data(), static_cast<int64_t>(sources.size()), uniform, min_weight, pred,
                   threads, watch);
}

// Compiled once, in canonical.cpp: STEPPE_TREES(extern template) wherever it is used.
#define STEPPE_TREE(KIND, V, W, D)                                                                                   \
    KIND void canonical_tree<V, W, D>(const rows::View<V, W>&, const D*, std::span<const int64_t>, bool, W, V*, int, \
                                      Watch&);
#define STEPPE_TREES_OF(KIND, V)           \
    STEPPE_TREE(KIND, V, int32_t, int32_t) \
    STEPPE_TREE(KIND, V, int32_t, int64_t) \
    STEPPE_TREE(KIND, V, int64_t, int64_t) \
    STEPPE_TREE(KIND, V, float, float)     \
    STEPPE_TREE(KIND, V, double, double)
#define STEPPE_TREES(KIND)         \
    STEPPE_TREES_OF(KIND, int32_t) \
    STEPPE_TREES_OF(KIND, int64_t)

}  // namespace steppe::tree

// Edges of the tree: a predecessor is a vertex, and there may be several edges from it. The lightest is meant, of
// equally light ones the first: its weight is the difference of the distances, whatever the others weigh.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"

namespace steppe::tree {

// The edge u -> v, or -1.
template <class V, class W>
int64_t lightest_edge(const rows::Csr<V, W>& g, int64_t u, int64_t v) {
    int64_t best = -1;
    for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e)
        if (g.targets[e] == v && (best < 0 || (g.weights && g.weights[e] < g.weights[best]))) best = e;
    return best;
}

// The edges between each vertex of a list and the next; -1 where there is none.
template <class V, class W>
void path_edges(const rows::Csr<V, W>& g, const int64_t* vertices, int64_t count, int64_t* edges, Watch& watch) {
    for (int64_t i = 0; i + 1 < count; ++i) {
        edges[i] = lightest_edge(g, vertices[i], vertices[i + 1]);
        if ((i & 255) == 255 && watch.poll()) break;
    }
    watch.check();
}

// edges[v] = the edge from pred[v], -1 where that is -1 (or no such edge). All rows are swept once, by all threads:
// only the row of pred[v] writes to edges[v], so nobody else does, and a star costs no more than a street.
template <class V, class W>
void tree_edges(const rows::Csr<V, W>& g, const V* pred, int64_t* edges, int threads, Watch& watch) {
    parallel_for(threads, g.n, 1 << 16, watch,
                 [&](int64_t begin, int64_t end, int) { std::fill(edges + begin, edges + end, int64_t{-1}); });
    parallel_for(threads, g.n, 1 << 12, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t u = begin; u < end; ++u)
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                const V v = g.targets[e];
                if (pred[v] != u) continue;
                if (edges[v] < 0 || (g.weights && g.weights[e] < g.weights[edges[v]])) edges[v] = e;
            }
    });
}

}  // namespace steppe::tree

// Dijkstra's algorithm with a 4-ary heap: the general method for one thread, any non-negative weights, tiny graphs.
//
// The heap deletes lazily: a vertex that improves is pushed again, and an entry whose key is no longer the vertex's
// distance is dropped when it comes up. For 32-bit distances an entry is one 64-bit word (distance above vertex).
// Small integer weights do not come here: buckets of width one (delta_stepping.hpp with delta = 1) settle vertices in
// the same order without a heap. Dijkstra, "A note on two problems in connexion with graphs", Numer. Math. 1 (1959).
#pragma once
#include "rows/csr.hpp"
#include "search/heap.hpp"
#include "search/search.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

template <bool kPaths, class V, class W, class D>
Stats dijkstra(const rows::Csr<V, W>& g, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    stats.scheme = "one thread";
    Alone<kPaths, V, D> tentative(search, g.n, dist, pred);
    Heap<D, V> heap;
    for (V s : search.sources) heap.push(0, s);
    Pending pending(search.targets, tentative);
    const Reach<D> reach = search.reach;
    bool outgrown = false;
    int64_t relaxed = 0, next_poll = 1 << 16;
    while (!heap.empty()) {
        const auto [du, u] = heap.pop();
        if (du != dist[u]) continue;  // stale
        ++stats.rounds;
        // Strictly below: vertices as far as the last target may still wait behind edges of weight 0.
        if (pending.all_settled([du = du](D d) { return d < du; })) break;
        const int64_t first = g.offsets[u], last = g.offsets[u + 1];
        relaxed += last - first;
        for (int64_t e = first; e < last; ++e) {
            if (e + 16 < last) STEPPE_PREFETCH(&dist[g.targets[e + 16]]);
            const V v = g.targets[e];
            const D candidate = du + static_cast<D>(g.weights[e]);
            if (candidate < dist[v] && reach.admits(candidate, outgrown)) {
                tentative.set(v, candidate, u);
                heap.push(candidate, v);
            }
        }
        if (STEPPE_UNLIKELY(relaxed > next_poll)) {
            next_poll = relaxed + (1 << 16);
            if (search.watch->poll(relaxed) || is_in_vain<D>(outgrown)) break;
        }
    }
    stats.edges_relaxed = stats.edges_touched = relaxed;
    stats.outgrown = outgrown;
    return stats;
}

}  // namespace steppe::search

// Delta-stepping: buckets of vertices by tentative distance, emptied from the lowest; push, and where it pays, pull.
//
// The lowest bucket's vertices are relaxed, and vertices that fall into the bucket being emptied join it. A vertex that
// improves is simply filed again: the old entry is recognised as stale when it comes up (its vertex then lies in a
// lower bucket) and costs one comparison, which is cheaper than moving it. With delta = 1 and integer weights the order
// is exactly Dijkstra's and no edge is relaxed twice. One thread keeps its buckets in a Ring (ring.hpp) and uses no
// atomics; several share Bins (delta_stepping_parallel.hpp).
//
// Edges are relaxed in batches of vertices, without branches (scan.hpp). On prepared graphs (rows/packed.hpp: edges
// sorted by weight, in-edges at hand) the search finishes from the other side when that reads far less (pull.hpp).
//
// Meyer & Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003); R. Dial, CACM
// 12 (1969) for delta = 1. Light and heavy edges are not told apart: with buckets this narrow nearly all are heavy.
#pragma once
#include <optional>
#include <vector>

#include "rows/csr.hpp"
#include "search/pull.hpp"
#include "search/ring.hpp"
#include "search/scan_avx512.hpp"
#include "search/search.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// Pushes from `begin` until no bucket is left (then empty), or until pull_pays, if `in` is given: then the lower bound
// of all that is not final. In: the in-edges of a prepared graph, or NoEdges.
template <class Rows, class In, class T, class V, class D>
std::optional<D> push_alone(const Rows& g, const In* in, const Search<V, D>& search, const Width<D>& width,
                            const std::vector<V>& begin, T& tentative, Stats& stats) {
    Ring<V> ring(static_cast<int64_t>(std::min(1e9, search.max_weight / width.value())) + 2);
    for (V s : begin) ring.file(width.bucket(tentative.load(s)), s);
    Pending<V, T> pending(search.targets, tentative);
    const Reach<D> reach = search.reach;
    bool outgrown = false;
    int64_t relaxed = 0, next_poll = 1 << 16;
    const int64_t look = std::max<int64_t>(1 << 14, g.edges() / 24);
    int64_t next_look = look;
    std::optional<D> low;
    Candidates<V, D> found;

    for (int64_t b = ring.next(); b >= 0; b = ring.next()) {
        ++stats.rounds;
        if (pending.all_settled([&](D d) { return d != kInfinity<D> && width.bucket(d) < b; })) break;
        if constexpr (!std::is_same_v<In, NoEdges>) {
            if (in && STEPPE_UNLIKELY(relaxed > next_look)) {
                next_look = relaxed + look;
                if (pull_pays(*in, tentative, width.least(b), look)) {
                    low = width.least(b);
                    break;
                }
            }
        }
        for (Place at; at.i < ring.list().size();) {
            relaxed += scan_best<T::kPaths>(g, tentative, width, b, ring.list().data(), ring.list().size(), at, found);
            for (int k = 0; k < found.count; ++k) {
                if constexpr (requires { tentative.prefetch_set(V{}); })
                    if (k + 8 < found.count) tentative.prefetch_set(found.target[k + 8]);
                const V v = found.target[k];
                const D candidate = found.distance[k];
                if (candidate < tentative.load(v) && reach.admits(candidate, outgrown)) {
                    tentative.set(v, candidate, T::kPaths ? found.from[k] : V{-1});
                    ring.file(width.bucket(candidate), v);
                }
            }
            if (STEPPE_UNLIKELY(relaxed > next_poll)) {
                next_poll = relaxed + (1 << 16);
                if (search.watch->poll(stats.edges_relaxed + relaxed)) return {};
            }
        }
        if (is_in_vain<D>(outgrown)) break;
    }
    stats.edges_relaxed += relaxed;
    stats.edges_touched += relaxed;
    stats.outgrown |= outgrown;
    return low;
}

// Pushes from `begin`, pulls where it pays, pushes what that changed. `in`: the in-edges of a prepared graph, null
// where there are none.
template <class Rows, class In, class T, class V, class D>
void finish_alone(const Rows& g, const In* in, const Search<V, D>& search, const Width<D>& width,
                  const std::vector<V>& begin, T& tentative, Stats& stats) {
    if (!search.targets.empty()) in = nullptr;
    const auto low = push_alone(g, in, search, width, begin, tentative, stats);
    if constexpr (!std::is_same_v<In, NoEdges>) {
        if (low) {
            std::vector<V> changed;
            stats.note = "finished by pull";
            pull(*in, g, tentative, *low, search.reach, changed, 1, stats);
            push_alone(g, static_cast<const NoEdges*>(nullptr), search, width, changed, tentative, stats);
        }
    }
}

// The whole search on one thread.
template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    Alone<kPaths, V, D> tentative(search, g.n, dist, pred);
    const double mean_degree = static_cast<double>(g.edges()) / std::max<int64_t>(1, g.n);
    const Width<D> width(search.delta > 0 ? search.delta
                                          : serial_delta(search.mean_weight, search.max_weight, mean_degree));
    stats.delta = width.value();
    finish_alone(g, in, search, width, search.sources, tentative, stats);
    return stats;
}

}  // namespace steppe::search

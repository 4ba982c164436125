// Pull: the finish of a bucket search from the other side.
//
// When most of a small-diameter graph is settled, the unsettled vertices' in-edges are far fewer than the edges still
// to be pushed, and lists sorted by weight make nearly all of those irrelevant: let every distance below `low` be final
// and relaxed. A better way to v can only come over an unsettled u, which lies at low or beyond, so v reads its
// in-edges in order of weight and stops at low + w >= d(v). A vertex with d(v) <= low + caliber(v) need not read any.
// One pass finds nearly everything; whatever improved in it is then pushed as usual (a second pass is made only where
// that reads less). Every thread owns the vertices it writes.
//
// Chakaravarthy et al., "Scalable single source shortest path algorithms for massively parallel systems", IPDPS 2014,
// has push and pull per bucket; the finish here is its limit on one machine, and the SSSP twin of direction-optimising
// BFS.
#pragma once
#include <vector>

#include "search/search.hpp"

namespace steppe::search {

// The type of the in-edges where there are none.
struct NoEdges {};

// Whether a vertex at distance d could still be improved from low or beyond. Sums are rounded as a relaxation rounds
// them.
template <class D, class Key>
inline bool may_fall(D d, D low, Key lightest) {
    if constexpr (std::is_integral_v<D>) return d > low && d - low > static_cast<D>(lightest);  // the sum might wrap
    else return low + lightest < d;
}

// Whether finishing by pull would now read far less than the edges still to be pushed, from a sample of vertices: their
// in-edges stand for their out-edges. (Counting what was relaxed would not do: some was relaxed more than once.) It may
// cost an eighth of the `look` edges that are relaxed between two such questions.
template <class In, class T, class D>
bool pull_pays(const In& in, const T& tentative, D low, int64_t look) {
    const int64_t samples = std::clamp<int64_t>(look / 8 * in.n / std::max<int64_t>(1, in.edges()), 64, 2048);
    const int64_t step = std::max<int64_t>(1, in.n / samples);
    int64_t pull = 0, push = 0;
    for (int64_t i = 0; i < in.n; i += step) {
        const auto v = static_cast<decltype(in.target(0))>(i);
        const D d = tentative.load(v);
        if (d < low) continue;
        push += in.degree(v);
        if (!may_fall(d, low, in.lightest(v))) continue;
        const int64_t first = in.first(v), last = in.last(v);
        int64_t e = first;
        while (e < last && e - first < 256 && low + static_cast<D>(in.weight(e)) < d) ++e;
        pull += 10 + (e - first);  // finding a vertex costs about as much as ten edges
    }
    return pull * 3 < push;
}

// One pass; fills `changed` with the vertices whose distance fell and returns the smallest new distance. `active` are
// the vertices that may still fall; those found final are dropped from it.
template <class In, class T, class V, class D>
D pull_pass(const In& in, T& tentative, D low, const Reach<D>& reach, std::vector<V>& active, std::vector<V>& changed,
            int threads, Stats& stats) {
    struct Part {
        std::vector<V> active, changed;
        D least = kInfinity<D>;
        int64_t touched = 0;
        bool outgrown = false;
    };
    const int64_t grain = 1 << 14, size = static_cast<int64_t>(active.size());
    std::vector<Part> parts((size + grain - 1) / grain);
    parallel_for(threads, static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end, int) {
        for (int64_t p = begin; p < end; ++p) {
            Part& part = parts[p];
            const int64_t stop = std::min(size, (p + 1) * grain);
            for (int64_t i = p * grain; i < stop; ++i) {
                if (i + 24 < stop) in.prefetch_row(active[i + 24]);
                if (i + 14 < stop) {
                    in.prefetch_edges(in.first(active[i + 14]));
                    STEPPE_PREFETCH(tentative.address(active[i + 14]));
                }
                if (i + 6 < stop) {
                    const int64_t e = in.first(active[i + 6]);
                    if (e < in.last(active[i + 6])) STEPPE_PREFETCH(tentative.address(in.target(e)));
                }
                const V v = active[i];
                const D before = tentative.load(v);
                if (!may_fall(before, low, in.lightest(v))) continue;
                D best = before;
                V from{-1};
                const int64_t first = in.first(v), last = in.last(v);
                int64_t e = first;
                for (; e < last; ++e) {
                    const D w = static_cast<D>(in.weight(e));
                    if (low + w >= best) break;
                    const V u = in.target(e);
                    const D du = tentative.load(u);
                    if (du == kInfinity<D>) continue;  // integers would wrap
                    if (du + w < best) best = du + w, from = u;
                }
                part.touched += e - first;
                part.active.push_back(v);
                if (best < before && reach.admits(best, part.outgrown)) {
                    tentative.set(v, best, from);  // each vertex has one thread
                    part.changed.push_back(v);
                    part.least = std::min(part.least, best);
                }
            }
        }
    });
    D least = kInfinity<D>;
    active.clear();
    changed.clear();
    for (const Part& part : parts) {
        active.insert(active.end(), part.active.begin(), part.active.end());
        changed.insert(changed.end(), part.changed.begin(), part.changed.end());
        least = std::min(least, part.least);
        stats.edges_touched += part.touched;
        stats.outgrown |= part.outgrown;
    }
    return least;
}

// Pulls until pushing the changed vertices is cheaper than another pass; those are left in `changed`.
template <class In, class Out, class T, class V, class D>
void pull(const In& in, const Out& out, T& tentative, D low, const Reach<D>& reach, std::vector<V>& changed,
          int threads, Stats& stats) {
    std::vector<V> active(in.n);
    int64_t count = 0;
    for (int64_t i = 0; i < in.n; ++i) {
        const D d = tentative.load(static_cast<V>(i));
        active[count] = static_cast<V>(i);
        count += may_fall(d, low, in.lightest(static_cast<V>(i)));
    }
    active.resize(count);
    for (;;) {
        low = pull_pass(in, tentative, low, reach, active, changed, threads, stats);
        int64_t push = 0;
        for (V v : changed) push += 10 + out.degree(v);
        if (push < 10 * static_cast<int64_t>(active.size()) || changed.empty()) return;
    }
}

}  // namespace steppe::search

// Tight edges: u -> v is tight when d[u] + w == d[v], added up in the precision in which distances are stored.
//
// Everything that looks back at a finished search (proof/verify.hpp, by_search.hpp) asks this one question of every
// edge. Public distances are int64 for integer weights, int32 for hops, float or double for float weights; sums of
// integers never wrap: what is too long for the type saturates at kInfinity, which is "unreached" and never tight.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/types.hpp"
#include "rows/csr.hpp"
#include "search/widen.hpp"

namespace steppe::tree {

// a + w, in integers saturating at both ends.
template <class D, class W>
inline D sum(D a, W w) {
    if constexpr (std::is_floating_point_v<D>) {
        return a + w;
    } else {
        if (w >= 0 ? a > kInfinity<D> - w : a < std::numeric_limits<D>::min() - w)
            return w < 0 ? std::numeric_limits<D>::min() : kInfinity<D>;
        return static_cast<D>(a + w);
    }
}

// The length of edge e; every edge of an unweighted graph (or of a count of hops) has length 1.
template <bool weighted, class V, class W>
inline W length(const rows::Csr<V, W>& g, int64_t e) {
    if constexpr (weighted) return g.weights[e];
    return W{1};
}

// Edges are read in memory order, so the distance of a target this many edges on can be asked for early.
inline constexpr int64_t kEdgesAhead = 64;

// f(v, a + w, d[v]) for the edges [begin, end) of a vertex at distance a.
template <bool weighted, class V, class W, class D, class F>
inline void for_sums(const rows::Csr<V, W>& g, const D* distances, D a, int64_t begin, int64_t end, F f) {
    const int64_t edges = g.offsets[g.n];
    auto ahead = [&](int64_t e) {
        if (e + kEdgesAhead < edges) STEPPE_PREFETCH(distances + g.targets[e + kEdgesAhead]);
    };
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (std::is_floating_point_v<D> || (sizeof(W) < sizeof(D) && a >= -kMost && a < kInfinity<D> - kMost)) {
        for (int64_t e = begin; e < end; ++e) {  // no sum can wrap
            ahead(e);
            const V v = g.targets[e];
            f(v, static_cast<D>(a + length<weighted>(g, e)), distances[v]);
        }
    } else {
        for (int64_t e = begin; e < end; ++e) {
            ahead(e);
            const V v = g.targets[e];
            f(v, sum<D>(a, length<weighted>(g, e)), distances[v]);
        }
    }
}

// The same for all out-edges of u.
template <bool weighted, class V, class W, class D, class F>
inline void for_sums(const rows::Csr<V, W>& g, const D* distances, int64_t u, F f) {
    for_sums<weighted>(g, distances, distances[u], g.offsets[u], g.offsets[u + 1], f);
}

// Which edges of a short row are tight is anyone's guess, so there they are written down without a branch; in a long
// row few are, and a store whose place depends on a distance not yet loaded would hold up the loads behind it.
inline constexpr int64_t kShortRow = 8;

// Appends make(v) at `at` for every tight edge among [begin, end) of a vertex at distance a; there must be room for one
// more than all. Ors into `bad` whether an edge improves its target or leads to an unreached one (in integers: at any
// length; in floats: at a finite one). Returns the new end.
template <bool weighted, class V, class W, class D, class T, class F>
inline T* append_tight(const rows::Csr<V, W>& g, const D* distances, D a, int64_t begin, int64_t end, T* at, bool& bad,
                       F make) {
    bool improves = false;
    constexpr bool integral = std::is_integral_v<D>;
    if (end - begin <= kShortRow) {
        for_sums<weighted>(g, distances, a, begin, end, [&](V v, D s, D b) {
            improves |= (s < b) | (integral & (b == kInfinity<D>));
            *at = make(v);
            at += (s == b) & (b != kInfinity<D>);
        });
    } else {
        for_sums<weighted>(g, distances, a, begin, end, [&](V v, D s, D b) {
            if (STEPPE_UNLIKELY(s <= b)) {
                if (s == b && b != kInfinity<D>) *at++ = make(v);
                else improves |= integral || s < b;
            }
        });
    }
    bad |= improves;
    return at;
}

}  // namespace steppe::tree

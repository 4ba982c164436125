// Tight edges: u -> v is tight when d[u] + w == d[v], added up in the precision in which distances are stored.
//
// Everything that looks back at a finished search (verify.hpp, predecessors.hpp) asks this one question of every edge.
// Public distances are int64 for integer weights, int32 for hops, float or double for float weights; sums of integers
// never wrap: what is too long for the type saturates at kInfinity, which is "unreached" and never tight.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "csr.hpp"
#include "types.hpp"

namespace steppe {

// The public distance type of a weight type.
template <class W>
using Distance = std::conditional_t<std::is_floating_point_v<W>, W, int64_t>;

template <class D, class W>
inline D sum(D a, W w) {
    if constexpr (std::is_floating_point_v<D>) {
        return a + w;
    } else {
        D s;
#if defined(__GNUC__) || defined(__clang__)
        if (STEPPE_UNLIKELY(__builtin_add_overflow(a, static_cast<D>(w), &s)))
            return w < 0 ? std::numeric_limits<D>::min() : kInfinity<D>;
#else
        if (w >= 0 ? a > kInfinity<D> - w : a < std::numeric_limits<D>::min() - w)
            return w < 0 ? std::numeric_limits<D>::min() : kInfinity<D>;
        s = static_cast<D>(a + w);
#endif
        return s;
    }
}

// The length of edge e; every edge of an unweighted graph (or of a count of hops) has length 1.
template <bool weighted, class V, class W>
inline W length(const Csr<V, W>& g, int64_t e) {
    if constexpr (weighted) return g.weights[e];
    return W{1};
}

// Edges are read in memory order, so the distance of a target this many edges on can be asked for early.
inline constexpr int64_t kEdgesAhead = 16;

// f(e, v, d[u] + w, d[v]) for every out-edge of a reached u.
template <bool weighted, class V, class W, class D, class F>
inline void for_sums(const Csr<V, W>& g, const D* distances, int64_t u, int64_t edges, F f) {
    const D a = distances[u];
    for (int64_t e = g.offsets[u], end = g.offsets[u + 1]; e < end; ++e) {
        if (e + kEdgesAhead < edges) STEPPE_PREFETCH(distances + g.targets[e + kEdgesAhead]);
        const V v = g.targets[e];
        f(e, v, sum<D>(a, length<weighted>(g, e)), distances[v]);
    }
}

}  // namespace steppe

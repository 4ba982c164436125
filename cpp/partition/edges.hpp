// Edges of a part, as PartSearch relaxes them: all by their lengths, which finds distances; or the tight ones by one
// hop each, which finds how many edges the canonical path of a vertex has (tree/by_search.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "tree/tight.hpp"

namespace steppe::partition {

// f(v, d[u] + w, d[v]) for the edges of u. Distances are of the type in which they were searched: no integer sum wraps,
// since a distance and a weight are each less than half the range (search/widen.hpp).
template <bool weighted, class V, class W, class D, class F>
void for_sums(const rows::Csr<V, W>& g, const D* distances, int64_t u, F f) {
    const D a = distances[u];
    const int64_t edges = g.offsets[g.n];
    for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
        if (e + tree::kEdgesAhead < edges) STEPPE_PREFETCH(distances + g.targets[e + tree::kEdgesAhead]);
        const V v = g.targets[e];
        f(v, static_cast<D>(a + static_cast<D>(tree::length<weighted>(g, e))), distances[v]);
    }
}

template <bool weighted, class V, class W, class D>
struct Lengths {
    using Weight = W;
    static constexpr bool kScans = weighted;
    rows::Csr<V, W> g;

    void prefetch_row(V u) const { g.prefetch_row(u); }
    void prefetch_edges(V u) const {
        STEPPE_PREFETCH(&g.targets[g.first(u)]);
        if constexpr (weighted) STEPPE_PREFETCH(&g.weights[g.first(u)]);
    }
    void prefetch_values(V u, const D* values) const {
        const int64_t first = g.first(u), last = std::min(g.last(u), first + 16);
        for (int64_t e = first; e < last; ++e) STEPPE_PREFETCH(&values[g.targets[e]]);
    }
    template <class F>
    int64_t each(V u, D du, F f) const {
        for (int64_t e = g.first(u); e < g.last(u); ++e)
            f(g.targets[e], static_cast<D>(du + static_cast<D>(tree::length<weighted>(g, e))));
        return g.degree(u);
    }
};

// The tight edges, a hop each. Distances: final, of own vertices and ghosts.
template <bool weighted, class V, class W, class D>
struct Tight {
    using Weight = W;
    static constexpr bool kScans = false;
    rows::Csr<V, W> g;
    const D* distances;

    void prefetch_row(V u) const { g.prefetch_row(u); }
    void prefetch_edges(V u) const { STEPPE_PREFETCH(&g.targets[g.first(u)]); }
    void prefetch_values(V u, const uint32_t*) const {
        const int64_t first = g.first(u), last = std::min(g.last(u), first + 16);
        for (int64_t e = first; e < last; ++e) STEPPE_PREFETCH(&distances[g.targets[e]]);
    }
    template <class F>
    int64_t each(V u, uint32_t hop, F f) const {
        for_sums<weighted>(g, distances, u, [&](V v, D s, D b) {
            if (s == b && b != kInfinity<D>) f(v, hop + 1);
        });
        return g.degree(u);
    }
};

// tails[v] = the least of numbers[u] over tight edges u -> v with hop(u) + 1 = hop(v), of own vertices u; else
// untouched.
template <bool weighted, class V, class W, class D>
void find_tails(const rows::Csr<V, W>& g, int64_t own, const D* distances, const uint32_t* hops, const int64_t* numbers,
                int64_t* tails, Watch& watch) {
    for (int64_t u = 0; u < own; ++u) {
        if ((u & 4095) == 4095 && watch.poll(u)) watch.check();
        if (distances[u] == kInfinity<D> || hops[u] == kInfinity<uint32_t>) continue;
        for_sums<weighted>(g, distances, u, [&](V v, D s, D b) {
            if (s == b && b != kInfinity<D> && hops[u] + 1 == hops[v] && numbers[u] < tails[v]) tails[v] = numbers[u];
        });
    }
}

enum class PartFault { none, not_a_number, negative, beyond_bound, improves, unreached };

struct PartFinding {
    PartFault fault = PartFault::none;
    int64_t vertex = -1, other = -1;  // numbered as in the part
};

// Checks the conditions of proof/verify.hpp for every own vertex and its edges. hung[v] = 1 where a tight edge leads to
// v from a nearer vertex: a path of tight edges leads from a source to v if one leads to that vertex.
template <bool weighted, class V, class W, class D>
PartFinding prove(const rows::Csr<V, W>& g, int64_t own, const D* distances, D bound, uint8_t* hung, Watch& watch) {
    PartFinding found;
    auto report = [&](PartFault fault, int64_t u, int64_t v) {
        if (found.fault == PartFault::none) found = {fault, u, v};
    };
    for (int64_t u = 0; u < own && found.fault == PartFault::none; ++u) {
        if ((u & 4095) == 4095 && watch.poll(u)) watch.check();
        const D a = distances[u];
        if (a != a) report(PartFault::not_a_number, u, -1);
        else if (std::is_floating_point_v<D> && a < D{0}) report(PartFault::negative, u, -1);
        if (a == kInfinity<D>) continue;
        if (a > bound) report(PartFault::beyond_bound, u, -1);
        for_sums<weighted>(g, distances, u, [&](V v, D s, D b) {
            const bool open = b == kInfinity<D>;
            // An integer sum beyond the largest distance is a fault, too; a float sum of infinity is no path.
            if ((s < b || (open && std::is_integral_v<D>)) && !(open && s > bound))
                report(open ? PartFault::unreached : PartFault::improves, u, v);
            if (s == b && !open && a < b) hung[v] = 1;
        });
    }
    return found;
}

}  // namespace steppe::partition

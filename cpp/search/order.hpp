// Order: the vertices in the order in which a textbook's search meets them, and the vertex each was met from.
//
// bfs.hpp finds how far vertices are, in parallel, and in any order. SciPy's traversals and
// NetworkX's bfs_edges promise more: a row's targets in the order in which they stand there. That makes the search a
// sequence, so it is one: a queue (breadth first), or a stack with a cursor into each row (depth first).
#pragma once
#include <cstdint>

#include "base/memory.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"

namespace steppe::search {

// Fills order[0, count) and, where asked for, met_from (n entries, -1 where a vertex was not met); returns count.
template <class V>
int64_t breadth_first(const rows::Csr<V, int32_t>& g, V source, V* order, V* met_from, Watch& watch) {
    for (int64_t v = 0; v < g.n; ++v) met_from[v] = -1;
    int64_t count = 0, edges = 0;
    order[count++] = source;
    met_from[source] = source;  // so that it is not met again; taken back at the end
    for (int64_t at = 0; at < count; ++at) {
        const V u = order[at];
        for (int64_t e = g.first(u); e < g.last(u); ++e) {
            if ((++edges & kPollMask) == 0 && watch.poll(at)) watch.check();
            const V v = g.target(e);
            if (met_from[v] != -1) continue;
            met_from[v] = u;
            order[count++] = v;
        }
    }
    met_from[source] = -1;
    return count;
}

template <class V>
int64_t depth_first(const rows::Csr<V, int32_t>& g, V source, V* order, V* met_from, Watch& watch) {
    for (int64_t v = 0; v < g.n; ++v) met_from[v] = -1;
    // The path from the source is in met_from already; only the place in each row must be kept.
    Buffer<int64_t> cursor(static_cast<size_t>(g.n));
    int64_t count = 0, edges = 0;
    order[count++] = source;
    met_from[source] = source;
    cursor[static_cast<size_t>(source)] = g.first(source);
    for (V u = source;;) {
        int64_t& at = cursor[static_cast<size_t>(u)];
        while (at < g.last(u) && met_from[g.target(at)] != -1) {
            ++at;
            if ((++edges & kPollMask) == 0 && watch.poll(count)) watch.check();
        }
        if (at < g.last(u)) {
            const V v = g.target(at++);
            met_from[v] = u;
            order[count++] = v;
            cursor[static_cast<size_t>(v)] = g.first(v);
            u = v;
        } else if (u == source) {
            break;
        } else {
            u = met_from[u];
        }
    }
    met_from[source] = -1;
    return count;
}

}  // namespace steppe::search

// An order of a graph's vertices in which neighbours stand near each other: breadth first, component by component, each
// from one of its outermost vertices. Cut into ranges it gives layers, as wide as the graph is narrow: on roads and
// grids few edges leave them, whatever the vertices' numbers were. Cuthill & McKee, ACM 1969; the outermost vertex is
// the last that a first search meets (George & Liu, 1979, take a few searches more).
#pragma once
#include <cstdint>
#include <vector>

#include "base/watch.hpp"
#include "rows/csr.hpp"

namespace steppe::partition {

// Fills order[0, n). symmetric: every edge has its opposite; else each search simply begins at the first vertex that is
// left.
template <class V>
void order_by_place(const rows::Csr<V, int32_t>& g, bool symmetric, V* order, Watch& watch) {
    std::vector<bool> met(static_cast<size_t>(g.n));
    int64_t edges = 0;
    // From `source` on, into order from `begin` on; returns the end.
    auto search = [&](V source, int64_t begin) {
        int64_t end = begin;
        order[end++] = source;
        met[source] = true;
        for (int64_t at = begin; at < end; ++at) {
            const V u = order[at];
            for (int64_t e = g.first(u); e < g.last(u); ++e) {
                if ((++edges & kPollMask) == 0 && watch.poll(at)) watch.check();
                const V v = g.target(e);
                if (met[v]) continue;
                met[v] = true;
                order[end++] = v;
            }
        }
        return end;
    };
    int64_t count = 0;
    for (int64_t v = 0; v < g.n; ++v) {
        if (met[v]) continue;
        int64_t end = search(static_cast<V>(v), count);
        if (symmetric && end - count > 2) {
            const V last = order[end - 1];
            for (int64_t i = count; i < end; ++i) met[order[i]] = false;
            end = search(last, count);
        }
        count = end;
    }
}

}  // namespace steppe::partition

// Quads: the rows of a graph whose vertices have few edges, in records of four.
//
// Vertex u's edges are record u: four packed edges in half a cache line (a whole one for 64-bit weights), found without
// an offset and read without a loop. A shorter list is filled up with loops of weight 0, which improve nothing. In a
// longer one the last place links to a record behind the n first: its weight is negative, its target the record. Roads
// are like this: of New York's 264 346 vertices 1 645 have more than four edges. 32 bytes a vertex are hardly more than
// offsets and edges of a list of three, and one cache miss, not two or three: grid of 2 M 57 -> 39.5 ms (Xeon, 2026).
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "rows/csr.hpp"
#include "rows/packed.hpp"

namespace steppe::rows {

template <class W>
class Quads {
  public:
    using Edge = PackedOf<W>;
    using Weight = W;
    static constexpr bool kRecords = true;
    static constexpr int kMostEdges = 256;  // of one vertex
    int64_t n = 0;

    // Whether these rows suit a graph: nearly every list fits its record.
    template <class V>
    static bool suit(const Csr<V, W>& g) {
        if (g.edges() > 4 * g.n) return false;
        int64_t more = 0;
        for (int64_t u = 0; u < g.n; ++u) {
            const int64_t degree = g.offsets[u + 1] - g.offsets[u];
            if (degree > kMostEdges) return false;
            more += links(degree);
        }
        return more <= g.n / 8 && g.n + more < int64_t{1} << 30;  // vectors of indices may be doubled
    }

    // Weights must not be negative.
    Quads(const Csr<int32_t, W>& g, int threads, Watch& watch) : n(g.n), edges_(g.edges()) {
        Buffer<int64_t> next(g.n + 1);  // the first further record of each vertex
        next[0] = g.n;
        for (int64_t u = 0; u < g.n; ++u) next[u + 1] = next[u] + links(g.offsets[u + 1] - g.offsets[u]);
        records_ = Buffer<Edge>(4 * next[g.n]);
        parallel_for(threads, n, 1 << 12, watch, [&](int64_t begin, int64_t end, int) {
            for (int64_t u = begin; u < end; ++u) {
                int64_t at = u, link = next[u];
                int place = 0;
                for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                    if (place == 3 && e + 1 < g.offsets[u + 1]) {
                        records_[4 * at + 3] = Edge::make(static_cast<int32_t>(link), kLink);
                        at = link++;
                        place = 0;
                    }
                    records_[4 * at + place++] = Edge::make(g.targets[e], g.length(e));
                }
                while (place < 4) records_[4 * at + place++] = Edge::make(static_cast<int32_t>(u), W{0});
            }
        });
    }

    int64_t edges() const { return edges_; }
    int64_t bytes() const { return static_cast<int64_t>(records_.size() * sizeof(Edge)); }
    const Edge* record(int64_t i) const { return records_.data() + 4 * i; }
    STEPPE_INLINE void prefetch_record(int32_t u) const { STEPPE_PREFETCH(record(u)); }

    // f(target, weight) for every edge of u, and for what fills its records up; returns the number of edges.
    template <class F>
    int64_t each(int32_t u, F f) const {
        int64_t count = 0;
        for (const Edge* r = record(u);; r = record(r[3].target())) {
            const bool linked = r[3].weight() < 0;
            for (int i = 0; i < 3; ++i) f(r[i].target(), r[i].weight()), count += r[i].target() != u;
            if (STEPPE_UNLIKELY(linked)) continue;
            f(r[3].target(), r[3].weight());
            return count + (r[3].target() != u);
        }
    }

  private:
    static constexpr W kLink = -1;
    static int64_t links(int64_t degree) { return degree <= 4 ? 0 : (degree - 2) / 3; }
    int64_t edges_ = 0;
    Buffer<Edge> records_;
};

}  // namespace steppe::rows

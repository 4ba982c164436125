// Packed: a graph's rows laid out for searching again and again.
//
//   edges       weight and target side by side (one cache line where the plain rows touch two), each list sorted by
//               weight; a 32-bit weight above a 32-bit target is one 64-bit word that sorts as it is (the bits of a
//               non-negative float order like the float)
//   offsets     32 bits, half the cache. Where most rows fill a cache line, rows begin at one, so that eight edges are
//               one line and not two, and the bits of an offset that are then always 0 say how many places at the end
//               of the row before are empty. (A random graph of degree 16: 79 -> 69 ms; on a scale-20 RMAT, where the
//               median is four edges, it would be 50 -> 52; Intel Xeon, November 2026.)
//   caliber     the smallest weight that enters each vertex: a vertex nearer than the search's lower bound plus its
//               caliber is final, which is seen without reading any of its edges
//
// Sorting (by_weight.hpp) costs about a search's time once (graph.prepare(), or when a second search comes), and 8
// bytes an edge. Goldberg, "A practical shortest path algorithm with linear expected time", SIAM J. Comput. 37 (2008)
// for calibers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/halves.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "rows/by_weight.hpp"
#include "rows/csr.hpp"

namespace steppe::rows {

// One packed edge of a 4-byte weight; compares by weight, then target.
template <class W>
struct PackedEdge {
    uint64_t word;
    static PackedEdge make(int32_t target, W weight) {
        if constexpr (std::is_floating_point_v<W>) weight += W{0};  // -0.0 is 0.0, but its bits are above all others
        return {join_halves(weight, target)};
    }
    int32_t target() const { return second_half<int32_t>(word); }
    W weight() const { return first_half<W>(word); }
    bool operator<(const PackedEdge& other) const { return word < other.word; }
};

// One packed edge of an 8-byte weight.
template <class W>
struct WideEdge {
    W w;
    int32_t v;
    static WideEdge make(int32_t target, W weight) { return {weight, target}; }
    int32_t target() const { return v; }
    W weight() const { return w; }
    bool operator<(const WideEdge& other) const { return w != other.w ? w < other.w : v < other.v; }
};

template <class W>
using PackedOf = std::conditional_t<sizeof(W) == 4, PackedEdge<W>, WideEdge<W>>;

template <class W>
class Packed {
  public:
    using Edge = PackedOf<W>;
    using Weight = W;
    static constexpr bool kRecords = false;
    using Key = Narrow<W>;
    int64_t n = 0;

    // Weights must not be negative; fewer than 2^32 edges, fewer than 2^31 vertices.
    Packed(const Csr<int32_t, W>& g, int threads, Watch& watch)
        : n(g.n), num_edges_(g.edges()), offsets_(g.n + 1), lightest_(g.n) {
        constexpr int64_t kLine = 64 / sizeof(Edge);
        int64_t rows = 0, lines = 0;
        for (int64_t v = 0; v < n; ++v) {
            const int64_t degree = g.offsets[v + 1] - g.offsets[v];
            rows += degree > 0;
            lines += degree >= kLine;
        }
        if (2 * lines > rows && num_edges_ + kLine * n < int64_t{1} << 32) spare_ = kLine - 1;
        offsets_[0] = 0;
        for (int64_t v = 0; v < n; ++v) {
            const int64_t degree = g.offsets[v + 1] - g.offsets[v], spare = -degree & spare_;
            offsets_[v + 1] = static_cast<uint32_t>(first(static_cast<int32_t>(v)) + degree + spare + spare);
        }
        edges_ = Buffer<Edge>(std::max<int64_t>(n ? first(static_cast<int32_t>(n)) : 0, 1));  // never a null pointer
        std::vector<std::unique_ptr<ByWeight<W, Edge>>> sorters(std::max(threads, 1));
        parallel_for(threads, n, 1 << 12, watch, [&](int64_t begin, int64_t end, int thread) {
            auto& sorter = sorters[thread];
            if (!sorter) sorter.reset(new ByWeight<W, Edge>);  // not make_unique, which would clear it
            auto to = [&](int64_t v) { return edges_.data() + first(static_cast<int32_t>(v)); };
            for (int64_t v = begin; begin < end;) {
                begin = sorter->sort_some(g, begin, end, to);
                for (; v < begin; ++v)
                    lightest_[v] = g.offsets[v + 1] > g.offsets[v] ? static_cast<Key>(to(v)->weight()) : kInfinity<Key>;
            }
        });
    }

    int64_t edges() const { return num_edges_; }
    int64_t bytes() const {
        return static_cast<int64_t>(offsets_.size() * sizeof(uint32_t) + edges_.size() * sizeof(Edge) +
                                    lightest_.size() * sizeof(Key));
    }
    int64_t degree(int32_t u) const { return last(u) - first(u); }
    int64_t first(int32_t u) const { return offsets_[u] & ~spare_; }
    int64_t last(int32_t u) const { return offsets_[u + 1] - 2 * (offsets_[u + 1] & spare_); }
    const Edge* data() const { return edges_.data(); }
    int32_t target(int64_t e) const { return edges_[e].target(); }
    W weight(int64_t e) const { return edges_[e].weight(); }
    STEPPE_INLINE void prefetch_row(int32_t u) const { STEPPE_PREFETCH(&offsets_[u]); }
    // Two lines: most lists cross into a second.
    STEPPE_INLINE void prefetch_edges(int64_t e) const {
        STEPPE_PREFETCH(edges_.data() + e);
        STEPPE_PREFETCH(edges_.data() + e + 64 / sizeof(Edge));
    }
    // The first edges alone, for a scan that stops there: one line, where rows begin at one.
    STEPPE_INLINE void prefetch_lightest(int64_t e) const {
        STEPPE_PREFETCH(edges_.data() + e);
        if (!spare_) STEPPE_PREFETCH(edges_.data() + e + 64 / sizeof(Edge));
    }
    // A whole list, if it is short, and no line beyond it.
    STEPPE_INLINE void prefetch_list(int64_t first, int64_t last) const {
        STEPPE_PREFETCH(edges_.data() + first);
        STEPPE_PREFETCH(edges_.data() + std::min<int64_t>(first + 64 / sizeof(Edge), last - 1));
        STEPPE_PREFETCH(edges_.data() + last - 1);
    }
    // The weight of the lightest edge of u: its caliber, where these are the in-edges. Infinite where there is none.
    Key lightest(int32_t u) const { return lightest_[u]; }

  private:
    int64_t num_edges_ = 0;
    int64_t spare_ = 0;  // the bits of an offset that count empty places
    Buffer<uint32_t> offsets_;
    Buffer<Edge> edges_;
    Buffer<Key> lightest_;
};

}  // namespace steppe::rows

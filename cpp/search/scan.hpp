// Scan: the edges of a batch of vertices against the distances, without branches.
//
// No branch predictor can learn whether an edge improves its target, and on short lists each wrong guess costs more
// than the edge. So relaxing is cut in two. A scan writes every candidate into a small array and moves the
// end of the array only past those that are better: arithmetic instead of a jump. Then the candidates that were kept
// (about one a vertex) are tried again one by one and filed; that test nearly always holds, and is predicted. The scan
// of one vertex no longer waits for the filing of the last, so a batch also keeps more cache misses in flight than any
// prefetch could: 32 vertices a batch on a grid of 2 M, 97 ms -> 60; New York's roads 8.2 -> 4.5 (a Xeon, November
// 2026).
//
// A batch sees the distances from before its own improvements. That only delays a few relaxations, and in buckets
// (delta_stepping.hpp) the vertices of a batch are nearly equally far: 1 edge in 1000 more.
//
// Processors with AVX-512 scan eight edges at once (scan_avx512.hpp). Rows of four (rows/quads.hpp) need no loop at
// all. Ross, "Selection conditions in main memory", TODS 29 (2004) has the branch-free selection for databases.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "rows/csr.hpp"
#include "rows/packed.hpp"
#include "rows/quads.hpp"
#include "search/ring.hpp"

namespace steppe::search {

// What a scan found: entry k would lower target[k] to distance[k], coming from[k] (written only with paths).
template <class V, class D>
struct Candidates {
    static constexpr int kRoom = 1024;  // a row that does not fit is scanned in pieces
    static constexpr int kLanes = 8;    // a vector is stored whole, up to this far past the count
    int count = 0;
    D distance[kRoom + kLanes];
    V target[kRoom + kLanes];
    V from[kRoom + kLanes];
};

// Where in a list of vertices the next scan goes on: at list[i], and of its edges at `edge`, or at its first.
struct Place {
    static constexpr int64_t kFirst = -1;
    size_t i = 0;
    int64_t edge = kFirst;
};

// (The grid above, with AVX-512 and records of four: 8 49 ms, 16 41, 32 39.5.)
inline constexpr size_t kBatch = 32;

// One batch of `list` from `at` on: the vertices to scan, those excepted whose distance lies below `bucket` (they
// improved and were relaxed from there). next() moves to one, u at distance du, and the edges [first, last) of it to
// scan now.
template <class Rows, class T, class V, class D>
class Walk {
  public:
    V u{};
    D du{};
    int64_t first = 0, last = 0;

    Walk(const Rows& g, const T& tentative, const Width<D>& width, int64_t bucket, const V* list, size_t size, Place at)
        : g_(g), tentative_(tentative), width_(width), bucket_(bucket), list_(list), size_(size), at_(at) {
        stop_ = std::min(size, at.i + kBatch);
    }
    // `room`: the number of edges that can be scanned now.
    STEPPE_INLINE bool next(int room) {
        for (; at_.i < stop_; ++at_.i) {
            look_ahead(at_.i);
            u = list_[at_.i];
            du = tentative_.load(u);
            const int64_t begin = std::exchange(at_.edge, Place::kFirst);
            if (width_.bucket(du) < bucket_) continue;
            if constexpr (Rows::kRecords) {
                if (room < Rows::kMostEdges) return false;
            } else {
                first = g_.first(u);
                last = g_.last(u);
                // Branches, never a minimum: `room` hangs on what the last gather found, and the next must not wait.
                if (STEPPE_UNLIKELY(begin != Place::kFirst)) first = begin;
                if (STEPPE_UNLIKELY(last - first > room)) {
                    at_.edge = last = first + room;
                    stop_ = at_.i;
                    return true;
                }
            }
            ++at_.i;
            return true;
        }
        return false;
    }

    // Where the next batch begins.
    Place place() const { return at_; }

  private:
    STEPPE_INLINE void look_ahead(size_t i) const {
        if (i + 32 < size_) STEPPE_PREFETCH(tentative_.address(list_[i + 32]));
        if constexpr (Rows::kRecords) {
            if (i + 32 < size_) g_.prefetch_record(list_[i + 32]);
        } else {
            if (i + 40 < size_) g_.prefetch_row(list_[i + 40]);
            if (i + 24 < size_) g_.prefetch_edges(g_.first(list_[i + 24]));
        }
    }
    const Rows& g_;
    const T& tentative_;
    const Width<D> width_;
    const int64_t bucket_;
    const V* const list_;
    const size_t size_;
    size_t stop_;
    Place at_;
};

// Scans a batch; returns the number of edges.
template <bool kPaths, class Rows, class T, class V, class D>
int64_t scan(const Rows& g, const T& tentative, const Width<D>& width, int64_t bucket, const V* list, size_t size,
             Place& STEPPE_RESTRICT at, Candidates<V, D>& STEPPE_RESTRICT found) {
    int count = 0;
    int64_t scanned = 0;
    Walk<Rows, T, V, D> walk(g, tentative, width, bucket, list, size, at);
    auto keep = [&](V v, auto weight) {
        const D candidate = walk.du + static_cast<D>(weight);
        found.distance[count] = candidate;
        found.target[count] = v;
        if constexpr (kPaths) found.from[count] = walk.u;
        count += candidate < tentative.load(v);
    };
    while (walk.next(Candidates<V, D>::kRoom - count)) {
        if constexpr (Rows::kRecords) {
            scanned += g.each(walk.u, keep);
        } else {
            scanned += walk.last - walk.first;
            for (int64_t e = walk.first; e < walk.last; ++e) {
                if (e + 16 < walk.last) STEPPE_PREFETCH(tentative.address(g.target(e + 16)));
                keep(g.target(e), g.weight(e));
            }
        }
    }
    found.count = count;
    at = walk.place();
    return scanned;
}

}  // namespace steppe::search

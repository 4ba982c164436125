// Delta-stepping on one thread: a ring of buckets, each a power of two wide.
//
// Vertices wait in buckets of width delta by tentative distance; the lowest bucket is emptied, its vertices relaxed,
// and vertices that fall into the bucket being emptied join it. A vertex that improves is simply filed again: the old
// entry is recognised as stale when it comes up (its vertex then lies in a lower bucket) and costs one comparison,
// which is cheaper than moving it. With delta = 1 and integer weights the order is exactly Dijkstra's and no edge is
// relaxed twice.
//
//   bucket of d        d >> shift for integers, trunc(d * 2^-k) for floats: exact, no division
//   ring               slots for all buckets a relaxation can reach, max_weight / delta + 2, found again by a bitmap;
//                      what lies beyond (a few huge weights among small ones) waits in `far` and is dealt out when the
//                      ring has turned that far
//   prefetch           offsets of the vertex 8 ahead, its edges 4 ahead, the distances of its first targets 2 ahead,
//   and
//                      16 edges ahead in a long list: the loop is bound by cache misses, not by arithmetic
//
// Meyer & Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003); R. Dial, CACM
// 12 (1969) for delta = 1. Light and heavy edges are not told apart: with buckets this narrow nearly all are heavy.
#pragma once
#include <bit>
#include <cmath>
#include <vector>

#include "csr.hpp"
#include "search.hpp"

namespace steppe {

// Width: the power-of-two width of a bucket.
template <class D>
class Width {
  public:
    explicit Width(double delta) {
        exponent_ = std::ilogb(delta);
        if constexpr (std::is_integral_v<D>) exponent_ = std::clamp(exponent_, 0, int(sizeof(D) * 8 - 2));
        // Neither the width nor its inverse may leave the type: 0 * inf is no bucket.
        else
            exponent_ =
                std::clamp(exponent_, std::numeric_limits<D>::min_exponent, -std::numeric_limits<D>::min_exponent);
        scale_ = static_cast<D>(std::ldexp(1.0, std::is_integral_v<D> ? 0 : -exponent_));
    }
    int64_t bucket(D d) const {
        if constexpr (std::is_integral_v<D>) return static_cast<int64_t>(d >> exponent_);
        else return static_cast<int64_t>(d * scale_);
    }
    double value() const { return std::ldexp(1.0, exponent_); }

  private:
    int exponent_;
    D scale_;
};

// A narrow bucket wastes no relaxations, a wide one gives the prefetcher something to look ahead in. On one core work
// counts more: an eighth of the distance that separates neighbours in a sorted adjacency list.
inline double serial_delta(double mean_weight, double max_weight, double mean_degree) {
    const double delta = mean_weight / std::max(1.0, mean_degree) / 8;
    // A path of 2^31 of the heaviest edges still has a bucket that fits in 63 bits.
    return std::max({delta, max_weight * 0x1p-31, std::numeric_limits<double>::min()});
}

// The ring of buckets. Buckets are asked for in rising order; entries may be filed from the current bucket on.
template <class V>
class Ring {
  public:
    explicit Ring(int64_t span) : slots_(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(span, 64, kMost)))) {
        mask_ = static_cast<int64_t>(slots_.size()) - 1;
        words_.resize(slots_.size() / 64);
    }
    void file(int64_t bucket, V v) {
        if (STEPPE_UNLIKELY(bucket - current_ > mask_)) {
            far_least_ = std::min(far_least_, bucket);
            return far_.push_back({bucket, v});
        }
        const int64_t slot = bucket & mask_;
        words_[slot >> 6] |= uint64_t{1} << (slot & 63);
        slots_[slot].push_back(v);
    }
    // The next non-empty bucket, or -1. Its entries are in list(), which may still grow while it is being read.
    int64_t next() {
        if (current_ >= 0) {
            list().clear();
            words_[(current_ & mask_) >> 6] &= ~(uint64_t{1} << (current_ & 63));
        }
        int64_t found = next_in_ring();
        if (!far_.empty() && (found < 0 || far_least_ <= found)) {
            current_ = found = far_least_;
            deal();
        }
        return current_ = found;
    }
    std::vector<V>& list() { return slots_[current_ & mask_]; }

  private:
    static constexpr int64_t kMost = 1 << 16;

    // Moves what has come within reach from far_ into the ring. Happens at most once per turn of the ring.
    void deal() {
        std::vector<std::pair<int64_t, V>> rest;
        std::swap(rest, far_);
        far_least_ = std::numeric_limits<int64_t>::max();
        for (const auto& [bucket, v] : rest) file(bucket, v);
    }
    int64_t next_in_ring() const {
        const int64_t from = std::max<int64_t>(current_, 0), start = from & mask_;
        const int64_t count = static_cast<int64_t>(words_.size());
        uint64_t word = words_[start >> 6] >> (start & 63);
        if (word) return from + std::countr_zero(word);
        for (int64_t i = 1; i <= count; ++i) {
            const int64_t at = ((start >> 6) + i) & (count - 1);
            if (words_[at]) return from + (((at << 6) + std::countr_zero(words_[at]) - start) & mask_);
        }
        return -1;
    }

    std::vector<std::vector<V>> slots_;
    std::vector<uint64_t> words_;
    std::vector<std::pair<int64_t, V>> far_;
    int64_t mask_ = 0, current_ = -1, far_least_ = std::numeric_limits<int64_t>::max();
};

template <bool kPaths, class V, class W, class D>
Stats delta_stepping(const Csr<V, W>& g, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    start(search, g.n, dist, kPaths ? pred : nullptr);
    const double mean_degree = static_cast<double>(g.edges()) / std::max<int64_t>(1, g.n);
    const Width<D> width(search.delta > 0 ? search.delta
                                          : serial_delta(search.mean_weight, search.max_weight, mean_degree));
    stats.delta = width.value();
    Ring<V> ring(static_cast<int64_t>(std::min(1e9, search.max_weight / width.value())) + 2);
    for (V s : search.sources) ring.file(0, s);
    Pending<V, D> pending(search.targets, dist);
    const D limit = search.limit;
    bool overflow = false;
    int64_t relaxed = 0, next_poll = 1 << 16;

    for (int64_t b = ring.next(); b >= 0; b = ring.next()) {
        ++stats.rounds;
        if (pending.all_settled([&](D d) { return d != kInfinity<D> && width.bucket(d) < b; })) break;
        for (size_t i = 0; i < ring.list().size(); ++i) {
            const std::vector<V>& list = ring.list();
            const size_t size = list.size();
            if (i + 8 < size) {
                STEPPE_PREFETCH(&g.offsets[list[i + 8]]);
                STEPPE_PREFETCH(&dist[list[i + 8]]);
            }
            if (i + 4 < size) {
                const int64_t e = g.offsets[list[i + 4]];
                STEPPE_PREFETCH(&g.targets[e]);
                STEPPE_PREFETCH(&g.weights[e]);
            }
            if (i + 2 < size) {
                const V ahead = list[i + 2];
                const int64_t first = g.offsets[ahead], last = std::min(g.offsets[ahead + 1], first + 8);
                for (int64_t e = first; e < last; ++e) STEPPE_PREFETCH(&dist[g.targets[e]]);
            }
            const V u = list[i];
            const D du = dist[u];
            if (width.bucket(du) != b) continue;  // stale: u improved and was relaxed from a lower bucket
            const int64_t first = g.offsets[u], last = g.offsets[u + 1];
            relaxed += last - first;
            for (int64_t e = first; e < last; ++e) {
                if (e + 16 < last) STEPPE_PREFETCH(&dist[g.targets[e + 16]]);
                const V v = g.targets[e];
                const D candidate = du + static_cast<D>(g.weights[e]);
                if (candidate < dist[v] && within(candidate, limit, overflow)) {
                    dist[v] = candidate;
                    if constexpr (kPaths) pred[v] = u;
                    ring.file(width.bucket(candidate), v);
                }
            }
            if (STEPPE_UNLIKELY(relaxed > next_poll)) {
                next_poll = relaxed + (1 << 16);
                if (search.watch->poll(relaxed)) return stats;
            }
        }
        if (overflow && sizeof(D) == 4) break;  // will be done again in 64 bits
    }
    stats.edges_relaxed = stats.edges_touched = relaxed;
    stats.overflow = overflow;
    return stats;
}

}  // namespace steppe

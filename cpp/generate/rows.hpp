// Graphs from nothing, row by row: families whose rows can be made in order, one block of vertices at a time, so that a
// graph larger than memory goes straight to a file in its final form. No edge is ever sorted or looked up again.
//
//   Random   row u begins at edge u * m / n plus a hashed part of the mean degree: degrees spread between 1 and twice
//            the mean, there are exactly m edges, and the place of every row is a closed formula
//   Grid     the same graph as generate::grid: the neighbours are known, and so are the numbers of their edges
//   Road     the same graph as generate::road: a link belongs to its later end, from which each end computes it
//
// A family has row(u, first, put): put(v, weight hash or, for a road, weight) for every edge of u, `first` being the
// number of its first edge.
#pragma once
#include <algorithm>
#include <cstdint>

#include "generate/edges.hpp"

namespace steppe::generate {

class RandomRows {
  public:
    RandomRows(int64_t n, int64_t m, uint64_t seed)
        : n_(n),
          m_(m),
          mean_(n ? m / n : 0),
          rest_(n ? m % n : 0),
          ends_(seed, 8),
          lengths_(seed, 1),
          jitter_(seed, 9) {}
    int64_t begin(int64_t u) const {
        if (u == 0 || u >= n_) return u == 0 ? 0 : m_;
        return u * mean_ + u * rest_ / n_ + static_cast<int64_t>(below(jitter_(u), mean_));
    }
    int64_t degree(int64_t u) const { return begin(u + 1) - begin(u); }
    template <class Put>
    void row(int64_t u, int64_t first, Put put) const {
        for (int64_t e = first, last = first + degree(u); e < last; ++e) {
            const int64_t v = static_cast<int64_t>(below(ends_(e), n_ - 1));
            put(v + (v >= u), lengths_(e));
        }
    }

  private:
    int64_t n_, m_, mean_, rest_;
    Stream ends_, lengths_, jitter_;
};

class GridRows {
  public:
    GridRows(int64_t rows, int64_t columns, uint64_t seed) : rows_(rows), columns_(columns), lengths_(seed, 1) {}
    int64_t degree(int64_t u) const {
        const int64_t r = u / columns_, c = u % columns_;
        return (r > 0) + (c > 0) + (c + 1 < columns_) + (r + 1 < rows_);
    }
    template <class Put>
    void row(int64_t u, int64_t, Put put) const {
        const int64_t r = u / columns_, c = u % columns_;
        if (r > 0) put(u - columns_, lengths_(down(r - 1, c)));
        if (c > 0) put(u - 1, lengths_(right(r, c - 1)));
        if (c + 1 < columns_) put(u + 1, lengths_(right(r, c)));
        if (r + 1 < rows_) put(u + columns_, lengths_(down(r, c)));
    }

  private:
    // The numbers generate::grid gives its edges.
    int64_t right(int64_t r, int64_t c) const { return r * (2 * columns_ - 1) + c * (r + 1 < rows_ ? 2 : 1); }
    int64_t down(int64_t r, int64_t c) const { return right(r, c) + (c + 1 < columns_); }
    int64_t rows_, columns_;
    Stream lengths_;
};

class RoadRows {
  public:
    RoadRows(int64_t n, double keep, double diagonal, bool time, uint64_t seed)
        : road_(n, keep, diagonal, seed), time_(time) {}
    int64_t degree(int64_t u) const {
        int64_t count = 0;
        row(u, 0, [&](int64_t, uint64_t) { ++count; });
        return count;
    }
    template <class Put>
    void row(int64_t u, int64_t, Put put) const {
        road_.links(u, [&](int64_t v, bool fast) { put(v, length(u, v, fast)); });
        for (const int64_t later : {u + 1, u + road_.columns, u + road_.columns + 1}) {
            if (later >= road_.n) continue;
            road_.links(later, [&](int64_t v, bool fast) {
                if (v == u) put(later, length(later, v, fast));
            });
        }
    }

  private:
    uint64_t length(int64_t u, int64_t v, bool fast) const {
        return static_cast<uint64_t>(road_.weight(u, v, fast, time_));
    }
    Road road_;
    bool time_;
};

template <class Family>
void degrees(const Family& family, int64_t begin, int64_t count, int64_t* out, int threads, Watch& watch) {
    parallel_for(threads, count, kGrain, watch, [&](int64_t first, int64_t last, int) {
        for (int64_t i = first; i < last; ++i) out[i] = family.degree(begin + i);
    });
}

// The edges of rows begin…begin + count, whose numbers are offsets[0…count]; make(hash) turns a hash into a weight.
template <class V, class W, class Family, class Make>
void fill(const Family& family, int64_t begin, int64_t count, const int64_t* offsets, V* targets, W* weights, Make make,
          int threads, Watch& watch) {
    parallel_for(threads, count, kGrain, watch, [&](int64_t first, int64_t last, int) {
        for (int64_t i = first; i < last; ++i) {
            int64_t at = offsets[i] - offsets[0];
            family.row(begin + i, offsets[i], [&](int64_t v, uint64_t hash) {
                targets[at] = static_cast<V>(v);
                if (weights) weights[at] = make(hash);
                ++at;
            });
        }
    });
}

// A hash as a weight, as generate::weights has it.
template <class W>
struct Uniform {
    uint64_t low, range;
    W operator()(uint64_t r) const {
        if constexpr (std::is_same_v<W, float>) return static_cast<float>((r >> 40) + 1) * 0x1p-24f;
        else if constexpr (std::is_same_v<W, double>) return static_cast<double>((r >> 11) + 1) * 0x1p-53;
        else return static_cast<W>(low + (range ? below(r, range) : r));
    }
};

}  // namespace steppe::generate

// Width: how wide the buckets of a search are, for the CPU.
//
// A narrow bucket wastes no relaxations. A wide one gives a scan something to look ahead in, and threads more to share.
// In a sorted row neighbours are typical_weight / degree apart. Where rows are long, a bucket has a sixteenth of that
// on one thread or two, and more on more threads, up to a half. Where rows are short, a bucket has half a typical
// weight (rows/typical.hpp), whatever the threads.
//
// Widths are powers of two, so that the bucket of a distance d costs no division: d >> k for integers, d * 2^-k cut off
// for floats, which is exact.
//
// Measured on two cores of a Xeon, November 2026, in ms by width: New York's roads 256 3.9, 512 3.6, 1024 3.5, 4096
// 3.7; a grid 64 47.7, 128 48.5, 512 55; R-MAT of scale 20: 1 is best; with float weights and two threads, half the
// distance of neighbours 85, a sixteenth 60. `python -m benchmarks.widths` counts relaxations per edge.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/types.hpp"

namespace steppe::search {

// Edges a vertex below which rows are short: roads, grids, meshes.
inline constexpr int kSparse = 8;

// The least width there is: a path over all vertices and the heaviest edges still has a bucket whose number fits in 62
// bits.
inline double least_width(double max_weight, int64_t vertices) {
    const double least = max_weight * 0x1p-62 * static_cast<double>(vertices);
    return std::max(least, std::numeric_limits<double>::min());
}

// The width that suits a graph, if no other is given.
inline double bucket_width(double typical_weight, double max_weight, int64_t vertices, int64_t edges, int threads) {
    const double degree = static_cast<double>(edges) / static_cast<double>(std::max<int64_t>(1, vertices));
    const double share = std::clamp(threads / 32.0, 1.0 / 16, 0.5);
    const double width = degree < kSparse ? typical_weight / 2 : typical_weight / degree * share;
    return std::max(width, least_width(max_weight, vertices));
}

// A power of two near a width.
template <class D>
class Width {
  public:
    explicit Width(double delta) {
        exponent_ = std::ilogb(delta);
        // Neither the width nor its inverse may leave the type: 0 * inf is no bucket.
        constexpr int least = std::is_integral_v<D> ? 0 : std::numeric_limits<D>::min_exponent;
        constexpr int most = std::is_integral_v<D> ? int(sizeof(D) * 8 - 2) : -least;
        exponent_ = std::clamp(exponent_, least, most);
        scale_ = static_cast<D>(std::ldexp(1.0, std::is_integral_v<D> ? 0 : -exponent_));
    }
    int64_t bucket(D d) const {
        if constexpr (std::is_integral_v<D>) return static_cast<int64_t>(d >> exponent_);
        else return static_cast<int64_t>(d * scale_);
    }
    // The smallest distance in a bucket.
    D least(int64_t bucket) const {
        if constexpr (std::is_integral_v<D>) return static_cast<D>(bucket) << exponent_;
        else return static_cast<D>(bucket) / scale_;
    }
    double value() const { return std::ldexp(1.0, exponent_); }
    // Whether it is the narrowest there is: with whole numbers the order is then Dijkstra's.
    bool is_least() const { return std::is_integral_v<D> && exponent_ == 0; }

  private:
    int exponent_;
    D scale_;
};

}  // namespace steppe::search

// A typical weight, from a sample: the width of buckets is a multiple of it.
//
// The mean is useless where a few weights are huge: closed roads of 10^6 among lengths of 1 to 10. A search uses mostly
// the light edges, about one of each vertex: let `light` be the weight that so many do not exceed (the quantile
// 1 / degree; of short rows a fourth). If all weights were spread evenly, their mean would be light * degree / 2.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "rows/csr.hpp"

namespace steppe::rows {

// Weights of 0 and infinite ones say nothing about the rest. Without any other: 0.
template <class V, class W>
double typical_weight(const Csr<V, W>& g) {
    constexpr int64_t kBlocks = 128, kBlock = 16;  // blocks, so that few pages of a file are touched
    const int64_t m = g.edges();
    if (m == 0 || !g.weights) return m == 0 ? 0.0 : 1.0;
    std::vector<double> sample;
    const auto take = [&](int64_t first, int64_t last) {
        for (int64_t e = first; e < last; ++e) {
            const double w = static_cast<double>(g.weights[e]);
            if (w > 0 && w <= std::numeric_limits<double>::max()) sample.push_back(w);
        }
    };
    if (m <= kBlocks * kBlock) {
        take(0, m);
    } else {
        for (int64_t i = 0; i < kBlocks; ++i) {
            // Somewhere within its share of the edges: even steps could meet a pattern of the rows.
            const int64_t share = m / kBlocks, spread = static_cast<int64_t>((i * 0x9E3779B9ull >> 8) & 0xffff);
            const int64_t first = i * share + spread * (share - kBlock) / 0x10000;
            take(first, first + kBlock);
        }
    }
    if (sample.empty()) return 0.0;
    const double degree = std::max(4.0, static_cast<double>(m) / static_cast<double>(g.n));
    const auto light = sample.begin() + static_cast<int64_t>(static_cast<double>(sample.size()) / degree);
    std::nth_element(sample.begin(), light, sample.end());
    return std::min(*light * degree / 2, std::numeric_limits<double>::max());
}

}  // namespace steppe::rows

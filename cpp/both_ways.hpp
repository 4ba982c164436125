// Are both directions of every edge there? One pass over edges in any order, without a copy of them.
//
// Sorting would answer it at the price of building the graph once more. Instead every edge {a, b} of weight w stands
// for a number that looks random; arcs that rise add it, arcs that fall subtract it, and loops are their own opposites.
// The sum is 0 when every arc has its opposite of the same weight, as often as itself. Otherwise it is 0 by chance
// alone, about once in 2^60: the numbers depend on a key that is drawn anew for every file, so that none can be made to
// fit.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "parallel.hpp"

namespace steppe {

template <class W>
uint64_t weight_bits(W w) {
    if constexpr (std::is_floating_point_v<W>) {
        w += W{0};  // -0.0 is 0.0
        return std::bit_cast<std::conditional_t<sizeof(W) == 4, uint32_t, uint64_t>>(w);
    } else {
        return static_cast<uint64_t>(w);
    }
}

// What an arc adds to the sum; `weight` may be null. Two rounds of multiply and fold, the key in both: whoever does not
// know it cannot tell which edges would cancel.
template <class V, class W>
inline uint64_t arc_number(int64_t u, int64_t v, const W* weight, uint64_t key) {
    const uint64_t a = static_cast<uint64_t>(std::min(u, v)), b = static_cast<uint64_t>(std::max(u, v));
    uint64_t x = a << 32;
    if constexpr (sizeof(V) == 8) x = (a ^ key) * 0x94d049bb133111ebu, x ^= x >> 32;
    x = (x + b + key) * 0xbf58476d1ce4e5b9u;
    x = ((x ^ (x >> 32)) + (weight ? weight_bits(*weight) : 0)) * ((key >> 32 | key << 32) | 1);
    x ^= x >> 32;
    const uint64_t falls = 0 - static_cast<uint64_t>(u > v);
    return ((x ^ falls) - falls) & (0 - static_cast<uint64_t>(u != v));
}

// `weights` may be null.
template <class I, class W>
bool both_ways(const I* u, const I* v, const W* weights, int64_t m, uint64_t key, int threads, Watch& watch) {
    const int64_t grain = 1 << 16;
    std::vector<uint64_t> sums((m + grain - 1) / grain, 0);
    parallel_for(threads, m, grain, watch, [&](int64_t begin, int64_t end, int) {
        uint64_t sum = 0;
        for (int64_t e = begin; e < end; ++e) sum += arc_number<I>(u[e], v[e], weights ? weights + e : nullptr, key);
        sums[begin / grain] = sum;
    });
    uint64_t total = 0;
    for (const uint64_t sum : sums) total += sum;
    return total == 0;
}

}  // namespace steppe

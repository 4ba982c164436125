// Are both directions of every edge listed? One pass over edges in any order, without a copy of them.
//
// Sorting would answer it at the price of building the graph once more. Instead every edge u -> v adds a random number
// that belongs to (u, v), minus the one that belongs to (v, u), times one that belongs to its weight; the sum is zero
// when every edge has its opposite of the same weight, as often as itself. Otherwise it is zero by chance alone, once
// in 2^58 or more: the key behind the numbers is drawn anew for every file, so that no file can be made to fit it.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "parallel.hpp"

namespace steppe {

inline uint64_t scramble(uint64_t x) {  // the finisher of SplitMix64: every bit depends on every bit
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

template <class W>
uint64_t weight_bits(W w) {
    if constexpr (std::is_integral_v<W>) return static_cast<uint64_t>(static_cast<int64_t>(w));
    else return std::bit_cast<uint64_t>(static_cast<double>(w) + 0.0);  // -0.0 and 0.0 are one weight
}

// `weights` may be null.
template <class I, class W>
bool both_ways(const I* u, const I* v, const W* weights, int64_t m, uint64_t key, int threads, Watch& watch) {
    const int64_t grain = 1 << 16;
    std::vector<uint64_t> sums((m + grain - 1) / grain, 0);
    const uint64_t first = scramble(key) | 1, second = scramble(key + 1) | 1, third = scramble(key + 2);
    parallel_for(threads, m, grain, watch, [&](int64_t begin, int64_t end, int) {
        uint64_t sum = 0;
        for (int64_t e = begin; e < end; ++e) {
            const auto a = static_cast<uint64_t>(u[e]), b = static_cast<uint64_t>(v[e]);
            const uint64_t there = scramble(a * first + b * second + third);
            const uint64_t back = scramble(b * first + a * second + third);
            sum += (there - back) * (weights ? scramble(weight_bits(weights[e]) ^ third) | 1 : 1);
        }
        sums[begin / grain] = sum;
    });
    uint64_t total = 0;
    for (const uint64_t sum : sums) total += sum;
    return total == 0;
}

}  // namespace steppe

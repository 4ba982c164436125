// Are both directions of every edge listed? One pass over edges in any order, without a copy of them.
//
// Sorting would answer it at the price of building the graph once more. Instead every edge u -> v of weight w adds a
// random number that belongs to (u, v, w), minus the one that belongs to (v, u, w); the sum is zero when every edge has
// its opposite of the same weight, as often as itself. Otherwise it is zero by chance alone, about once in 2^60: the
// keys behind the numbers are drawn anew for every file, so that no file can be made to fit them.
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

// A number of 64 bits that belongs to two of them: the halves of their product, as in wyhash.
inline uint64_t mingle(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#else
    return scramble(scramble(a) + b);
#endif
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
    const uint64_t here = scramble(key), there = scramble(key + 1), odd = scramble(key + 2) | 1;
    parallel_for(threads, m, grain, watch, [&](int64_t begin, int64_t end, int) {
        uint64_t sum = 0;
        for (int64_t e = begin; e < end; ++e) {
            const uint64_t a = static_cast<uint64_t>(u[e]) * odd, b = static_cast<uint64_t>(v[e]) * odd;
            const uint64_t w = weights ? mingle(weight_bits(weights[e]) ^ there, odd) ^ here : here;
            sum += mingle(a ^ w, b ^ there) - mingle(b ^ w, a ^ there);
        }
        sums[begin / grain] = sum;
    });
    uint64_t total = 0;
    for (const uint64_t sum : sums) total += sum;
    return total == 0;
}

}  // namespace steppe

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

#include "base/parallel.hpp"

namespace steppe::rows {

template <class W>
uint64_t weight_bits(W w) {
    if constexpr (std::is_floating_point_v<W>) {
        w += W{0};  // -0.0 is 0.0
        return std::bit_cast<std::conditional_t<sizeof(W) == 4, uint32_t, uint64_t>>(w);
    } else {
        return static_cast<uint64_t>(w);
    }
}

inline uint64_t scramble(uint64_t x) {  // the finisher of SplitMix64: every bit depends on every bit
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// A number of 64 bits that belongs to two of them: the halves of their product, as in wyhash. (A product alone would
// not do: weights of floats differ in their highest bits only, and such differences would cancel whatever the key.)
inline uint64_t mingle(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide128 = unsigned __int128;
    const Wide128 product = static_cast<Wide128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#else
    return scramble(scramble(a) + b);
#endif
}

struct ArcKey {
    uint64_t here, there, odd;
    explicit ArcKey(uint64_t key) : here(scramble(key)), there(scramble(key + 1)), odd(scramble(key + 2) | 1) {}
};

// What an arc adds to the sum; `weight` may be null. Without the key nobody can construct edges whose numbers cancel
// each other.
template <class W>
inline uint64_t arc_number(int64_t u, int64_t v, const W* weight, const ArcKey& key) {
    const uint64_t a = static_cast<uint64_t>(std::min(u, v)) * key.odd;
    const uint64_t b = static_cast<uint64_t>(std::max(u, v)) * key.odd;
    const uint64_t w = weight ? mingle(weight_bits(*weight) ^ key.there, key.odd) ^ key.here : key.here;
    const uint64_t x = mingle(a ^ w, b ^ key.there);
    const uint64_t falls = 0 - static_cast<uint64_t>(u > v);
    return ((x ^ falls) - falls) & (0 - static_cast<uint64_t>(u != v));
}

// `weights` may be null.
template <class I, class W>
bool both_ways(const I* u, const I* v, const W* weights, int64_t m, uint64_t seed, int threads, Watch& watch) {
    const ArcKey key(seed);
    const int64_t grain = 1 << 16;
    std::vector<uint64_t> sums((m + grain - 1) / grain, 0);
    parallel_for(threads, m, grain, watch, [&](int64_t begin, int64_t end, int) {
        uint64_t sum = 0;
        for (int64_t e = begin; e < end; ++e) sum += arc_number(u[e], v[e], weights ? weights + e : nullptr, key);
        sums[begin / grain] = sum;
    });
    uint64_t total = 0;
    for (const uint64_t sum : sums) total += sum;
    return total == 0;
}

}  // namespace steppe::rows

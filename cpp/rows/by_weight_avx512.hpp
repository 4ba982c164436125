// Short rows sorted in registers, where the processor has AVX-512.
//
// A row of up to 16 edges is one register of 32-bit keys: how far each weight is above the smallest of many rows, as
// bits of a float, without the last of these; and below that each edge's number in its row. A sorting network orders
// them in ten steps without a branch; longer rows are two registers, or four, sorted each and then merged. The numbers
// now say which weight and which target goes where: both are moved once, from register to register, and stored side by
// side. No edge is compared with another as long as keys differ; of rows of sixteen random float64 weights, one in
// fifty thousand has two that share a key. Distances, because the upper bits of weights that are all alike tell none
// apart. (AMD EPYC, November 2026, ns an edge of random graphs that fit the caches: degree 16, float64 6.8 -> 3.4,
// int32 4.5 -> 1.4; degree 32, 6.8 -> 3.3 and 3.6 -> 1.7; float64 weights of a million and a bit, 19 -> 3.4.)
//
// The order is the one that by_weight.hpp makes without vectors, to the last bit: rows do not depend on the processor.
// Batcher, "Sorting networks and their applications", AFIPS 1968, in the form where every comparison puts the smaller
// key first: lane i meets its mirror image in a block of lanes, then i ^ 8, i ^ 4, i ^ 2, i ^ 1.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/avx512.hpp"
#include "base/types.hpp"
#include "rows/csr.hpp"

namespace steppe::rows {

inline constexpr int kShortWide = 64;  // edges of a row that is sorted in registers, at most

// What is known of the weights of all rows: the bits of the lowest, and how many of the last bits are left out to bring
// their distance from it to kBits, those of a key.
struct Scale {
    static constexpr int kBits = 32 - std::countr_zero(unsigned{kShortWide});
    uint64_t low;
    int shift;
    Scale(uint64_t lowest, uint64_t highest)
        : low(lowest), shift(std::max(0, static_cast<int>(std::bit_width(highest - lowest)) - kBits)) {}
};

#if STEPPE_AVX512
// A row that fills more than half of kRegisters, of 16 edges each. kExact: keys tell all weights apart, as nothing is
// left out.
template <class W, class Edge, int kRegisters, bool kExact>
class ShortRow {
  public:
    static constexpr int kMost = 16 * kRegisters;

    // Writes the row to `out`, by key; edges of equal keys as they come. Returns whether that is by weight, too: false
    // where keys are equal that are not exact.
    STEPPE_LANE bool sort(const W* weights, const int32_t* targets, int degree, const Scale& scale, Edge* out) {
        const uint64_t present = ~uint64_t{0} >> (64 - degree);
        __m512i keys[kRegisters], parts[kParts], ends[kRegisters];
        for (int i = 0; i < kRegisters; ++i)
            ends[i] = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(present >> 16 * i), targets + 16 * i);
        for (int i = 0; i < kParts; ++i) parts[i] = load(present >> kLanes * i, weights + kLanes * i);
        for (int i = 0; i < kRegisters; ++i) {
            const __m512i numbers = _mm512_add_epi32(
                _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi32(16 * i));
            const __m512i key = _mm512_or_si512(_mm512_slli_epi32(distances(parts, i, scale), kNumberBits), numbers);
            const auto mine = static_cast<__mmask16>(present >> 16 * i);
            keys[i] = _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), mine, key);
        }
        sort_keys<0, kRegisters>(keys);
        move(keys, parts, ends, degree, out);
        if constexpr (kExact) return true;
        return !shared(keys, present);
    }

  private:
    static constexpr int kNumberBits = std::countr_zero(static_cast<unsigned>(kMost));
    static constexpr int kFull = kRegisters / 2;  // of the registers: so many have no empty place
    static constexpr int kLanes = 64 / sizeof(W);
    static constexpr int kParts = kMost / kLanes;

    STEPPE_LANE __m512i load(uint64_t present, const W* weights) {
        if constexpr (sizeof(W) == 4) return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(present), weights);
        else return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(present), weights);
    }
    // -0.0 is 0.0.
    STEPPE_LANE __m512i plain(__m512i x) {
        if constexpr (std::is_same_v<W, float>)
            return _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(x), _mm512_setzero_ps()));
        else if constexpr (std::is_same_v<W, double>)
            return _mm512_castpd_si512(_mm512_add_pd(_mm512_castsi512_pd(x), _mm512_setzero_pd()));
        else return x;
    }
    // Numbers that order like the weights: themselves where they are exact, else the bits of a float.
    STEPPE_LANE __m512i bits(__m512i x) {
        if constexpr (std::is_same_v<W, int32_t> && !kExact) return _mm512_castps_si512(_mm512_cvtepi32_ps(x));
        else if constexpr (std::is_same_v<W, int64_t> && !kExact) return _mm512_castpd_si512(_mm512_cvtepi64_pd(x));
        else return plain(x);
    }
    // How far the weights that belong to the keys of register i are above the lowest.
    STEPPE_LANE __m512i distances(const __m512i* parts, int i, const Scale& scale) {
        const __m128i shift = _mm_cvtsi32_si128(scale.shift);
        if constexpr (sizeof(W) == 4) {
            const __m512i above = _mm512_sub_epi32(bits(parts[i]), _mm512_set1_epi32(static_cast<int>(scale.low)));
            return kExact ? above : _mm512_srl_epi32(above, shift);
        } else {
            const __m512i low = _mm512_set1_epi64(static_cast<int64_t>(scale.low));
            __m512i a = _mm512_sub_epi64(bits(parts[2 * i]), low), b = _mm512_sub_epi64(bits(parts[2 * i + 1]), low);
            if (!kExact) a = _mm512_srl_epi64(a, shift), b = _mm512_srl_epi64(b, shift);
            const __m512i from = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
            return _mm512_permutex2var_epi32(a, from, b);
        }
    }

    // Lane i with lane i ^ kWith.
    template <int kWith>
    STEPPE_LANE __m512i exchanged(__m512i x) {
        if constexpr (kWith < 4)
            return _mm512_shuffle_epi32(
                x, static_cast<_MM_PERM_ENUM>(kWith | (1 ^ kWith) << 2 | (2 ^ kWith) << 4 | (3 ^ kWith) << 6));
        else if constexpr (kWith == 4) return _mm512_shuffle_i32x4(x, x, 0b10110001);
        else if constexpr (kWith == 8) return _mm512_shuffle_i32x4(x, x, 0b01001110);
        else
            return _mm512_permutexvar_epi32(
                _mm512_xor_si512(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                 _mm512_set1_epi32(kWith)),
                x);
    }
    // The smaller of each two goes to the lower lane.
    template <int kWith>
    STEPPE_LANE void step(__m512i& x) {
        constexpr int kTop = kWith < 2 ? 1 : kWith < 4 ? 2 : kWith < 8 ? 4 : 8;
        constexpr __mmask16 kUpper = kTop == 1 ? 0xaaaa : kTop == 2 ? 0xcccc : kTop == 4 ? 0xf0f0 : 0xff00;
        const __m512i y = exchanged<kWith>(x);
        x = _mm512_mask_max_epu32(_mm512_min_epu32(x, y), kUpper, x, y);
    }
    // Sorts lanes that rise and then fall.
    STEPPE_LANE void clean(__m512i& x) { step<8>(x), step<4>(x), step<2>(x), step<1>(x); }
    // Sorts kCount registers from kFirst on, as one list.
    template <int kFirst, int kCount>
    STEPPE_LANE void sort_keys(__m512i* x) {
        if constexpr (kCount == 1) {
            __m512i& mine = x[kFirst];
            step<1>(mine);
            step<3>(mine), step<1>(mine);
            step<7>(mine), step<2>(mine), step<1>(mine);
            step<15>(mine), step<4>(mine), step<2>(mine), step<1>(mine);
        } else {
            constexpr int kHalf = kCount / 2;
            sort_keys<kFirst, kHalf>(x);
            sort_keys<kFirst + kHalf, kHalf>(x);
            __m512i back[kHalf];
            for (int i = 0; i < kHalf; ++i) back[i] = exchanged<15>(x[kFirst + kCount - 1 - i]);
            for (int i = 0; i < kHalf; ++i) {
                const __m512i mine = x[kFirst + i];
                x[kFirst + i] = _mm512_min_epu32(mine, back[i]);
                x[kFirst + kHalf + i] = _mm512_max_epu32(mine, back[i]);
            }
            if constexpr (kHalf == 2) {
                for (int i = 0; i < kCount; i += 2) {
                    const __m512i a = x[kFirst + i], b = x[kFirst + i + 1];
                    x[kFirst + i] = _mm512_min_epu32(a, b);
                    x[kFirst + i + 1] = _mm512_max_epu32(a, b);
                }
            }
            for (int i = 0; i < kCount; ++i) clean(x[kFirst + i]);
        }
    }

    // Whether two keys differ in nothing but the number.
    STEPPE_LANE bool shared(const __m512i* keys, uint64_t present) {
        uint64_t same = 0;
        for (int i = 0; i < kRegisters; ++i) {
            const __m512i before = _mm512_alignr_epi32(keys[i], i ? keys[i - 1] : _mm512_set1_epi32(-1), 15);
            same |= uint64_t{_mm512_testn_epi32_mask(_mm512_xor_si512(keys[i], before), _mm512_set1_epi32(-kMost))}
                    << 16 * i;
        }
        return (same & present) != 0;
    }

    // In every lane, the element of that number: of kCount registers from kFirst on.
    template <int kFirst, int kCount>
    STEPPE_LANE __m512i pick32(const __m512i* from, __m512i number) {
        constexpr int kHalf = kCount / 2;
        if constexpr (kCount == 1) return _mm512_permutexvar_epi32(number, from[kFirst]);
        else if constexpr (kCount == 2) return _mm512_permutex2var_epi32(from[kFirst], number, from[kFirst + 1]);
        else
            return _mm512_mask_blend_epi32(_mm512_test_epi32_mask(number, _mm512_set1_epi32(16 * kHalf)),
                                           pick32<kFirst, kHalf>(from, number),
                                           pick32<kFirst + kHalf, kHalf>(from, number));
    }
    template <int kFirst, int kCount>
    STEPPE_LANE __m512i pick64(const __m512i* from, __m512i number) {
        constexpr int kHalf = kCount / 2;
        if constexpr (kCount == 2) return _mm512_permutex2var_epi64(from[kFirst], number, from[kFirst + 1]);
        else
            return _mm512_mask_blend_epi64(_mm512_test_epi64_mask(number, _mm512_set1_epi64(8 * kHalf)),
                                           pick64<kFirst, kHalf>(from, number),
                                           pick64<kFirst + kHalf, kHalf>(from, number));
    }

    STEPPE_LANE void move(const __m512i* keys, const __m512i* parts, const __m512i* ends, int degree, Edge* out) {
        constexpr int kWords = sizeof(Edge) / 8;
        const uint64_t last = ~uint64_t{0} >> (64 - kWords * (degree - 16 * kFull));
        for (int i = 0; i < kRegisters; ++i) {
            const __m512i target = pick32<0, kRegisters>(ends, keys[i]);
            const uint64_t words = i < kFull ? ~uint64_t{0} : last >> 16 * kWords * (i - kFull);
            if constexpr (sizeof(W) == 4) {
                const __m512i weight = plain(pick32<0, kParts>(parts, keys[i]));
                const __m512i from = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
                const __m512i next = _mm512_add_epi32(from, _mm512_set1_epi32(8));
                store(out + 16 * i, words, _mm512_permutex2var_epi32(target, from, weight));
                store(out + 16 * i + 8, words >> 8, _mm512_permutex2var_epi32(target, next, weight));
            } else {
                store_wide(_mm512_castsi512_si256(keys[i]), _mm512_castsi512_si256(target), parts, words, out + 16 * i);
                store_wide(_mm512_extracti64x4_epi64(keys[i], 1), _mm512_extracti64x4_epi64(target, 1), parts,
                           words >> 16, out + 16 * i + 8);
            }
        }
    }
    STEPPE_LANE void store_wide(__m256i keys, __m256i targets, const __m512i* parts, uint64_t words, Edge* out) {
        const __m512i weight = pick64<0, kParts>(parts, _mm512_cvtepu32_epi64(keys));
        const __m512i target = _mm512_cvtepu32_epi64(targets);
        const __m512i from = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
        const __m512i next = _mm512_add_epi64(from, _mm512_set1_epi64(4));
        store(out, words, _mm512_permutex2var_epi64(weight, from, target));
        store(out + 4, words >> 8, _mm512_permutex2var_epi64(weight, next, target));
    }
    // Of eight words those that are set in `words`.
    STEPPE_LANE void store(Edge* out, uint64_t words, __m512i edges) {
        _mm512_mask_storeu_epi64(out, static_cast<__mmask8>(words), edges);
    }
};

// Writes the rows [begin, end) of 1…32 edges, or those of 33…64, each to to(v), and returns how many edges these are.
// A loop for each: with both in one there are not enough registers for what stays the same from row to row. Where keys
// are equal, repair(first, last) sorts a row that is in order but for those.
template <bool kExact, bool kLonger, class Edge, class W, class To, class Repair>
STEPPE_WIDE int64_t sort_short_rows(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to, const Scale& scale,
                                    Repair repair) {
    int64_t sum = 0;
    for (int64_t v = begin; v < end; ++v) {
        const int64_t from = g.offsets[v], degree = g.offsets[v + 1] - from;
        if (kLonger ? degree <= 32 || degree > kShortWide : degree == 0 || degree > 32) continue;
        const W* const weights = g.weights + from;
        const int32_t* const targets = g.targets + from;
        const int n = static_cast<int>(degree);
        Edge* const out = to(v);
        bool sorted;
        if constexpr (kLonger) sorted = ShortRow<W, Edge, 4, kExact>::sort(weights, targets, n, scale, out);
        else if (n > 16) sorted = ShortRow<W, Edge, 2, kExact>::sort(weights, targets, n, scale, out);
        else sorted = ShortRow<W, Edge, 1, kExact>::sort(weights, targets, n, scale, out);
        if (STEPPE_UNLIKELY(!sorted)) repair(out, out + n);
        sum += n;
    }
    return sum;
}
#endif

}  // namespace steppe::rows

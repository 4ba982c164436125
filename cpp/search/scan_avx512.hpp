// The scan of scan.hpp on eight edges at once (four in quads), where the processor has AVX-512: gather their targets'
// distances, add, compare, and compress the better ones to the front of a vector that is stored whole.
//
// Chosen while running (base/avx512.hpp). Several threads may change a distance while it is gathered: its four or
// eight bytes are read at once, as a relaxed load reads them, and an old value costs a candidate that is refused when
// it is filed.
#pragma once
#include "base/avx512.hpp"
#include "search/scan.hpp"

namespace steppe::search {

#if STEPPE_AVX512
using steppe::avx512_found;
using steppe::avx512_wanted;

// A register by its bytes.
template <int kBytes>
struct Vector;
template <>
struct Vector<16> {
    using Register = __m128i;
};
template <>
struct Vector<32> {
    using Register = __m256i;
};
template <>
struct Vector<64> {
    using Register = __m512i;
};

// N distances of type D in a register, as bits.
template <class D, int N>
struct Lanes {
    static constexpr int kBytes = sizeof(D) * N;
    static constexpr bool kFloat = std::is_floating_point_v<D>;
    using Register = typename Vector<kBytes>::Register;
    using Targets = typename Vector<4 * N>::Register;
    typedef D Typed __attribute__((vector_size(sizeof(D) * N)));

    STEPPE_LANE Register all(D x) { return reinterpret_cast<Register>(Typed{} + x); }
    STEPPE_LANE Register halves(D x, D y) {
        static_assert(N == 8);
        return reinterpret_cast<Register>(Typed{x, x, x, x, y, y, y, y});
    }
    STEPPE_LANE Register add(Register a, Register b) {
        return reinterpret_cast<Register>(reinterpret_cast<Typed>(a) + reinterpret_cast<Typed>(b));
    }
    STEPPE_LANE __mmask8 less(__mmask8 among, Register a, Register b) {
        if constexpr (kBytes == 64 && kFloat)
            return _mm512_mask_cmp_pd_mask(among, _mm512_castsi512_pd(a), _mm512_castsi512_pd(b), _CMP_LT_OQ);
        else if constexpr (kBytes == 64) return _mm512_mask_cmplt_epu64_mask(among, a, b);
        else if constexpr (sizeof(D) == 8 && kFloat)
            return _mm256_mask_cmp_pd_mask(among, _mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _CMP_LT_OQ);
        else if constexpr (sizeof(D) == 8) return _mm256_mask_cmplt_epu64_mask(among, a, b);
        else if constexpr (kBytes == 32 && kFloat)
            return _mm256_mask_cmp_ps_mask(among, _mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _CMP_LT_OQ);
        else if constexpr (kBytes == 32) return _mm256_mask_cmplt_epu32_mask(among, a, b);
        else if constexpr (kFloat)
            return _mm_mask_cmp_ps_mask(among, _mm_castsi128_ps(a), _mm_castsi128_ps(b), _CMP_LT_OQ);
        else return _mm_mask_cmplt_epu32_mask(among, a, b);
    }
    STEPPE_LANE __mmask8 equal(__mmask8 among, Register a, Register b) {
        return among & ~less(among, a, b) & ~less(among, b, a);
    }
    // Eight bits that tell most distances apart, for each: fingerprint(x).
    STEPPE_LANE Targets fingerprint(Register x) {
        using Bits = std::conditional_t<sizeof(D) == 8, uint64_t, uint32_t>;
        typedef Bits Word __attribute__((vector_size(sizeof(D) * N)));
        const Word w = reinterpret_cast<Word>(x);
        if constexpr (sizeof(D) == 4) return reinterpret_cast<Targets>((w ^ w >> 8 ^ w >> 16) & 0xff);
        else {
            const auto folded = reinterpret_cast<Register>((w ^ w >> 16 ^ w >> 32 ^ w >> 44) & 0xff);
            if constexpr (N == 8) return _mm512_maskz_cvtepi64_epi32(0xff, folded);
            else return _mm256_maskz_cvtepi64_epi32(0xf, folded);
        }
    }
    // Bytes of `fingerprints`, of which three more than are used must be there. Compares them with `with`.
    STEPPE_LANE __mmask8 same_fingerprint(__mmask8 among, Targets at, const uint8_t* fingerprints, Targets with) {
        const auto* base = reinterpret_cast<const int*>(fingerprints);
        if constexpr (N == 8) {
            const __m256i four = _mm256_mmask_i32gather_epi32(Targets{}, among, at, base, 1);
            return _mm256_mask_cmpeq_epi32_mask(among, _mm256_and_si256(four, _mm256_set1_epi32(0xff)), with);
        } else {
            const __m128i four = _mm_mmask_i32gather_epi32(Targets{}, among, at, base, 1);
            return _mm_mask_cmpeq_epi32_mask(among, _mm_and_si128(four, _mm_set1_epi32(0xff)), with);
        }
    }
    // The distances of `at`, `kStep` bytes apart behind `base`.
    template <int kStep>
    STEPPE_LANE Register gather(__mmask8 among, Targets at, const void* base) {
        if constexpr (kStep == 16) return gather<8>(among, at + at, base);  // 8 is the widest there is
        else if constexpr (kBytes == 64) return _mm512_mask_i32gather_epi64(Register{}, among, at, base, kStep);
        else if constexpr (sizeof(D) == 8)
            return _mm256_mmask_i32gather_epi64(Register{}, among, at, static_cast<const long long*>(base), kStep);
        else if constexpr (kBytes == 32)
            return _mm256_mmask_i32gather_epi32(Register{}, among, at, static_cast<const int*>(base), kStep);
        else return _mm_mmask_i32gather_epi32(Register{}, among, at, static_cast<const int*>(base), kStep);
    }
    STEPPE_LANE void store(D* to, __mmask8 kept, Register x) {
        if constexpr (kBytes == 64) _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(kept, x));
        else if constexpr (sizeof(D) == 8)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_compress_epi64(kept, x));
        else store_targets(reinterpret_cast<int32_t*>(to), kept, x);
    }
    STEPPE_LANE void store_targets(int32_t* to, __mmask8 kept, Targets x) {
        if constexpr (N == 8) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_compress_epi32(kept, x));
        else _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_maskz_compress_epi32(kept, x));
    }
};

// Edges of a row: their targets, and their weights as they will be added.
template <class D, int N>
struct Edges {
    typename Lanes<D, N>::Targets target;
    typename Lanes<D, N>::Register weight;
};

template <class D, class W>
STEPPE_LANE Edges<D, 8> read_eight(const rows::Csr<int32_t, W>& g, int64_t e, __mmask8 among) {
    const __m256i target = _mm256_maskz_loadu_epi32(among, g.targets + e);
    if constexpr (sizeof(W) == 8) return {target, _mm512_maskz_loadu_epi64(among, g.weights + e)};
    else return {target, _mm256_maskz_loadu_epi32(among, g.weights + e)};
}

// (Conversions with a mask of ones: GCC 12 warns that those without read something undefined.)
template <class D, class W>
STEPPE_LANE Edges<D, 8> read_eight(const rows::PackedEdge<W>* edges, __mmask8 among) {
    const __m512i words = _mm512_maskz_loadu_epi64(among, edges);
    return {_mm512_maskz_cvtepi64_epi32(0xff, words),
            _mm512_maskz_cvtepi64_epi32(0xff, _mm512_maskz_srli_epi64(0xff, words, 32))};
}

template <class D, class W>
STEPPE_LANE Edges<D, 8> read_eight(const rows::WideEdge<W>* edges, __mmask8 among) {
    // `among` are the first edges, so theirs are the first of twice as many words.
    const unsigned twice = (1u << (2 * std::popcount(static_cast<unsigned>(among)))) - 1;
    const __m512i low = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(twice), edges);
    const __m512i high = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(twice >> 8), edges + 4);
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = even + 1;
    return {_mm512_maskz_cvtepi64_epi32(0xff, _mm512_permutex2var_epi64(low, odd, high)),
            _mm512_permutex2var_epi64(low, even, high)};
}

template <class D, class W>
STEPPE_LANE Edges<D, 8> read_eight(const rows::Packed<W>& g, int64_t e, __mmask8 among) {
    return read_eight<D>(g.data() + e, among);
}

// A whole record, without a mask: a masked load touches the next cache line all the same (71 ms
// against 48 on a grid of 2 M, a Xeon, November 2026).
template <class D, class W>
STEPPE_LANE Edges<D, 4> read_four(const rows::PackedEdge<W>* record) {
    const __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(record));
    return {_mm256_maskz_cvtepi64_epi32(0xf, words), _mm256_maskz_cvtepi64_epi32(0xf, _mm256_srli_epi64(words, 32))};
}

template <class D, class W>
STEPPE_LANE Edges<D, 4> read_four(const rows::WideEdge<W>* record) {
    const auto* halves = reinterpret_cast<const __m256i*>(record);
    const __m256i low = _mm256_load_si256(halves), high = _mm256_load_si256(halves + 1);
    const __m256i even = _mm256_setr_epi64x(0, 2, 4, 6), odd = even + 1;
    return {_mm256_maskz_cvtepi64_epi32(0xf, _mm256_permutex2var_epi64(low, odd, high)),
            _mm256_permutex2var_epi64(low, even, high)};
}

template <bool kPaths, class Rows, class T, class V, class D>
STEPPE_WIDE int64_t scan_avx512(const Rows& g, const T& tentative, const Width<D>& width, int64_t bucket, const V* list,
                                size_t size, Place& STEPPE_RESTRICT at, Candidates<V, D>& STEPPE_RESTRICT found) {
    constexpr int kLanes = Rows::kRecords ? 4 : 8;
    using L = Lanes<D, kLanes>;
    const void* base = tentative.distances();
    int count = 0;
    int64_t scanned = 0;
    Walk<Rows, T, V, D> walk(g, tentative, width, bucket, list, size, at);
    while (walk.next(Candidates<V, D>::kRoom - count)) {
        const auto du = L::all(walk.du);
        auto keep = [&](const Edges<D, kLanes>& edges, __mmask8 among) STEPPE_WIDE {
            const auto candidate = L::add(du, edges.weight);
            const auto before = L::template gather<T::kBytes>(among, edges.target, base);
            const __mmask8 better = L::less(among, candidate, before);
            L::store(found.distance + count, better, candidate);
            L::store_targets(found.target + count, better, edges.target);
            if constexpr (kPaths) L::store_targets(found.from + count, 0xff, Lanes<int32_t, kLanes>::all(walk.u));
            count += std::popcount(static_cast<unsigned>(better));
        };
        if constexpr (Rows::kRecords) {
            for (const auto* r = g.record(walk.u);; r = g.record(r[3].target())) {
                const bool linked = r[3].weight() < 0;
                const Edges<D, 4> four = read_four<D>(r);
                keep(four, static_cast<__mmask8>(linked ? 0x7 : 0xf));
                const __mmask8 real = _mm_cmpneq_epi32_mask(four.target, _mm_set1_epi32(walk.u));
                scanned += std::popcount(static_cast<unsigned>(real)) - linked;
                if (STEPPE_LIKELY(!linked)) break;
            }
        } else {
            scanned += walk.last - walk.first;
            for (int64_t e = walk.first; e < walk.last; e += 8) {
                const auto among = static_cast<__mmask8>(walk.last - e < 8 ? (1u << (walk.last - e)) - 1 : 0xff);
                keep(read_eight<D>(g, e, among), among);
            }
        }
    }
    found.count = count;
    at = walk.place();
    return scanned;
}
#endif

// scan(), by the best way this processor has.
template <bool kPaths, class Rows, class T, class V, class D>
int64_t scan_best(const Rows& g, const T& tentative, const Width<D>& width, int64_t bucket, const V* list, size_t size,
                  Place& at, Candidates<V, D>& found) {
#if STEPPE_AVX512
    if constexpr (sizeof(V) == 4 && sizeof(typename Rows::Weight) == sizeof(D))
        if (avx512_wanted()) return scan_avx512<kPaths>(g, tentative, width, bucket, list, size, at, found);
#endif
    return scan<kPaths>(g, tentative, width, bucket, list, size, at, found);
}

}  // namespace steppe::search

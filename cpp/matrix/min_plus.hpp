// MinPlus: C = min(C, A + B) on tiles in registers, which is all that dense shortest paths do.
//
// A tile of C has kRows rows and kColumns columns: with AVX-512, 8 x 3 registers. For each of the kDepth columns of A
// eight numbers are spread over registers, three registers of B are read, and 24 sums and 24 minima are made of them:
// 11 loads for 48 operations, so that the two arithmetic ports never wait. AVX2 has half as many registers of half the
// width and works through the tile in four parts; other processors get plain loops. Which one is decided while running.
//
// Layout: A is packed by columns of eight (a[k * kRows + i]); B and C lie as they are stored (floyd_warshall.hpp), rows
// of kColumns one behind the other.
//
// Integers are unsigned and "no path" is half their range: two of them never wrap, and min() keeps the sum from
// growing. Floats that are not negative (nor -0.0) compare as their bits do: with AVX-512 their minimum is one of
// integers, which on some processors runs on other ports than their sum (AMD EPYC, November 2026: 57 -> 79 billion
// operations a second).
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/types.hpp"
#include "search/scan_avx512.hpp"

namespace steppe::matrix {

inline constexpr int kRows = 8;
inline constexpr int kDepth = 96;
template <class D>
inline constexpr int kColumns = 192 / sizeof(D);

// No path. For integers kLargest is the largest distance, and this one more.
template <class D>
inline constexpr D kNone = std::is_floating_point_v<D> ? kInfinity<D> : kLargest<D> + 1;

// One tile, in plain loops.
template <class D>
STEPPE_INLINE void multiply_plain(const D* STEPPE_RESTRICT a, const D* STEPPE_RESTRICT b, D* STEPPE_RESTRICT c) {
    for (int i = 0; i < kRows; ++i) {
        D* STEPPE_RESTRICT row = c + i * kColumns<D>;
        for (int k = 0; k < kDepth; k += 4) {
            const D a0 = a[k * kRows + i], a1 = a[(k + 1) * kRows + i], a2 = a[(k + 2) * kRows + i],
                    a3 = a[(k + 3) * kRows + i];
            const D* STEPPE_RESTRICT from = b + k * kColumns<D>;
            for (int j = 0; j < kColumns<D>; ++j) {
                const D x = std::min<D>(a0 + from[j], a1 + from[j + kColumns<D>]);
                const D y = std::min<D>(a2 + from[j + 2 * kColumns<D>], a3 + from[j + 3 * kColumns<D>]);
                row[j] = std::min(row[j], std::min(x, y));
            }
        }
    }
}

// Shortest paths within a block of kDepth x kDepth vertices, row after row: Floyd's three loops.
template <class D>
STEPPE_INLINE void close_plain(D* d) {
    for (int k = 0; k < kDepth; ++k)
        for (int i = 0; i < kDepth; ++i) {
            const D a = d[i * kDepth + k];
            const D* STEPPE_RESTRICT from = d + k * kDepth;
            D* STEPPE_RESTRICT to = d + i * kDepth;
            if (i == k) continue;  // the diagonal is 0: nothing gets better
            for (int j = 0; j < kDepth; ++j) to[j] = std::min<D>(to[j], a + from[j]);
        }
}

// What the processor has: 0 nothing, 1 AVX2, 2 AVX-512. Tests choose lower ones.
enum class Vectors { none, avx2, avx512 };

inline const char* name_of(Vectors vectors) {
    return vectors == Vectors::avx512 ? "avx512" : vectors == Vectors::avx2 ? "avx2" : "none";
}
inline Vectors vectors_found() {
#if STEPPE_AVX512
    if (search::avx512_found()) return Vectors::avx512;
    if (__builtin_cpu_supports("avx2")) return Vectors::avx2;
#endif
    return Vectors::none;
}
inline Vectors vectors_in_use = vectors_found();  // when the library is loaded, as in base/avx512.hpp
inline Vectors& vectors_wanted() { return vectors_in_use; }

#if STEPPE_AVX512
#define STEPPE_AVX2 __attribute__((target("avx2")))
#define STEPPE_AVX2_LANE __attribute__((target("avx2"), always_inline)) static inline

template <class D>
struct Wide512;
template <>
struct Wide512<float> {
    using Register = __m512;
    STEPPE_LANE Register load(const float* p) { return _mm512_loadu_ps(p); }
    STEPPE_LANE void store(float* p, Register r) { _mm512_storeu_ps(p, r); }
    STEPPE_LANE Register all(float x) { return _mm512_set1_ps(x); }
    STEPPE_LANE Register step(Register c, Register a, Register b) {
        const __m512i sum = _mm512_castps_si512(_mm512_add_ps(a, b));
        return _mm512_castsi512_ps(_mm512_min_epu32(_mm512_castps_si512(c), sum));
    }
};
template <>
struct Wide512<double> {
    using Register = __m512d;
    STEPPE_LANE Register load(const double* p) { return _mm512_loadu_pd(p); }
    STEPPE_LANE void store(double* p, Register r) { _mm512_storeu_pd(p, r); }
    STEPPE_LANE Register all(double x) { return _mm512_set1_pd(x); }
    STEPPE_LANE Register step(Register c, Register a, Register b) {
        const __m512i sum = _mm512_castpd_si512(_mm512_add_pd(a, b));
        return _mm512_castsi512_pd(_mm512_min_epu64(_mm512_castpd_si512(c), sum));
    }
};
template <>
struct Wide512<uint32_t> {
    using Register = __m512i;
    STEPPE_LANE Register load(const uint32_t* p) { return _mm512_loadu_si512(p); }
    STEPPE_LANE void store(uint32_t* p, Register r) { _mm512_storeu_si512(p, r); }
    STEPPE_LANE Register all(uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
    STEPPE_LANE Register step(Register c, Register a, Register b) {
        return _mm512_min_epu32(c, _mm512_add_epi32(a, b));
    }
};
template <>
struct Wide512<uint64_t> {
    using Register = __m512i;
    STEPPE_LANE Register load(const uint64_t* p) { return _mm512_loadu_si512(p); }
    STEPPE_LANE void store(uint64_t* p, Register r) { _mm512_storeu_si512(p, r); }
    STEPPE_LANE Register all(uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
    STEPPE_LANE Register step(Register c, Register a, Register b) {
        return _mm512_min_epu64(c, _mm512_add_epi64(a, b));
    }
};

template <class D>
struct Wide256;
template <>
struct Wide256<float> {
    using Register = __m256;
    STEPPE_AVX2_LANE Register load(const float* p) { return _mm256_loadu_ps(p); }
    STEPPE_AVX2_LANE void store(float* p, Register r) { _mm256_storeu_ps(p, r); }
    STEPPE_AVX2_LANE Register all(float x) { return _mm256_set1_ps(x); }
    STEPPE_AVX2_LANE Register step(Register c, Register a, Register b) { return _mm256_min_ps(c, _mm256_add_ps(a, b)); }
};
template <>
struct Wide256<double> {
    using Register = __m256d;
    STEPPE_AVX2_LANE Register load(const double* p) { return _mm256_loadu_pd(p); }
    STEPPE_AVX2_LANE void store(double* p, Register r) { _mm256_storeu_pd(p, r); }
    STEPPE_AVX2_LANE Register all(double x) { return _mm256_set1_pd(x); }
    STEPPE_AVX2_LANE Register step(Register c, Register a, Register b) { return _mm256_min_pd(c, _mm256_add_pd(a, b)); }
};
template <>
struct Wide256<uint32_t> {
    using Register = __m256i;
    STEPPE_AVX2_LANE Register load(const uint32_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const Register*>(p));
    }
    STEPPE_AVX2_LANE void store(uint32_t* p, Register r) { _mm256_storeu_si256(reinterpret_cast<Register*>(p), r); }
    STEPPE_AVX2_LANE Register all(uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
    STEPPE_AVX2_LANE Register step(Register c, Register a, Register b) {
        return _mm256_min_epu32(c, _mm256_add_epi32(a, b));
    }
};
template <>
struct Wide256<uint64_t> {  // there is no minimum of 64-bit integers, and comparisons are signed: the sum may not be
    using Register = __m256i;
    STEPPE_AVX2_LANE Register load(const uint64_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const Register*>(p));
    }
    STEPPE_AVX2_LANE void store(uint64_t* p, Register r) { _mm256_storeu_si256(reinterpret_cast<Register*>(p), r); }
    STEPPE_AVX2_LANE Register all(uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
    STEPPE_AVX2_LANE Register step(Register c, Register a, Register b) {
        const Register sum = _mm256_add_epi64(a, b), sign = _mm256_set1_epi64x(INT64_MIN);
        const Register more = _mm256_cmpgt_epi64(_mm256_xor_si256(c, sign), _mm256_xor_si256(sum, sign));
        return _mm256_blendv_epi8(c, sum, more);
    }
};

// R rows and N registers of a tile; `target` cannot depend on a template, so the text is made twice.
#define STEPPE_MULTIPLY(NAME, TARGET, WIDE)                                                                     \
    template <int R, int N, class D>                                                                            \
    TARGET inline void NAME(const D* a, const D* b, D* c) {                                                     \
        constexpr int kLanes = sizeof(typename WIDE<D>::Register) / sizeof(D);                                  \
        typename WIDE<D>::Register sums[R][N];                                                                  \
        _Pragma("GCC unroll 8") for (int i = 0; i < R; ++i) _Pragma("GCC unroll 8") for (int j = 0; j < N; ++j) \
            sums[i][j] = WIDE<D>::load(c + i * kColumns<D> + j * kLanes);                                       \
        for (int k = 0; k < kDepth; ++k) {                                                                      \
            typename WIDE<D>::Register from[N];                                                                 \
            _Pragma("GCC unroll 8") for (int j = 0; j < N; ++j) from[j] =                                       \
                WIDE<D>::load(b + k * kColumns<D> + j * kLanes);                                                \
            _Pragma("GCC unroll 8") for (int i = 0; i < R; ++i) {                                               \
                const auto all = WIDE<D>::all(a[k * kRows + i]);                                                \
                _Pragma("GCC unroll 8") for (int j = 0; j < N; ++j) sums[i][j] =                                \
                    WIDE<D>::step(sums[i][j], all, from[j]);                                                    \
            }                                                                                                   \
        }                                                                                                       \
        _Pragma("GCC unroll 8") for (int i = 0; i < R; ++i) _Pragma("GCC unroll 8") for (int j = 0; j < N; ++j) \
            WIDE<D>::store(c + i * kColumns<D> + j * kLanes, sums[i][j]);                                       \
    }
STEPPE_MULTIPLY(multiply_512, STEPPE_WIDE, Wide512)
STEPPE_MULTIPLY(multiply_256, STEPPE_AVX2, Wide256)
#undef STEPPE_MULTIPLY

template <class D>
STEPPE_AVX2 void multiply_avx2(const D* a, const D* b, D* c) {
    constexpr int kHalf = kColumns<D> / 2;
    for (int i = 0; i < kRows; i += 4)
        for (int j = 0; j < kColumns<D>; j += kHalf) multiply_256<4, 3>(a + i, b + j, c + i * kColumns<D> + j);
}
template <class D>
STEPPE_WIDE void close_512(D* d) {
    close_plain(d);
}
template <class D>
STEPPE_AVX2 void close_avx2(D* d) {
    close_plain(d);
}
#endif

template <class D>
STEPPE_INLINE void multiply(Vectors vectors, const D* a, const D* b, D* c) {
#if STEPPE_AVX512
    if (STEPPE_LIKELY(vectors == Vectors::avx512)) return multiply_512<kRows, 3>(a, b, c);
    if (vectors == Vectors::avx2) return multiply_avx2(a, b, c);
#endif
    (void)vectors;
    multiply_plain(a, b, c);
}

template <class D>
void close(Vectors vectors, D* d) {
#if STEPPE_AVX512
    if (vectors == Vectors::avx512) return close_512(d);
    if (vectors == Vectors::avx2) return close_avx2(d);
#endif
    (void)vectors;
    close_plain(d);
}

// The speed of the kernel when its operands stay in the first cache: operations (a sum or a minimum) a second.
template <class D, class Clock>
double multiply_peak(int repeats, Clock now) {
    const Vectors vectors = vectors_wanted();
    alignas(64) D a[kRows * kDepth], b[kColumns<D> * kDepth], c[kRows * kColumns<D>];
    std::fill(std::begin(a), std::end(a), D{3});
    std::fill(std::begin(b), std::end(b), D{4});
    std::fill(std::begin(c), std::end(c), D{100});
    double least = 1e300;
    for (int round = 0; round < repeats; ++round) {
        const double begun = now();
        for (int i = 0; i < 4096; ++i) {
            c[i % kRows] = D{100};
            multiply(vectors, a, b, c);
        }
        least = std::min(least, now() - begun);
    }
    return 2.0 * kRows * kColumns<D> * kDepth * 4096 / least;
}

}  // namespace steppe::matrix

// The two inner loops of lanes.hpp: a line of distances is one register of AVX-512, two of AVX2, or plain numbers.
//
// Both count without branches: whether a line changed can hardly be foretold, and a wrong guess costs as much as five
// edges.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/types.hpp"
#include "matrix/min_plus.hpp"
#include "rows/csr.hpp"

namespace steppe::matrix {

// Sources of a batch: their distances from one vertex fill a cache line.
template <class D>
inline constexpr int kLanes = 64 / sizeof(D);

// A line without vectors, with what Wide512 and Wide256 have.
template <class D>
struct WideNone {
    struct Register {
        D of[kLanes<D>];
    };
    static Register load(const D* p) {
        Register r;
        std::copy(p, p + kLanes<D>, r.of);
        return r;
    }
    static void store(D* p, const Register& r) { std::copy(r.of, r.of + kLanes<D>, p); }
    static D all(D x) { return x; }
    static Register step(Register c, D a, const Register& b) {
        for (int i = 0; i < kLanes<D>; ++i) c.of[i] = std::min<D>(c.of[i], a + b.of[i]);
        return c;
    }
};
template <class D>
inline bool differ(const D& a, const D& b) {
    return !std::equal(std::begin(a.of), std::end(a.of), std::begin(b.of));
}

#if STEPPE_AVX512
STEPPE_LANE bool differ(__m512i a, __m512i b) { return _mm512_cmpneq_epi64_mask(a, b) != 0; }
STEPPE_LANE bool differ(__m512 a, __m512 b) { return differ(_mm512_castps_si512(a), _mm512_castps_si512(b)); }
STEPPE_LANE bool differ(__m512d a, __m512d b) { return differ(_mm512_castpd_si512(a), _mm512_castpd_si512(b)); }
STEPPE_AVX2_LANE bool differ(__m256i a, __m256i b) {
    const __m256i changed = _mm256_xor_si256(a, b);
    return !_mm256_testz_si256(changed, changed);
}
STEPPE_AVX2_LANE bool differ(__m256 a, __m256 b) { return differ(_mm256_castps_si256(a), _mm256_castps_si256(b)); }
STEPPE_AVX2_LANE bool differ(__m256d a, __m256d b) { return differ(_mm256_castpd_si256(a), _mm256_castpd_si256(b)); }
#endif

// How many edges ahead lines are prefetched, for graphs that do not fit the second cache. (262,144 vertices, 4 M edges:
// 18 -> 13 ms a source; AMD EPYC, November 2026.)
inline constexpr int64_t kLinesAhead = 16;

// pull: each vertex from `begin` to `end` takes the best of its in-edges; marks say which changed, and it returns how
// many. push: relaxes the edges of the `count` vertices of `list`, takes their marks away, and appends those that
// changed and have none to `next`. `target` cannot depend on a template, so the text is made three times.
#define STEPPE_LANE_KERNELS(PULL, PUSH, TARGET, WIDE)                                                                  \
    template <class V, class W, class D>                                                                               \
    TARGET inline int64_t PULL(const rows::Csr<V, W>& in, D* lines, uint8_t* marks, int64_t begin, int64_t end) {      \
        using Register = typename WIDE<D>::Register;                                                                   \
        constexpr int kStep = sizeof(Register) / sizeof(D), kParts = kLanes<D> / kStep;                                \
        const int64_t ahead = in.edges() - kLinesAhead;                                                                \
        int64_t changed = 0;                                                                                           \
        for (int64_t v = begin; v < end; ++v) {                                                                        \
            D* const line = lines + v * kLanes<D>;                                                                     \
            Register best[kParts], before[kParts];                                                                     \
            for (int i = 0; i < kParts; ++i) best[i] = before[i] = WIDE<D>::load(line + i * kStep);                    \
            for (int64_t e = in.offsets[v]; e < in.offsets[v + 1]; ++e) {                                              \
                if (e < ahead) STEPPE_PREFETCH(lines + in.targets[e + kLinesAhead] * int64_t{kLanes<D>});              \
                const D* const from = lines + in.targets[e] * int64_t{kLanes<D>};                                      \
                const auto weight = WIDE<D>::all(static_cast<D>(in.weights[e]));                                       \
                for (int i = 0; i < kParts; ++i)                                                                       \
                    best[i] = WIDE<D>::step(best[i], weight, WIDE<D>::load(from + i * kStep));                         \
            }                                                                                                          \
            bool better = false;                                                                                       \
            for (int i = 0; i < kParts; ++i) {                                                                         \
                better |= differ(best[i], before[i]);                                                                  \
                WIDE<D>::store(line + i * kStep, best[i]);                                                             \
            }                                                                                                          \
            marks[v] = better;                                                                                         \
            changed += better;                                                                                         \
        }                                                                                                              \
        return changed;                                                                                                \
    }                                                                                                                  \
    template <class V, class W, class D>                                                                               \
    TARGET inline void PUSH(const rows::Csr<V, W>& g, D* lines, uint8_t* marks, const V* list, int64_t count, V* next, \
                            int64_t& found) {                                                                          \
        using Register = typename WIDE<D>::Register;                                                                   \
        constexpr int kStep = sizeof(Register) / sizeof(D), kParts = kLanes<D> / kStep;                                \
        for (int64_t k = 0; k < count; ++k) {                                                                          \
            const V u = list[k];                                                                                       \
            marks[u] = 0;                                                                                              \
            Register from[kParts];                                                                                     \
            for (int i = 0; i < kParts; ++i) from[i] = WIDE<D>::load(lines + u * int64_t{kLanes<D>} + i * kStep);      \
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {                                                \
                const V v = g.targets[e];                                                                              \
                D* const line = lines + v * int64_t{kLanes<D>};                                                        \
                const auto weight = WIDE<D>::all(static_cast<D>(g.weights[e]));                                        \
                bool better = false;                                                                                   \
                for (int i = 0; i < kParts; ++i) {                                                                     \
                    const Register before = WIDE<D>::load(line + i * kStep);                                           \
                    const Register best = WIDE<D>::step(before, weight, from[i]);                                      \
                    better |= differ(best, before);                                                                    \
                    WIDE<D>::store(line + i * kStep, best);                                                            \
                }                                                                                                      \
                next[found] = v;                                                                                       \
                found += better & !marks[v];                                                                           \
                marks[v] |= better;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }
STEPPE_LANE_KERNELS(pull_plain, push_plain, , WideNone)
#if STEPPE_AVX512
STEPPE_LANE_KERNELS(pull_512, push_512, STEPPE_WIDE, Wide512)
STEPPE_LANE_KERNELS(pull_avx2, push_avx2, STEPPE_AVX2, Wide256)
#endif
#undef STEPPE_LANE_KERNELS

template <class... Arguments>
int64_t pull_lanes(Vectors vectors, Arguments&&... arguments) {
#if STEPPE_AVX512
    if (vectors == Vectors::avx512) return pull_512(arguments...);
    if (vectors == Vectors::avx2) return pull_avx2(arguments...);
#endif
    (void)vectors;
    return pull_plain(arguments...);
}
template <class... Arguments>
void push_lanes(Vectors vectors, Arguments&&... arguments) {
#if STEPPE_AVX512
    if (vectors == Vectors::avx512) return push_512(arguments...);
    if (vectors == Vectors::avx2) return push_avx2(arguments...);
#endif
    (void)vectors;
    push_plain(arguments...);
}

}  // namespace steppe::matrix

// append_tight of tight.hpp on eight edges at once (search/scan_avx512.hpp), for 32-bit vertices and weights that are
// not negative. Distances are given as Bits: unsigned for integers, as they are for floats.
#pragma once
#include "rows/csr.hpp"
#include "search/scan_avx512.hpp"

namespace steppe::tree {

// A tight edge.
template <class V>
struct TightEdge {
    V u, v;
};

#if STEPPE_AVX512
// Appends the tight edges of u among [first, last) at `at`, where there must be room for eight more than all; ors into
// `bad` whether an edge may improve its target or lead to an unreached one. Returns the new end.
template <bool weighted, class W, class Bits>
STEPPE_WIDE TightEdge<int32_t>* append_tight_avx512(const rows::Csr<int32_t, W>& g, const Bits* d, int32_t u,
                                                    int64_t first, int64_t last, TightEdge<int32_t>* STEPPE_RESTRICT at,
                                                    bool& bad) {
    using L = search::Lanes<Bits, 8>;
    const auto du = L::all(d[u]), infinity = L::all(kInfinity<Bits>);
    const __m512i from = _mm512_set1_epi64(static_cast<uint32_t>(u));
    __mmask8 improves = 0;
    for (int64_t e = first; e < last; e += 8) {
        if (e + 64 < last) {
            STEPPE_PREFETCH(g.targets + e + 64);
            if constexpr (weighted) STEPPE_PREFETCH(g.weights + e + 64);
        }
        const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
        search::Edges<Bits, 8> edges;
        if constexpr (weighted) edges = search::read_eight<Bits>(g, e, among);
        else edges = {_mm256_maskz_loadu_epi32(among, g.targets + e), L::all(Bits{1})};
        const auto sum = L::add(du, edges.weight);
        const auto b = L::template gather<sizeof(Bits)>(among, edges.target, d);
        improves |= L::less(among, sum, b);
        const __mmask8 tight = L::equal(among, sum, b) & L::less(among, sum, infinity);
        const __m512i pair =
            _mm512_or_si512(from, _mm512_maskz_slli_epi64(0xff, _mm512_maskz_cvtepi32_epi64(0xff, edges.target), 32));
        _mm512_storeu_si512(at, _mm512_maskz_compress_epi64(tight, pair));
        at += std::popcount(static_cast<unsigned>(tight));
    }
    bad |= improves != 0;
    return at;
}
#endif

}  // namespace steppe::tree

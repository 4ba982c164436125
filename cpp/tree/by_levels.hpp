// The canonical tree of by_search.hpp where all edges are equally long: a count of hops, or one integer weight.
//
// Then pred(v) is simply the smallest u with an edge u -> v and d(u) = d(v) - length, and v looks for it among its
// in-edges. Where those are sorted by vertex the first that fits is the smallest, and most vertices find one among
// their first eight: a scale-20 RMAT reads 1 edge in 7. Distances are compared by a byte first (fingerprint,
// tight_rows.hpp): a megabyte of them fits the cache where the distances do not.
#pragma once
#include <atomic>
#include <bit>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "tree/tight_rows.hpp"

namespace steppe::tree {

template <class V>
bool rows_are_sorted(const rows::Csr<V, int32_t>& g, int threads, Watch& watch) {
    std::atomic<bool> sorted{true};
    parallel_for(threads, g.n, 1 << 12, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t v = begin; v < end && sorted.load(std::memory_order_relaxed); ++v) {
            bool falls = false;
            for (int64_t e = g.offsets[v] + 1; e < g.offsets[v + 1]; ++e) falls |= g.targets[e] < g.targets[e - 1];
            if (falls) sorted.store(false, std::memory_order_relaxed);
        }
    });
    return sorted.load();
}

// The smallest of targets[first ... last) at distance `want`, or -1. kSorted: the first.
template <bool kSorted, class V, class D>
STEPPE_INLINE V find_tail(const V* targets, int64_t first, int64_t last, const D* d, D want,
                          const uint8_t* fingerprints) {
    const uint8_t wanted = fingerprint(want);
    V best = -1;
    for (int64_t e = first; e < last; ++e) {
        const V u = targets[e];
        if (fingerprints[u] != wanted || d[u] != want || !(best < 0 || u < best)) continue;
        best = u;
        if (kSorted) break;
    }
    return best;
}

#if STEPPE_AVX512
template <bool kSorted, class D>
STEPPE_WIDE void find_tails_avx512(const rows::Csr<int32_t, int32_t>& in, const D* d, D length,
                                   const uint8_t* fingerprints, int64_t begin, int64_t end, int32_t* pred) {
    using L = search::Lanes<int32_t, 8>;
    for (int64_t v = begin; v < end; ++v) {
        int32_t best = -1;
        const int64_t last = d[v] == kInfinity<D> || d[v] < length ? 0 : in.offsets[v + 1];
        const D want = static_cast<D>(d[v] - length);
        const auto wanted = L::all(fingerprint(want));
        for (int64_t e = in.offsets[v]; e < last; e += 8) {
            const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
            const auto targets = _mm256_maskz_loadu_epi32(among, in.targets + e);
            unsigned hits = L::same_fingerprint(among, targets, fingerprints, wanted);
            for (; hits; hits &= hits - 1) {
                const int32_t u = in.targets[e + std::countr_zero(hits)];
                if (d[u] != want || !(best < 0 || u < best)) continue;
                best = u;
                if (kSorted) break;
            }
            if (kSorted && hits) break;
        }
        pred[v] = best;
    }
}
#endif

// `in`: the in-edges; d: kInfinity where there is no distance. Writes all of pred.
template <bool kSorted, class V, class D>
void level_tree(const rows::Csr<V, int32_t>& in, const D* d, D length, V* pred, int threads, Watch& watch) {
    Buffer<uint8_t> fingerprints(in.n + 3);
    parallel_for(threads, in.n, 1 << 16, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t v = begin; v < end; ++v) fingerprints[v] = fingerprint(d[v]);
    });
    parallel_for(threads, in.n, 1 << 12, watch, [&](int64_t begin, int64_t end, int) {
#if STEPPE_AVX512
        if constexpr (sizeof(V) == 4)
            if (search::avx512_wanted())
                return find_tails_avx512<kSorted>(in, d, length, fingerprints.data(), begin, end, pred);
#endif
        for (int64_t v = begin; v < end; ++v)
            pred[v] = d[v] == kInfinity<D> || d[v] < length
                          ? -1
                          : find_tail<kSorted>(in.targets, in.offsets[v], in.offsets[v + 1], d,
                                               static_cast<D>(d[v] - length), fingerprints.data());
    });
}

}  // namespace steppe::tree

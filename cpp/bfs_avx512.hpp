// The narrow levels of a breadth-first search with AVX-512, as scan_avx512.hpp scans edges: gather the hops of eight
// neighbours at once and keep those that have none.
//
// The bitmap of bfs.hpp is right for levels that hold a good part of the graph. In the small ones of a road or a grid
// neighbours share a word of it, and each change has to wait for the last; their hops are near each other and in cache.
// (New York's roads 2.9 ms -> 2.1.)
#pragma once
#include "csr.hpp"
#include "scan_avx512.hpp"

namespace steppe {

inline constexpr int32_t kNoHops = std::numeric_limits<int32_t>::max();

// Vertices without hops among the neighbours of a batch: to[k], seen from[k] (only with paths). Some may come twice.
template <class V>
struct Unseen {
    static constexpr int kRoom = 1024;
    int count = 0;
    int64_t read = 0, widest = 0;  // edges in all, and of one vertex
    V to[kRoom + 8], from[kRoom + 8];
};

#if STEPPE_AVX512
template <bool kPaths>
STEPPE_WIDE void unseen_avx512(const Csr<int32_t, int32_t>& g, const int32_t* hops, const int32_t* queue, int64_t size,
                               Place& STEPPE_RESTRICT at, Unseen<int32_t>& STEPPE_RESTRICT found) {
    const int64_t* const offsets = g.offsets;  // in registers: for the compiler a stored vector may change anything
    const int32_t* const targets = g.targets;
    const __m256i none = _mm256_set1_epi32(kNoHops);
    const auto stop = static_cast<size_t>(std::min<int64_t>(size, static_cast<int64_t>(at.i + kBatch)));
    int count = 0;
    int64_t read = 0, widest = found.widest, resume = at.edge;
    size_t i = at.i;
    for (; i < stop; ++i) {
        if (i + 40 < static_cast<size_t>(size)) STEPPE_PREFETCH(&offsets[queue[i + 40]]);
        if (i + 24 < static_cast<size_t>(size)) {
            const int32_t* ahead = &targets[offsets[queue[i + 24]]];
            STEPPE_PREFETCH(ahead);
            STEPPE_PREFETCH(ahead + 7);  // a masked load touches the next line, if that is where its lanes end
        }
        const int32_t u = queue[i];
        int64_t first = offsets[u], last = offsets[u + 1];
        if (STEPPE_UNLIKELY(resume != Place::kFirst)) first = std::exchange(resume, Place::kFirst);
        // A branch, not a minimum: see Walk::next.
        if (STEPPE_UNLIKELY(last - first > Unseen<int32_t>::kRoom - count))
            resume = last = first + Unseen<int32_t>::kRoom - count;
        read += last - first;
        widest = std::max(widest, last - first);
        for (int64_t e = first; e < last; e += 8) {
            const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
            const __m256i target = _mm256_maskz_loadu_epi32(among, targets + e);
            const __m256i hop = _mm256_mmask_i32gather_epi32(__m256i{}, among, target, hops, 4);
            const __mmask8 fresh = _mm256_mask_cmpeq_epi32_mask(among, hop, none);
            using L = Lanes<int32_t, 8>;
            L::store_targets(found.to + count, fresh, target);
            if constexpr (kPaths) L::store_targets(found.from + count, 0xff, L::all(u));
            count += std::popcount(static_cast<unsigned>(fresh));
        }
        if (STEPPE_UNLIKELY(resume != Place::kFirst)) break;
    }
    at = {i, resume};
    found.count = count;
    found.read += read;
    found.widest = widest;
}
#endif

}  // namespace steppe

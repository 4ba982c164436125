// Tight: rows swept or pulled for the edges that can be tight, which by_light_edges.hpp makes a tree of.
//
// Edges are tested without branches and written down; with AVX-512 eight at once, and there distances are compared by
// their fingerprints, bytes that fit the cache where distances do not. What seems tight is looked at again by the
// caller.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "rows/packed.hpp"
#include "rows/quads.hpp"
#include "search/scan_avx512.hpp"

namespace steppe::tree {

// Edges from[k] -> to[k] that are tight if distance[k] is that of to[k], or, when pulled, of from[k].
template <class D>
struct Tight {
    static constexpr int kRoom = 1024;
    int count = 0;
    D distance[kRoom + 8];
    int32_t from[kRoom + 8], to[kRoom + 8];
};

template <class D>
STEPPE_INLINE uint8_t fingerprint(D distance) {
    if constexpr (sizeof(D) == 4) {
        const auto w = std::bit_cast<uint32_t>(distance);
        return static_cast<uint8_t>(w ^ w >> 8 ^ w >> 16);
    } else {
        const auto w = std::bit_cast<uint64_t>(distance);
        return static_cast<uint8_t>(w ^ w >> 16 ^ w >> 32 ^ w >> 44);
    }
}

// Prints for [begin, end); returns the largest distance that is not `unreached`. Without a branch for those, which
// isolated vertices would have mispredicted.
template <class D, class P>
STEPPE_INLINE P fingerprint_all(const P* d, P unreached, int64_t begin, int64_t end,
                                uint8_t* STEPPE_RESTRICT fingerprints) {
    P most = 0;
    for (int64_t v = begin; v < end; ++v) {
        fingerprints[v] = fingerprint(static_cast<D>(d[v]));
        P known;
        if constexpr (std::is_integral_v<P>) known = d[v] & -static_cast<P>(d[v] != unreached);
        else known = d[v] == unreached ? 0 : d[v];
        most = known > most ? known : most;
    }
    return most;
}

// Vertices whose rows are to be read, and how far that has got: to edge `e` of list[i], -1 being its first. The rows of
// some other vertices lie between theirs, so the processor cannot foresee them by itself.
struct RowBatch {
    static constexpr int64_t kRoom = 2048;
    int32_t list[kRoom];
    int64_t size = 0, i = 0, e = -1;
};

// Writes down the edges of the vertices in `rows` that are tight, as far as there is room.
template <class Rows, class D, class P>
void sweep(const Rows& g, const P* d, RowBatch& rows, Tight<D>& STEPPE_RESTRICT found) {
    for (; rows.i < rows.size; ++rows.i, rows.e = -1) {
        const int32_t u = rows.list[rows.i];
        for (int64_t e = rows.e < 0 ? g.first(u) : rows.e; e < g.last(u); ++e) {
            if (found.count == Tight<D>::kRoom) {
                rows.e = e;
                return;
            }
            const int32_t v = g.target(e);
            const D sum = static_cast<D>(d[u]) + static_cast<D>(g.weight(e));
            found.distance[found.count] = sum;
            found.from[found.count] = u;
            found.to[found.count] = v;
            found.count += sum == static_cast<D>(d[v]);
        }
    }
}

// The same for all edges of records.
template <class W, class D, class P>
int64_t sweep_records(const rows::Quads<W>& g, const P* d, P unreached, int64_t begin, int64_t end,
                      Tight<D>& STEPPE_RESTRICT found) {
    int64_t i = begin;
    for (; i < end && found.count <= Tight<D>::kRoom - rows::Quads<W>::kMostEdges; ++i) {
        const auto u = static_cast<int32_t>(i);
        if (d[u] == unreached) continue;
        int count = found.count;
        g.each(u, [&](int32_t v, auto weight) {
            const D sum = static_cast<D>(d[u]) + static_cast<D>(weight);
            found.distance[count] = sum;
            found.from[count] = u;
            found.to[count] = v;
            count += (sum == static_cast<D>(d[v])) & (u != v);  // what fills a record up is a loop
        });
        found.count = count;
    }
    return i;
}

// Writes down the tight in-edges of the vertices v in `rows` that have low + w <= d(v), as far as there is room.
template <class In, class D, class P>
void pull_tight(const In& in, const P* d, D low, RowBatch& rows, Tight<D>& STEPPE_RESTRICT found) {
    for (; rows.i < rows.size; ++rows.i, rows.e = -1) {
        const int32_t v = rows.list[rows.i];
        const D dv = static_cast<D>(d[v]);
        for (int64_t e = rows.e < 0 ? in.first(v) : rows.e; e < in.last(v); ++e) {
            const D w = static_cast<D>(in.weight(e));
            if (low + w > dv) break;
            if (found.count == Tight<D>::kRoom) {
                rows.e = e;
                return;
            }
            const D du = static_cast<D>(d[in.target(e)]);
            found.distance[found.count] = du;
            found.from[found.count] = in.target(e);
            found.to[found.count] = v;
            found.count += du + w == dv;
        }
    }
}

#if STEPPE_AVX512
template <class D, class P>
STEPPE_WIDE P fingerprint_avx512(const P* d, P unreached, int64_t begin, int64_t end, uint8_t* fingerprints) {
    return fingerprint_all<D>(d, unreached, begin, end, fingerprints);
}

// Distances are compared by their fingerprints, which fit the cache where distances do not: one in 256 of the edges
// that are not tight will seem so. Returns the new end of `found`.
template <int kLanes, class D>
STEPPE_LANE int keep_tight(const search::Edges<D, kLanes>& edges, __mmask8 among,
                           typename search::Lanes<D, kLanes>::Register du,
                           typename search::Lanes<D, kLanes>::Targets from, const uint8_t* fingerprints,
                           Tight<D>& STEPPE_RESTRICT found, int count) {
    using L = search::Lanes<D, kLanes>;
    const auto sum = L::add(du, edges.weight);
    const __mmask8 same = L::same_fingerprint(among, edges.target, fingerprints, L::fingerprint(sum));
    L::store(found.distance + count, same, sum);
    L::store_targets(found.from + count, 0xff, from);
    L::store_targets(found.to + count, same, edges.target);
    return count + std::popcount(static_cast<unsigned>(same));
}

template <class Rows, class D, class P>
STEPPE_WIDE void sweep_avx512(const Rows& g, const P* d, const uint8_t* fingerprints, RowBatch& STEPPE_RESTRICT rows,
                              Tight<D>& STEPPE_RESTRICT found) {
    int count = found.count;
    for (; rows.i < rows.size; ++rows.i, rows.e = -1) {
        const int32_t u = rows.list[rows.i];
        const auto du = search::Lanes<D, 8>::all(static_cast<D>(d[u]));
        const auto from = search::Lanes<int32_t, 8>::all(u);
        if (rows.i + 8 < rows.size) g.prefetch_edges(g.first(rows.list[rows.i + 8]));
        const int64_t last = g.last(u);
        for (int64_t e = rows.e < 0 ? g.first(u) : rows.e; e < last; e += 8) {
            if (STEPPE_UNLIKELY(count > Tight<D>::kRoom - 8)) {
                rows.e = e;
                found.count = count;
                return;
            }
            const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
            count = keep_tight<8>(search::read_eight<D>(g, e, among), among, du, from, fingerprints, found, count);
        }
    }
    found.count = count;
}

// Two records at once where neither is linked on: they are eight edges in one cache line.
template <class W, class D, class P>
STEPPE_WIDE int64_t sweep_records_avx512(const rows::Quads<W>& g, const P* d, P unreached, const uint8_t* fingerprints,
                                         int64_t begin, int64_t end, Tight<D>& STEPPE_RESTRICT found) {
    const auto* const records = g.record(0);
    int count = found.count;
    int64_t i = begin;
    while (i < end && count <= Tight<D>::kRoom - rows::Quads<W>::kMostEdges) {
        const auto* r = records + 4 * i;
        const auto id = static_cast<int32_t>(i);
        if (STEPPE_LIKELY(i + 1 < end && r[3].weight() >= 0 && r[7].weight() >= 0)) {
            using L = search::Lanes<D, 8>;
            STEPPE_PREFETCH(r + 256);  // Intel Xeon, November 2026, a grid of 2 M: 25 -> 18 M cycles
            const search::Edges<D, 8> eight = search::read_eight<D>(r, 0xff);
            const auto from = search::Lanes<int32_t, 8>::halves(id, id + 1);
            const auto known =
                static_cast<__mmask8>((d[i] != unreached ? 0x0f : 0) | (d[i + 1] != unreached ? 0xf0 : 0));
            const auto sum = L::add(L::halves(static_cast<D>(d[i]), static_cast<D>(d[i + 1])), eight.weight);
            const __mmask8 real = _mm256_mask_cmpneq_epi32_mask(known, eight.target, from);
            const __mmask8 same = L::same_fingerprint(real, eight.target, fingerprints, L::fingerprint(sum));
            L::store(found.distance + count, same, sum);
            L::store_targets(found.from + count, same, from);
            L::store_targets(found.to + count, same, eight.target);
            count += std::popcount(static_cast<unsigned>(same));
            i += 2;
            continue;
        }
        const auto from = search::Lanes<int32_t, 4>::all(id);
        const auto du = search::Lanes<D, 4>::all(static_cast<D>(d[i]));
        for (bool linked = d[i++] != unreached; linked; r = records + 4 * int64_t{r[3].target()}) {
            linked = r[3].weight() < 0;
            const search::Edges<D, 4> four = search::read_four<D>(r);
            const __mmask8 real =
                _mm_mask_cmpneq_epi32_mask(static_cast<__mmask8>(linked ? 0x7 : 0xf), four.target, from);
            count = keep_tight<4>(four, real, du, from, fingerprints, found, count);
        }
    }
    found.count = count;
    return i;
}

template <class In, class D, class P>
STEPPE_WIDE void pull_tight_avx512(const In& in, const P* d, const uint8_t* fingerprints, D low,
                                   RowBatch& STEPPE_RESTRICT rows, Tight<D>& STEPPE_RESTRICT found) {
    using L = search::Lanes<D, 8>;
    const auto bound = L::all(low);
    int count = found.count;
    for (; rows.i < rows.size; ++rows.i, rows.e = -1) {
        const int32_t v = rows.list[rows.i];
        const auto dv = L::all(static_cast<D>(d[v]));
        if (rows.i + 8 < rows.size) in.prefetch_edges(in.first(rows.list[rows.i + 8]));
        const int64_t last = in.last(v);
        for (int64_t e = rows.e < 0 ? in.first(v) : rows.e; e < last; e += 8) {
            if (STEPPE_UNLIKELY(count > Tight<D>::kRoom - 8)) {
                rows.e = e;
                found.count = count;
                return;
            }
            const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
            const search::Edges<D, 8> edges = search::read_eight<D>(in, e, among);
            const __mmask8 light = among & ~L::less(among, dv, L::add(bound, edges.weight));
            __mmask8 tight;
            if constexpr (std::is_integral_v<D>) {
                const auto du = reinterpret_cast<typename L::Register>(
                    reinterpret_cast<typename L::Typed>(dv) - reinterpret_cast<typename L::Typed>(edges.weight));
                tight = L::same_fingerprint(light, edges.target, fingerprints, L::fingerprint(du));
                L::store(found.distance + count, tight, du);
            } else {
                const auto sum = L::add(L::template gather<sizeof(D)>(light, edges.target, d), edges.weight);
                tight = L::equal(light, sum, dv);
                L::store(found.distance + count, tight, L::template gather<sizeof(D)>(tight, edges.target, d));
            }
            L::store_targets(found.from + count, tight, edges.target);
            L::store_targets(found.to + count, 0xff, search::Lanes<int32_t, 8>::all(v));
            count += std::popcount(static_cast<unsigned>(tight));
            if (light != among) break;
        }
    }
    found.count = count;
}
#endif

}  // namespace steppe::tree

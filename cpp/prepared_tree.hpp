// The canonical tree of predecessors.hpp on a prepared graph, from the few edges that can be tight.
//
// Let `low` be a distance. A tight edge u -> v starts below it, or has low + w <= d(v). So the vertices below are swept
// with all their edges, and every other vertex reads only the light ones of its in-edges, which are sorted by weight:
// as in the pull finish of the search, with the distances known. `low` is chosen from a sample of vertices; on a
// scale-20 RMAT a third of the edges are read. Rows of four have no in-edges, and no need for them: all are swept.
//
// Rows are read in memory order and tested without branches, eight edges at once with AVX-512; the random accesses are
// to the distances alone, in the narrowest type that holds them. Needs weights that are never lost (ties.hpp).
#pragma once
#include <optional>
#include <vector>

#include "packed.hpp"
#include "parallel.hpp"
#include "quads.hpp"
#include "scan_avx512.hpp"
#include "ties.hpp"
#include "watch.hpp"

namespace steppe {

// Edges from[k] -> to[k] that are tight if distance[k] is that of to[k], or, when pulled, of from[k].
template <class D>
struct Tight {
    static constexpr int kRoom = 1024;
    int count = 0;
    D distance[kRoom + 8];
    int32_t from[kRoom + 8], to[kRoom + 8];
};

template <class D>
uint8_t print_of(D distance) {
    if constexpr (sizeof(D) == 4) {
        const auto w = detail::bits<uint32_t>(distance);
        return static_cast<uint8_t>(w ^ w >> 8 ^ w >> 16);
    } else {
        const auto w = detail::bits<uint64_t>(distance);
        return static_cast<uint8_t>(w ^ w >> 16 ^ w >> 32 ^ w >> 44);
    }
}

// Vertices whose rows are to be read, and how far that has got: to edge `e` of list[i], -1 being its first. The rows of
// some other vertices lie between theirs, so the processor cannot foresee them by itself.
struct Rows2048 {
    int32_t list[2048];
    int64_t size = 0, i = 0, e = -1;
};

// Writes down the edges of the vertices in `rows` that are tight, as far as there is room.
template <class Rows, class D, class P>
void sweep(const Rows& g, const P* d, Rows2048& rows, Tight<D>& STEPPE_RESTRICT found) {
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
int64_t sweep_records(const Quads<W>& g, const P* d, P unreached, int64_t begin, int64_t end,
                      Tight<D>& STEPPE_RESTRICT found) {
    int64_t i = begin;
    for (; i < end && found.count <= Tight<D>::kRoom - Quads<W>::kMostEdges; ++i) {
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
void pull_tight(const In& in, const P* d, D low, Rows2048& rows, Tight<D>& STEPPE_RESTRICT found) {
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
// Distances are compared by their prints, which fit the cache where distances do not: one in 256 of the edges that are
// not tight will seem so. Returns the new end of `found`.
template <int kLanes, class D>
STEPPE_LANE int keep_tight(const Edges<D, kLanes>& edges, __mmask8 among, typename Lanes<D, kLanes>::Register du,
                           typename Lanes<D, kLanes>::Targets from, const uint8_t* prints,
                           Tight<D>& STEPPE_RESTRICT found, int count) {
    using L = Lanes<D, kLanes>;
    const auto sum = L::add(du, edges.weight);
    const __mmask8 same = L::same_print(among, edges.target, prints, L::print(sum));
    L::store(found.distance + count, same, sum);
    L::store_targets(found.from + count, 0xff, from);
    L::store_targets(found.to + count, same, edges.target);
    return count + std::popcount(static_cast<unsigned>(same));
}

template <class Rows, class D, class P>
STEPPE_WIDE void sweep_avx512(const Rows& g, const P* d, const uint8_t* prints, Rows2048& STEPPE_RESTRICT rows,
                              Tight<D>& STEPPE_RESTRICT found) {
    int count = found.count;
    for (; rows.i < rows.size; ++rows.i, rows.e = -1) {
        const int32_t u = rows.list[rows.i];
        const auto du = Lanes<D, 8>::all(static_cast<D>(d[u]));
        const auto from = Lanes<int32_t, 8>::all(u);
        if (rows.i + 8 < rows.size) g.prefetch_edges(g.first(rows.list[rows.i + 8]));
        const int64_t last = g.last(u);
        for (int64_t e = rows.e < 0 ? g.first(u) : rows.e; e < last; e += 8) {
            if (STEPPE_UNLIKELY(count > Tight<D>::kRoom - 8)) {
                rows.e = e;
                found.count = count;
                return;
            }
            const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
            count = keep_tight<8>(read_eight<D>(g, e, among), among, du, from, prints, found, count);
        }
    }
    found.count = count;
}

template <class W, class D, class P>
STEPPE_WIDE int64_t sweep_records_avx512(const Quads<W>& g, const P* d, P unreached, const uint8_t* prints,
                                         int64_t begin, int64_t end, Tight<D>& STEPPE_RESTRICT found) {
    const auto* const records = g.record(0);
    int count = found.count;
    int64_t i = begin;
    for (; i < end && count <= Tight<D>::kRoom - Quads<W>::kMostEdges; ++i) {
        if (d[i] == unreached) continue;
        const auto du = Lanes<D, 4>::all(static_cast<D>(d[i]));
        const auto from = Lanes<int32_t, 4>::all(static_cast<int32_t>(i));
        for (const auto* r = records + 4 * i;; r = records + 4 * int64_t{r[3].target()}) {
            const bool linked = r[3].weight() < 0;
            const Edges<D, 4> four = read_four<D>(r);
            const __mmask8 real =
                _mm_mask_cmpneq_epi32_mask(static_cast<__mmask8>(linked ? 0x7 : 0xf), four.target, from);
            count = keep_tight<4>(four, real, du, from, prints, found, count);
            if (STEPPE_LIKELY(!linked)) break;
        }
    }
    found.count = count;
    return i;
}

template <class In, class D, class P>
STEPPE_WIDE void pull_tight_avx512(const In& in, const P* d, const uint8_t* prints, D low,
                                   Rows2048& STEPPE_RESTRICT rows, Tight<D>& STEPPE_RESTRICT found) {
    using L = Lanes<D, 8>;
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
            const Edges<D, 8> edges = read_eight<D>(in, e, among);
            const __mmask8 light = among & ~L::less(among, dv, L::add(bound, edges.weight));
            __mmask8 tight;
            if constexpr (std::is_integral_v<D>) {
                const auto du = reinterpret_cast<typename L::Register>(
                    reinterpret_cast<typename L::Typed>(dv) - reinterpret_cast<typename L::Typed>(edges.weight));
                tight = L::same_print(light, edges.target, prints, L::print(du));
                L::store(found.distance + count, tight, du);
            } else {
                const auto sum = L::add(L::template gather<sizeof(D)>(light, edges.target, d), edges.weight);
                tight = L::equal(light, sum, dv);
                L::store(found.distance + count, tight, L::template gather<sizeof(D)>(tight, edges.target, d));
            }
            L::store_targets(found.from + count, tight, edges.target);
            L::store_targets(found.to + count, 0xff, Lanes<int32_t, 8>::all(v));
            count += std::popcount(static_cast<unsigned>(tight));
            if (light != among) break;
        }
    }
    found.count = count;
}
#endif

// D: what is computed in; P: what distances are given in, wider where they are integers. `unreached` becomes
// kInfinity<D> or, in 64 bits, twice as much as any distance.
template <class Rows, class In, class D, class P>
class PreparedTree {
  public:
    PreparedTree(const Rows& g, const In* in, const P* d, P unreached, int32_t* pred, int threads, Watch& watch)
        : g_(g),
          in_(in),
          d_(d),
          unreached_(unreached),
          pred_(pred),
          threads_(threads),
          watch_(watch),
          ties_(threads),
          prints_(g.n + 3) {}

    // False when there are too many ties, or a weight may be lost: pred is then of no use.
    bool run(D min_weight) {
        std::vector<P> furthest(threads_, 0);
        for_ranges([&](int64_t begin, int64_t end, int thread) {
            P most = 0;
            for (int64_t v = begin; v < end; ++v) {
                prints_[v] = print_of(static_cast<D>(d_[v]));
                most = std::max(most, d_[v] == unreached_ ? P{0} : d_[v]);
            }
            std::fill(pred_ + begin, pred_ + end, kUnset<int32_t>);
            furthest[thread] = std::max(furthest[thread], most);
        });
        const P most = *std::max_element(furthest.begin(), furthest.end());
        // Half the smallest weight must count at the largest distance: then every tight edge rises.
        if constexpr (std::is_integral_v<P>) {
            if (most > static_cast<P>(kLargest<D>)) return false;
        } else if (!(most + min_weight / 2 > most)) {
            return false;
        }
        const D low = choose();
        if (threads_ == 1) push<false>(low);
        else push<true>(low);
        if constexpr (!Rows::kRecords)
            if (low != kInfinity<D>) pull(low);
        std::vector<Tie<int32_t>> ties;
        for (const auto& mine : ties_) ties.insert(ties.end(), mine.begin(), mine.end());
        return static_cast<int64_t>(ties.size()) <= most_ties(g_.n) &&
               settle_ties(ties, d_, pred_, g_.n, prints_.data());
    }

  private:
    // Where to change from push to pull: of some quantiles of the distances, closer to one another the lower they are,
    // the one with the fewest edges to read, in rows of eight. Both sides of the sum are estimated from samples.
    D choose() const {
        if constexpr (Rows::kRecords) {
            return kInfinity<D>;
        } else {
            if (!in_) return kInfinity<D>;
            std::vector<std::pair<D, int32_t>> sample;
            for (int64_t v = 0; v < g_.n; v += std::max<int64_t>(1, g_.n / 16384))
                if (d_[v] != unreached_) sample.emplace_back(static_cast<D>(d_[v]), static_cast<int32_t>(v));
            std::sort(sample.begin(), sample.end());
            const size_t count = sample.size(), step = count / 1024 + 1;
            int64_t below = 0, best = 0;
            for (const auto& at : sample) best += eights(g_.degree(at.second));
            D low = kInfinity<D>;
            for (size_t i = 0, next = 0; i < count; below += eights(g_.degree(sample[i++].second))) {
                if (i < next || below > best) continue;
                next = i + i / 2 + 1;
                int64_t reads = 0;
                for (size_t j = i; j < count; j += step) reads += 1 + lighter(sample[j].second, sample[i].first) / 8;
                reads = below + reads * static_cast<int64_t>(step);
                if (reads < best) best = reads, low = sample[i].first;
            }
            return low;
        }
    }
    static int64_t eights(int64_t edges) { return (edges + 7) / 8; }
    // The number of in-edges of v with low + w <= d(v).
    int64_t lighter(int32_t v, D low) const {
        int64_t begin = in_->first(v), end = in_->last(v);
        const int64_t first = begin;
        while (begin < end) {
            const int64_t middle = (begin + end) / 2;
            if (low + static_cast<D>(in_->weight(middle)) <= static_cast<D>(d_[v])) begin = middle + 1;
            else end = middle;
        }
        return begin - first;
    }

    template <bool kShared>
    void push(D low) {
        for_ranges([&](int64_t begin, int64_t end, int thread) {
            Tight<D> found;
            if constexpr (Rows::kRecords) {
                for (int64_t i = begin; i < end;) {
                    i = sweep_best(i, end, found);
                    take<kShared>(found, ties_[thread]);
                }
            } else {
                Rows2048 rows;
                for (int64_t u = begin; u < end; ++u) {
                    rows.list[rows.size] = static_cast<int32_t>(u);
                    rows.size += (d_[u] != unreached_) & (static_cast<D>(d_[u]) < low);
                }
                while (rows.i < rows.size) {
                    sweep_best(rows, found);
                    take<kShared>(found, ties_[thread]);
                }
            }
        });
    }
    void pull(D low) {
        for_ranges([&](int64_t begin, int64_t end, int thread) {
            Tight<D> found;
            Rows2048 rows;
            for (int64_t v = begin; v < end; ++v) {
                rows.list[rows.size] = static_cast<int32_t>(v);
                const D least = low + static_cast<D>(in_->lightest(static_cast<int32_t>(v)));
                rows.size += (d_[v] != unreached_) & (least >= low) & (least <= static_cast<D>(d_[v]));
            }
            while (rows.i < rows.size) {
                pull_best(low, rows, found);
                take<false, true>(found, ties_[thread]);
            }
        });
    }
    template <bool kShared, bool kPulled = false>
    void take(Tight<D>& found, std::vector<Tie<int32_t>>& ties) {
        for (int k = 0; k < found.count; ++k) {
            const P distance = d_[kPulled ? found.from[k] : found.to[k]];
            if (static_cast<P>(found.distance[k]) == distance && distance != unreached_)
                take_tail<kShared>(found.from[k], found.to[k], pred_, ties);
        }
        found.count = 0;
    }
    int64_t sweep_best(int64_t begin, int64_t end, Tight<D>& found) const {
#if STEPPE_AVX512
        if (avx512_wanted()) return sweep_records_avx512(g_, d_, unreached_, prints_.data(), begin, end, found);
#endif
        return sweep_records(g_, d_, unreached_, begin, end, found);
    }
    void sweep_best(Rows2048& rows, Tight<D>& found) const {
#if STEPPE_AVX512
        if (avx512_wanted()) return sweep_avx512(g_, d_, prints_.data(), rows, found);
#endif
        sweep(g_, d_, rows, found);
    }
    void pull_best(D low, Rows2048& rows, Tight<D>& found) const {
#if STEPPE_AVX512
        if (avx512_wanted()) return pull_tight_avx512(*in_, d_, prints_.data(), low, rows, found);
#endif
        pull_tight(*in_, d_, low, rows, found);
    }
    // f(begin, end, thread) over stretches that Rows2048 has room for.
    template <class F>
    void for_ranges(F f) {
        constexpr int64_t kBlock = 2048;
        parallel_for(threads_, g_.n, kBlock, [&](int64_t first, int64_t last, int thread) {
            for (int64_t begin = first; begin < last && !watch_.poll(begin); begin += kBlock)
                f(begin, std::min(last, begin + kBlock), thread);
        });
        watch_.check();
    }

    const Rows& g_;
    const In* const in_;
    const P* const d_;
    const P unreached_;
    int32_t* const pred_;
    const int threads_;
    Watch& watch_;
    std::vector<std::vector<Tie<int32_t>>> ties_;
    Buffer<uint8_t> prints_;
};

// Writes the canonical tree into pred, -1 where there is no predecessor; false when it cannot.
template <class Rows, class In, class W, class P>
bool prepared_tree(const Rows& g, const In* in, const P* distances, P unreached, W min_weight, int32_t* pred,
                   int threads, Watch& watch) {
    // Public integers are int64; nearly always 32 bits hold them, and twice as many fit a register.
    using D = std::conditional_t<std::is_same_v<W, int32_t>, uint32_t,
                                 std::conditional_t<std::is_same_v<W, int64_t>, uint64_t, W>>;
    if (!(min_weight > 0)) return false;
    return PreparedTree<Rows, In, D, P>(g, in, distances, unreached, pred, threads, watch)
        .run(static_cast<D>(min_weight));
}

}  // namespace steppe

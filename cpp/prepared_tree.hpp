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

// Writes down the edges of u among [first, last), or all of its record's, that are tight, or seem so.
template <class Rows, class D>
void sweep(const Rows& g, const D* d, int32_t u, int64_t first, int64_t last, Tight<D>& STEPPE_RESTRICT found) {
    int count = found.count;
    auto keep = [&](int32_t v, auto weight) {
        found.distance[count] = d[u] + static_cast<D>(weight);
        found.from[count] = u;
        found.to[count] = v;
        count += (found.distance[count] == d[v]) & (u != v);  // what fills a record up is a loop
    };
    if constexpr (Rows::kRecords) g.each(u, keep);
    else
        for (int64_t e = first; e < last; ++e) keep(g.target(e), g.weight(e));
    found.count = count;
}

// Writes down the tight in-edges of v among [first, last) with low + w <= d(v); returns whether one was heavier.
template <class In, class D>
bool pull_tight(const In& in, const D* d, int32_t v, D low, int64_t first, int64_t last,
                Tight<D>& STEPPE_RESTRICT found) {
    for (int64_t e = first; e < last; ++e) {
        const D w = static_cast<D>(in.weight(e));
        if (low + w > d[v]) return true;
        const D du = d[in.target(e)];
        found.distance[found.count] = du;
        found.from[found.count] = in.target(e);
        found.to[found.count] = v;
        found.count += du != kInfinity<D> && du + w == d[v];
    }
    return false;
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

template <class Rows, class D>
STEPPE_WIDE void sweep_avx512(const Rows& g, const D* d, const uint8_t* prints, int32_t u, int64_t first, int64_t last,
                              Tight<D>& STEPPE_RESTRICT found) {
    const auto du = Lanes<D, 8>::all(d[u]);
    const auto from = Lanes<int32_t, 8>::all(u);
    int count = found.count;
    for (int64_t e = first; e < last; e += 8) {
        const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
        count = keep_tight<8>(read_eight<D>(g, e, among), among, du, from, prints, found, count);
    }
    found.count = count;
}

// Records of the vertices [begin, end), as far as there is room; returns the first that was not swept.
template <class W, class D>
STEPPE_WIDE int64_t sweep_records_avx512(const Quads<W>& g, const D* d, const uint8_t* prints, int64_t begin,
                                         int64_t end, Tight<D>& STEPPE_RESTRICT found) {
    const auto* const records = g.record(0);
    int count = found.count;
    int64_t i = begin;
    for (; i < end && count <= Tight<D>::kRoom - Quads<W>::kMostEdges; ++i) {
        if (d[i] == kInfinity<D>) continue;
        const auto du = Lanes<D, 4>::all(d[i]);
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

template <class In, class D>
STEPPE_WIDE bool pull_tight_avx512(const In& in, const D* d, const uint8_t* prints, int32_t v, D low, int64_t first,
                                   int64_t last, Tight<D>& STEPPE_RESTRICT found) {
    using L = Lanes<D, 8>;
    const auto dv = L::all(d[v]), bound = L::all(low);
    for (int64_t e = first; e < last; e += 8) {
        const auto among = static_cast<__mmask8>(last - e < 8 ? (1u << (last - e)) - 1 : 0xff);
        const Edges<D, 8> edges = read_eight<D>(in, e, among);
        const __mmask8 light = among & ~L::less(among, dv, L::add(bound, edges.weight));
        __mmask8 tight;
        if constexpr (std::is_integral_v<D>) {
            const auto du = reinterpret_cast<typename L::Register>(reinterpret_cast<typename L::Typed>(dv) -
                                                                   reinterpret_cast<typename L::Typed>(edges.weight));
            tight = L::same_print(light, edges.target, prints, L::print(du));
            L::store(found.distance + found.count, tight, du);
        } else {
            const auto sum = L::add(L::template gather<sizeof(D)>(light, edges.target, d), edges.weight);
            tight = L::equal(light, sum, dv);
            L::store(found.distance + found.count, tight, L::template gather<sizeof(D)>(tight, edges.target, d));
        }
        L::store_targets(found.from + found.count, tight, edges.target);
        L::store_targets(found.to + found.count, 0xff, Lanes<int32_t, 8>::all(v));
        found.count += std::popcount(static_cast<unsigned>(tight));
        if (light != among) return true;
    }
    return false;
}
#endif

template <class Rows, class In, class D>
class PreparedTree {
  public:
    // `d`: distances, kInfinity where there is none. pred: kUnset everywhere.
    PreparedTree(const Rows& g, const In* in, const D* d, int32_t* pred, int threads, Watch& watch)
        : g_(g), in_(in), d_(d), pred_(pred), threads_(threads), watch_(watch), ties_(threads) {}

    // False when there are too many ties: pred is then of no use.
    bool run() {
        prints_ = Buffer<uint8_t>(g_.n + 3);
        for_ranges([&](int64_t begin, int64_t end, auto&) {
            for (int64_t v = begin; v < end; ++v) prints_[v] = print_of(d_[v]);
        });
        const D low = choose();
        if (threads_ == 1) push<false>(low);
        else push<true>(low);
        if constexpr (Rows::kRecords == false)
            if (low != kInfinity<D>) pull(low);
        std::vector<Tie<int32_t>> ties;
        for (const auto& mine : ties_) ties.insert(ties.end(), mine.begin(), mine.end());
        return static_cast<int64_t>(ties.size()) <= most_ties(g_.n) && settle_ties(ties, d_, pred_, g_.n);
    }

  private:
    // Where to change from push to pull: the quantile of the sampled distances with the fewest edges to read.
    D choose() const {
        if constexpr (Rows::kRecords) {
            return kInfinity<D>;
        } else {
            if (!in_) return kInfinity<D>;
            std::vector<std::pair<D, int32_t>> sample;
            for (int64_t v = 0; v < g_.n; v += std::max<int64_t>(1, g_.n / 2048))
                if (d_[v] != kInfinity<D>) sample.emplace_back(d_[v], static_cast<int32_t>(v));
            std::sort(sample.begin(), sample.end());
            int64_t below = 0, best = 0;
            for (const auto& at : sample) best += g_.degree(at.second);
            D low = kInfinity<D>;
            for (size_t i = 0; i < sample.size(); ++i) {
                if (i % 64 == 32) {
                    int64_t reads = below;
                    for (size_t j = i; j < sample.size() && reads < best; ++j)
                        reads += 8 + lighter(sample[j].second, sample[i].first);
                    if (reads < best) best = reads, low = sample[i].first;
                }
                below += g_.degree(sample[i].second);
            }
            return low;
        }
    }
    // The number of in-edges of v with low + w <= d(v).
    int64_t lighter(int32_t v, D low) const {
        int64_t begin = in_->first(v), end = in_->last(v);
        const int64_t first = begin;
        while (begin < end) {
            const int64_t middle = (begin + end) / 2;
            if (low + static_cast<D>(in_->weight(middle)) <= d_[v]) begin = middle + 1;
            else end = middle;
        }
        return begin - first;
    }

    template <bool kShared>
    void push(D low) {
        for_ranges([&](int64_t begin, int64_t end, std::vector<Tie<int32_t>>& ties) {
            Tight<D> found;
            for (int64_t i = begin; i < end;) {
                if constexpr (Rows::kRecords) {
                    i = sweep_records(i, end, found);
                    take<kShared>(found, ties);
                } else {
                    // Rows that are passed over break the stride the processor would follow by itself.
                    if (i + 16 < g_.n && d_[i + 16] < low) g_.prefetch_edges(g_.first(static_cast<int32_t>(i + 16)));
                    const auto u = static_cast<int32_t>(i++);
                    if (!(d_[u] < low)) continue;
                    for_pieces(g_.first(u), g_.last(u), found, [&](int64_t first, int64_t last) {
                        sweep_edges(u, first, last, found);
                        if (found.count > Tight<D>::kRoom / 2) take<kShared>(found, ties);
                        return true;
                    });
                }
            }
            take<kShared>(found, ties);
        });
    }
    void pull(D low) {
        for_ranges([&](int64_t begin, int64_t end, std::vector<Tie<int32_t>>& ties) {
            Tight<D> found;
            for (int64_t i = begin; i < end; ++i) {
                const auto v = static_cast<int32_t>(i);
                if (i + 16 < g_.n && d_[i + 16] > low) in_->prefetch_edges(in_->first(static_cast<int32_t>(i + 16)));
                if (d_[i] == kInfinity<D> || !(low + static_cast<D>(in_->lightest(v)) <= d_[i])) continue;
                for_pieces(in_->first(v), in_->last(v), found, [&](int64_t first, int64_t last) {
                    const bool heavy = pull_best(v, low, first, last, found);
                    if (found.count > Tight<D>::kRoom / 2) take<false, true>(found, ties);
                    return !heavy;
                });
            }
            take<false, true>(found, ties);
        });
    }
    // f(first, last) over the edges of a row, all at once unless there are more than `found` has room for, until it is
    // false. A branch, not a minimum: the count hangs on what the last gather found, and the next must not wait for it.
    template <class F>
    static STEPPE_INLINE void for_pieces(int64_t first, int64_t last, const Tight<D>& found, F f) {
        while (STEPPE_UNLIKELY(last - first > Tight<D>::kRoom - found.count)) {
            const int64_t stop = first + Tight<D>::kRoom - found.count;
            if (!f(first, stop)) return;
            first = stop;
        }
        f(first, last);
    }
    template <bool kShared, bool kPulled = false>
    void take(Tight<D>& found, std::vector<Tie<int32_t>>& ties) {
        for (int k = 0; k < found.count; ++k)
            if (found.distance[k] == d_[kPulled ? found.from[k] : found.to[k]] && found.distance[k] != kInfinity<D>)
                take_tail<kShared>(found.from[k], found.to[k], pred_, ties);
        found.count = 0;
    }
    int64_t sweep_records(int64_t begin, int64_t end, Tight<D>& found) const {
#if STEPPE_AVX512
        if (avx512_wanted()) return sweep_records_avx512(g_, d_, prints_.data(), begin, end, found);
#endif
        int64_t i = begin;
        for (; i < end && found.count <= Tight<D>::kRoom - Rows::kMostEdges; ++i)
            if (d_[i] != kInfinity<D>) sweep(g_, d_, static_cast<int32_t>(i), 0, 0, found);
        return i;
    }
    void sweep_edges(int32_t u, int64_t first, int64_t last, Tight<D>& found) const {
#if STEPPE_AVX512
        if (avx512_wanted()) return sweep_avx512(g_, d_, prints_.data(), u, first, last, found);
#endif
        sweep(g_, d_, u, first, last, found);
    }
    bool pull_best(int32_t v, D low, int64_t first, int64_t last, Tight<D>& found) const {
#if STEPPE_AVX512
        if (avx512_wanted()) return pull_tight_avx512(*in_, d_, prints_.data(), v, low, first, last, found);
#endif
        return pull_tight(*in_, d_, v, low, first, last, found);
    }
    template <class F>
    void for_ranges(F f) {
        constexpr int64_t kBlock = 2048;
        parallel_for(threads_, g_.n, kBlock, [&](int64_t first, int64_t last, int thread) {
            for (int64_t begin = first; begin < last && !watch_.poll(begin); begin += kBlock)
                f(begin, std::min(last, begin + kBlock), ties_[thread]);
        });
        watch_.check();
    }

    const Rows& g_;
    const In* const in_;
    const D* const d_;
    int32_t* const pred_;
    const int threads_;
    Watch& watch_;
    std::vector<std::vector<Tie<int32_t>>> ties_;
    Buffer<uint8_t> prints_;
};

// Fills pred with kUnset and then the canonical tree, -1 where there is no predecessor; false when it cannot.
template <class Rows, class In, class W, class D>
bool prepared_tree(const Rows& g, const In* in, const D* distances, D unreached, W min_weight, int32_t* pred,
                   int threads, Watch& watch) {
    // Public integers are int64; nearly always 32 bits hold them, and half the cache misses go.
    using N = std::conditional_t<std::is_same_v<W, int32_t>, uint32_t,
                                 std::conditional_t<std::is_same_v<W, int64_t>, uint64_t, W>>;
    if (!(min_weight > 0)) return false;
    Buffer<N> narrow(std::is_integral_v<D> ? g.n : 0);
    std::atomic<bool> fits{true};
    D furthest = 0;
    if constexpr (std::is_integral_v<D>) {
        parallel_for(threads, g.n, 1 << 16, [&](int64_t begin, int64_t end, int) {
            bool wide = false;
            for (int64_t v = begin; v < end; ++v) {
                const D d = distances[v];
                wide |= d != unreached && d > static_cast<D>(kLargest<N>);
                narrow[v] = d == unreached ? kInfinity<N> : static_cast<N>(d);
            }
            if (wide) fits.store(false, std::memory_order_relaxed);
        });
    } else {
        for (int64_t v = 0; v < g.n; ++v)
            if (distances[v] != unreached) furthest = std::max(furthest, distances[v]);
        // Half the smallest weight must count at the largest distance: then every tight edge rises.
        if (!(furthest + static_cast<D>(min_weight) / 2 > furthest)) return false;
    }
    if (!fits.load()) return false;
    const N* d = nullptr;
    if constexpr (std::is_integral_v<D>) d = narrow.data();
    else d = distances;
    parallel_for(threads, g.n, 1 << 18,
                 [&](int64_t begin, int64_t end, int) { std::fill(pred + begin, pred + end, kUnset<int32_t>); });
    if (!PreparedTree<Rows, In, N>(g, in, d, pred, threads, watch).run()) return false;
    parallel_for(threads, g.n, 1 << 18, [&](int64_t begin, int64_t end, int) {
        for (int64_t v = begin; v < end; ++v) pred[v] = pred[v] == kUnset<int32_t> ? -1 : pred[v];
    });
    return true;
}

}  // namespace steppe

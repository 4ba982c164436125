// The canonical tree of by_search.hpp on a prepared graph, from the few edges that can be tight.
//
// Let `low` be a distance. A tight edge u -> v starts below it, or has low + w <= d(v). So the vertices below are swept
// with all their edges, and every other vertex reads only the light ones of its in-edges, which are sorted by weight:
// as in the pull finish of the search, with the distances known. `low` is chosen from a sample of vertices; on a
// scale-20 RMAT one edge in sixteen is read. Rows of four have no in-edges, and no need for them: all are swept.
//
// Rows are read in memory order; what is accessed at random are bytes (tight_rows.hpp). Needs positive
// weights, of which few may be lost in rounding (ties.hpp).
#pragma once
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "tree/ties.hpp"
#include "tree/tight_rows.hpp"

namespace steppe::tree {

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
          fingerprints_(g.n + 3) {}

    // False when there are too many ties, or a distance does not fit: pred is then of no use.
    bool run() {
        std::vector<P> furthest(threads_, 0);
        for_ranges([&](int64_t begin, int64_t end, int thread) {
            furthest[thread] = std::max(furthest[thread], fingerprint_best(begin, end));
            std::fill(pred_ + begin, pred_ + end, kUnset<int32_t>);
        });
        if constexpr (std::is_integral_v<P>)
            if (*std::max_element(furthest.begin(), furthest.end()) > static_cast<P>(kLargest<D>)) return false;
        const D low = choose();
        if (threads_ == 1) push<false>(low);
        else push<true>(low);
        if constexpr (!Rows::kRecords)
            if (low != kInfinity<D>) pull(low);
        std::vector<Tie<int32_t>> ties;
        for (const auto& mine : ties_) ties.insert(ties.end(), mine.begin(), mine.end());
        return static_cast<int64_t>(ties.size()) <= most_ties(g_.n) &&
               settle_ties(ties, d_, pred_, g_.n, fingerprints_.data());
    }

  private:
    P fingerprint_best(int64_t begin, int64_t end) {
#if STEPPE_AVX512
        if (search::avx512_wanted()) return fingerprint_avx512<D>(d_, unreached_, begin, end, fingerprints_.data());
#endif
        return fingerprint_all<D>(d_, unreached_, begin, end, fingerprints_.data());
    }
    // Where to change from push to pull: of some quantiles of the distances, closer to one another the lower they are,
    // the one with the fewest edges to read, in rows of eight. Both sides of the sum are estimated from samples.
    D choose() const {
        if constexpr (Rows::kRecords) {
            return kInfinity<D>;
        } else {
            if (!in_) return kInfinity<D>;
            std::vector<std::pair<D, int32_t>> sample;
            for (int64_t v = 0; v < g_.n; v += std::max<int64_t>(1, g_.n / 4096))
                if (d_[v] != unreached_) sample.emplace_back(static_cast<D>(d_[v]), static_cast<int32_t>(v));
            std::sort(sample.begin(), sample.end());
            const size_t count = sample.size(), step = count / 512 + 1;
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
                RowBatch rows;
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
            RowBatch rows;
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
            if (static_cast<P>(found.distance[k]) != distance || distance == unreached_) continue;
            take_tail<kShared>(found.from[k], found.to[k], d_, pred_, ties);
        }
        found.count = 0;
    }
    int64_t sweep_best(int64_t begin, int64_t end, Tight<D>& found) const {
#if STEPPE_AVX512
        if (search::avx512_wanted())
            return sweep_records_avx512(g_, d_, unreached_, fingerprints_.data(), begin, end, found);
#endif
        return sweep_records(g_, d_, unreached_, begin, end, found);
    }
    void sweep_best(RowBatch& rows, Tight<D>& found) const {
#if STEPPE_AVX512
        if (search::avx512_wanted()) return sweep_avx512(g_, d_, fingerprints_.data(), rows, found);
#endif
        sweep(g_, d_, rows, found);
    }
    void pull_best(D low, RowBatch& rows, Tight<D>& found) const {
#if STEPPE_AVX512
        if (search::avx512_wanted()) return pull_tight_avx512(*in_, d_, fingerprints_.data(), low, rows, found);
#endif
        pull_tight(*in_, d_, low, rows, found);
    }
    // f(begin, end, thread) over stretches for which a RowBatch has room.
    template <class F>
    void for_ranges(F f) {
        constexpr int64_t kBlock = RowBatch::kRoom;
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
    Buffer<uint8_t> fingerprints_;
};

// Writes the canonical tree into pred, -1 where there is no predecessor; false when it cannot.
template <class Rows, class In, class W, class P>
bool prepared_tree(const Rows& g, const In* in, const P* distances, P unreached, W min_weight, int32_t* pred,
                   int threads, Watch& watch) {
    // Public integers are int64; nearly always 32 bits hold them, and twice as many fit a register.
    using D = Narrow<W>;
    if (!(min_weight > 0)) return false;
    return PreparedTree<Rows, In, D, P>(g, in, distances, unreached, pred, threads, watch).run();
}

}  // namespace steppe::tree

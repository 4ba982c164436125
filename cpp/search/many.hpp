// Many sources: a matrix of distances, a row for each.
//
// With more sources than threads, one search per thread beats one search on all threads: nothing is shared, so nothing
// is waited for. Each thread keeps its arrays from source to source and takes the next source when it is done (sources
// differ: one may see the whole graph, another ten vertices). Distances are computed in the narrow type and widened
// while the row is written; a source whose distances need 64 bits is searched again, and its thread stays wide.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "rows/csr.hpp"
#include "search/answer.hpp"
#include "search/delta_stepping.hpp"
#include "search/dijkstra.hpp"
#include "search/search.hpp"

namespace steppe::search {

enum class ManyMethod { kDijkstra, kDeltaStepping, kHops };

template <class R>
struct Many {
    ManyMethod method;
    const int64_t* sources;
    int64_t count;
    const int64_t* targets;  // null: every vertex is a column
    int64_t columns;
    bool bounded;  // the cutoff; it is in the type of the distances
    R bound;
    double delta, mean_weight, max_weight;
    int threads;
};

template <class V, class W, class R>
class ManySearches {
  public:
    ManySearches(const rows::Csr<V, W>& g, const Many<R>& q, R* rows, Watch& watch)
        : g_(g), q_(q), rows_(rows), watch_(watch), inner_([this](int64_t) { return watch_.poll(LOAD(&done_)); }) {}

    // Fills the rows; returns the first source some distance from which does not fit in 64 bits, or -1.
    int64_t run() {
        std::vector<Lane> lanes(static_cast<size_t>(q_.threads));
        parallel_for(q_.threads, q_.count, 1, [&](int64_t begin, int64_t end, int thread) {
            for (int64_t i = begin; i < end && !inner_.stopped(); ++i) {
                lanes[thread].row(*this, i);
                ADD(&done_, int64_t{1});
                inner_.poll();
            }
        });
        inner_.check();
        return lost_ == q_.count ? -1 : lost_;
    }

  private:
    // What one thread keeps from source to source.
    struct Lane {
        Buffer<Narrow<W>> narrow;
        Buffer<Wide<W>> wide;
        Buffer<V> queue;
        bool is_wide = false;

        void row(ManySearches& m, int64_t i) {
            if constexpr (std::is_integral_v<W>)  // without weights W is int32
                if (m.q_.method == ManyMethod::kHops) return m.hops(i, narrow, queue);
            const bool found = widen<W>(is_wide, [&]<class D, bool kLast>() {
                if constexpr (std::is_same_v<D, Narrow<W>>) return m.template search<kLast>(i, narrow);
                else return m.template search<kLast>(i, wide);
            });
            if (!found) m.lose(i);
        }
    };

    // False: some distance does not fit in D, and the row has not been written.
    template <bool kLast, class D>
    bool search(int64_t i, Buffer<D>& dist) {
        if (dist.size() == 0) dist = Buffer<D>(g_.n);
        Search<V, D> s;
        s.sources = {static_cast<V>(q_.sources[i])};
        if (q_.targets)
            for (int64_t j = 0; j < q_.columns; ++j) s.targets.push_back(static_cast<V>(q_.targets[j]));
        if (q_.bounded) s.reach = Reach<D>(q_.bound);
        s.delta = q_.delta;
        s.mean_weight = q_.mean_weight;
        s.max_weight = q_.max_weight;
        s.watch = &inner_;
        const Stats stats = q_.method == ManyMethod::kDijkstra
                                ? dijkstra<false>(g_, s, dist.data(), static_cast<V*>(nullptr))
                                : delta_stepping<false>(g_, static_cast<const NoEdges*>(nullptr), s, dist.data(),
                                                        static_cast<V*>(nullptr));
        if (inner_.stopped()) return true;
        if (stats.outgrown && is_lost<kLast, true>(g_, s.targets, dist.data())) return false;
        write(i, dist.data());
        return true;
    }

    // Breadth-first, where every edge has length 1.
    void hops(int64_t i, Buffer<Narrow<W>>& dist, Buffer<V>& queue) {
        using D = Narrow<W>;
        if (dist.size() == 0) dist = Buffer<D>(g_.n), queue = Buffer<V>(g_.n);
        std::fill(dist.begin(), dist.end(), kInfinity<D>);
        const D last = q_.bounded ? Reach<D>(q_.bound).limit() : kLargest<D>;
        int64_t head = 0, tail = 0;
        dist[q_.sources[i]] = 0;
        queue[tail++] = static_cast<V>(q_.sources[i]);
        while (head < tail) {
            if ((head & 4095) == 4095 && inner_.poll()) return;
            const V u = queue[head++];
            const D next = dist[u] + 1;
            if (next > last) break;
            for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e) {
                const V v = g_.targets[e];
                if (dist[v] != kInfinity<D>) continue;
                dist[v] = next;
                queue[tail++] = v;
            }
        }
        write(i, dist.data());
    }

    template <class D>
    void write(int64_t i, const D* dist) {
        R* row = rows_ + i * q_.columns;
        for (int64_t j = 0; j < q_.columns; ++j) {
            row[j] = told<R>(dist[q_.targets ? q_.targets[j] : j], kInfinity<D>);
        }
    }

    void lose(int64_t i) { MIN(&lost_, i); }

    const rows::Csr<V, W>& g_;
    const Many<R>& q_;
    R* rows_;
    Watch& watch_;
    Watch inner_;  // the searches ask this one: progress counts sources, not the edges of each
    int64_t done_ = 0, lost_ = q_.count;
};

}  // namespace steppe::search

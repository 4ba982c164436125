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

#include "atomics.hpp"
#include "csr.hpp"
#include "delta_stepping.hpp"
#include "dijkstra.hpp"
#include "memory.hpp"
#include "packed.hpp"
#include "parallel.hpp"
#include "search.hpp"

namespace steppe {

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
    ManySearches(const Csr<V, W>& g, const Many<R>& q, R* rows, Watch& watch)
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
    using Narrow = std::conditional_t<std::is_same_v<W, int32_t>, uint32_t,
                                      std::conditional_t<std::is_same_v<W, int64_t>, uint64_t, W>>;
    using Wide = std::conditional_t<std::is_integral_v<W>, uint64_t, W>;

    // What one thread keeps from source to source.
    struct Lane {
        Buffer<Narrow> narrow;
        Buffer<Wide> wide;
        Buffer<V> queue;
        bool is_wide = false;

        void row(ManySearches& m, int64_t i) {
            if constexpr (std::is_integral_v<W>)  // without weights W is int32
                if (m.q_.method == ManyMethod::kHops) return m.hops(i, narrow, queue);
            if (!is_wide) is_wide = !m.search(i, narrow);
            if (is_wide && !m.search(i, wide)) m.lose(i);
        }
    };

    // False: a sum did not fit in D, so the row means nothing.
    template <class D>
    bool search(int64_t i, Buffer<D>& dist) {
        if (dist.size() == 0) dist = Buffer<D>(g_.n);
        Search<V, D> s;
        s.sources = {static_cast<V>(q_.sources[i])};
        if (q_.targets)
            for (int64_t j = 0; j < q_.columns; ++j) s.targets.push_back(static_cast<V>(q_.targets[j]));
        bool is_cut = false;  // the cutoff lies within the type: what is beyond it is no overflow
        if (q_.bounded) {
            if constexpr (std::is_integral_v<D>) {
                is_cut = static_cast<uint64_t>(q_.bound) <= kLargest<D>;
                s.limit = is_cut ? static_cast<D>(q_.bound) : kLargest<D>;
            } else {
                s.limit = q_.bound;
            }
        }
        s.delta = q_.delta;
        s.mean_weight = q_.mean_weight;
        s.max_weight = q_.max_weight;
        s.watch = &inner_;
        const Stats stats = q_.method == ManyMethod::kDijkstra
                                ? dijkstra<false>(g_, s, dist.data(), static_cast<V*>(nullptr))
                                : delta_stepping<false>(g_, static_cast<const NoEdges*>(nullptr), s, dist.data(),
                                                        static_cast<V*>(nullptr));
        if (inner_.stopped()) return true;
        if (std::is_integral_v<D> && stats.overflow && !is_cut && (sizeof(D) == 4 || cut_off(dist.data())))
            return false;
        write(i, dist.data());
        return true;
    }

    // Breadth-first, where every edge has length 1.
    void hops(int64_t i, Buffer<Narrow>& dist, Buffer<V>& queue) {
        if (dist.size() == 0) dist = Buffer<Narrow>(g_.n), queue = Buffer<V>(g_.n);
        std::fill(dist.begin(), dist.end(), kInfinity<Narrow>);
        const Narrow last =
            q_.bounded ? static_cast<Narrow>(std::min<uint64_t>(q_.bound, kLargest<Narrow>)) : kLargest<Narrow>;
        int64_t head = 0, tail = 0;
        dist[q_.sources[i]] = 0;
        queue[tail++] = static_cast<V>(q_.sources[i]);
        while (head < tail) {
            if ((head & 4095) == 4095 && inner_.poll()) return;
            const V u = queue[head++];
            const Narrow next = dist[u] + 1;
            if (next > last) break;
            for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e) {
                const V v = g_.targets[e];
                if (dist[v] != kInfinity<Narrow>) continue;
                dist[v] = next;
                queue[tail++] = v;
            }
        }
        write(i, dist.data());
    }

    // Whether a vertex counts as unreached only because every way to it passed the type.
    template <class D>
    bool cut_off(const D* dist) const {
        for (int64_t u = 0; u < g_.n; ++u)
            if (dist[u] != kInfinity<D>)
                for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e)
                    if (dist[g_.targets[e]] == kInfinity<D>) return true;
        return false;
    }

    template <class D>
    void write(int64_t i, const D* dist) {
        R* row = rows_ + i * q_.columns;
        for (int64_t j = 0; j < q_.columns; ++j) {
            const D d = dist[q_.targets ? q_.targets[j] : j];
            if constexpr (std::is_integral_v<D>) row[j] = d == kInfinity<D> ? kUnreachable : static_cast<R>(d);
            else row[j] = d;
        }
    }

    void lose(int64_t i) { MIN(&lost_, i); }

    const Csr<V, W>& g_;
    const Many<R>& q_;
    R* rows_;
    Watch& watch_;
    Watch inner_;  // the searches ask this one: progress counts sources, not the edges of each
    int64_t done_ = 0, lost_ = q_.count;
};

}  // namespace steppe

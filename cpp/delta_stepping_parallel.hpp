// Delta-stepping on several threads: the buckets of delta_stepping.hpp as shared bins without barriers (bins.hpp).
//
// Each thread takes the lowest chunk there is, relaxes its vertices with MIN, and files what it improved. A thread may
// run a little ahead of another, so now and then a vertex is relaxed with a distance that still falls: wasted work,
// never a wrong answer, because a fall files the vertex again. Wider buckets than on one thread keep chunks full.
#pragma once
#include <memory>

#include "bins.hpp"
#include "delta_stepping.hpp"
#include "tentative.hpp"

namespace steppe {

inline double parallel_delta(double mean_weight, double max_weight, double mean_degree) {
    const double delta = mean_degree < 8 ? mean_weight / 2 : mean_weight / mean_degree / 2;
    return std::max({delta, max_weight / (1 << 13), std::numeric_limits<double>::min()});
}

template <bool kPaths, class V, class W, class D>
Stats delta_stepping_parallel(const Csr<V, W>& g, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    stats.threads = search.threads;
    const double mean_degree = static_cast<double>(g.edges()) / std::max<int64_t>(1, g.n);
    const Width<D> width(search.delta > 0 ? search.delta
                                          : parallel_delta(search.mean_weight, search.max_weight, mean_degree));
    stats.delta = width.value();
    const int64_t reach = static_cast<int64_t>(std::min(1e6, search.max_weight / width.value())) + 2;
    const int64_t slots = std::clamp<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * reach + 8)), 64, 1 << 15);
    Tentative<kPaths, V, D> tentative(search, g.n, dist, pred);
    Bins<V> bins(slots, search.threads);
    const D limit = search.limit;
    std::atomic<bool> too_wide{false};
    std::vector<std::unique_ptr<Worker<V>>> workers(search.threads);  // outlive all threads: chunks move between them
    for (int t = 0; t < search.threads; ++t) workers[t] = std::make_unique<Worker<V>>(bins, slots, t);
    for (V s : search.sources) workers[0]->file(0, s);
    std::vector<Stats> parts(search.threads);
    auto stop = [&] { return search.watch->stopped() || too_wide.load(std::memory_order_relaxed); };

    parallel(search.threads, [&](int thread, int team) {
        bins.join(team);
        Worker<V>& worker = *workers[thread];
        Stats mine;
        bool overflow = false;
        int64_t next_poll = 1 << 16;
        while (Chunk<V>* chunk = worker.next(stop)) {
            ++mine.rounds;
            const V* list = chunk->items;
            const int size = chunk->count;
            for (int i = 0; i < size; ++i) {
                if (i + 8 < size) STEPPE_PREFETCH(&g.offsets[list[i + 8]]);
                if (i + 4 < size) {
                    const int64_t e = g.offsets[list[i + 4]];
                    STEPPE_PREFETCH(&g.targets[e]);
                    STEPPE_PREFETCH(&g.weights[e]);
                    STEPPE_PREFETCH(tentative.address(list[i + 4]));
                }
                if (i + 2 < size) {
                    const V ahead = list[i + 2];
                    const int64_t first = g.offsets[ahead], last = std::min(g.offsets[ahead + 1], first + 8);
                    for (int64_t e = first; e < last; ++e) STEPPE_PREFETCH(tentative.address(g.targets[e]));
                }
                const V u = list[i];
                const D du = tentative.load(u);
                if (width.bucket(du) < chunk->bucket) continue;  // stale
                const int64_t first = g.offsets[u], last = g.offsets[u + 1];
                mine.edges_relaxed += last - first;
                for (int64_t e = first; e < last; ++e) {
                    if (e + 16 < last) STEPPE_PREFETCH(tentative.address(g.targets[e + 16]));
                    const V v = g.targets[e];
                    const D candidate = du + static_cast<D>(g.weights[e]);
                    if (candidate < tentative.load(v) && within(candidate, limit, overflow)) {
                        ++mine.atomics;
                        if (tentative.improve(v, candidate, u)) worker.file(width.bucket(candidate), v);
                    }
                }
            }
            worker.recycle(chunk);
            if (overflow && sizeof(D) == 4) too_wide.store(true, std::memory_order_relaxed);
            if (mine.edges_relaxed > next_poll) {
                next_poll = mine.edges_relaxed + (1 << 16);
                search.watch->poll(mine.edges_relaxed);
            }
            if (stop()) {
                bins.finish();
                break;
            }
        }
        mine.overflow = overflow;
        parts[thread] = mine;
    });
    tentative.finish(search.threads);
    for (const Stats& part : parts) {
        stats.rounds += part.rounds;
        stats.edges_relaxed += part.edges_relaxed;
        stats.atomics += part.atomics;
        stats.overflow |= part.overflow;
    }
    stats.edges_touched = stats.edges_relaxed;
    return stats;
}

}  // namespace steppe

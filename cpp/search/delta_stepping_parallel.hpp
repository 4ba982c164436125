// Delta-stepping on several threads: the buckets of delta_stepping.hpp as shared bins without barriers (bins.hpp).
//
// Each thread takes the lowest chunk there is, relaxes its vertices with MIN, and files what it improved. A thread may
// run a little ahead of another, so now and then a vertex is relaxed with a distance that still falls: wasted work,
// never a wrong answer, because a fall files the vertex again. Wider buckets than on one thread keep chunks full.
//
// Where the system runs something else on one of the cores, the thread there stops in the middle of a chunk, and the
// others would wait for it again and again, a time slice each. The first that waits too long ends the sharing: the
// search goes on on one thread, with what all have filed.
//
// Chunks of one bucket come last in, first out, an order in which graphs made for it (SPLIB's grid_phard) relax their
// edges exponentially often. A search that has gone over its edges many times gives up, and one thread, whose narrower
// buckets are queues, does it again.
#pragma once
#include <memory>

#include "search/bins.hpp"
#include "search/delta_stepping.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// The more threads, the wider. (Two threads, scale-20 RMAT with float weights: a half 85 ms, a sixteenth 60.)
inline double parallel_delta(double mean_weight, double max_weight, double mean_degree, int threads) {
    const double share = std::min(0.5, threads / 32.0);
    const double delta = mean_degree < 8 ? mean_weight / 2 : mean_weight / mean_degree * share;
    return std::max({delta, max_weight / (1 << 13), std::numeric_limits<double>::min()});
}

// What push_shared leaves to do.
template <class V, class D>
struct Rest {
    std::optional<D> low;  // the lower bound of all that is not final, when it is time to pull
    std::vector<V> left;   // the vertices still filed, when a thread was blocked
};

// push_alone's counterpart.
template <class Rows, class In, class T, class V, class D>
Rest<V, D> push_shared(const Rows& g, const In* in, const Search<V, D>& search, const Width<D>& width,
                       const std::vector<V>& begin, T& tentative, Stats& stats) {
    const int64_t span = static_cast<int64_t>(std::min(1e6, search.max_weight / width.value())) + 2;
    const int64_t slots = std::clamp<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * span + 8)), 64, 1 << 15);
    Bins<V> bins(slots, search.threads);
    const Reach<D> reach = search.reach;
    std::atomic<bool> too_wide{false}, turn{false}, stuck{false}, blocked{false};
    const int64_t most_relaxed = 8 * (g.edges() + g.n);               // by one thread
    std::vector<std::unique_ptr<Worker<V>>> workers(search.threads);  // outlive all threads: chunks move between them
    for (int t = 0; t < search.threads; ++t) workers[t] = std::make_unique<Worker<V>>(bins, slots, t);
    for (V s : begin) workers[0]->file(width.bucket(tentative.load(s)), s);
    std::vector<Stats> parts(search.threads);
    const int64_t look = std::max<int64_t>(1 << 14, g.edges() / 24 / search.threads);

    parallel(search.threads, [&](int thread, int team) {
        bins.join(team);
        const FinishOnExit<V> finish{bins};
        if (thread == 0) stats.threads = team;
        Worker<V>& worker = *workers[thread];
        Stats mine;
        Candidates<V, D> found;
        bool outgrown = false;
        int64_t next_poll = 1 << 16, next_look = look;
        auto is_over = [&] {  // for all threads
            return too_wide.load(std::memory_order_relaxed) || turn.load(std::memory_order_relaxed) ||
                   stuck.load(std::memory_order_relaxed) || blocked.load(std::memory_order_relaxed);
        };
        auto stop = [&] { return search.watch->poll(mine.edges_relaxed) || is_over(); };
        while (Chunk<V>* chunk = worker.next(stop)) {
            ++mine.rounds;
            const size_t size = static_cast<size_t>(chunk->count);
            for (Place at; at.i < size;) {
                mine.edges_relaxed +=
                    scan_best<T::kPaths>(g, tentative, width, chunk->bucket, chunk->items, size, at, found);
                for (int k = 0; k < found.count; ++k) {
                    const V v = found.target[k];
                    const D candidate = found.distance[k];
                    if (candidate < tentative.load(v) && reach.admits(candidate, outgrown)) {
                        ++mine.atomics;
                        const V from = T::kPaths ? found.from[k] : V{-1};
                        if (tentative.improve(v, candidate, from)) worker.file(width.bucket(candidate), v);
                    }
                }
            }
            [[maybe_unused]] const int64_t bucket = chunk->bucket;
            worker.recycle(chunk);
            if (is_in_vain<D>(outgrown)) too_wide.store(true, std::memory_order_relaxed);
            if (mine.edges_relaxed > next_poll) {
                next_poll = mine.edges_relaxed + (1 << 16);
                bins.nudge();
                if (mine.edges_relaxed > most_relaxed) stuck.store(true, std::memory_order_relaxed);
                if (stop()) break;
            }
            if constexpr (!std::is_same_v<In, NoEdges>) {
                if (in && thread == 0 && mine.edges_relaxed > next_look) {
                    next_look = mine.edges_relaxed + look;
                    if (pull_pays(*in, tentative, width.least(bucket), look))
                        turn.store(true, std::memory_order_relaxed);
                }
            }
            if (bins.finished() || search.watch->stopped() || is_over()) break;
        }
        if (worker.is_blocked()) blocked.store(true, std::memory_order_relaxed);
        mine.outgrown = outgrown;
        parts[thread] = mine;
    });
    for (const Stats& part : parts) {
        stats.rounds += part.rounds;
        stats.edges_relaxed += part.edges_relaxed;
        stats.edges_touched += part.edges_relaxed;
        stats.atomics += part.atomics;
        stats.outgrown |= part.outgrown;
    }
    stats.stuck = stuck.load();
    Rest<V, D> rest;
    if (stats.stuck || !(turn.load() || blocked.load())) return rest;
    int64_t low = Bins<V>::kNone;
    auto take = [&](const Chunk<V>& chunk) {
        low = std::min(low, chunk.bucket);
        if (blocked.load()) rest.left.insert(rest.left.end(), chunk.items, chunk.items + chunk.count);
    };
    bins.each(take);
    for (const auto& worker : workers) worker->each(take);
    if (low != Bins<V>::kNone && !blocked.load()) rest.low = width.least(low);
    return rest;
}

template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping_parallel(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    const double mean_degree = static_cast<double>(g.edges()) / std::max<int64_t>(1, g.n);
    const Width<D> width(search.delta > 0
                             ? search.delta
                             : parallel_delta(search.mean_weight, search.max_weight, mean_degree, search.threads));
    stats.delta = width.value();
    Tentative<kPaths, V, D> tentative(search, g.n, dist, pred);
    Rest<V, D> rest = push_shared(g, in, search, width, search.sources, tentative, stats);
    if constexpr (!std::is_same_v<In, NoEdges>) {
        if (rest.low) {
            std::vector<V> changed;
            stats.note = "finished by pull";
            pull(*in, g, tentative, *rest.low, search.reach, changed, search.threads, stats);
            rest = push_shared(g, static_cast<const NoEdges*>(nullptr), search, width, changed, tentative, stats);
            in = nullptr;
        }
    }
    if (!rest.left.empty()) {
        finish_alone(g, in, search, width, rest.left, tentative, stats);
        stats.note = "a thread was held up: finished on one";
    }
    if (stats.stuck && !is_in_vain<D>(stats.outgrown)) {
        Search<V, D> narrower = search;  // buckets for several threads were too wide for these weights
        narrower.delta = std::min(width.value(), serial_delta(search.mean_weight, search.max_weight, mean_degree));
        Stats again = delta_stepping<kPaths>(g, in, narrower, dist, pred);
        again.rounds += stats.rounds;
        again.edges_relaxed += stats.edges_relaxed;
        again.edges_touched += stats.edges_touched;
        again.atomics = stats.atomics;
        again.note = "too much was relaxed in vain: done again on one thread";
        return again;
    }
    tentative.finish(search.threads);
    return stats;
}

}  // namespace steppe::search

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
// Each thread watches its pace. The first that finds the buckets too wide or too narrow stops all, and they go on in
// buckets of another width with what is filed: distances so far stay good. Chunks of one bucket come last in, first
// out, an order in which graphs made for it (SPLIB's grid_phard) relax their edges exponentially often: a search that
// has gone over its edges many times is finished by one thread, whose buckets are queues.
#pragma once
#include <memory>

#include "search/bins.hpp"
#include "search/delta_stepping.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// The more threads, the wider. (Two threads, scale-20 RMAT with float weights: a half 85 ms, a sixteenth 60.)
inline double parallel_delta(double typical_weight, double max_weight, double mean_degree, int threads) {
    const double share = std::min(0.5, threads / 32.0);
    const double delta = mean_degree < 8 ? typical_weight / 2 : typical_weight / mean_degree * share;
    return std::max({delta, max_weight * 0x1p-31, std::numeric_limits<double>::min()});
}

// Why push_shared has stopped, and what it leaves to do.
enum class Halt { kNone, kPull, kBlocked, kStuck, kNarrower, kWider, kOutgrown };

template <class V, class D>
struct Rest {
    Halt why = Halt::kNone;
    D low = 0;            // the lower bound of all that is not final
    std::vector<V> left;  // the vertices still filed
};

// push_alone's counterpart.
template <class Rows, class In, class T, class V, class D>
Rest<V, D> push_shared(const Rows& g, const In* in, const Search<V, D>& search, const Width<D>& width,
                       const std::vector<V>& begin, T& tentative, std::vector<Pace<D>>& paces, Stats& stats) {
    const int64_t span = static_cast<int64_t>(std::min(1e6, search.max_weight / width.value())) + 2;
    const int64_t slots = std::clamp<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * span + 8)), 64, 1 << 12);
    Bins<V> bins(slots, search.threads);
    const Reach<D> reach = search.reach;
    std::atomic<Halt> halt{Halt::kNone};  // for all threads
    auto halt_for = [&](Halt why) {
        Halt none = Halt::kNone;
        halt.compare_exchange_strong(none, why, std::memory_order_relaxed);
    };
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
        Pace<D> pace = paces[thread];
        auto is_over = [&] { return halt.load(std::memory_order_relaxed) != Halt::kNone; };
        auto stop = [&] { return search.watch->poll(mine.edges_relaxed) || is_over(); };
        while (Chunk<V>* chunk = worker.next(stop)) {
            ++mine.rounds;
            const size_t size = static_cast<size_t>(chunk->count);
            const D end = width.least(chunk->bucket + 1);
            for (Place at; at.i < size;) {
                mine.edges_relaxed +=
                    scan_best<T::kPaths>(g, tentative, width, chunk->bucket, chunk->items, size, at, found);
                for (int k = 0; k < found.count; ++k) {
                    const V v = found.target[k];
                    const D candidate = found.distance[k], before = tentative.load(v);
                    if (candidate < before && reach.admits(candidate, outgrown)) {
                        ++mine.atomics;
                        const V from = T::kPaths ? found.from[k] : V{-1};
                        if (tentative.improve(v, candidate, from)) worker.file(width.bucket(candidate), v);
                        pace.fall_again(before < end);
                    }
                }
            }
            [[maybe_unused]] const int64_t bucket = chunk->bucket;
            worker.recycle(chunk);
            pace.scan(static_cast<int64_t>(size));
            if (STEPPE_UNLIKELY(pace.is_too_wide(width))) halt_for(Halt::kNarrower);
            if (STEPPE_UNLIKELY(pace.is_too_narrow(width))) halt_for(Halt::kWider);
            if (is_in_vain<D>(outgrown)) halt_for(Halt::kOutgrown);
            if (mine.edges_relaxed > next_poll) {
                next_poll = mine.edges_relaxed + (1 << 16);
                bins.nudge();
                if (mine.edges_relaxed > most_relaxed) halt_for(Halt::kStuck);
                if (stop()) break;
            }
            if constexpr (!std::is_same_v<In, NoEdges>) {
                if (in && thread == 0 && mine.edges_relaxed > next_look) {
                    next_look = mine.edges_relaxed + look;
                    if (pull_pays(*in, tentative, width.least(bucket), look)) halt_for(Halt::kPull);
                }
            }
            if (bins.finished() || search.watch->stopped() || is_over()) break;
        }
        if (worker.is_blocked()) halt_for(Halt::kBlocked);
        mine.outgrown = outgrown;
        parts[thread] = mine;
        paces[thread] = pace;
    });
    for (const Stats& part : parts) {
        stats.rounds += part.rounds;
        stats.edges_relaxed += part.edges_relaxed;
        stats.edges_touched += part.edges_relaxed;
        stats.atomics += part.atomics;
        stats.outgrown |= part.outgrown;
    }
    Rest<V, D> rest{halt.load()};
    if (rest.why == Halt::kNone || rest.why == Halt::kOutgrown) return rest;
    int64_t low = Bins<V>::kNone;
    auto take = [&](int64_t bucket, V v) {
        low = std::min(low, bucket);
        if (width.bucket(tentative.load(v)) == bucket) rest.left.push_back(v);  // otherwise it is stale
    };
    bins.drain(take);
    for (const auto& worker : workers) worker->drain(take);
    if (rest.left.empty()) rest.why = Halt::kNone;
    else rest.low = width.least(low);
    return rest;
}

template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping_parallel(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    const double mean_degree = static_cast<double>(g.edges()) / std::max<int64_t>(1, g.n);
    Width<D> width(search.delta > 0
                       ? search.delta
                       : parallel_delta(search.typical_weight, search.max_weight, mean_degree, search.threads));
    Tentative<kPaths, V, D> tentative(search, g.n, dist, pred);
    std::vector<Pace<D>> paces(search.threads, Pace<D>(search.fixed_delta, search.max_weight, g.n));
    Rest<V, D> rest{Halt::kNone, 0, search.sources};
    for (bool again = true; again;) {
        rest = push_shared(g, in, search, width, rest.left, tentative, paces, stats);
        again = rest.why == Halt::kNarrower || rest.why == Halt::kWider;
        if (again) {
            width = rest.why == Halt::kNarrower ? paces[0].narrower(width) : paces[0].wider(width);
            std::fill(paces.begin(), paces.end(), paces[0]);
            ++stats.width_changes;
        }
        if constexpr (!std::is_same_v<In, NoEdges>) {
            if (rest.why == Halt::kPull) {
                stats.note = "finished by pull";
                pull(*in, g, tentative, rest.low, search.reach, rest.left, search.threads, stats);
                in = nullptr;
                again = true;
            }
        }
    }
    if (rest.why == Halt::kBlocked || rest.why == Halt::kStuck) {
        finish_alone(g, in, search, width, rest.left, tentative, stats);
        stats.note = rest.why == Halt::kBlocked ? "a thread was held up: finished on one"
                                                : "too much was relaxed in vain: finished on one thread";
    }
    stats.delta = width.value();
    tentative.finish(search.threads);
    return stats;
}

}  // namespace steppe::search

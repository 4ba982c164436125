// Independent threads: delta-stepping on several threads that never meet, for graphs with short rows (roads, grids).
// There a bucket has too little work for a barrier.
//
// Each thread is the search of one thread (delta_stepping.hpp), with a ring of buckets of its own. Every thread may
// lower any distance, by compare-and-swap; the thread that lowered it files the vertex in its own ring. So a thread
// stays in its own branches of the tree of shortest paths: wide regions, along whose borders alone threads write to the
// same cache lines. Messages (mailboxes.hpp) bring work to a thread that has too little.
//
// Where the system runs another process on one of the cores, the thread there stops in the middle of a bucket, and the
// others would wait for it again and again, a time slice each. The first thread that waits too long halts all. One
// thread then finishes the search from what is in the buckets.
//
// Each thread watches whether buckets have the right width. The first that finds them too wide or too narrow halts all,
// and they go on with buckets of another width: distances found so far stay good. A search that has relaxed its edges
// many times, because threads are far apart again and again, is finished by one thread, too.
//
// Owners of vertices, who alone lower their distances and get messages with candidates, were tried instead. (Two
// threads of an EPYC, November 2026, owners over this: grid of 1500² 1.03, the same with records of four 1.12; 500²
// 0.9; New York 0.8; a grid with eight neighbours, 1800²: 1.2 over bulk_synchronous.hpp.)
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "search/delta_stepping.hpp"
#include "search/halt.hpp"
#include "search/tentative.hpp"
#include "search/thread_buckets.hpp"

namespace steppe::search {

template <bool kPaths, class Rows, class In, class V, class D>
class IndependentThreads {
  public:
    IndependentThreads(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred)
        : g_(g),
          in_(in),
          search_(search),
          dist_(dist),
          pred_(pred),
          distances_(search, g.n, dist, pred),
          pace_(search.fixed_delta, search.max_weight, g.n) {}

    Stats run(Width<D> width) {
        stats_.scheme = "independent threads";
        Unfinished<V, D> rest{Halt::kNone, 0, search_.sources};
        for (bool again = true; again;) {
            rest = push(width, rest.vertices);
            again = rest.why == Halt::kNarrower || rest.why == Halt::kWider;
            if (again) {
                width = rest.why == Halt::kNarrower ? pace_.narrower(width) : pace_.wider(width);
                ++stats_.width_changes;
            }
            if constexpr (!std::is_same_v<In, NoEdges>) {
                if (rest.why == Halt::kPull) {
                    stats_.note = "finished by pull";
                    pull(*in_, g_, distances_, rest.low, search_.reach, rest.vertices, search_.threads, stats_);
                    in_ = nullptr;
                    again = true;
                }
            }
        }
        distances_.finish(search_.threads);
        if (rest.why == Halt::kBlocked || rest.why == Halt::kStuck) {
            Alone<kPaths, V, D> alone(dist_, pred_);
            finish_alone(g_, in_, search_, width, rest.vertices, alone, stats_);
            stats_.note =
                rest.why == Halt::kBlocked ? kHeldUp : "edges were relaxed again too often: finished on one thread";
        }
        stats_.delta = width.value();
        return stats_;
    }

  private:
    // What one thread has.
    struct Worker {
        Worker(Mailboxes<V>& mailboxes, int64_t span, int thread, const Pace<D>& as)
            : buckets(mailboxes, span, thread), pace(as) {}
        ThreadBuckets<V> buckets;
        Pace<D> pace;
        Stats stats;
        Candidates<V, D> found;
    };

    // Pushes from `begin` until nothing is left or a thread halts all.
    Unfinished<V, D> push(const Width<D>& width, const std::vector<V>& begin) {
        Mailboxes<V> mailboxes(search_.threads);
        Halted halted;
        std::vector<std::unique_ptr<Worker>> workers;  // outlive all threads: messages move between them
        for (int t = 0; t < search_.threads; ++t)
            workers.push_back(std::make_unique<Worker>(mailboxes, span_of(search_.max_weight, width), t, pace_));
        parallel(search_.threads, [&](int thread, int team) {
            const FinishOnExit<V> finish{mailboxes};
            mailboxes.set_threads(team);
            if (thread == 0) stats_.threads = team;
            // Rounded up: a single source is for the first thread, and no other need be woken.
            const auto from = [&](int t) { return (begin.size() * t + team - 1) / team; };
            for (size_t i = from(thread); i < from(thread + 1); ++i)
                workers[thread]->buckets.file(width.bucket(distances_.load(begin[i])), begin[i]);
            work(*workers[thread], width, thread, team, mailboxes, halted);
        });
        for (const auto& worker : workers) stats_.add(worker->stats);
        return unfinished(workers, width, halted.why());
    }

    Unfinished<V, D> unfinished(const std::vector<std::unique_ptr<Worker>>& workers, const Width<D>& width, Halt why) {
        Unfinished<V, D> rest{why, 0, {}};
        if (why == Halt::kNone || why == Halt::kOutgrown) return rest;
        int64_t lowest = Mailboxes<V>::kNone;
        for (const auto& worker : workers) {
            if (why == Halt::kPull) {  // which finds for itself what is left
                lowest = std::min(lowest, worker->buckets.ring.open());
                continue;
            }
            worker->buckets.ring.drain([&](int64_t bucket, V v) {
                if (width.bucket(distances_.load(v)) == bucket) rest.vertices.push_back(v);  // else it is stale
            });
        }
        for (const auto& worker : workers)
            worker->buckets.read([&](const Message<V>& message) {
                for (int i = 0; i < message.count; ++i) {
                    lowest = std::min(lowest, width.bucket(distances_.load(message.vertex[i])));
                    rest.vertices.push_back(message.vertex[i]);
                }
            });
        if (why == Halt::kPull) rest.low = width.least(lowest);
        else if (rest.vertices.empty()) rest.why = Halt::kNone;
        return rest;
    }

    // The search of one thread.
    void work(Worker& worker, const Width<D>& width, int thread, int team, Mailboxes<V>& mailboxes, Halted& halted) {
        ThreadBuckets<V>& buckets = worker.buckets;
        Stats& stats = worker.stats;
        const int64_t most_relaxed = 8 * (g_.edges() + g_.n);
        const int64_t look = pull_look(g_) / search_.threads;
        int64_t next_poll = 1 << 16, window_end = -1;
        [[maybe_unused]] int64_t next_look = look;
        Wait wait;
        const auto stop = [&] { return search_.watch->poll(stats.edges_relaxed) || halted.is(); };
        while (!mailboxes.finished() && !halted.is() && !search_.watch->stopped()) {
            if (mailboxes.has_messages(thread)) buckets.receive(distances_, width);
            const int64_t b = buckets.ring.lowest();
            if (b < 0) {
                mailboxes.request_work(thread, 0);
                if (!mailboxes.wait(thread, stop)) break;
                continue;
            }
            mailboxes.set_bucket(thread, b);
            if (b > window_end && b > (window_end = mailboxes.window_end(thread, b, kWindow))) {
                if (stop()) break;
                if (wait.is_in_vain(mailboxes.beats(), stats.edges_relaxed)) halted.because(Halt::kBlocked);
                if (wait.is_long()) mailboxes.request_work(thread, buckets.entries);
                pause_cpu();
                continue;
            }
            wait.spins = 0;
            if (buckets.share(b, distances_, width)) continue;
            if constexpr (!std::is_same_v<In, NoEdges>) {
                if (in_ && thread == 0 && stats.edges_relaxed > next_look) {
                    next_look = stats.edges_relaxed + look;
                    if (pull_pays(*in_, distances_, width.least(b), look, [](V) { return true; })) {
                        halted.because(Halt::kPull);
                        break;
                    }
                }
            }
            empty_bucket(worker, width, b, thread, team, mailboxes, halted);
            if (STEPPE_UNLIKELY(worker.pace.is_too_narrow(width))) halted.because(Halt::kWider);
            if (is_in_vain<D>(stats.outgrown)) halted.because(Halt::kOutgrown);
            if (stats.edges_relaxed > next_poll) {
                next_poll = stats.edges_relaxed + (1 << 16);  // a look at the clock takes as long as some relaxations
                search_.watch->poll(stats.edges_relaxed);
                mailboxes.wake_sleepers();
                if (stats.edges_relaxed > most_relaxed) halted.because(Halt::kStuck);
            }
        }
    }

    // Relaxes the vertices of bucket `b`, the lowest of this thread, and those that fall into it meanwhile.
    void empty_bucket(Worker& worker, const Width<D>& width, int64_t b, int thread, int team, Mailboxes<V>& mailboxes,
                      Halted& halted) {
        ThreadBuckets<V>& buckets = worker.buckets;
        Candidates<V, D>& found = worker.found;
        Pace<D>& pace = worker.pace;
        std::vector<V>& list = buckets.ring.list();
        const Reach<D> reach = search_.reach;
        const D end = width.least(b + 1);
        int64_t relaxed = 0, atomics = 0;
        bool outgrown = false;
        Place at;
        buckets.ring.next();
        while (at.i < list.size() && !halted.is()) {
            const size_t from = at.i;
            relaxed += scan_best<kPaths>(g_, distances_, width, b, list.data(), list.size(), at, found);
            mailboxes.beat(thread);
            for (int k = 0; k < found.count; ++k) {
                const V v = found.target[k];
                const D candidate = found.distance[k], before = distances_.load(v);
                if (!(candidate < before && reach.admits(candidate, outgrown))) continue;
                ++atomics;
                if (!distances_.improve(v, candidate, kPaths ? found.from[k] : V{-1})) continue;
                buckets.file(width.bucket(candidate), v);
                if constexpr (Rows::kRecords) g_.prefetch_record(v);
                pace.fall_again(before < end ? team : 0);
            }
            pace.scan(team * static_cast<int64_t>(at.i - from));  // the others have parts of this bucket, too
            if (STEPPE_UNLIKELY(pace.is_too_wide(width))) halted.because(Halt::kNarrower);
            if (at.edge == Place::kFirst) buckets.share_list(at.i, b);
        }
        buckets.entries -= static_cast<int64_t>(at.i);
        list.erase(list.begin(), list.begin() + static_cast<int64_t>(at.i));
        ++worker.stats.rounds;
        worker.stats.edges_relaxed += relaxed;
        worker.stats.atomics += atomics;
        worker.stats.outgrown |= outgrown;
    }

    // Buckets that a thread may be ahead of the slowest. Borders that are crossed too far cost little. (New York, two
    // threads of a Xeon, November 2026: 2 3.2 ms, 6 3.05, 16 3.1.)
    static constexpr int64_t kWindow = 6;

    const Rows& g_;
    const In* in_;
    const Search<V, D>& search_;
    D* const dist_;
    V* const pred_;
    Tentative<kPaths, V, D> distances_;
    Pace<D> pace_;
    Stats stats_;
};

}  // namespace steppe::search

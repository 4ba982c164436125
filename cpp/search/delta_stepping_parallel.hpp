// Delta-stepping on several threads.
//
// Where rows are long and edges lead everywhere, threads meet twice for each bucket and share its vertices
// (phases.hpp). Elsewhere (roads, grids) buckets have too little work for meetings: each thread is the search of one
// thread, with a ring of its own; they have vertices of their own, or all lower all (desk.hpp). (Two threads, grid
// of 2 M vertices: letters 34 ms, phases 64, one thread 52.)
//
// Where the system runs something else on one of the cores, the thread there stops in the middle of a bucket, and the
// others would wait for it again and again, a time slice each. The first that waits too long ends the sharing: the
// search goes on on one thread, with what all have filed.
//
// Each thread that has a ring of its own watches its pace. The first that finds the buckets too wide or too narrow
// stops all, and they go on in buckets of another width with what is filed: distances so far stay good. A search that
// has gone over its edges many times, because threads are apart again and again, is finished by one thread.
#pragma once
#include <memory>

#include "search/delta_stepping.hpp"
#include "search/desk.hpp"
#include "search/owned.hpp"
#include "search/phases.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// A search whose threads have a ring each: all that its pushes, each in buckets of one width, have in common. kOwned:
// threads have vertices of their own; else all lower all, and send each other work.
template <bool kPaths, bool kOwned, class Rows, class In, class V, class D>
class Team {
  public:
    Team(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred)
        : g_(g),
          in_(in),
          search_(search),
          dist_(dist),
          pred_(pred),
          all_(search, g.n, dist, pred),
          threads_(search.threads) {
        paces_.assign(threads_, Pace<D>(search.fixed_delta, search.max_weight, g.n));
    }

    Stats run(Width<D> width) {
        Rest<V, D> rest{Halt::kNone, 0, search_.sources};
        for (bool again = true; again;) {
            rest = push(width, rest.left);
            again = rest.why == Halt::kNarrower || rest.why == Halt::kWider;
            if (again) {
                width = rest.why == Halt::kNarrower ? paces_[0].narrower(width) : paces_[0].wider(width);
                std::fill(paces_.begin(), paces_.end(), paces_[0]);
                ++stats_.width_changes;
            }
            if constexpr (!std::is_same_v<In, NoEdges>) {
                if (rest.why == Halt::kPull) {
                    stats_.note = "finished by pull";
                    pull(*in_, g_, all_, rest.low, search_.reach, rest.left, threads_, stats_);
                    in_ = nullptr;
                    again = true;
                }
            }
        }
        all_.finish(threads_);
        if (rest.why == Halt::kBlocked || rest.why == Halt::kStuck) {
            Alone<kPaths, V, D> alone(dist_, pred_);
            finish_alone(g_, in_, search_, width, rest.left, alone, stats_);
            stats_.note = rest.why == Halt::kBlocked ? kHeldUp : "too much was relaxed in vain: finished on one thread";
        }
        stats_.delta = width.value();
        return stats_;
    }

  private:
    // Pushes from `begin` until nothing is left or a thread halts all.
    Rest<V, D> push(const Width<D>& width, const std::vector<V>& begin) {
        Post<V, D> post(threads_);
        Halted halted;
        std::vector<std::unique_ptr<Desk<V, D>>> desks(threads_);  // outlive all threads: letters move between them
        for (int t = 0; t < threads_; ++t)
            desks[t] = std::make_unique<Desk<V, D>>(post, span_of(search_.max_weight, width), t, threads_);
        std::vector<Stats> parts(threads_);
        parallel(threads_, [&](int thread, int team) {
            const FinishOnExit<V, D> finish{post};
            post.join(team);
            if (thread == 0) stats_.threads = team;
            const Owners owners(g_.n, team);
            // Rounded up: a single source that is nobody's is for the first thread, which need not be woken.
            const auto from = [&](int t) { return (begin.size() * t + team - 1) / team; };
            for (size_t i = kOwned ? 0 : from(thread); i < (kOwned ? begin.size() : from(thread + 1)); ++i)
                if (!kOwned || owners.of(begin[i]) == thread)
                    desks[thread]->file(width.bucket(all_.load(begin[i])), begin[i]);
            work(width, owners, thread, team, post, *desks[thread], halted, parts[thread]);
        });
        for (const Stats& part : parts) stats_.add(part);
        Rest<V, D> rest{halted.why(), 0, {}};
        if (rest.why == Halt::kNone || rest.why == Halt::kOutgrown) return rest;
        int64_t low = Post<V, D>::kNone;
        for (const auto& desk : desks) {
            if (rest.why == Halt::kPull) {  // which finds for itself what is left
                low = std::min(low, desk->ring.open());
                continue;
            }
            desk->ring.drain([&](int64_t bucket, V v) {
                if (width.bucket(all_.load(v)) == bucket) rest.left.push_back(v);  // else it is stale
            });
        }
        for (const auto& desk : desks)
            desk->read([](V) {},
                       [&](const Letter<V, D>& letter, int i) {
                           const V v = letter.vertex[i];
                           if (!letter.is_work) {
                               if (!(letter.distance[i] < all_.load(v))) return;
                               all_.set(v, letter.distance[i], letter.from[i]);
                           }
                           low = std::min(low, width.bucket(all_.load(v)));
                           rest.left.push_back(v);
                       });
        if (rest.why == Halt::kPull) rest.low = width.least(low);
        else if (rest.left.empty()) rest.why = Halt::kNone;
        return rest;
    }

    // What one thread does.
    void work(const Width<D>& width, const Owners& owners, int thread, int team, Post<V, D>& post, Desk<V, D>& desk,
              Halted& halted, Stats& told) {
        Ring<V>& ring = desk.ring;
        const Reach<D> reach = search_.reach;
        const int64_t most_relaxed = 8 * (g_.edges() + g_.n);
        const int64_t look = pull_look(g_) / threads_;
        Stats mine;
        Candidates<V, D> found;
        bool outgrown = false;
        int64_t next_poll = 1 << 16, window_end = -1;
        [[maybe_unused]] int64_t next_look = look;
        Pace<D> pace = paces_[thread];
        Wait wait;
        auto stop = [&] { return search_.watch->poll(mine.edges_relaxed) || halted.is(); };
        while (!post.finished() && !halted.is() && !search_.watch->stopped()) {
            if (post.has_mail(thread)) desk.receive(all_, width);
            const int64_t b = ring.lowest();
            if (b < 0) {
                if (!kOwned) post.ask(thread, 0);
                if (!post.wait(thread, stop)) break;
                continue;
            }
            post.work_on(thread, b);
            // (Mail may make an owner go back, so that the window ends sooner.)
            if ((kOwned || b > window_end) && b > (window_end = post.window_end(thread, b, kWindow))) {
                if (stop()) break;
                if (wait.is_in_vain(post.beats(), mine.edges_relaxed)) halted.because(Halt::kBlocked);
                if (!kOwned && wait.is_long()) post.ask(thread, desk.entries);
                pause_cpu();
                continue;
            }
            wait.spins = 0;
            if (!kOwned && desk.share(b, all_, width)) continue;
            if constexpr (!std::is_same_v<In, NoEdges>) {
                if (in_ && thread == 0 && mine.edges_relaxed > next_look) {
                    next_look = mine.edges_relaxed + look;
                    if (pull_pays(*in_, all_, width.least(b), look, [](V) { return true; })) {
                        halted.because(Halt::kPull);
                        break;
                    }
                }
            }
            ring.next();
            ++mine.rounds;
            const D end = width.least(b + 1);
            Place at;
            while (at.i < ring.list().size() && !halted.is()) {
                const size_t from = at.i;
                const std::vector<V>& list = ring.list();
                mine.edges_relaxed += scan_best<kPaths>(g_, all_, width, b, list.data(), list.size(), at, found);
                post.beat(thread);
                for (int k = 0; k < found.count; ++k) {
                    const V v = found.target[k];
                    const D candidate = found.distance[k], before = all_.load(v);
                    if (!(candidate < before && reach.admits(candidate, outgrown))) continue;
                    const V via = kPaths ? found.from[k] : V{-1};
                    if constexpr (kOwned) {
                        const int owner = owners.of(v);
                        if (owner != thread) {
                            desk.send(owner, v, candidate, via, width.bucket(candidate));
                            continue;
                        }
                        all_.set(v, candidate, via);
                    } else {
                        ++mine.atomics;
                        if (!all_.improve(v, candidate, via)) continue;
                    }
                    desk.file(width.bucket(candidate), v);
                    if constexpr (Rows::kRecords) g_.prefetch_record(v);
                    pace.fall_again(before < end ? team : 0);
                }
                pace.scan(team * static_cast<int64_t>(at.i - from));  // the others have parts of this bucket, too
                if (STEPPE_UNLIKELY(pace.is_too_wide(width))) halted.because(Halt::kNarrower);
                if (!kOwned && at.edge == Place::kFirst) desk.share_list(at.i, b);
            }
            desk.entries -= static_cast<int64_t>(at.i);
            ring.list().erase(ring.list().begin(), ring.list().begin() + static_cast<int64_t>(at.i));
            desk.send_all();
            if (STEPPE_UNLIKELY(pace.is_too_narrow(width))) halted.because(Halt::kWider);
            if (is_in_vain<D>(outgrown)) halted.because(Halt::kOutgrown);
            if (mine.edges_relaxed > next_poll) {
                next_poll = mine.edges_relaxed + (1 << 16);  // a look at the clock takes as long as some relaxations
                search_.watch->poll(mine.edges_relaxed);
                post.nudge();
                if (mine.edges_relaxed > most_relaxed) halted.because(Halt::kStuck);
            }
        }
        mine.outgrown = outgrown;
        told = mine;
        paces_[thread] = pace;
    }

    // Buckets that a thread may be ahead. Letters tell of final distances sooner where threads keep together; where all
    // lower all, it costs little that borders are crossed too far. (New York, two threads: 2 3.2 ms, 6 3.05, 16 3.1.)
    static constexpr int64_t kWindow = kOwned ? 2 : 6;

    const Rows& g_;
    const In* in_;
    const Search<V, D>& search_;
    D* const dist_;
    V* const pred_;
    std::conditional_t<kOwned, OneWriter<kPaths, V, D>, Tentative<kPaths, V, D>> all_;
    const int threads_;
    std::vector<Pace<D>> paces_;
    Stats stats_;
};

// A search whose threads meet: pushes, pulls where it pays, pushes what that changed.
template <bool kPaths, class Rows, class In, class V, class D>
Stats in_phases(const Rows& g, const In* in, const Search<V, D>& search, Width<D> width, D* dist, V* pred) {
    Stats stats;
    Alone<kPaths, V, D> all(search, g.n, dist, pred);
    Rest<V, D> rest{Halt::kNone, 0, search.sources};
    do {
        Phases<kPaths, Rows, In, V, D> phases(g, in, search, all, width, stats);
        rest = phases.run(rest.left);
        width = phases.width();
        if constexpr (!std::is_same_v<In, NoEdges>) {
            if (rest.why != Halt::kPull) break;
            stats.note = "finished by pull";
            OneWriter<kPaths, V, D> shared(dist, pred);  // a thread reads what others write meanwhile
            pull(*in, g, shared, rest.low, search.reach, rest.left, search.threads, stats);
            in = nullptr;
        }
    } while (rest.why == Halt::kPull);
    if (rest.why == Halt::kBlocked) {
        finish_alone(g, in, search, width, rest.left, all, stats);
        stats.note = kHeldUp;
    }
    stats.delta = width.value();
    return stats;
}

template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping_parallel(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    const double mean_degree = static_cast<double>(g.edges()) / std::max<int64_t>(1, g.n);
    const Width<D> width = width_for(g, search);
    // Where rows are short a meeting costs more than the work between two. (Two threads over one, grid of 2 M vertices
    // in random order: in phases 0.9, all lowering all 1.7; random graph with four edges a vertex: 1.9 both.)
    const bool is_short = mean_degree < kSparse;
    if (Owners::leaving<V>(g, search.threads) < (is_short ? 1.0 / 32 : 1.0 / 12))
        return Team<kPaths, true, Rows, In, V, D>(g, in, search, dist, pred).run(width);
    if (is_short) return Team<kPaths, false, Rows, In, V, D>(g, in, search, dist, pred).run(width);
    return in_phases<kPaths>(g, in, search, width, dist, pred);
}

}  // namespace steppe::search

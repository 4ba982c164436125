// Delta-stepping on several threads: each owns vertices, which only it lowers.
//
// Where edges lead everywhere, threads meet twice for each bucket and share its vertices (phases.hpp). Where few edges
// lead to others' vertices (roads, grids), buckets are too small for meetings: each thread is the search of one thread,
// with a ring of its own, and sends letters to the others (owned.hpp); whether a way to another's vertex is news it
// sees at the owner's distance. (Two threads, grid of 2 M vertices: letters 34 ms, phases 64, one thread 52.)
//
// Where the system runs something else on one of the cores, the thread there stops in the middle of a bucket, and the
// others would wait for it again and again, a time slice each. The first that waits too long ends the sharing: the
// search goes on on one thread, with what all have filed.
//
// Each thread that writes letters watches its pace. The first that finds the buckets too wide or too narrow stops all,
// and they go on in buckets of another width with what is filed: distances so far stay good. A search that has gone
// over its edges many times, because word comes late again and again, is finished by one thread.
#pragma once
#include <memory>

#include "search/delta_stepping.hpp"
#include "search/owned.hpp"
#include "search/phases.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// The more threads, the wider. (Two threads, scale-20 RMAT with float weights: a half 85 ms, a sixteenth 60.)
inline double parallel_delta(double typical_weight, double max_weight, double mean_degree, int threads) {
    const double share = std::min(0.5, threads / 32.0);
    const double delta = mean_degree < 8 ? typical_weight / 2 : typical_weight / mean_degree * share;
    return std::max({delta, max_weight * 0x1p-31, std::numeric_limits<double>::min()});
}

inline constexpr const char* kHeldUp = "a thread was held up: finished on one";

// The first reason that a thread gives holds for all.
class Halted {
  public:
    void because(Halt why) {
        Halt none = Halt::kNone;
        why_.compare_exchange_strong(none, why, std::memory_order_relaxed);
    }
    bool is() const { return why_.load(std::memory_order_relaxed) != Halt::kNone; }
    Halt why() const { return why_.load(); }

  private:
    std::atomic<Halt> why_{Halt::kNone};
};

// A search whose threads write letters: all that its pushes, each in buckets of one width, have in common.
template <bool kPaths, class Rows, class In, class V, class D>
class Team {
  public:
    Team(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred)
        : g_(g), in_(in), search_(search), dist_(dist), pred_(pred), all_(dist, pred), threads_(search.threads) {
        paces_.assign(threads_, Pace<D>(search.fixed_delta, search.max_weight, g.n));
        start<V, D>(search, g.n, dist, kPaths ? pred : nullptr);
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
        if (rest.why == Halt::kBlocked || rest.why == Halt::kStuck) {
            Alone<kPaths, V, D> alone(dist_, pred_);
            finish_alone(g_, in_, search_, width, rest.left, alone, stats_);
            stats_.note = rest.why == Halt::kBlocked ? kHeldUp : "too much was relaxed in vain: finished on one thread";
        }
        stats_.delta = width.value();
        return stats_;
    }

  private:
    // Pushes from `begin` until nothing is left or a thread halts all; `dist` then has every distance found.
    Rest<V, D> push(const Width<D>& width, const std::vector<V>& begin) {
        Post<V, D> post(threads_);
        Halted halted;
        std::vector<std::unique_ptr<Owner<V, D>>> owners(threads_);  // outlive all threads: letters move between them
        for (int t = 0; t < threads_; ++t)
            owners[t] = std::make_unique<Owner<V, D>>(post, span_of(search_.max_weight, width), t, threads_);
        std::vector<Stats> parts(threads_);
        parallel(threads_, [&](int thread, int team) {
            const FinishOnExit<V, D> finish{post};
            post.join(team);
            if (thread == 0) stats_.threads = team;
            const Owners shares(g_.n, team);
            work(width, begin, shares, thread, post, *owners[thread], halted, parts[thread]);
        });
        for (const Stats& part : parts) stats_.add(part);
        Rest<V, D> rest{halted.why(), 0, {}};
        if (rest.why == Halt::kNone || rest.why == Halt::kOutgrown) return rest;
        int64_t low = Post<V, D>::kNone;
        for (const auto& owner : owners) {
            if (rest.why == Halt::kPull) {  // which finds for itself what is left
                low = std::min(low, owner->ring.open());
                continue;
            }
            owner->ring.drain([&](int64_t bucket, V v) {
                if (width.bucket(all_.load(v)) == bucket) rest.left.push_back(v);  // else it is stale
            });
        }
        const auto nothing = [](V) {};
        for (const auto& owner : owners)
            owner->read(nothing, [&](V v, D distance, V from) {
                if (!(distance < all_.load(v))) return;
                all_.set(v, distance, from);
                low = std::min(low, width.bucket(distance));
                rest.left.push_back(v);
            });
        if (rest.why == Halt::kPull) rest.low = width.least(low);
        else if (rest.left.empty()) rest.why = Halt::kNone;
        return rest;
    }

    // What one thread does.
    void work(const Width<D>& width, const std::vector<V>& begin, const Owners& shares, int thread, Post<V, D>& post,
              Owner<V, D>& own, Halted& halted, Stats& told) {
        for (const V v : begin)
            if (shares.of(v) == thread) own.ring.file(width.bucket(all_.load(v)), v);
        const Reach<D> reach = search_.reach;
        const int64_t most_relaxed = 8 * (g_.edges() + g_.n);
        const int64_t look = pull_look(g_) / threads_;
        Stats mine;
        Candidates<V, D> found;
        bool outgrown = false;
        int64_t next_poll = 1 << 16, waited = 0;
        [[maybe_unused]] int64_t next_look = look;
        Pace<D> pace = paces_[thread];
        auto stop = [&] { return search_.watch->poll(mine.edges_relaxed) || halted.is(); };
        uint32_t seen = 0;
        for (int spins = 0; !post.finished() && !stop();) {
            if (post.has_mail(thread)) own.receive(all_, width);
            const int64_t b = own.ring.lowest();
            if (b < 0) {
                if (!post.wait(thread, stop)) break;
                continue;
            }
            post.work_on(thread, b);
            if (!post.within_window(thread, b)) {
                const uint32_t beats = post.beats();
                spins = beats == seen ? spins + 1 : 0;
                seen = beats;
                // Nor may many short waits take more time than the work: a pause takes as long as some relaxations.
                const bool in_vain = ++waited > 32 * int64_t{patience()} + mine.edges_relaxed / 4;
                if (spins > patience() || in_vain) halted.because(Halt::kBlocked);
                pause_cpu();
                continue;
            }
            spins = 0;
            if constexpr (!std::is_same_v<In, NoEdges>) {
                if (in_ && thread == 0 && mine.edges_relaxed > next_look) {
                    next_look = mine.edges_relaxed + look;
                    const auto is_mine = [&](V v) { return shares.of(v) == thread; };
                    if (pull_pays(*in_, all_, width.least(b), look, is_mine)) {
                        halted.because(Halt::kPull);
                        break;
                    }
                }
            }
            own.ring.next();
            ++mine.rounds;
            const D end = width.least(b + 1);
            Place at;
            while (at.i < own.ring.list().size() && !halted.is()) {
                const size_t from = at.i;
                const std::vector<V>& list = own.ring.list();
                mine.edges_relaxed += scan_best<kPaths>(g_, all_, width, b, list.data(), list.size(), at, found);
                post.beat(thread);
                for (int k = 0; k < found.count; ++k) {
                    const V v = found.target[k];
                    const D candidate = found.distance[k], before = all_.load(v);
                    if (!(candidate < before && reach.admits(candidate, outgrown))) continue;
                    const V via = kPaths ? found.from[k] : V{-1};
                    const int owner = shares.of(v);
                    if (owner != thread) {
                        own.send(owner, v, candidate, via, width.bucket(candidate));
                        continue;
                    }
                    all_.set(v, candidate, via);
                    own.ring.file(width.bucket(candidate), v);
                    if constexpr (Rows::kRecords) g_.prefetch_record(v);
                    pace.fall_again(before < end);
                }
                pace.scan(static_cast<int64_t>(at.i - from));
                if (STEPPE_UNLIKELY(pace.is_too_wide(width))) halted.because(Halt::kNarrower);
            }
            own.ring.list().erase(own.ring.list().begin(), own.ring.list().begin() + static_cast<int64_t>(at.i));
            own.send_all();
            if (STEPPE_UNLIKELY(pace.is_too_narrow(width))) halted.because(Halt::kWider);
            if (is_in_vain<D>(outgrown)) halted.because(Halt::kOutgrown);
            if (mine.edges_relaxed > next_poll) {
                next_poll = mine.edges_relaxed + (1 << 16);
                post.nudge();
                if (mine.edges_relaxed > most_relaxed) halted.because(Halt::kStuck);
            }
        }
        mine.outgrown = outgrown;
        told = mine;
        paces_[thread] = pace;
    }

    const Rows& g_;
    const In* in_;
    const Search<V, D>& search_;
    D* const dist_;
    V* const pred_;
    OneWriter<kPaths, V, D> all_;
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
            pull(*in, g, all, rest.low, search.reach, rest.left, search.threads, stats);
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
    const double delta = search.delta > 0
                             ? search.delta
                             : parallel_delta(search.typical_weight, search.max_weight, mean_degree, search.threads);
    if (Owners::are_neighbours<V>(g, search.threads))
        return Team<kPaths, Rows, In, V, D>(g, in, search, dist, pred).run(Width<D>(delta));
    return in_phases<kPaths>(g, in, search, Width<D>(delta), dist, pred);
}

}  // namespace steppe::search

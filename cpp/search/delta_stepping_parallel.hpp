// Delta-stepping on several threads, each of which owns vertices (owned.hpp): the search of one thread, and mail.
//
// A thread must know whether a way to another's vertex is news. Where few edges lead to others' vertices (roads, grids)
// it looks at the owner's distance. Elsewhere it would then wait for lines that the owner has just written, at nearly
// every edge: so each thread has a copy of all distances, in which others' vertices have the best that it has sent.
// (Two threads, random graph of 1 M vertices and 16 M edges, a noisy machine: shared distances 77 to 84 ms, copies 71
// to 80, one thread 92 to 94.)
//
// Where the system runs something else on one of the cores, the thread there stops in the middle of a bucket, and the
// others would wait for it again and again, a time slice each. The first that waits too long ends the sharing: the
// search goes on on one thread, with what all have filed.
//
// Each thread watches its pace. The first that finds the buckets too wide or too narrow stops all, and they go on in
// buckets of another width with what is filed: distances so far stay good. A search that has gone over its edges many
// times, because word comes late again and again, is finished by one thread.
#pragma once
#include <memory>

#include "search/delta_stepping.hpp"
#include "search/owned.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// The more threads, the wider. (Two threads, scale-20 RMAT with float weights: a half 85 ms, a sixteenth 60.)
inline double parallel_delta(double typical_weight, double max_weight, double mean_degree, int threads) {
    const double share = std::min(0.5, threads / 32.0);
    const double delta = mean_degree < 8 ? typical_weight / 2 : typical_weight / mean_degree * share;
    return std::max({delta, max_weight * 0x1p-31, std::numeric_limits<double>::min()});
}

// Why threads have stopped pushing, and what they leave to do.
enum class Halt { kNone, kPull, kBlocked, kStuck, kNarrower, kWider, kOutgrown };

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

template <class V, class D>
struct Rest {
    Halt why = Halt::kNone;
    D low = 0;            // the lower bound of all that is not final
    std::vector<V> left;  // the vertices still filed
};

// A search on several threads: all that its pushes, each in buckets of one width, have in common.
template <bool kPaths, class Rows, class In, class V, class D>
class Team {
  public:
    Team(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred)
        : g_(g), in_(in), search_(search), dist_(dist), pred_(pred), all_(dist, pred) {
        neighbours_ = Owners::are_neighbours<V>(g, search.threads);
        // Copies should take no more memory than the edges do, unless that is little.
        const int64_t room = std::max<int64_t>(8 * g.edges(), 64 << 20);
        const int64_t most = std::max<int64_t>(2, room / (static_cast<int64_t>(sizeof(D)) * (g.n + 1)));
        threads_ = neighbours_ ? search.threads : static_cast<int>(std::min<int64_t>(search.threads, most));
        paces_.assign(threads_, Pace<D>(search.fixed_delta, search.max_weight, g.n));
        start<V, D>(search, g.n, dist, kPaths ? pred : nullptr);
        if (!neighbours_)
            for (int t = 0; t < threads_; ++t) copies_.emplace_back(g.n);
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
            stats_.note = rest.why == Halt::kBlocked ? "a thread was held up: finished on one"
                                                     : "too much was relaxed in vain: finished on one thread";
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
            if (neighbours_)
                return work(all_, width, begin, shares, thread, post, *owners[thread], halted, parts[thread]);
            D* const copy = copies_[thread].data();
            std::copy(dist_, dist_ + g_.n, copy);
            Alone<kPaths, V, D> mine(copy, pred_);
            work(mine, width, begin, shares, thread, post, *owners[thread], halted, parts[thread]);
        });
        for (const Stats& part : parts) stats_.add(part);
        if (!neighbours_) collect();
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

    // What one thread does. T: where it reads and writes distances.
    template <class T>
    void work(T& tentative, const Width<D>& width, const std::vector<V>& begin, const Owners& shares, int thread,
              Post<V, D>& post, Owner<V, D>& own, Halted& halted, Stats& told) {
        for (const V v : begin)
            if (shares.of(v) == thread) own.ring.file(width.bucket(tentative.load(v)), v);
        const Reach<D> reach = search_.reach;
        const int64_t most_relaxed = 8 * (g_.edges() + g_.n);
        const int64_t look = std::max<int64_t>(1 << 14, g_.edges() / 24 / threads_);
        Stats mine;
        Candidates<V, D> found;
        bool outgrown = false;
        int64_t next_poll = 1 << 16, waited = 0;
        [[maybe_unused]] int64_t next_look = look;
        Pace<D> pace = paces_[thread];
        auto stop = [&] { return search_.watch->poll(mine.edges_relaxed) || halted.is(); };
        uint32_t seen = 0;
        for (int spins = 0; !post.finished() && !stop();) {
            if (post.has_mail(thread)) own.receive(tentative, width);
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
                    if (pull_pays(*in_, tentative, width.least(b), look, is_mine)) {
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
                mine.edges_relaxed += scan_best<kPaths>(g_, tentative, width, b, list.data(), list.size(), at, found);
                post.beat(thread);
                for (int k = 0; k < found.count; ++k) {
                    const V v = found.target[k];
                    const D candidate = found.distance[k], before = tentative.load(v);
                    if (!(candidate < before && reach.admits(candidate, outgrown))) continue;
                    const V via = kPaths ? found.from[k] : V{-1};
                    const int owner = shares.of(v);
                    if (owner != thread) {
                        own.send(owner, v, candidate, via, width.bucket(candidate));
                        if constexpr (T::kAlone) tentative.note(v, candidate);
                        continue;
                    }
                    tentative.set(v, candidate, via);
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

    // What the copies say of their owners' vertices, into `dist`.
    void collect() {
        const Owners shares(g_.n, stats_.threads);
        parallel(stats_.threads, [&](int thread, int team) {
            for (int t = thread; t < stats_.threads; t += team)
                shares.each_block(t, [&](int64_t begin, int64_t end) {
                    std::copy(copies_[t].data() + begin, copies_[t].data() + end, dist_ + begin);
                });
        });
    }

    const Rows& g_;
    const In* in_;
    const Search<V, D>& search_;
    D* const dist_;
    V* const pred_;
    OneWriter<kPaths, V, D> all_;
    bool neighbours_;
    int threads_;
    std::vector<Pace<D>> paces_;
    std::vector<Buffer<D>> copies_;
    Stats stats_;
};

template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping_parallel(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    const double mean_degree = static_cast<double>(g.edges()) / std::max<int64_t>(1, g.n);
    const double delta = search.delta > 0
                             ? search.delta
                             : parallel_delta(search.typical_weight, search.max_weight, mean_degree, search.threads);
    return Team<kPaths, Rows, In, V, D>(g, in, search, dist, pred).run(Width<D>(delta));
}

}  // namespace steppe::search

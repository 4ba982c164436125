// Bulk-synchronous delta-stepping: several threads empty a bucket together, for graphs with long rows.
//
// A bucket is emptied in phases of two steps, with a barrier after each. In the first step all threads scan the
// vertices of the bucket, share by share, and put the candidates they find into bins, one for each owner of vertices
// (owners.hpp). In the second step each thread goes through its own bins, lowers the distances of its own vertices and
// files them in its own ring. So no thread ever reads what another writes: there are no atomics on distances, and no
// cache line goes to and fro at every edge. (Two threads over one, random graph of 1 M vertices and 16 M edges, a Xeon,
// November 2026: threads that lower shared distances 1.1, a copy of the distances for each and messages 1.6, this 1.8.)
//
//   hubs       what is left of a long row is cut into pieces that all threads take from
//   few        a bucket too small for two barriers is emptied by the thread that came last to the barrier before
//   held up    where the system runs another process on a core, all wait at every barrier for the thread there, a time
//              slice each. A search that sleeps too much is finished on one thread.
//
// Valiant, "A bridging model for parallel computation", CACM 33 (1990). Candidates sorted by owner before they are
// applied are propagation blocking (Beamer et al., IPDPS 2017), with a bin for each thread.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "search/delta_stepping.hpp"
#include "search/halt.hpp"
#include "search/owners.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// A distance for a vertex of some owner.
template <bool kPaths, class V, class D>
struct Candidate {
    D distance;
    V vertex;
    V via() const { return V{-1}; }
};
template <class V, class D>
struct Candidate<true, V, D> {
    D distance;
    V vertex, from;
    V via() const { return from; }
};

// One push, until nothing is left or there is a reason to halt.
template <bool kPaths, class Rows, class In, class V, class D>
class BulkSynchronous {
  public:
    BulkSynchronous(const Rows& g, const In* in, const Search<V, D>& search, const Alone<kPaths, V, D>& distances,
                    Width<D>& width, Stats& stats)
        : g_(g),
          in_(search.targets.empty() ? in : nullptr),
          search_(search),
          distances_(distances),
          width_(width),
          stats_(stats),
          pace_(search.fixed_delta, search.max_weight, g.n),
          pending_(search.targets, distances_),
          pieces_(new Piece[kPieces]) {
        for (int t = 0; t < search.threads; ++t)
            workers_.push_back(std::make_unique<Worker>(span_of(search.max_weight, width), search.threads));
    }

    Unfinished<V, D> run(const std::vector<V>& begin) {
        parallel(search_.threads, [&](int thread, int team) {
            const LeaveOnThrow leave{barrier_};
            const Owners owners(g_.n, team);
            if (thread == 0) team_ = team;
            Worker& mine = *workers_[thread];
            for (const V v : begin)
                if (owners.of(v) == thread) mine.ring.file(width_.bucket(distances_.load(v)), v);
            while (barrier_.arrive(team, [&] { begin_phase(owners); }) && !done_) {
                scan(mine, thread, owners);
                if (!barrier_.arrive(team)) return;
                apply(mine, thread);
            }
        });
        Unfinished<V, D> rest{why_, 0, {}};
        for (const auto& worker : workers_) {
            stats_.edges_relaxed += worker->relaxed;
            stats_.edges_touched += worker->relaxed;
            stats_.outgrown |= worker->outgrown;
            if (why_ != Halt::kBlocked) continue;
            worker->ring.drain([&](int64_t bucket, V v) {
                if (width_.bucket(distances_.load(v)) == bucket) rest.vertices.push_back(v);  // else it is stale
            });
        }
        if (why_ == Halt::kPull) rest.low = width_.least(bucket_);
        stats_.threads = team_;
        return rest;
    }

  private:
    static constexpr int64_t kFew = 128, kFewEdges = 1 << 13;  // entries and edges that one thread takes alone
    static constexpr int64_t kLong = 1 << 13;                  // edges of a row, or more, that are cut
    static constexpr int64_t kPiece = 1 << 12;                 // edges of it that a thread takes at a time
    static constexpr int kPieces = 64;                         // further long rows are not cut
    // Candidates of a thread that end a phase early: they are compared with the distances from before the phase. (R-MAT
    // of scale 20, a Xeon, November 2026: 12 ms of scans and 6 of candidates without this, 9 and 4 with it.)
    static constexpr size_t kMostCandidates = 1 << 16;

    struct Bin {
        std::vector<Candidate<kPaths, V, D>> candidates;
        size_t count = 0;
    };
    struct alignas(128) Worker {
        Worker(int64_t span, int threads) : ring(span), bins(threads) {}
        Ring<V> ring;           // of its own vertices
        std::vector<Bin> bins;  // by owner
        size_t candidates = 0;  // in all bins
        int64_t relaxed = 0, scanned = 0, fell_again = 0;
        bool outgrown = false;
        Candidates<V, D> found;
        alignas(128) std::atomic<size_t> taken{0};  // entries of the ring's list, by all threads
        std::atomic<int64_t> ready{0};              // the phase in which they can be taken
    };
    // The rest of a long row.
    struct alignas(64) Piece {
        std::atomic<int64_t> next{0};
        int64_t last = 0;
        V u{};
        std::atomic<bool> ready{false};
    };
    struct LeaveOnThrow {
        Barrier& barrier;
        const int exceptions = std::uncaught_exceptions();
        ~LeaveOnThrow() {
            if (std::uncaught_exceptions() > exceptions) barrier.leave();
        }
    };

    // By the last thread to arrive, while the others wait: finds the next bucket, empties those with few entries.
    void begin_phase(const Owners& owners) {
        do {
            ++phase_;
            int64_t relaxed = stats_.edges_relaxed;
            bool outgrown = false;
            for (const auto& worker : workers_) {
                relaxed += worker->relaxed;
                outgrown |= worker->outgrown;
                pace_.scan(std::exchange(worker->scanned, 0));
                pace_.fall_again(std::exchange(worker->fell_again, 0));
            }
            if (search_.watch->poll(relaxed)) return finish(Halt::kNone);
            if (is_in_vain<D>(outgrown)) return finish(Halt::kOutgrown);
            if (pieces_are_left()) return;
            if (is_held_up()) return finish(Halt::kBlocked);
            if (!find_bucket()) return finish(Halt::kNone);
            if (pays_to_pull(relaxed)) return finish(Halt::kPull);
        } while (empty_if_few(owners));
    }
    void finish(Halt why) {
        why_ = why;
        done_ = true;
    }
    // Whether threads have slept 5 ms, and more than a fourth of the time, because others did not arrive.
    bool is_held_up() const {
        if (phase_ == 1 || team_ == 1) return false;
        const double patience_us = 0.5 * patience();  // none: at once, for tests
        return patience_us == 0 || barrier_.slept_us() > patience_us + barrier_.age_us() / 4;
    }
    // Whether a row that was cut still has edges; if not, there is room for new pieces.
    bool pieces_are_left() {
        const int used = std::min(pieces_used_.load(std::memory_order_relaxed), kPieces);
        for (int p = 0; p < used; ++p)
            if (pieces_[p].next.load(std::memory_order_relaxed) < pieces_[p].last) return true;
        for (int p = 0; p < used; ++p) pieces_[p].ready.store(false, std::memory_order_relaxed);
        pieces_used_.store(0, std::memory_order_relaxed);
        return false;
    }
    // Moves to the lowest bucket with entries, perhaps of another width. False: there is none, or no target is left.
    bool find_bucket() {
        if (STEPPE_UNLIKELY(pace_.is_too_wide(width_))) change(pace_.narrower(width_));
        int64_t lowest = lowest_bucket();
        if (lowest != bucket_ && STEPPE_UNLIKELY(pace_.is_too_narrow(width_))) {
            change(pace_.wider(width_));
            lowest = lowest_bucket();
        }
        stats_.rounds += lowest != bucket_;
        bucket_ = lowest;
        return lowest != kNone &&
               !pending_.all_settled([&](D d) { return d != kInfinity<D> && width_.bucket(d) < lowest; });
    }
    int64_t lowest_bucket() {
        int64_t lowest = kNone;
        for (const auto& worker : workers_) {
            const int64_t its = worker->ring.list().empty() ? worker->ring.least() : worker->ring.current();
            if (its >= 0) lowest = std::min(lowest, its);
        }
        return lowest;
    }
    // Everything filed, into buckets of another width. No ring may start later than the others: entries for its
    // vertices can still come from the lowest bucket of all.
    void change(const Width<D>& to) {
        std::vector<std::vector<V>> left(workers_.size());
        D least = kInfinity<D>;
        for (size_t t = 0; t < workers_.size(); ++t)
            workers_[t]->ring.drain([&](int64_t bucket, V v) {
                const D d = distances_.load(v);
                if (width_.bucket(d) != bucket) return;  // stale
                left[t].push_back(v);
                least = std::min(least, d);
            });
        width_ = to;
        for (size_t t = 0; t < workers_.size(); ++t) {
            Ring<V>& ring = workers_[t]->ring;
            ring = Ring<V>(span_of(search_.max_weight, width_));
            if (least != kInfinity<D>) ring.start_at(width_.bucket(least));
            for (const V v : left[t]) ring.file(width_.bucket(distances_.load(v)), v);
        }
        bucket_ = -1;
        ++stats_.width_changes;
    }
    bool pays_to_pull([[maybe_unused]] int64_t relaxed) {
        if constexpr (!std::is_same_v<In, NoEdges>) {
            const int64_t look = pull_look(g_);
            if (!in_ || relaxed <= looked_ + look) return false;
            looked_ = relaxed;
            return pull_pays(*in_, distances_, width_.least(bucket_), look, [](V) { return true; });
        }
        return false;
    }
    bool empty_if_few(const Owners& owners) {
        int64_t entries = 0, edges = 0;
        for (const auto& worker : workers_) {
            entries += static_cast<int64_t>(worker->ring.list().size());
            if (worker->ring.least() == bucket_) entries += worker->ring.entries(bucket_);
        }
        if (team_ > 1 && entries >= kFew) return false;
        for (const auto& worker : workers_) {
            take_list(*worker);
            for (const V v : worker->ring.list()) edges += g_.degree(v);
        }
        if (team_ > 1 && edges >= kFewEdges) return false;
        for (const auto& worker : workers_) {
            std::vector<V>& list = worker->ring.list();
            for (Place at; at.i < list.size();) {
                const size_t from = at.i;
                Candidates<V, D>& found = worker->found;
                worker->relaxed +=
                    scan_best<kPaths>(g_, distances_, width_, bucket_, list.data(), list.size(), at, found);
                for (int k = 0; k < found.count; ++k) {
                    const V v = found.target[k];
                    lower(*worker, workers_[owners.of(v)]->ring, v, found.distance[k], kPaths ? found.from[k] : V{-1});
                }
                worker->scanned += static_cast<int64_t>(at.i - from);
            }
            list.clear();
        }
        return true;
    }
    // Makes the entries of the bucket the list that threads take from. A ring without entries stays where it is.
    void take_list(Worker& worker) {
        if (worker.ring.list().empty() && worker.ring.least() == bucket_) worker.ring.next();
        worker.taken.store(0, std::memory_order_relaxed);
        worker.ready.store(phase_, std::memory_order_release);
    }

    // The first step.
    void scan(Worker& mine, int thread, const Owners& owners) {
        if (mine.ready.load(std::memory_order_relaxed) != phase_) take_list(mine);
        for (int k = 0; k < team_; ++k) {
            Worker& from = *workers_[(thread + k) % team_];
            for (int spins = 0; spins < 256; ++spins, pause_cpu()) {
                if (from.ready.load(std::memory_order_acquire) != phase_) continue;
                scan_list(mine, from, owners);
                break;
            }
        }
        const int used = std::min(pieces_used_.load(std::memory_order_acquire), kPieces);
        for (int p = 0; p < used; ++p)
            if (pieces_[p].ready.load(std::memory_order_acquire)) scan_piece(mine, pieces_[p], owners);
    }
    void scan_list(Worker& mine, Worker& from, const Owners& owners) {
        const std::vector<V>& list = from.ring.list();
        const size_t size = list.size();
        // Large shares, because a scan looks ahead in its own; several for each thread, because rows differ.
        const size_t share = std::clamp<size_t>(size / (4 * static_cast<size_t>(team_)), 2 * kBatch, 1 << 14);
        while (mine.candidates < kMostCandidates) {
            const size_t first = from.taken.fetch_add(share, std::memory_order_relaxed);
            if (first >= size) return;
            const size_t last = std::min(size, first + share);
            for (Place at{first}; at.i < last && !search_.watch->stopped();) {
                mine.relaxed += scan_best<kPaths>(g_, distances_, width_, bucket_, list.data(), last, at, mine.found);
                add_candidates(mine, owners);
                if (STEPPE_UNLIKELY(at.edge != Place::kFirst)) share_row(list[at.i], at);
            }
            mine.scanned += static_cast<int64_t>(last - first);
            search_.watch->poll();
        }
    }
    // Shares the rest of a long row among the threads.
    void share_row(V u, Place& at) {
        if (g_.last(u) - at.edge < kLong) return;
        const int p = pieces_used_.fetch_add(1, std::memory_order_relaxed);
        if (p >= kPieces) return;
        pieces_[p].u = u;
        pieces_[p].last = g_.last(u);
        pieces_[p].next.store(at.edge, std::memory_order_relaxed);
        pieces_[p].ready.store(true, std::memory_order_release);
        at = Place{at.i + 1};
    }
    void scan_piece(Worker& mine, Piece& piece, const Owners& owners) {
        while (mine.candidates < kMostCandidates) {
            const int64_t first = piece.next.fetch_add(kPiece, std::memory_order_relaxed);
            if (first >= piece.last) return;
            for (Place at{0, first}; at.i == 0 && at.edge - first < kPiece;) {
                const int64_t before = at.edge;
                mine.relaxed += scan_best<kPaths>(g_, distances_, width_, bucket_, &piece.u, 1, at, mine.found);
                add_candidates(mine, owners);
                if (at.edge <= before) break;
            }
            search_.watch->poll();
        }
    }
    void add_candidates(Worker& mine, const Owners& owners) {
        const Candidates<V, D>& found = mine.found;
        const auto count = static_cast<size_t>(found.count);
        for (Bin& bin : mine.bins)
            if (bin.candidates.size() < bin.count + count) bin.candidates.resize(2 * (bin.count + count));
        for (size_t k = 0; k < count; ++k) {
            Bin& bin = mine.bins[owners.of(found.target[k])];
            Candidate<kPaths, V, D>& candidate = bin.candidates[bin.count++];
            candidate.distance = found.distance[k];
            candidate.vertex = found.target[k];
            if constexpr (kPaths) candidate.from = found.from[k];
        }
        mine.candidates += count;
    }

    // The second step.
    void apply(Worker& mine, int thread) {
        std::vector<V>& list = mine.ring.list();
        list.erase(list.begin(), list.begin() + static_cast<int64_t>(std::min(list.size(), mine.taken.load())));
        for (const auto& from : workers_) {
            Bin& bin = from->bins[thread];
            const Candidate<kPaths, V, D>* const candidates = bin.candidates.data();
            const size_t count = std::exchange(bin.count, 0);
            for (size_t i = 0; i < count; ++i) {
                if (i + 24 < count) STEPPE_PREFETCH_WRITE(distances_.address(candidates[i + 24].vertex));
                lower(mine, mine.ring, candidates[i].vertex, candidates[i].distance, candidates[i].via());
            }
        }
        mine.candidates = 0;
    }
    STEPPE_INLINE void lower(Worker& mine, Ring<V>& ring, V v, D distance, V from) {
        const D before = distances_.load(v);
        if (!(distance < before && search_.reach.admits(distance, mine.outgrown))) return;
        distances_.set(v, distance, from);
        ring.file(width_.bucket(distance), v);
        mine.fell_again += before < width_.least(bucket_ + 1);
    }

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    const Rows& g_;
    const In* const in_;
    const Search<V, D>& search_;
    Alone<kPaths, V, D> distances_;
    Width<D>& width_;
    Stats& stats_;
    Pace<D> pace_;
    Pending<V, Alone<kPaths, V, D>> pending_;
    std::unique_ptr<Piece[]> pieces_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Barrier barrier_;
    int team_ = 1;
    // What begin_phase() decides.
    int64_t bucket_ = -1, phase_ = 0, looked_ = 0;
    Halt why_ = Halt::kNone;
    bool done_ = false;
    alignas(128) std::atomic<int> pieces_used_{0};
};

// The whole search: pushes, pulls where it pays, pushes what that changed.
template <bool kPaths, class Rows, class In, class V, class D>
Stats bulk_synchronous(const Rows& g, const In* in, const Search<V, D>& search, Width<D> width, D* dist, V* pred) {
    Stats stats;
    stats.scheme = "bulk-synchronous";
    Alone<kPaths, V, D> distances(search, g.n, dist, pred);
    Unfinished<V, D> rest{Halt::kNone, 0, search.sources};
    do {
        BulkSynchronous<kPaths, Rows, In, V, D> push(g, in, search, distances, width, stats);
        rest = push.run(rest.vertices);
        if constexpr (!std::is_same_v<In, NoEdges>) {
            if (rest.why != Halt::kPull) break;
            stats.note = "finished by pull";
            OneWriter<kPaths, V, D> shared(dist, pred);  // a thread reads what others write meanwhile
            pull(*in, g, shared, rest.low, search.reach, rest.vertices, search.threads, stats);
            in = nullptr;
        }
    } while (rest.why == Halt::kPull);
    if (rest.why == Halt::kBlocked) {
        finish_alone(g, in, search, width, rest.vertices, distances, stats);
        stats.note = kHeldUp;
    }
    stats.delta = width.value();
    return stats;
}

}  // namespace steppe::search

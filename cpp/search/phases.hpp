// Phases: delta-stepping on several threads that read each other's distances, but never while one is written.
//
// A bucket is emptied in phases of two steps. First all threads scan its vertices, whoever has time the next ones, and
// put the candidates they find into boxes, one for each owner of vertices. Then each thread goes through the boxes for
// it, lowers the distances of its own vertices and files them in its own ring. In the first step nobody writes what
// another reads; in the second everybody writes cache lines of his own: no atomics on distances, and no line that
// passes to and fro at every edge. (Two threads over one, random graph of 1 M vertices and 16 M edges: threads that
// lower shared distances 1.1, a copy of the distances for each and letters 1.6, phases 1.8.)
//
//   hubs       what is left of a long row is cut into pieces that all threads take from
//   few        a bucket that is not worth two meetings is emptied by the thread that arrived last at the one before
//   held up    where the system runs something else on a core, all wait at every meeting for the thread there, a time
//              slice each: a search that sleeps too much is finished on one thread
//
// Steps that meet are Valiant's ("A bridging model for parallel computation", CACM 33, 1990); candidates sorted by
// their owner before they are applied are propagation blocking (Beamer et al., IPDPS 2017) with a bin for each thread.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "search/delta_stepping.hpp"
#include "search/owned.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// A better distance for somebody's vertex.
template <bool kPaths, class V, class D>
struct Offer {
    D distance;
    V vertex;
    V via() const { return V{-1}; }
};
template <class V, class D>
struct Offer<true, V, D> {
    D distance;
    V vertex, from;
    V via() const { return from; }
};

// One push, until nothing is left or something else is to be done (Rest).
template <bool kPaths, class Rows, class In, class V, class D>
class Phases {
  public:
    Phases(const Rows& g, const In* in, const Search<V, D>& search, const Alone<kPaths, V, D>& all,
           const Width<D>& width, Stats& stats)
        : g_(g),
          in_(search.targets.empty() ? in : nullptr),
          search_(search),
          all_(all),
          width_(width),
          stats_(stats),
          pace_(search.fixed_delta, search.max_weight, g.n),
          pending_(search.targets, all_),
          pieces_(new Piece[kPieces]) {
        for (int t = 0; t < search.threads; ++t)
            hands_.push_back(std::make_unique<Hand>(span_of(search.max_weight, width), search.threads));
    }

    Rest<V, D> run(const std::vector<V>& begin) {
        parallel(search_.threads, [&](int thread, int team) {
            const LeaveOnThrow leave{barrier_};
            const Owners owners(g_.n, team);
            if (thread == 0) team_ = team;
            Hand& mine = *hands_[thread];
            for (const V v : begin)
                if (owners.of(v) == thread) mine.ring.file(width_.bucket(all_.load(v)), v);
            while (barrier_.arrive(team, [&] { plan(owners); }) && !done_) {
                scan(mine, thread, owners);
                if (!barrier_.arrive(team)) return;
                apply(mine, thread);
            }
        });
        Rest<V, D> rest{why_, 0, {}};
        for (const auto& hand : hands_) {
            stats_.edges_relaxed += hand->relaxed;
            stats_.edges_touched += hand->relaxed;
            stats_.outgrown |= hand->outgrown;
            if (why_ != Halt::kBlocked) continue;
            hand->ring.drain([&](int64_t bucket, V v) {
                if (width_.bucket(all_.load(v)) == bucket) rest.left.push_back(v);  // else it is stale
            });
        }
        if (why_ == Halt::kPull) rest.low = width_.least(bucket_);
        stats_.threads = team_;
        return rest;
    }
    const Width<D>& width() const { return width_; }

  private:
    static constexpr int64_t kFew = 128, kFewEdges = 1 << 13;  // what one thread empties: entries, and their edges
    static constexpr int64_t kLong = 1 << 13;                  // edges of a row, or more, that are cut
    static constexpr int64_t kPiece = 1 << 12;                 // edges of it that a thread takes at a time
    static constexpr int kPieces = 64;                         // further rows are scanned by who finds them
    // Offers of a thread after which a phase ends though its bucket is not empty: candidates are compared with the
    // distances from before the phase. (Scale-20 R-MAT: 12 ms of scans and 6 of offers without it, 9 and 4 with it.)
    static constexpr size_t kMostOffers = 1 << 16;

    struct Box {
        std::vector<Offer<kPaths, V, D>> offers;
        size_t count = 0;
    };
    // What a thread has.
    struct alignas(128) Hand {
        Hand(int64_t span, int threads) : ring(span), boxes(threads) {}
        Ring<V> ring;            // of its own vertices
        std::vector<Box> boxes;  // by owner
        size_t offered = 0;      // in all boxes
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

    // What the last to arrive does while the others wait: finds the next bucket, and empties those with little in them.
    void plan(const Owners& owners) {
        do {
            ++phase_;
            int64_t relaxed = stats_.edges_relaxed;
            bool outgrown = false;
            for (const auto& hand : hands_) {
                relaxed += hand->relaxed;
                outgrown |= hand->outgrown;
                pace_.scan(std::exchange(hand->scanned, 0));
                pace_.fall_again(std::exchange(hand->fell_again, 0));
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
    // Moves to the lowest bucket that has entries, in buckets of another width where these do not suit. False: there is
    // none, or no target is left.
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
        for (const auto& hand : hands_) {
            const int64_t its = hand->ring.list().empty() ? hand->ring.least() : hand->ring.current();
            if (its >= 0) lowest = std::min(lowest, its);
        }
        return lowest;
    }
    // Everything filed, into buckets of another width. No ring may start later than the others: entries for its
    // vertices can still come from the lowest bucket of all.
    void change(const Width<D>& to) {
        std::vector<std::vector<V>> left(hands_.size());
        D least = kInfinity<D>;
        for (size_t t = 0; t < hands_.size(); ++t)
            hands_[t]->ring.drain([&](int64_t bucket, V v) {
                const D d = all_.load(v);
                if (width_.bucket(d) != bucket) return;  // stale
                left[t].push_back(v);
                least = std::min(least, d);
            });
        width_ = to;
        for (size_t t = 0; t < hands_.size(); ++t) {
            Ring<V>& ring = hands_[t]->ring;
            ring = Ring<V>(span_of(search_.max_weight, width_));
            if (least != kInfinity<D>) ring.start_at(width_.bucket(least));
            for (const V v : left[t]) ring.file(width_.bucket(all_.load(v)), v);
        }
        bucket_ = -1;
        ++stats_.width_changes;
    }
    bool pays_to_pull([[maybe_unused]] int64_t relaxed) {
        if constexpr (!std::is_same_v<In, NoEdges>) {
            const int64_t look = pull_look(g_);
            if (!in_ || relaxed <= looked_ + look) return false;
            looked_ = relaxed;
            return pull_pays(*in_, all_, width_.least(bucket_), look, [](V) { return true; });
        }
        return false;
    }
    bool empty_if_few(const Owners& owners) {
        int64_t entries = 0, edges = 0;
        for (const auto& hand : hands_) {
            entries += static_cast<int64_t>(hand->ring.list().size());
            if (hand->ring.least() == bucket_) entries += hand->ring.entries(bucket_);
        }
        if (team_ > 1 && entries >= kFew) return false;
        for (const auto& hand : hands_) {
            take_list(*hand);
            if constexpr (!Rows::kRecords)
                for (const V v : hand->ring.list()) edges += g_.degree(v);
        }
        if (team_ > 1 && edges >= kFewEdges) return false;
        for (const auto& hand : hands_) {
            std::vector<V>& list = hand->ring.list();
            for (Place at; at.i < list.size();) {
                const size_t from = at.i;
                Candidates<V, D>& found = hand->found;
                hand->relaxed += scan_best<kPaths>(g_, all_, width_, bucket_, list.data(), list.size(), at, found);
                for (int k = 0; k < found.count; ++k) {
                    const V v = found.target[k];
                    lower(*hand, hands_[owners.of(v)]->ring, v, found.distance[k], kPaths ? found.from[k] : V{-1});
                }
                hand->scanned += static_cast<int64_t>(at.i - from);
            }
            list.clear();
        }
        return true;
    }
    // Makes the entries of the bucket the list that threads take from. A ring without any stays where it is.
    void take_list(Hand& hand) {
        if (hand.ring.list().empty() && hand.ring.least() == bucket_) hand.ring.next();
        hand.taken.store(0, std::memory_order_relaxed);
        hand.ready.store(phase_, std::memory_order_release);
    }

    // The first step.
    void scan(Hand& mine, int thread, const Owners& owners) {
        if (mine.ready.load(std::memory_order_relaxed) != phase_) take_list(mine);
        for (int k = 0; k < team_; ++k) {
            Hand& from = *hands_[(thread + k) % team_];
            for (int spins = 0; spins < 256; ++spins, pause_cpu()) {
                if (from.ready.load(std::memory_order_acquire) != phase_) continue;
                scan_list(mine, from, owners);
                break;
            }
        }
        if constexpr (!Rows::kRecords) {
            const int used = std::min(pieces_used_.load(std::memory_order_acquire), kPieces);
            for (int p = 0; p < used; ++p)
                if (pieces_[p].ready.load(std::memory_order_acquire)) scan_piece(mine, pieces_[p], owners);
        }
    }
    void scan_list(Hand& mine, Hand& from, const Owners& owners) {
        const std::vector<V>& list = from.ring.list();
        const size_t size = list.size();
        // Large shares, because a scan looks ahead in its own; several for each thread, because rows differ.
        const size_t share = std::clamp<size_t>(size / (4 * static_cast<size_t>(team_)), 2 * kBatch, 1 << 14);
        while (mine.offered < kMostOffers) {
            const size_t first = from.taken.fetch_add(share, std::memory_order_relaxed);
            if (first >= size) return;
            const size_t last = std::min(size, first + share);
            for (Place at{first}; at.i < last && !search_.watch->stopped();) {
                mine.relaxed += scan_best<kPaths>(g_, all_, width_, bucket_, list.data(), last, at, mine.found);
                offer(mine, owners);
                if constexpr (!Rows::kRecords)
                    if (STEPPE_UNLIKELY(at.edge != Place::kFirst)) lay_out(list[at.i], at);
            }
            mine.scanned += static_cast<int64_t>(last - first);
            search_.watch->poll();
        }
    }
    // Leaves the rest of a long row to all who have nothing else to do.
    void lay_out(V u, Place& at) {
        if (g_.last(u) - at.edge < kLong) return;
        const int p = pieces_used_.fetch_add(1, std::memory_order_relaxed);
        if (p >= kPieces) return;
        pieces_[p].u = u;
        pieces_[p].last = g_.last(u);
        pieces_[p].next.store(at.edge, std::memory_order_relaxed);
        pieces_[p].ready.store(true, std::memory_order_release);
        at = Place{at.i + 1};
    }
    void scan_piece(Hand& mine, Piece& piece, const Owners& owners) {
        while (mine.offered < kMostOffers) {
            const int64_t first = piece.next.fetch_add(kPiece, std::memory_order_relaxed);
            if (first >= piece.last) return;
            for (Place at{0, first}; at.i == 0 && at.edge - first < kPiece;) {
                const int64_t before = at.edge;
                mine.relaxed += scan_best<kPaths>(g_, all_, width_, bucket_, &piece.u, 1, at, mine.found);
                offer(mine, owners);
                if (at.edge <= before) break;
            }
            search_.watch->poll();
        }
    }
    void offer(Hand& mine, const Owners& owners) {
        const Candidates<V, D>& found = mine.found;
        const auto count = static_cast<size_t>(found.count);
        for (Box& box : mine.boxes)
            if (box.offers.size() < box.count + count) box.offers.resize(2 * (box.count + count));
        for (size_t k = 0; k < count; ++k) {
            Box& box = mine.boxes[owners.of(found.target[k])];
            Offer<kPaths, V, D>& offer = box.offers[box.count++];
            offer.distance = found.distance[k];
            offer.vertex = found.target[k];
            if constexpr (kPaths) offer.from = found.from[k];
        }
        mine.offered += count;
    }

    // The second step.
    void apply(Hand& mine, int thread) {
        std::vector<V>& list = mine.ring.list();
        list.erase(list.begin(), list.begin() + static_cast<int64_t>(std::min(list.size(), mine.taken.load())));
        for (const auto& from : hands_) {
            Box& box = from->boxes[thread];
            const Offer<kPaths, V, D>* const offers = box.offers.data();
            const size_t count = std::exchange(box.count, 0);
            for (size_t i = 0; i < count; ++i) {
                if (i + 24 < count) STEPPE_PREFETCH_WRITE(all_.address(offers[i + 24].vertex));
                lower(mine, mine.ring, offers[i].vertex, offers[i].distance, offers[i].via());
            }
        }
        mine.offered = 0;
    }
    STEPPE_INLINE void lower(Hand& mine, Ring<V>& ring, V v, D distance, V from) {
        const D before = all_.load(v);
        if (!(distance < before && search_.reach.admits(distance, mine.outgrown))) return;
        all_.set(v, distance, from);
        ring.file(width_.bucket(distance), v);
        mine.fell_again += before < width_.least(bucket_ + 1);
    }

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    const Rows& g_;
    const In* const in_;
    const Search<V, D>& search_;
    Alone<kPaths, V, D> all_;
    Width<D> width_;
    Stats& stats_;
    Pace<D> pace_;
    Pending<V, Alone<kPaths, V, D>> pending_;
    std::unique_ptr<Piece[]> pieces_;
    std::vector<std::unique_ptr<Hand>> hands_;
    Barrier barrier_;
    int team_ = 1;
    // What plan() decides.
    int64_t bucket_ = -1, phase_ = 0, looked_ = 0;
    Halt why_ = Halt::kNone;
    bool done_ = false;
    alignas(128) std::atomic<int> pieces_used_{0};
};

}  // namespace steppe::search

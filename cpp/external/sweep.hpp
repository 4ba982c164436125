// A search over edges that stay in a file: vertex arrays in memory, edges mapped, read front to back and only where
// something is to be done (semi-external, as FlashGraph and GraphMP have it).
//
// A bucket queue takes vertices in the order of their distances, which is no order at all in the file. So the order is
// given up inside a bucket: a round has a threshold, and sweeps over the vertices by their numbers relax every waiting
// vertex up to it until none is left; then the threshold rises to the least waiting distance plus delta. What waits is
// a bitmap, cut into blocks of 2^shift vertices; each block knows (a lower bound of) its least waiting distance, so
// that a sweep passes over a block with nothing to do without a look at its bits or its edges. A block is worked on
// while it still improves itself, and the blocks next on the list are announced to the kernel before (window.hpp).
//
// The width changes with what rounds find to do (width.hpp). In exchange for some vertices that are relaxed twice rows
// come in the order of memory, which the processor reads ahead by itself: with the file in the page cache this is
// as fast as the search in memory.
//
// Two threads: bits, bounds and distances are atomics. A vertex improved is first marked, then its block's bound is
// lowered; a sweeper first raises the bound to infinity, then looks at the bits, then clears one, then reads the
// distance. All of it sequentially consistent, so no improvement falls between.
#pragma once
#include <atomic>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "external/width.hpp"
#include "external/window.hpp"
#include "rows/csr.hpp"
#include "search/search.hpp"
#include "search/tentative.hpp"

namespace steppe::external {

// Rows of an unweighted graph: every edge has length 1.
template <class V>
struct Ones : rows::Csr<V, int32_t> {
    int32_t weight(int64_t) const { return 1; }
    STEPPE_INLINE void prefetch_edges(int64_t e) const { STEPPE_PREFETCH(&this->targets[e]); }
};

// Tentative: Alone for one thread, else one that threads share.
template <class Tentative, class Rows, class V, class D>
class External {
    static constexpr bool kShared = !std::is_same_v<Tentative, search::Alone<true, V, D>>;

  public:
    External(const Rows& g, Window& window, int shift, const search::Search<V, D>& search, D* dist, V* pred)
        : g_(g),
          window_(window),
          shift_(shift),
          search_(search),
          tentative_(search, g.n, dist, pred),
          dirty_(new std::atomic<uint64_t>[static_cast<size_t>((g.n + 63) / 64)]),
          least_(new std::atomic<D>[static_cast<size_t>(window.blocks())]),
          workers_(search.threads) {
        parallel_for(search.threads, (g.n + 63) / 64, 1 << 14, [&](int64_t begin, int64_t end, int) {
            for (int64_t w = begin; w < end; ++w) dirty_[w].store(0, std::memory_order_relaxed);
        });
        for (int64_t b = 0; b < window.blocks(); ++b) least_[b].store(kInfinity<D>, std::memory_order_relaxed);
        for (Worker& worker : workers_) worker.list.reserve(size_t{1} << shift_);
        active_.reserve(window.blocks());
    }

    // delta: how far the threshold rises above the least waiting distance.
    search::Stats run(D delta) {
        Width<D> width(delta, search_.fixed_delta || delta <= 0);
        for (V s : search_.sources) mark(s, 0);
        auto pending = search::Pending<V, Tentative>(search_.targets, tentative_);
        for (D low = lowest(); low != kInfinity<D> && !too_wide(); low = lowest()) {
            ++stats_.rounds;
            const D threshold = threshold_ = width.threshold(low);
            entries_ = again_ = 0;
            bool narrow = false;
            while (!narrow && find_active(threshold)) {
                window_.begin_pass();
                sweep(threshold);
                if (search_.watch->stopped() || too_wide()) break;
                narrow = width.is_too_wide(entries_, again_);
            }
            width.adapt(narrow, entries_ < window_.blocks());
            if (search_.watch->poll(relaxed_)) break;
            // A bucket that was left half done has settled nobody.
            if (!narrow && pending.all_settled([&](D d) { return d <= threshold && d != kInfinity<D>; })) break;
        }
        if constexpr (kShared) tentative_.finish(search_.threads);
        stats_.delta = width.value();
        stats_.width_changes = width.changes();
        for (const Worker& worker : workers_) {
            stats_.atomics += worker.atomics;
            stats_.outgrown |= worker.outgrown;
        }
        stats_.edges_relaxed = stats_.edges_touched = relaxed_;
        return stats_;
    }

  private:
    struct alignas(128) Worker {
        std::vector<V> list;
        int64_t relaxed = 0;             // edges, in this sweep
        int64_t entries = 0, again = 0;  // vertices relaxed, and how often one fell that was due in this round already
        int64_t atomics = 0;
        bool outgrown = false;
    };
    static constexpr int64_t kAhead = 4;               // blocks announced before they are due
    static constexpr int64_t kWorthSharing = 1 << 15;  // edges in a sweep

    bool too_wide() const {
        return std::any_of(workers_.begin(), workers_.end(),
                           [](const Worker& w) { return search::is_in_vain<D>(w.outgrown); });
    }

    void lower(std::atomic<D>& bound, D d) {
        if constexpr (kShared) {
            for (D old = bound.load(); d < old && !bound.compare_exchange_weak(old, d);) {}
        } else {
            if (d < bound.load(std::memory_order_relaxed)) bound.store(d, std::memory_order_relaxed);
        }
    }
    void mark(V v, D d) {
        std::atomic<uint64_t>& word = dirty_[static_cast<uint64_t>(v) >> 6];
        const uint64_t bit = uint64_t{1} << (v & 63);
        if constexpr (kShared) word.fetch_or(bit);
        else word.store(word.load(std::memory_order_relaxed) | bit, std::memory_order_relaxed);
        lower(least_[static_cast<uint64_t>(v) >> shift_], d);
    }
    void unmark(V v) {
        std::atomic<uint64_t>& word = dirty_[static_cast<uint64_t>(v) >> 6];
        const uint64_t bit = uint64_t{1} << (v & 63);
        if constexpr (kShared) word.fetch_and(~bit);
        else word.store(word.load(std::memory_order_relaxed) & ~bit, std::memory_order_relaxed);
    }

    D lowest() const {
        D low = kInfinity<D>;
        for (int64_t b = 0; b < window_.blocks(); ++b) low = std::min(low, least_[b].load(std::memory_order_relaxed));
        return low;
    }
    bool find_active(D threshold) {
        active_.clear();
        for (int64_t b = 0; b < window_.blocks(); ++b)
            if (least_[b].load(std::memory_order_relaxed) <= threshold) active_.push_back(b);
        return !active_.empty();
    }

    void sweep(D threshold) {
        const int64_t count = static_cast<int64_t>(active_.size());
        for (int64_t i = 0; i < std::min(kAhead, count); ++i) window_.want(active_[i]);
        const bool share = kShared && count > 2 && last_ > kWorthSharing;
        const int64_t before = relaxed_;
        parallel_for(share ? search_.threads : 1, count, 1, [&](int64_t begin, int64_t end, int thread) {
            for (int64_t i = begin; i < end; ++i) {
                if (i + kAhead < count) window_.want(active_[i + kAhead]);
                window_.want(active_[i]);  // it may have been dropped again in a small window
                work_on(active_[i], threshold, workers_[thread]);
                if (search_.watch->poll(before + workers_[thread].relaxed)) return;
            }
        });
        if (share) stats_.threads = search_.threads;
        for (Worker& worker : workers_) {
            relaxed_ += std::exchange(worker.relaxed, 0);
            entries_ += std::exchange(worker.entries, 0);
            again_ += std::exchange(worker.again, 0);
        }
        last_ = relaxed_ - before;
    }

    // Relaxes what waits in a block up to the threshold, until nothing does.
    void work_on(int64_t block, D threshold, Worker& worker) {
        const bool pieces = window_.is_long(block);
        while (least_[block].load() <= threshold && gather(block, threshold, worker.list)) {
            const std::vector<V>& list = worker.list;
            const size_t size = list.size();
            worker.entries += static_cast<int64_t>(size);
            for (size_t i = 0; i < size; ++i) {
                if (i + 8 < size) STEPPE_PREFETCH(tentative_.address(list[i + 8]));
                if (i + 6 < size && !pieces) g_.prefetch_edges(g_.first(list[i + 6]));
                if (i + 2 < size && !pieces) {
                    const int64_t first = g_.first(list[i + 2]), last = std::min(g_.last(list[i + 2]), first + 16);
                    for (int64_t e = first; e < last; ++e) STEPPE_PREFETCH(tentative_.address(g_.target(e)));
                }
                const V u = list[i];
                unmark(u);
                if (pieces) relax_in_pieces(u, worker);
                else relax(u, g_.first(u), g_.last(u), worker);
                if ((i & 1023) == 1023 && search_.watch->poll(relaxed_ + worker.relaxed)) return;
            }
        }
    }

    bool gather(int64_t block, D threshold, std::vector<V>& list) {
        if constexpr (kShared) least_[block].exchange(kInfinity<D>);
        else least_[block].store(kInfinity<D>, std::memory_order_relaxed);
        list.clear();
        D rest = kInfinity<D>;
        const int64_t end = std::min((g_.n + 63) / 64, (block + 1) << (shift_ - 6));
        for (int64_t w = block << (shift_ - 6); w < end; ++w)
            for (uint64_t word = dirty_[w].load(); word; word &= word - 1) {
                const V v = static_cast<V>(w * 64 + std::countr_zero(word));
                const D d = tentative_.load(v);
                if (d <= threshold) list.push_back(v);
                else rest = std::min(rest, d);
            }
        if (rest != kInfinity<D>) lower(least_[block], rest);
        return !list.empty();
    }

    void relax(V u, int64_t first, int64_t last, Worker& worker) {
        const D du = tentative_.load(u);
        const search::Reach<D> reach = search_.reach;
        worker.relaxed += last - first;
        for (int64_t e = first; e < last; ++e) {
            if (e + 16 < last) STEPPE_PREFETCH(tentative_.address(g_.target(e + 16)));
            const V v = g_.target(e);
            const D candidate = du + static_cast<D>(g_.weight(e)), before = tentative_.load(v);
            if (candidate < before && reach.admits(candidate, worker.outgrown)) {
                worker.again += before <= threshold_;
                if constexpr (kShared) {
                    ++worker.atomics;
                    if (!tentative_.improve(v, candidate, u)) continue;
                } else {
                    tentative_.improve(v, candidate, u);
                }
                mark(v, candidate);
            }
        }
    }

    void relax_in_pieces(V u, Worker& worker) {
        const int64_t last = g_.last(u), piece = window_.piece();
        for (int64_t e = g_.first(u); e < last; e += piece) {
            const int64_t end = std::min(last, e + piece), ahead = std::min(last, end + piece);
            window_.want_piece(e, end, ahead);
            relax(u, e, end, worker);
            window_.release_piece(e, end, ahead);
            if (search_.watch->poll(relaxed_ + worker.relaxed)) return;
        }
    }

    const Rows& g_;
    Window& window_;
    const int shift_;
    const search::Search<V, D>& search_;
    Tentative tentative_;
    std::unique_ptr<std::atomic<uint64_t>[]> dirty_;
    std::unique_ptr<std::atomic<D>[]> least_;
    std::vector<Worker> workers_;
    std::vector<int64_t> active_;
    int64_t relaxed_ = 0, last_ = 0;
    int64_t entries_ = 0, again_ = 0;  // of all workers, in this round
    D threshold_ = 0;
    search::Stats stats_;
};

// One search, on the threads that it may use. delta: see run; infinite, or too large for D: everything at once. `pred`
// may be null. 64-bit vertices have one form.
template <class Rows, class V, class D>
search::Stats sweep(const Rows& g, Window& window, int shift, const search::Search<V, D>& search, D* dist, V* pred) {
    const D delta = static_cast<D>(std::min(search.delta, static_cast<double>(most_wide<D>())));
    const auto run = [&]<class Tentative>() {
        return std::make_unique<External<Tentative, Rows, V, D>>(g, window, shift, search, dist, pred)->run(delta);
    };
    if constexpr (sizeof(V) == 4) {
        if (search.threads == 1) return run.template operator()<search::Alone<true, V, D>>();
        if constexpr (sizeof(D) == 4)
            if (!pred) return run.template operator()<search::Tentative<false, V, D>>();
    }
    return run.template operator()<search::Tentative<true, V, D>>();
}

}  // namespace steppe::external

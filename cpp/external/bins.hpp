// A search over a graph whose distances lie far beyond the caches: candidates are sorted by target before they are
// applied (propagation blocking: Beamer, Asanovic and Patterson, IPDPS 2017).
//
// A relaxation reads the distance of a random vertex, a cache miss for every edge. Here an edge only writes its target
// and its candidate at the end of a list, the bin of the target's block; a block's distances and marks fit into the
// second-level cache and are there when its bin is applied. Both lists and edges are then read and written in the order
// of memory. Rounds, thresholds and widths are those of sweep.hpp. A pass goes over the blocks by number: what waits in
// a block's bin is applied, then the block's marked vertices up to the threshold are relaxed into the bins of others.
//
// Threads: a block is one thread's for a pass, and only that thread reads or writes its distances, marks and bound. A
// thread has bins of its own for every block, two of each: those it fills in this pass, and those that were filled in
// the last one, which whoever has the block may read. So nothing is atomic, and threads meet once a pass.
//
// Bins are lists of chunks, which a thread takes back when they have been applied. Once they hold as many bytes as they
// may, vertices wait with their marks until a pass has applied them all.
#pragma once
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "external/window.hpp"
#include "search/search.hpp"
#include "search/tentative.hpp"

namespace steppe::external {

template <bool kPaths, class V, class D>
struct Candidate {
    V vertex;
    D distance;
    V predecessor;
};
template <class V, class D>
struct Candidate<false, V, D> {
    V vertex;
    D distance;
};

template <class Entry>
struct Chunk {
    static constexpr int64_t kEntries = (4096 - 64) / sizeof(Entry);
    Chunk* before;
    alignas(64) Entry entries[kEntries];
};

// The chunks that one thread has to fill. They may come back to another; the memory ends with whoever first had it.
template <class Entry>
class Chunks {
  public:
    // bytes: after so many is_short says that there are no more. take gives one even then: a row is not cut.
    explicit Chunks(int64_t bytes)
        : at_once_(std::clamp<int64_t>(bytes / kSize, 1, (int64_t{2} << 20) / kSize)),
          left_(std::max<int64_t>(1, bytes / kSize)) {}
    bool is_short() const { return free_.empty() && left_ <= 0; }
    Chunk<Entry>* take() {
        if (free_.empty()) {
            slabs_.emplace_back(at_once_);
            left_ -= at_once_;
            for (Chunk<Entry>& chunk : slabs_.back()) free_.push_back(&chunk);
        }
        Chunk<Entry>* chunk = free_.back();
        free_.pop_back();
        return chunk;
    }
    void give(Chunk<Entry>* chunk) { free_.push_back(chunk); }
    std::vector<Chunk<Entry>*> give_all() { return std::exchange(free_, {}); }

  private:
    static constexpr int64_t kSize = sizeof(Chunk<Entry>);
    const int64_t at_once_;
    int64_t left_;  // chunks that may still be made
    std::vector<Buffer<Chunk<Entry>>> slabs_;
    std::vector<Chunk<Entry>*> free_;
};

// A list of candidates, in chunks. The line after the next is fetched while this one is filled: hundreds of bins are
// too many streams for the processor to foresee (without: 16 instead of 12 ns an edge).
template <class Entry>
class Bin {
  public:
    bool is_empty() const { return !last_; }
    STEPPE_INLINE void add(Entry entry, Chunks<Entry>& chunks) {
        if (STEPPE_UNLIKELY(next_ == end_)) {
            Chunk<Entry>* chunk = chunks.take();
            chunk->before = std::exchange(last_, chunk);
            next_ = chunk->entries;
            end_ = next_ + Chunk<Entry>::kEntries;
        }
        STEPPE_PREFETCH_WRITE(next_ + 128 / sizeof(Entry));
        *next_++ = entry;
    }
    // Calls f(begin, end) for each chunk; the bin is empty then.
    template <class F>
    void take(Chunks<Entry>& chunks, F f) {
        const Entry* end = next_;
        while (last_) {
            f(static_cast<const Entry*>(last_->entries), end);
            chunks.give(std::exchange(last_, last_->before));
            if (last_) end = last_->entries + Chunk<Entry>::kEntries;
        }
        next_ = end_ = nullptr;
    }

  private:
    Entry *next_ = nullptr, *end_ = nullptr;
    Chunk<Entry>* last_ = nullptr;
};

template <bool kPaths, class Rows, class V, class D>
class Binned {
  public:
    // bytes: what the bins may hold, but for a row of each thread. The window must have room for all edges.
    Binned(const Rows& g, Window& window, int shift, int64_t bytes, const search::Search<V, D>& search, D* dist,
           V* pred)
        : g_(g),
          window_(window),
          shift_(shift),
          search_(search),
          tentative_(search, g.n, dist, pred),
          marks_((g.n + 63) / 64, 0),
          least_(window.blocks(), kInfinity<D>) {
        for (int t = 0; t < search.threads; ++t)
            workers_.push_back(std::make_unique<Worker>(window.blocks(), bytes / search.threads, size_t{1} << shift));
        active_.reserve(window.blocks());
    }

    // delta: how far the threshold rises above the least waiting distance.
    search::Stats run(D delta) {
        const bool fixed = search_.fixed_delta || delta <= 0 || delta >= most_wide<D>();
        D too_wide_once = kTop;
        int64_t quiet = 0;  // rounds with next to nothing to do
        for (V s : search_.sources) mark(s, 0);
        auto pending = search::Pending<V, decltype(tentative_)>(search_.targets, tentative_);
        for (D low = lowest(); low != kInfinity<D> && !in_vain_; low = lowest()) {
            ++stats_.rounds;
            threshold_ = low < kTop - delta ? low + delta : kTop;
            entries_ = again_ = 0;
            bool narrow = false;
            while (find_active(narrow)) {
                window_.begin_pass();
                pass(narrow);
                if (search_.watch->stopped() || in_vain_) break;
                narrow |= !fixed && entries_ > kManyEntries && 4 * again_ > 3 * entries_ && delta / 4 > 0;
            }
            quiet = entries_ < window_.blocks() ? quiet + 1 : 0;
            if (narrow) {
                too_wide_once = delta;
                delta = delta / 4;
                ++stats_.width_changes;
            } else if (!fixed && quiet > 64 && delta < too_wide_once / 4 && delta < most_wide<D>() / 4) {
                delta = delta * 4;
                quiet = 0;
                ++stats_.width_changes;
            }
            if (search_.watch->poll(relaxed_)) break;
            if (!narrow && pending.all_settled([&](D d) { return d <= threshold_ && d != kInfinity<D>; })) break;
        }
        stats_.delta = static_cast<double>(delta);
        stats_.edges_relaxed = stats_.edges_touched = relaxed_;
        return stats_;
    }

  private:
    using Entry = Candidate<kPaths, V, D>;
    struct alignas(128) Worker {
        Worker(int64_t blocks, int64_t bytes, size_t most)
            : chunks(bytes), bins{std::vector<Bin<Entry>>(blocks), std::vector<Bin<Entry>>(blocks)} {
            list.reserve(most);
        }
        Chunks<Entry> chunks;
        std::vector<Bin<Entry>> bins[2];
        std::vector<V> list;
        int64_t relaxed = 0;             // edges, in this pass
        int64_t entries = 0, again = 0;  // vertices relaxed, and how often one fell that was due in this round already
        bool full = false, outgrown = false;
    };
    static constexpr D kTop = std::is_integral_v<D> ? kLargest<D> : std::numeric_limits<D>::max();
    static constexpr size_t kRowsAhead = 16;           // rows fetched before they are due
    static constexpr int64_t kAhead = 16;              // distances, likewise
    static constexpr int64_t kWorthSharing = 1 << 15;  // edges in a pass
    static constexpr int64_t kManyEntries = 1 << 12;   // before which nothing is known about the width

    void mark(V v, D d) {
        marks_[static_cast<uint64_t>(v) >> 6] |= uint64_t{1} << (v & 63);
        D& least = least_[static_cast<uint64_t>(v) >> shift_];
        least = std::min(least, d);
    }
    D lowest() const { return *std::min_element(least_.begin(), least_.end()); }

    // Blocks with candidates or, unless nothing is to be relaxed, vertices that are due.
    bool find_active(bool only_apply) {
        active_.clear();
        for (int64_t b = 0; b < window_.blocks(); ++b) {
            bool has = !only_apply && least_[b] <= threshold_;
            for (const auto& worker : workers_) has |= !worker->bins[now_][b].is_empty();
            if (has) active_.push_back(b);
        }
        return !active_.empty();
    }

    void pass(bool only_apply) {
        now_ = 1 - now_;
        only_apply |= full_;  // then all chunks are free after this pass
        const int64_t count = static_cast<int64_t>(active_.size()), before = relaxed_;
        const bool share = search_.threads > 1 && count > 1 && last_ > kWorthSharing;
        parallel_for(share ? search_.threads : 1, count, 1, [&](int64_t begin, int64_t end, int thread) {
            Worker& worker = *workers_[thread];
            for (int64_t i = begin; i < end; ++i) {
                apply(active_[i], worker);
                if (!only_apply && !worker.full && least_[active_[i]] <= threshold_) relax(active_[i], worker);
                if (search_.watch->poll(before + worker.relaxed)) return;
            }
        });
        if (share) stats_.threads = search_.threads;
        if (std::exchange(full_, false)) deal_chunks();
        for (auto& worker : workers_) {
            relaxed_ += std::exchange(worker->relaxed, 0);
            entries_ += std::exchange(worker->entries, 0);
            again_ += std::exchange(worker->again, 0);
            full_ |= std::exchange(worker->full, false);
            stats_.outgrown |= worker->outgrown;
        }
        in_vain_ = search::is_in_vain<D>(stats_.outgrown);
        if (!only_apply) last_ = relaxed_ - before;
    }

    // Every thread gets as many of the free chunks as another, the first one at least one: it is there in every pass.
    void deal_chunks() {
        std::vector<Chunk<Entry>*> all;
        for (auto& worker : workers_)
            for (Chunk<Entry>* chunk : worker->chunks.give_all()) all.push_back(chunk);
        for (size_t i = 0; i < all.size(); ++i) workers_[i % workers_.size()]->chunks.give(all[i]);
    }

    // Applies what waits for a block: what all threads wrote in the last pass, and this one in this pass.
    void apply(int64_t block, Worker& worker) {
        D least = least_[block];
        int64_t again = 0;
        auto all = [&](const Entry* begin, const Entry* end) {
            for (const Entry* e = begin; e < end; ++e) {
                if (e + kAhead < end) STEPPE_PREFETCH(tentative_.address(e[kAhead].vertex));
                const V v = e->vertex;
                const D d = e->distance, before = tentative_.load(v);
                if (d < before) {
                    again += before <= threshold_;
                    if constexpr (kPaths) tentative_.set(v, d, e->predecessor);
                    else tentative_.note(v, d);
                    marks_[static_cast<uint64_t>(v) >> 6] |= uint64_t{1} << (v & 63);
                    least = std::min(least, d);
                }
            }
        };
        for (auto& other : workers_) other->bins[1 - now_][block].take(worker.chunks, all);
        worker.bins[now_][block].take(worker.chunks, all);
        worker.again += again;
        least_[block] = least;
    }

    // Relaxes a block's marked vertices up to the threshold, as long as there are chunks.
    void relax(int64_t block, Worker& worker) {
        D rest = kInfinity<D>;
        worker.list.clear();
        const int64_t end = std::min((g_.n + 63) / 64, (block + 1) << (shift_ - 6));
        for (int64_t w = block << (shift_ - 6); w < end; ++w)
            for (uint64_t word = marks_[w]; word; word &= word - 1) {
                const V v = static_cast<V>(w * 64 + std::countr_zero(word));
                const D d = tentative_.load(v);
                if (d <= threshold_) worker.list.push_back(v);
                else rest = std::min(rest, d);
            }
        const std::vector<V>& list = worker.list;
        const size_t size = list.size();
        std::vector<Bin<Entry>>& bins = worker.bins[now_];
        window_.want(block);
        size_t i = 0;
        for (; i < size; ++i) {
            if (worker.chunks.is_short()) {
                worker.full = true;
                break;
            }
            if (i + 2 * kRowsAhead < size) g_.prefetch_row(list[i + 2 * kRowsAhead]);
            if (i + kRowsAhead < size) {
                const int64_t first = g_.first(list[i + kRowsAhead]), last = g_.last(list[i + kRowsAhead]);
                g_.prefetch_edges(first);
                if (last > first) g_.prefetch_edges(last - 1);
            }
            const V u = list[i];
            marks_[static_cast<uint64_t>(u) >> 6] &= ~(uint64_t{1} << (u & 63));
            const D du = tentative_.load(u);
            const int64_t first = g_.first(u), last = g_.last(u);
            const search::Reach<D> reach = search_.reach;
            worker.relaxed += last - first;
            for (int64_t e = first; e < last; ++e) {
                const V v = g_.target(e);
                const D d = du + static_cast<D>(g_.weight(e));
                if (!reach.admits(d, worker.outgrown)) continue;
                Entry entry;
                entry.vertex = v, entry.distance = d;
                if constexpr (kPaths) entry.predecessor = u;
                bins[static_cast<uint64_t>(v) >> shift_].add(entry, worker.chunks);
            }
            if ((i & 1023) == 1023 && search_.watch->poll(relaxed_ + worker.relaxed)) return;
        }
        worker.entries += static_cast<int64_t>(i);
        for (; i < size; ++i) rest = std::min(rest, tentative_.load(list[i]));
        least_[block] = rest;
    }

    const Rows& g_;
    Window& window_;
    const int shift_;
    const search::Search<V, D>& search_;
    search::Alone<kPaths, V, D> tentative_;
    Buffer<uint64_t> marks_;
    std::vector<D> least_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<int64_t> active_;
    int now_ = 0;        // the bins that are filled in this pass
    bool full_ = false;  // a thread had no more chunks: the next pass only applies
    bool in_vain_ = false;
    int64_t relaxed_ = 0, last_ = 0;
    int64_t entries_ = 0, again_ = 0;  // of all workers, in this round
    D threshold_ = 0;
    search::Stats stats_;
};

// One search, on the threads that it may use; otherwise as sweep.
template <bool kPaths, class Rows, class V, class D>
search::Stats bin(const Rows& g, Window& window, const Budget& budget, const search::Search<V, D>& search, D* dist,
                  V* pred) {
    const D delta = static_cast<D>(std::min(search.delta, static_cast<double>(most_wide<D>())));
    using Search = Binned<kPaths, Rows, V, D>;
    return std::make_unique<Search>(g, window, budget.shift, budget.bins, search, dist, pred)->run(delta);
}

}  // namespace steppe::external

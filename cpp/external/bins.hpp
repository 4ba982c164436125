// A search over a graph whose distances lie far beyond the caches: candidates are sorted by target before they are
// applied (propagation blocking: Beamer, Asanovic and Patterson, IPDPS 2017).
//
// A relaxation reads the distance of a random vertex, a cache miss for every edge. Here an edge only writes its target
// and its candidate at the end of a list, the bin of the target's block; a block's distances and marks fit into the
// second-level cache and are there when its bin is applied. Both lists and edges are then read and written in the order
// of memory. Rounds, thresholds and widths are those of sweep.hpp. A pass goes over the blocks by number: what waits in
// a block's bin is applied, then the block's marked vertices up to the threshold are relaxed into the bins of others.
// Marks are gone through once a round; what falls below the threshold later is known when it is applied (a prepared
// random graph of 8 M vertices: an eighth of the time).
//
// Threads: a block is one thread's for a pass, and only that thread reads or writes its distances, marks and bound. A
// thread has bins of its own for every block, two of each: those it fills in this pass, and those that were filled in
// the last one, which whoever has the block may read. So nothing is atomic, and threads meet once a pass.
//
// Bins are lists of chunks (candidates.hpp), which a thread takes back when they have been applied. Once they hold as
// many bytes as they may, vertices wait with their marks until a pass has applied them all.
//
// On prepared rows (rows/packed.hpp) an edge and its weight are one read, not two, and the search finishes from the
// other side where that reads less (search/pull.hpp), as it does in memory; on plain rows where in-edges are at hand
// (pull_plain.hpp). What has fallen then is little, and nearly final: wide buckets spare rounds.
#pragma once
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "external/candidates.hpp"
#include "external/pull_plain.hpp"
#include "external/width.hpp"
#include "external/window.hpp"
#include "rows/forms.hpp"
#include "search/pull.hpp"
#include "search/search.hpp"
#include "search/tentative.hpp"

namespace steppe::external {

// In: the in-edges, packed where the rows are (Packed) or plain (Csr).
template <bool kPaths, class Rows, class In, class V, class D>
class Binned {
  public:
    // lightest: no edge weighs less. bytes: what the bins may hold, but for a row of each thread. The window must have
    // room for all edges.
    Binned(const Rows& g, const In* in, D lightest, Window& window, int shift, int64_t bytes,
           const search::Search<V, D>& search, D* dist, V* pred)
        : g_(g),
          in_(search.targets.empty() ? in : nullptr),
          lightest_(lightest),
          window_(window),
          shift_(shift),
          search_(search),
          tentative_(search, g.n, dist, pred),
          all_(dist, pred),
          marks_((g.n + 63) / 64, 0),
          least_(window.blocks(), kInfinity<D>),
          listed_(window.blocks(), 0) {
        for (int t = 0; t < search.threads; ++t)
            workers_.push_back(std::make_unique<Worker>(window.blocks(), bytes / search.threads, size_t{1} << shift));
        active_.reserve(window.blocks());
    }

    // delta: how far the threshold rises above the least waiting distance.
    search::Stats run(D delta) {
        Width<D> width(delta, search_.fixed_delta);
        for (V s : search_.sources) mark(s, 0);
        auto pending = search::Pending<V, decltype(tentative_)>(search_.targets, tentative_);
        for (D low = lowest(); low != kInfinity<D> && !in_vain_; low = lowest()) {
            if (pull_from(low)) {
                width.widen(16);
                continue;
            }
            ++stats_.rounds;
            threshold_ = width.threshold(low);
            entries_ = again_ = 0;
            std::fill(listed_.begin(), listed_.end(), 0);
            bool narrow = false;
            while (find_active(narrow)) {
                window_.begin_pass();
                pass(narrow);
                if (search_.watch->stopped() || in_vain_) break;
                narrow |= width.is_too_wide(entries_, again_);
            }
            width.adapt(narrow, entries_ < window_.blocks());
            if (search_.watch->poll(relaxed_)) break;
            if (!narrow && pending.all_settled([&](D d) { return d <= threshold_ && d != kInfinity<D>; })) break;
        }
        stats_.delta = width.value();
        stats_.width_changes = width.changes();
        stats_.edges_relaxed += relaxed_;
        stats_.edges_touched += relaxed_;
        return stats_;
    }

  private:
    using Entry = Candidate<kPaths, V, D>;
    struct alignas(128) Worker {
        Worker(int64_t blocks, int64_t bytes, size_t most)
            : chunks(bytes),
              bins{std::vector<Bin<Entry>>(blocks), std::vector<Bin<Entry>>(blocks)},
              due(most / 64, 0),
              list(most + 1) {}
        Chunks<Entry> chunks;
        std::vector<Bin<Entry>> bins[2];
        std::vector<uint64_t> due;       // of the block at hand: what fell to the threshold or below, in this pass
        D rest = kInfinity<D>;           // likewise: the least above the threshold
        Buffer<V> list;                  // what is to be relaxed, and room for one that is not
        int64_t relaxed = 0;             // edges, in this pass
        int64_t entries = 0, again = 0;  // vertices relaxed, and how often one fell that was due in this round already
        bool full = false, outgrown = false;
    };
    static constexpr size_t kRowsAhead = 16;           // rows fetched before they are due
    static constexpr int kAhead = 48;                  // distances, likewise
    static constexpr int kBatch = 64;                  // candidates compared without a branch
    static constexpr int64_t kWorthSharing = 1 << 15;  // edges in a pass
    static constexpr int64_t kManyBlocks = 16;         // likewise, of a size that is far beyond the caches

    void mark(V v, D d) {
        marks_[static_cast<uint64_t>(v) >> 6] |= uint64_t{1} << (v & 63);
        D& least = least_[static_cast<uint64_t>(v) >> shift_];
        least = std::min(least, d);
    }
    D lowest() const { return *std::min_element(least_.begin(), least_.end()); }

    // Between two rounds, where all below `low` is final and relaxed: finishes from the other side if that reads far
    // less than is left. Then only what it has lowered waits. To ask costs a few thousand reads.
    bool pull_from(D low) {
        const int64_t look = std::max<int64_t>(1 << 14, g_.edges() / 256);
        if (!in_ || relaxed_ < looked_ + look) return false;
        looked_ = relaxed_;
        if (!finish_by_pull(low)) return false;
        in_ = nullptr;
        stats_.note = "finished by pull";
        stats_.threads = search_.threads;
        in_vain_ = search::is_in_vain<D>(stats_.outgrown);
        std::fill(least_.begin(), least_.end(), kInfinity<D>);
        for (int64_t w = 0; w < static_cast<int64_t>(marks_.size()); ++w)
            for (uint64_t word = marks_[w]; word; word &= word - 1) {
                const V v = static_cast<V>(w * 64 + std::countr_zero(word));
                mark(v, tentative_.load(v));
            }
        return true;
    }
    // If it pays; marks are then those of what has fallen.
    bool finish_by_pull(D low) {
        using W = typename Rows::Weight;
        if constexpr (std::is_same_v<In, rows::Csr<V, W>>) {
            PullPlain<V, W, D> finish(*in_, lightest_, all_, search_);
            if (!finish.pays(low)) return false;
            if (in_->targets == g_.targets)
                for (int64_t b = 0; b < window_.blocks(); ++b) window_.want(b);
            finish.run(low, marks_, stats_);
        } else {
            if (!search::pull_pays(*in_, tentative_, low, g_.edges() / 24, [](V) { return true; })) return false;
            std::vector<V> changed;
            search::pull(*in_, g_, all_, low, search_.reach, changed, search_.threads, stats_);
            std::fill(marks_.begin(), marks_.end(), 0);
            for (const V v : changed) marks_[static_cast<uint64_t>(v) >> 6] |= uint64_t{1} << (v & 63);
        }
        return true;
    }

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
        // How much there is to do the last pass tells, or that many blocks have some: from hubs to what they lead to it
        // grows from one pass to the next a thousandfold.
        const bool share = search_.threads > 1 && (count >= kManyBlocks || (count > 1 && last_ > kWorthSharing));
        parallel_for(share ? search_.threads : 1, count, 1, [&](int64_t begin, int64_t end, int thread) {
            Worker& worker = *workers_[thread];
            for (int64_t i = begin; i < end; ++i) {
                const int64_t block = active_[i];
                apply(block, worker);
                if (only_apply || worker.full) forget_due(block, worker);
                else if (least_[block] <= threshold_) relax(block, worker);
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
        D least = least_[block], rest = kInfinity<D>;
        int64_t again = 0;
        const uint64_t within = (uint64_t{1} << shift_) - 1;
        // Whether a candidate is better no branch predictor can tell: first those that are get listed, then they are
        // tried again, in turn.
        auto batch = [&](const Entry* begin, int count) {
            int better[kBatch], found = 0;
            for (int i = 0; i < count; ++i) {
                better[found] = i;
                found += begin[i].distance < tentative_.load(begin[i].vertex);
            }
            for (int k = 0; k < found; ++k) {
                const Entry& e = begin[better[k]];
                const V v = e.vertex;
                const D d = e.distance, before = tentative_.load(v);
                if (!(d < before)) continue;
                again += before <= threshold_;
                if constexpr (kPaths) tentative_.set(v, d, e.predecessor);
                else tentative_.note(v, d);
                const bool is_due = d <= threshold_;
                marks_[static_cast<uint64_t>(v) >> 6] |= uint64_t{1} << (v & 63);
                worker.due[(static_cast<uint64_t>(v) & within) >> 6] |= uint64_t{is_due} << (v & 63);
                rest = std::min(rest, is_due ? kInfinity<D> : d);
                least = std::min(least, d);
            }
        };
        auto all = [&](const Entry* begin, const Entry* end) {
            for (; end - begin >= kBatch + kAhead; begin += kBatch) {
                for (int i = 0; i < kBatch; ++i) STEPPE_PREFETCH(tentative_.address(begin[i + kAhead].vertex));
                batch(begin, kBatch);
            }
            for (; begin < end; begin += kBatch) batch(begin, static_cast<int>(std::min<int64_t>(kBatch, end - begin)));
        };
        for (auto& other : workers_) other->bins[1 - now_][block].take(worker.chunks, all);
        worker.bins[now_][block].take(worker.chunks, all);
        worker.again += again;
        worker.rest = std::min(rest, least_[block]);
        least_[block] = least;
    }
    // Nothing of a block is relaxed now: what has fallen is found by its marks.
    void forget_due(int64_t block, Worker& worker) {
        listed_[block] = 0;
        std::fill(worker.due.begin(), worker.due.end(), 0);
    }

    // Relaxes a block's marked vertices up to the threshold, as long as there are chunks: in a round at first all that
    // have a mark are looked at, later only what has just fallen.
    void relax(int64_t block, Worker& worker) {
        const bool is_listed = std::exchange(listed_[block], 1);
        D rest = is_listed ? worker.rest : kInfinity<D>;
        V* const list = worker.list.data();
        size_t size = 0;
        const int64_t begin = block << (shift_ - 6),
                      end = std::min((g_.n + 63) / 64, begin + (int64_t{1} << (shift_ - 6)));
        for (int64_t w = begin; w < end; ++w) {
            const uint64_t due = std::exchange(worker.due[w - begin], 0);
            for (uint64_t word = is_listed ? due : marks_[w]; word; word &= word - 1) {
                list[size] = static_cast<V>(w * 64 + std::countr_zero(word));
                const D d = tentative_.load(list[size]);
                const bool is_due = d <= threshold_;
                size += is_due;
                rest = std::min(rest, is_due ? kInfinity<D> : d);
            }
        }
        std::vector<Bin<Entry>>& bins = worker.bins[now_];
        window_.want(block);
        size_t i = 0;
        for (; i < size; ++i) {
            if (worker.chunks.is_short()) {
                worker.full = true;
                listed_[block] = 0;
                break;
            }
            if (i + 2 * kRowsAhead < size) g_.prefetch_row(list[i + 2 * kRowsAhead]);
            if (i + kRowsAhead < size) {
                const int64_t first = g_.first(list[i + kRowsAhead]), last = g_.last(list[i + kRowsAhead]);
                if (last > first) g_.prefetch_list(first, last);
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
    const In* in_;
    const D lightest_;
    Window& window_;
    const int shift_;
    const search::Search<V, D>& search_;
    search::Alone<kPaths, V, D> tentative_;
    search::OneWriter<true, V, D> all_;  // the same, while threads read what others write
    Buffer<uint64_t> marks_;
    std::vector<D> least_;
    std::vector<uint8_t> listed_;  // of each block: whether nothing is due but what falls from now on, in this round
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<int64_t> active_;
    int now_ = 0;        // the bins that are filled in this pass
    bool full_ = false;  // a thread had no more chunks: the next pass only applies
    bool in_vain_ = false;
    int64_t relaxed_ = 0, last_ = 0;
    int64_t looked_ = 0;               // relaxed_ when pull was last thought of
    int64_t entries_ = 0, again_ = 0;  // of all workers, in this round
    D threshold_ = 0;
    search::Stats stats_;
};

// One search, on the threads that it may use, over the best form of the rows there is; otherwise as sweep. `in`: the
// in-edges where they are at hand, of an undirected graph its own rows; or null. lightest: no edge weighs less.
template <bool kPaths, class V, class W, class D>
search::Stats bin(const rows::View<V, W>& g, const rows::View<V, W>* in, double lightest, Window& window,
                  const Budget& budget, const search::Search<V, D>& search, D* dist, V* pred) {
    const D delta = static_cast<D>(std::min(search.delta, static_cast<double>(most_wide<D>())));
    const D least = static_cast<D>(std::min(lightest, std::is_integral_v<D> ? 0x1p30 : lightest));  // may be less
    const auto run = [&]<class Rows, class In>(const Rows& rows, const In* in) {
        using Search = Binned<kPaths, Rows, In, V, D>;
        return std::make_unique<Search>(rows, in, least, window, budget.shift, budget.bins, search, dist, pred)
            ->run(delta);
    };
    if (g.out()) return run(*g.out(), g.forms.in());
    return run(g.csr, in ? &in->csr : nullptr);
}

// Compiled once, in bins.cpp: STEPPE_BINS(extern template) wherever they are used.
#define STEPPE_BIN(KIND, P, W, D)                                                                                  \
    KIND search::Stats bin<P, int32_t, W, D>(const rows::View<int32_t, W>&, const rows::View<int32_t, W>*, double, \
                                             Window&, const Budget&, const search::Search<int32_t, D>&, D*, int32_t*);
#define STEPPE_BINS_OF(KIND, W, D) STEPPE_BIN(KIND, false, W, D) STEPPE_BIN(KIND, true, W, D)
#define STEPPE_BINS(KIND)                   \
    STEPPE_BINS_OF(KIND, int32_t, uint32_t) \
    STEPPE_BINS_OF(KIND, int32_t, uint64_t) \
    STEPPE_BINS_OF(KIND, int64_t, uint64_t) \
    STEPPE_BINS_OF(KIND, float, float)      \
    STEPPE_BINS_OF(KIND, double, double)

}  // namespace steppe::external

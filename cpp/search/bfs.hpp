// Breadth-first search: hops from the source, level by level, from the side that is cheaper.
//
//   narrow      as long as levels have few vertices: bfs_narrow.hpp. Where vertices have few edges too, it makes the
//               canonical tree on the way, which is complete if levels stay narrow to the end, and several threads go
//               on by themselves: bfs_shared.hpp.
//   top-down    every vertex of the frontier claims its unseen out-neighbours. Wide levels are shared: bfs_wide.hpp.
//               Levels too small for that, after wide ones, run on the calling thread from a queue to a queue.
//   bottom-up   every unseen vertex looks among its in-neighbours for one in the frontier: bfs_wide.hpp.
//
// Once a level was not narrow, "seen" is a bitmap: an eighth of a byte per vertex stays in cache where the hops would
// not.
//
// A small-diameter graph has one or two levels that hold most of it; there bottom-up reads a fraction of the edges. The
// switch follows Beamer, Asanovic & Patterson, "Direction-optimizing breadth-first search", SC 2012: down when the
// frontier's edges exceed a share of the unexplored ones, up again when the frontier is below 1/18 of the vertices and
// falling; and never down for fewer edges than a sixteenth of the vertices, of which it would look at each. Their share
// is 1/15, ours 1/6: a mark costs no more than a test from below, and where degrees are even, an unseen vertex tests
// ten in-edges at 1/15. (16 directed edges from each of a million vertices, one thread of a Xeon, November 2026: 27 ms
// at 1/15, 19 at 1/10, 15 from 1/6 to 1/2; where degrees are skewed it does not matter.) It needs in-edges: `reverse`
// may be null (then every level is top-down).
#pragma once
#include <utility>
#include <vector>

#include "rows/csr.hpp"
#include "search/bfs_narrow.hpp"
#include "search/bfs_shared.hpp"
#include "search/bfs_wide.hpp"
#include "search/search.hpp"

namespace steppe::search {

// kPaths: record a tree in `pred`. Otherwise `pred` may be null, or room for the canonical tree, see has_tree().
template <bool kPaths, class V>
class Bfs {
  public:
    Bfs(const rows::Csr<V, int32_t>& graph, const rows::Csr<V, int32_t>* reverse, const Search<V, uint32_t>& search,
        int32_t* hops, V* pred)
        : g_(graph),
          in_(reverse),
          search_(search),
          hops_(hops),
          pred_(pred),
          grows_tree_(sizeof(V) == 4 && pred && graph.edges() <= kFewEdges * graph.n),
          is_narrow_(grows_tree_ || !kPaths),
          can_share_(search.threads > 1 && search.targets.empty() && graph.n >= kMany &&
                     graph.edges() <= kFewEdges * graph.n),
          narrow_(graph),
          wide_(graph, reverse != nullptr, search.threads, *search.watch, hops, pred) {
        if (grows_tree_) tree_cells_ = Buffer<uint64_t>(graph.n);
        parallel_for(search.threads, g_.n, 1 << 16, [&](int64_t begin, int64_t end, int) {
            if (grows_tree_) return std::fill(tree_cells_.data() + begin, tree_cells_.data() + end, TreeCells::kNone);
            std::fill(hops + begin, hops + end, kNoHops);
            if (kPaths) std::fill(pred + begin, pred + end, V{-1});
        });
    }

    Stats run() {
        int64_t size = start();
        struct Reached {
            const Bfs& bfs;
            bool load(V v) const { return bfs.is_reached(v); }
        } const reached{*this};
        Pending<V, Reached> pending(search_.targets, reached);
        bool up = false;
        while (size && level_ < limit()) {
            if (pending.all_settled([](bool is_reached) { return is_reached; }) || search_.watch->poll(touched_)) break;
            ++level_;
            if ((reached_ += size) == g_.n) break;  // this level would find nothing
            const int64_t before = size;
            if (!up && in_ && frontier_edges_ > std::max(unexplored_ / 6, g_.n / 16)) {
                up = true;
                leave_narrow();
                to_bitmap();
            } else if (up && size < g_.n / 18 && shrinking_) {
                up = false;
            }
            if (up) unexplored_ -= frontier_edges_;
            size = up ? take(wide_.bottom_up(*in_, static_cast<int32_t>(level_), touched_)) : top_down(size);
            shrinking_ = size < before;
        }
        if (is_narrow_ && grows_tree_) {
            has_tree_ = true;
            parallel_for(search_.threads, g_.n, 1 << 16, [&](int64_t begin, int64_t end, int) { split(begin, end); });
        }
        stats_.rounds = is_shared_to_end_ ? std::min(limit(), 1 + farthest()) : level_;
        stats_.edges_relaxed = stats_.edges_touched = touched_;
        stats_.scheme = is_shared_ ? is_wide_ ? "shared levels, then wide" : "shared levels"
                        : is_wide_ ? "narrow levels, then wide"
                                   : "narrow levels";
        stats_.rows = "csr";
        return stats_;
    }

    // Whether `pred` is the canonical tree.
    bool has_tree() const { return has_tree_; }

  private:
    int64_t limit() const { return std::min<uint32_t>(search_.reach.limit(), kNoHops - 1); }

    // The most hops of all.
    int64_t farthest() const {
        int32_t most = 0;
        for (int64_t v = 0; v < g_.n; ++v) most = std::max(most, hops_[v] == kNoHops ? 0 : hops_[v]);
        return most;
    }

    bool is_reached(V v) const {
        return (is_narrow_ && grows_tree_ ? TreeCells::hops(tree_cells_[v]) : hops_[v]) != kNoHops;
    }

    int64_t start() {
        if (is_narrow_) {
            with_cells([&](auto cells) { narrow_.start(cells, search_.sources); });
            frontier_edges_ = narrow_.edges_ahead();
            return narrow_.size();
        }
        wide_.see([](int64_t) { return uint64_t{0}; });
        for (V s : search_.sources)
            if (hops_[s] != 0) {
                hops_[s] = 0;
                insert(wide_.seen(), s);
                queue_.push_back(s);
                frontier_edges_ += g_.degree(s);
            }
        return static_cast<int64_t>(queue_.size());
    }

    int64_t top_down(int64_t size) {
        const bool is_wide = frontier_edges_ > std::max(kWide, g_.n / 64);
        const bool shared = is_wide && search_.threads > 1;
        frontier_edges_ = 0;
        if (is_narrow_ && !shared && size < std::max<int64_t>(2, g_.n / 64)) {
            if (can_share_ && size > kShare) return share_levels();
            with_cells([&](auto cells) { narrow_.run(cells, static_cast<int32_t>(level_), *search_.watch, touched_); });
            leave(narrow_.edges_read());
            frontier_edges_ = narrow_.edges_ahead();
            return narrow_.size();
        }
        leave_narrow();
        if (is_wide) {
            to_bitmap();
            const auto level = wide_.top_down(static_cast<int32_t>(level_), g_.n - reached_, touched_);
            unexplored_ -= level.touched;
            return take(level);
        }
        if (std::exchange(is_bitmap_, false)) wide_.to_queue(size, queue_);
        return top_down_alone();
    }

    // All levels from this one on, as long as they are narrow.
    int64_t share_levels() {
        can_share_ = false;
        is_shared_ = true;
        with_cells([&](auto cells) {
            SharedLevels<decltype(cells), V> levels(g_, cells, limit(), std::max(kWide, g_.n / 64), *search_.watch);
            Stats part;
            const int64_t left = levels.run(level_ - 1, narrow_.begin(), narrow_.end(), search_.threads, part);
            stats_.threads = part.threads;
            stats_.atomics += part.atomics;
            stats_.note = part.note;
            leave(part.edges_relaxed);
            is_shared_to_end_ = left == levels.kDone;
            if (is_shared_to_end_) return narrow_.clear();
            reached_ = narrow_.restart(cells, left) - narrow_.size();
            level_ = left;
        });
        frontier_edges_ = narrow_.edges_ahead();
        return narrow_.size();
    }

    // f(what is kept of the vertices while levels are narrow).
    template <class F>
    void with_cells(F f) {
        if constexpr (sizeof(V) == 4)
            if (grows_tree_) return f(TreeCells{tree_cells_.data()});
        f(HopCells<V>{hops_});
    }

    // From the first wide level on there is a bitmap.
    void leave_narrow() {
        if (!std::exchange(is_narrow_, false)) return;
        queue_.assign(narrow_.begin(), narrow_.end());
        found_ = narrow_.release();
        wide_.see([&](int64_t w) {
            const int64_t begin = w * 64, end = std::min(begin + 64, g_.n);
            if (grows_tree_) split(begin, end);
            uint64_t word = 0;
            for (int64_t v = begin; v < end; ++v) word |= uint64_t{hops_[v] != kNoHops} << (v - begin);
            return word;
        });
    }

    // The cells of narrow levels become hops and predecessors. Where no tree is recorded, one half of a tree is no use.
    void split(int64_t begin, int64_t end) {
        for (int64_t v = begin; v < end; ++v) hops_[v] = first_half<int32_t>(tree_cells_[v]);
        if (kPaths || has_tree_)
            for (int64_t v = begin; v < end; ++v) pred_[v] = second_half<int32_t>(tree_cells_[v]);
    }

    // The edges of a frontier that has been gone through.
    void leave(int64_t edges) {
        touched_ += edges;
        unexplored_ -= edges;
    }

    // Whether a neighbour is new cannot be predicted in the largest levels, so the loop appends without a branch: the
    // write always happens, the tail moves only for a new vertex. Hops follow in a second, short loop.
    int64_t top_down_alone() {
        const int32_t hop = static_cast<int32_t>(level_);
        const int64_t size = static_cast<int64_t>(queue_.size());
        V* const found = room();
        uint64_t* const seen = wide_.seen();
        int64_t tail = 0, read = 0, next_poll = kPoll;
        for (int64_t i = 0; i < size; ++i) {
            if (STEPPE_UNLIKELY(read > next_poll)) {
                if (search_.watch->poll(touched_)) return 0;
                next_poll = read + kPoll;
            }
            if (i + 16 < size) STEPPE_PREFETCH(&g_.offsets[queue_[i + 16]]);
            if (i + 8 < size) {
                const V* ahead = &g_.targets[g_.offsets[queue_[i + 8]]];
                STEPPE_PREFETCH(ahead);
                STEPPE_PREFETCH(ahead + 64 / sizeof(V));
            }
            const V u = queue_[i];
            const int64_t first = g_.offsets[u], last = g_.offsets[u + 1];
            read += last - first;
            for (int64_t e = first; e < last; ++e) {
                const V v = g_.targets[e];
                uint64_t& word = seen[static_cast<uint64_t>(v) >> 6];
                const uint64_t old = word, bit = uint64_t{1} << (v & 63);
                word = old | bit;
                found[tail] = v;
                if constexpr (kPaths) from_[tail] = u;
                tail += !(old & bit);
            }
        }
        leave(read);
        for (int64_t i = 0; i < tail; ++i) {
            if (i + 16 < tail) {
                STEPPE_PREFETCH_WRITE(&hops_[found[i + 16]]);
                STEPPE_PREFETCH(&g_.offsets[found[i + 16]]);
            }
            hops_[found[i]] = hop;
            if constexpr (kPaths) pred_[found[i]] = from_[i];
        }
        return take(tail);
    }

    V* room() {
        if (found_.size() == 0) found_ = Buffer<V>(g_.n + 1);
        if (kPaths && from_.size() == 0) from_ = Buffer<V>(g_.n + 1);
        return found_.data();
    }

    void to_bitmap() {
        if (!std::exchange(is_bitmap_, true)) wide_.to_bitmap(queue_);
    }

    int64_t take(const FoundLevel& level) {
        is_wide_ = true;
        stats_.threads = search_.threads;
        frontier_edges_ = level.edges;
        touched_ += level.touched;
        return level.size;
    }

    // The first `tail` vertices found are the next frontier.
    int64_t take(int64_t tail) {
        queue_.assign(found_.data(), found_.data() + tail);
        frontier_edges_ = 0;
        for (const V v : queue_) frontier_edges_ += g_.degree(v);
        return tail;
    }

    // Edges between two looks whether to stop: a level may be the whole graph.
    static constexpr int64_t kPoll = 1 << 16;
    // Edges of a level from which handing it to the other threads pays. (A grid of a million, two threads of a busy
    // Xeon, November 2026: shared from the first edge on 78 ms, from 2^10 on 49, from 2^13 or 2^15 on 26.)
    static constexpr int64_t kWide = 1 << 15;
    // Edges of a vertex, on average, up to which levels are expected to stay narrow.
    static constexpr int64_t kFewEdges = 4;
    // Vertices of a graph, and of a level, from which narrow levels are worth another thread.
    static constexpr int64_t kMany = 1 << 14, kShare = 128;
    const rows::Csr<V, int32_t>& g_;
    const rows::Csr<V, int32_t>* in_;
    const Search<V, uint32_t>& search_;
    int32_t* hops_;
    V* pred_;
    const bool grows_tree_;                              // narrow levels keep predecessors too
    bool is_narrow_;                                     // all levels so far were
    bool can_share_;                                     // narrow levels, among threads
    bool is_shared_ = false, is_shared_to_end_ = false;  // narrow levels were, and no other came
    bool is_wide_ = false;                               // some level was
    NarrowLevels<V> narrow_;
    WideLevels<kPaths, V> wide_;
    Buffer<uint64_t> tree_cells_;
    Buffer<V> found_, from_;
    std::vector<V> queue_;
    bool is_bitmap_ = false;  // the frontier is in wide_, not in queue_
    int64_t reached_ = 0;     // vertices, those of the frontier among them from the moment its level begins
    int64_t level_ = 0, frontier_edges_ = 0, touched_ = 0, unexplored_ = g_.edges();
    bool shrinking_ = false, has_tree_ = false;
    Stats stats_;
};

}  // namespace steppe::search

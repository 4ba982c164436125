// The narrow levels of a breadth-first search: those of roads and grids, thousands of them with few vertices each.
//
// One thread walks one queue. What is kept of a vertex, its cell, is either its hops, or hops and predecessor in one
// word (base/halves.hpp): the smaller of two such words is the canonical choice, fewer hops first, then the smaller
// predecessor, so that the minimum which marks a vertex as seen makes the canonical tree as well, without another look
// at the edges. (A grid of 2.25 M, mean of six sources, a Xeon, November 2026: hops 49 -> 26 ms, hops and tree 66 ->
// 31.)
//
// Two things make a level quick. The look ahead does not end with the level, and reaches far enough for three reads
// that depend on each other: offset, targets, cells of the first and last target. (Other neighbours mostly have near
// ids, whose cells lie beside these.) And whether a neighbour is new is tested with a branch where that can be
// predicted, and without one where it cannot. Along a grid's frontier every vertex finds as many as the one before (24
// ms with branches, 32 without, the same machine); on New York's roads the number varies (4.3 ms with, 2.2 without). So
// the search counts the vertices that find another number than the one before, and chooses by that.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/halves.hpp"
#include "base/memory.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"

namespace steppe::search {

inline constexpr int32_t kNoHops = std::numeric_limits<int32_t>::max();

template <class V>
struct HopCells {
    using Cell = int32_t;
    static constexpr Cell kNone = kNoHops;
    Cell* cells;
    static Cell make(int32_t hop, V) { return hop; }
    static int32_t hops(Cell cell) { return cell; }
};

// Hops and predecessor; -1 is the largest predecessor, as sources and unseen vertices have it.
struct TreeCells {
    using Cell = uint64_t;
    static constexpr Cell kNone = uint64_t{kNoHops} << 32 | 0xffffffffu;
    Cell* cells;
    static Cell make(int32_t hop, int32_t u) { return join_halves(hop, u); }
    static int32_t hops(Cell cell) { return first_half<int32_t>(cell); }
};

template <class V>
class NarrowLevels {
  public:
    explicit NarrowLevels(const rows::Csr<V, int32_t>& graph) : g_(graph) {}

    int64_t size() const { return tail_ - head_; }
    const V* begin() const { return queue_.data() + head_; }
    const V* end() const { return queue_.data() + tail_; }
    Buffer<V> release() { return std::move(queue_); }
    // Edges of the level gone through last; those that leave the next one, perhaps estimated.
    int64_t edges_read() const { return read_; }
    int64_t edges_ahead() const { return ahead_; }

    template <class Cells>
    void start(Cells to, const std::vector<V>& sources) {
        queue_ = Buffer<V>(g_.n + 1);
        for (const V s : sources)
            if (to.cells[s] == Cells::kNone) to.cells[s] = Cells::make(0, -1), queue_[tail_++] = s;
        count_ahead();
    }

    // Anew from the vertices of `level`: cells beyond may hold detours. Returns how many are reached.
    template <class Cells>
    int64_t restart(Cells to, int64_t level) {
        int64_t reached = 0;
        head_ = tail_ = 0;
        for (int64_t v = 0; v < g_.n; ++v) {
            const int64_t hops = Cells::hops(to.cells[v]);
            if (hops > level) to.cells[v] = Cells::kNone;
            reached += hops <= level;
            queue_[tail_] = static_cast<V>(v);
            tail_ += hops == level;
        }
        count_ahead();
        return reached;
    }
    void clear() { head_ = tail_; }

    // One level: all unseen neighbours of the queue's vertices get this hop. Where the watch stops, it ends early.
    template <class Cells>
    void run(Cells to, int32_t hop, Watch& watch, int64_t touched) {
        if (head_ > kSlide && size() <= head_) {  // to the front again: the queue stays in cache
            std::copy(queue_.data() + head_, queue_.data() + tail_, queue_.data());
            tail_ -= std::exchange(head_, 0);
        }
        const int64_t before = size();
        if (branches_) walk<true>(to, hop, watch, touched);
        else walk<false>(to, hop, watch, touched);
        walked_ += before;
        if (walked_ >= kJudge) {
            branches_ = changes_ * 4 < walked_;
            walked_ = changes_ = 0;
        }
        count_ahead();
    }

  private:
    template <bool kBranches, class Cells>
    void walk(Cells to, int32_t hop, Watch& watch, int64_t touched) {
        using Cell = typename Cells::Cell;
        Cell* const cells = to.cells;
        V* const queue = queue_.data();
        const int64_t end = tail_;
        const int64_t* const offsets = g_.offsets;  // in registers, whatever is written to the cells
        const V* const targets = g_.targets;
        int64_t tail = tail_, read = 0, next_poll = kPoll, widest = widest_, found = 0, changes = 0;
        for (int64_t i = head_; i < end; ++i) {
            if (STEPPE_UNLIKELY(read > next_poll)) {
                if (watch.poll(touched)) break;
                next_poll = read + kPoll;
            }
            if (i + 128 < tail) {  // both ends of a list: they may lie in two lines
                STEPPE_PREFETCH(&offsets[queue[i + 128]]);
                STEPPE_PREFETCH(&offsets[queue[i + 128] + 1]);
                STEPPE_PREFETCH(&targets[offsets[queue[i + 96]]]);
                STEPPE_PREFETCH(&targets[offsets[queue[i + 96] + 1] - 1]);
                const int64_t first = offsets[queue[i + 64]], last = offsets[queue[i + 64] + 1];
                if (first < last) {
                    STEPPE_PREFETCH_WRITE(&cells[targets[first]]);
                    STEPPE_PREFETCH_WRITE(&cells[targets[last - 1]]);
                }
            }
            const V u = queue[i];
            const int64_t first = offsets[u], last = offsets[u + 1], before = tail;
            const Cell mine = Cells::make(hop, u);
            read += last - first;
            widest = std::max(widest, last - first);
            for (int64_t e = first; e < last; ++e) {
                const V v = targets[e];
                const Cell old = cells[v];
                if constexpr (kBranches) {
                    if (mine >= old) continue;
                    cells[v] = mine;
                    if (old == Cells::kNone) queue[tail++] = v;
                } else {
                    cells[v] = std::min(old, mine);
                    queue[tail] = v;
                    tail += old == Cells::kNone;
                }
            }
            changes += tail - before != found;
            found = tail - before;
        }
        changes_ += changes;
        read_ = read;
        widest_ = widest;
        head_ = end;
        tail_ = tail;
    }

    // Where all lists are short so far, the next level's need not be looked up one by one: an estimate will do.
    void count_ahead() {
        const int64_t mean = g_.n ? g_.edges() / g_.n + 1 : 1;
        ahead_ = size() * mean;
        if (widest_ <= 8 * mean && head_) return;
        ahead_ = 0;
        for (const V v : *this) ahead_ += g_.degree(v);
    }

    static constexpr int64_t kSlide = 1 << 15;
    static constexpr int64_t kPoll = 1 << 16;   // edges between two looks whether to stop
    static constexpr int64_t kJudge = 1 << 12;  // vertices between two decisions for or against branches
    const rows::Csr<V, int32_t>& g_;
    Buffer<V> queue_;  // [head, tail): the level to come
    int64_t head_ = 0, tail_ = 0, read_ = 0, ahead_ = 0;
    int64_t widest_ = 0;  // the longest list so far
    int64_t walked_ = 0, changes_ = 0;
    bool branches_ = false;
};

}  // namespace steppe::search

// Window: which blocks of edges are mapped into memory just now, and what the kernel is told about it.
//
// Edges lie in a file that is mapped, cut into blocks of consecutive vertices. want(block) announces one (WILLNEED: the
// kernel starts to read and does not wait), counts its bytes and, when the window is full, lets go of another
// (DONTNEED: the pages leave this process; the kernel may keep them as a cache, at its discretion). Sweeps pass over
// the file again and again in one direction, where dropping the oldest block would always drop the one that is wanted
// next; so the head of the file, up to seven eighths of the window, stays once it is there, and the rest passes through
// what remains, the oldest leaving first. A block too large for that passage is never held: its rows come in pieces.
//
// Graphs that are not mapped are counted the same way; only the kernel hears nothing of it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/pages.hpp"
#include "rows/csr.hpp"

namespace steppe::external {

// What a search may take, and what it has taken so far: others may look while it goes on.
struct Budget {
    const int shift;                                                   // 2^shift vertices make a block, at least 64
    const int64_t window;                                              // bytes of edges that may be mapped at a time
    const int64_t bins = 0;                                            // bytes of candidates (bins.hpp); 0: no bins
    std::atomic<int64_t> parts{0}, passes{0}, bytes_read{0}, peak{0};  // peak: bytes mapped at a time, at most
};

class Window {
  public:
    // Block b holds the edges [offsets[b << shift], offsets[(b + 1) << shift]). mapped: edges lie in a file.
    template <class V, class W>
    Window(const rows::Csr<V, W>& g, bool mapped, int threads, Budget& budget)
        : offsets_(g.offsets),
          n_(g.n),
          shift_(budget.shift),
          item_(sizeof(V) + (g.weights ? sizeof(W) : 0)),
          limit_(budget.window),
          passage_(limit_ / 8),
          whole_(limit_ >= g.edges() * item_),
          threads_(threads),
          targets_(g.targets, g.edges(), sizeof(V), mapped),
          weights_(g.weights, g.edges(), sizeof(W), mapped),
          budget_(budget),
          here_(new std::atomic<uint8_t>[static_cast<size_t>(blocks())]) {
        for (int64_t b = 0; b < blocks(); ++b) here_[b].store(0, std::memory_order_relaxed);
        budget_.parts.store(parts(), std::memory_order_relaxed);
    }

    int64_t blocks() const { return (n_ + (int64_t{1} << shift_) - 1) >> shift_; }
    int64_t first(int64_t block) const { return offsets_[block << shift_]; }
    int64_t last(int64_t block) const { return offsets_[std::min(n_, (block + 1) << shift_)]; }
    int64_t bytes(int64_t block) const { return (last(block) - first(block)) * item_; }
    bool is_long(int64_t block) const { return !whole_ && bytes(block) > passage_ / 4; }
    // Edges in a piece of a row that is too long to be held; each thread has two of them.
    int64_t piece() const { return std::max<int64_t>(1, passage_ / 4 / threads_ / item_); }

    void want(int64_t block) {
        if (here_[block].load(std::memory_order_relaxed) || is_long(block)) return;
        std::lock_guard<std::mutex> hold(lock_);
        if (here_[block].load(std::memory_order_relaxed)) return;
        here_[block].store(1, std::memory_order_relaxed);
        const int64_t size = bytes(block);
        budget_.bytes_read.fetch_add(size, std::memory_order_relaxed);
        held_ += size;
        targets_.need(first(block), last(block));
        weights_.need(first(block), last(block));
        if (!whole_ && last(block) * item_ > limit_ - passage_) passing_.push_back(block);
        if (!whole_)
            while (held_ > limit_ - passage_ / 2 && !passing_.empty()) drop();
        note_peak();
    }
    // A piece of a long row, [first, last), is about to be read, the one after it ends at `ahead`.
    void want_piece(int64_t first, int64_t last, int64_t ahead) {
        if (ahead > last) targets_.need(last, ahead), weights_.need(last, ahead);
        std::lock_guard<std::mutex> hold(lock_);
        budget_.bytes_read.fetch_add((last - first) * item_, std::memory_order_relaxed);
        pieces_ += (ahead - first) * item_;
        note_peak();
    }
    void release_piece(int64_t first, int64_t last, int64_t ahead) {
        release(first, last);
        std::lock_guard<std::mutex> hold(lock_);
        pieces_ -= (ahead - first) * item_;
    }

    // Blocks, and the pieces of those that are never held.
    int64_t parts() const {
        int64_t count = 0;
        for (int64_t b = 0; b < blocks(); ++b)
            count += is_long(b) ? (last(b) - first(b) + piece() - 1) / piece() : bytes(b) > 0;
        return count;
    }
    void begin_pass() { budget_.passes.fetch_add(1, std::memory_order_relaxed); }

  private:
    void note_peak() {
        const int64_t now = held_ + pieces_;
        if (now > budget_.peak.load(std::memory_order_relaxed)) budget_.peak.store(now, std::memory_order_relaxed);
    }
    void release(int64_t first, int64_t last) {
        targets_.release(first, last);
        weights_.release(first, last);
    }
    void drop() {
        const int64_t block = passing_.front();
        passing_.pop_front();
        release(first(block), last(block));
        held_ -= bytes(block);
        here_[block].store(0, std::memory_order_relaxed);
    }

    const int64_t* offsets_;
    const int64_t n_;
    const int shift_;
    const int64_t item_, limit_, passage_;
    const bool whole_;  // all edges fit into the window
    const int threads_;
    Pages targets_, weights_;
    Budget& budget_;
    std::unique_ptr<std::atomic<uint8_t>[]> here_;
    std::mutex lock_;
    std::deque<int64_t> passing_;
    int64_t held_ = 0, pieces_ = 0;
};

}  // namespace steppe::external

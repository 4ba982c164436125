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

namespace steppe::external {

class Window {
  public:
    // Block b holds the edges [offsets[b << shift], offsets[(b + 1) << shift]). `live` shows parts, passes and bytes
    // read while the search goes on.
    Window(const int64_t* offsets, int64_t n, int shift, int64_t limit, Pages& targets, Pages& weights, int64_t item,
           int threads, int64_t* live)
        : offsets_(offsets),
          n_(n),
          shift_(shift),
          item_(item),
          limit_(limit),
          passage_(limit / 8),
          whole_(limit >= offsets[n] * item),
          threads_(threads),
          targets_(targets),
          weights_(weights),
          live_(live),
          here_(new std::atomic<uint8_t>[static_cast<size_t>(blocks())]) {
        for (int64_t b = 0; b < blocks(); ++b) here_[b].store(0, std::memory_order_relaxed);
        show(0, parts());
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
        show(2, read_ += size);
        held_ += size;
        targets_.need(first(block), last(block));
        weights_.need(first(block), last(block));
        if (!whole_ && last(block) * item_ > limit_ - passage_) passing_.push_back(block);
        if (!whole_)
            while (held_ > limit_ - passage_ / 2 && !passing_.empty()) drop();
        peak_ = std::max(peak_, held_ + pieces_);
    }
    // A piece of a long row, [first, last), is about to be read, the one after it ends at `ahead`.
    void want_piece(int64_t first, int64_t last, int64_t ahead) {
        if (ahead > last) targets_.need(last, ahead), weights_.need(last, ahead);
        std::lock_guard<std::mutex> hold(lock_);
        show(2, read_ += (last - first) * item_);
        pieces_ += (ahead - first) * item_;
        peak_ = std::max(peak_, held_ + pieces_);
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
    void begin_pass() { show(1, ++passes_); }
    int64_t passes() const { return passes_; }
    int64_t bytes_read() const { return read_; }
    int64_t peak() const { return peak_; }

  private:
    void show(int what, int64_t value) {
        std::atomic_ref<int64_t>(live_[what]).store(value, std::memory_order_relaxed);
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
    Pages &targets_, &weights_;
    int64_t* const live_;
    std::unique_ptr<std::atomic<uint8_t>[]> here_;
    std::mutex lock_;
    std::deque<int64_t> passing_;
    int64_t held_ = 0, pieces_ = 0, passes_ = 0, read_ = 0, peak_ = 0;
};

}  // namespace steppe::external

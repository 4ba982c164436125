// Candidates on their way to their targets, in bins: lists of chunks that are filled by one thread and read by another.
//
// A chunk is a page of candidates, so that a list grows without being moved and is read in the order of memory; whoever
// has read it may fill it anew.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/types.hpp"

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
// too many streams for the processor to foresee (AMD EPYC, November 2026: 16 ns an edge without, 12 with it).
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
            if (last_->before) fetch(last_->before);
            f(static_cast<const Entry*>(last_->entries), end);
            chunks.give(std::exchange(last_, last_->before));
            if (last_) end = last_->entries + Chunk<Entry>::kEntries;
        }
        next_ = end_ = nullptr;
    }

  private:
    // The beginning of a chunk that is read next: the processor foresees the rest of it, but not where it begins.
    STEPPE_INLINE static void fetch(const Chunk<Entry>* chunk) {
        for (int line = 0; line < 8; ++line) STEPPE_PREFETCH(reinterpret_cast<const char*>(chunk->entries) + 64 * line);
    }
    Entry *next_ = nullptr, *end_ = nullptr;
    Chunk<Entry>* last_ = nullptr;
};

}  // namespace steppe::external

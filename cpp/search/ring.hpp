// Ring: buckets of vertices by tentative distance (width.hpp), for one thread.
//
// The ring has a slot for every bucket that a relaxation can reach, max_weight / width + 2. A bitmap finds the next
// slot with entries. What lies beyond the ring (a few huge weights among small ones) waits in the overflow
// (radix_overflow.hpp).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "search/radix_overflow.hpp"
#include "search/width.hpp"

namespace steppe::search {

// Buckets are asked for in rising order; entries may be filed from the current bucket on.
template <class V>
class Ring {
  public:
    explicit Ring(int64_t span)
        : slots_(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(span, 64, kMost)))),
          words_(slots_.size() / 64),
          mask_(static_cast<int64_t>(slots_.size()) - 1),
          overflow_(std::countr_zero(slots_.size()) - 1) {}

    STEPPE_INLINE void file(int64_t bucket, V v) {
        if (bucket == current_) return list_.push_back(v);
        if (STEPPE_UNLIKELY(bucket - current_ > mask_ - kSlack)) return overflow_.add(bucket, v);
        add(bucket & mask_, v);
    }
    // The next non-empty bucket, or -1. Its entries are in list(), which may still grow while it is being read.
    int64_t next() {
        list_.clear();
        const int64_t found = lowest();
        if (found >= 0) take(found & mask_, [&](V v) { list_.push_back(v); });
        top_ = std::max(top_, found);
        return current_ = found;
    }
    // The same without its entries. The current bucket must have been read.
    int64_t lowest() {
        int64_t found = next_in_ring();
        if (STEPPE_UNLIKELY(!overflow_.empty()) && (found < 0 || overflow_.least() <= found)) {
            found = overflow_.least();
            top_ = std::max(top_, found);
            current_ = found - 1;
            overflow_.deal([&](int64_t bucket, V v) { add(bucket & mask_, v); });
        }
        return found;
    }
    // The same, and nothing changes: entries may still be filed from the current bucket on.
    int64_t least() const {
        const int64_t found = next_in_ring();
        if (STEPPE_LIKELY(overflow_.empty())) return found;
        return found < 0 ? overflow_.least() : std::min(found, overflow_.least());
    }
    int64_t current() const { return current_; }
    // How many entries a bucket has, those in list() and those beyond the ring not counted.
    int64_t entries(int64_t bucket) const {
        const Slot& slot = slots_[bucket & mask_];
        return slot.last ? int64_t{slot.full} * Chunk::kSize + slot.count : 0;
    }
    // The lowest bucket that has not been read to its end, or the largest number.
    int64_t open() {
        const int64_t found = list_.empty() ? lowest() : current_;
        return found < 0 ? std::numeric_limits<int64_t>::max() : found;
    }
    // Between two buckets: from now on entries may be filed from this bucket on, though later ones have been read.
    void go_back(int64_t bucket) {
        list_.clear();
        if (top_ - bucket < kSlack) {  // what is filed still has a slot each
            current_ = std::min(current_, bucket - 1);
            return;
        }
        std::vector<std::pair<int64_t, V>> all;
        drain([&](int64_t b, V v) { all.push_back({b, v}); });
        start_at(bucket);
        for (const auto& [b, v] : all) file(b, v);
    }
    std::vector<V>& list() { return list_; }

    // Of a new ring: nothing will be filed below this bucket, so that it need not pass through the overflow. If
    // something is all the same (go_back), the slots from here on may be taken.
    void start_at(int64_t bucket) { current_ = top_ = bucket - 1; }
    // f(bucket, v) for everything still filed; then the ring is as new. Costs what is left in it and a look at the
    // bitmap.
    template <class F>
    void drain(F f) {
        for (const V v : list_) f(current_, v);
        list_.clear();
        for (size_t i = 0; i < words_.size(); ++i) {
            while (words_[i]) {
                const int64_t at = static_cast<int64_t>(i << 6) + std::countr_zero(words_[i]);
                take(at, [&](V v) { f(current_ + ((at - current_) & mask_), v); });
            }
        }
        overflow_.drain(f);
        current_ = top_ = -1;
    }

  private:
    static constexpr int64_t kMost = 1 << 14;
    static constexpr int64_t kSlack = 16;  // buckets before the latest that may be filed into again

    // A cache line of entries, and where the next are: in the last of a slot, the first.
    struct alignas(64) Chunk {
        static constexpr int kSize = static_cast<int>((64 - sizeof(void*)) / sizeof(V));
        Chunk* next;
        V items[kSize];
    };
    struct Slot {
        Chunk* last = nullptr;
        int count = Chunk::kSize;  // of the last chunk's entries
        int full = -1;             // chunks before the last
    };

    void add(int64_t at, V v) {
        Slot& slot = slots_[at];
        if (STEPPE_UNLIKELY(slot.count == Chunk::kSize)) {
            Chunk* chunk = fresh();
            if (slot.last) {
                chunk->next = slot.last->next;
                slot.last->next = chunk;
            } else {
                chunk->next = chunk;
                words_[at >> 6] |= uint64_t{1} << (at & 63);
            }
            slot.last = chunk;
            slot.count = 0;
            ++slot.full;
        }
        slot.last->items[slot.count++] = v;
    }
    // f(v) for every entry of a slot, in the order in which they came; then it is empty.
    template <class F>
    void take(int64_t at, F f) {
        Slot slot = std::exchange(slots_[at], Slot{});
        words_[at >> 6] &= ~(uint64_t{1} << (at & 63));
        Chunk* chunk = slot.last->next;
        for (; chunk != slot.last; chunk = chunk->next)
            for (int i = 0; i < Chunk::kSize; ++i) f(chunk->items[i]);
        for (int i = 0; i < slot.count; ++i) f(chunk->items[i]);
        chunk = slot.last->next;
        slot.last->next = spare_;
        spare_ = chunk;
    }
    Chunk* fresh() {
        if (STEPPE_UNLIKELY(!spare_)) {
            const size_t count = std::clamp<size_t>(made_, 16, 4096);
            made_ += count;
            pool_.emplace_back(new Chunk[count]);
            for (size_t i = 0; i < count; ++i) pool_.back()[i].next = i + 1 < count ? &pool_.back()[i + 1] : nullptr;
            spare_ = pool_.back().get();
        }
        return std::exchange(spare_, spare_->next);
    }
    int64_t next_in_ring() const {
        const int64_t from = std::max<int64_t>(current_, 0), start = from & mask_;
        const int64_t count = static_cast<int64_t>(words_.size());
        uint64_t word = words_[start >> 6] >> (start & 63);
        if (word) return from + std::countr_zero(word);
        for (int64_t i = 1; i <= count; ++i) {
            const int64_t at = ((start >> 6) + i) & (count - 1);
            if (words_[at]) return from + (((at << 6) + std::countr_zero(words_[at]) - start) & mask_);
        }
        return -1;
    }

    std::vector<Slot> slots_;
    std::vector<uint64_t> words_;
    int64_t mask_, current_ = -1;
    int64_t top_ = -1;     // the latest bucket that was current
    std::vector<V> list_;  // the entries of the current bucket
    RadixOverflow<V> overflow_;
    std::vector<std::unique_ptr<Chunk[]>> pool_;
    Chunk* spare_ = nullptr;
    size_t made_ = 0;
};

}  // namespace steppe::search

// Bins: the shared work of a parallel bucket search. No barrier: a thread that has finished a chunk takes the lowest
// there is, its own or another's.
//
// Work moves in chunks of 64 vertices that all lie in one bucket. A thread fills its chunks in private, one open per
// bucket; a full one goes to the shared bin of that bucket, where any thread may take it. So a search whose frontier is
// small never leaves the thread that runs it, and a large one spreads by itself. The order is only nearly that of the
// buckets; label correcting does not need more. But a thread must not run far ahead of the slowest: what it relaxes
// there is mostly not final, so beyond kWindow buckets it waits (on a grid, running free cost a hundred times the
// work). The thread at the lowest bucket never waits, and the window also keeps all open buckets within one turn of the
// ring: what lies further ahead its thread keeps to itself (far.hpp). Whoever leaves, by an exception too, calls
// finish(): it will never be idle, and the others wait for that.
//
// Lenharth, Nguyen & Pingali, "Priority queues are not good concurrent priority schedulers", Euro-Par 2015 (bins of
// chunks); D'Antonio et al., "Wasp", SC'25 (asynchronous stealing between bins).
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "search/far.hpp"

namespace steppe::search {

template <class V>
struct Chunk {
    static constexpr int kSize = 64;
    int64_t bucket;
    int count;
    Chunk* next;
    V items[kSize];
};

class SpinLock {
  public:
    void lock() {
        while (flag_.test_and_set(std::memory_order_acquire)) pause_cpu();
    }
    void unlock() { flag_.clear(std::memory_order_release); }

  private:
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

// A set of ring slots as a bitmap.
inline int64_t next_slot(const uint64_t* words, int64_t count, int64_t start) {
    const int64_t mask = count * 64 - 1;
    uint64_t word = words[start >> 6] >> (start & 63);
    if (word) return start + std::countr_zero(word);
    for (int64_t i = 1; i <= count; ++i) {
        const int64_t at = ((start >> 6) + i) & (count - 1);
        if (words[at]) return ((at << 6) + std::countr_zero(words[at])) & mask;
    }
    return -1;
}

template <class V>
class Bins {
  public:
    Bins(int64_t slots, int threads)
        : mask_(slots - 1),
          threads_(threads),
          team_(threads),
          bins_(new Bin[slots]),
          words_(new std::atomic<uint64_t>[slots / 64]()),
          current_(new Current[threads]) {}

    void push(Chunk<V>* chunk) {
        const int64_t slot = chunk->bucket & mask_;
        Bin& bin = bins_[slot];
        bin.lock.lock();
        chunk->next = bin.head;
        bin.head = chunk;
        if (!chunk->next) words_[slot >> 6].fetch_or(uint64_t{1} << (slot & 63), std::memory_order_relaxed);
        bin.lock.unlock();
        count_.fetch_add(1);
        if (idle_.load() > 0) {
            wake_.fetch_add(1, std::memory_order_release);
            wake_.notify_one();
        }
    }

    // How many threads really take part, told by each of them before it asks for work: the pool may be taken.
    void join(int team) { team_.store(team); }

    // The lowest bucket any thread works on or waits with; kNone when all are idle.
    int64_t floor() const {
        int64_t floor = kNone;
        for (int t = 0; t < threads_; ++t) floor = std::min(floor, current_[t].bucket.load(std::memory_order_relaxed));
        return floor;
    }

    // The lowest bucket with a shared chunk, seen from `floor`; kNone if there is none.
    int64_t lowest(int64_t floor) const {
        if (count_.load(std::memory_order_relaxed) <= 0) return kNone;
        if (floor == kNone) floor = 0;
        const int64_t words = (mask_ + 1) / 64, start = floor & mask_;
        uint64_t word = words_[start >> 6].load(std::memory_order_relaxed) >> (start & 63);
        if (word) return floor + std::countr_zero(word);
        for (int64_t i = 1; i <= words; ++i) {
            const int64_t at = ((start >> 6) + i) & (words - 1);
            word = words_[at].load(std::memory_order_relaxed);
            if (word) return floor + (((at << 6) + std::countr_zero(word) - start) & mask_);
        }
        return kNone;
    }

    // A chunk from the slot of this bucket, or null when somebody was faster.
    Chunk<V>* take(int64_t bucket) {
        const int64_t slot = bucket & mask_;
        Bin& bin = bins_[slot];
        bin.lock.lock();
        Chunk<V>* chunk = bin.head;
        if (chunk) {
            bin.head = chunk->next;
            if (!bin.head) words_[slot >> 6].fetch_and(~(uint64_t{1} << (slot & 63)), std::memory_order_relaxed);
        }
        bin.lock.unlock();
        if (chunk) count_.fetch_sub(1);
        return chunk;
    }

    void working_on(int thread, int64_t bucket) { current_[thread].bucket.store(bucket, std::memory_order_relaxed); }

    // Called by a thread with nothing of its own: waits for shared work. False when all threads wait and there is none.
    // A chunk is counted before its thread can become idle, so "all idle" and "none counted" together are final.
    template <class Stop>
    bool wait(int thread, Stop stop) {
        working_on(thread, kNone);
        if (idle_.fetch_add(1) + 1 == team_.load() && count_.load() == 0) return finish();
        for (;;) {
            bool over = false;
            wait_until(wake_, [&] {
                over = finished() || stop();
                return over || count_.load() > 0;
            });
            if (over) return false;
            idle_.fetch_sub(1);
            if (count_.load() > 0) return true;
            if (idle_.fetch_add(1) + 1 == team_.load() && count_.load() == 0) return finish();
        }
    }
    // Lets waiting threads look whether to stop. Only the calling thread hears of Ctrl-C, and it may be one of them.
    void nudge() {
        if (idle_.load(std::memory_order_relaxed) == 0) return;
        wake_.fetch_add(1, std::memory_order_release);
        wake_.notify_all();
    }
    // Wakes every waiting thread, after a stop.
    bool finish() {
        done_.store(true, std::memory_order_release);
        wake_.fetch_add(1, std::memory_order_release);
        wake_.notify_all();
        return false;
    }

    bool finished() const { return done_.load(std::memory_order_acquire); }

    // f(bucket, v) for what is shared. Only when no thread is at work.
    template <class F>
    void drain(F f) const {
        for (int64_t slot = 0; slot <= mask_; ++slot)
            for (const Chunk<V>* chunk = bins_[slot].head; chunk; chunk = chunk->next)
                for (int i = 0; i < chunk->count; ++i) f(chunk->bucket, chunk->items[i]);
    }

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    static constexpr int64_t kWindow = 3;

  private:
    struct alignas(64) Bin {
        SpinLock lock;
        Chunk<V>* head = nullptr;
    };
    struct alignas(64) Current {
        std::atomic<int64_t> bucket{kNone};
    };
    const int64_t mask_;
    const int threads_;
    std::atomic<int> team_;
    std::unique_ptr<Bin[]> bins_;
    std::unique_ptr<std::atomic<uint64_t>[]> words_;
    std::unique_ptr<Current[]> current_;
    alignas(64) std::atomic<int64_t> count_{0};
    alignas(64) std::atomic<int> idle_{0};
    alignas(64) std::atomic<uint32_t> wake_{0};
    std::atomic<bool> done_{false};
};

// Pauses before a thread that waits for another calls itself blocked: 0.2 ms together. A thread at work finishes its
// chunk far sooner. Tests set it to nothing.
inline int& patience() {
    static int pauses = 4000;
    return pauses;
}

// Ends the search for all threads when one leaves it, whichever way.
template <class V>
struct FinishOnExit {
    Bins<V>& bins;
    ~FinishOnExit() { bins.finish(); }
};

// One thread's side of the bins: its open chunks, and chunks to use again.
template <class V>
class Worker {
  public:
    Worker(Bins<V>& bins, int64_t slots, int thread)
        : bins_(bins),
          thread_(thread),
          mask_(slots - 1),
          open_(slots, nullptr),
          words_(slots / 64, 0),
          far_(std::countr_zero(static_cast<uint64_t>(slots)) - 1) {}

    // Half a turn of the ring ahead lies what only this thread sees, until it comes near.
    void file(int64_t bucket, V v) {
        if (STEPPE_UNLIKELY(bucket - last_ > mask_ / 2)) return far_.add(bucket, v);
        const int64_t slot = bucket & mask_;
        Chunk<V>* chunk = open_[slot];
        if (STEPPE_UNLIKELY(!chunk || chunk->bucket != bucket || chunk->count == Chunk<V>::kSize)) {
            if (chunk) bins_.push(chunk);
            chunk = open_[slot] = fresh(bucket);
            words_[slot >> 6] |= uint64_t{1} << (slot & 63);
        }
        chunk->items[chunk->count++] = v;
    }

    // The lowest chunk to be had, shared or own; null when the whole search is over.
    template <class Stop>
    Chunk<V>* next(Stop stop) {
        int64_t seen = Bins<V>::kNone;
        for (int spins = 0;;) {
            const int64_t slot = next_slot(words_.data(), static_cast<int64_t>(words_.size()), last_ & mask_);
            const int64_t open = slot < 0 ? Bins<V>::kNone : open_[slot]->bucket;
            const int64_t own = std::min(open, far_.least());
            bins_.working_on(thread_, own);
            const int64_t floor = bins_.floor(), shared = bins_.lowest(floor);
            const int64_t bucket = std::min(own, shared);
            if (bucket == Bins<V>::kNone) {
                if (!bins_.wait(thread_, stop)) return nullptr;
                continue;
            }
            if (floor != Bins<V>::kNone && bucket > floor + Bins<V>::kWindow) {
                spins = floor == seen ? spins + 1 : 0;
                seen = floor;
                blocked_ = spins > patience();
                if (blocked_ || bins_.finished() || stop()) return nullptr;
                pause_cpu();
                continue;
            }
            Chunk<V>* chunk = nullptr;
            if (shared <= own) {
                chunk = bins_.take(shared);
                if (!chunk) continue;
            } else if (far_.least() <= open) {
                last_ = own;
                far_.deal([&](int64_t to, V v) { file(to, v); });
                continue;
            } else {
                chunk = open_[slot];
                open_[slot] = nullptr;
                words_[slot >> 6] &= ~(uint64_t{1} << (slot & 63));
            }
            last_ = chunk->bucket;
            bins_.working_on(thread_, last_);
            return chunk;
        }
    }
    void recycle(Chunk<V>* chunk) { spare_.push_back(chunk); }

    // f(bucket, v) for what it has not shared. Only when no thread is at work.
    template <class F>
    void drain(F f) {
        for (const Chunk<V>* chunk : open_)
            for (int i = 0; chunk && i < chunk->count; ++i) f(chunk->bucket, chunk->items[i]);
        far_.drain(f);
    }
    // Whether it gave up waiting for a thread that does not move: the system runs something else in its place.
    bool is_blocked() const { return blocked_; }

  private:
    Chunk<V>* fresh(int64_t bucket) {
        if (spare_.empty()) {
            constexpr int kBatch = 64;
            pool_.emplace_back(new Chunk<V>[kBatch]);
            for (int i = 0; i < kBatch; ++i) spare_.push_back(&pool_.back()[i]);
        }
        Chunk<V>* chunk = spare_.back();
        spare_.pop_back();
        chunk->bucket = bucket;
        chunk->count = 0;
        return chunk;
    }

    Bins<V>& bins_;
    bool blocked_ = false;
    const int thread_;
    const int64_t mask_;
    int64_t last_ = 0;
    std::vector<Chunk<V>*> open_;
    std::vector<uint64_t> words_;
    Far<V> far_;
    std::vector<Chunk<V>*> spare_;
    std::vector<std::unique_ptr<Chunk<V>[]>> pool_;
};

}  // namespace steppe::search

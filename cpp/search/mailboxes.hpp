// Mailboxes: how independent threads of one search share work, keep together, and find the end
// (independent_threads.hpp, bfs_shared.hpp).
//
//   messages   some hundred vertices whose edges the receiver is to relax. A thread that has too little to do requests
//              work; another that has more sends it a part. A thread reads its messages before each bucket or level.
//   window     a thread waits where it would run some buckets ahead of the slowest one.
//   the end    all threads are idle and no message is on its way. One word holds both counts, so that both are read at
//              the same moment.
//
// D'Antonio et al., "Wasp", SC'25: a thread has buckets of its own, and takes from others only when it is idle.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "search/halt.hpp"

namespace steppe::search {

// Vertices for another thread.
template <class V>
struct Message {
    static constexpr int kSize = 256;
    Message* next;
    int count;
    int64_t least;  // no vertex lies before this bucket
    V vertex[kSize];
};

// What the threads know of each other.
template <class V>
class Mailboxes {
  public:
    explicit Mailboxes(int threads) : boxes_(new Box[threads]), threads_(threads) {}

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

    // How many threads really take part.
    void set_threads(int team) { team_.store(team); }

    void set_bucket(int thread, int64_t bucket) { boxes_[thread].bucket.store(bucket, std::memory_order_relaxed); }
    // The last bucket that a thread may begin with which has come to `bucket` and may be `window` ahead of others.
    int64_t window_end(int thread, int64_t bucket, int64_t window) const {
        int64_t slowest = bucket;
        for (int t = 0; t < threads_; ++t)
            if (t != thread) slowest = std::min(slowest, boxes_[t].bucket.load(std::memory_order_relaxed));
        return slowest + window;
    }
    // Now and then within a bucket: one with hubs may take long.
    void beat(int thread) {
        std::atomic<uint32_t>& beats = boxes_[thread].beats;
        beats.store(beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    // The heartbeats of all threads.
    uint32_t beats() const {
        uint32_t sum = 0;
        for (int t = 0; t < threads_; ++t) sum += boxes_[t].beats.load(std::memory_order_relaxed);
        return sum;
    }

    // For a thread that has only so many entries in its buckets.
    void request_work(int thread, int64_t entries) {
        Box& box = boxes_[thread];
        box.entries.store(entries, std::memory_order_relaxed);
        if (!box.requests.exchange(true)) requests_.fetch_add(1);
    }
    // A thread that requests work, or -1, and how many entries it has. The request then counts as answered.
    int take_request(int64_t& entries) {
        if (STEPPE_LIKELY(requests_.load(std::memory_order_relaxed) == 0)) return -1;
        for (int t = 0; t < threads_; ++t) {
            Box& box = boxes_[t];
            if (!box.requests.load(std::memory_order_relaxed) || !box.requests.exchange(false)) continue;
            requests_.fetch_sub(1);
            entries = box.entries.load(std::memory_order_relaxed);
            return t;
        }
        return -1;
    }

    bool has_messages(int thread) const { return boxes_[thread].first.load() != nullptr; }
    void send(int to, Message<V>* message) {
        state_.fetch_add(1);
        // Until the message is read, its receiver is as far back as the message: a sleeping one must not be left
        // behind.
        std::atomic<int64_t>& bucket = boxes_[to].bucket;
        if (message->least < bucket.load(std::memory_order_relaxed))
            bucket.store(message->least, std::memory_order_relaxed);
        std::atomic<Message<V>*>& first = boxes_[to].first;
        message->next = first.load(std::memory_order_relaxed);
        while (!first.compare_exchange_weak(message->next, message)) {}
        wake_sleepers();
    }
    // All messages of a thread. It calls received() once their vertices are in its buckets.
    Message<V>* take(int thread) { return boxes_[thread].first.exchange(nullptr); }
    void received(int64_t messages) { state_.fetch_sub(static_cast<uint64_t>(messages)); }

    // For a thread that has nothing to do: waits for a message. False at the end of the search, or if stop().
    template <class Stop>
    bool wait(int thread, Stop stop) {
        set_bucket(thread, kNone);
        const uint64_t all_idle = static_cast<uint64_t>(team_.load()) * kIdle;
        if (state_.fetch_add(kIdle) + kIdle == all_idle) finish();
        sleepers_.fetch_add(1);
        bool over = false;
        wait_until(wake_, [&] {
            over = finished() || stop();
            return over || has_messages(thread);
        });
        sleepers_.fetch_sub(1);
        if (over) return false;
        state_.fetch_sub(kIdle);
        return true;
    }
    // Ends the search for all.
    void finish() {
        done_.store(true);
        wake();
    }
    bool finished() const { return done_.load(std::memory_order_acquire); }
    // Lets waiting threads look for messages, and whether to stop.
    void wake_sleepers() {
        if (sleepers_.load() > 0) wake();
    }

  private:
    static constexpr uint64_t kIdle = uint64_t{1} << 32;  // above the number of messages on their way
    struct alignas(128) Box {
        std::atomic<int64_t> bucket{kNone};  // which its thread has come to
        std::atomic<uint32_t> beats{0};
        alignas(64) std::atomic<int64_t> entries{0};
        std::atomic<bool> requests{false};
        alignas(64) std::atomic<Message<V>*> first{nullptr};
    };
    void wake() {
        wake_.fetch_add(1, std::memory_order_release);
        wake_.notify_all();
    }
    std::unique_ptr<Box[]> boxes_;
    const int threads_;
    std::atomic<int> team_{1};
    alignas(64) std::atomic<uint64_t> state_{0};  // idle threads, and messages on their way
    alignas(64) std::atomic<int> requests_{0};
    alignas(64) std::atomic<int> sleepers_{0};
    alignas(64) std::atomic<uint32_t> wake_{0};
    std::atomic<bool> done_{false};
};

// Ends the search for all threads when one leaves it, also by an exception.
template <class V>
struct FinishOnExit {
    Mailboxes<V>& mailboxes;
    ~FinishOnExit() { mailboxes.finish(); }
};

// How a thread waits for others that are behind.
struct Wait {
    int spins = 0;       // since this thread waits
    int silent = 0;      // of these, since the last heartbeat of another thread
    int64_t waited = 0;  // in the whole search
    uint32_t seen = 0;

    // Whether another thread is not running, or many short waits take more time than the work: a pause takes as long as
    // some relaxations.
    bool is_in_vain(uint32_t beats, int64_t relaxed) {
        silent = beats == seen ? silent + 1 : 0;
        seen = beats;
        ++spins;
        return silent > patience() || ++waited > 32 * int64_t{patience()} + relaxed / 4;
    }
    // Now and then: time to request work.
    bool is_long() const { return spins % 32 == 0; }
};

// What one thread sends and reads.
template <class V>
class Mailbox {
  public:
    Mailbox(Mailboxes<V>& mailboxes, int thread) : mailboxes_(mailboxes), thread_(thread) {}

    // Vertices for another to go on with, none of them before the bucket `least`.
    void send_work(int to, const V* first, const V* last, int64_t least) {
        while (first != last) {
            Message<V>* message = empty_message();
            message->least = least;
            message->count = static_cast<int>(std::min<int64_t>(last - first, Message<V>::kSize));
            std::copy_n(first, message->count, message->vertex);
            first += message->count;
            mailboxes_.send(to, message);
        }
    }
    // f(message) for every message; returns how many.
    template <class F>
    int64_t read(F f) {
        int64_t messages = 0;
        for (Message<V>* message = mailboxes_.take(thread_); message; ++messages) {
            f(*message);
            Message<V>* const next = message->next;
            spare_.push_back(message);
            message = next;
        }
        return messages;
    }

  protected:
    Mailboxes<V>& mailboxes_;
    const int thread_;

  private:
    Message<V>* empty_message() {
        if (spare_.empty()) {
            pool_.emplace_back(new Message<V>[4]);
            for (int i = 0; i < 4; ++i) spare_.push_back(&pool_.back()[i]);
        }
        Message<V>* message = spare_.back();
        spare_.pop_back();
        return message;
    }
    std::vector<Message<V>*> spare_;
    std::vector<std::unique_ptr<Message<V>[]>> pool_;
};

}  // namespace steppe::search

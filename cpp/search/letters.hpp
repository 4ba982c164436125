// Letters: what threads of one search send each other that go on by themselves, on roads and grids: distances for
// vertices that another owns, or work for one that has too little (desk.hpp for delta-stepping, bfs_shared.hpp for
// hops).
//
//   letters    some hundred vertices each; a thread reads all its mail before each bucket or level
//   window     a thread waits where it would run some buckets ahead of the slowest
//   the end    all threads idle and no letter under way: both in one word, so that they are seen at the same moment
//
// D'Antonio et al., "Wasp", SC'25, has the argument for buckets of one's own, and for taking from others only where one
// has nothing better to do; owners and messages are how clusters do it (Chakaravarthy et al., IPDPS 2014).
#pragma once
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "search/owned.hpp"

namespace steppe::search {

// Distances found for another's vertices, or vertices whose edges the receiver is to relax.
template <class V, class D>
struct Letter {
    static constexpr int kSize = 256;
    Letter* next;
    int count;
    bool is_work;   // the vertices' distances stand already
    int64_t least;  // no vertex lies before this bucket
    D distance[kSize];
    V vertex[kSize], from[kSize];
};

// What the threads know of each other.
template <class V, class D>
class Post {
  public:
    explicit Post(int threads) : boxes_(new Box[threads]), threads_(threads) {}

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

    void join(int team) { team_.store(team); }

    void work_on(int thread, int64_t bucket) { boxes_[thread].floor.store(bucket, std::memory_order_relaxed); }
    // The last bucket that a thread may begin with which has come to `bucket` and may be `window` ahead of others.
    int64_t window_end(int thread, int64_t bucket, int64_t window) const {
        int64_t floor = bucket;
        for (int t = 0; t < threads_; ++t)
            if (t != thread) floor = std::min(floor, boxes_[t].floor.load(std::memory_order_relaxed));
        return floor + window;
    }
    // A sign of life, now and then within a bucket: one with hubs may take long.
    void beat(int thread) {
        std::atomic<uint32_t>& beats = boxes_[thread].beats;
        beats.store(beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    // Changes whenever a thread gives a sign of life.
    uint32_t beats() const {
        uint32_t sum = 0;
        for (int t = 0; t < threads_; ++t) sum += boxes_[t].beats.load(std::memory_order_relaxed);
        return sum;
    }

    // Asks for work, for a thread that has so many entries.
    void ask(int thread, int64_t entries) {
        Box& box = boxes_[thread];
        box.entries.store(entries, std::memory_order_relaxed);
        if (!box.asks.exchange(true)) asking_.fetch_add(1);
    }
    // A thread that asks, or -1, and how many entries it has; the question then counts as answered.
    int asked(int64_t& entries) {
        if (STEPPE_LIKELY(asking_.load(std::memory_order_relaxed) == 0)) return -1;
        for (int t = 0; t < threads_; ++t) {
            Box& box = boxes_[t];
            if (!box.asks.load(std::memory_order_relaxed) || !box.asks.exchange(false)) continue;
            asking_.fetch_sub(1);
            entries = box.entries.load(std::memory_order_relaxed);
            return t;
        }
        return -1;
    }

    bool has_mail(int thread) const { return boxes_[thread].mail.load() != nullptr; }
    void send(int to, Letter<V, D>* letter) {
        state_.fetch_add(1);
        // Until it is read its receiver is as far back as this letter: one that sleeps must not be left behind.
        std::atomic<int64_t>& floor = boxes_[to].floor;
        if (letter->least < floor.load(std::memory_order_relaxed))
            floor.store(letter->least, std::memory_order_relaxed);
        std::atomic<Letter<V, D>*>& mail = boxes_[to].mail;
        letter->next = mail.load(std::memory_order_relaxed);
        while (!mail.compare_exchange_weak(letter->next, letter)) {}
        nudge();
    }
    // All the mail there is; received() when its vertices have been filed.
    Letter<V, D>* take(int thread) { return boxes_[thread].mail.exchange(nullptr); }
    void received(int64_t letters) { state_.fetch_sub(static_cast<uint64_t>(letters)); }

    // Called by a thread that has nothing to do: waits for mail. False when nobody has anything to do, or stop().
    template <class Stop>
    bool wait(int thread, Stop stop) {
        work_on(thread, kNone);
        const uint64_t all = static_cast<uint64_t>(team_.load()) * kIdle;
        if (state_.fetch_add(kIdle) + kIdle == all) finish();
        sleepers_.fetch_add(1);
        bool over = false;
        wait_until(wake_, [&] {
            over = finished() || stop();
            return over || has_mail(thread);
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
    // Lets waiting threads look at their mail, and whether to stop.
    void nudge() {
        if (sleepers_.load() > 0) wake();
    }

  private:
    static constexpr uint64_t kIdle = uint64_t{1} << 32;  // above the number of letters under way
    struct alignas(128) Box {
        std::atomic<int64_t> floor{kNone};
        std::atomic<uint32_t> beats{0};
        alignas(64) std::atomic<int64_t> entries{0};
        std::atomic<bool> asks{false};
        alignas(64) std::atomic<Letter<V, D>*> mail{nullptr};
    };
    void wake() {
        wake_.fetch_add(1, std::memory_order_release);
        wake_.notify_all();
    }
    std::unique_ptr<Box[]> boxes_;
    const int threads_;
    std::atomic<int> team_{1};
    alignas(64) std::atomic<uint64_t> state_{0};  // idle threads, and letters under way
    alignas(64) std::atomic<int> asking_{0};
    alignas(64) std::atomic<int> sleepers_{0};
    alignas(64) std::atomic<uint32_t> wake_{0};
    std::atomic<bool> done_{false};
};

// Ends the search for all threads when one leaves it, whichever way.
template <class V, class D>
struct FinishOnExit {
    Post<V, D>& post;
    ~FinishOnExit() { post.finish(); }
};

// How a thread waits for others that are behind.
struct Wait {
    int spins = 0;       // since this thread waits
    int silent = 0;      // of these, since another gave a sign of life
    int64_t waited = 0;  // in the whole search
    uint32_t seen = 0;

    // Whether another is not running, or many short waits take more time than the work: a pause takes as long as some
    // relaxations.
    bool is_in_vain(uint32_t beats, int64_t relaxed) {
        silent = beats == seen ? silent + 1 : 0;
        seen = beats;
        ++spins;
        return silent > patience() || ++waited > 32 * int64_t{patience()} + relaxed / 4;
    }
    // Now and then on the way: time to ask for work.
    bool is_long() const { return spins % 32 == 0; }
};

// One thread's part of the post: letters to write on, and its mail.
template <class V, class D>
class Mailbox {
  public:
    Mailbox(Post<V, D>& post, int thread) : post_(post), thread_(thread) {}

    // Vertices for another to go on with, none of them before the bucket `least`.
    void send_work(int to, const V* first, const V* last, int64_t least) {
        while (first != last) {
            Letter<V, D>* letter = fresh(true);
            letter->least = least;
            letter->count = static_cast<int>(std::min<int64_t>(last - first, Letter<V, D>::kSize));
            std::copy_n(first, letter->count, letter->vertex);
            first += letter->count;
            post_.send(to, letter);
        }
    }
    // f(letter, i) for every vertex of the mail, ahead(v) a little before; returns the number of letters.
    template <class Ahead, class F>
    int64_t read(Ahead ahead, F f) {
        constexpr int kAhead = 16;
        int64_t letters = 0;
        for (Letter<V, D>* letter = post_.take(thread_); letter; ++letters) {
            for (int i = 0; i < std::min(kAhead, letter->count); ++i) ahead(letter->vertex[i]);
            for (int i = 0; i < letter->count; ++i) {
                if (i + kAhead < letter->count) ahead(letter->vertex[i + kAhead]);
                f(*letter, i);
            }
            Letter<V, D>* const next = letter->next;
            spare_.push_back(letter);
            letter = next;
        }
        return letters;
    }

  protected:
    Letter<V, D>* fresh(bool is_work) {
        if (spare_.empty()) {
            pool_.emplace_back(new Letter<V, D>[4]);
            for (int i = 0; i < 4; ++i) spare_.push_back(&pool_.back()[i]);
        }
        Letter<V, D>* letter = spare_.back();
        spare_.pop_back();
        letter->count = 0;
        letter->is_work = is_work;
        letter->least = Post<V, D>::kNone;
        return letter;
    }
    Post<V, D>& post_;
    const int thread_;

  private:
    std::vector<Letter<V, D>*> spare_;
    std::vector<std::unique_ptr<Letter<V, D>[]>> pool_;
};

}  // namespace steppe::search

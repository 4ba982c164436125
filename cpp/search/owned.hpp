// Owned: what threads of one search need that have vertices of their own and send each other word.
//
// Threads that lower the same distances pass the cache lines to and fro, and two take as long as one: a scan spends its
// time on lines that the other has just written. So blocks of vertices are dealt out to the threads in turn. Only the
// owner of a vertex lowers its distance and relaxes its edges, from a ring of buckets of its own, as one thread alone
// would; whoever finds a better way to another's vertex sends its owner a letter.
//
//   letters    some hundred candidates each; a thread reads all its mail before each bucket
//   window     a thread waits where it would run more than kWindow buckets ahead of the slowest
//   the end    all threads idle and no letter under way: both in one word, so that they are seen at the same moment
//
// Word may come for a bucket that the owner has passed: its ring goes back. That costs a relaxation, never an answer.
// D'Antonio et al., "Wasp", SC'25, has the argument for buckets of one's own; owners and messages are how clusters do
// it (Chakaravarthy et al., IPDPS 2014).
#pragma once
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "search/ring.hpp"

namespace steppe::search {

// Who owns which vertices.
class Owners {
  public:
    Owners(int64_t n, int team) : n_(n), team_(team) {
        // Many blocks for each thread, so that all have some of every wave; large ones, so that few edges leave them.
        while (shift_ < 16 && (n >> (shift_ + 1)) >= 32 * team) ++shift_;
    }
    int of(int64_t v) const { return static_cast<int>((v >> shift_) % team_); }

    // f(begin, end) for each block of vertices of a thread.
    template <class F>
    void each_block(int thread, F f) const {
        const int64_t size = int64_t{1} << shift_;
        for (int64_t begin = thread * size; begin < n_; begin += team_ * size) f(begin, std::min(begin + size, n_));
    }

    // Whether few edges leave the blocks of their owners, as on roads and grids, where numbers follow places; from a
    // sample of vertices.
    template <class V, class Rows>
    static bool are_neighbours(const Rows& g, int team) {
        const Owners owners(g.n, team);
        const int64_t samples = std::min<int64_t>(g.n, 1024);
        int64_t all = 0, leaving = 0;
        for (int64_t i = 0; i < samples; ++i) {
            const V u = static_cast<V>(g.n / samples * i);
            each_target(g, u, [&](int64_t v) {
                ++all;
                leaving += owners.of(v) != owners.of(u);
            });
        }
        return 12 * leaving < all;
    }

  private:
    template <class Rows, class V, class F>
    static void each_target(const Rows& g, V u, F f) {
        if constexpr (Rows::kRecords) {
            g.each(u, [&](auto v, auto) { f(v); });
        } else {
            const int64_t first = g.first(u), last = std::min(g.last(u), first + 64);
            for (int64_t e = first; e < last; ++e) f(g.target(e));
        }
    }
    const int64_t n_;
    const int team_;
    int shift_ = 6;
};

// Why threads have stopped pushing, and what they leave to do.
enum class Halt { kNone, kPull, kBlocked, kStuck, kNarrower, kWider, kOutgrown };

template <class V, class D>
struct Rest {
    Halt why = Halt::kNone;
    D low = 0;            // the lower bound of all that is not final
    std::vector<V> left;  // the vertices still filed
};

// Distances found for another's vertices.
template <class V, class D>
struct Letter {
    static constexpr int kSize = 256;
    Letter* next;
    int count;
    int64_t least;  // of the buckets of its vertices
    D distance[kSize];
    V vertex[kSize], from[kSize];
};

// Pauses without a sign of life before a thread that waits for another calls itself blocked: meant to be longer than an
// interrupt and shorter than a time slice that the system gives to somebody else. Tests set it to nothing.
inline int& patience() {
    static int pauses = 10000;
    return pauses;
}

// What the threads know of each other.
template <class V, class D>
class Post {
  public:
    explicit Post(int threads) : boxes_(new Box[threads]), threads_(threads) {}

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    static constexpr int64_t kWindow = 2;

    void join(int team) { team_.store(team); }

    void work_on(int thread, int64_t bucket) { boxes_[thread].floor.store(bucket, std::memory_order_relaxed); }
    // Whether a thread may begin with this bucket; if not, it has to wait for others.
    bool within_window(int thread, int64_t bucket) const {
        int64_t floor = kNone;
        for (int t = 0; t < threads_; ++t)
            if (t != thread) floor = std::min(floor, boxes_[t].floor.load(std::memory_order_relaxed));
        return floor == kNone || bucket <= floor + kWindow;
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

    bool has_mail(int thread) const { return boxes_[thread].mail.load() != nullptr; }
    void send(int to, Letter<V, D>* letter) {
        state_.fetch_add(1);
        // Until the owner has read it the owner is as far back as this letter: one that sleeps must not be left behind.
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

// One thread's ring, and its letters to the others.
template <class V, class D>
class alignas(128) Owner {
  public:
    Owner(Post<V, D>& post, int64_t span, int thread, int threads)
        : ring(span), post_(post), thread_(thread), letters_(threads, nullptr) {}

    Ring<V> ring;

    void send(int to, V v, D distance, V from, int64_t bucket) {
        Letter<V, D>*& letter = letters_[to];
        if (!letter) letter = fresh();
        letter->least = std::min(letter->least, bucket);
        const int i = letter->count++;
        letter->vertex[i] = v;
        letter->distance[i] = distance;
        letter->from[i] = from;
        if (i + 1 == Letter<V, D>::kSize) post_.send(to, std::exchange(letter, nullptr));
    }
    void send_all() {
        for (size_t t = 0; t < letters_.size(); ++t)
            if (letters_[t]) post_.send(static_cast<int>(t), std::exchange(letters_[t], nullptr));
    }
    // Between two buckets: reads the mail; what is better is kept and filed.
    template <class T>
    void receive(T& tentative, const Width<D>& width) {
        const auto ahead = [&](V v) { STEPPE_PREFETCH_WRITE(tentative.address(v)); };
        int64_t least = Post<V, D>::kNone;
        const int64_t letters = read(ahead, [&](V v, D distance, V from) {
            if (!(distance < tentative.load(v))) return;
            tentative.set(v, distance, from);
            const int64_t bucket = width.bucket(distance);
            if (STEPPE_LIKELY(bucket > ring.current())) return ring.file(bucket, v);
            late_.push_back(v);
            least = std::min(least, bucket);
        });
        if (STEPPE_UNLIKELY(!late_.empty())) {
            ring.go_back(least);
            for (const V v : late_) ring.file(width.bucket(tentative.load(v)), v);
            late_.clear();
        }
        if (letters) post_.received(letters);
    }
    // f(v, distance, from) for all that the mail says, ahead(v) a little before; returns the number of letters.
    template <class Ahead, class F>
    int64_t read(Ahead ahead, F f) {
        constexpr int kAhead = 16;
        int64_t letters = 0;
        for (Letter<V, D>* letter = post_.take(thread_); letter; ++letters) {
            for (int i = 0; i < std::min(kAhead, letter->count); ++i) ahead(letter->vertex[i]);
            for (int i = 0; i < letter->count; ++i) {
                if (i + kAhead < letter->count) ahead(letter->vertex[i + kAhead]);
                f(letter->vertex[i], letter->distance[i], letter->from[i]);
            }
            Letter<V, D>* const next = letter->next;
            spare_.push_back(letter);
            letter = next;
        }
        return letters;
    }

  private:
    Letter<V, D>* fresh() {
        if (spare_.empty()) {
            pool_.emplace_back(new Letter<V, D>[4]);
            for (int i = 0; i < 4; ++i) spare_.push_back(&pool_.back()[i]);
        }
        Letter<V, D>* letter = spare_.back();
        spare_.pop_back();
        letter->count = 0;
        letter->least = Post<V, D>::kNone;
        return letter;
    }
    Post<V, D>& post_;
    const int thread_;
    std::vector<Letter<V, D>*> letters_;
    std::vector<Letter<V, D>*> spare_;
    std::vector<V> late_;
    std::vector<std::unique_ptr<Letter<V, D>[]>> pool_;
};

}  // namespace steppe::search

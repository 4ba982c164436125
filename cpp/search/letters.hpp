// Letters: what threads of one search need that have a ring of buckets each and go on by themselves, on roads and
// grids.
//
// Two ways of sharing the work. Where hardly an edge leaves a block of vertices (grids), blocks are dealt out to the
// threads in turn: only the owner of a vertex lowers its distance and relaxes its edges, as one thread alone would, and
// whoever finds a better way to another's vertex sends its owner a letter. Where edges leave more often (roads, whose
// numbers follow places only roughly), that would be too many letters: there all threads lower all distances, and
// whoever has lowered one files the vertex in its own ring. So a thread goes on where it has come to, in branches of
// the tree of shortest paths, wide regions that meet along their borders; and mostly there do threads write to the same
// cache lines (New York: a sixth of the lines have vertices of both). A thread that has too little to do asks, and is
// sent some of what another has filed. (Two threads over one, New York: letters to owners 1.1, work sent to who
// asks 1.4; a grid: 1.6 and 1.45.)
//
//   letters    some hundred vertices each; a thread reads all its mail before each bucket
//   window     a thread waits where it would run some buckets ahead of the slowest
//   the end    all threads idle and no letter under way: both in one word, so that they are seen at the same moment
//
// Word may come for a bucket that a thread has passed: its ring goes back. That costs a relaxation, never an answer.
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
#include "search/ring.hpp"

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

// One thread's ring, and its letters to the others.
template <class V, class D>
class alignas(128) Desk {
  public:
    Desk(Post<V, D>& post, int64_t span, int thread, int threads)
        : ring(span), post_(post), thread_(thread), letters_(threads, nullptr) {}

    Ring<V> ring;
    int64_t entries = 0;  // filed and not yet scanned, stale ones among them

    STEPPE_INLINE void file(int64_t bucket, V v) {
        ++entries;
        ring.file(bucket, v);
    }
    // A better distance for another's vertex.
    void send(int to, V v, D distance, V from, int64_t bucket) {
        Letter<V, D>*& letter = letters_[to];
        if (!letter) letter = fresh(false);
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
    // Before `bucket`, the lowest: where another thread asks that has far less to do, sends it half of the difference,
    // the vertices with the largest numbers: where numbers follow places, they are a region. Whether it did. A few
    // entries are not worth a border.
    template <class T>
    bool share(int64_t bucket, const T& tentative, const Width<D>& width) {
        if (entries <= kFew) return false;
        int64_t its = 0;
        const int to = post_.asked(its);
        if (STEPPE_LIKELY(to < 0) || to == thread_ || entries <= kFew + its + its / 4) return false;
        std::vector<V> all;
        all.reserve(static_cast<size_t>(entries));
        ring.drain([&](int64_t b, V v) {
            if (width.bucket(tentative.load(v)) == b) all.push_back(v);  // else it is stale
        });
        const int64_t count = static_cast<int64_t>(all.size()), kept = std::min(count, (count + its) / 2);
        std::nth_element(all.begin(), all.begin() + kept, all.end());
        entries = 0;
        ring.start_at(bucket);
        for (int64_t i = 0; i < kept; ++i) file(bucket_from(bucket, all[i], tentative, width), all[i]);
        send_work(to, all.data() + kept, all.data() + count, bucket);
        return true;
    }
    // Within `bucket`, of whose list `done` entries have been scanned: the same with half of the rest, where that is
    // much: one bucket of a graph with hubs can have most of its vertices.
    void share_list(size_t done, int64_t bucket) {
        std::vector<V>& list = ring.list();
        const int64_t rest = static_cast<int64_t>(list.size() - done);
        if (STEPPE_LIKELY(rest < kMuch)) return;
        int64_t its = 0;
        const int to = post_.asked(its);
        if (to < 0 || to == thread_ || its > rest / 2) return;
        entries -= rest / 2;
        send_work(to, list.data() + list.size() - rest / 2, list.data() + list.size(), bucket);
        list.resize(list.size() - rest / 2);
    }
    // Between two buckets: reads the mail; what is better is kept, and what is to be relaxed filed.
    template <class T>
    void receive(T& tentative, const Width<D>& width) {
        const auto ahead = [&](V v) { STEPPE_PREFETCH_WRITE(tentative.address(v)); };
        int64_t least = Post<V, D>::kNone;
        const int64_t letters = read(ahead, [&](const Letter<V, D>& letter, int i) {
            const V v = letter.vertex[i];
            int64_t bucket = letter.least;
            if (letter.is_work) {
                bucket = bucket_from(bucket, v, tentative, width);
            } else {
                if (!(letter.distance[i] < tentative.load(v))) return;
                tentative.set(v, letter.distance[i], letter.from[i]);
                bucket = width.bucket(letter.distance[i]);
            }
            if (STEPPE_LIKELY(bucket > ring.current())) return file(bucket, v);
            late_.push_back({bucket, v});
            least = std::min(least, bucket);
        });
        if (STEPPE_UNLIKELY(!late_.empty())) {
            ring.go_back(least);
            for (const auto& [bucket, v] : late_) file(bucket, v);
            late_.clear();
        }
        if (letters) post_.received(letters);
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

  private:
    static constexpr int64_t kFew = 64, kMuch = 1024;

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
    // Where work is filed. A vertex that lies before `least` by now was lowered by another thread, which has filed it:
    // here it will be found stale.
    template <class T>
    static int64_t bucket_from(int64_t least, V v, const T& tentative, const Width<D>& width) {
        return std::max(least, width.bucket(tentative.load(v)));
    }
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
    std::vector<Letter<V, D>*> letters_;
    std::vector<Letter<V, D>*> spare_;
    std::vector<std::pair<int64_t, V>> late_;
    std::vector<std::unique_ptr<Letter<V, D>[]>> pool_;
};

}  // namespace steppe::search

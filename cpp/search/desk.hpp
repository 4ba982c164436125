// Desk: what a thread of delta-stepping has where threads go on by themselves: a ring of buckets, and letters to
// others.
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
// Word may come for a bucket that a thread has passed: its ring goes back. That costs a relaxation, never an answer.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "search/letters.hpp"
#include "search/ring.hpp"

namespace steppe::search {

// One thread's ring, and its letters to the others.
template <class V, class D>
class alignas(128) Desk : public Mailbox<V, D> {
  public:
    Desk(Post<V, D>& post, int64_t span, int thread, int threads)
        : Mailbox<V, D>(post, thread), ring(span), letters_(threads, nullptr) {}

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
        this->send_work(to, all.data() + kept, all.data() + count, bucket);
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
        this->send_work(to, list.data() + list.size() - rest / 2, list.data() + list.size(), bucket);
        list.resize(list.size() - rest / 2);
    }
    // Between two buckets: reads the mail; what is better is kept, and what is to be relaxed filed.
    template <class T>
    void receive(T& tentative, const Width<D>& width) {
        const auto ahead = [&](V v) { STEPPE_PREFETCH_WRITE(tentative.address(v)); };
        int64_t least = Post<V, D>::kNone;
        const int64_t letters = this->read(ahead, [&](const Letter<V, D>& letter, int i) {
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

  private:
    static constexpr int64_t kFew = 64, kMuch = 1024;

    // Where work is filed. A vertex that lies before `least` by now was lowered by another thread, which has filed it:
    // here it will be found stale.
    template <class T>
    static int64_t bucket_from(int64_t least, V v, const T& tentative, const Width<D>& width) {
        return std::max(least, width.bucket(tentative.load(v)));
    }
    using Mailbox<V, D>::fresh, Mailbox<V, D>::post_, Mailbox<V, D>::thread_;
    std::vector<Letter<V, D>*> letters_;
    std::vector<std::pair<int64_t, V>> late_;
};

}  // namespace steppe::search

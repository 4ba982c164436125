// ThreadBuckets: the ring of one of several independent threads, parts of which it sends to threads that request work.
//
// A message may bring vertices of buckets that the receiver has passed. Then its ring goes back. That costs
// relaxations, and never changes an answer.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "search/mailboxes.hpp"
#include "search/ring.hpp"

namespace steppe::search {

template <class V>
class alignas(128) ThreadBuckets : public Mailbox<V> {
  public:
    ThreadBuckets(Mailboxes<V>& mailboxes, int64_t span, int thread) : Mailbox<V>(mailboxes, thread), ring(span) {}

    Ring<V> ring;
    int64_t entries = 0;  // filed and not yet scanned, stale ones among them

    STEPPE_INLINE void file(int64_t bucket, V v) {
        ++entries;
        ring.file(bucket, v);
    }
    // Before `bucket`, the lowest: answers a thread that has far fewer entries with half of the difference. Sends the
    // vertices with the largest numbers, which are a region where neighbours have near numbers. Returns whether it did.
    template <class T, class D>
    bool share(int64_t bucket, const T& tentative, const Width<D>& width) {
        if (entries <= kFew) return false;
        int64_t its = 0;
        const int to = mailboxes_.take_request(its);
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
    // Within `bucket`, of whose list `done` entries have been scanned: sends half of the rest, if that is much. One
    // bucket of a graph with hubs can have most of its vertices.
    void share_list(size_t done, int64_t bucket) {
        std::vector<V>& list = ring.list();
        const int64_t rest = static_cast<int64_t>(list.size() - done);
        if (STEPPE_LIKELY(rest < kMuch)) return;
        int64_t its = 0;
        const int to = mailboxes_.take_request(its);
        if (to < 0 || to == thread_ || its > rest / 2) return;
        entries -= rest / 2;
        this->send_work(to, list.data() + list.size() - rest / 2, list.data() + list.size(), bucket);
        list.resize(list.size() - rest / 2);
    }
    // Between two buckets: files what messages bring.
    template <class T, class D>
    void receive(const T& tentative, const Width<D>& width) {
        constexpr int kAhead = 16;
        int64_t least = Mailboxes<V>::kNone;
        const int64_t messages = this->read([&](const Message<V>& message) {
            for (int i = 0; i < message.count; ++i) {
                if (i + kAhead < message.count) STEPPE_PREFETCH(tentative.address(message.vertex[i + kAhead]));
                const V v = message.vertex[i];
                const int64_t bucket = bucket_from(message.least, v, tentative, width);
                if (STEPPE_LIKELY(bucket > ring.current())) {
                    file(bucket, v);
                    continue;
                }
                late_.push_back({bucket, v});
                least = std::min(least, bucket);
            }
        });
        if (STEPPE_UNLIKELY(!late_.empty())) {
            ring.go_back(least);
            for (const auto& [bucket, v] : late_) file(bucket, v);
            late_.clear();
        }
        if (messages) mailboxes_.received(messages);
    }

  private:
    static constexpr int64_t kFew = 64;     // entries that are not worth a border between two threads
    static constexpr int64_t kMuch = 1024;  // entries of a list that are worth sharing

    // Where shared work is filed. A vertex that lies before `least` by now was lowered by another thread, which has
    // filed it. Here it will be found stale.
    template <class T, class D>
    static int64_t bucket_from(int64_t least, V v, const T& tentative, const Width<D>& width) {
        return std::max(least, width.bucket(tentative.load(v)));
    }
    using Mailbox<V>::mailboxes_, Mailbox<V>::thread_;
    std::vector<std::pair<int64_t, V>> late_;
};

}  // namespace steppe::search

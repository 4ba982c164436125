// PartSearch: lowers the values of a part's vertices along its edges until none falls any more.
//
// A part of a graph has its own vertices, 0 ... own - 1, and ghosts behind them: the vertices of other parts that its
// edges lead to, which have no edges here. A search in a part is delta-stepping in a ring of buckets, as on one thread
// (search/delta_stepping.hpp), with two differences. It stops at a limit (advance): values beyond it may still fall by
// messages. And a ghost that falls is not relaxed but noted, once, however often it falls before the next message
// (take): so a message holds the least value of each vertex, without a hash table or a sort by value. The ghosts'
// values are also the least that were ever sent: a part that lost its memory gets them again (resend).
//
// A value from outside may belong to a bucket that is done: the ring goes back. That costs relaxations, nothing else.
// The result does not depend on the order, and a minimum taken twice is the same: so a lost and repeated message does
// no harm.
//
// A search of a small-diameter graph is finished from the other side, as on one machine (search/pull.hpp), where rows
// are sorted by weight and every edge has its opposite: when all values below `low` are final and relaxed everywhere,
// and the ghosts have the values of their owners (mirror), every own vertex reads its edges, the lightest first, as far
// as an edge from a vertex at `low` or beyond could improve it. Then nothing that waited needs to be pushed: the ends
// of its edges, here or in another part, have read it. Only vertices that fell by reading are pushed. But their values
// were never sent, so if a part is lost all others must push everything again (wake).
//
// Chakaravarthy et al., "Scalable single source shortest path algorithms for massively parallel systems", IPDPS 2014,
// has owners, buckets, messages, and the choice of push or pull.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "search/ring.hpp"
#include "search/scan_avx512.hpp"
#include "search/widen.hpp"

namespace steppe::partition {

// The edges that are left to read: by pulling, by pushing.
struct Outlook {
    int64_t pull = 0, push = 0;
};

// The values, the vertices that wait, and the ghosts that are to be sent; PartSearchOver relaxes edges.
template <class V, class D>
class PartSearch {
  public:
    // longest: no edge is longer. delta: the width of the ring's buckets.
    PartSearch(int64_t own, int64_t all, double longest, double delta, search::Reach<D> reach)
        : own_(own),
          reach_(reach),
          width_(delta),
          span_(static_cast<int64_t>(std::min(longest / width_.value() + 2, 0x1p20))),
          ring_(span_),
          values_(static_cast<size_t>(all), kInfinity<D>),
          is_sent_(static_cast<size_t>(all - own), 1) {}
    virtual ~PartSearch() = default;

    // Relaxes everything up to the limit, and what falls below it meanwhile, until `most` edges were read. Returns how
    // many were.
    virtual int64_t advance(D limit, int64_t most, Watch& watch) = 0;
    // Edges that pulling from `low` on and pushing what is left would read, by a sample of vertices.
    virtual Outlook outlook(D) const { return {}; }
    // Lowers own vertices by edges from values of `low` or beyond, in place of relaxing what waits. Rows must be sorted
    // by weight, every edge have its opposite, and ghosts the values of their owners. lightest: the first weight of
    // each row; a vertex that not even this edge could lower is skipped without reading its row, as nearly all are.
    // Returns the edges read, and the edges of the vertices that wait then.
    virtual Outlook pull(D, const void* /* lightest */, Watch&) { return {}; }

    int64_t own() const { return own_; }
    int64_t all() const { return static_cast<int64_t>(values_.size()); }
    D* values() { return values_.data(); }
    bool outgrown() const { return outgrown_; }

    // Values from outside for own vertices.
    template <class I>
    void offer(const I* vertices, const D* values, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
            if (vertices[i] < 0 || vertices[i] >= own_) throw std::invalid_argument("a vertex of another part");
        int64_t least = std::numeric_limits<int64_t>::max();
        for (int64_t i = 0; i < count; ++i) {
            if (i + 16 < count) STEPPE_PREFETCH_WRITE(&values_[vertices[i + 16]]);
            const V v = static_cast<V>(vertices[i]);
            if (!(values[i] < values_[v])) continue;
            values_[v] = values[i];
            const int64_t bucket = width_.bucket(values[i]);
            if (bucket > ring_.current()) {
                ring_.file(bucket, v);
            } else {
                late_.push_back(v);
                least = std::min(least, bucket);
            }
        }
        if (late_.empty()) return;
        go_back(least);
        for (const V v : late_) ring_.file(width_.bucket(values_[v]), v);
        late_.clear();
    }

    // Frees the buckets: between two searches they are empty, but would keep the memory of their fullest moment.
    void rest() {
        if (ring_.lowest() < 0) {
            ring_ = search::Ring<V>(span_);
            top_ = -1;
        }
        std::vector<V>().swap(late_);
    }
    // The least value that waits, or less by the width of a bucket; kInfinity: none does.
    D pending() {
        const int64_t bucket = ring_.lowest();
        return bucket < 0 ? kInfinity<D> : width_.least(bucket);
    }

    // The ghosts (numbered from 0, rising) that fell since the last call.
    std::vector<V> take() {
        std::vector<V> ghosts;
        if (unsent_.size() > few()) {  // reading all flags is quicker than to sort, and unsent_ has not all
            ghosts.reserve(static_cast<size_t>(std::count(is_sent_.begin(), is_sent_.end(), 0)));
            for (size_t i = 0; i < is_sent_.size(); ++i)
                if (!is_sent_[i]) ghosts.push_back(static_cast<V>(i));
        } else {
            std::sort(unsent_.begin(), unsent_.end());
            ghosts = unsent_;
        }
        unsent_.clear();
        for (const V i : ghosts) is_sent_[i] = 1;
        return ghosts;
    }
    // All ghosts that have a value.
    void resend(std::vector<V>& ghosts, std::vector<D>& values) const {
        for (int64_t i = 0; i < all() - own_; ++i) {
            if (values_[own_ + i] == kInfinity<D>) continue;
            ghosts.push_back(static_cast<V>(i));
            values.push_back(values_[own_ + i]);
        }
    }
    // Values of ghosts from their owner: the ghosts from `first` on (numbered from 0).
    void mirror(int64_t first, const D* values, int64_t count) {
        if (first < 0 || count > all() - own_ - first) throw std::invalid_argument("more ghosts than there are");
        for (int64_t i = 0; i < count; ++i) {
            D& best = values_[own_ + first + i];
            best = std::min(best, values[i]);
        }
    }
    // Clears values beyond a bound up to which all is final, and all that waits.
    void cut(D bound) {
        ring_.drain([](int64_t, V) {});
        top_ = -1;
        for (D& value : values_)
            if (value > bound) value = kInfinity<D>;
    }
    // After values were written from outside (a checkpoint's): all of them are to be relaxed, and sent, again.
    void wake() {
        ring_.drain([](int64_t, V) {});
        for (int64_t v = 0; v < own_; ++v)
            if (values_[v] != kInfinity<D>) ring_.file(width_.bucket(values_[v]), static_cast<V>(v));
        for (int64_t v = own_; v < all(); ++v)
            if (values_[v] != kInfinity<D>) note_ghost(static_cast<V>(v));
    }

  protected:
    // The ring can go back a few buckets as it is. A message can go back by a whole superstep: then all that waits is
    // filed again, without the entries whose vertex has fallen since, which are most and would take the most memory.
    void go_back(int64_t bucket) {
        constexpr int64_t kFew = 16;
        if (top_ - bucket < kFew) return ring_.go_back(bucket);
        std::vector<V> waiting;
        ring_.list().clear();
        ring_.drain([&](int64_t filed, V v) {
            if (filed == width_.bucket(values_[v])) waiting.push_back(v);
        });
        ring_.start_at(bucket);
        top_ = -1;
        for (const V v : waiting) ring_.file(width_.bucket(values_[v]), v);
    }
    void improve(V v, D candidate) {
        if (!(candidate < values_[v]) || !reach_.admits(candidate, outgrown_)) return;
        values_[v] = candidate;
        if (v < own_) ring_.file(width_.bucket(candidate), v);
        else note_ghost(v);
    }
    void note_ghost(V v) {
        uint8_t& sent = is_sent_[v - own_];
        if (!sent) return;
        sent = 0;
        if (unsent_.size() <= few()) unsent_.push_back(static_cast<V>(v - own_));
    }
    size_t few() const { return is_sent_.size() / 16; }

    const int64_t own_;
    const search::Reach<D> reach_;
    const search::Width<D> width_;
    const int64_t span_;
    search::Ring<V> ring_;
    Buffer<D> values_;
    Buffer<uint8_t> is_sent_;
    std::vector<V> unsent_, late_;  // unsent_: no more than few() + 1
    int64_t top_ = -1;              // the latest bucket relaxed since all was filed again
    bool outgrown_ = false;
};

// Edges: each(u, du, f) calls f(v, candidate) for the edges of u, at value du, that are relaxed. kScans: all edges are,
// by their weights, and in batches (search/scan.hpp).
template <class V, class D, class Edges>
class PartSearchOver final : public PartSearch<V, D> {
    using Base = PartSearch<V, D>;

  public:
    PartSearchOver(Edges edges, int64_t own, double longest, double delta, search::Reach<D> reach)
        : Base(own, edges.g.n, longest, delta, reach), edges_(edges) {}

    int64_t advance(D limit, int64_t most, Watch& watch) override {
        int64_t looked = 0, next_poll = std::min(most, kPollMask);
        for (int64_t bucket = ring_.lowest(); bucket >= 0 && width_.least(bucket) <= limit; bucket = ring_.lowest()) {
            top_ = std::max(top_, bucket);
            ring_.next();
            for (search::Place at; at.i < ring_.list().size();) {
                looked += relax_some(bucket, at) + 1;
                if (STEPPE_LIKELY(looked < next_poll)) continue;
                next_poll = std::min(most, looked + kPollMask);
                if (!watch.poll(looked) && looked < most) continue;
                late_.assign(ring_.list().begin() + at.i,
                             ring_.list().end());  // the state stays whole: the search may go on
                this->go_back(bucket);
                for (const V v : late_) ring_.file(width_.bucket(values_[v]), v);
                late_.clear();
                return looked;
            }
        }
        return looked;
    }
    Outlook outlook([[maybe_unused]] D low) const override {
        Outlook sum;
        if constexpr (Edges::kScans) {
            const int64_t step = std::max<int64_t>(1, own_ / kSamples);
            for (int64_t i = step / 2; i < own_; i += step) {
                const auto v = static_cast<V>(i);
                if (values_[v] < low) continue;
                const int64_t first = edges_.g.first(v), last = edges_.g.last(v);
                sum.push += step * (last - first);
                int64_t e = first;
                while (e < last && e - first < kSamples && low + static_cast<D>(edges_.g.weight(e)) < values_[v]) ++e;
                if (e > first) sum.pull += step * (kVertex + e - first);
            }
        }
        return sum;
    }
    Outlook pull([[maybe_unused]] D low, [[maybe_unused]] const void* weights, [[maybe_unused]] Watch& watch) override {
        Outlook looked;
        if constexpr (Edges::kScans) {
            const auto& g = edges_.g;
            const auto* lightest = static_cast<const typename Edges::Weight*>(weights);
            ring_.drain([](int64_t, V) {});
            top_ = -1;
            ring_.start_at(width_.bucket(low));
            std::vector<V> block(kBlock);
            for (int64_t begin = 0; begin < own_; begin += kBlock) {
                int64_t count = 0;
                for (int64_t v = begin; v < std::min(own_, begin + kBlock); ++v) {
                    block[count] = static_cast<V>(v);
                    count += values_[v] > low && low + static_cast<D>(lightest[v]) < values_[v];
                }
                for (int64_t i = 0; i < count; ++i) {
                    if (i + 12 < count) g.prefetch_edges(g.first(block[i + 12]));
                    if (i + 5 < count) {
                        const int64_t e = g.first(block[i + 5]);
                        if (e < g.last(block[i + 5])) STEPPE_PREFETCH(&values_[g.target(e)]);
                    }
                    pull_to(block[i], low, looked);
                }
                if (watch.poll(looked.pull)) {
                    this->wake();  // the state stays whole: the search may go on
                    return looked;
                }
            }
        }
        return looked;
    }

  private:
    static constexpr int64_t kSamples = 1024, kBlock = 1 << 12;
    static constexpr int64_t kVertex = 10;  // finding a vertex costs about as much as ten edges

    // What search/scan.hpp reads distances from.
    struct View {
        const D* values;
        static constexpr int kBytes = sizeof(D);
        const void* distances() const { return values; }
        const void* address(V v) const { return values + v; }
        D load(V v) const { return values[v]; }
    };

    // Relaxes the next vertices of the current bucket; returns the edges read.
    int64_t relax_some(int64_t bucket, search::Place& at) {
        std::vector<V>& list = ring_.list();
        if constexpr (Edges::kScans) {
            const View view{values_.data()};
            const int64_t looked =
                search::scan_best<false>(edges_.g, view, width_, bucket, list.data(), list.size(), at, found_);
            for (int k = 0; k < found_.count; ++k) this->improve(found_.target[k], found_.distance[k]);
            return looked;
        } else {
            const size_t i = at.i++;
            if (i + 8 < list.size()) edges_.prefetch_row(list[i + 8]);
            if (i + 4 < list.size()) edges_.prefetch_edges(list[i + 4]);
            if (i + 2 < list.size()) edges_.prefetch_values(list[i + 2], values_.data());
            const V u = list[i];
            if (width_.bucket(values_[u]) < bucket) return 0;  // it fell, and was relaxed from there
            return edges_.each(u, values_[u], [&](V v, D candidate) { this->improve(v, candidate); });
        }
    }
    void pull_to(V v, D low, Outlook& looked) {
        const auto& g = edges_.g;
        const D before = values_[v];
        D best = before;
        const int64_t first = g.first(v), last = g.last(v);
        int64_t e = first;
        for (; e < last; ++e) {
            const D w = static_cast<D>(g.weight(e));
            if (low + w >= best) break;
            const D du = values_[g.target(e)];
            if (du != kInfinity<D> && du + w < best) best = du + w;  // integers would wrap
        }
        if (best < before && this->reach_.admits(best, this->outgrown_)) {
            values_[v] = best;
            ring_.file(width_.bucket(best), v);
            looked.push += kVertex + last - first;
        }
        looked.pull += e - first;
    }

    using Base::late_, Base::own_, Base::ring_, Base::top_, Base::values_, Base::width_;
    Edges edges_;
    search::Candidates<V, D> found_;
};

}  // namespace steppe::partition

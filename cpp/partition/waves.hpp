// Waves: values of a part's vertices that only fall, spread along its edges until none falls any more.
//
// A part of a graph has vertices of its own, 0 ... own - 1, and ghosts behind them: the vertices of other parts that
// its edges lead to, which have no edges here. A search in a part is delta-stepping in a ring of buckets, as one thread
// does it (search/delta_stepping.hpp), with two differences. It goes up to a limit and no further (advance): what lies
// beyond may still fall by what others send. And a ghost that falls is not relaxed but written down, once, however
// often it falls before the word leaves (take): so what goes to another part is the least for each vertex, without a
// hash table or a sort by value. The ghosts' values are also the best that was ever sent: what a part that lost its
// memory is told again (resend).
//
// Values from outside may belong to a bucket that is done: the ring goes back. All that costs is relaxations. The fix
// point does not depend on the order, and a minimum taken twice is the same: that is what makes a lost and repeated
// message harmless.
//
// A search of a small-diameter graph is finished from the other side, as on one machine (search/pull.hpp), where rows
// are sorted by weight and lead both ways: when all below `low` is final and relaxed everywhere, and the ghosts have
// been given the values of where they are at home (mirror), every own vertex reads its edges, the lightest first, as
// far as one from `low` or beyond could improve it. Then nothing that waited needs to be pushed any more: whoever it
// leads to, here or in another part, has read it. Only what fell by reading does. But nobody was told what was read, so
// if a part is lost all that are left must push everything again (wake).
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

// What is left to do: edges to read from either side.
struct Outlook {
    int64_t pull = 0, push = 0;
};

// The values, what waits, and what is told; WavesOver relaxes edges.
template <class V, class D>
class Waves {
  public:
    // longest: no edge is longer. delta: the width of the ring's buckets.
    Waves(int64_t own, int64_t all, double longest, double delta, search::Reach<D> reach)
        : own_(own),
          reach_(reach),
          width_(delta),
          span_(static_cast<int64_t>(std::min(longest / width_.value() + 2, 0x1p20))),
          ring_(span_),
          values_(static_cast<size_t>(all), kInfinity<D>),
          is_told_(static_cast<size_t>(all - own), 1) {}
    virtual ~Waves() = default;

    // Relaxes everything up to the limit, and what falls below it meanwhile; but no more once so many edges were looked
    // at. Returns how many.
    virtual int64_t advance(D limit, int64_t most, Watch& watch) = 0;
    // Edges that pulling from `low` on and pushing what is left would read, by a sample of vertices.
    virtual Outlook outlook(D) const { return {}; }
    // Lowers what can be lowered from `low` or beyond, in place of all that waits. Rows must be sorted by weight and
    // lead both ways, and ghosts have their own values. lightest: the first weight of each row; a vertex that not even
    // this edge could lower is passed over without a look at its row, as nearly all are. Returns the edges looked at,
    // and those of what waits then.
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

    // Frees the buckets, which are empty between two searches and would keep the room of the fullest moment.
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
        if (untold_.size() > few()) {  // a look at all is quicker than to sort, and these are not all
            ghosts.reserve(static_cast<size_t>(std::count(is_told_.begin(), is_told_.end(), 0)));
            for (size_t i = 0; i < is_told_.size(); ++i)
                if (!is_told_[i]) ghosts.push_back(static_cast<V>(i));
        } else {
            std::sort(untold_.begin(), untold_.end());
            ghosts = untold_;
        }
        untold_.clear();
        for (const V i : ghosts) is_told_[i] = 1;
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
    // Values of ghosts from where they are at home: the ghosts from `first` on (numbered from 0).
    void mirror(int64_t first, const D* values, int64_t count) {
        if (first < 0 || count > all() - own_ - first) throw std::invalid_argument("more ghosts than there are");
        for (int64_t i = 0; i < count; ++i) {
            D& best = values_[own_ + first + i];
            best = std::min(best, values[i]);
        }
    }
    // Forgets values beyond a bound up to which all is final, and all that waits.
    void cut(D bound) {
        ring_.drain([](int64_t, V) {});
        top_ = -1;
        for (D& value : values_)
            if (value > bound) value = kInfinity<D>;
    }
    // After values were written from outside, a checkpoint's: all of them are to be relaxed, and told, again.
    void wake() {
        ring_.drain([](int64_t, V) {});
        for (int64_t v = 0; v < own_; ++v)
            if (values_[v] != kInfinity<D>) ring_.file(width_.bucket(values_[v]), static_cast<V>(v));
        for (int64_t v = own_; v < all(); ++v)
            if (values_[v] != kInfinity<D>) tell(static_cast<V>(v));
    }

  protected:
    // The ring can go back a few buckets as it is. Messages go back by a whole superstep: then all that waits is filed
    // anew, and what has fallen since it was filed is left out, which is most of it and would take the most memory.
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
        else tell(v);
    }
    void tell(V v) {
        uint8_t& told = is_told_[v - own_];
        if (!told) return;
        told = 0;
        if (untold_.size() <= few()) untold_.push_back(static_cast<V>(v - own_));
    }
    size_t few() const { return is_told_.size() / 16; }

    const int64_t own_;
    const search::Reach<D> reach_;
    const search::Width<D> width_;
    const int64_t span_;
    search::Ring<V> ring_;
    Buffer<D> values_;
    Buffer<uint8_t> is_told_;
    std::vector<V> untold_, late_;  // untold_: no more than few() + 1
    int64_t top_ = -1;              // the latest bucket relaxed since all was filed anew
    bool outgrown_ = false;
};

// Edges: each(u, du, f) calls f(v, candidate) for the edges of u, at value du, that count. kScans: all of them count,
// by their weights, and are relaxed in batches (search/scan.hpp).
template <class V, class D, class Edges>
class WavesOver final : public Waves<V, D> {
    using Base = Waves<V, D>;

  public:
    WavesOver(Edges edges, int64_t own, double longest, double delta, search::Reach<D> reach)
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
                late_.assign(ring_.list().begin() + at.i, ring_.list().end());  // nothing is lost, if somebody goes on
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
                    this->wake();  // nothing is lost, if somebody goes on
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

    // Relaxes the next vertices of the current bucket; returns the edges looked at.
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

    using Base::is_told_, Base::late_, Base::own_, Base::ring_, Base::top_, Base::values_, Base::width_;
    Edges edges_;
    search::Candidates<V, D> found_;
};

}  // namespace steppe::partition

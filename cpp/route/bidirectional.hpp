// One path between two vertices: searches from both ends that touch only what they settle.
//
// A forward search from s and a backward search from t (on the reverse graph) take turns, bucket by bucket (the ring of
// search/delta_stepping.hpp), the one with fewer vertices waiting first. mu is the length of the best path seen,
// through a vertex that has labels from both sides. When the lower ends of the two buckets add up to mu or more, no
// better path is left (Nicholson 1966; Goldberg and Harrelson 2005). A label that cannot be part of a path shorter than
// mu is not filed.
//
// A query must not cost O(n). Labels of both sides lie in one slot per vertex, so that the test against the other side
// is free, and a query resets the labels it has set at its end, by its list of touched vertices. Workspaces are kept
// between queries; as many exist as queries have run at once. Buckets are wider than in a search of the whole
// graph, because the two rings hold fewer vertices: short buckets would cost more to find than they save.
//
// Floats. Adding from the end gives another rounding than adding from the start, so the path found first need not
// be the one a forward search reports. But all rounded lengths of a path of k edges lie within a factor 1 +- k u of the
// true one (u: half a unit in the last place). Hence both searches go on until the buckets add up to mu times a bound B
// on that doubt, and then a forward search goes on along vertices whose two labels add up to at most mu B: every path
// that may win is among them. The answer is then bit for bit that of a forward search. B uses k <= n, and k <= mu / the
// smallest weight: 1 + 1e-9 for a million vertices in double, but 1.3 in float. Where mu B is infinite, or where the
// two searches have not met although sums of such weights may be infinite from one end and not from the other, the
// forward search goes on everywhere.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/lock.hpp"
#include "base/memory.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "search/heap.hpp"
#include "search/ring.hpp"
#include "search/scan_avx512.hpp"
#include "search/widen.hpp"

namespace steppe::route {

template <class V, class D>
struct Answer {
    bool reachable = false;
    bool overflow = false;  // a sum passed kLargest and the answer may depend on it
    D distance = kInfinity<D>;
    std::vector<V> vertices;     // source … target
    std::vector<int64_t> edges;  // one less; filled in by lightest_edges
    int64_t settled = 0;
};

// What a query needs to know of a graph's weights; min_weight = 0 is always right.
struct Facts {
    double min_weight, typical_weight, max_weight;
};

template <class V, class D>
class Workspace {
  public:
    struct Slot {
        D label[2] = {kInfinity<D>, kInfinity<D>};  // forward, backward
    };
    struct Parents {
        V of[2];
    };

    Workspace(int64_t n, int64_t m, const Facts& facts, Watch& watch)
        : width(choose_width(n, m, facts)),
          goal_width(std::max(
              {facts.typical_weight / 16, width.value() / 1024, 2 * search::least_width(facts.max_weight, n)})),
          ring{search::Ring<V>(span(facts)), search::Ring<V>(span(facts))},
          slots(n),
          parents(n),
          max_weight_(facts.max_weight) {
        for (int64_t v = 0; v < n; v += kPollEvery) {
            std::fill(slots.begin() + v, slots.begin() + std::min<int64_t>(n, v + kPollEvery), Slot{});
            watch.poll();
            watch.check();
        }
    }

    // Resets what a query has touched.
    void clear(Watch& watch) {
        for (auto& side : ring) side.drain([](int64_t, V) {});
        if (goal_ring_) goal_ring_->drain([](int64_t, V) {});
        for (size_t i = 0; i < touched.size(); ++i) {
            slots[touched[i]] = Slot{};
            if (STEPPE_UNLIKELY(i % kPollEvery == kPollEvery - 1)) watch.poll();
        }
        watch.check();
        touched.clear();
    }

    // The buckets of a search with landmarks (landmarks.hpp), made when first wanted.
    search::Ring<V>& goal_ring() {
        if (!goal_ring_)
            goal_ring_.emplace(static_cast<int64_t>(std::min(1e9, 2 * max_weight_ / goal_width.value())) + 2);
        return *goal_ring_;
    }

    const search::Width<D> width, goal_width;
    search::Ring<V> ring[2];
    search::Heap<D, V> heap;  // of the last steps for floats
    Buffer<Slot> slots;
    Buffer<Parents> parents;  // of labelled vertices; undefined elsewhere
    std::vector<V> touched;   // the vertices with a label
    search::Candidates<V, D> found;

    static constexpr int64_t kPollEvery = 1 << 16;

  private:
    // Milliseconds a query by width (New York, Intel Xeon, November 2026): 1024 1.66, 2048 1.70, 4096 1.79, 8192 2.09.
    static double choose_width(int64_t n, int64_t m, const Facts& facts) {
        const double narrow = search::bucket_width(facts.typical_weight, facts.max_weight, n, m, 1);
        return narrow * (static_cast<double>(m) < search::kSparse * static_cast<double>(n) ? 2 : 32);
    }
    int64_t span(const Facts& facts) const {
        return static_cast<int64_t>(std::min(1e9, facts.max_weight / width.value())) + 2;
    }
    const double max_weight_;
    std::optional<search::Ring<V>> goal_ring_;
};

// One side's labels as a scan reads them (search/scan.hpp).
template <class V, class D>
struct Labels {
    using Slot = typename Workspace<V, D>::Slot;
    static constexpr int kBytes = sizeof(Slot);
    const Slot* slots;
    int side;
    const void* distances() const { return &slots[0].label[side]; }
    STEPPE_INLINE const void* address(V v) const { return &slots[v]; }
    D load(V v) const { return slots[v].label[side]; }
};

// quads: the rows of both graphs in records of four, or null.
template <class V, class W, class D>
class Bidirectional {
  public:
    Bidirectional(const rows::Csr<V, W>& forward, const rows::Csr<V, W>& backward, const rows::Quads<W>* quads,
                  const rows::Quads<W>* quads_back, const Facts& facts, Workspace<V, D>& space, Watch& watch)
        : graph_{&forward, &backward}, quads_{quads, quads_back}, facts_(facts), space_(space), watch_(watch) {}

    Answer<V, D> run(V source, V target) {
        start(0, source);
        start(1, target);
        if (source == target) meet(source, 0);
        for (;;) {
            const int side = waiting_[0] <= waiting_[1] ? 0 : 1;
            const int64_t b = space_.ring[side].next();
            if (b < 0) break;  // this side has reached all it can
            reach_[side] = lower_end(b);
            if (mu_ != kInfinity<D>) {
                if (kFloat && bound_ == kInfinity<D>) break;
                if (hopeless(reach_[0] + reach_[1])) break;
            }
            if (quads_[side]) empty_quads(side, b);
            else empty_bucket(side, b);
            reach_[side] = lower_end(b + 1);
        }
        watch_.check();
        if constexpr (kFloat)
            if (mu_ != kInfinity<D> || may_overflow()) finish_forward(target);
        if (mu_ != kInfinity<D>) trace(target);
        answer_.overflow = overflow_ && !answer_.reachable;
        space_.clear(watch_);
        return std::move(answer_);
    }

  private:
    static constexpr bool kFloat = std::is_floating_point_v<D>;
    static constexpr int64_t kPiece = 1 << 15;  // edges between two polls of the watch

    D lower_end(int64_t bucket) const {
        return static_cast<D>(static_cast<D>(bucket) * static_cast<D>(space_.width.value()));
    }

    void start(int side, V v) {
        set(side, v, 0, -1);
        space_.ring[side].file(0, v);
        ++waiting_[side];
    }

    void meet(V v, D total) {
        mu_ = total;
        middle_ = v;
        if constexpr (kFloat) {
            // A quotient of two roundings, each twice: see the essay. bound_ is rounded up.
            const double k =
                std::min(static_cast<double>(graph_[0]->n), 2 * static_cast<double>(mu_) / facts_.min_weight) + 4;
            const double doubt = k * std::numeric_limits<D>::epsilon() / 2;
            const double ratio = (1 + doubt) / (1 - doubt);
            const double most = mu_ * ratio * ratio;
            const bool fits = doubt <= 0.3 && most < static_cast<double>(std::numeric_limits<D>::max());
            bound_ = fits ? std::nextafter(static_cast<D>(most), kInfinity<D>) : kInfinity<D>;
        }
    }

    // Whether the weights of a path may add up to infinity. (A rounded sum is at most twice the true one.)
    bool may_overflow() const {
        return facts_.max_weight * static_cast<double>(graph_[0]->n) >
               static_cast<double>(std::numeric_limits<D>::max()) / 4;
    }

    bool hopeless(D least) const { return kFloat ? least > bound_ : least >= mu_; }

    void set(int side, V v, D label, V parent) {
        auto& slot = space_.slots[v];
        if (slot.label[0] == kInfinity<D> && slot.label[1] == kInfinity<D>) space_.touched.push_back(v);
        slot.label[side] = label;
        space_.parents[v].of[side] = parent;
    }

    static D length(const rows::Csr<V, W>& g, int64_t e) { return g.weights ? static_cast<D>(g.weights[e]) : D{1}; }

    void empty_bucket(int side, int64_t b) {
        const rows::Csr<V, W>& g = *graph_[side];
        search::Ring<V>& ring = space_.ring[side];
        for (size_t i = 0; i < ring.list().size(); ++i) {
            const std::vector<V>& list = ring.list();
            if (i + 4 < list.size()) {
                STEPPE_PREFETCH(&g.offsets[list[i + 4]]);
                STEPPE_PREFETCH(&space_.slots[list[i + 4]]);
            }
            if (i + 2 < list.size()) {
                const int64_t e = g.offsets[list[i + 2]];
                STEPPE_PREFETCH(&g.targets[e]);
                if (g.weights) STEPPE_PREFETCH(&g.weights[e]);
            }
            // Slots of the targets are not prefetched: measured, the loop over a list of three costs more than it
            // hides.
            --waiting_[side];
            const V u = list[i];
            const D d = space_.slots[u].label[side];
            if (space_.width.bucket(d) == b) scan(side, u, d);  // else stale: u was scanned from a lower bucket
        }
    }

    void scan(int side, V u, D d) {
        const rows::Csr<V, W>& g = *graph_[side];
        const int64_t end = g.offsets[u + 1];
        for (int64_t e = g.offsets[u]; e < end;) {
            const int64_t begin = e, stop = std::min(end, e + kPiece);
            for (; e < stop; ++e) {
                if (e + 16 < end) STEPPE_PREFETCH(&space_.slots[g.targets[e + 16]]);
                relax(side, u, g.targets[e], d + length(g, e));
            }
            count(stop - begin);
        }
        ++answer_.settled;
    }

    // The same in batches, see search/scan.hpp.
    void empty_quads(int side, int64_t b) {
        if constexpr (sizeof(V) == 4) {
            const std::vector<V>& list = space_.ring[side].list();
            const Labels<V, D> labels{space_.slots.data(), side};
            for (search::Place at; at.i < list.size();) {
                const size_t before = at.i;
                const int64_t edges = search::scan_best<true>(*quads_[side], labels, space_.width, b, list.data(),
                                                              list.size(), at, space_.found);
                waiting_[side] -= static_cast<int64_t>(at.i - before);
                answer_.settled += static_cast<int64_t>(at.i - before);
                const auto& found = space_.found;
                for (int k = 0; k < found.count; ++k) relax(side, found.from[k], found.target[k], found.distance[k]);
                count(edges);
            }
        }
    }

    void relax(int side, V u, V v, D label) {
        auto& slot = space_.slots[v];
        if (!(label < slot.label[side])) return;
        if (!search::Reach<D>().admits(label, overflow_)) return;
        const D opposite = slot.label[1 - side];
        if (opposite == kInfinity<D>) {
            // The other side has not met v, so v is at least as far from there as that side has reached.
            if (mu_ != kInfinity<D> && hopeless(label + reach_[1 - side])) return;
        } else if (label + opposite < mu_) {
            meet(v, label + opposite);
        }
        set(side, v, label, u);
        space_.ring[side].file(space_.width.bucket(label), v);
        ++waiting_[side];
    }

    // The forward search alone, inside the corridor of vertices that may lie on a best path.
    void finish_forward(V target) {
        const rows::Csr<V, W>& g = *graph_[0];
        auto& heap = space_.heap;
        const bool corridor = bound_ != kInfinity<D>;  // else the doubt is too large: everywhere
        auto inside = [&](D label, D opposite) { return !corridor || label + opposite <= bound_; };
        heap.clear();
        space_.ring[0].drain([&](int64_t, V u) {
            const auto& slot = space_.slots[u];
            if (inside(slot.label[0], slot.label[1])) heap.push(slot.label[0], u);
        });
        auto& goal = space_.slots[target];
        while (!heap.empty() && heap.top_key() < goal.label[0]) {
            const auto [d, u] = heap.pop();
            if (d != space_.slots[u].label[0]) continue;
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                const V v = g.targets[e];
                const D label = d + length(g, e);
                auto& slot = space_.slots[v];
                if ((e + 1 - g.offsets[u]) % kPiece == 0) count(kPiece);
                if (!(label < slot.label[0]) || !inside(label, slot.label[1])) continue;
                set(0, v, label, u);
                heap.push(label, v);
            }
            ++answer_.settled;
            count((g.offsets[u + 1] - g.offsets[u]) % kPiece);
        }
        middle_ = target;
        mu_ = goal.label[0];
    }

    void trace(V target) {
        if (!search::Reach<D>().admits(mu_, overflow_)) return;
        auto& path = answer_.vertices;
        for (V v = middle_; v != V{-1}; v = space_.parents[v].of[0]) path.push_back(v);
        std::reverse(path.begin(), path.end());
        for (V v = middle_; v != target;) path.push_back(v = space_.parents[v].of[1]);
        answer_.distance = mu_;
        answer_.reachable = true;
    }

    void count(int64_t edges) {
        since_poll_ += edges + 1;
        if (STEPPE_UNLIKELY(since_poll_ >= kPiece)) {
            since_poll_ = 0;
            watch_.poll(answer_.settled);
            watch_.check();
        }
    }

    const rows::Csr<V, W>* const graph_[2];
    const rows::Quads<W>* const quads_[2];
    const Facts facts_;
    Workspace<V, D>& space_;
    Watch& watch_;
    Answer<V, D> answer_;
    D mu_ = kInfinity<D>, bound_ = kInfinity<D>;
    D reach_[2] = {0, 0};  // every vertex nearer than this is settled
    int64_t waiting_[2] = {0, 0};
    V middle_ = -1;
    bool overflow_ = false;
    int64_t since_poll_ = 0;
};

// Workspaces between queries. Any thread may take one and put it back when its query has ended well.
template <class V, class D>
class Shelf {
  public:
    using Space = Workspace<V, D>;
    std::unique_ptr<Space> take(int64_t n, int64_t m, const Facts& facts, Watch& watch) {
        {
            const std::lock_guard<Lock> hold(lock_);
            if (!spaces_.empty()) {
                auto space = std::move(spaces_.back());
                spaces_.pop_back();
                return space;
            }
        }
        return std::make_unique<Space>(n, m, facts, watch);
    }
    void put(std::unique_ptr<Space> space) {
        const std::lock_guard<Lock> hold(lock_);
        spaces_.push_back(std::move(space));
    }

  private:
    Lock lock_;
    std::vector<std::unique_ptr<Space>> spaces_;
};

// The positions of the edges along a path: of u -> v the lightest, of those the first.
template <class V, class W>
std::vector<int64_t> lightest_edges(const rows::Csr<V, W>& g, const std::vector<V>& path, Watch& watch) {
    std::vector<int64_t> edges;
    int64_t read = 0;
    for (size_t i = 1; i < path.size(); ++i) {
        int64_t best = -1;
        for (int64_t e = g.offsets[path[i - 1]]; e < g.offsets[path[i - 1] + 1]; ++e) {
            if (g.targets[e] == path[i] && (best < 0 || (g.weights && g.weights[e] < g.weights[best]))) best = e;
            if (STEPPE_UNLIKELY(++read % (1 << 16) == 0)) watch.poll(), watch.check();
        }
        edges.push_back(best);
    }
    return edges;
}

}  // namespace steppe::route

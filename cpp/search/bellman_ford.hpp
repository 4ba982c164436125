// Bellman-Ford for weights of any sign: a FIFO queue with Tarjan's subtree disassembly.
//
// The tree of tentative shortest paths is kept as its preorder in a doubly linked list, with depths, so that the
// subtree of v is the run after v of vertices deeper than v. When v improves, its subtree is out of date: it is cut
// from the tree, and what is cut is not scanned before it has been improved again. That saves most of the wasted scans,
// and it finds negative cycles at once: one has been closed exactly when u, through which v improves, is in the subtree
// of v. (Tarjan 1981; Cherkassky and Goldberg, "Negative-cycle detection algorithms", 1999, call it BFCT and find it
// the best.) The queue is hard pressed by long acyclic graphs; when a search has scanned its edges several times over
// and the graph turns out to have no cycle at all, one pass in topological order finishes it.
//
// Integers are exact: distances are int64 and no addition wraps. A sum beyond the range is passed over; if at the end
// an edge leads from a reached to an unreached vertex, the distance did not fit and the status says so.
//
// Floats round, and rounding breaks two things that are true of exact numbers:
//  - A cycle may look negative by a unit in the last place. The closed cycle's weights are added exactly, and where the
//    sum is not negative the improvement is refused. Every label is therefore the rounded length of a simple path, of
//    which there are finitely many, so the search ends. A refused edge stays "improvable" by rounding noise.
//  - A smaller label of v need not make its descendants smaller (the gain is absorbed), but they were cut from the
//    tree. So a vertex outside the tree is taken back by an equal label too.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "search/widen.hpp"

namespace steppe::search {

// restless: rounding lets distances fall for ever (external/bellman_ford.hpp).
enum class BellmanFordStatus { done, negative_cycle, overflow, restless };

struct BellmanFordResult {
    BellmanFordStatus status = BellmanFordStatus::done;
    std::vector<int64_t> cycle;  // in the order of its edges; the last leads back to the first
    int64_t rounds = 0;          // passes over the queue
    int64_t edges_relaxed = 0;
};

// The sign of an exact sum (Shewchuk's expansions: partial sums that do not overlap, smallest first).
class ExactSum {
  public:
    void add(double x) {
        size_t kept = 0;
        for (double y : partials_) {
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y, low = y - (high - x);
            if (low != 0) partials_[kept++] = low;
            x = high;
        }
        partials_.resize(kept);
        partials_.push_back(x);
    }
    bool negative() const { return !partials_.empty() && partials_.back() < 0; }

  private:
    std::vector<double> partials_;
};

// The weight of the lightest edge u -> v.
template <class V, class W>
double lightest(const rows::Csr<V, W>& g, V u, V v) {
    double best = std::numeric_limits<double>::infinity();
    for (int64_t e = g.first(u); e < g.last(u); ++e)
        if (g.target(e) == v) best = std::min(best, static_cast<double>(g.weight(e)));
    return best;
}

template <class V, class W>
class BellmanFord {
  public:
    using D = Distance<W>;

    // distances and predecessors have n entries and are filled here. Weights must not be null.
    BellmanFord(const rows::Csr<V, W>& g, D* distances, V* predecessors, Watch& watch)
        : g_(g), distance_(distances), predecessor_(predecessors), watch_(watch), nodes_(g.n + 1), root_(V(g.n)) {
        std::fill_n(distance_, g.n, kInfinity<D>);
        std::fill_n(predecessor_, g.n, V{-1});
        nodes_[root_] = {root_, root_, -1, false};
    }

    BellmanFordResult run(std::span<const int64_t> sources) {
        std::vector<V> queue, next;
        for (const int64_t source : sources) {
            const V s = static_cast<V>(source);
            if (distance_[s] == 0) continue;  // given twice
            distance_[s] = 0;
            attach(s, root_);
            nodes_[s].queued = true;
            queue.push_back(s);
        }
        const int64_t patience = 4 * (g_.edges() + g_.n);
        bool maybe_acyclic = true;
        while (!queue.empty() && is_going_on()) {
            ++result_.rounds;
            for (const V u : queue) {
                nodes_[u].queued = false;
                if (nodes_[u].previous == kOutside) continue;
                if (!scan(u, next)) break;
            }
            queue.swap(next);
            next.clear();
            if (maybe_acyclic && result_.edges_relaxed > patience) {
                maybe_acyclic = false;
                if (is_going_on() && finish_acyclic()) break;
            }
        }
        watch_.check();
        if (result_.status == BellmanFordStatus::done &&
            (outgrown_.below || (outgrown_.above && is_lost<true>(g_, std::vector<V>{}, distance_, watch_))))
            result_.status = BellmanFordStatus::overflow;
        watch_.check();
        return std::move(result_);
    }

  private:
    static constexpr V kOutside = -1;
    static constexpr int64_t kPoll = 20000;  // edges between two looks whether to stop
    struct Node {
        V next = 0, previous = kOutside;  // in preorder; previous == kOutside: not in the tree
        V depth = 0;
        bool queued = false;
    };

    bool is_going_on() const { return result_.status == BellmanFordStatus::done && !outgrown_.below; }

    // Relaxes the edges of u; false when the search is over.
    bool scan(V u, std::vector<V>& queue) {
        const int64_t begin = g_.offsets[u], end = g_.offsets[u + 1];
        for (int64_t e = begin; e < end; ++e) {
            const V v = g_.targets[e];
            const D d = outgrown_.add(distance_[u], g_.weights[e]);
            const bool inside = nodes_[v].previous != kOutside;
            if (!(d < distance_[v]) && (inside || d != distance_[v] || d == kInfinity<D>)) continue;
            if (inside && !detach(v, u, g_.weights[e])) {
                if (result_.status != BellmanFordStatus::done) return false;
                continue;
            }
            distance_[v] = d;
            predecessor_[v] = u;
            attach(v, u);
            if (!nodes_[v].queued) {
                nodes_[v].queued = true;
                queue.push_back(v);
            }
        }
        result_.edges_relaxed += end - begin;
        if (outgrown_.below) return false;  // some path is that short
        poll(end - begin + 1);
        return true;
    }

    // Called with every few steps done; throws when the search should end.
    void poll(int64_t steps) {
        since_poll_ += steps;
        if (since_poll_ <= kPoll) return;
        since_poll_ = 0;
        watch_.poll(result_.edges_relaxed);
        watch_.check();
    }

    void attach(V v, V u) {
        const V after = nodes_[u].next;
        nodes_[v].next = after;
        nodes_[v].previous = u;
        nodes_[v].depth = nodes_[u].depth + 1;
        nodes_[after].previous = v;
        nodes_[u].next = v;
    }

    // Takes v out of the list and its descendants out of the tree. False, and nothing done, when u is v or among them:
    // then result_ holds a cycle if it is negative, else (floats) it is noise.
    bool detach(V v, V u, W closing) {
        const V depth = nodes_[v].depth;
        V x = v;
        do {
            if (x == u) {
                close_cycle(v, u, closing);
                return false;
            }
            x = nodes_[x].next;
        } while (nodes_[x].depth > depth);
        for (V y = nodes_[v].next; y != x;) {
            const V next = nodes_[y].next;
            nodes_[y].previous = kOutside;
            y = next;
        }
        const V before = nodes_[v].previous;
        nodes_[before].next = x;
        nodes_[x].previous = before;
        nodes_[v].previous = kOutside;
        return true;
    }

    void close_cycle(V v, V u, W closing) {
        std::vector<int64_t> cycle;
        ExactSum sum;
        sum.add(static_cast<double>(closing));
        for (V x = u;; x = predecessor_[x]) {
            cycle.push_back(x);
            if (x == v) break;
            if constexpr (std::is_floating_point_v<W>) sum.add(lightest(g_, predecessor_[x], x));
        }
        if (std::is_floating_point_v<W> && !sum.negative()) return;
        std::reverse(cycle.begin(), cycle.end());
        result_.cycle = std::move(cycle);
        result_.status = BellmanFordStatus::negative_cycle;
    }

    // True when the graph has no cycle; then the labels are final. Labels so far are lengths of paths, so going on from
    // them is as good as starting afresh.
    bool finish_acyclic() {
        std::vector<V> order, waiting(g_.n, 0);
        for (int64_t begin = 0; begin < g_.edges(); begin += kPoll) {
            const int64_t end = std::min(begin + kPoll, g_.edges());
            for (int64_t e = begin; e < end; ++e) ++waiting[g_.targets[e]];
            poll(end - begin);
        }
        order.reserve(g_.n);
        for (int64_t v = 0; v < g_.n; ++v)
            if (!waiting[v]) order.push_back(static_cast<V>(v));
        for (size_t i = 0; i < order.size(); ++i) {
            const V u = order[i];
            poll(g_.degree(u) + 1);
            for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e)
                if (--waiting[g_.targets[e]] == 0) order.push_back(g_.targets[e]);
        }
        if (static_cast<int64_t>(order.size()) < g_.n) return false;
        for (const V u : order) {
            poll(g_.degree(u) + 1);
            if (distance_[u] == kInfinity<D>) continue;
            for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e) {
                const D d = outgrown_.add(distance_[u], g_.weights[e]);
                const V v = g_.targets[e];
                if (d < distance_[v]) distance_[v] = d, predecessor_[v] = u;
            }
            result_.edges_relaxed += g_.offsets[u + 1] - g_.offsets[u];
        }
        return true;
    }

    const rows::Csr<V, W>& g_;
    D* const distance_;
    V* const predecessor_;
    Watch& watch_;
    std::vector<Node> nodes_;
    const V root_;  // above all sources; never has a label
    BellmanFordResult result_;
    int64_t since_poll_ = 0;
    Outgrown outgrown_;
};

}  // namespace steppe::search

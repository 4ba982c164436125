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
//  tree.
//    So a vertex outside the tree is taken back by an equal label too.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"

namespace steppe::search {

// kRestless: rounding lets distances fall for ever (external/bellman_ford.hpp).
enum class BellmanFordStatus { kDone = 0, kNegativeCycle = 1, kOverflow = 2, kRestless = 3 };

struct BellmanFordResult {
    BellmanFordStatus status = BellmanFordStatus::kDone;
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

template <class V, class W>
class BellmanFord {
  public:
    using D = std::conditional_t<std::is_integral_v<W>, int64_t, W>;

    // distances and predecessors have n entries and are filled here. Weights must not be null.
    BellmanFord(const rows::Csr<V, W>& g, D* distances, V* predecessors, Watch& watch)
        : g_(g), distance_(distances), predecessor_(predecessors), watch_(watch), nodes_(g.n + 1), root_(V(g.n)) {
        std::fill_n(distance_, g.n, kInfinity<D>);
        std::fill_n(predecessor_, g.n, V{-1});
        nodes_[root_] = {root_, root_, -1, false};
    }

    BellmanFordResult run(const int64_t* sources, int64_t count) {
        std::vector<V> queue, next;
        for (int64_t i = 0; i < count; ++i) {
            const V s = static_cast<V>(sources[i]);
            if (distance_[s] == 0) continue;  // given twice
            distance_[s] = 0;
            attach(s, root_);
            nodes_[s].queued = true;
            queue.push_back(s);
        }
        const int64_t patience = 4 * (g_.edges() + g_.n);
        bool maybe_acyclic = true;
        while (!queue.empty() && result_.status == BellmanFordStatus::kDone) {
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
                if (result_.status == BellmanFordStatus::kDone && finish_acyclic()) break;
            }
        }
        watch_.check();
        if (overflow_ && result_.status == BellmanFordStatus::kDone) check_overflow();
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

    // d + w, or kInfinity where there is no edge or no room. A sum below the range ends the search: some path is that
    // short.
    D extend(D d, W w) {
        if constexpr (std::is_floating_point_v<W>) {
            return d + w;  // +inf: no edge
        } else {
            if (w >= 0 && d > kInfinity<D> - 1 - w) return overflow_ = true, kInfinity<D>;
            if (w < 0 && d < std::numeric_limits<D>::min() - w) {
                result_.status = BellmanFordStatus::kOverflow;
                return kInfinity<D>;
            }
            return d + w;
        }
    }

    // Relaxes the edges of u; false when the search is over.
    bool scan(V u, std::vector<V>& queue) {
        const int64_t begin = g_.offsets[u], end = g_.offsets[u + 1];
        for (int64_t e = begin; e < end; ++e) {
            const V v = g_.targets[e];
            const D d = extend(distance_[u], g_.weights[e]);
            const bool inside = nodes_[v].previous != kOutside;
            if (!(d < distance_[v]) && (inside || d != distance_[v] || d == kInfinity<D>)) continue;
            if (inside && !detach(v, u, g_.weights[e])) {
                if (result_.status != BellmanFordStatus::kDone) return false;
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
        if (result_.status != BellmanFordStatus::kDone) return false;
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
            if constexpr (std::is_floating_point_v<W>) sum.add(lightest(predecessor_[x], x));
        }
        if (std::is_floating_point_v<W> && !sum.negative()) return;
        std::reverse(cycle.begin(), cycle.end());
        result_.cycle = std::move(cycle);
        result_.status = BellmanFordStatus::kNegativeCycle;
    }

    double lightest(V u, V v) const {
        double best = std::numeric_limits<double>::infinity();
        for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e)
            if (g_.targets[e] == v) best = std::min(best, static_cast<double>(g_.weights[e]));
        return best;
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
                const D d = extend(distance_[u], g_.weights[e]);
                const V v = g_.targets[e];
                if (d < distance_[v]) distance_[v] = d, predecessor_[v] = u;
            }
            result_.edges_relaxed += g_.offsets[u + 1] - g_.offsets[u];
        }
        return true;
    }

    void check_overflow() {
        for (int64_t u = 0; u < g_.n; ++u) {
            poll(g_.degree(static_cast<V>(u)) + 1);
            if (distance_[u] == kInfinity<D>) continue;
            for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e)
                if (distance_[g_.targets[e]] == kInfinity<D>) result_.status = BellmanFordStatus::kOverflow;
        }
    }

    const rows::Csr<V, W>& g_;
    D* const distance_;
    V* const predecessor_;
    Watch& watch_;
    std::vector<Node> nodes_;
    const V root_;  // above all sources; never has a label
    BellmanFordResult result_;
    int64_t since_poll_ = 0;
    bool overflow_ = false;
};

}  // namespace steppe::search

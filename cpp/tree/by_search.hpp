// Canonical predecessors, from all edges that are tight.
//
// A search that notes predecessors on the way gets a tree that depends on the order of its relaxations. Here the tree
// is made afterwards from the distances alone, so it is the same for every method, thread count and device:
//     hop(v) = the fewest tight edges on a way from a source to v,
//     pred(v) = the smallest u with hop(u) == hop(v) - 1 and a tight edge u -> v.
// "Any tight in-edge" would not do: with zero weights, or float weights lost in rounding, those can form a ring.
//
// A breadth-first search over all edges would cost about as much as the search itself. So one sweep over the edges in
// memory order, on all threads, copies the tight ones out: about one per vertex, of maybe sixteen. Then
//   - all lengths are one integer (or there are none): hop is distance / length, the smallest tail is the answer;
//   - no weight is 0, few are lost in rounding and few vertices have a second tight in-edge: those few are settled one
//     by one (ties.hpp);
//   - else: a breadth-first search over the tight edges alone. A vertex is one record of 16 bytes (edges, predecessor,
//     level), so one random access; a vertex with no tight out-edge, every second one, never enters the queue.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "tree/ties.hpp"
#include "tree/tight.hpp"

namespace steppe::tree {

template <bool weighted, class V, class W, class D>
class CanonicalTree {
  public:
    CanonicalTree(const rows::Csr<V, W>& g, const D* distances, const int64_t* sources, int64_t num_sources,
                  W min_weight, V* pred, int threads, Watch& watch)
        : g_(g),
          d_(distances),
          sources_(sources),
          num_sources_(num_sources),
          min_weight_(min_weight),
          pred_(pred),
          threads_(std::max(threads, 1)),
          watch_(watch),
          gathered_(threads_) {}

    void run(bool uniform) {
        const bool positive = min_weight_ > 0;
        if (positive)
            for_ranges([&](int64_t begin, int64_t end, Gathered&) { std::fill(pred_ + begin, pred_ + end, kUnset); });
        if (uniform) {
            for_ranges([&](int64_t begin, int64_t end, Gathered&) {
                if (threads_ == 1) take_smallest<false>(begin, end);
                else take_smallest<true>(begin, end);
            });
        } else {
            is_for_search_.store(!kTies || !positive, std::memory_order_relaxed);
            for_ranges([&](int64_t begin, int64_t end, Gathered& mine) { collect(begin, end, mine); });
            if constexpr (kTies)
                if (!is_for_search_.load(std::memory_order_relaxed) && settle_all()) return;
            search();
        }
    }

  private:
    struct Edge {
        V u, v;
    };
    struct Node {
        const Edge* edges;  // its tight edges, up to the first of another u; null: none
        V pred, hop;
    };
    // What a thread has gathered: chunks of tight edges, each stretch ended by an edge from -1.
    struct Gathered {
        std::vector<Buffer<Edge>> chunks;
        std::vector<std::pair<Edge*, Edge*>> stretches;
        std::vector<Tie<V>> ties;
        Edge *at = nullptr, *end = nullptr;
    };
    static constexpr V kUnset = tree::kUnset<V>;
    static constexpr bool kTies = sizeof(V) == 4;  // of 64-bit vertices all are left to the search
    static constexpr int64_t kBlock = 2048;
    static constexpr int64_t kWide = 1 << 14;  // a level this wide is worth the threads

    // f(begin, end, what this thread has gathered) over short stretches of vertices.
    template <class F>
    void for_ranges(F f) {
        parallel_for(threads_, g_.n, kBlock, [&](int64_t first, int64_t last, int thread) {
            for (int64_t begin = first; begin < last; begin += kBlock) {
                if (watch_.poll(begin)) return;
                f(begin, std::min(last, begin + kBlock), gathered_[thread]);
            }
        });
        watch_.check();
    }

    template <bool kShared>
    void take_smallest(int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; ++u) {
            if (d_[u] == kInfinity<D>) continue;
            for_sums<weighted>(g_, d_, u, [&](V v, D s, D b) {
                if (s == b && b != kInfinity<D>) take_smaller<kShared>(pred_ + v, static_cast<V>(u));
            });
        }
    }

    void collect(int64_t begin, int64_t end, Gathered& mine) {
        // Two more than all edges: one that append_tight writes and takes back, and the end mark.
        const int64_t need = g_.offsets[end] - g_.offsets[begin] + 2;
        if (mine.end - mine.at < need) {
            mine.chunks.emplace_back(std::max(need, std::min<int64_t>(g_.edges() + 2, 1 << 18)));
            mine.at = mine.chunks.back().begin(), mine.end = mine.chunks.back().end();
        }
        Edge* const first = mine.at;
        Edge* at = first;
        for (int64_t u = begin; u < end; ++u) {
            const D a = d_[u];
            if (a == kInfinity<D>) continue;
            bool bad = false;
            at = append_tight<weighted>(g_, d_, a, g_.offsets[u], g_.offsets[u + 1], at, bad,
                                        [u](V v) { return Edge{static_cast<V>(u), v}; });
        }
        *at = {-1, -1};
        mine.at = at + 1;
        mine.stretches.emplace_back(first, at);
        if constexpr (kTies)
            if (!is_for_search_.load(std::memory_order_relaxed)) take_first(first, at, mine);
    }

    void take_first(const Edge* e, const Edge* end, Gathered& mine) {
        if (threads_ == 1)
            for (; e != end; ++e) take_tail<false>(e->u, e->v, d_, pred_, mine.ties);
        else
            for (; e != end; ++e) take_tail<true>(e->u, e->v, d_, pred_, mine.ties);
        if (static_cast<int64_t>(mine.ties.size()) > most_ties(g_.n))
            is_for_search_.store(true, std::memory_order_relaxed);
    }

    bool settle_all() {
        std::vector<Tie<V>> ties;
        for (const Gathered& mine : gathered_) ties.insert(ties.end(), mine.ties.begin(), mine.ties.end());
        Buffer<uint8_t> room(g_.n);
        return settle_ties(ties, d_, pred_, g_.n, room.data());
    }

    template <class F>
    void for_edges(V u, F f) {
        for (const Edge* e = nodes_[u].edges; e->u == u; ++e) f(e->v);
    }

    void search() {
        nodes_ = Buffer<Node>(g_.n);
        for_ranges([&](int64_t begin, int64_t end, Gathered&) {
            for (int64_t u = begin; u < end; ++u) nodes_[u] = {nullptr, kUnset, kUnset};
        });
        parallel_for(threads_, threads_, 1, [&](int64_t first, int64_t last, int) {
            for (int64_t t = first; t < last; ++t)
                for (const auto& [begin, end] : gathered_[t].stretches)
                    for (const Edge* e = end; e-- != begin;) nodes_[e->u].edges = e;  // the first one stays
        });
        Buffer<V> queue(g_.n);
        int64_t tail = 0;
        for (int64_t i = 0; i < num_sources_; ++i) {
            Node& s = nodes_[sources_[i]];
            if (s.hop == 0) continue;  // given twice
            s.hop = 0;
            if (s.edges) queue[tail++] = static_cast<V>(sources_[i]);
        }
        V hop = 0;
        for (int64_t head = 0; head < tail; ++hop) {
            if (watch_.poll(head)) break;
            const int64_t end = tail;
            if (threads_ > 1 && end - head >= kWide) tail = wide_level(queue.data(), head, end, hop);
            else tail = narrow_level(queue.data(), head, end, hop);
            head = end;
        }
        for_ranges([&](int64_t begin, int64_t end, Gathered&) {
            for (int64_t v = begin; v < end; ++v) pred_[v] = nodes_[v].pred;
        });
    }

    int64_t narrow_level(V* queue, int64_t head, int64_t end, V hop) {
        int64_t tail = end;
        for (int64_t i = head; i < end; ++i) {
            if ((i & 4095) == 4095 && watch_.poll(i)) break;
            ahead(queue, i, end);
            const V u = queue[i];
            for_edges(u, [&](V v) {
                Node& node = nodes_[v];
                if (node.hop == kUnset) {
                    node.hop = hop + 1;
                    node.pred = u;
                    if (node.edges) queue[tail++] = v;
                } else if (node.hop == hop + 1 && u < node.pred) {
                    node.pred = u;
                }
            });
        }
        return tail;
    }

    int64_t wide_level(V* queue, int64_t head, int64_t end, V hop) {
        std::vector<std::vector<V>> found(threads_);
        parallel_for(threads_, end - head, 2048, [&](int64_t begin, int64_t stop, int thread) {
            if (watch_.poll(head)) return;
            std::vector<V>& mine = found[thread];
            for (int64_t i = head + begin; i < head + stop; ++i) {
                ahead(queue, i, end);
                const V u = queue[i];
                for_edges(u, [&](V v) {
                    Node& node = nodes_[v];
                    V seen = LOAD(&node.hop);
                    if (seen == kUnset) {
                        seen = CAS(&node.hop, kUnset, hop + 1);
                        if (seen == kUnset && node.edges) mine.push_back(v);
                    }
                    if (seen == kUnset || seen == hop + 1) take_smaller<true>(&node.pred, u);
                });
            }
        });
        int64_t tail = end;
        for (const std::vector<V>& mine : found) {
            std::copy(mine.begin(), mine.end(), queue + tail);
            tail += static_cast<int64_t>(mine.size());
        }
        return tail;
    }

    // Asks early for the record of the 12th vertex on, the edges of the 8th, their targets' records for the 4th.
    void ahead(const V* queue, int64_t i, int64_t end) {
        if (i + 12 >= end) return;
        STEPPE_PREFETCH(&nodes_[queue[i + 12]]);
        STEPPE_PREFETCH(nodes_[queue[i + 8]].edges);
        for_edges(queue[i + 4], [&](V v) { STEPPE_PREFETCH_WRITE(&nodes_[v]); });
    }

    const rows::Csr<V, W> g_;
    const D* d_;
    const int64_t* sources_;
    const int64_t num_sources_;
    const W min_weight_;
    V* const pred_;
    const int threads_;
    Watch& watch_;
    std::vector<Gathered> gathered_;
    std::atomic<bool> is_for_search_{false};  // too many ties, or a weight of 0: no more of them need be found
    Buffer<Node> nodes_;
};

// Writes pred[0..n). uniform: all edges have one and the same positive integer length. min_weight: no edge is shorter.
// Weights that are not int32 must be there.
template <class V, class W, class D>
void tree_by_search(const rows::Csr<V, W>& g, const D* distances, const int64_t* sources, int64_t num_sources,
                    bool uniform, W min_weight, V* pred, int threads, Watch& watch) {
    const auto run = [&]<bool weighted>(W least) {
        CanonicalTree<weighted, V, W, D>(g, distances, sources, num_sources, least, pred, threads, watch).run(uniform);
    };
    if constexpr (std::is_same_v<D, int32_t>) run.template operator()<false>(1);  // hops
    else if constexpr (!std::is_same_v<W, int32_t>) run.template operator()<true>(min_weight);
    else g.weights ? run.template operator()<true>(min_weight) : run.template operator()<false>(1);
}

}  // namespace steppe::tree

// Canonical predecessors, and following them.
//
// A search that notes predecessors on the way gets a tree that depends on the order of its relaxations. Here the tree
// is made afterwards from the distances alone, so it is the same for every method, thread count and device:
//     hop(v) = the fewest tight edges on a way from a source to v,
//     pred(v) = the smallest u with hop(u) == hop(v) - 1 and a tight edge u -> v.
// "Any tight in-edge" would not do: with zero weights, or float weights lost in rounding, those can form a ring.
//
// A breadth-first search over all edges would cost about as much as the search itself. So: one sweep over the edges in
// memory order, on all threads, copies the tight ones out (about one per vertex, of maybe sixteen), and the
// breadth-first pass runs over these alone. A vertex is then one record of 16 bytes (list, predecessor, level) and one
// random access; a vertex without tight out-edges, every second one, never enters the queue. A list ends with the
// complement of its last target. Where all weights are one integer (or there are none), hop is distance / weight and
// the sweep alone suffices.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "atomics.hpp"
#include "csr.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "tight.hpp"
#include "watch.hpp"

namespace steppe {

template <bool weighted, class V, class W, class D>
class CanonicalTree {
  public:
    CanonicalTree(const Csr<V, W>& g, const D* distances, const int64_t* sources, int64_t num_sources, int threads,
                  Watch& watch)
        : g_(g),
          d_(distances),
          sources_(sources),
          num_sources_(num_sources),
          edges_(g.edges()),
          threads_(threads),
          watch_(watch) {}

    // All edges have one and the same positive integer length.
    void run_uniform(V* pred) {
        for_ranges([&](int64_t begin, int64_t end, int) { std::fill(pred + begin, pred + end, kUnset); });
        for_ranges([&](int64_t begin, int64_t end, int) {
            for (int64_t u = begin; u < end; ++u) {
                if (d_[u] == kInfinity<D>) continue;
                for_sums<weighted>(g_, d_, u, [&](V v, D s, D b) {
                    if (s == b && b != kInfinity<D>) MIN(pred + v, static_cast<V>(u));
                });
            }
        });
        for_ranges([&](int64_t begin, int64_t end, int) {
            for (int64_t v = begin; v < end; ++v)
                if (pred[v] == kUnset) pred[v] = -1;
        });
    }

    void run(V* pred) {
        nodes_ = Buffer<Node>(g_.n);
        collect();
        search();
        for_ranges([&](int64_t begin, int64_t end, int) {
            for (int64_t v = begin; v < end; ++v) pred[v] = nodes_[v].pred == kUnset ? V{-1} : nodes_[v].pred;
        });
    }

  private:
    struct Node {
        const V* list;  // its tight edges; null: none
        V pred, hop;
    };
    static constexpr V kUnset = std::numeric_limits<V>::max();
    static constexpr int64_t kBlock = 2048;
    static constexpr int64_t kWide = 1 << 14;  // a level this wide is worth the threads

    // f(begin, end, thread) over stretches of vertices with about equal numbers of edges.
    template <class F>
    void for_ranges(F f) {
        const int64_t parts = std::max<int64_t>(1, std::min<int64_t>((g_.n + edges_) >> 15, 16 * threads_));
        auto cut = [&](int64_t part) -> int64_t {
            if (part == parts) return g_.n;
            const int64_t* at = std::lower_bound(g_.offsets, g_.offsets + g_.n, edges_ / parts * part);
            return part == 0 ? 0 : at - g_.offsets;
        };
        parallel_for(threads_, parts, 1, [&](int64_t first, int64_t last, int thread) {
            for (int64_t part = first; part < last; ++part) {
                const int64_t end = cut(part + 1);
                for (int64_t begin = cut(part); begin < end; begin += kBlock) {
                    if (watch_.poll(begin)) return;
                    f(begin, std::min(end, begin + kBlock), thread);
                }
            }
        });
        watch_.check();
    }

    // Lists go into chunks that each thread takes as it needs them: no counting first, no memory that stays unused.
    struct Room {
        std::vector<Buffer<V>> chunks;
        V *at = nullptr, *end = nullptr;
        void need(int64_t size, int64_t chunk) {
            if (end - at >= size) return;
            chunks.emplace_back(std::max(size, chunk));
            at = chunks.back().begin(), end = chunks.back().end();
        }
    };

    void collect() {
        rooms_.resize(threads_);
        const int64_t chunk = std::min<int64_t>(edges_, 1 << 19);
        for_ranges([&](int64_t begin, int64_t end, int thread) {
            Room& room = rooms_[thread];
            room.need(g_.offsets[end] - g_.offsets[begin] + 1, chunk);
            V* at = room.at;
            for (int64_t u = begin; u < end; ++u) {
                V* const start = at;
                if (d_[u] != kInfinity<D>) {
                    bool bad = false;
                    at = append_tight<weighted>(g_, d_, d_[u], g_.offsets[u], g_.offsets[u + 1], at, bad,
                                                [](V v) { return v; });
                }
                if (at > start) at[-1] = ~at[-1];
                nodes_[u] = {at > start ? start : nullptr, kUnset, kUnset};
            }
            room.at = at;
        });
    }

    template <class F>
    void for_list(V u, F f) {
        for (const V* at = nodes_[u].list;; ++at) {
            const V v = *at;
            f(v < 0 ? ~v : v);
            if (v < 0) return;
        }
    }

    void search() {
        Buffer<V> queue(g_.n);
        int64_t tail = 0;
        for (int64_t i = 0; i < num_sources_; ++i) {
            Node& s = nodes_[sources_[i]];
            if (s.hop == 0) continue;  // given twice
            s.hop = 0;
            if (s.list) queue[tail++] = static_cast<V>(sources_[i]);
        }
        V hop = 0;
        for (int64_t head = 0; head < tail; ++hop) {
            if (watch_.poll(head)) break;
            const int64_t end = tail;
            if (threads_ > 1 && end - head >= kWide) tail = wide_level(queue.data(), head, end, hop);
            else tail = narrow_level(queue.data(), head, end, hop);
            head = end;
        }
        watch_.check();
    }

    int64_t narrow_level(V* queue, int64_t head, int64_t end, V hop) {
        int64_t tail = end;
        for (int64_t i = head; i < end; ++i) {
            if ((i & 4095) == 4095 && watch_.poll(i)) break;
            ahead(queue, i, end);
            const V u = queue[i];
            for_list(u, [&](V v) {
                Node& node = nodes_[v];
                if (node.hop == kUnset) {
                    node.hop = hop + 1;
                    node.pred = u;
                    if (node.list) queue[tail++] = v;
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
                for_list(u, [&](V v) {
                    Node& node = nodes_[v];
                    V seen = LOAD(&node.hop);
                    if (seen == kUnset) {
                        seen = CAS(&node.hop, kUnset, hop + 1);
                        if (seen == kUnset && node.list) mine.push_back(v);
                    }
                    if (seen == kUnset || seen == hop + 1) MIN(&node.pred, u);
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

    // Asks early for the record of the 12th vertex on, the list of the 8th, the targets of the 4th.
    void ahead(const V* queue, int64_t i, int64_t end) {
        if (i + 12 >= end) return;
        STEPPE_PREFETCH(&nodes_[queue[i + 12]]);
        STEPPE_PREFETCH(nodes_[queue[i + 8]].list);
        for_list(queue[i + 4], [&](V v) { STEPPE_PREFETCH_WRITE(&nodes_[v]); });
    }

    const Csr<V, W> g_;
    const D* d_;
    const int64_t* sources_;
    const int64_t num_sources_, edges_;
    const int threads_;
    Watch& watch_;
    Buffer<Node> nodes_;
    std::vector<Room> rooms_;
};

// Writes pred[0..n). uniform: all edges have one and the same positive integer length.
template <class V, class W, class D>
void canonical_predecessors(const Csr<V, W>& g, const D* distances, const int64_t* sources, int64_t num_sources,
                            bool uniform, V* pred, int threads, Watch& watch) {
    auto run = [&](auto tree) { uniform ? tree.run_uniform(pred) : tree.run(pred); };
    if (g.weights) run(CanonicalTree<true, V, W, D>(g, distances, sources, num_sources, threads, watch));
    else run(CanonicalTree<false, V, W, D>(g, distances, sources, num_sources, threads, watch));
}

// offsets[i + 1] - offsets[i] = the number of vertices on the path to targets[i]; 0 for a target of -1. Returns the
// first target whose predecessors lead out of the graph or in a circle, or -1.
template <class V>
int64_t path_offsets(const V* pred, int64_t n, const int64_t* targets, int64_t count, int64_t* offsets, Watch& watch) {
    offsets[0] = 0;
    int64_t steps = 0;
    for (int64_t i = 0; i < count; ++i) {
        int64_t length = 0;
        for (int64_t v = targets[i]; v != -1; v = pred[v]) {
            if (v < 0 || v >= n || length == n) return i;
            ++length;
            if ((++steps & 4095) == 0 && watch.poll(i)) watch.check();
        }
        offsets[i + 1] = offsets[i] + length;
    }
    return -1;
}

template <class V>
void fill_paths(const V* pred, const int64_t* targets, int64_t count, const int64_t* offsets, V* vertices,
                int threads) {
    parallel_for(threads, count, 64, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            int64_t at = offsets[i + 1];
            for (int64_t v = targets[i]; v != -1; v = pred[v]) vertices[--at] = static_cast<V>(v);
        }
    });
}

}  // namespace steppe

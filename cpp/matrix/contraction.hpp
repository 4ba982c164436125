// Contraction: a hierarchy of a road network, in which sixteen sources are searched from at once without a queue.
//
// Vertices are contracted one after the other, those of few neighbours first: the vertex is removed, and its neighbours
// are joined by edges as long as the path over it. The result is, for every vertex, the arcs to neighbours that were
// contracted after it: arcs up. Each shortest path then has an equally long one that goes up and then down. So a search
// from a source follows its arcs up (all lie on one path to the top, the ancestors of a tree: a few hundred vertices),
// and one sweep over all vertices from the top down takes, for each, the best of its few arcs: no queue, no branch, a
// cache line for sixteen sources (lanes.hpp). Where only some targets are wanted the sweep is over their ancestors.
//
// New York's roads, 264,346 vertices and 733,846 edges: 0.26 s (AMD EPYC, November 2026) for 1.2 million arcs, at most
// 119 of a vertex, 651 steps to the top. There is no search for witnesses, so an arc may be longer than the distance,
// which harms nothing. Graphs without small separators grow too many arcs; the work is counted, and given up in time.
//
// For integers only: sums are made in another order than along the path, which floats would show in their last bits.
// Every distance is a sum of one edge out of each vertex at most; where even the longest of those fit the type
// together, as they nearly always do, no sum can be lost, and nothing needs to be looked for afterwards.
//
// Dibbelt, Strasser & Wagner, "Customizable contraction hierarchies", ACM J. Exp. Algorithmics 21 (2016); Delling et
// al., PHAST, J. Parallel Distrib. Comput. 73 (2013); Tinney & Walker, Proc. IEEE 55 (1967) for the order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "matrix/min_plus.hpp"
#include "rows/csr.hpp"

namespace steppe::matrix {

// The graph while vertices are contracted: for each the neighbours that are left, with an arc both ways.
template <class D>
class Contracting {
  public:
    struct Arc {
        int32_t to;
        D out, in;  // kNone: none
    };

    template <class W>
    Contracting(const rows::Csr<int32_t, W>& g, Watch& watch) : arcs(static_cast<size_t>(g.n)), place_(g.n, -1) {
        for (int64_t u = 0; u < g.n; ++u) {
            if ((u & 4095) == 4095 && watch.poll()) return;
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                const int32_t v = g.targets[e];
                if (v == u) continue;
                arcs[u].push_back({v, static_cast<D>(g.weights[e]), kNone<D>});
                arcs[v].push_back({static_cast<int32_t>(u), kNone<D>, static_cast<D>(g.weights[e])});
            }
        }
        for (int64_t u = 0; u < g.n; ++u) {
            if ((u & 4095) == 4095 && watch.poll()) return;
            merge(arcs[u]);
        }
    }

    // Contracts all vertices; false: more than `most` arcs would be read, or the watch has stopped it.
    bool run(int64_t most, Watch& watch) {
        const int64_t n = static_cast<int64_t>(arcs.size());
        for (int64_t v = 0; v < n; ++v) file(static_cast<int32_t>(v));
        std::vector<bool> gone(static_cast<size_t>(n));
        order.reserve(static_cast<size_t>(n));
        int64_t work = 0;
        for (size_t degree = 0; degree < queues_.size();) {
            if (queues_[degree].empty()) {
                ++degree;
                continue;
            }
            const int32_t v = queues_[degree].back();
            queues_[degree].pop_back();
            if (gone[v] || arcs[v].size() != degree) continue;  // filed before its last change
            gone[v] = true;
            order.push_back(v);
            for (const Arc& arc : arcs[v]) work += static_cast<int64_t>(degree + arcs[arc.to].size());
            if (work > most || (((order.size() & 4095) == 0 || degree > 64) && watch.poll())) return false;
            take_out(v);
            for (const Arc& arc : arcs[v]) {
                file(arc.to);
                degree = std::min(degree, arcs[arc.to].size());
            }
        }
        return true;
    }

    std::vector<std::vector<Arc>> arcs;  // of a contracted vertex: its arcs up
    std::vector<int32_t> order;

  private:
    void file(int32_t v) {
        const size_t degree = arcs[v].size();
        if (queues_.size() <= degree) queues_.resize(degree + 1);
        queues_[degree].push_back(v);
    }
    // One arc for each neighbour.
    static void merge(std::vector<Arc>& list) {
        std::sort(list.begin(), list.end(), [](const Arc& a, const Arc& b) { return a.to < b.to; });
        size_t last = 0;
        for (size_t k = 1; k < list.size(); ++k) {
            if (list[k].to == list[last].to) {
                list[last].out = std::min(list[last].out, list[k].out);
                list[last].in = std::min(list[last].in, list[k].in);
            } else {
                list[++last] = list[k];
            }
        }
        if (!list.empty()) list.resize(last + 1);
    }
    // Joins the neighbours of v to each other, and to v no more.
    void take_out(int32_t v) {
        const std::vector<Arc>& around = arcs[v];
        for (const Arc& a : around) {
            std::vector<Arc>& of = arcs[a.to];
            for (size_t k = 0; k < of.size(); ++k) {
                if (of[k].to != v) continue;
                of[k] = of.back();
                of.pop_back();
                break;
            }
            if (around.size() == 1) return;
            for (size_t k = 0; k < of.size(); ++k) place_[of[k].to] = static_cast<int32_t>(k);
            for (const Arc& b : around) {
                if (b.to == a.to) continue;
                const D out = std::min<D>(kNone<D>, a.in + b.out), in = std::min<D>(kNone<D>, b.in + a.out);
                if (place_[b.to] < 0) {
                    of.push_back({b.to, out, in});
                } else {
                    Arc& known = of[place_[b.to]];
                    known.out = std::min(known.out, out);
                    known.in = std::min(known.in, in);
                }
            }
            for (const Arc& arc : of) place_[arc.to] = -1;
        }
    }

    std::vector<std::vector<int32_t>> queues_;  // by degree
    std::vector<int32_t> place_;                // of each neighbour in the current list, else -1
};

// The result. Places are numbered from the top: every arc up leads to a lower number.
template <class D>
struct Contraction {
    using Weight = std::make_signed_t<D>;
    int64_t n = 0;
    Buffer<int32_t> place;    // of each vertex
    Buffer<int64_t> offsets;  // of each place its arcs: where they lead, their lengths up, and those back down
    Buffer<int32_t> above;
    Buffer<Weight> up, down;

    explicit Contraction(const Contracting<D>& made)
        : n(static_cast<int64_t>(made.order.size())), place(made.order.size()), offsets(made.order.size() + 1) {
        for (int64_t i = 0; i < n; ++i) place[made.order[i]] = static_cast<int32_t>(n - 1 - i);
        offsets[0] = 0;
        for (int64_t p = 0; p < n; ++p)
            offsets[p + 1] = offsets[p] + static_cast<int64_t>(made.arcs[made.order[n - 1 - p]].size());
        above = Buffer<int32_t>(static_cast<size_t>(offsets[n]) + 1);  // never a null pointer
        up = Buffer<Weight>(static_cast<size_t>(offsets[n]) + 1);
        down = Buffer<Weight>(static_cast<size_t>(offsets[n]) + 1);
        for (int64_t p = 0; p < n; ++p) {
            int64_t e = offsets[p];
            for (const auto& arc : made.arcs[made.order[n - 1 - p]]) {
                above[e] = place[arc.to];
                up[e] = static_cast<Weight>(arc.out);
                down[e++] = static_cast<Weight>(arc.in);
            }
        }
    }

    int64_t arcs() const { return n ? offsets[n] : 0; }
    int64_t bytes() const { return 12 * n + arcs() * static_cast<int64_t>(4 + 2 * sizeof(D)); }
    // The next place on the way to the top, -1 there: of those that arcs lead to, the one that went first.
    int64_t next(int64_t p) const {
        int64_t next = -1;
        for (int64_t e = offsets[p]; e < offsets[p + 1]; ++e) next = std::max<int64_t>(next, above[e]);
        return next;
    }
    rows::Csr<int32_t, Weight> arcs_down() const { return {n, offsets.data(), above.data(), down.data()}; }
};

// More than any distance of these rows can be.
template <class W>
double longest_way(const rows::Csr<int32_t, W>& g) {
    double sum = 0;
    for (int64_t u = 0; u < g.n; ++u) {
        W most = 0;
        for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) most = std::max(most, g.weights[e]);
        sum += static_cast<double>(most);
    }
    return sum * (1 + 1e-9);
}

}  // namespace steppe::matrix

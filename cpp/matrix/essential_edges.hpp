// EssentialEdges: the edges of a dense graph that shortest paths can use, for searches that give floats the rounding of
// every other method.
//
// Floyd-Warshall adds (a + b) + (c + d) where a search adds ((a + b) + c) + d, and the last bits differ. All methods of
// this library give the same answer, so the distances of Floyd-Warshall are not returned; they only show which edges
// matter. An edge is essential unless it is longer than the distance between its ends by more than all rounding errors
// together. A path over another edge is longer than one of essential edges, whatever the order of the sums. Of the
// edges of a complete graph with random weights some n ln n are essential, and searches over those are quick. Where
// most are (weights that are distances in a plane), the searches read all edges, and the time of Floyd-Warshall is
// lost.
//
// Essential edges: Karger, Koller & Phillips, "Finding the hidden path", SIAM J. Comput. 22 (1993). Kept are all edges
// that could be essential by any rounding: a sum of n non-negative numbers is off by at most n u of itself, where u is
// half an ulp of 1; two sums are compared, each with two such errors.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "matrix/floyd_warshall.hpp"
#include "rows/csr.hpp"

namespace steppe::matrix {

template <class V, class W>
struct EssentialEdges {
    std::vector<int64_t> offsets;
    std::vector<V> targets;
    std::vector<W> weights;
    double longest = 0;

    // all: Floyd-Warshall that was run on g.
    EssentialEdges(const rows::Csr<V, W>& g, const FloydWarshall<W>& all, int threads, Watch& watch)
        : offsets(static_cast<size_t>(g.n) + 1) {
        std::vector<W> furthest(static_cast<size_t>(g.n));
        parallel_for(threads, g.n, 16, watch, [&](int64_t begin, int64_t end, int) {
            std::vector<W> row(static_cast<size_t>(all.width()));
            for (int64_t u = begin; u < end; ++u) {
                all.row(u, row.data());
                for (const W d : row)
                    if (d < kInfinity<W> && d > furthest[u]) furthest[u] = d;
            }
        });
        W most = 0;
        for (const W d : furthest) most = std::max(most, d);
        const double slack =
            4.0 * static_cast<double>(g.n) * static_cast<double>(std::numeric_limits<W>::epsilon()) * most;
        std::vector<V> kept(static_cast<size_t>(g.edges()));  // each row at the front of its own range
        parallel_for(threads, g.n, 16, watch, [&](int64_t begin, int64_t end, int) {
            std::vector<W> row(static_cast<size_t>(all.width()));
            for (int64_t u = begin; u < end; ++u) {
                all.row(u, row.data());
                int64_t to = g.offsets[u];
                for (int64_t e = to; e < g.offsets[u + 1]; ++e) {
                    const double w = static_cast<double>(g.weights[e]);
                    const bool needed = w <= static_cast<double>(row[g.targets[e]]) + slack && w < kInfinity<double>;
                    kept[to] = static_cast<V>(e - g.offsets[u]);
                    to += needed && g.targets[e] != u;
                }
                offsets[u + 1] = to - g.offsets[u];
            }
        });
        for (int64_t u = 0; u < g.n; ++u) offsets[u + 1] += offsets[u];
        targets.resize(static_cast<size_t>(offsets[g.n]));
        weights.resize(static_cast<size_t>(offsets[g.n]));
        for (int64_t u = 0; u < g.n; ++u)
            for (int64_t i = offsets[u]; i < offsets[u + 1]; ++i) {
                const int64_t e = g.offsets[u] + kept[g.offsets[u] + i - offsets[u]];
                targets[i] = g.targets[e];
                weights[i] = g.weights[e];
            }
        for (const W w : weights) longest = std::max(longest, static_cast<double>(w));
    }

    rows::Csr<V, W> csr() const {
        return {static_cast<int64_t>(offsets.size()) - 1, offsets.data(), targets.data(), weights.data()};
    }
};

}  // namespace steppe::matrix

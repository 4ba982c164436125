// What the drivers of this folder share: small graphs, nasty ones among them, a naive answer, and a way to fail.
//
// A driver runs the headers of one room of cpp/ on such graphs and leaves with 1 at the first answer that is not the
// naive one. tests/seeded_core.py compiles each as it is, and again with small bugs written into the headers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "rows/csr.hpp"

namespace core {

using namespace steppe;

inline void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}

// Numbers that look random and are the same everywhere.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    int64_t below(int64_t range) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(range));
    }

  private:
    uint64_t state_;
};

template <class W>
struct Edge {
    int32_t u, v;
    W w;
};

template <class W>
struct Graph {
    int64_t n;
    std::vector<Edge<W>> edges;
    std::vector<int64_t> offsets;
    std::vector<int32_t> targets;
    std::vector<W> weights;

    Graph(int64_t count, std::vector<Edge<W>> list) : n(count), edges(std::move(list)), offsets(count + 1, 0) {
        std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.u < b.u; });
        targets.reserve(edges.size() + 1);  // never a null pointer, which would be a graph without weights
        weights.reserve(edges.size() + 1);
        for (const auto& [u, v, w] : edges) ++offsets[u + 1], targets.push_back(v), weights.push_back(w);
        for (int64_t u = 0; u < n; ++u) offsets[u + 1] += offsets[u];
    }
    rows::Csr<int32_t, W> csr() const { return {n, offsets.data(), targets.data(), weights.data()}; }
    Graph reversed() const {
        std::vector<Edge<W>> back;
        for (const auto& [u, v, w] : edges) back.push_back({v, u, w});
        return {n, back};
    }
    Graph both_ways() const {
        std::vector<Edge<W>> both = edges;
        for (const auto& [u, v, w] : edges) both.push_back({v, u, w});
        return {n, both};
    }
    double mean() const {
        double sum = 0;
        for (const W w : weights) sum += static_cast<double>(w);
        return std::max(sum / static_cast<double>(std::max<size_t>(1, weights.size())), 1e-3);
    }
    double most() const { return std::max(weights.empty() ? 0.0 : double(*std::ranges::max_element(weights)), 1e-3); }
};

template <class W>
using Length = std::conditional_t<std::is_integral_v<W>, int64_t, W>;
template <class W>
inline constexpr Length<W> kFar = kInfinity<Length<W>>;

// Rounds over all edges until nothing changes; nothing where there is a negative cycle.
template <class W>
std::optional<std::vector<Length<W>>> naive(const Graph<W>& g, const std::vector<int32_t>& sources) {
    std::vector<Length<W>> d(g.n, kFar<W>);
    for (const int32_t s : sources) d[s] = 0;
    for (int64_t round = 0; round <= g.n; ++round) {
        bool changed = false;
        for (const auto& [u, v, w] : g.edges)
            if (d[u] != kFar<W> && d[u] + w < d[v]) d[v] = d[u] + w, changed = true;
        if (!changed) return d;
    }
    return {};
}

// Whether pred holds the tail of a tight edge for every reached vertex but the sources.
template <class W>
bool is_tight(const Graph<W>& g, const std::vector<Length<W>>& d, const std::vector<int32_t>& pred,
              const std::vector<int32_t>& sources) {
    std::vector<bool> good(g.n);
    for (int64_t v = 0; v < g.n; ++v) good[v] = d[v] == kFar<W> && pred[v] == -1;
    for (const int32_t s : sources) good[s] = pred[s] == -1;
    for (const auto& [u, v, w] : g.edges)
        if (pred[v] == u && d[u] != kFar<W> && d[u] + w == d[v]) good[v] = true;
    return std::ranges::all_of(good, [](bool x) { return x; });
}

// Random edges, loops and parallel ones among them, with weights in [low, low + range).
template <class W>
Graph<W> random_graph(int64_t n, int64_t m, int64_t low, int64_t range, uint64_t seed) {
    Random random(seed);
    std::vector<Edge<W>> edges;
    for (int64_t e = 0; e < m; ++e) {
        const auto u = static_cast<int32_t>(random.below(n)), v = static_cast<int32_t>(random.below(n));
        edges.push_back({u, v, static_cast<W>(low + random.below(range))});
    }
    return {n, edges};
}

// A few columns of vertices, each joined to its neighbours: like roads, with many ways of equal length.
template <class W>
Graph<W> grid(int64_t side, int64_t range, uint64_t seed) {
    Random random(seed);
    std::vector<Edge<W>> edges;
    for (int64_t i = 0; i < side * side; ++i) {
        const auto u = static_cast<int32_t>(i);
        if (i % side + 1 < side) edges.push_back({u, u + 1, static_cast<W>(1 + random.below(range))});
        if (i + side < side * side)
            edges.push_back({u, static_cast<int32_t>(i + side), static_cast<W>(1 + random.below(range))});
    }
    return Graph<W>{side * side, edges}.both_ways();
}

// f(graph) for each of many shapes, weights from 0 on.
template <class W, class F>
void for_graphs(F f) {
    f(Graph<W>{1, {}});
    f(Graph<W>{2, {{0, 1, 0}, {1, 0, 0}}});
    f(Graph<W>{4, {{0, 1, 5}, {0, 1, 3}, {1, 1, 0}, {1, 2, 0}, {2, 1, 0}, {2, 3, 7}, {0, 3, 10}}});
    f(Graph<W>{5, {{1, 2, 0}, {2, 1, 0}, {0, 3, 2}, {3, 4, 2}, {0, 4, 5}}});
    for (uint64_t seed = 0; seed < 24; ++seed) {
        const int64_t n = 2 + static_cast<int64_t>(seed) * 5, range[] = {2, 10, 1000, 100000};
        f(random_graph<W>(n, n * (1 + seed % 5), seed % 3 == 0, range[seed % 4], seed));
    }
    f(grid<W>(9, 3, 1));
    f(grid<W>(13, 500, 2));
    std::vector<Edge<W>> hub, path;
    for (int32_t v = 1; v < 1500; ++v) hub.push_back({0, v, W(v % 7)}), hub.push_back({v, (v * 7) % 1500, W(v % 3)});
    for (int32_t v = 1; v < 300; ++v) path.push_back({v - 1, v, W(v % 11)});
    f(Graph<W>{1500, hub});
    f(Graph<W>{300, path});
}

}  // namespace core

// One path between two vertices: from both ends, and with landmarks.
#include "graphs.hpp"
#include "route/bidirectional.hpp"
#include "route/landmarks.hpp"

using namespace core;

template <class W, class D>
static void check_answer(const char* name, const Graph<W>& g, const route::Answer<int32_t, D>& found, int32_t s,
                         int32_t t, Length<W> right) {
    expect(found.reachable == (right != kFar<W>), name);
    if (!found.reachable) return;
    expect(static_cast<Length<W>>(found.distance) == right, name);
    const auto& path = found.vertices;
    expect(path.front() == s && path.back() == t, "ends of a path");
    Length<W> length = 0;
    for (size_t i = 1; i < path.size(); ++i) {
        Length<W> least = kFar<W>;
        for (const auto& e : g.edges)
            if (e.u == path[i - 1] && e.v == path[i]) least = std::min<Length<W>>(least, e.w);
        length += least;
    }
    expect(length == right, "the length of a path");
}

template <class W, class D>
static void check(const Graph<W>& g) {
    Watch watch;
    const Graph<W> back = g.reversed();
    const auto csr = g.csr(), in = back.csr();
    const route::Facts facts{0, g.mean(), g.most()};
    route::Workspace<int32_t, D> space(g.n, csr.edges(), facts, watch);
    for (int32_t s = 0; s < g.n; s += static_cast<int32_t>(1 + g.n / 5)) {
        const auto right = *naive(g, {s});
        for (int32_t t = 0; t < g.n; t += static_cast<int32_t>(1 + g.n / 11)) {
            route::Bidirectional<int32_t, W, D> search(csr, in, nullptr, nullptr, facts, space, watch);
            check_answer(s == t ? "no way to go" : "from both ends", g, search.run(s, t), s, t, right[t]);
        }
    }
}

// On a graph that is its own reverse, with distances in units of `quantum`.
static void check_landmarks(const Graph<int32_t>& g, int64_t quantum) {
    Watch watch;
    const auto csr = g.csr();
    const rows::Quads<int32_t> quads(csr, 1, watch);
    route::Landmarks landmarks{Buffer<int16_t>(16 * g.n), 16, static_cast<double>(quantum), 1, false};
    for (int64_t k = 0; k < 16; ++k) {
        const auto d = *naive(g, {static_cast<int32_t>(k * (g.n - 1) / 15)});
        for (int64_t v = 0; v < g.n; ++v) landmarks.rows[16 * v + k] = static_cast<int16_t>(d[v] / quantum);
    }
    const route::Facts facts{0, g.mean(), g.most()};
    route::Workspace<int32_t, uint32_t> space(g.n, csr.edges(), facts, watch);
    for (int32_t s = 0; s < g.n; s += static_cast<int32_t>(1 + g.n / 9)) {
        const auto right = *naive(g, {s});
        for (int32_t t = 0; t < g.n; t += static_cast<int32_t>(1 + g.n / 20)) {
            route::GoalSearch<int32_t, uint32_t> search(quads, landmarks, space, watch);
            check_answer("with landmarks", g, search.run(s, t), s, t, right[t]);
        }
    }
}

int main() {
    for_graphs<int32_t>(check<int32_t, uint32_t>);
    for_graphs<float>(check<float, float>);
    for (uint64_t seed = 0; seed < 4; ++seed) {
        check_landmarks(grid<int32_t>(12, 50, seed), 16);
        check_landmarks(grid<int32_t>(15, 1000, seed), 1);
    }
}

// Weights of any sign, in memory and in blocks of a file: distances, trees, and cycles that are really negative.
#include "external/bellman_ford.hpp"
#include "graphs.hpp"
#include "search/bellman_ford.hpp"

using namespace core;

static void check_result(const char* name, const Graph<int32_t>& g, const search::BellmanFordResult& result,
                         const std::vector<int64_t>& found, const std::vector<int32_t>& pred) {
    const auto right = naive(g, {0});
    if (right) {
        expect(result.status == search::BellmanFordStatus::done && found == *right, name);
        expect(is_tight(g, *right, pred, {0}), "a predecessor");
        return;
    }
    expect(result.status == search::BellmanFordStatus::negative_cycle, "a negative cycle is missed");
    int64_t length = 0;
    for (size_t i = 0; i < result.cycle.size(); ++i) {
        const int64_t u = result.cycle[i], v = result.cycle[(i + 1) % result.cycle.size()];
        int64_t least = kUnreachable;
        for (const auto& e : g.edges)
            if (e.u == u && e.v == v) least = std::min<int64_t>(least, e.w);
        expect(least != kUnreachable, "a cycle has an edge that is none");
        length += least;
    }
    expect(length < 0, "a cycle is not negative");
}

static void check(const Graph<int32_t>& g) {
    const std::vector<int64_t> source{0};
    const auto csr = g.csr();
    Watch watch;
    std::vector<int64_t> found(g.n);
    std::vector<int32_t> pred(g.n);
    search::BellmanFord<int32_t, int32_t> alone(csr, found.data(), pred.data(), watch);
    check_result("bellman-ford", g, alone.run(source), found, pred);
    for (const int64_t limit : {int64_t{1} << 20, int64_t{512}}) {
        external::Budget budget{6, limit};
        external::Window window(csr, false, 1, budget);
        external::ExternalBellmanFord<int32_t, int32_t> blocks(csr, window, 6, found.data(), pred.data(), watch);
        check_result("bellman-ford in blocks", g, blocks.run(source), found, pred);
    }
}

int main() {
    check({5, {{0, 1, 1}, {1, 2, 2}, {2, 3, -4}, {3, 1, 1}, {3, 4, 1}}});
    check({5, {{0, 1, 1}, {1, 2, 2}, {2, 3, -4}, {3, 1, 2}, {3, 4, 1}}});
    for_graphs<int32_t>(check);
    for (uint64_t seed = 0; seed < 30; ++seed) {
        const int64_t n = 3 + static_cast<int64_t>(seed) * 3;
        check(random_graph<int32_t>(n, 3 * n, -1, 40, seed));
        check(random_graph<int32_t>(n, 2 * n, -9, 60, seed));
        // No negative cycle: weights of a random graph, each vertex lifted to a height of its own.
        auto lifted = random_graph<int32_t>(n, 4 * n, 0, 9, seed).edges;
        for (auto& e : lifted) e.w += (e.v * 37) % 101 - (e.u * 37) % 101;
        check({n, lifted});
    }
}

// Searches by rounds: the frontier, breadth-first levels from both sides, and a matrix of searches.
#include "graphs.hpp"
#include "search/bfs.hpp"
#include "search/frontier.hpp"
#include "search/many.hpp"

using namespace core;

static void check_frontier(const Graph<int32_t>& g, int threads) {
    Watch watch;
    search::Search<int32_t, uint32_t> s;
    s.sources = {0};
    s.threads = threads;
    s.watch = &watch;
    std::vector<uint32_t> found(g.n);
    std::vector<int32_t> pred(g.n);
    search::frontier<true>(g.csr(), s, found.data(), pred.data());
    const auto right = *naive(g, {0});
    for (int64_t v = 0; v < g.n; ++v)
        expect((found[v] == kInfinity<uint32_t> ? kUnreachable : int64_t{found[v]}) == right[v], "frontier");
    expect(is_tight(g, right, pred, {0}), "a predecessor of frontier");
}

static void check_bfs(const Graph<int32_t>& weighted, int32_t source, int64_t cutoff) {
    std::vector<Edge<int32_t>> ones = weighted.edges;
    for (auto& e : ones) e.w = 1;
    const Graph<int32_t> g{weighted.n, ones}, back = g.reversed();
    auto right = *naive(g, {source});
    for (int64_t& d : right)
        if (cutoff >= 0 && d > cutoff) d = kUnreachable;
    Watch watch;
    const auto csr = g.csr(), in = back.csr();
    for (const auto* reverse : {static_cast<const rows::Csr<int32_t, int32_t>*>(nullptr), &in}) {
        search::Search<int32_t, uint32_t> s;
        s.sources = {source};
        if (cutoff >= 0) s.reach = search::Reach<uint32_t>(cutoff);
        s.watch = &watch;
        std::vector<int32_t> hops(g.n), pred(g.n);
        search::Bfs<true, int32_t>(csr, reverse, s, hops.data(), pred.data()).run();
        for (int64_t v = 0; v < g.n; ++v)
            expect((hops[v] == search::kNoHops ? kUnreachable : int64_t{hops[v]}) == right[v], "bfs");
        expect(is_tight(g, right, pred, {source}), "a predecessor of bfs");
    }
}

static void check_many(const Graph<int32_t>& g, search::Method method) {
    std::vector<int64_t> sources, targets;
    for (int64_t v = 0; v < g.n; v += 1 + g.n / 4) sources.push_back(v), targets.push_back(g.n - 1 - v);
    const auto count = static_cast<int64_t>(sources.size()), columns = static_cast<int64_t>(targets.size());
    const search::Question q{sources, {}, {}, 0, g.mean(), g.most(), 2};
    std::vector<int64_t> found(count * columns);
    Watch watch;
    rows::Forms<int32_t> forms;
    const rows::View<int32_t, int32_t> view{g.csr(), forms};
    const int64_t lost =
        search::ManySearches<int32_t, int32_t, int64_t>(method, view, q, search::Columns{targets}, found.data(), watch)
            .run();
    expect(lost == -1, "a source is lost");
    for (int64_t i = 0; i < count; ++i) {
        const auto right = *naive(g, {static_cast<int32_t>(sources[i])});
        for (int64_t j = 0; j < columns; ++j) expect(found[i * columns + j] == right[targets[j]], "many");
    }
}

int main() {
    for_graphs<int32_t>([](const Graph<int32_t>& g) {
        check_frontier(g, 1);
        check_frontier(g, 2);
        check_bfs(g, 0, -1);
        check_bfs(g, static_cast<int32_t>(g.n / 2), 3);
        check_many(g, search::Method::dijkstra);
        check_many(g, search::Method::delta_stepping);
    });
    check_bfs(random_graph<int32_t>(3000, 30000, 1, 2, 7), 0, -1);
}

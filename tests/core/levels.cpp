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
    for (const auto* reverse : {static_cast<const rows::Csr<int32_t, int32_t>*>(nullptr), &in})
        for (const int threads : {1, 2}) {
            search::Search<int32_t, uint32_t> s;
            s.threads = threads;
            s.sources = {source};
            if (cutoff >= 0) s.reach = search::Reach<uint32_t>(cutoff);
            s.watch = &watch;
            std::vector<int32_t> hops(g.n), pred(g.n);
            search::Bfs<true, int32_t>(csr, reverse, s, hops.data(), pred.data()).run();
            for (int64_t v = 0; v < g.n; ++v)
                expect((hops[v] == search::kNoHops ? kUnreachable : int64_t{hops[v]}) == right[v], "bfs");
            expect(is_tight(g, right, pred, {source}), "a predecessor of bfs");
            std::vector<int32_t> alone(g.n);
            search::Bfs<false, int32_t>(csr, reverse, s, alone.data(), nullptr).run();
            expect(alone == hops, "bfs without paths");
        }
}

// A strip of a few rows, its levels narrow to the end: the search itself must come by the canonical tree, whatever the
// vertices are called: in order, from the end, or anything. In order all vertices look the same, which is branched
// upon.
enum class Names { rising, falling, scattered };
static void check_strip(int64_t rows, int64_t columns, Names names) {
    const int64_t n = rows * columns;
    std::vector<int32_t> name(n);
    for (int64_t v = 0; v < n; ++v) name[v] = static_cast<int32_t>(names == Names::falling ? n - 1 - v : v);
    Random random(5);
    for (int64_t v = n - 1; names == Names::scattered && v > 0; --v) std::swap(name[v], name[random.below(v + 1)]);
    std::vector<Edge<int32_t>> edges;
    for (int64_t v = 0; v < n; ++v)
        for (const int64_t step : {columns, int64_t{1}})
            if (v + step < n && (step > 1 || (v + 1) % columns)) {
                edges.push_back({name[v], name[v + step], 1});
                edges.push_back({name[v + step], name[v], 1});
            }
    const Graph<int32_t> g{n, edges};
    const int64_t start = columns / 3;
    std::vector<int32_t> hops(n), right(n), found(n), pred(n, -1), tree(n);
    for (int64_t v = 0; v < n; ++v) right[name[v]] = static_cast<int32_t>(v / columns + std::abs(v % columns - start));
    for (const auto& e : g.edges)
        if (right[e.u] + 1 == right[e.v] && (pred[e.v] < 0 || e.u < pred[e.v])) pred[e.v] = e.u;
    Watch watch;
    search::Search<int32_t, uint32_t> s;
    s.sources = {name[start]};
    s.watch = &watch;
    const auto csr = g.csr();
    search::Bfs<false, int32_t> bfs(csr, nullptr, s, hops.data(), tree.data());
    bfs.run();
    expect(hops == right, "hops along a strip");
    expect(bfs.has_tree() && tree == pred, "the tree that a search along a strip comes by");
    search::Bfs<true, int32_t>(csr, nullptr, s, hops.data(), tree.data()).run();
    expect(hops == right && tree == pred, "the tree recorded along a strip");
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
    // Levels that are shared, and wide ones before and after those from below.
    check_bfs(random_graph<int32_t>(20000, 120000, 1, 2, 7), 0, -1);
    check_bfs(random_graph<int32_t>(20000, 120000, 1, 2, 8), 3, 6);
    for (const Names names : {Names::rising, Names::falling, Names::scattered}) check_strip(40, 600, names);
}

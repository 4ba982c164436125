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

// The hops of a plain queue, and the canonical tree: of the vertices one hop nearer, the one with the smallest number.
struct Hops {
    std::vector<int32_t> hops, pred;
};
static Hops plain_hops(const Graph<int32_t>& g, const std::vector<int32_t>& sources, int64_t cutoff) {
    Hops found{std::vector<int32_t>(g.n, search::kNoHops), std::vector<int32_t>(g.n, -1)};
    const auto csr = g.csr();
    std::vector<int32_t> queue = sources;
    for (const int32_t s : sources) found.hops[s] = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
        const int32_t u = queue[i];
        if (found.hops[u] == cutoff) continue;
        for (int64_t e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
            const int32_t v = csr.targets[e];
            if (found.hops[v] == search::kNoHops) found.hops[v] = found.hops[u] + 1, queue.push_back(v);
            if (found.hops[v] == found.hops[u] + 1 && (found.pred[v] < 0 || u < found.pred[v])) found.pred[v] = u;
        }
    }
    return found;
}

// A strip of a few rows, its levels narrow to the end: the search itself must come by the canonical tree, whatever the
// vertices are called: in order, from the end, or anything. In order all vertices look the same, which is branched
// upon.
enum class Names { rising, falling, scattered };
static Graph<int32_t> strip(int64_t rows, int64_t columns, Names names) {
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
    return {n, edges};
}

// By one thread, or by several that go on by themselves. is_narrow: all levels are.
static void check_narrow(const Graph<int32_t>& g, const std::vector<int32_t>& sources, int threads, bool is_narrow,
                         int64_t cutoff = -1) {
    const Hops right = plain_hops(g, sources, cutoff);
    const auto csr = g.csr();
    Watch watch;
    search::Search<int32_t, uint32_t> s;
    s.sources = sources;
    s.threads = threads;
    if (cutoff >= 0) s.reach = search::Reach<uint32_t>(cutoff);
    s.watch = &watch;
    std::vector<int32_t> hops(g.n), tree(g.n);
    search::Bfs<false, int32_t> bfs(csr, nullptr, s, hops.data(), tree.data());
    const search::Stats stats = bfs.run();
    expect(hops == right.hops, "hops of narrow levels");
    expect(bfs.has_tree() == is_narrow && (!is_narrow || tree == right.pred), "the tree that narrow levels come by");
    int64_t farthest = 0;
    for (const int32_t h : hops) farthest = h == search::kNoHops ? farthest : std::max<int64_t>(farthest, h);
    expect(stats.rounds == farthest + (farthest != cutoff), "as many rounds as there are levels");
    expect(threads == 1 || !is_narrow || stats.atomics > 0, "levels that threads share");
    search::Bfs<true, int32_t>(csr, nullptr, s, hops.data(), tree.data()).run();
    expect(hops == right.hops && (!is_narrow || tree == right.pred), "the tree recorded");
    search::Bfs<false, int32_t>(csr, nullptr, s, hops.data(), nullptr).run();
    expect(hops == right.hops, "hops of narrow levels without a tree");
}

// Levels of one thread; levels that several share, some that are narrow and then wide, with a bound, from many sources,
// with edges that lead to many; and threads that lose patience at once, so that one finishes.
static void check_narrow_levels() {
    for (const Names names : {Names::rising, Names::falling, Names::scattered}) {
        check_narrow(strip(40, 600, names), {200}, 1, true);
        const Graph<int32_t> wider = strip(300, 400, names);
        for (const int threads : {2, 2, 3})
            for (const int pauses : {10000, 0}) {
                search::patience() = pauses;
                check_narrow(wider, {133}, threads, true);
                check_narrow(wider, {133}, threads, true, 350);
                check_narrow(wider, {0, 60200, 119999}, threads, true);
            }
        search::patience() = 10000;
    }
    const Graph<int32_t> spreads = random_graph<int32_t>(200000, 600000, 1, 2, 9);
    for (const int threads : {1, 2, 3}) check_narrow(spreads, {0}, threads, false);
    std::vector<Edge<int32_t>> edges = strip(300, 400, Names::rising).edges;
    for (int32_t v = 0; v < 1000; ++v) edges.push_back({60000, v * 100, 1});
    for (const int threads : {1, 2, 3}) check_narrow({120000, edges}, {133}, threads, true);
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
    // The last wide levels find few vertices: those that a single edge leads to.
    std::vector<Edge<int32_t>> edges = random_graph<int32_t>(20000, 280000, 1, 2, 9).edges;
    for (int32_t v = 20000; v < 20030; ++v) edges.push_back({v * 331 % 20000, v, 1});
    check_bfs({20030, edges}, 0, -1);
    check_narrow_levels();
}

// Delta-stepping on several threads: graphs like roads, whose threads send each other letters, and others, whose
// threads meet; hubs, whose rows are shared; a few huge weights; buckets that are too narrow and too wide, so that the
// width changes on the way, or that a phase ends before its bucket is empty; threads that lose patience at once.
// Compared with one thread, which search.cpp compares with the naive answer.
#include "questions.hpp"
#include "search/delta_stepping.hpp"
#include "search/delta_stepping_parallel.hpp"

using namespace core;

template <bool kPaths, class D>
static void check(const Graph<int32_t>& g, int threads, double delta, D) {
    const auto csr = g.csr();
    Watch watch;
    search::Search<int32_t, D> s;
    s.sources = {0, static_cast<int32_t>(g.n / 3)};
    s.delta = delta;
    s.typical_weight = g.mean();
    s.max_weight = g.most();
    s.watch = &watch;
    std::vector<D> right(g.n), found(g.n);
    std::vector<int32_t> pred(g.n);
    constexpr const search::NoEdges* kNone = nullptr;
    search::delta_stepping<false>(csr, kNone, s, right.data(), static_cast<int32_t*>(nullptr));
    s.threads = threads;
    search::delta_stepping_parallel<kPaths>(csr, kNone, s, found.data(), kPaths ? pred.data() : nullptr);
    expect(found == right, "distances of several threads");
    if (!kPaths) return;
    std::vector<int64_t> wide(g.n);
    for (int64_t v = 0; v < g.n; ++v)
        wide[v] = right[v] == kInfinity<D> ? kUnreachable : static_cast<int64_t>(right[v]);
    expect(is_tight(g, wide, pred, s.sources), "predecessors of several threads");
}

// Twenty roads side by side, joined at every crossing: numbers follow places.
static Graph<int32_t> strip() {
    Random random(5);
    std::vector<Edge<int32_t>> edges;
    for (int32_t v = 0; v < 20000; ++v) {
        if (v % 20) edges.push_back({v, v - 1, static_cast<int32_t>(random.below(100))});
        if (v >= 20) edges.push_back({v, v - 20, static_cast<int32_t>(1 + random.below(100))});
    }
    return Graph<int32_t>{20000, edges}.both_ways();
}

// A vertex that leads to all, more than a phase takes, and two that lead to many.
static Graph<int32_t> hubs() {
    constexpr int32_t kAll = 200000;
    std::vector<Edge<int32_t>> edges = random_graph<int32_t>(kAll, 40000, 1, 100, 6).edges;
    for (int32_t v = 1; v < kAll; ++v) edges.push_back({0, v, v < 3 ? v : 1 + v % 4001});
    for (int32_t v = 3; v < 40000; ++v) edges.push_back({1 + v % 2, v, 1 + v % 3989});
    return {kAll, edges};
}

// Weights of a hundred, and a few that are a thousand times as large.
static Graph<int32_t> skewed() {
    Graph<int32_t> g = random_graph<int32_t>(9000, 30000, 1, 100, 7);
    for (size_t e = 0; e < g.edges.size(); ++e)
        if (e % 5 == 0) g.edges[e].w *= 1000;
    return {g.n, g.edges};
}

// More word than one letter holds, between two owners.
static void check_letters() {
    search::Post<int32_t, uint32_t> post(2);
    search::Owner<int32_t, uint32_t> from(post, 64, 0, 2), to(post, 64, 1, 2);
    for (int32_t v = 0; v < 1000; ++v) from.send(1, v, static_cast<uint32_t>(2 * v), v + 1, 5);
    from.send_all();
    std::vector<int> seen(1000);
    to.read([](int32_t) {}, [&](int32_t v, uint32_t d, int32_t u) { seen[v] += d == 2u * v && u == v + 1; });
    expect(seen == std::vector<int>(1000, 1), "what letters say");
}

int main() {
    check_letters();
    const Graph<int32_t> graphs[] = {hubs(),
                                     skewed(),
                                     random_graph<int32_t>(50000, 500000, 1, 1000, 8),
                                     strip(),
                                     random_graph<int32_t>(9000, 70000, 0, 50, 2),
                                     random_graph<int32_t>(3000, 60000, 1, 5000, 3),
                                     Graph<int32_t>{1, {}},
                                     random_graph<int32_t>(70, 300, 0, 3, 4)};
    expect(search::Owners::are_neighbours<int32_t>(graphs[3].csr(), 2), "the numbers of roads follow places");
    expect(!search::Owners::are_neighbours<int32_t>(graphs[4].csr(), 2), "random edges leave their blocks");
    for (const int patience : {10000, 0}) {
        search::patience() = patience;
        for (int round = 0; round < 2; ++round)
            for (const Graph<int32_t>& g : graphs)
                for (const int threads : {2, 3})
                    for (const double delta : {0.0, 1.0, 64.0, 1e5}) {
                        check<false>(g, threads, delta, uint32_t{});
                        check<true>(g, threads, delta, uint32_t{});
                        if (round == 0) check<true>(g, threads, delta, uint64_t{});
                    }
    }
}

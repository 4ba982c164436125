// Delta-stepping on several threads: graphs like roads, whose threads read each other's distances, and random ones,
// whose threads have copies; buckets that are too narrow and too wide, so that all are halted on the way; threads that
// lose patience at once. Compared with one thread, which search.cpp compares with the naive answer.
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

int main() {
    const Graph<int32_t> graphs[] = {strip(), random_graph<int32_t>(9000, 70000, 0, 50, 2),
                                     random_graph<int32_t>(3000, 60000, 1, 5000, 3), Graph<int32_t>{1, {}},
                                     random_graph<int32_t>(70, 300, 0, 3, 4)};
    expect(search::Owners::are_neighbours<int32_t>(graphs[0].csr(), 2), "the numbers of roads follow places");
    expect(!search::Owners::are_neighbours<int32_t>(graphs[1].csr(), 2), "random edges leave their blocks");
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

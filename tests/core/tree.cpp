// Canonical predecessors, made three ways: of the ways with the fewest tight edges the smallest tail.
#include "graphs.hpp"
#include "rows/packed.hpp"
#include "rows/quads.hpp"
#include "tree/by_levels.hpp"
#include "tree/by_light_edges.hpp"
#include "tree/by_search.hpp"

using namespace core;

static std::vector<int32_t> truth(const Graph<int32_t>& g, const std::vector<int64_t>& d, int32_t source) {
    std::vector<Edge<int32_t>> tight;
    for (const auto& e : g.edges)
        if (d[e.u] != kUnreachable && d[e.u] + e.w == d[e.v]) tight.push_back({e.u, e.v, 1});
    const auto hops = *naive(Graph<int32_t>{g.n, tight}, {source});
    std::vector<int32_t> pred(g.n, -1);
    for (const auto& e : tight)
        if (hops[e.u] != kUnreachable && hops[e.u] + 1 == hops[e.v] && (pred[e.v] < 0 || e.u < pred[e.v]))
            pred[e.v] = e.u;
    return pred;
}

static void check(const Graph<int32_t>& g, int32_t source) {
    Watch watch;
    const auto csr = g.csr();
    const Graph<int32_t> back = g.reversed();
    const auto in = back.csr();
    const auto d = *naive(g, {source});
    const auto right = truth(g, d, source);
    const int64_t sources[] = {source};
    const int32_t least = g.weights.empty() ? 1 : *std::ranges::min_element(g.weights);
    const bool uniform = !g.weights.empty() && least > 0 && least == static_cast<int32_t>(g.most());
    for (const int threads : {1, 2}) {
        std::vector<int32_t> pred(g.n);
        tree::tree_by_search(csr, d.data(), sources, 1, uniform, least, pred.data(), threads, watch);
        expect(pred == right, "the tree by search");
        if (uniform) {
            tree::level_tree<true>(in, d.data(), int64_t{least}, pred.data(), threads, watch);
            expect(pred == right, "the tree by levels");
            std::vector<Edge<int32_t>> falling(back.edges.rbegin(), back.edges.rend());
            const Graph<int32_t> unsorted{g.n, falling};
            tree::level_tree<false>(unsorted.csr(), d.data(), int64_t{least}, pred.data(), threads, watch);
            expect(pred == right, "the tree by levels, from the largest tail down");
        }
        const rows::Packed<int32_t> out(csr, 1, watch), into(in, 1, watch);
        if (tree::prepared_tree(out, &into, d.data(), kUnreachable, least, pred.data(), threads, watch))
            expect(pred == right, "the tree by light edges");
        if (!rows::Quads<int32_t>::suit(csr)) continue;
        const rows::Quads<int32_t> quads(csr, 1, watch);
        if (tree::prepared_tree(quads, &into, d.data(), kUnreachable, least, pred.data(), threads, watch))
            expect(pred == right, "the tree by rows of four");
    }
}

int main() {
#if STEPPE_AVX512
    for (const bool wide : {false, search::avx512_found()}) {
        search::avx512_wanted() = wide;
#else
    {
#endif
        for_graphs<int32_t>([](const Graph<int32_t>& g) {
            check(g, 0);
            std::vector<Edge<int32_t>> positive = g.edges, ones = g.edges;
            for (auto& e : positive) ++e.w;
            for (auto& e : ones) e.w = 3;
            check({g.n, positive}, static_cast<int32_t>(g.n / 2));
            check({g.n, ones}, 0);
        });
        for (uint64_t seed = 0; seed < 8; ++seed) check(random_graph<int32_t>(400, 2400, 1, 12, seed), 0);
    }
}

// Dijkstra and delta-stepping on one thread: distances, cutoffs, targets, paths, and sums that outgrow 32 bits.
#include "questions.hpp"
#include "search/delta_stepping.hpp"
#include "search/dijkstra.hpp"

using namespace core;

static void check_all(const Graph<int32_t>& g, const Question& q) {
    const auto csr = g.csr();
    constexpr const search::NoEdges* kNone = nullptr;
    const search::Stats stats = check("dijkstra", g, q, [&]<class D>(const auto& s, D* dist, int32_t* pred) {
        return search::dijkstra<true>(csr, s, dist, pred);
    });
    if (q.targets.empty()) {
        const auto right = truth(g, q);
        const auto reached = std::ranges::count_if(right, [](int64_t d) { return d != kUnreachable; });
        expect(stats.rounds == reached, "dijkstra settles a vertex twice");
    }
    for (const double delta : {0.0, 1.0, 1e6}) {
        Question with = q;
        with.delta = delta;
        check("delta-stepping", g, with, [&]<class D>(const auto& s, D* dist, int32_t* pred) {
            return search::delta_stepping<true>(csr, kNone, s, dist, pred);
        });
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
            const auto last = static_cast<int32_t>(g.n - 1);
            const auto some = truth(g, {{0}, {}})[g.n / 2];
            check_all(g, {{0}, {}});
            check_all(g, {{0, last, 0}, {last}});
            check_all(g, {{last / 2}, {0, last / 3}});
            if (some != kUnreachable) check_all(g, {{0}, {}, some});
            check_all(g, {{0}, {}, 5});
        });
        // Sums that pass 32 bits; and a cutoff that keeps the search within them.
        std::vector<Edge<int32_t>> heavy;
        for (int32_t v = 1; v < 40; ++v) heavy.push_back({v - 1, v, (1 << 30) + v});
        heavy.push_back({0, 39, std::numeric_limits<int32_t>::max()});
        const Graph<int32_t> g{40, heavy};
        check_all(g, {{0}, {}});
        check_all(g, {{0}, {5}});
        check_all(g, {{0}, {}, 1 << 30 | 1});
        // Roads among which some are closed: entries far beyond the ring, and widths that are changed on the way.
        Graph<int32_t> roads = grid<int32_t>(48, 10, 3);
        for (size_t e = 0; e < roads.weights.size(); ++e)
            if (e % 7 == 0)
                roads.weights[e] = roads.edges[e].w = static_cast<int32_t>(1'000'000 + 999'983 * (e % 1000));
        check_all(roads, {{0}, {}});
        check_all(roads, {{0}, {17, 2303}});
        for (const double delta : {1.0, 1e3, 1e6}) {
            Question with{{0}, {}};
            with.delta = delta;
            const search::Stats stats =
                check("widths", roads, with, [&]<class D>(const auto& s, D* dist, int32_t* pred) {
                    return search::delta_stepping<true>(roads.csr(), static_cast<const search::NoEdges*>(nullptr), s,
                                                        dist, pred);
                });
            expect(stats.width_changes > 0, "a width that does not suit is kept");
            expect(stats.edges_relaxed <= 3 * roads.csr().edges(), "edges are relaxed again and again");
        }
    }
}

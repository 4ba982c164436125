// Packed rows: every list has its edges, sorted by weight, whatever the weights and however long the lists.
#include "rows/packed.hpp"

#include <cmath>

#include "graphs.hpp"

using namespace core;

// Returns all lists, one after the other.
template <class W>
static std::vector<std::pair<W, int32_t>> check(const Graph<W>& g, int threads) {
    Watch watch;
    std::vector<std::pair<W, int32_t>> order;
    const auto csr = g.csr();
    const rows::Packed<W> packed(csr, threads, watch);
    expect(packed.edges() == csr.edges(), "the number of edges");
    for (int32_t v = 0; v < g.n; ++v) {
        std::vector<std::pair<W, int32_t>> given, found;
        for (int64_t e = csr.first(v); e < csr.last(v); ++e) given.emplace_back(csr.weight(e), csr.target(e));
        for (int64_t e = packed.first(v); e < packed.last(v); ++e)
            found.emplace_back(packed.weight(e), packed.target(e));
        for (size_t i = 1; i < found.size(); ++i) expect(found[i - 1].first <= found[i].first, "the order of a list");
        const auto lightest = found.empty() ? kInfinity<Narrow<W>> : static_cast<Narrow<W>>(found[0].first);
        expect(packed.lightest(v) == lightest, "a caliber");
        order.insert(order.end(), found.begin(), found.end());
        std::ranges::sort(given);
        std::ranges::sort(found);
        expect(given == found, "the edges of a list");
    }
    return order;
}

// The same in all ways there are, of which none may show.
template <class W>
static void check_ways(const Graph<W>& g) {
#if STEPPE_AVX512
    avx512_wanted() = false;
    const auto order = check(g, 1);
    avx512_wanted() = avx512_found();
    expect(check(g, 1) == order, "the order depends on the processor");
#endif
    expect(check(g, 1) == check(g, 2), "the order depends on the threads");
}

// Lists short, long, of about 32 and 64 edges (where short ones end), and one longer than a block; weight(random) gives
// the weights.
template <class W, class Weight>
static void check_shapes(Weight weight) {
    Random random(11);
    for (const auto& [n, m, hub] : {std::tuple{1, 0, 0},
                                    {40, 9, 0},
                                    {3000, 40'000, 0},
                                    {500, 16'000, 0},
                                    {300, 17'000, 0},
                                    {5000, 60'000, 30'000}}) {
        std::vector<Edge<W>> edges;
        for (int i = 0; i < m; ++i) {
            const auto u = i < hub ? n / 2 : random.below(n);
            edges.push_back({static_cast<int32_t>(u), static_cast<int32_t>(random.below(n)), weight(random)});
        }
        check_ways(Graph<W>{n, edges});
    }
}

int main() {
    const double kInfinite = std::numeric_limits<double>::infinity();
    check_shapes<int32_t>([](Random& r) { return static_cast<int32_t>(r.below(256)); });
    check_shapes<int32_t>([](Random& r) { return static_cast<int32_t>(r.below(1) + 7); });
    check_shapes<int32_t>([](Random& r) { return static_cast<int32_t>(r.below(1 << 30) * 2 + 1); });
    check_shapes<int32_t>([](Random& r) { return static_cast<int32_t>(r.below(50) ? r.below(10) : 1'000'000'000); });
    check_shapes<int64_t>([](Random& r) { return r.below(1 << 30) << r.below(33); });
    check_shapes<float>([](Random& r) { return static_cast<float>(r.below(1 << 30)) / (1 << 30); });
    check_shapes<double>([](Random& r) { return static_cast<double>(r.below(1 << 30)) / (1 << 30); });
    check_shapes<double>([](Random& r) { return 1 + static_cast<double>(r.below(1 << 30)) * 0x1p-49; });
    check_shapes<double>([](Random& r) { return r.below(2) ? 0.0 : -0.0; });
    check_shapes<double>([](Random& r) { return std::pow(10.0, static_cast<double>(r.below(600)) - 300); });
    check_shapes<double>([&](Random& r) { return r.below(9) ? r.below(5) / 4.0 : r.below(2) ? -0.0 : kInfinite; });
    check_shapes<float>(
        [&](Random& r) { return r.below(9) ? 0.0f : static_cast<float>(r.below(2) ? -0.0 : kInfinite); });
}

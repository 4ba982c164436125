// Hops of many sources by bits: rows of all vertices and of some, in wide and in narrow types, and their sums are what
// a naive search finds, with vectors and without, for groups of every width.
#include "matrix/hops.hpp"

#include <map>

#include "graphs.hpp"

using namespace core;

using Hops = std::vector<std::vector<int64_t>>;  // a row for each source

template <int kWords, class T>
static void check_rows(const Graph<int32_t>& g, const Graph<int32_t>& back, const std::vector<int64_t>& sources,
                       int64_t most, bool pull, const Hops& right) {
    Watch watch;
    const rows::Csr<int32_t, int32_t> out = g.csr(), in = back.csr();
    std::vector<int64_t> columns;
    for (int64_t v = 0; v < g.n; v += 3) columns.push_back(g.n - 1 - v);
    for (const bool all : {true, false}) {
        matrix::Hops<int32_t, kWords> hops(out, pull ? &in : nullptr, sources, most, 2, watch);
        const size_t width = all ? static_cast<size_t>(g.n) : columns.size();
        std::vector<T> found(sources.size() * width);
        const int64_t lost = hops.rows(columns, all, matrix::levels_to(found.data()));
        int64_t first = -1;
        for (size_t i = 0; i < sources.size(); ++i)
            for (size_t j = 0; j < width; ++j) {
                const int64_t d = right[i][all ? static_cast<int64_t>(j) : columns[j]];
                bool fits;
                const T x = matrix::stored_as<T>(d > most ? kUnreachable : d, fits);
                if (fits) expect(found[i * width + j] == x, "a row of hops");
                else if (first < 0) first = static_cast<int64_t>(i * width + j);
            }
        expect(lost == first, "the first entry that does not fit");
    }
}

template <int kWords>
static void check(const Graph<int32_t>& g) {
    Watch watch;
    Random random(7);
    const Graph<int32_t> back = g.reversed();
    Graph<int32_t> ones = g;
    for (auto& edge : ones.edges) edge.w = 1;
    std::map<int64_t, std::vector<int64_t>> known;
    const rows::Csr<int32_t, int32_t> out = g.csr(), in = back.csr();
    for (const int64_t count : {int64_t{5}, int64_t{64 * kWords}, int64_t{64 * kWords + 9}}) {
        std::vector<int64_t> sources;
        Hops right;
        for (int64_t i = 0; i < count; ++i) {
            sources.push_back(random.below(g.n));
            auto& row = known[sources.back()];
            if (row.empty()) row = *naive(ones, {static_cast<int32_t>(sources.back())});
            right.push_back(row);
        }
        for (const bool pull : {true, false}) {
            check_rows<kWords, int64_t>(g, back, sources, kUnreachable - 1, pull, right);
            check_rows<kWords, int8_t>(g, back, sources, 500, pull, right);
        }
        check_rows<kWords, uint16_t>(g, back, sources, 4, true, right);
        check_rows<kWords, float>(g, back, sources, 9, true, right);
        std::vector<matrix::HopSums> sums(sources.size());
        matrix::Hops<int32_t, kWords>(out, &in, sources, kUnreachable - 1, 2, watch).sums(sums.data());
        for (size_t i = 0; i < sources.size(); ++i) {
            matrix::HopSums told{0, 0, 0};
            for (const int64_t d : right[i])
                if (d != kUnreachable) told = {std::max(told.furthest, d), told.sum + d, told.count + 1};
            expect(told.furthest == sums[i].furthest && told.sum == sums[i].sum && told.count == sums[i].count, "sums");
        }
    }
}

int main() {
#if STEPPE_AVX512
    const bool vectors = search::avx512_wanted();
    for (const bool wanted : {false, vectors}) {
        search::avx512_wanted() = wanted;
#else
    {
#endif
        int64_t shape = 0;
        for_graphs<int32_t>([&](const Graph<int32_t>& g) {
            if (g.n > 1000 || ++shape % 3) return;
            check<1>(g);
            check<2>(g);
        });
        check<8>(random_graph<int32_t>(150, 600, 1, 2, 3));
        check<4>(random_graph<int32_t>(700, 1400, 1, 2, 4));
        check<1>(random_graph<int32_t>(9000, 50000, 1, 2, 5));  // enough for two threads
        std::vector<Edge<int32_t>> path;
        for (int32_t v = 1; v < 300; ++v) path.push_back({v - 1, v, 1});
        check<1>(Graph<int32_t>{300, path}.both_ways());
    }
}

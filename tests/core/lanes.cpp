// Rows for a cache line of sources at once, by rounds and by a contraction: every one is what a naive search finds,
// with vectors and without; and each of the two knows when to leave a row to others.
#include "matrix/lanes.hpp"

#include "graphs.hpp"
#include "matrix/sweep.hpp"

using namespace core;

// found: sources x columns.
template <class W>
static void compare(const Graph<W>& g, const std::vector<int64_t>& sources, const std::vector<int64_t>& columns,
                    int64_t cutoff, const std::vector<Length<W>>& found, const char* what) {
    for (size_t i = 0; i < sources.size(); ++i) {
        const auto right = *naive(g, {static_cast<int32_t>(sources[i])});
        for (size_t j = 0; j < columns.size(); ++j) {
            const auto d = right[columns[j]];
            const bool far = cutoff >= 0 && d > static_cast<Length<W>>(cutoff);
            expect(found[i * columns.size() + j] == (far ? kFar<W> : d), what);
        }
    }
}

template <class W>
static void check(const Graph<W>& g, matrix::Vectors vectors) {
    matrix::vectors_wanted() = vectors;
    Watch watch;
    Random random(5);
    const Graph<W> back = g.reversed();
    const int64_t count = std::min<int64_t>(g.n + 3, 21);
    std::vector<int64_t> sources, every, some;
    for (int64_t i = 0; i < count; ++i) sources.push_back(random.below(g.n));
    for (int64_t v = 0; v < g.n; ++v) every.push_back(v);
    for (int i = 0; i < 3; ++i) some.push_back(random.below(g.n));
    for (const int64_t cutoff : {int64_t{-1}, int64_t{9}}) {
        search::Question q{sources, {}, {}, 0, g.mean(), g.most(), 1};
        if (cutoff >= 0) q.bound = cutoff;
        if (cutoff >= 0 && !std::is_integral_v<W>) q.bound = static_cast<double>(cutoff);
        for (const auto* columns : {&every, &some}) {
            const std::optional<std::span<const int64_t>> chosen =
                columns == &every ? std::nullopt : std::optional<std::span<const int64_t>>(*columns);
            std::vector<Length<W>> found(sources.size() * columns->size());
            const auto left =
                matrix::Lanes<int32_t, W, Length<W>>(g.csr(), back.csr(), q, chosen, found.data(), watch).run();
            if (g.n != 300) expect(left.empty(), "a row is left where paths have few edges");
            if (left.empty()) compare(g, sources, *columns, cutoff, found, "a row by lanes");
            if constexpr (std::is_integral_v<W>) {
                matrix::Contracting<uint32_t> contracting(g.csr(), watch);
                expect(contracting.run(int64_t{1} << 40, watch), "a contraction");
                const matrix::Contraction<uint32_t> whole(contracting);
                matrix::sweep(whole, q, chosen, found.data(), watch);
                compare(g, sources, *columns, cutoff, found, "a row by a sweep");
            }
        }
    }
}

// A path and then some of the heaviest weights: whose sums no longer fit are left.
static void check_limits() {
    Watch watch;
    const int32_t half = 1 << 30;
    for (const int32_t last : {half - 3, half - 2, half - 1}) {
        const Graph<int32_t> g{4, {{0, 1, half}, {1, 2, last - 1}, {2, 3, 1}}};
        const Graph<int32_t> back = g.reversed();
        const std::vector<int64_t> sources{0};
        const search::Question q{sources, {}, {}, 0, g.mean(), g.most(), 1};
        std::vector<int64_t> found(4);
        const auto left =
            matrix::Lanes<int32_t, int32_t, int64_t>(g.csr(), back.csr(), q, {}, found.data(), watch).run();
        if (left.empty()) compare(g, sources, {0, 1, 2, 3}, -1, found, "a row of long ways");
        expect(matrix::longest_way(g.csr()) >= static_cast<double>(half) + last, "the longest way");
    }
    const Graph<int32_t> wide{3, {{0, 1, half}, {0, 2, 5}, {1, 2, half}}};
    expect(matrix::longest_way(wide.csr()) >= 2.0 * half, "the longest way by the heaviest edges");
}

int main() {
    for (const auto vectors : {matrix::Vectors::none, matrix::vectors_found()}) {
        for_graphs<int32_t>([&](const Graph<int32_t>& g) {
            if (g.n < 1000) check(g, vectors);
        });
        check(random_graph<float>(90, 400, 0, 50, 3), vectors);
        check(grid<int32_t>(11, 9, 4), vectors);
    }
    check_limits();
}

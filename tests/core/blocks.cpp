// The sweep over edges that stay in a file, in windows of every size.
#include "external/bins.hpp"
#include "external/sweep.hpp"
#include "graphs.hpp"

using namespace core;

template <bool kShared>
static void check(const Graph<int32_t>& g, uint32_t delta, int64_t limit) {
    const auto csr = g.csr();
    Watch watch;
    external::Budget budget{6, limit};
    const int threads = kShared ? 2 : 1;
    external::Window window(csr, false, threads, budget);
    search::Search<int32_t, uint32_t> s;
    s.sources = {0};
    s.threads = threads;
    s.watch = &watch;
    std::vector<uint32_t> found(g.n);
    std::vector<int32_t> pred(g.n);
    external::External<true, kShared, rows::Csr<int32_t, int32_t>, int32_t, uint32_t> sweep(
        csr, window, budget.shift, s, found.data(), pred.data());
    sweep.run(delta);
    const auto right = *naive(g, {0});
    for (int64_t v = 0; v < g.n; ++v)
        expect((found[v] == kInfinity<uint32_t> ? kUnreachable : int64_t{found[v]}) == right[v], "sweep");
    expect(is_tight(g, right, pred, {0}), "a predecessor of a sweep");
}

// bytes: of the bins. With one byte a thread has a single chunk, and a pass ends after it.
static void check_bins(const Graph<int32_t>& g, uint32_t delta, int threads, int64_t bytes, bool prepared = false) {
    const auto csr = g.csr();
    Watch watch;
    rows::Forms<int32_t> forms, of_reverse;
    const Graph<int32_t> reverse = g.reversed();
    const auto in = reverse.csr();
    if (prepared) forms.make_packed(csr, &in, &of_reverse, 1, watch);
    external::Budget budget{6, int64_t{1} << 40, bytes};
    external::Window window(csr, false, threads, budget);
    search::Search<int32_t, uint32_t> s;
    s.sources = {0};
    s.threads = threads;
    s.watch = &watch;
    s.delta = delta;
    std::vector<uint32_t> found(g.n);
    std::vector<int32_t> pred(g.n);
    external::bin<true>(rows::View<int32_t, int32_t>{csr, forms}, window, budget, s, found.data(), pred.data());
    const auto right = *naive(g, {0});
    for (int64_t v = 0; v < g.n; ++v)
        expect((found[v] == kInfinity<uint32_t> ? kUnreachable : int64_t{found[v]}) == right[v], "bins");
    expect(is_tight(g, right, pred, {0}), "a predecessor of bins");
}

int main() {
    for_graphs<int32_t>([](const Graph<int32_t>& g) {
        for (const uint32_t delta : {0u, 3u, 1000u})
            for (const int64_t limit : {int64_t{1} << 20, int64_t{4096}, int64_t{256}}) {
                check<false>(g, delta, limit);
                check<true>(g, delta, limit);
            }
        for (const uint32_t delta : {0u, 3u, 1000u})
            for (const int threads : {1, 2})
                for (const int64_t bytes : {int64_t{1}, int64_t{1} << 16, int64_t{8} << 20})
                    for (const bool prepared : {false, true}) check_bins(g, delta, threads, bytes, prepared);
    });
    // Passes that two threads share.
    const auto large = random_graph<int32_t>(20000, 400000, 1, 100, 7);
    for (const int64_t bytes : {int64_t{1}, int64_t{1} << 19, int64_t{8} << 20}) {
        check_bins(large, 50, 2, bytes);
        check_bins(large, 5, 2, bytes, true);
    }
}

// The sweep over edges that stay in a file, in windows of every size.
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

int main() {
    for_graphs<int32_t>([](const Graph<int32_t>& g) {
        for (const uint32_t delta : {0u, 3u, 1000u})
            for (const int64_t limit : {int64_t{1} << 20, int64_t{4096}, int64_t{256}}) {
                check<false>(g, delta, limit);
                check<true>(g, delta, limit);
            }
    });
}

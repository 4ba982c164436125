// The sweep over edges that stay in a file, in windows of every size.
#include "external/bins.hpp"
#include "external/sweep.hpp"
#include "graphs.hpp"

using namespace core;

// V: 64-bit vertices have a form of their own. record: predecessors are asked for.
template <class V>
static void check(const Graph<int32_t>& g, uint32_t delta, int64_t limit, int threads, bool record) {
    const std::vector<V> targets(g.targets.begin(), g.targets.end());
    const rows::Csr<V, int32_t> csr{g.n, g.offsets.data(), targets.data(), g.weights.data()};
    Watch watch;
    external::Budget budget{6, limit};
    external::Window window(csr, false, threads, budget);
    search::Search<V, uint32_t> s;
    s.sources = {0};
    s.threads = threads;
    s.watch = &watch;
    s.delta = delta;
    std::vector<uint32_t> found(g.n);
    std::vector<V> pred(g.n);
    external::sweep(csr, window, budget.shift, s, found.data(), record ? pred.data() : nullptr);
    const auto right = *naive(g, {0});
    for (int64_t v = 0; v < g.n; ++v)
        expect((found[v] == kInfinity<uint32_t> ? kUnreachable : int64_t{found[v]}) == right[v], "sweep");
    if (record) expect(is_tight(g, right, {pred.begin(), pred.end()}, {0}), "a predecessor of a sweep");
}

// The in-edges that a search may finish over: none, those of prepared rows, or plain ones.
enum class In { none, packed, plain };

// bytes: of the bins. With one byte a thread has a single chunk, and a pass ends after it. Returns what was noted.
static std::string check_bins(const Graph<int32_t>& g, uint32_t delta, int threads, int64_t bytes, In kind = In::none) {
    const auto csr = g.csr();
    Watch watch;
    rows::Forms<int32_t> forms, of_reverse;
    const Graph<int32_t> reverse = g.reversed();
    const auto in = reverse.csr();
    if (kind == In::packed) forms.make_packed(csr, &in, &of_reverse, 1, watch);
    const rows::View<int32_t, int32_t> plain{in, of_reverse};
    int32_t lightest = g.edges.empty() ? 0 : g.edges[0].w;
    for (const auto& e : g.edges) lightest = std::min(lightest, e.w);
    external::Budget budget{6, int64_t{1} << 40, bytes};
    external::Window window(csr, false, threads, budget);
    search::Search<int32_t, uint32_t> s;
    s.sources = {0};
    s.threads = threads;
    s.watch = &watch;
    s.delta = delta;
    std::vector<uint32_t> found(g.n);
    std::vector<int32_t> pred(g.n);
    const auto stats =
        external::bin<true>(rows::View<int32_t, int32_t>{csr, forms}, kind == In::plain ? &plain : nullptr, lightest,
                            window, budget, s, found.data(), pred.data());
    const auto right = *naive(g, {0});
    for (int64_t v = 0; v < g.n; ++v)
        expect((found[v] == kInfinity<uint32_t> ? kUnreachable : int64_t{found[v]}) == right[v], "bins");
    expect(is_tight(g, right, pred, {0}), "a predecessor of bins");
    return stats.note;
}

int main() {
    for_graphs<int32_t>([](const Graph<int32_t>& g) {
        for (const uint32_t delta : {0u, 3u, 1000u})
            for (const int64_t limit : {int64_t{1} << 20, int64_t{4096}, int64_t{256}}) {
                for (const int threads : {1, 2})
                    for (const bool record : {false, true}) {
                        check<int32_t>(g, delta, limit, threads, record);
                        check<int64_t>(g, delta, limit, threads, record);
                    }
            }
        for (const uint32_t delta : {0u, 3u, 1000u})
            for (const int threads : {1, 2})
                for (const int64_t bytes : {int64_t{1}, int64_t{1} << 16, int64_t{8} << 20})
                    for (const In in : {In::none, In::packed, In::plain}) check_bins(g, delta, threads, bytes, in);
    });
    // Passes that two threads share.
    const auto large = random_graph<int32_t>(20000, 400000, 1, 100, 7);
    for (const int64_t bytes : {int64_t{1}, int64_t{1} << 19, int64_t{8} << 20}) {
        check_bins(large, 50, 2, bytes);
        check_bins(large, 5, 2, bytes, In::packed);
        for (const int threads : {1, 2})
            expect(check_bins(large, 3, threads, bytes, In::plain) == "finished by pull",
                   "plain rows are not pulled over");
    }
    // A vertex that is reached by a heavy edge at first: then all its thousands of others are light.
    auto edges = random_graph<int32_t>(6000, 120000, 1, 100, 9).edges;
    std::erase_if(edges, [](const auto& e) { return e.v == 17; });
    edges.push_back({0, 17, 1000});
    for (int32_t v = 1; v < 6000; ++v) edges.push_back({v, 17, 500 + (v * 7919) % 90});
    const Graph<int32_t> star(6000, edges);
    for (const int threads : {1, 2})
        expect(check_bins(star, 2, threads, 8 << 20, In::plain) == "finished by pull", "a star is not pulled over");
}

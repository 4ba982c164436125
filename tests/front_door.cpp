// What the example of cpp/steppe.hpp does not show: directed graphs, all ways in, and what is refused.
#define main example
#include "../examples/cpp/main.cpp"
#undef main

#include <cstdlib>
#include <stdexcept>

namespace {

using Roads = steppe::Graph<int32_t>;

#define CHECK(condition)                                                      \
    if (!(condition)) {                                                       \
        std::fprintf(stderr, "line %d: %s is false\n", __LINE__, #condition); \
        std::exit(1);                                                         \
    }

template <class F>
void refused(const char* words, F f) {
    try {
        f();
    } catch (const std::invalid_argument& error) {
        if (std::string(error.what()).find(words) != std::string::npos) return;
        std::fprintf(stderr, "%s, not %s\n", error.what(), words);
        std::exit(1);
    }
    std::fprintf(stderr, "not refused: %s\n", words);
    std::exit(1);
}

void check_directed() {
    constexpr int64_t n = 3000, m = 9000;
    std::vector<int32_t> from, to, length;
    uint64_t state = 1;
    auto random = [&](uint64_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int32_t>((state >> 33) % below);
    };
    for (int64_t e = 0; e < m; ++e) from.push_back(random(n)), to.push_back(random(n)), length.push_back(random(100));
    Roads g = Roads::from_edges(n, from, to, length);
    CHECK(g.num_vertices() == n && g.num_edges() == m);
    const auto plain = g.sssp(0);
    const auto by_heap = g.sssp(0, {.method = steppe::search::Method::dijkstra});
    CHECK(plain.distances == by_heap.distances && plain.predecessors == by_heap.predecessors);
    const auto hops = g.bfs(0);
    g.prepare(2);
    const auto prepared = g.sssp(0, {.threads = 2});
    CHECK(plain.distances == prepared.distances && plain.predecessors == prepared.predecessors);
    const auto both_sides = g.bfs(0, {.threads = 2});
    CHECK(hops.distances == both_sides.distances && hops.predecessors == both_sides.predecessors);
    CHECK(g.distances({5, 0}, {.threads = 2}).size() == 2 * n);
    int64_t reached = 0, unreached = 0;
    for (int32_t v = 0; v < n; v += 7) {
        const Roads::Route route = g.route(0, v);
        if (steppe::reached(plain.distances[v])) {
            CHECK(route.distance == plain.distances[v] && route.edges.size() + 1 == route.vertices.size());
            CHECK(plain.to(v).front() == 0 && plain.to(v).back() == v);
            ++reached;
        } else {
            CHECK(route.outcome == steppe::route::Outcome::no_path && plain.to(v).empty());
            ++unreached;
        }
    }
    CHECK(reached > 100 && unreached > 10);

    const auto near = g.sssp(0, {.cutoff = int64_t{50}});
    const auto until = g.sssp(0, {.targets = {17}}), levels = g.sssp(0, {.targets = {17}, .threads = 2});
    CHECK(until.distances == levels.distances && until.distances[17] == plain.distances[17]);
    for (int64_t v = 0; v < n; ++v) {
        CHECK(near.distances[v] == (plain.distances[v] <= 50 ? plain.distances[v] : steppe::kUnreachable));
        if (plain.distances[v] <= plain.distances[17]) CHECK(until.distances[v] == plain.distances[v]);
    }
}

void check_rows() {
    const std::vector<int64_t> offsets = {0, 1, 3, 4};
    const std::vector<int32_t> targets = {1, 0, 2, 1}, lengths = {5, 5, 7, 7};
    const auto there = Roads::over(offsets, targets, lengths, false).sssp(0);
    CHECK((there.distances == std::vector<int64_t>{0, 5, 12} && there.to(2) == std::vector<int32_t>{0, 1, 2}));
    const auto steps = Roads::from_csr(offsets, targets).sssp({0, 2});
    CHECK((steps.distances == std::vector<int64_t>{0, 1, 0}));

    refused("no opposite", [&] { Roads::over(offsets, targets, std::vector<int32_t>{5, 6, 7, 7}, false); });
    refused("offsets", [&] { Roads::from_csr({0, 3, 1, 4}, targets); });
    refused("target out of range", [&] { Roads::from_csr({0, 1}, {1}); });
    refused("negative", [&] { Roads::from_csr({0, 1}, {0}, {-1}); });
    refused("as many weights", [&] { Roads::from_csr({0, 1}, {0}, {1, 2}); });
    refused("equally many", [&] { Roads::from_edges(2, targets, lengths, std::vector<int32_t>{1}); });
    refused("entry 2 has a vertex out of range",
            [&] { Roads::from_edges(3, std::vector{0, 1, 3}, std::vector{1, 2, 0}); });
    refused("vertex out of range", [&] { Roads::over(offsets, targets).sssp(3); });
    refused("vertex out of range", [&] { Roads::over(offsets, targets).bfs(-1); });
    refused("vertex out of range", [&] { Roads::over(offsets, targets).distances({3}); });
}

}  // namespace

int main() {
    example();
    check_directed();
    check_rows();
    std::printf("checked\n");
}

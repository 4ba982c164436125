// Shortest paths from C++: a town of 300 x 300 crossings, its streets of different lengths both ways.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "steppe.hpp"

int main() {
    constexpr int32_t kSide = 300;
    std::vector<int32_t> from, to, metres;
    auto street = [&](int32_t u, int32_t v) {
        from.push_back(u), to.push_back(v), metres.push_back(50 + (u * 7919LL + v) % 101);
    };
    for (int32_t y = 0; y < kSide; ++y)
        for (int32_t x = 0; x < kSide; ++x) {
            if (x + 1 < kSide) street(y * kSide + x, y * kSide + x + 1);
            if (y + 1 < kSide) street(y * kSide + x, (y + 1) * kSide + x);
        }

    auto town = steppe::Graph<int32_t>::from_edges(kSide * kSide, from, to, metres, /*directed=*/false);
    const auto paths = town.sssp(0, {.threads = 2});
    const int32_t far = kSide * kSide - 1;
    std::printf("farthest corner: %lld m over %zu streets\n", static_cast<long long>(paths.distances[far]),
                paths.to(far).size() - 1);

    town.prepare();  // worth it where many searches follow
    const std::vector<int64_t> schools = {0, 12'345, 67'890};
    const auto nearest = town.sssp(schools, {.predecessors = false});
    std::printf("to the nearest school, all crossings together: %lld m\n",
                std::accumulate(nearest.distances.begin(), nearest.distances.end(), 0LL));

    const auto table = town.distances(schools, {.targets = schools, .threads = 2});
    for (size_t i = 0; i < schools.size(); ++i) {
        for (size_t j = 0; j < schools.size(); ++j)
            std::printf("%8lld", static_cast<long long>(table[i * schools.size() + j]));
        std::printf("\n");
    }

    const auto hops = town.bfs(0);
    const auto route = town.route(17, 54'321);
    std::printf("%d hops; a route of %lld m with %zu streets\n", hops.distances[far],
                static_cast<long long>(route.distance), route.edges.size());
}

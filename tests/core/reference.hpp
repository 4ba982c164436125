// Delta-stepping as in the paper, in plain C++: what every scheme, number of threads and form of rows is compared with.
//
// A bucket has the vertices whose distance is within [i * delta, (i + 1) * delta). The lowest bucket is emptied again
// and again by relaxing light edges (at most delta), which may bring vertices back into it. Then the heavy edges of all
// that was in it are relaxed, once. Nothing here comes from cpp/search.
//
// Meyer & Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003).
#pragma once
#include <map>
#include <set>
#include <utility>

#include "graphs.hpp"

namespace core {

template <class W>
std::vector<int64_t> reference(const Graph<W>& g, const std::vector<int32_t>& sources, int64_t delta) {
    std::vector<int64_t> distance(g.n, kUnreachable);
    std::map<int64_t, std::set<int32_t>> buckets;
    auto relax = [&](int32_t v, int64_t candidate) {
        if (candidate >= distance[v]) return;
        if (distance[v] != kUnreachable) buckets[distance[v] / delta].erase(v);
        distance[v] = candidate;
        buckets[candidate / delta].insert(v);
    };
    auto relax_edges = [&](const std::set<int32_t>& vertices, bool light) {
        for (const int32_t u : vertices)
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e)
                if ((g.weights[e] <= delta) == light) relax(g.targets[e], distance[u] + g.weights[e]);
    };
    for (const int32_t s : sources) relax(s, 0);
    while (!buckets.empty()) {
        const int64_t lowest = buckets.begin()->first;
        std::set<int32_t> done;
        while (!buckets[lowest].empty()) {
            const std::set<int32_t> open = std::exchange(buckets[lowest], {});
            done.insert(open.begin(), open.end());
            relax_edges(open, true);
        }
        relax_edges(done, false);
        buckets.erase(lowest);
    }
    return distance;
}

}  // namespace core

// What the file of a part claims beyond what every file of rows does (rows/prove.hpp), checked before the first search:
// a pull is right only where rows are sorted by weight and every edge has its opposite, perhaps in another
// part. For the second each part adds up its arcs in the numbers of the whole graph; the sums of all parts together are
// 0 (rows/both_ways.hpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "rows/both_ways.hpp"
#include "rows/csr.hpp"

namespace steppe::partition {

struct PartFacts {
    int64_t unsorted = -1;  // the first own vertex whose row is not sorted by weight
    int64_t cut = 0;        // edges that lead to ghosts
    uint64_t sum = 0;       // of the arcs
};

// The rows are proven to be rows, and only own vertices have edges. first: the place of own vertex 0; ghosts: the
// places of the others.
template <class V, class W>
PartFacts facts_of(const rows::Csr<V, W>& g, int64_t own, int64_t first, const int64_t* ghosts, uint64_t seed,
                   int threads, Watch& watch) {
    constexpr int64_t kGrain = 1 << 14;
    const rows::ArcKey key(seed);
    std::vector<PartFacts> found((own + kGrain - 1) / kGrain);
    parallel_for(threads, own, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        PartFacts& facts = found[begin / kGrain];
        for (int64_t u = begin; u < end; ++u) {
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                const int64_t v = g.targets[e];
                const bool outside = v >= own;
                facts.cut += outside;
                facts.sum += rows::arc_number(first + u, outside ? ghosts[v - own] : first + v,
                                              g.weights ? g.weights + e : nullptr, key);
                if (g.weights && e > g.offsets[u] && g.weights[e] < g.weights[e - 1] && facts.unsorted < 0)
                    facts.unsorted = u;
            }
        }
    });
    PartFacts all;
    for (const PartFacts& facts : found) {
        if (all.unsorted < 0) all.unsorted = facts.unsorted;
        all.cut += facts.cut;
        all.sum += facts.sum;
    }
    return all;
}

}  // namespace steppe::partition

// Nearest: for every vertex the k nearest of many sources, each of which may have a head start (an offset).
//
// One search from all sources together, in which a vertex is settled up to k times, by k different sources. What waits
// is (distance, source, vertex), and the least comes first: a vertex takes an entry unless it has k, or one of that
// source. Entries of one distance come in order of their sources, and an edge of length 0 passes one on before the next
// source's turn, so ties go to the source that was given first, whatever the order of the edges. A source that is not
// among the k of a vertex goes no further there: behind it k others are as near or nearer. With integers those that
// were nearer stay so; floats may round the difference away, and the k others are still the answer.
#pragma once
#include <algorithm>
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"

namespace steppe::matrix {

// Writes k distances and numbers of sources for each vertex, rising; what is missing is kInfinity<D> and -1. Weights
// and offsets must not be negative. Nothing beyond `limit` is written; unless that is the caller's bound, returns
// whether a distance was lost because D cannot hold it.
template <class V, class W, class D>
bool nearest_sources(const rows::Csr<V, W>& g, std::span<const int64_t> sources, const D* offsets, int64_t k, D limit,
                     bool bounded, D* distances, int64_t* numbers, Watch& watch) {
    struct Entry {
        D distance;
        int64_t source;
        V vertex;
        bool operator>(const Entry& other) const {
            if (distance != other.distance) return distance > other.distance;
            return source > other.source;
        }
    };
    std::fill(distances, distances + g.n * k, kInfinity<D>);
    std::fill(numbers, numbers + g.n * k, int64_t{-1});
    std::vector<int64_t> count(static_cast<size_t>(g.n));
    auto has = [&](V v, int64_t source) {
        const int64_t* const mine = numbers + v * k;
        return std::find(mine, mine + count[v], source) != mine + count[v];
    };
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
    std::vector<Entry> lost;
    for (size_t i = 0; i < sources.size(); ++i) {
        const D start = offsets ? offsets[i] : D{0};
        if (start <= limit) waiting.push({start, static_cast<int64_t>(i), static_cast<V>(sources[i])});
    }
    int64_t steps = 0;
    while (!waiting.empty()) {
        const Entry entry = waiting.top();
        waiting.pop();
        if ((++steps & 4095) == 0 && watch.poll(steps)) break;
        const V u = entry.vertex;
        if (count[u] == k || has(u, entry.source)) continue;
        distances[u * k + count[u]] = entry.distance;
        numbers[u * k + count[u]++] = entry.source;
        for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
            const V v = g.targets[e];
            if (count[v] == k || has(v, entry.source)) continue;
            const Entry next{entry.distance + static_cast<D>(g.length(e)), entry.source, v};
            if (next.distance == kInfinity<D>) continue;  // a float that is no edge
            if (next.distance <= limit) waiting.push(next);
            else if (!bounded) lost.push_back(next);
        }
    }
    watch.check();
    return std::any_of(lost.begin(), lost.end(),
                       [&](const Entry& e) { return count[e.vertex] < k && !has(e.vertex, e.source); });
}

}  // namespace steppe::matrix

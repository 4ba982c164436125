// prove: checks that rows from outside (a file, or arrays that a caller lent) are valid rows, before a search runs over
// them.
//
// Searches trust what they read: an offset that falls or a target out of range would be read or written somewhere else
// in memory, a NaN would never come to rest. So before the first search everything is read once, front to back, all
// threads, at the speed of memory: offsets rise from 0 to the number of edges, targets are vertices, weights are
// numbers. Their range and mean come out of the same pass, to be compared with what was claimed.
//
// Whether both directions of every edge are there is answered by the same pass, too, without building the reverse
// (both_ways.hpp).
//
// Edges mapped from a file leave this process behind the pass.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/pages.hpp"
#include "base/parallel.hpp"
#include "rows/both_ways.hpp"
#include "rows/csr.hpp"

namespace steppe::rows {

enum class RowFault { none, offset, target, weight, one_way };

template <class W>
struct RowFacts {
    RowFault fault = RowFault::none;
    int64_t place = -1;  // of the first offset, target or weight at fault
    W smallest = 0, largest = 0;
    double mean = 0;
};

namespace detail {

template <class W>
struct WeightRange {
    W low = std::numeric_limits<W>::max(), high = std::numeric_limits<W>::lowest();
    double sum = 0;
    int64_t count = 0;
    bool bad = false;  // NaN or -inf
};

// Lanes, because a compiler may not reorder comparisons of floats by itself.
template <class W>
WeightRange<W> range_of(const W* weights, int64_t count) {
    constexpr int kLanes = 16;
    constexpr W kMost = std::numeric_limits<W>::max(), kLeast = std::numeric_limits<W>::lowest();
    W low[kLanes], high[kLanes];
    double sum[kLanes] = {};
    int32_t finite[kLanes] = {}, bad[kLanes] = {};
    std::fill(low, low + kLanes, kMost);
    std::fill(high, high + kLanes, kLeast);
    auto look = [&](W w, int lane) {
        if constexpr (std::is_floating_point_v<W>) {
            bad[lane] |= !(w >= kLeast);
            const bool counts = w <= kMost;  // +inf is no edge
            finite[lane] += counts;
            low[lane] = w < low[lane] ? w : low[lane];
            const W x = counts ? w : kLeast;
            high[lane] = x > high[lane] ? x : high[lane];
            sum[lane] += counts ? static_cast<double>(w) : 0.0;
        } else {
            low[lane] = w < low[lane] ? w : low[lane];
            high[lane] = w > high[lane] ? w : high[lane];
            sum[lane] += static_cast<double>(w);
        }
    };
    int64_t e = 0;
    for (; e + kLanes <= count; e += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) look(weights[e + lane], lane);
    for (; e < count; ++e) look(weights[e], 0);
    WeightRange<W> all;
    for (int lane = 0; lane < kLanes; ++lane) {
        all.low = std::min(all.low, low[lane]);
        all.high = std::max(all.high, high[lane]);
        all.sum += sum[lane];
        all.count += finite[lane];
        all.bad |= bad[lane] != 0;
    }
    if constexpr (!std::is_floating_point_v<W>) all.count = count;
    return all;
}

}  // namespace detail

// `undirected`: every edge must have its opposite. `m` is the length of targets and weights; offsets has n + 1 entries.
template <class V, class W>
RowFacts<W> prove_rows(const Csr<V, W>& g, int64_t m, bool undirected, uint64_t seed, bool mapped, int threads,
                       Watch& watch) {
    using U = std::make_unsigned_t<V>;
    constexpr int64_t kGrain = 1 << 18;
    RowFacts<W> facts;
    const ArcKey key(seed);
    const int64_t n = g.n;
    std::vector<int64_t> first((n + kGrain - 1) / kGrain, -1);
    parallel_for(threads, static_cast<int64_t>(first.size()), 1, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t p = begin; p < end; ++p) {
            const int64_t last = std::min(n, (p + 1) * kGrain);
            bool falls = false;
            for (int64_t u = p * kGrain; u < last; ++u) falls |= g.offsets[u + 1] < g.offsets[u];
            for (int64_t u = p * kGrain; falls && first[p] < 0 && u < last; ++u)
                if (g.offsets[u + 1] < g.offsets[u]) first[p] = u + 1;
        }
    });
    facts.fault = RowFault::offset;
    if (g.offsets[0] != 0) return facts.place = 0, facts;
    for (const int64_t u : first)
        if (u >= 0) return facts.place = u, facts;
    if (g.offsets[n] != m) return facts.place = n, facts;

    struct Part {
        detail::WeightRange<W> range;
        uint64_t sum = 0;
        int64_t target = -1, weight = -1;
    };
    std::vector<Part> parts((m + kGrain - 1) / kGrain);
    Pages targets(g.targets, m, sizeof(V), mapped, true), weights(g.weights, m, sizeof(W), mapped && g.weights, true);
    parallel_for(threads, static_cast<int64_t>(parts.size()), 1, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t p = begin; p < end; ++p) {
            Part& part = parts[p];
            const int64_t from = p * kGrain, to = std::min(m, from + kGrain);
            U high = 0;
            for (int64_t e = from; e < to; ++e) high = std::max(high, static_cast<U>(g.targets[e]));
            if (high >= static_cast<U>(n)) {
                for (int64_t e = from; part.target < 0 && e < to; ++e)
                    if (g.targets[e] < 0 || g.targets[e] >= n) part.target = e;
            }
            if (g.weights) {
                part.range = detail::range_of(g.weights + from, to - from);
                for (int64_t e = from; part.range.bad && part.weight < 0 && e < to; ++e)
                    if (!(g.weights[e] >= std::numeric_limits<W>::lowest())) part.weight = e;
            }
            if (undirected) {
                int64_t u = std::upper_bound(g.offsets, g.offsets + n + 1, from) - g.offsets - 1;
                for (int64_t e = from; e < to; ++u) {
                    const int64_t last = std::min(to, g.offsets[u + 1]);
                    for (; e < last; ++e)
                        part.sum += arc_number(u, g.targets[e], g.weights ? g.weights + e : nullptr, key);
                }
            }
            targets.pass(from, to);
            weights.pass(from, to);
        }
    });
    Part all;
    for (const Part& part : parts) {
        all.range.low = std::min(all.range.low, part.range.low);
        all.range.high = std::max(all.range.high, part.range.high);
        all.range.sum += part.range.sum;
        all.range.count += part.range.count;
        all.sum += part.sum;
        if (all.target < 0) all.target = part.target;
        if (all.weight < 0) all.weight = part.weight;
    }
    facts.fault = RowFault::target;
    if (all.target >= 0) return facts.place = all.target, facts;
    facts.fault = RowFault::weight;
    if (all.weight >= 0) return facts.place = all.weight, facts;
    facts.fault = all.sum ? RowFault::one_way : RowFault::none;
    if (all.range.count) {
        // The largest weights may add up to more than a double holds; any number in their range will do then.
        facts.smallest = all.range.low, facts.largest = all.range.high;
        facts.mean = std::isfinite(all.range.sum) ? all.range.sum / static_cast<double>(all.range.count)
                                                  : static_cast<double>(all.range.high);
    }
    return facts;
}

}  // namespace steppe::rows

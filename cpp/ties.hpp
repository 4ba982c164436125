// Ties: vertices with more than one tight in-edge, settled where they are few (predecessors.hpp, prepared_tree.hpp).
//
// Every tight edge must lead to a strictly larger distance. A tree in which each vertex has the smallest of its tails
// is then made canonical (fewest edges first, then the smallest tail) in the order of distances: both tails of a tie
// lie nearer than it and are final, so walking up from both to where they meet tells which has fewer edges above it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "atomics.hpp"

namespace steppe {

template <class V>
inline constexpr V kUnset = std::numeric_limits<V>::max();

// A tail of v larger than pred[v].
template <class V>
struct Tie {
    V u, v;
};

// More ties than this are left to a search.
inline int64_t most_ties(int64_t n) { return n / 16 + 64; }

// Notes the tight edge u -> v: pred[v] is the smallest tail so far, every other tail becomes a tie. On several threads
// any may write pred[v].
template <bool kShared, class V>
inline void take_tail(V u, V v, V* pred, std::vector<Tie<V>>& ties) {
    V old;
    if constexpr (kShared) old = MIN(pred + v, u);
    else old = pred[v], pred[v] = std::min(old, u);
    if (STEPPE_UNLIKELY(old != kUnset<V> && old != u)) ties.push_back({std::max(old, u), v});
}

// False when the walks become too long; a search then costs less.
template <class V, class D>
bool settle_ties(const std::vector<Tie<V>>& ties, const D* d, V* pred, int64_t n) {
    std::vector<std::tuple<D, V, V>> order;
    order.reserve(ties.size());
    for (const Tie<V>& tie : ties) order.emplace_back(d[tie.v], tie.v, tie.u);
    std::sort(order.begin(), order.end());
    int64_t steps = n + 1024;
    for (const auto& [distance, v, u] : order) {
        V a = pred[v], b = u;
        int64_t more = 0;  // hop(b's tail) - hop(a's tail)
        while (a != b && steps-- > 0) {
            const bool step_a = d[a] >= d[b];
            V& at = step_a ? a : b;
            if (pred[at] == kUnset<V>) break;  // both are sources: nothing is nearer
            at = pred[at];
            more += step_a ? -1 : 1;
        }
        if (steps <= 0) return false;
        if (more < 0 || (more == 0 && u < pred[v])) pred[v] = u;
    }
    return true;
}

}  // namespace steppe

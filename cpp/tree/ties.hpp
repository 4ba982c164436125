// Ties: vertices with more than one tight in-edge, settled where they are few (by_search.hpp, by_light_edges.hpp).
//
// Every tight edge leads to a larger distance, but for a few whose weights were lost in rounding. A tree in which each
// vertex has the smallest of its tails is then made canonical (fewest edges first, then the smallest tail) in the order
// of distances: both tails of a tie lie nearer than it and are final, so walking up from both to where they meet, or to
// a vertex whose height is known, tells which has fewer edges above it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/atomics.hpp"
#include "base/types.hpp"

namespace steppe::tree {

// No predecessor, which is also the largest of all where predecessors are compared without a sign.
template <class V>
inline constexpr V kUnset = -1;

// *p becomes the smaller of itself and u, in one step where threads share it; returns what it was.
template <bool kShared, class V>
inline V take_smaller(V* p, V u) {
    using Bits = std::make_unsigned_t<V>;
    if constexpr (kShared) return static_cast<V>(MIN(reinterpret_cast<Bits*>(p), static_cast<Bits>(u)));
    const V old = *p;
    *p = static_cast<V>(std::min(static_cast<Bits>(old), static_cast<Bits>(u)));
    return old;
}

// A tail of v larger than pred[v].
template <class V>
struct Tie {
    V u, v;
};

// More ties than this are left to a search.
inline int64_t most_ties(int64_t n) { return n / 16 + 64; }

// Notes the tight edge u -> v: pred[v] is the smallest tail so far, every other tail becomes a tie. An edge whose
// weight was lost in rounding is set aside as one, too. On several threads any may write pred[v].
template <bool kShared, class V, class D>
inline void take_tail(V u, V v, const D* d, V* pred, std::vector<Tie<V>>& ties) {
    if constexpr (std::is_floating_point_v<D>) {
        if (STEPPE_UNLIKELY(d[u] == d[v])) {
            if (u != v) ties.push_back({u, v});
            return;
        }
    }
    const V old = take_smaller<kShared>(pred + v, u);
    if (STEPPE_UNLIKELY(old != kUnset<V> && old != u)) ties.push_back({std::max(old, u), v});
}

// Edges above each vertex that a walk has passed, in a byte: trees of small-world graphs are flat, and their walks lead
// nearly to the source, over the same few vertices.
template <class V>
class Heights {
  public:
    Heights(uint8_t* of, int64_t n, const V* pred) : of_(of), pred_(pred) { std::fill(of, of + n, kUnknown); }

    // That of v, or -1 where it does not fit.
    int find(V v) {
        int above = 0;
        V top = v;
        for (; of_[top] == kUnknown; top = pred_[top]) {
            if (pred_[top] == kUnset<V>) {
                of_[top] = 0;
                break;
            }
            if (++above >= kUnknown) return -1;
        }
        int height = above + of_[top];
        if (height >= kUnknown) return -1;
        const int found = height;
        for (; v != top; v = pred_[v]) of_[v] = static_cast<uint8_t>(height--);
        return found;
    }

  private:
    static constexpr uint8_t kUnknown = 255;
    uint8_t* const of_;
    const V* const pred_;
};

// Edges above b minus edges above a, both walked up to where they meet; `steps` is what is left to walk.
template <class V, class D>
int64_t compare_heights(V a, V b, const D* d, const V* pred, int64_t& steps) {
    int64_t more = 0;
    while (a != b && steps-- > 0) {
        const bool step_a = d[a] >= d[b];
        V& at = step_a ? a : b;
        if (pred[at] == kUnset<V>) break;  // both are sources: nothing is nearer
        at = pred[at];
        more += step_a ? -1 : 1;
    }
    return more;
}

// Tight edges within one distance: their weights were lost in rounding. Each may give its head fewer edges above it, or
// the only ones there are; round after round, until none does.
template <class V, class D>
void settle_level(const Tie<V>* begin, const Tie<V>* end, const D* d, V* pred, int64_t& steps) {
    for (bool again = true; again && steps > 0;) {
        again = false;
        for (const Tie<V>* tie = begin; tie != end; ++tie) {
            const auto [u, v] = *tie;
            if (pred[u] == kUnset<V> || u == pred[v]) continue;
            const int64_t more = pred[v] == kUnset<V> ? -1 : compare_heights(pred[v], u, d, pred, steps);
            if (more < 0 || (more == 0 && u < pred[v])) pred[v] = u, again = true;
        }
    }
}

// False when the walks become too long; a search then costs less. room: n bytes. A tie whose ends are equally far is an
// edge that pred does not know of (settle_level).
template <class V, class D>
bool settle_ties(const std::vector<Tie<V>>& ties, const D* d, V* pred, int64_t n, uint8_t* room) {
    std::vector<std::pair<D, uint32_t>> order;
    order.reserve(ties.size());
    std::vector<Tie<V>> level;
    for (const Tie<V>& tie : ties) {
        if (d[tie.u] == d[tie.v]) level.push_back(tie);
        else order.emplace_back(d[tie.v], static_cast<uint32_t>(&tie - ties.data()));
    }
    std::sort(order.begin(), order.end());
    std::sort(level.begin(), level.end(), [&](const Tie<V>& a, const Tie<V>& b) { return d[a.v] < d[b.v]; });
    Heights<V> heights(room, n, pred);
    bool flat = true;
    int64_t steps = n + 1024;
    size_t next = 0;  // of `level`
    auto settle_below = [&](D distance) {
        while (next < level.size() && d[level[next].v] < distance) {
            const size_t begin = next;
            while (next < level.size() && d[level[next].v] == d[level[begin].v]) ++next;
            settle_level(level.data() + begin, level.data() + next, d, pred, steps);
        }
    };
    for (const auto& [distance, index] : order) {
        settle_below(distance);
        const auto [u, v] = ties[index];
        int64_t more = 0;
        if (flat) {
            const int above = heights.find(pred[v]), other = heights.find(u);
            flat = above >= 0 && other >= 0;
            more = other - above;
        }
        if (!flat) more = compare_heights(pred[v], u, d, pred, steps);
        if (steps <= 0) return false;
        if (more < 0 || (more == 0 && u < pred[v])) pred[v] = u;
    }
    settle_below(kInfinity<D>);
    return steps > 0;
}

}  // namespace steppe::tree

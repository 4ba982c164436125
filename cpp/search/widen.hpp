// Widen: integer distances are searched in a narrow type, and again in the wide one where a sum outgrew it.
//
// int32 weights nearly always have distances that fit in 32 bits, and a search over half the bytes is much faster. So
// the first attempt is made in Narrow<W>. Three cases, told apart here alone:
//
//   a bound that fits the type   a sum beyond the bound is no candidate, whatever its size; it cannot have wrapped (a
//                                distance and a weight are each at most half the range). The search is complete.
//   no such bound, narrow        a sum beyond kLargest may be a distance: the search may stop at once, because nothing
//                                it has found is used. It is done again in Wide<W>.
//   no such bound, wide          the sum is passed over. In the end a vertex that was reached by no other way has a
//                                distance that does not fit, and the answer is an overflow. With every target
//                                reached, what lies beyond them was not asked for.
//
// Floats have one type and a sum beyond it is infinite, which is "not reached".
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
#include "base/watch.hpp"

namespace steppe::search {

// How far a search goes, and which sums have outgrown its type.
template <class D>
class Reach {
  public:
    Reach() = default;  // as far as the type
    template <class C>
    explicit Reach(C cutoff) {  // inclusive, not negative
        if constexpr (std::is_integral_v<D>) {
            if (static_cast<uint64_t>(cutoff) > kLargest<D>) return;
            most_ = kInfinity<D>;
        }
        limit_ = static_cast<D>(cutoff);
    }
    D limit() const { return limit_; }
    // Whether a distance may be stored. If not, ors into `outgrown` whether it is too large for the type.
    bool admits(D candidate, bool& outgrown) const {
        if (STEPPE_LIKELY(candidate <= limit_)) return true;
        outgrown |= candidate > most_;
        return false;
    }

  private:
    D limit_ = kLargest<D>;
    D most_ = kLargest<D>;  // sums above it do not fit; none is where a bound makes them no candidates
};

// Whether a search in D that saw a sum outgrow its type may stop: it will be done again in the wide one.
template <class D>
constexpr bool is_in_vain(bool outgrown) {
    return std::is_same_v<D, uint32_t> && outgrown;
}

// Signed sums, of searches whose weights may be negative: they have one type, and leave it at either end.
struct Outgrown {
    bool above = false, below = false;  // a sum was too large, or too small, for the type

    // d + w, or kInfinity where there is no edge (floats), or no room.
    template <class D, class W>
    D add(D d, W w) {
        if constexpr (std::is_floating_point_v<W>) {
            return d + w;
        } else {
            if (w >= 0 && d > kInfinity<D> - 1 - w) return above = true, kInfinity<D>;
            if (w < 0 && d < std::numeric_limits<D>::min() - w) return below = true, kInfinity<D>;
            return d + w;
        }
    }
};

// Vertices that edges lead to, on some path, from those that were reached.
template <class Rows, class D>
std::vector<bool> within_edges(const Rows& g, const D* dist, Watch& watch) {
    std::vector<bool> seen(static_cast<size_t>(g.n));
    std::vector<int64_t> stack;
    for (int64_t u = 0; u < g.n; ++u)
        if (dist[u] != kInfinity<D>) seen[u] = true, stack.push_back(u);
    while (!stack.empty()) {
        const int64_t u = stack.back();
        stack.pop_back();
        if ((u & kPollMask) == kPollMask && watch.poll()) break;
        for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e)
            if (!seen[g.targets[e]]) seen[g.targets[e]] = true, stack.push_back(g.targets[e]);
    }
    return seen;
}

// Whether a search in D that saw a sum outgrow its type (and then, if D is the narrow type, may have stopped) has no
// answer. `targets`: empty, or where the search could stop; kOnly: nothing else was asked for, even if one of them is
// out of reach. After a stop the answer has no meaning.
template <bool kLast, bool kOnly = false, class Rows, class V, class D>
bool is_lost(const Rows& g, const std::vector<V>& targets, const D* dist, Watch& watch) {
    if constexpr (!kLast) return true;
    auto reached = [dist](auto v) { return dist[v] != kInfinity<D>; };
    if (!targets.empty() && std::all_of(targets.begin(), targets.end(), reached)) return false;
    if (kOnly && !targets.empty()) {
        const std::vector<bool> seen = within_edges(g, dist, watch);
        return std::any_of(targets.begin(), targets.end(), [&](V v) { return seen[v] && !reached(v); });
    }
    for (int64_t u = 0; u < g.n; ++u) {
        if ((u & kPollMask) == kPollMask && watch.poll()) break;
        if (reached(u))
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e)
                if (!reached(g.targets[e])) return true;
    }
    return false;
}

// attempt.template operator()<D, kLast>() searches in D and says whether there is an answer; kLast: no wider type will
// be tried. `wide` is where to begin, and is set where the narrow type was too small. 64-bit vertices have one form.
template <class V, class W, class Attempt>
bool widen(bool& wide, Attempt attempt) {
    if constexpr (sizeof(V) == 4 && !std::is_same_v<Narrow<W>, Wide<W>>) {
        if (!wide && attempt.template operator()<Narrow<W>, false>()) return true;
        wide = true;
    }
    return attempt.template operator()<Wide<W>, true>();
}

}  // namespace steppe::search

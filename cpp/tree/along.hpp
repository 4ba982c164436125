// Along: what an attribute of the edges adds up to on the way from the source to every vertex.
//
// From a vertex the tree is followed back to one whose sum is known, and the sums are filled in on the way down again:
// every edge of the tree is added once, from the source on, so floats round the same way each time. Integers are exact;
// a sum beyond 64 bits is told, not wrapped.
#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
#include "base/watch.hpp"

namespace steppe::tree {

// The type of sums of attributes A: int64_t or double.
template <class A>
using Sum = std::conditional_t<std::is_integral_v<A>, int64_t, double>;

// sum + a; false where that is no int64_t (its largest value means "no path").
template <class S, class A>
STEPPE_INLINE bool add_to(S& sum, A a) {
    if constexpr (std::is_integral_v<S>) {
        constexpr S kMost = std::numeric_limits<S>::max() - 1, kLeast = std::numeric_limits<S>::min();
        if (a > 0 ? sum > kMost - a : sum < kLeast - a) return false;
    }
    sum += static_cast<S>(a);
    return true;
}

// Sums that are filled in from the roots on. cost(v): the attribute of the edge pred[v] -> v.
template <class V, class S>
class SumsAlong {
  public:
    SumsAlong(const V* pred, int64_t n, S* sums) : pred_(pred), n_(n), sums_(sums), known_(n, false) {}

    // Makes sums[v] known, and those of all vertices before it. False: some sum does not fit, or the predecessors lead
    // nowhere; at() is where.
    template <class Cost>
    bool reach(int64_t v, Cost cost) {
        stack_.clear();
        for (; !known_[v]; v = pred_[v]) {
            at_ = v;
            if (pred_[v] < 0) {
                sums_[v] = 0;
                known_[v] = true;
                break;
            }
            if (pred_[v] >= n_ || static_cast<int64_t>(stack_.size()) == n_) return false;
            stack_.push_back(v);
        }
        S sum = sums_[v];
        for (; !stack_.empty(); stack_.pop_back()) {
            at_ = stack_.back();
            if (!add_to(sum, cost(at_))) return false;
            sums_[at_] = sum;
            known_[at_] = true;
        }
        return true;
    }
    int64_t at() const { return at_; }

  private:
    const V* const pred_;
    const int64_t n_;
    S* const sums_;
    std::vector<bool> known_;
    std::vector<int64_t> stack_;
    int64_t at_ = -1;
};

// sums[v] for every vertex that has d[v] != unreached, `none` for the others. edges: tree_edges(); ids: the number of
// the attribute that belongs to an edge, null where it is that of the edge. Returns the first vertex whose sum cannot
// be told, or -1.
template <class V, class A, class D, class Id>
int64_t sums_along(const V* pred, const int64_t* edges, const D* d, D unreached, int64_t n, const A* attribute,
                   const Id* ids, Sum<A>* sums, Sum<A> none, Watch& watch) {
    SumsAlong<V, Sum<A>> tree(pred, n, sums);
    auto cost = [&](int64_t v) { return attribute[ids ? static_cast<int64_t>(ids[edges[v]]) : edges[v]]; };
    for (int64_t v = 0; v < n; ++v) {
        if (d[v] == unreached) sums[v] = none;
        else if (!tree.reach(v, cost)) return tree.at();
        if ((v & kPollMask) == kPollMask && watch.poll()) break;
    }
    watch.check();
    return -1;
}

}  // namespace steppe::tree

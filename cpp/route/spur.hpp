// Spur: the shortest way on from a vertex of a known path, where the path's beginning and some first steps are closed.
//
// Yen's method (1971) needs this for every vertex of every path it has found. Each search is A*, guided by the
// distances to the target in the whole graph: closing vertices only makes ways longer, so those stay lower bounds, and
// where they are nearly right, as they mostly are, a search settles little more than the path it returns.
//
// The decision nobody would guess: lengths go on from the beginning's length instead of starting at 0, so that a float
// path has the sum that adding up its weights from the source gives. Sums in that order may come out below the ones
// the bounds were added up in, by a few roundings. So bounds of floats are lowered by more than all roundings of a path
// can make, and a vertex that is reached on a better way again is settled again.
//
// A way whose length does not fit the type is given up: a float way is then infinite, hence none, but an integer one
// exists. Whether the ways given up lead to the target at all, and do not end in a loop, for example, is decided only
// where no other way was found, by a search without lengths.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "search/heap.hpp"

namespace steppe::route {

template <class V, class D>
struct SpurPath {
    bool found = false;
    bool overflow = false;  // there is a way, but its length does not fit
    D length = 0;
    std::vector<V> vertices;     // after the spur vertex
    std::vector<int64_t> edges;  // one for each of them
    std::vector<D> lengths;      // and the length up to each
};

template <class V, class W>
class Spur {
  public:
    using D = Distance<W>;

    // to_target: the distance of every vertex to the target, kInfinity<D> where there is none, or, if `may_be_long`,
    // one that does not fit.
    Spur(const rows::Csr<V, W>& g, const D* to_target, V target, bool may_be_long)
        : g_(g),
          may_be_long_(may_be_long),
          to_target_(to_target),
          target_(target),
          length_(static_cast<size_t>(g.n)),
          from_(static_cast<size_t>(g.n)),
          edge_(static_cast<size_t>(g.n)),
          met_(static_cast<size_t>(g.n), 0),
          closed_(static_cast<size_t>(g.n), 0) {
        if constexpr (std::is_floating_point_v<D>)
            factor_ = std::max<D>(0, 1 - 4 * static_cast<D>(g.n) * std::numeric_limits<D>::epsilon());
    }

    // beginning: vertices that are closed; steps: vertices that must not follow the spur; length: up to the spur.
    SpurPath<V, D> find(V spur, D length, const V* beginning, int64_t count, const V* steps, int64_t step_count,
                        Watch& watch) {
        SpurPath<V, D> result;
        ++round_;
        if (round_ == 0) {  // the count has wrapped: all marks are invalid
            met_.assign(met_.size(), 0), closed_.assign(closed_.size(), 0);
            round_ = 1;
        }
        for (int64_t i = 0; i < count; ++i) closed_[at(beginning[i])] = round_;
        heap_.clear();
        if (target_ == spur) return result;
        if (to_target_[spur] == kInfinity<D>) {
            result.overflow = may_be_long_ && leads_there(spur, steps, step_count, watch);
            return result;
        }
        meet(spur, length, -1, -1);
        int64_t looked = 0;
        bool given_up = false;
        while (!heap_.empty()) {
            const auto [key, u] = heap_.pop();
            if (met_[at(target_)] == round_ && key >= length_[at(target_)]) break;
            if (key > key_of(u)) continue;  // reached on a better way since
            const D so_far = length_[at(u)];
            for (int64_t e = g_.first(u); e < g_.last(u); ++e) {
                if ((++looked & kPollMask) == 0 && watch.poll(looked)) watch.check();
                const V v = g_.target(e);
                if (closed_[at(v)] == round_) continue;
                if (to_target_[v] == kInfinity<D>) {
                    given_up |= may_be_long_;
                    continue;
                }
                if (u == spur && is_among(v, steps, step_count)) continue;
                const W w = g_.length(e);
                if constexpr (!std::is_floating_point_v<D>) {
                    if (w > kInfinity<D> - 1 - so_far) {
                        given_up = true;
                        continue;
                    }
                }
                const D there = so_far + w;
                if constexpr (std::is_floating_point_v<D>) {
                    if (there == kInfinity<D>) continue;  // no edge, or a way that is none
                }
                if (met_[at(v)] != round_ || there < length_[at(v)]) meet(v, there, u, e);
            }
        }
        if (met_[at(target_)] != round_) {
            result.overflow = given_up && leads_there(spur, steps, step_count, watch);
            return result;
        }
        result.found = true;
        result.length = length_[at(target_)];
        for (V v = target_; v != spur; v = from_[at(v)]) {
            result.vertices.push_back(v);
            result.edges.push_back(edge_[at(v)]);
            result.lengths.push_back(length_[at(v)]);
        }
        return result;
    }

  private:
    static size_t at(V v) { return static_cast<size_t>(v); }
    static bool is_among(V v, const V* some, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
            if (some[i] == v) return true;
        return false;
    }
    // Whether any way leads to the target, however long. Uses the marks of find(), which no longer needs them.
    bool leads_there(V spur, const V* steps, int64_t step_count, Watch& watch) {
        int64_t looked = 0;
        closed_[at(spur)] = round_;
        std::vector<V> stack{spur};
        while (!stack.empty()) {
            const V u = stack.back();
            stack.pop_back();
            for (int64_t e = g_.first(u); e < g_.last(u); ++e) {
                if ((++looked & kPollMask) == 0 && watch.poll(looked)) watch.check();
                const V v = g_.target(e);
                if (closed_[at(v)] == round_ || (u == spur && is_among(v, steps, step_count))) continue;
                if (v == target_) return true;
                closed_[at(v)] = round_;
                stack.push_back(v);
            }
        }
        return false;
    }
    D key_of(V v) const {
        if constexpr (std::is_floating_point_v<D>) return length_[at(v)] + to_target_[v] * factor_;
        else return length_[at(v)] > kInfinity<D> - to_target_[v] ? kInfinity<D> : length_[at(v)] + to_target_[v];
    }
    void meet(V v, D length, V from, int64_t edge) {
        met_[at(v)] = round_;
        length_[at(v)] = length;
        from_[at(v)] = from;
        edge_[at(v)] = edge;
        heap_.push(key_of(v), v);
    }

    const rows::Csr<V, W> g_;
    const bool may_be_long_;
    const D* const to_target_;
    const V target_;
    D factor_ = 1;
    std::vector<D> length_;
    std::vector<V> from_;
    std::vector<int64_t> edge_;
    std::vector<uint32_t> met_, closed_;  // the round in which a vertex was
    uint32_t round_ = 0;
    search::Heap<D, V> heap_;
};

}  // namespace steppe::route

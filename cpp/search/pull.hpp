// Pull: the finish of a bucket search from the other side.
//
// When most of a small-diameter graph is settled, the unsettled vertices' in-edges are far fewer than the edges still
// to be pushed, and lists sorted by weight make nearly all of those irrelevant: let every distance below `low` be final
// and relaxed. A better way to v can only come over an unsettled u, which lies at low or beyond, so v reads its
// in-edges in order of weight and stops at low + w >= d(v). A vertex with d(v) <= low + caliber(v) need not read any.
// One pass finds nearly everything; whatever improved in it is then pushed as usual (a second pass is made only where
// that reads less). Every thread owns the vertices it writes.
//
// Chakaravarthy et al., "Scalable single source shortest path algorithms for massively parallel systems", IPDPS 2014,
// has push and pull per bucket; the finish here is its limit on one machine, and the SSSP twin of direction-optimising
// BFS.
#pragma once
#include <vector>

#include "search/search.hpp"

namespace steppe::search {

// The type of the in-edges where there are none.
struct NoEdges {};

// Whether a vertex at distance d could still be improved from low or beyond. Sums are rounded as a relaxation rounds
// them.
template <class D, class Key>
inline bool may_fall(D d, D low, Key lightest) {
    if constexpr (std::is_integral_v<D>) return d > low && d - low > static_cast<D>(lightest);  // the sum might wrap
    else return low + lightest < d;
}

// How many edges are relaxed between two tests whether to pull. One bucket of a graph with hubs can have a fifth of
// all edges: asked often, it need not be pushed. (R-MAT of scale 20, two threads of a Xeon, November
// 2026: every 24th of the edges 24 ms, every 96th 19.)
template <class Rows>
int64_t pull_look(const Rows& g) {
    return std::max<int64_t>(1 << 14, g.edges() / 96);
}

// Whether finishing by pull would now read far less than the edges still to be pushed, from a sample of vertices: their
// in-edges stand for their out-edges. (Counting what was relaxed would not do: some was relaxed more than once.) It may
// cost an eighth of the `look` edges that are relaxed between two such tests.
// knows(v): whether the distance of v is known here.
template <class In, class T, class D, class Knows>
bool pull_pays(const In& in, const T& tentative, D low, int64_t look, Knows knows) {
    const int64_t samples = std::clamp<int64_t>(look / 8 * in.n / std::max<int64_t>(1, in.edges()), 64, 2048);
    const int64_t step = std::max<int64_t>(1, in.n / samples);
    int64_t pull = 0, push = 0;
    for (int64_t i = 0; i < in.n; i += step) {
        const auto v = static_cast<decltype(in.target(0))>(i);
        if (!knows(v)) continue;
        const D d = tentative.load(v);
        if (d < low) continue;
        push += in.degree(v);
        if (!may_fall(d, low, in.lightest(v))) continue;
        const int64_t first = in.first(v), last = in.last(v);
        int64_t e = first;
        while (e < last && e - first < 256 && low + static_cast<D>(in.weight(e)) < d) ++e;
        pull += 10 + (e - first);  // finding a vertex costs about as much as ten edges
    }
    return pull * 2 < push;
}

// The vertices that may still fall, in parts that threads take one by one; a part keeps its own in its own place.
template <class In, class T, class V, class D>
class Pull {
  public:
    Pull(const In& in, T& tentative, const Reach<D>& reach, int threads)
        : in_(in),
          tentative_(tentative),
          reach_(reach),
          threads_(threads),
          active_(in.n),
          parts_((in.n + kGrain - 1) / kGrain) {
        for (size_t p = 0; p < parts_.size(); ++p)
            parts_[p].count = std::min(kGrain, in.n - static_cast<int64_t>(p) * kGrain);
    }

    // One pass: lowers what can be lowered from `low` or beyond, returns the smallest new distance, and in `changed`
    // the vertices that have fallen. `out`: the out-edges, to count those that would have to be pushed.
    template <class Out>
    D pass(const Out& out, D low, std::vector<V>& changed, Stats& stats) {
        parallel_for(threads_, static_cast<int64_t>(parts_.size()), 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t p = begin; p < end; ++p) pass_part(p, out, low);
        });
        first_ = false;
        changed.clear();
        active = push = 0;
        D least = kInfinity<D>;
        for (const Part& part : parts_) {
            changed.insert(changed.end(), part.changed.begin(), part.changed.end());
            least = std::min(least, part.least);
            active += part.count;
            push += part.push;
            stats.edges_touched += part.touched;
            stats.outgrown |= part.outgrown;
        }
        return least;
    }
    int64_t active = 0, push = 0;  // vertices of the last pass; what pushing the changed ones would cost

  private:
    static constexpr int64_t kGrain = 1 << 14;
    struct alignas(64) Part {
        int64_t count = 0, touched = 0, push = 0;
        std::vector<V> changed;
        D least = kInfinity<D>;
        bool outgrown = false;
    };

    template <class Out>
    void pass_part(int64_t p, const Out& out, D low) {
        Part part;
        V* const list = active_.data() + p * kGrain;
        int64_t count = 0;
        for (int64_t i = 0; i < parts_[p].count; ++i) {
            const V v = first_ ? static_cast<V>(p * kGrain + i) : list[i];
            list[count] = v;
            count += may_fall(tentative_.load(v), low, in_.lightest(v));
        }
        for (int64_t i = 0; i < count; ++i) {
            if (i + 24 < count) in_.prefetch_row(list[i + 24]);
            if (i + 14 < count) in_.prefetch_lightest(in_.first(list[i + 14]));
            if (i + 6 < count) {
                const int64_t e = in_.first(list[i + 6]);
                if (e < in_.last(list[i + 6])) STEPPE_PREFETCH(tentative_.address(in_.target(e)));
            }
            const V v = list[i];
            const D before = tentative_.load(v);
            D best = before;
            V from{-1};
            const int64_t first = in_.first(v), last = in_.last(v);
            int64_t e = first;
            for (; e < last; ++e) {
                const D w = static_cast<D>(in_.weight(e));
                if (low + w >= best) break;
                const V u = in_.target(e);
                const D du = tentative_.load(u);
                if (du == kInfinity<D>) continue;  // integers would wrap
                if (du + w < best) best = du + w, from = u;
            }
            part.touched += e - first;
            if (best < before && reach_.admits(best, part.outgrown)) {
                tentative_.set(v, best, from);  // each vertex has one thread
                part.changed.push_back(v);
                part.push += 10 + out.degree(v);
                part.least = std::min(part.least, best);
            }
        }
        part.count = count;
        parts_[p] = std::move(part);
    }

    const In& in_;
    T& tentative_;
    const Reach<D> reach_;
    const int threads_;
    Buffer<V> active_;
    std::vector<Part> parts_;
    bool first_ = true;
};

// Pulls until pushing the changed vertices is cheaper than another pass; those are left in `changed`.
template <class In, class Out, class T, class V, class D>
void pull(const In& in, const Out& out, T& tentative, D low, const Reach<D>& reach, std::vector<V>& changed,
          int threads, Stats& stats) {
    Pull<In, T, V, D> all(in, tentative, reach, threads);
    do low = all.pass(out, low, changed, stats);
    while (all.push >= 10 * all.active && !changed.empty());
}

}  // namespace steppe::search

// What every single-source search is asked and what it tells: Search, Stats, and the common beginning and end.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "search/widen.hpp"

namespace steppe::search {

// One question: distances from the nearest of `sources`, within `reach`, perhaps only as far as all `targets`.
template <class V, class D>
struct Search {
    std::vector<V> sources;
    std::vector<V> targets;  // empty: no early stop
    Reach<D> reach;
    double delta = 0;  // 0: chosen from the graph
    double mean_weight = 1, max_weight = 1;
    int threads = 1;
    Watch* watch = nullptr;
};

struct Stats {
    int64_t rounds = 0;         // buckets, levels or rounds
    int64_t edges_relaxed = 0;  // edges along which an improvement was tried
    int64_t edges_touched = 0;  // edges read
    int64_t atomics = 0;        // compare-and-swap operations issued
    int threads = 1;            // really used
    double delta = 0;
    bool stuck = false;     // the search gave up: it relaxed the same edges again and again
    bool outgrown = false;  // a sum passed the type, see widen.hpp: in 32 bits the search has stopped
    const char* note = "";  // what the method decided while running
};

// Targets not yet settled. `settled(d)` tells whether a vertex at distance d is final; checked from the back, so the
// cost over a whole search is O(targets + steps). T: where distances are read, by load(v).
template <class V, class T>
class Pending {
  public:
    Pending(const std::vector<V>& targets, const T& distances) : targets_(targets), distances_(distances) {
        active_ = !targets_.empty();
    }
    template <class Settled>
    bool all_settled(Settled settled) {
        if (!active_) return false;
        while (!targets_.empty() && settled(distances_.load(targets_.back()))) targets_.pop_back();
        return targets_.empty();
    }

  private:
    std::vector<V> targets_;
    const T& distances_;
    bool active_;
};

template <class V, class D>
void start(const Search<V, D>& search, int64_t n, D* distances, V* predecessors) {
    parallel_for(search.threads, n, 1 << 18, [&](int64_t begin, int64_t end, int) {
        std::fill(distances + begin, distances + end, kInfinity<D>);
        if (predecessors) std::fill(predecessors + begin, predecessors + end, V{-1});
    });
    for (V s : search.sources) distances[s] = 0;
}

// The largest distance among the targets: with targets, everything beyond it is reported as not reached, so that the
// answer does not depend on the order of the search. Without targets, or with one that was not reached: no bound.
template <class V, class D>
D target_bound(const Search<V, D>& search, const D* distances) {
    if (search.targets.empty()) return kInfinity<D>;
    D bound = 0;
    for (V t : search.targets) bound = std::max(bound, distances[t]);
    return bound;
}

}  // namespace steppe::search

// What every search gets and returns: Question, Search, Stats, and the common beginning and end.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "search/widen.hpp"

namespace steppe::search {

// One question: distances from the nearest of `sources`, up to `bound`, perhaps only as far as all `targets`. It has
// this one form, whatever the types of the graph and wherever it is searched.
struct Question {
    std::span<const int64_t> sources, targets;             // targets empty: no early stop
    std::variant<std::monostate, int64_t, double> bound;   // inclusive, in the type of the distances
    double delta = 0, typical_weight = 1, max_weight = 1;  // delta 0: chosen from the graph; rows/typical.hpp
    int threads = 1;
    bool fixed_delta = false;  // delta stays as it is, whatever the search finds

    // The bound as a number of D, or another one where there is none.
    template <class D>
    D bound_or(D otherwise) const {
        if (const auto* whole = std::get_if<int64_t>(&bound)) return static_cast<D>(*whole);
        if (std::is_integral_v<D> && bound.index() != 0)
            throw std::invalid_argument("the bound of whole distances must be whole");
        const auto* real = std::get_if<double>(&bound);
        return real ? static_cast<D>(*real) : otherwise;
    }
    template <class D>
    Reach<D> reach() const {
        if (bound.index() == 0) return {};
        return Reach<D>(bound_or(std::conditional_t<std::is_integral_v<D>, int64_t, D>{}));
    }
};

// Throws where a vertex is not among n.
inline void check_vertices(std::span<const int64_t> vertices, int64_t n) {
    for (const int64_t v : vertices)
        if (v < 0 || v >= n) throw std::invalid_argument("vertex out of range");
}

// The same question as a search in V and D reads it.
template <class V, class D>
struct Search {
    Search() = default;
    Search(const Question& q, Watch& to)
        : sources(q.sources.begin(), q.sources.end()),
          targets(q.targets.begin(), q.targets.end()),
          reach(q.reach<D>()),
          delta(q.delta),
          fixed_delta(q.fixed_delta),
          typical_weight(q.typical_weight),
          max_weight(q.max_weight),
          threads(q.threads),
          watch(&to) {}

    std::vector<V> sources;
    std::vector<V> targets;  // empty: no early stop
    Reach<D> reach;
    double delta = 0;  // 0: chosen from the graph
    bool fixed_delta = false;
    double typical_weight = 1, max_weight = 1;
    int threads = 1;
    Watch* watch = nullptr;
};

struct Stats {
    int64_t rounds = 0;         // buckets, levels or rounds
    int64_t edges_relaxed = 0;  // relaxations tried: an edge counts as often as it was
    int64_t edges_touched = 0;  // edges read, those that a pull looked at among them
    int64_t atomics = 0;        // compare-and-swap operations issued
    int threads = 1;            // really used
    double delta = 0;           // the width of buckets, at the end
    int width_changes = 0;
    bool outgrown = false;    // a sum passed the type, see widen.hpp: in 32 bits the search has stopped
    const char* note = "";    // what the method decided while running
    const char* scheme = "";  // how the threads shared the work
    const char* rows = "";    // the form of the rows that was read

    // What one thread has done is added to what all have.
    void add(const Stats& part) {
        rounds += part.rounds;
        edges_relaxed += part.edges_relaxed;
        edges_touched += part.edges_relaxed;
        atomics += part.atomics;
        outgrown |= part.outgrown;
    }
};

// Targets not yet settled. `settled(d)`: whether a vertex at distance d is final; checked from the back, so the
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
    // Fewer are filled before another thread is awake.
    parallel_for(search.threads, n, 1 << 19, [&](int64_t begin, int64_t end, int) {
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

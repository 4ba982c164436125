// One path between two vertices of a road network whose distances to a few landmarks are known.
//
// |d(L, v) - d(L, t)| is a lower bound on the way from v to t, for every landmark L (triangle inequality). A search
// that takes vertices in the order of label + bound goes straight for the target and settles a tenth of what two plain
// searches do (A*; ALT: Goldberg and Harrelson, "Computing the shortest path", SODA 2005). landmarks.py has
// which vertices are landmarks, and when they pay.
//
// A vertex's sixteen distances are 16-bit numbers of quanta: 32 bytes, half a cache line, sixteen subtractions in two
// instructions. Rounding costs a bound at most one quantum, a 16 000th of the largest distance, which is taken off. So
// bounds are valid but not consistent, and a vertex may be settled twice, as in any label-correcting search. That
// allows buckets in place of a heap (61 ns a vertex against 120; Intel Xeon, November 2026). A bucket has a sixteenth
// of a mean weight: bounds take most of the differences between neighbours away. Where a graph is not its own
// reverse, sixteen more are distances to the landmarks, those from them are stored negated, and all bounds are
// one-sided.
//
// A vertex's key is label + bound, or its parent's key where that is more: no path through the vertex is shorter than
// either, and no vertex is filed below the bucket that is being emptied. A key beyond the type says that no path
// through the vertex has a length that fits. The vertex is passed over; if no path is found in the end, the search is
// done again in the wide type, or the distance is too long for it.
//
// Floats. Labels are sums from the source on, as in every other search, and of all paths the least such sum wins. More
// quanta are taken off for the roundings (landmarks.py), so no prefix of the best path is ordered after the target: the
// answer is bit for bit that of a search without landmarks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/memory.hpp"
#include "route/bidirectional.hpp"
#include "rows/quads.hpp"

namespace steppe::route {

inline constexpr int kLandmarks = 16;

struct Landmarks {
    Buffer<int16_t> rows;  // of `lanes`; -1 where a vertex is outside
    int lanes;             // kLandmarks, or twice as many where one_sided
    double quantum;        // what a unit is worth: a power of two, for integers at least 1
    int slack;             // units to take off a bound
    bool one_sided;

    const int16_t* row(int64_t v) const { return rows.data() + lanes * v; }
    // Do all landmarks reach v, and v all landmarks? Between two such vertices every path has only such vertices.
    bool inside(int64_t v) const { return row(v)[0] >= 0; }

    // Units that the way from v to t has at least.
    int bound(int64_t v, const int16_t* t) const {
        const int16_t* at = row(v);
        int16_t most = 0;
        if (one_sided) {
            for (int k = 0; k < lanes; k += kLandmarks)
                for (int i = k; i < k + kLandmarks; ++i) {
                    const auto apart = static_cast<int16_t>(at[i] - t[i]);
                    most = apart > most ? apart : most;
                }
        } else {
            for (int i = 0; i < kLandmarks; ++i) {  // a constant count, so that compilers vectorise
                const auto apart = static_cast<int16_t>(at[i] - t[i]);
                const auto back = static_cast<int16_t>(t[i] - at[i]);
                const int16_t size = apart > back ? apart : back;
                most = size > most ? size : most;
            }
        }
        return std::max(0, most - slack);
    }
};

template <class W, class D>
class GoalSearch {
  public:
    using V = int32_t;
    GoalSearch(const rows::Quads<W>& g, const Landmarks& landmarks, Workspace<V, D>& space, Watch& watch)
        : g_(g),
          landmarks_(landmarks),
          quantum_(landmarks.quantum > static_cast<double>(kLargest<D>) ? 0 : static_cast<D>(landmarks.quantum)),
          most_units_(count_units()),
          space_(space),
          width_(space.goal_width),
          ring_(space.goal_ring()),
          watch_(watch) {}

    // Both must be inside the landmarks.
    Answer<V, D> run(V source, V target) {
        goal_ = landmarks_.row(target);
        const D& best = space_.slots[target].label[0];
        relax(source, 0, -1, 0);
        for (;;) {
            bucket_ = ring_.next();
            if (bucket_ < 0 || width_.least(bucket_) >= best) break;
            for (size_t i = 0; i < ring_.list().size(); ++i) {
                const std::vector<V>& list = ring_.list();
                if (i + 4 < list.size()) g_.prefetch_record(list[i + 4]);
                if (i + 2 < list.size()) ask(list[i + 2]);
                const V u = list[i];
                const auto slot = space_.slots[u];
                const D key = slot.label[1];
                if (width_.bucket(key) != bucket_ || key >= best) continue;  // stale, or too late
                g_.each(u, [&](V v, W weight) { relax(v, slot.label[0] + static_cast<D>(weight), u, key); });
                if ((++answer_.settled & 4095) == 0) watch_.poll(answer_.settled), watch_.check();
            }
        }
        watch_.check();
        if (best != kInfinity<D>) {
            auto& path = answer_.vertices;
            for (V v = target; v != V{-1}; v = space_.parents[v].of[0]) path.push_back(v);
            std::reverse(path.begin(), path.end());
            answer_.distance = best;
            answer_.reachable = true;
        }
        answer_.overflow = overflow_ && !answer_.reachable;
        space_.clear(watch_);
        return std::move(answer_);
    }

  private:
    // The largest number of units whose length fits in D.
    int count_units() const {
        if constexpr (std::is_floating_point_v<D>) return std::numeric_limits<int16_t>::max();
        if (quantum_ == 0) return 0;
        return static_cast<int>(std::min<D>(kLargest<D> / quantum_, std::numeric_limits<int16_t>::max()));
    }

    // least: the parent's key. A slot has the label on its forward side and the key on the other.
    void relax(V v, D label, V parent, D least) {
        auto& slot = space_.slots[v];
        if (!(label < slot.label[0])) return;
        if (!landmarks_.inside(v)) return;
        const int units = landmarks_.bound(v, goal_);
        const search::Reach<D> reach;
        if (!reach.admits(label, overflow_)) return;
        if (STEPPE_UNLIKELY(units > most_units_)) {
            overflow_ = true;
            return;
        }
        // Two numbers of at most half the range cannot wrap. Floats: where the sum is infinite, so is every length.
        const D key = std::max(label + static_cast<D>(units) * quantum_, least);
        if (!reach.admits(key, overflow_)) return;
        if (STEPPE_UNLIKELY(key == kInfinity<D>)) {  // of floats
            overflow_ = true;
            return;
        }
        if (slot.label[0] == kInfinity<D>) space_.touched.push_back(v);
        slot = {{label, key}};
        space_.parents[v].of[0] = parent;
        ring_.file(width_.bucket(key), v);
    }

    void ask(V u) {
        const auto* r = g_.record(u);
        for (int i = 0; i < 4; ++i) {
            const V v = r[i].target();
            STEPPE_PREFETCH(&space_.slots[v]);
            STEPPE_PREFETCH(landmarks_.row(v));
        }
    }

    const rows::Quads<W>& g_;
    const Landmarks& landmarks_;
    const D quantum_;  // 0 where it does not fit
    const int most_units_;
    Workspace<V, D>& space_;
    const search::Width<D> width_;
    search::Ring<V>& ring_;
    Watch& watch_;
    Answer<V, D> answer_;
    const int16_t* goal_ = nullptr;
    int64_t bucket_ = 0;
    bool overflow_ = false;
};

}  // namespace steppe::route

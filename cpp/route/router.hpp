// Router: queries for one path each on one graph, from any number of threads, and what they keep between them.
//
// Sums are narrow first (search/widen.hpp); the first query that needs wide ones makes all later queries wide. On a
// road network (records of four, made before) queries that are given landmarks go straight for the target, where the
// landmarks know both vertices.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "base/watch.hpp"
#include "route/bidirectional.hpp"
#include "route/landmarks.hpp"
#include "rows/forms.hpp"
#include "search/widen.hpp"

namespace steppe::route {

enum class Outcome { found, no_path, too_long };

template <class V, class W>
struct Route {
    Outcome outcome = Outcome::no_path;
    Distance<W> distance = kInfinity<Distance<W>>;
    std::vector<V> vertices;
    std::vector<int64_t> edges;
    int64_t settled = 0;
};

template <class V, class W>
class Router {
  public:
    // Records of four are used where both directions have them. Weights must not be negative.
    Router(const rows::View<V, W>& forward, const rows::View<V, W>& backward, const Facts& facts)
        : forward_(forward.csr), backward_(backward.csr), facts_(facts) {
        if (!forward_.weights || !forward.quads() || !backward.quads()) return;
        quads_ = forward.quads();
        quads_back_ = backward.quads();
    }

    // `landmarks` of this graph, or null.
    Route<V, W> query(V source, V target, const Landmarks* landmarks, Watch& watch) {
        Route<V, W> route;
        bool wide = wide_.load(std::memory_order_relaxed);
        search::widen<W>(wide, [&]<class D, bool kLast>() {
            auto answer = search<D>(forward_, backward_, source, target, landmarks, watch);
            if (answer.overflow && !kLast) return false;
            route.settled = answer.settled;
            if (answer.overflow && !std::is_floating_point_v<D>) {
                // Is there a path, too long for the type, or none at all? A search without weights decides. (A float
                // beyond the type is infinite: no path.)
                rows::Csr<V, W> hops = forward_, back = backward_;
                hops.weights = back.weights = nullptr;
                if (search<D>(hops, back, source, target, nullptr, watch).reachable) route.outcome = Outcome::too_long;
            }
            if (answer.reachable) {
                route.outcome = Outcome::found;
                route.distance = static_cast<Distance<W>>(answer.distance);
                route.edges = lightest_edges(forward_, answer.vertices, watch);
                route.vertices = std::move(answer.vertices);
            }
            return true;
        });
        if (wide) wide_.store(true, std::memory_order_relaxed);
        return route;
    }

    int64_t n() const { return forward_.n; }
    // Whether landmarks would be used.
    bool takes_landmarks() const { return quads_; }

  private:
    template <class D>
    Answer<V, D> search(const rows::Csr<V, W>& forward, const rows::Csr<V, W>& backward, V s, V t,
                        const Landmarks* landmarks, Watch& watch) {
        auto& shelf = std::get<Shelf<V, D>>(shelves_);
        auto space = shelf.take(forward.n, forward.edges(), facts_, watch);
        const rows::Quads<W>* quads = forward.weights ? quads_ : nullptr;
        Answer<V, D> answer;
        bool done = false;
        if constexpr (sizeof(V) == 4) {
            done = quads && landmarks && landmarks->inside(s) && landmarks->inside(t);
            if (done) answer = GoalSearch<W, D>(*quads, *landmarks, *space, watch).run(s, t);
        }
        if (!done)
            answer =
                Bidirectional<V, W, D>(forward, backward, quads, quads ? quads_back_ : nullptr, facts_, *space, watch)
                    .run(s, t);
        shelf.put(std::move(space));  // an interrupted query drops its workspace instead
        return answer;
    }

    const rows::Csr<V, W> forward_, backward_;
    const Facts facts_;
    const rows::Quads<W>*quads_ = nullptr, *quads_back_ = nullptr;  // of roads
    std::atomic<bool> wide_{false};
    std::conditional_t<std::is_same_v<Narrow<W>, Wide<W>>, std::tuple<Shelf<V, Wide<W>>>,
                       std::tuple<Shelf<V, Narrow<W>>, Shelf<V, Wide<W>>>>
        shelves_;
};

}  // namespace steppe::route

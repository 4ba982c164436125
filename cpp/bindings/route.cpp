// Bindings of route/bidirectional.hpp and route/landmarks.hpp: Router, one per graph, which keeps the arrays and the
// workspaces between queries.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "bindings/arrays.hpp"
#include "route/landmarks.hpp"

namespace steppe::bindings {

namespace {

enum RouteStatus { kFound = 0, kNoPath = 1, kTooLong = 2 };

class Router {
  public:
    virtual ~Router() = default;
    // (status, distance, vertices, edges, settled)
    virtual nb::tuple query(int64_t source, int64_t target) = 0;
    // Whether landmarks would be used. They may be given once, while queries run.
    virtual bool takes_landmarks() const = 0;
    bool has_landmarks() const { return landmarks_.load(std::memory_order_relaxed); }
    void use_landmarks(InOf<int16_t> rows, int64_t n, double quantum, int slack, bool one_sided) {
        const auto lanes = static_cast<int64_t>(n ? rows.size() / n : 0);
        if (lanes != (one_sided ? 32 : 16) || static_cast<int64_t>(rows.size()) != n * lanes || kept_)
            throw std::invalid_argument("landmarks are given once, sixteen for each vertex and direction");
        const auto size = static_cast<int64_t>(rows.size());
        auto made = std::make_unique<route::Landmarks>(
            route::Landmarks{Buffer<int16_t>(rows.size()), static_cast<int>(lanes), quantum, slack, one_sided});
        without_gil([&](Watch& watch) {
            constexpr int64_t kPiece = 1 << 20;
            for (int64_t i = 0; i < size; i += kPiece) {
                std::copy(rows.data() + i, rows.data() + std::min(size, i + kPiece), made->rows.begin() + i);
                watch.poll();
                watch.check();
            }
        });
        if (kept_) throw std::invalid_argument("landmarks are given once");  // meanwhile by another thread
        kept_ = std::move(made);
        landmarks_.store(kept_.get(), std::memory_order_release);
    }

  protected:
    std::atomic<const route::Landmarks*> landmarks_{nullptr};

  private:
    std::unique_ptr<route::Landmarks> kept_;
};

template <class T>
nb::object to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

template <class V, class W>
class RouterOf : public Router {
  public:
    RouterOf(Arrays forward, Arrays backward, const route::RouteFacts& facts)
        : arrays_{forward, backward}, forward_(forward.csr<V, W>()), backward_(backward.csr<V, W>()), facts_(facts) {
        if constexpr (sizeof(V) == 4) {
            if (!forward_.weights || !rows::Quads<W>::suit(forward_) || !rows::Quads<W>::suit(backward_)) return;
            PythonWatch(nb::none()).run([&](Watch& w) {
                quads_ = std::make_unique<rows::Quads<W>>(forward_, 1, w);
                if (backward_.targets != forward_.targets)
                    quads_back_ = std::make_unique<rows::Quads<W>>(backward_, 1, w);
            });
        }
    }

    nb::tuple query(int64_t source, int64_t target) override {
        if (source < 0 || target < 0 || source >= forward_.n || target >= forward_.n)
            throw std::invalid_argument("vertex out of range");
        const V s = static_cast<V>(source), t = static_cast<V>(target);
        if constexpr (std::is_floating_point_v<W>) {
            auto answer = search(forward_, backward_, s, t, floats_);
            return tell<W>(answer, false);  // a sum beyond the type is infinite: no path
        } else {
            // 32-bit sums first; the first one that does not fit makes all later queries wide.
            if (!wide_.load(std::memory_order_relaxed)) {
                auto answer = search(forward_, backward_, s, t, narrow_);
                if (!answer.overflow) return tell<int64_t>(answer, false);
                wide_.store(true, std::memory_order_relaxed);
            }
            auto answer = search(forward_, backward_, s, t, wide_shelf_);
            bool too_long = answer.overflow;
            if (too_long) {  // or is there no path at all, however long? Ask without the weights.
                rows::Csr<V, W> hops = forward_, back = backward_;
                hops.weights = back.weights = nullptr;
                too_long = search(hops, back, s, t, wide_shelf_).reachable;
            }
            return tell<int64_t>(answer, too_long);
        }
    }

    bool takes_landmarks() const override { return quads_ && !has_landmarks(); }

  private:
    template <class D>
    route::RouteAnswer<V, D> search(const rows::Csr<V, W>& forward, const rows::Csr<V, W>& backward, V s, V t,
                                    route::RouteShelf<V, D>& shelf) {
        PythonWatch watch{nb::none()};
        return watch.run([&](Watch& w) {
            auto space = shelf.take(forward.n, forward.edges(), facts_, w);
            auto end = [&](route::RouteAnswer<V, D> answer) {
                shelf.put(std::move(space));  // an interrupted query drops its workspace instead
                answer.edges = route::lightest_edges(forward, answer.vertices, w);
                return answer;
            };
            const rows::Quads<W>* quads = forward.weights ? quads_.get() : nullptr;
            const rows::Quads<W>* back = quads && quads_back_ ? quads_back_.get() : quads;
            const route::Landmarks* landmarks = quads ? landmarks_.load(std::memory_order_acquire) : nullptr;
            if constexpr (sizeof(V) == 4) {
                if (landmarks && landmarks->inside(s) && landmarks->inside(t))
                    return end(route::GoalSearch<W, D>(*quads, *landmarks, *space, w).run(s, t));
            }
            return end(route::Bidirectional<V, W, D>(forward, backward, quads, back, facts_, *space, w).run(s, t));
        });
    }

    template <class Public, class D>
    nb::tuple tell(route::RouteAnswer<V, D>& answer, bool too_long) {
        const int status = answer.reachable ? kFound : too_long ? kTooLong : kNoPath;
        const Public distance = answer.reachable ? static_cast<Public>(answer.distance) : kInfinity<Public>;
        return nb::make_tuple(status, distance, to_numpy(std::move(answer.vertices)), to_numpy(std::move(answer.edges)),
                              answer.settled);
    }

    const Arrays arrays_[2];  // keeps the memory
    const rows::Csr<V, W> forward_, backward_;
    const route::RouteFacts facts_;
    std::unique_ptr<rows::Quads<W>> quads_,
        quads_back_;                          // of roads; the second only where the graph is not its own reverse
    std::atomic<bool> wide_{sizeof(W) == 8};  // 64-bit weights are stored only where 32 bits are too few
    route::RouteShelf<V, uint32_t> narrow_;
    route::RouteShelf<V, uint64_t> wide_shelf_;
    route::RouteShelf<V, std::conditional_t<std::is_floating_point_v<W>, W, float>> floats_;
};

}  // namespace

void bind_route(nb::module_& m) {
    nb::class_<Router>(m, "Router")
        .def("query", &Router::query, "source"_a, "target"_a)
        .def_prop_ro("takes_landmarks", &Router::takes_landmarks)
        .def_prop_ro("has_landmarks", &Router::has_landmarks)
        .def("use_landmarks", &Router::use_landmarks, "rows"_a, "n"_a, "quantum"_a, "slack"_a, "one_sided"_a);

    // Weights must not be negative. min_weight may be 0.
    m.def(
        "router",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, InOf<int64_t> reverse_indptr,
           In reverse_indices, std::optional<In> reverse_weights, double min_weight, double mean_weight,
           double max_weight) -> std::unique_ptr<Router> {
            same_size(indptr.size(), reverse_indptr.size(), "router");
            same_size(indices.size(), reverse_indices.size(), "router");
            const Arrays forward{indptr, indices, weights}, backward{reverse_indptr, reverse_indices, reverse_weights};
            const route::RouteFacts facts{min_weight, std::min(mean_weight, max_weight),
                                          max_weight};  // their sum may be inf
            return with_vertex(indices, [&](auto vertex) -> std::unique_ptr<Router> {
                using V = decltype(vertex);
                if (!weights) return std::make_unique<RouterOf<V, int32_t>>(forward, backward, facts);
                return with_weight(*weights, [&](auto w) -> std::unique_ptr<Router> {
                    return std::make_unique<RouterOf<V, decltype(w)>>(forward, backward, facts);
                });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "reverse_indptr"_a, "reverse_indices"_a,
        "reverse_weights"_a.none(), "min_weight"_a, "mean_weight"_a, "max_weight"_a);
}

}  // namespace steppe::bindings

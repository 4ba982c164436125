// Bindings of route/router.hpp: one Router for each graph.
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>

#include "bindings/rows.hpp"
#include "bindings/vectors.hpp"
#include "route/router.hpp"

namespace steppe::bindings {

namespace {

// Rows of n vertices, see src/steppe/prepared/landmarks.py.
route::Landmarks landmarks(InOf<int16_t> rows, int64_t n, double quantum, int slack, bool one_sided) {
    const int64_t lanes = (one_sided ? 2 : 1) * route::kLandmarks, size = static_cast<int64_t>(rows.size());
    if (size != n * lanes) throw std::invalid_argument("landmarks have a row for each vertex");
    route::Landmarks made{Buffer<int16_t>(rows.size()), static_cast<int>(lanes), quantum, slack, one_sided};
    without_gil([&](Watch& watch) {
        constexpr int64_t kPiece = 1 << 20;
        for (int64_t i = 0; i < size; i += kPiece) {
            std::copy(rows.data() + i, rows.data() + std::min(size, i + kPiece), made.rows.begin() + i);
            watch.poll();
            watch.check();
        }
    });
    return made;
}

class AnyRouter {
  public:
    virtual ~AnyRouter() = default;
    // (outcome, distance, vertices, edges, settled)
    virtual nb::tuple query(int64_t source, int64_t target, const route::Landmarks* landmarks) = 0;
    virtual bool takes_landmarks() const = 0;
};

template <class V, class W>
class RouterOf : public AnyRouter {
  public:
    RouterOf(const rows::View<V, W>& forward, const rows::View<V, W>& backward, const route::Facts& facts)
        : router_(forward, backward, facts) {}
    nb::tuple query(int64_t source, int64_t target, const route::Landmarks* landmarks) override {
        if (source < 0 || target < 0 || source >= router_.n() || target >= router_.n())
            throw std::invalid_argument("vertex out of range");
        if (landmarks && static_cast<int64_t>(landmarks->rows.size()) != router_.n() * landmarks->lanes)
            throw std::invalid_argument("landmarks of another graph");
        auto found = without_gil([&](Watch& watch) {
            return router_.query(static_cast<V>(source), static_cast<V>(target), landmarks, watch);
        });
        return nb::make_tuple(found.outcome, found.distance, to_numpy(std::move(found.vertices)),
                              to_numpy(std::move(found.edges)), found.settled);
    }
    bool takes_landmarks() const override { return router_.takes_landmarks(); }

  private:
    route::Router<V, W> router_;
};

}  // namespace

void bind_route(nb::module_& m) {
    m.attr("LANDMARKS") = route::kLandmarks;
    nb::enum_<route::Outcome>(m, "Outcome")
        .value("found", route::Outcome::found)
        .value("no_path", route::Outcome::no_path)
        .value("too_long", route::Outcome::too_long);
    nb::class_<AnyRouter>(m, "Router")
        .def("query", &AnyRouter::query, "source"_a, "target"_a, "landmarks"_a.none())
        .def_prop_ro("takes_landmarks", &AnyRouter::takes_landmarks);
    nb::class_<route::Landmarks>(m, "Landmarks")
        .def(
            "__init__",
            [](route::Landmarks* self, InOf<int16_t> rows, int64_t n, double quantum, int slack, bool one_sided) {
                new (self) route::Landmarks(landmarks(std::move(rows), n, quantum, slack, one_sided));
            },
            "rows"_a, "n"_a, "quantum"_a, "slack"_a, "one_sided"_a);

    // in_rows: of the reverse graph. Weights must not be negative; min_weight may be 0.
    m.def(
        "router",
        [](const Rows& rows, const Rows& in_rows, double min_weight, double typical_weight, double max_weight) {
            if (rows.n() != in_rows.n() || rows.edges() != in_rows.edges())
                throw std::invalid_argument("router: two graphs of different sizes");
            const route::Facts facts{min_weight, std::min(typical_weight, max_weight), max_weight};  // a sum may be inf
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) -> std::unique_ptr<AnyRouter> {
                return std::make_unique<RouterOf<V, W>>(g, in_rows.as<V, W>(), facts);
            });
        },
        "rows"_a, "in_rows"_a, "min_weight"_a, "typical_weight"_a, "max_weight"_a, nb::keep_alive<0, 1>(),
        nb::keep_alive<0, 2>());
}

}  // namespace steppe::bindings

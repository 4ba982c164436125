// Bindings of route/spur.hpp: one Spur for each target that paths are listed to.
#include "route/spur.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>

#include "bindings/rows.hpp"
#include "bindings/vectors.hpp"

namespace steppe::bindings {

namespace {

class AnySpur {
  public:
    virtual ~AnySpur() = default;
    // (found, overflow, vertices after the spur, edges, length up to each)
    virtual nb::tuple find(int64_t spur, nb::object length, InOf<int64_t> beginning, InOf<int64_t> steps) = 0;
};

template <class V, class W>
class SpurOf : public AnySpur {
    using D = Distance<W>;

  public:
    SpurOf(const rows::Csr<V, W>& g, In to_target, int64_t target, bool may_be_long)
        : n_(g.n), to_target_(std::move(to_target)), spur_(g, in<D>(to_target_), static_cast<V>(target), may_be_long) {}

    nb::tuple find(int64_t spur, nb::object length, InOf<int64_t> beginning, InOf<int64_t> steps) override {
        const std::vector<V> closed = vertices(beginning), first = vertices(steps);
        if (spur < 0 || spur >= n_) throw std::invalid_argument("vertex out of range");
        const D so_far = nb::cast<D>(length);
        auto path = without_gil([&](Watch& watch) {
            auto found = spur_.find(static_cast<V>(spur), so_far, closed.data(), static_cast<int64_t>(closed.size()),
                                    first.data(), static_cast<int64_t>(first.size()), watch);
            std::reverse(found.vertices.begin(), found.vertices.end());
            std::reverse(found.edges.begin(), found.edges.end());
            std::reverse(found.lengths.begin(), found.lengths.end());
            return found;
        });
        return nb::make_tuple(path.found, path.overflow, to_numpy(std::move(path.vertices)),
                              to_numpy(std::move(path.edges)), to_numpy(std::move(path.lengths)));
    }

  private:
    std::vector<V> vertices(const InOf<int64_t>& array) const {
        std::vector<V> result;
        for (size_t i = 0; i < array.size(); ++i) {
            const int64_t v = array.data()[i];
            if (v < 0 || v >= n_) throw std::invalid_argument("vertex out of range");
            result.push_back(static_cast<V>(v));
        }
        return result;
    }

    const int64_t n_;
    const In to_target_;  // which spur_ reads
    route::Spur<V, W> spur_;
};

}  // namespace

void bind_spur(nb::module_& m) {
    nb::class_<AnySpur>(m, "Spur").def("find", &AnySpur::find, "spur"_a, "length"_a, "beginning"_a, "steps"_a);

    // to_target: the distance of every vertex to the target; may_be_long: the largest integer may also mean one that
    // does not fit. Weights must not be negative.
    m.def(
        "spur",
        [](const Rows& rows, In to_target, int64_t target, bool may_be_long) {
            if (target < 0 || target >= rows.n()) throw std::invalid_argument("vertex out of range");
            same_size(static_cast<size_t>(rows.n()), to_target.size(), "distances");
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) -> std::unique_ptr<AnySpur> {
                if (to_target.dtype() != nb::dtype<Distance<W>>())
                    throw std::invalid_argument("distances have the wrong dtype");
                return std::make_unique<SpurOf<V, W>>(g.csr, std::move(to_target), target, may_be_long);
            });
        },
        "rows"_a, "to_target"_a, "target"_a, "may_be_long"_a, nb::keep_alive<0, 1>());
}

}  // namespace steppe::bindings

// Bindings of partition/: the search in a part of a graph, and what is asked of its edges afterwards.
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "bindings/rows.hpp"
#include "bindings/vectors.hpp"
#include "partition/edges.hpp"
#include "partition/order.hpp"
#include "partition/part_search.hpp"
#include "partition/proven.hpp"
#include "partition/sorted.hpp"

namespace steppe::bindings {

namespace {

// A search in a part, of whatever types. Vertices are numbered as in the part, ghosts from 0 where they stand alone.
class AnyPart {
  public:
    virtual ~AnyPart() = default;
    virtual void offer(In vertices, In values) = 0;
    virtual int64_t advance(nb::object limit, int64_t most) = 0;
    virtual nb::object pending() = 0;
    virtual nb::object take() = 0;
    virtual nb::tuple resend() = 0;
    virtual void mirror(int64_t first, In values) = 0;
    virtual nb::tuple outlook(nb::object low) = 0;
    virtual nb::tuple pull(nb::object low, In lightest) = 0;
    virtual void cut(nb::object bound) = 0;
    virtual void wake() = 0;
    virtual void rest() = 0;
    virtual bool outgrown() const = 0;
    virtual nb::object values(nb::handle self) = 0;
};

template <class V, class D>
class PartOf : public AnyPart {
  public:
    // weight: the type of the edges' weights.
    PartOf(std::unique_ptr<partition::PartSearch<V, D>> search, nb::dlpack::dtype weight)
        : search_(std::move(search)), weight_(weight) {}

    void offer(In vertices, In values) override {
        same_size(vertices.size(), values.size(), "offer");
        if (values.dtype() != nb::dtype<D>()) throw std::invalid_argument("values of another type");
        const int64_t count = static_cast<int64_t>(values.size());
        with_vertex(vertices, [&](auto vertex) {
            using I = decltype(vertex);
            without_gil([&](Watch&) { search_->offer(in<I>(vertices), in<D>(values), count); });
        });
    }
    int64_t advance(nb::object limit, int64_t most) override {
        const D last = limit.is_none() ? kLargest<D> : nb::cast<D>(limit);
        return without_gil([&](Watch& watch) {
            const int64_t looked = search_->advance(last, most, watch);
            watch.check();
            return looked;
        });
    }
    nb::object pending() override {
        const D least = search_->pending();
        return least == kInfinity<D> ? nb::none() : nb::cast(least);
    }
    nb::object take() override {
        return to_numpy(without_gil([&](Watch&) { return search_->take(); }));
    }
    nb::tuple resend() override {
        std::vector<V> ghosts;
        std::vector<D> values;
        without_gil([&](Watch&) { search_->resend(ghosts, values); });
        return nb::make_tuple(to_numpy(std::move(ghosts)), to_numpy(std::move(values)));
    }
    void mirror(int64_t first, In values) override {
        if (values.dtype() != nb::dtype<D>()) throw std::invalid_argument("values of another type");
        search_->mirror(first, in<D>(values), static_cast<int64_t>(values.size()));
    }
    nb::tuple outlook(nb::object low) override {
        const auto found = search_->outlook(nb::cast<D>(low));
        return nb::make_tuple(found.pull, found.push);
    }
    nb::tuple pull(nb::object low, In lightest) override {
        const D from = nb::cast<D>(low);
        same_size(static_cast<size_t>(search_->own()), lightest.size(), "lightest");
        if (lightest.dtype() != weight_) throw std::invalid_argument("weights of another type");
        const auto looked = without_gil([&](Watch& watch) {
            const auto found = search_->pull(from, lightest.data(), watch);
            watch.check();
            return found;
        });
        return nb::make_tuple(looked.pull, looked.push);
    }
    void cut(nb::object bound) override {
        const D most = nb::cast<D>(bound);
        without_gil([&](Watch&) { search_->cut(most); });
    }
    void wake() override {
        without_gil([&](Watch&) { search_->wake(); });
    }
    void rest() override { search_->rest(); }
    bool outgrown() const override { return search_->outgrown(); }
    nb::object values(nb::handle self) override {
        const size_t size = static_cast<size_t>(search_->all());
        return nb::cast(nb::ndarray<nb::numpy, D, nb::ndim<1>>(search_->values(), {size}, self));
    }

  private:
    const std::unique_ptr<partition::PartSearch<V, D>> search_;
    const nb::dlpack::dtype weight_;
};

// A search over edges of these rows.
template <class D, class Edges>
std::unique_ptr<AnyPart> part_over(Edges edges, int64_t own, double longest, double delta, search::Reach<D> reach) {
    using V = std::decay_t<decltype(*edges.g.targets)>;
    return std::make_unique<PartOf<V, D>>(
        std::make_unique<partition::PartSearchOver<V, D, Edges>>(edges, own, longest, delta, reach),
        nb::dtype<typename Edges::Weight>());
}

int64_t own_of(const Rows& rows, int64_t own) {
    if (own < 0 || own > rows.n()) throw std::invalid_argument("a part has no more vertices of its own than vertices");
    return own;
}

// f<weighted>(csr) in the types of the rows; hops: without weights. A part has fewer than 2^31 vertices.
template <class F>
auto with_rows(const Rows& rows, bool hops, F f) {
    if (hops || !rows.is_weighted()) return f.template operator()<false>(rows.unweighted<int32_t>());
    return rows.visit_narrow([&](const auto& g) { return f.template operator()<true>(g.csr); });
}

template <class D>
search::Reach<D> reach_of(nb::object bound) {
    if (bound.is_none()) return {};
    using B = std::conditional_t<std::is_integral_v<D>, int64_t, double>;
    return search::Reach<D>(nb::cast<B>(bound));
}

// The bound itself, or kInfinity where there is none that the type can hold.
template <class D>
D highest(nb::object bound) {
    if (bound.is_none()) return kInfinity<D>;
    if constexpr (std::is_integral_v<D>)
        return static_cast<D>(std::min<uint64_t>(nb::cast<uint64_t>(bound), kInfinity<D>));
    else return nb::cast<D>(bound);
}

// f<weighted, D>(csr, distances): D from the array, which must be a type in which the rows are searched.
template <class F>
auto with_distances(const Rows& rows, In distances, bool hops, F f) {
    same_size(static_cast<size_t>(rows.n()), distances.size(), "distances");
    return with_rows(rows, hops, [&]<bool weighted, class V, class W>(const rows::Csr<V, W>& g) {
        auto typed = [&](auto zero) {
            using D = decltype(zero);
            if (distances.dtype() != nb::dtype<D>()) throw std::invalid_argument("distances of another type");
            return f.template operator()<weighted>(g, in<D>(distances));
        };
        if constexpr (!weighted)
            if (hops) return typed(uint32_t{});
        if constexpr (!std::is_same_v<Narrow<W>, Wide<W>>)
            if (distances.dtype() == nb::dtype<Narrow<W>>()) return typed(Narrow<W>{});
        return typed(Wide<W>{});
    });
}

std::unique_ptr<AnyPart> part_search(const Rows& rows, int64_t own, bool hops, double longest, double delta,
                                     nb::object bound, bool narrow) {
    own_of(rows, own);
    return with_rows(rows, hops,
                     [&]<bool weighted, class V, class W>(const rows::Csr<V, W>& g) -> std::unique_ptr<AnyPart> {
                         auto made = [&](auto zero) -> std::unique_ptr<AnyPart> {
                             using D = decltype(zero);
                             const partition::Lengths<weighted, V, W, D> edges{g};
                             return part_over<D>(edges, own, longest, delta, reach_of<D>(bound));
                         };
                         if constexpr (!weighted)
                             if (hops) return made(uint32_t{});
                         return narrow ? made(Narrow<W>{}) : made(Wide<W>{});
                     });
}

std::unique_ptr<AnyPart> part_tree(const Rows& rows, int64_t own, In distances, bool hops) {
    own_of(rows, own);
    return with_distances(rows, distances, hops,
                          [&]<bool weighted, class V, class W, class D>(const rows::Csr<V, W>& g,
                                                                        const D* d) -> std::unique_ptr<AnyPart> {
                              const partition::Tight<weighted, V, W, D> edges{g, d};
                              return part_over<uint32_t>(edges, own, 1.0, 1.0, {});
                          });
}

}  // namespace

void bind_partition(nb::module_& m) {
    nb::class_<AnyPart>(m, "Part")
        // Values for own vertices, int32 or int64 numbers.
        .def("offer", &AnyPart::offer, "vertices"_a, "values"_a)
        // Relaxes all up to the limit (None: all), or until so many edges were looked at; returns how many.
        .def("advance", &AnyPart::advance, "limit"_a.none(), "most"_a = std::numeric_limits<int64_t>::max())
        // The least that waits, None: nothing does.
        .def("pending", &AnyPart::pending)
        // The ghosts that fell since the last call; (ghosts, values): all that have any.
        .def("take", &AnyPart::take)
        .def("resend", &AnyPart::resend)
        // Values of ghosts, from one on, from where they are at home.
        .def("mirror", &AnyPart::mirror, "first"_a, "values"_a)
        // (edges that pulling would read, edges that pushing would).
        .def("outlook", &AnyPart::outlook, "low"_a)
        // Lowers own vertices from low on by their edges, in place of all that waits; (edges looked at, edges
        // of what waits then).
        .def("pull", &AnyPart::pull, "low"_a, "lightest"_a)
        // Forgets values beyond a bound up to which all is final, and what waits.
        .def("cut", &AnyPart::cut, "bound"_a)
        // To be called when values were written: all are relaxed and told again.
        .def("wake", &AnyPart::wake)
        // Frees what only a search that goes on needs.
        .def("rest", &AnyPart::rest)
        .def_prop_ro("outgrown", &AnyPart::outgrown)
        // All values, own vertices and then ghosts, where they lie.
        .def("values", [](nb::handle self) { return nb::cast<AnyPart&>(self).values(self); });

    // longest: no edge is longer; bound: inclusive, as in Question; narrow: in 32 bits where the weights are, see
    // search/widen.hpp.
    m.def("part_search", &part_search, "rows"_a, "own"_a, "hops"_a, "longest"_a, "delta"_a, "bound"_a.none(),
          "narrow"_a, nb::keep_alive<0, 1>());
    // Hops along tight edges. distances: values of part_search, final for own vertices and ghosts; kept. So for the
    // next two.
    m.def("part_tree", &part_tree, "rows"_a, "own"_a, "distances"_a, "hops"_a, nb::keep_alive<0, 1>(),
          nb::keep_alive<0, 3>());

    m.def(
        "part_tails",
        [](const Rows& rows, int64_t own, In distances, bool hops, InOf<uint32_t> levels, InOf<int64_t> numbers,
           OutOf<int64_t> tails) {
            same_size(static_cast<size_t>(own_of(rows, own)), numbers.size(), "numbers");
            same_size(static_cast<size_t>(rows.n()), levels.size(), "levels");
            same_size(static_cast<size_t>(rows.n()), tails.size(), "tails");
            with_distances(rows, distances, hops, [&]<bool weighted>(const auto& g, const auto* d) {
                without_gil([&](Watch& watch) {
                    partition::find_tails<weighted>(g, own, d, levels.data(), numbers.data(), tails.data(), watch);
                });
            });
        },
        "rows"_a, "own"_a, "distances"_a, "hops"_a, "levels"_a, "numbers"_a, "tails"_a);

    using partition::PartFault;
    nb::enum_<PartFault>(m, "PartFault")
        .value("none", PartFault::none)
        .value("not_a_number", PartFault::not_a_number)
        .value("negative", PartFault::negative)
        .value("beyond_bound", PartFault::beyond_bound)
        .value("improves", PartFault::improves)
        .value("unreached", PartFault::unreached);
    // (fault, vertex, other); hung: see partition/edges.hpp.
    m.def(
        "part_proof",
        [](const Rows& rows, int64_t own, In distances, bool hops, nb::object bound, OutOf<uint8_t> hung) {
            own_of(rows, own);
            same_size(static_cast<size_t>(rows.n()), hung.size(), "hung");
            return with_distances(rows, distances, hops, [&]<bool weighted, class G, class D>(const G& g, const D* d) {
                const D most = highest<D>(bound);
                const auto found = without_gil(
                    [&](Watch& watch) { return partition::prove<weighted>(g, own, d, most, hung.data(), watch); });
                return nb::make_tuple(found.fault, found.vertex, found.other);
            });
        },
        "rows"_a, "own"_a, "distances"_a, "hops"_a, "bound"_a.none(), "hung"_a);

    // (first own vertex whose row is not sorted, or -1; edges to ghosts; the sum of the arcs): see
    // partition/proven.hpp. first: the place of the first own vertex; ghosts: the places of the others.
    m.def(
        "part_facts",
        [](const Rows& rows, int64_t own, int64_t first, InOf<int64_t> ghosts, uint64_t key, int threads) {
            same_size(static_cast<size_t>(rows.n() - own_of(rows, own)), ghosts.size(), "ghosts");
            return rows.visit_narrow([&](const auto& g) {
                const auto found = without_gil([&](Watch& watch) {
                    return partition::facts_of(g.csr, own, first, ghosts.data(), key, threads, watch);
                });
                return nb::make_tuple(found.unsorted, found.cut, found.sum);
            });
        },
        "rows"_a, "own"_a, "first"_a, "ghosts"_a, "key"_a, "threads"_a);

    // Sorts each row by weight, where it lies; fewer than 2^31 vertices, no weight negative.
    m.def(
        "sort_rows",
        [](InOf<int64_t> offsets, OutOf<int32_t> targets, Out weights) {
            same_size(targets.size(), weights.size(), "rows");
            const int64_t n = static_cast<int64_t>(offsets.size()) - 1;
            if (n < 0 || offsets.data()[0] != 0 || offsets.data()[n] != static_cast<int64_t>(targets.size()) ||
                !std::is_sorted(offsets.data(), offsets.data() + n + 1))
                throw std::invalid_argument("offsets that do not belong to these rows");
            with_weight(weights, [&](auto weight) {
                using W = decltype(weight);
                W* const lengths = out<W>(weights);
                without_gil([&](Watch&) { partition::sort_rows(n, offsets.data(), targets.data(), lengths); });
            });
        },
        "offsets"_a, "targets"_a, "weights"_a);

    // Fills order with all vertices, neighbours near each other.
    m.def(
        "order_by_place",
        [](const Rows& rows, bool symmetric, Out order) {
            same_size(static_cast<size_t>(rows.n()), order.size(), "order");
            rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& g) {
                V* to = out<V>(order);
                without_gil([&](Watch& watch) { partition::order_by_place(g, symmetric, to, watch); });
            });
        },
        "rows"_a, "symmetric"_a, "order"_a);
}

}  // namespace steppe::bindings

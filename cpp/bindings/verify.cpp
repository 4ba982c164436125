// Bindings of proof/verify.hpp.
#include "proof/verify.hpp"

#include "bindings/arrays.hpp"

namespace steppe::bindings {

void bind_verify(nb::module_& m) {
    // Returns (fault, vertex, other). bound: of the distances' type, or None.
    m.def(
        "verify",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, InOf<int64_t> sources, In distances,
           std::optional<In> predecessors, nb::object bound, bool negative, int threads, bool mapped) {
            const Arrays arrays{indptr, indices, weights};
            same_size(distances.size() + 1, indptr.size(), "verify");
            if (predecessors) {
                same_size(predecessors->size(), distances.size(), "verify");
                if (predecessors->dtype() != indices.dtype())
                    throw std::invalid_argument("predecessors and indices must have the same dtype");
            }
            auto run = [&](auto vertex, auto w, auto distance) {
                using V = decltype(vertex);
                using W = decltype(w);
                using D = decltype(distance);
                if (distances.dtype() != nb::dtype<D>()) throw std::invalid_argument("distances have the wrong dtype");
                const auto g = arrays.csr<V, W>();
                const D limit = bound.is_none() ? kInfinity<D> : nb::cast<D>(bound);
                const proof::Claim<D, V> claim{in<D>(distances),
                                               predecessors ? in<V>(*predecessors) : nullptr,
                                               sources.data(),
                                               static_cast<int64_t>(sources.size()),
                                               limit,
                                               negative};
                const proof::Finding f = PythonWatch(nb::none()).run([&](Watch& watch) {
                    return proof::verify(g, claim, threads, mapped, watch);
                });
                return nb::make_tuple(static_cast<int>(f.fault), f.vertex, f.other);
            };
            return with_vertex(indices, [&](auto vertex) {
                if (!weights) {
                    if (distances.dtype() == nb::dtype<int32_t>()) return run(vertex, int32_t{}, int32_t{});
                    return run(vertex, int32_t{}, int64_t{});
                }
                return with_weight(*weights, [&](auto w) { return run(vertex, w, search::Distance<decltype(w)>{}); });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "sources"_a, "distances"_a, "predecessors"_a.none(),
        "bound"_a.none(), "negative"_a, "threads"_a, "mapped"_a);
}

}  // namespace steppe::bindings

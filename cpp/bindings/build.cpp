// Bindings of rows/build.hpp.
#include "rows/build.hpp"

#include "bindings/arrays.hpp"

namespace steppe::bindings {

void bind_build(nb::module_& m) {
    m.def(
        "edge_facts",
        [](In sources, In targets, int64_t n, int threads) {
            same_size(sources.size(), targets.size(), "edge_facts");
            const auto f = with_vertex(sources, [&](auto id) {
                using I = decltype(id);
                return without_gil([&](Watch& watch) {
                    return rows::edge_facts<I>(in<I>(sources), in<I>(targets), static_cast<int64_t>(sources.size()), n,
                                               threads, watch);
                });
            });
            return nb::make_tuple(f.smallest, f.largest, f.loops, f.first_bad, f.sorted);
        },
        "sources"_a, "targets"_a, "n"_a, "threads"_a);

    m.def(
        "weight_facts",
        [](In weights, int threads) {
            return with_weight(weights, [&](auto w) {
                using W = decltype(w);
                const rows::WeightFacts<W> f = without_gil([&](Watch& watch) {
                    return rows::weight_facts<W>(in<W>(weights), static_cast<int64_t>(weights.size()), threads, watch);
                });
                return nb::make_tuple(f.smallest, f.largest, f.mean, f.first_bad);
            });
        },
        "weights"_a, "threads"_a);

    m.def(
        "build_csr",
        [](In sources, In targets, std::optional<In> weights, bool opposites, bool sorted, OutOf<int64_t> indptr,
           Out indices, std::optional<Out> out_weights, int threads) {
            same_size(sources.size(), targets.size(), "build_csr");
            auto build = [&](auto id, auto vertex, auto w, bool weighted) {
                using I = decltype(id);
                using V = decltype(vertex);
                using W = decltype(w);
                W* to = weighted ? out<W>(*out_weights) : nullptr;
                V* list = out<V>(indices);
                without_gil([&](Watch& watch) {
                    rows::build_csr<I, V, W>(in<I>(sources), in<I>(targets), weighted ? in<W>(*weights) : nullptr,
                                             static_cast<int64_t>(sources.size()),
                                             static_cast<int64_t>(indptr.size()) - 1, opposites, sorted, indptr.data(),
                                             list, to, threads, watch);
                });
            };
            with_vertex(sources, [&](auto id) {
                with_vertex(indices, [&](auto vertex) {
                    if (!weights) return build(id, vertex, int32_t{}, false);
                    with_weight(*weights, [&](auto w) { build(id, vertex, w, true); });
                });
            });
        },
        "sources"_a, "targets"_a, "weights"_a.none(), "opposites"_a, "sorted"_a, "indptr"_a, "indices"_a,
        "out_weights"_a.none(), "threads"_a);
}

}  // namespace steppe::bindings

// Bindings of rows/build.hpp and rows/prove.hpp.
#include "bindings/arrays.hpp"
#include "rows/build.hpp"
#include "rows/prove.hpp"

namespace steppe::bindings {

void bind_graph(nb::module_& m) {
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

    // (fault, place, smallest, largest, mean); the fault is a number of RowFault.
    m.def(
        "prove_rows",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, bool both, uint64_t key, bool mapped,
           int threads) {
            const Arrays arrays{indptr, indices, weights};
            if (weights) same_size(indices.size(), weights->size(), "prove_rows");
            auto run = [&](auto vertex, auto w) {
                using V = decltype(vertex);
                using W = decltype(w);
                const auto g = arrays.csr<V, W>();
                const auto f = without_gil([&](Watch& watch) {
                    return rows::prove_rows(g, static_cast<int64_t>(indices.size()), both, key, mapped, threads, watch);
                });
                return nb::make_tuple(static_cast<int>(f.fault), f.place, f.smallest, f.largest, f.mean);
            };
            return with_vertex(indices, [&](auto vertex) {
                if (!weights) return run(vertex, int32_t{});
                return with_weight(*weights, [&](auto w) { return run(vertex, w); });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "both"_a, "key"_a, "mapped"_a, "threads"_a);

    m.def(
        "build_csr",
        [](In sources, In targets, std::optional<In> weights, bool both, bool sorted, OutOf<int64_t> indptr,
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
                                             static_cast<int64_t>(indptr.size()) - 1, both, sorted, indptr.data(), list,
                                             to, threads, watch);
                });
            };
            with_vertex(sources, [&](auto id) {
                with_vertex(indices, [&](auto vertex) {
                    if (!weights) return build(id, vertex, int32_t{}, false);
                    with_weight(*weights, [&](auto w) { build(id, vertex, w, true); });
                });
            });
        },
        "sources"_a, "targets"_a, "weights"_a.none(), "both"_a, "sorted"_a, "indptr"_a, "indices"_a,
        "out_weights"_a.none(), "threads"_a);

    m.def(
        "reverse_csr",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, OutOf<int64_t> out_indptr, Out out_indices,
           std::optional<Out> out_weights, int threads) {
            const Arrays arrays{indptr, indices, weights};
            auto run = [&](auto vertex, auto w) {
                using V = decltype(vertex);
                using W = decltype(w);
                V* list = out<V>(out_indices);
                W* to = out_weights ? out<W>(*out_weights) : nullptr;
                const auto g = arrays.csr<V, W>();
                without_gil([&](Watch& watch) { rows::reverse_csr(g, out_indptr.data(), list, to, threads, watch); });
            };
            with_vertex(indices, [&](auto vertex) {
                if (!weights) return run(vertex, int32_t{});
                with_weight(*weights, [&](auto w) { run(vertex, w); });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "out_indptr"_a, "out_indices"_a, "out_weights"_a.none(),
        "threads"_a);

    m.def(
        "is_symmetric",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, InOf<int64_t> reverse_indptr,
           In reverse_indices, std::optional<In> reverse_weights, int threads) {
            const Arrays a{indptr, indices, weights}, b{reverse_indptr, reverse_indices, reverse_weights};
            auto run = [&](auto vertex, auto w) {
                using V = decltype(vertex);
                using W = decltype(w);
                const auto g = a.csr<V, W>(), reverse = b.csr<V, W>();
                return without_gil([&](Watch& watch) { return rows::is_symmetric(g, reverse, threads, watch); });
            };
            return with_vertex(indices, [&](auto vertex) {
                if (!weights) return run(vertex, int32_t{});
                return with_weight(*weights, [&](auto w) { return run(vertex, w); });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "reverse_indptr"_a, "reverse_indices"_a,
        "reverse_weights"_a.none(), "threads"_a);
}

}  // namespace steppe::bindings

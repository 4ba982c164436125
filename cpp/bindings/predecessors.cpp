// Bindings of tree/by_search.hpp, tree/by_light_edges.hpp and tree/by_levels.hpp.
#include "bindings/arrays.hpp"
#include "bindings/prepared.hpp"
#include "tree/by_levels.hpp"
#include "tree/by_light_edges.hpp"
#include "tree/by_search.hpp"

namespace steppe::bindings {

void bind_predecessors(nb::module_& m) {
    m.def(
        "canonical_predecessors",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, InOf<int64_t> sources, In distances,
           bool uniform, nb::object min_weight, Out predecessors, int threads, const AnyPacked* packed,
           const AnyPacked* packed_in) {
            const Arrays arrays{indptr, indices, weights};
            same_size(distances.size() + 1, indptr.size(), "canonical_predecessors");
            same_size(distances.size(), predecessors.size(), "canonical_predecessors");
            auto run = [&](auto vertex, auto w, auto distance) {
                using V = decltype(vertex);
                using W = decltype(w);
                using D = decltype(distance);
                if (distances.dtype() != nb::dtype<D>()) throw std::invalid_argument("distances have the wrong dtype");
                const auto g = arrays.csr<V, W>();
                V* to = out<V>(predecessors);
                const W least = nb::cast<W>(min_weight);
                PythonWatch(nb::none()).run([&](Watch& watch) {
                    if constexpr (sizeof(V) == 4 && !std::is_same_v<D, int32_t>) {
                        const Prepared<W> prepared(packed, packed_in);
                        const D unreached = kInfinity<D>, *from = in<D>(distances);
                        if (!uniform && prepared.quads &&
                            tree::prepared_tree(*prepared.quads, prepared.in, from, unreached, least, to, threads,
                                                watch))
                            return;
                        if (!uniform && prepared.out &&
                            tree::prepared_tree(*prepared.out, prepared.in, from, unreached, least, to, threads, watch))
                            return;
                    }
                    tree::canonical_predecessors(g, in<D>(distances), sources.data(),
                                                 static_cast<int64_t>(sources.size()), uniform, least, to, threads,
                                                 watch);
                });
            };
            with_vertex(indices, [&](auto vertex) {
                if (!weights) {
                    if (distances.dtype() == nb::dtype<int32_t>()) return run(vertex, int32_t{}, int32_t{});
                    return run(vertex, int32_t{}, int64_t{});
                }
                with_weight(*weights, [&](auto w) { run(vertex, w, search::Distance<decltype(w)>{}); });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "sources"_a, "distances"_a, "uniform"_a, "min_weight"_a,
        "predecessors"_a, "threads"_a, "packed"_a.none() = nb::none(), "packed_in"_a.none() = nb::none());

    m.def(
        "rows_are_sorted",
        [](InOf<int64_t> indptr, In indices, int threads) {
            const Arrays arrays{indptr, indices, {}};
            return with_vertex(indices, [&](auto vertex) {
                const auto g = arrays.csr<decltype(vertex), int32_t>();
                return without_gil([&](Watch& watch) { return tree::rows_are_sorted(g, threads, watch); });
            });
        },
        "indptr"_a, "indices"_a, "threads"_a);

    // For edges of one length: indptr and indices are the in-edges.
    m.def(
        "level_predecessors",
        [](InOf<int64_t> indptr, In indices, bool sorted, In distances, int64_t length, Out predecessors, int threads) {
            const Arrays arrays{indptr, indices, {}};
            same_size(distances.size() + 1, indptr.size(), "level_predecessors");
            same_size(distances.size(), predecessors.size(), "level_predecessors");
            if (length < 1) throw std::invalid_argument("the length must be positive");
            with_vertex(indices, [&](auto vertex) {
                using V = decltype(vertex);
                auto run = [&](auto distance) {
                    using D = decltype(distance);
                    const auto g = arrays.csr<V, int32_t>();
                    V* to = out<V>(predecessors);
                    const auto step = static_cast<D>(length);
                    without_gil([&](Watch& watch) {
                        if (sorted) tree::level_tree<true>(g, in<D>(distances), step, to, threads, watch);
                        else tree::level_tree<false>(g, in<D>(distances), step, to, threads, watch);
                    });
                };
                if (distances.dtype() == nb::dtype<int32_t>()) run(int32_t{});
                else if (distances.dtype() == nb::dtype<int64_t>()) run(int64_t{});
                else throw std::invalid_argument("distances have the wrong dtype");
            });
        },
        "indptr"_a, "indices"_a, "sorted"_a, "distances"_a, "length"_a, "predecessors"_a, "threads"_a);

    m.def(
        "path_offsets",
        [](In predecessors, InOf<int64_t> targets, OutOf<int64_t> offsets) {
            same_size(targets.size() + 1, offsets.size(), "path_offsets");
            return with_vertex(predecessors, [&](auto vertex) {
                using V = decltype(vertex);
                return PythonWatch(nb::none()).run([&](Watch& watch) {
                    return tree::path_offsets(in<V>(predecessors), static_cast<int64_t>(predecessors.size()),
                                              targets.data(), static_cast<int64_t>(targets.size()), offsets.data(),
                                              watch);
                });
            });
        },
        "predecessors"_a, "targets"_a, "offsets"_a);

    // The arguments must be those of a path_offsets() that returned -1.
    m.def(
        "fill_paths",
        [](In predecessors, InOf<int64_t> targets, InOf<int64_t> offsets, Out vertices, int threads) {
            with_vertex(predecessors, [&](auto vertex) {
                using V = decltype(vertex);
                V* to = out<V>(vertices);
                without_gil([&](Watch&) {
                    tree::fill_paths(in<V>(predecessors), targets.data(), static_cast<int64_t>(targets.size()),
                                     offsets.data(), to, threads);
                });
            });
        },
        "predecessors"_a, "targets"_a, "offsets"_a, "vertices"_a, "threads"_a);
}

}  // namespace steppe::bindings

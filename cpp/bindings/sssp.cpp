// Bindings of the single-source searches for non-negative weights: one function, the method by name.
#include "bindings/arrays.hpp"
#include "bindings/prepared.hpp"
#include "bindings/question.hpp"
#include "search/answer.hpp"
#include "search/delta_stepping.hpp"
#include "search/delta_stepping_parallel.hpp"
#include "search/dijkstra.hpp"
#include "search/frontier.hpp"

namespace steppe::bindings {

namespace {

template <bool kPaths, class V, class W, class D>
search::Stats search_with(const std::string& method, const rows::Csr<V, W>& g, const Prepared<W>& prepared,
                          const search::Search<V, D>& search, D* dist, V* pred) {
    if (method == "dijkstra") return search::dijkstra<kPaths>(g, search, dist, pred);
    if (method == "frontier") return search::frontier<kPaths>(g, search, dist, pred);
    if (method != "delta-stepping") throw std::invalid_argument("unknown method " + method);
    // With targets the search is usually short, and one thread can stop at the exact bucket.
    const bool shared = search.threads > 1 && search.targets.empty();
    constexpr const search::NoEdges* kNoIn = nullptr;
    if constexpr (sizeof(V) == 4) {
        if (prepared.quads)
            return shared ? search::delta_stepping_parallel<kPaths>(*prepared.quads, kNoIn, search, dist, pred)
                          : search::delta_stepping<kPaths>(*prepared.quads, kNoIn, search, dist, pred);
        if (prepared.out)
            return shared ? search::delta_stepping_parallel<kPaths>(*prepared.out, prepared.in, search, dist, pred)
                          : search::delta_stepping<kPaths>(*prepared.out, prepared.in, search, dist, pred);
    }
    return shared ? search::delta_stepping_parallel<kPaths>(g, kNoIn, search, dist, pred)
                  : search::delta_stepping<kPaths>(g, kNoIn, search, dist, pred);
}

}  // namespace

void bind_sssp(nb::module_& m) {
    nb::class_<AnyPacked>(m, "Packed").def_prop_ro("is_quads", [](const AnyPacked& packed) {
        return packed.value.index() >= 4;
    });

#if STEPPE_AVX512
    // For tests: whether scans use AVX-512 from now on. Returns whether they did.
    m.def(
        "use_avx512",
        [](bool wanted) { return std::exchange(search::avx512_wanted(), wanted && search::avx512_found()); },
        "wanted"_a);
#else
    m.def("use_avx512", [](bool) { return false; }, "wanted"_a);
#endif

    // For tests: how long a thread waits for another from now on. Returns how long it did.
    m.def("set_patience", [](int pauses) { return std::exchange(search::patience(), pauses); }, "pauses"_a);

    m.def(
        "pack",
        [](InOf<int64_t> indptr, InOf<int32_t> indices, In weights, int threads, bool as_quads) {
            const Arrays arrays{indptr, In(indices), weights};
            same_size(indices.size(), weights.size(), "pack");
            return with_weight(weights, [&](auto w) {
                using W = decltype(w);
                const auto g = arrays.csr<int32_t, W>();
                return without_gil([&](Watch& watch) {
                    if (as_quads && rows::Quads<W>::suit(g)) return AnyPacked{rows::Quads<W>(g, threads, watch)};
                    return AnyPacked{rows::Packed<W>(g, threads, watch)};
                });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a, "threads"_a, "as_quads"_a);

    m.def(
        "sssp",
        [](std::string method, InOf<int64_t> indptr, In indices, In weights, InOf<int64_t> sources,
           InOf<int64_t> targets, std::optional<int64_t> cutoff, std::optional<double> float_cutoff, double delta,
           double mean_weight, double max_weight, int threads, Out distances, std::optional<Out> predecessors,
           nb::object progress, const AnyPacked* packed, const AnyPacked* packed_in) {
            const Arrays arrays{indptr, indices, weights};
            same_size(indices.size(), weights.size(), "sssp");
            same_size(indptr.size(), distances.size() + 1, "sssp");
            if (predecessors) same_size(distances.size(), predecessors->size(), "sssp");
            const Question q{std::move(method), sources,    targets, float_cutoff, cutoff, delta,
                             mean_weight,       max_weight, threads};
            PythonWatch watch(progress);
            const search::Stats s = with_vertex(indices, [&](auto vertex) {
                using V = decltype(vertex);
                V* pred = predecessors ? out<V>(*predecessors) : nullptr;
                return with_weight(weights, [&](auto weight) {
                    using W = decltype(weight);
                    auto* result = out<search::Distance<W>>(distances);
                    const auto g = arrays.csr<V, W>();
                    const Prepared<W> prepared(packed, packed_in);
                    return watch.run([&](Watch& w) {
                        auto make = [&]<class D>() { return make_search<V, D>(q, g.n, w); };
                        return search::find_answer<W>(
                            g, result, pred, threads, w, make,
                            [&]<class D>(const search::Search<V, D>& search, D* dist, V* p) {
                                return p ? search_with<true>(q.method, g, prepared, search, dist, p)
                                         : search_with<false>(q.method, g, prepared, search, dist, p);
                            });
                    });
                });
            });
            return stats_dict(s);
        },
        "method"_a, "indptr"_a, "indices"_a, "weights"_a, "sources"_a, "targets"_a, "cutoff"_a.none(),
        "float_cutoff"_a.none(), "delta"_a, "mean_weight"_a, "max_weight"_a, "threads"_a, "distances"_a,
        "predecessors"_a.none(), "progress"_a.none(), "packed"_a.none() = nb::none(),
        "packed_in"_a.none() = nb::none());
}

}  // namespace steppe::bindings

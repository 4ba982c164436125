// Bindings of external/sweep.hpp: distances or, without weights, hops; and of external/bellman_ford.hpp.
#include "bindings/arrays.hpp"
#include "bindings/question.hpp"
#include "external/bellman_ford.hpp"
#include "external/sweep.hpp"
#include "search/answer.hpp"

namespace steppe::bindings {

namespace {

struct Told {
    search::Stats stats;
    int64_t passes = 0, parts = 0, bytes_read = 0, peak_window = 0;
};

template <bool kPaths, class V, class D, class Rows>
search::Stats search_with(const Rows& g, external::Window& window, const external::Budget& budget,
                          const search::Search<V, D>& search, D* dist, V* pred) {
    // A double may round up: a quarter of the integers is as good as all.
    const double most = static_cast<double>(std::is_integral_v<D> ? kLargest<D> / 4 : std::numeric_limits<D>::max());
    const D delta = static_cast<D>(std::min(search.delta, most));
    auto go = [&](auto search_object) { return search_object->run(delta); };
    return search.threads > 1 ? go(std::make_unique<external::External<kPaths, true, Rows, V, D>>(g, window, budget,
                                                                                                  search, dist, pred))
                              : go(std::make_unique<external::External<kPaths, false, Rows, V, D>>(g, window, budget,
                                                                                                   search, dist, pred));
}

}  // namespace

void bind_external(nb::module_& m) {
    m.def(
        "external",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, InOf<int64_t> sources, InOf<int64_t> targets,
           std::optional<int64_t> cutoff, std::optional<double> float_cutoff, double delta, int threads, int shift,
           int64_t window_bytes, bool mapped, Out distances, std::optional<Out> predecessors, OutOf<int64_t> live,
           nb::object progress) {
            const Arrays arrays{indptr, indices, weights};
            if (weights) same_size(indices.size(), weights->size(), "external");
            same_size(indptr.size(), distances.size() + 1, "external");
            if (predecessors) same_size(distances.size(), predecessors->size(), "external");
            if (shift < 6 || live.size() != 3) throw std::invalid_argument("external: shift or live");
            const Question q{"external", sources, targets, float_cutoff, cutoff, delta, 1, 1, threads};
            const external::Budget budget{shift, window_bytes, mapped};
            PythonWatch watch(progress);
            const Told told = with_vertex(indices, [&](auto vertex) {
                using V = decltype(vertex);
                V* pred = predecessors ? out<V>(*predecessors) : nullptr;
                auto search = [&](auto weight, auto rows, auto* result) {
                    using W = decltype(weight);
                    const int64_t item = static_cast<int64_t>(sizeof(V) + (rows.weights ? sizeof(W) : 0));
                    return watch.run([&](Watch& w) {
                        Pages ends(rows.targets, rows.edges(), sizeof(V), mapped);
                        Pages lengths(rows.weights, rows.edges(), sizeof(W), mapped);
                        external::Window window(rows.offsets, rows.n, shift, window_bytes, ends, lengths, item, threads,
                                                live.data());
                        auto make = [&]<class D>() { return make_search<V, D>(q, rows.n, w); };
                        Told told;
                        told.stats =
                            search::find_answer<W>(rows, result, pred, threads, w, make,
                                                   [&]<class D>(const search::Search<V, D>& s, D* dist, V* p) {
                                                       return p ? search_with<true>(rows, window, budget, s, dist, p)
                                                                : search_with<false>(rows, window, budget, s, dist, p);
                                                   });
                        told.parts = window.parts();
                        told.passes = window.passes();
                        told.bytes_read = window.bytes_read();
                        told.peak_window = window.peak();
                        return told;
                    });
                };
                if (!weights) {
                    const external::Ones<V> rows{arrays.csr<V, int32_t>()};
                    return search(int32_t{}, rows, out<int32_t>(distances));
                }
                return with_weight(*weights, [&](auto weight) {
                    using W = decltype(weight);
                    return search(weight, arrays.csr<V, W>(), out<search::Distance<W>>(distances));
                });
            });
            nb::dict stats = stats_dict(told.stats);
            stats["passes"] = told.passes;
            stats["parts"] = told.parts;
            stats["bytes_read"] = told.bytes_read;
            stats["peak_window"] = told.peak_window;
            return stats;
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "sources"_a, "targets"_a, "cutoff"_a.none(),
        "float_cutoff"_a.none(), "delta"_a, "threads"_a, "shift"_a, "window"_a, "mapped"_a, "distances"_a,
        "predecessors"_a.none(), "live"_a, "progress"_a.none());

    // Fills distances and predecessors; a dict with the status and cycle of _core.bellman_ford beside the counts.
    // Status 3: rounding lets distances fall for ever.
    m.def(
        "external_bellman_ford",
        [](InOf<int64_t> indptr, In indices, In weights, InOf<int64_t> sources, int shift, int64_t window_bytes,
           bool mapped, Out distances, Out predecessors, OutOf<int64_t> live, nb::object progress) {
            const Arrays arrays{indptr, indices, weights};
            same_size(indices.size(), weights.size(), "external_bellman_ford");
            same_size(indptr.size(), distances.size() + 1, "external_bellman_ford");
            same_size(indptr.size(), predecessors.size() + 1, "external_bellman_ford");
            if (shift < 6 || live.size() != 3) throw std::invalid_argument("external: shift or live");
            const auto n = static_cast<int64_t>(distances.size());
            for (size_t i = 0; i < sources.size(); ++i)
                if (sources.data()[i] < 0 || sources.data()[i] >= n) throw std::invalid_argument("source out of range");
            Told told;
            const search::BellmanFordResult result = with_vertex(indices, [&](auto vertex) {
                return with_weight(weights, [&](auto weight) {
                    using V = decltype(vertex);
                    using W = decltype(weight);
                    using Engine = external::ExternalBellmanFord<V, W>;
                    const rows::Csr<V, W> rows = arrays.csr<V, W>();
                    auto* d = out<typename Engine::D>(distances);
                    V* p = out<V>(predecessors);
                    return PythonWatch(progress).run([&](Watch& watch) {
                        Pages ends(rows.targets, rows.edges(), sizeof(V), mapped);
                        Pages lengths(rows.weights, rows.edges(), sizeof(W), mapped);
                        external::Window window(rows.offsets, rows.n, shift, window_bytes, ends, lengths,
                                                sizeof(V) + sizeof(W), 1, live.data());
                        auto found = Engine(rows, window, shift, d, p, watch)
                                         .run(sources.data(), static_cast<int64_t>(sources.size()));
                        told.parts = window.parts();
                        told.bytes_read = window.bytes_read();
                        told.peak_window = window.peak();
                        return found;
                    });
                });
            });
            nb::list cycle;
            for (const int64_t v : result.cycle) cycle.append(v);
            nb::dict stats;
            stats["status"] = static_cast<int>(result.status);
            stats["cycle"] = cycle;
            stats["edges_relaxed"] = result.edges_relaxed;
            stats["passes"] = result.rounds;
            stats["parts"] = told.parts;
            stats["bytes_read"] = told.bytes_read;
            stats["peak_window"] = told.peak_window;
            return stats;
        },
        "indptr"_a, "indices"_a, "weights"_a, "sources"_a, "shift"_a, "window"_a, "mapped"_a, "distances"_a,
        "predecessors"_a, "live"_a, "progress"_a.none());
}

}  // namespace steppe::bindings

// Bindings of generate/edges.hpp. Python allocates: sizes are known in closed form or follow from a first, counting
// call.
#include "bindings/arrays.hpp"
#include "generate/edges.hpp"

namespace steppe::bindings {

void bind_generate(nb::module_& m) {
    // f(V*, V*, watch) with the two ends of the edges, without the GIL.
    auto ends = [](Out& sources, Out& targets, auto f) {
        same_size(sources.size(), targets.size(), "generate");
        with_vertex(sources, [&](auto vertex) {
            using V = decltype(vertex);
            V *u = out<V>(sources), *v = out<V>(targets);
            without_gil([&](Watch& watch) { f(u, v, watch); });
        });
    };

    m.def(
        "generate_weights",
        [](Out weights, int64_t low, int64_t high, uint64_t seed, int threads) {
            with_weight(weights, [&](auto w) {
                using W = decltype(w);
                W* to = out<W>(weights);
                without_gil([&](Watch& watch) {
                    generate::weights<W>(to, static_cast<int64_t>(weights.size()), low, high, seed, threads, watch);
                });
            });
        },
        "weights"_a, "low"_a, "high"_a, "seed"_a, "threads"_a);

    m.def(
        "generate_rmat",
        [ends](int scale, uint64_t seed, Out sources, Out targets, int threads) {
            const auto count = static_cast<int64_t>(sources.size());
            ends(sources, targets,
                 [&](auto* u, auto* v, Watch& watch) { generate::rmat(scale, count, seed, u, v, threads, watch); });
        },
        "scale"_a, "seed"_a, "sources"_a, "targets"_a, "threads"_a);

    m.def(
        "generate_random",
        [ends](int64_t n, uint64_t seed, Out sources, Out targets, int threads) {
            const auto count = static_cast<int64_t>(sources.size());
            ends(sources, targets,
                 [&](auto* u, auto* v, Watch& watch) { generate::random(n, count, seed, u, v, threads, watch); });
        },
        "n"_a, "seed"_a, "sources"_a, "targets"_a, "threads"_a);

    m.def(
        "generate_grid",
        [ends](int64_t rows, int64_t columns, Out sources, Out targets, int threads) {
            same_size(sources.size(), static_cast<size_t>(rows * (columns - 1) + (rows - 1) * columns),
                      "generate_grid");
            ends(sources, targets,
                 [&](auto* u, auto* v, Watch& watch) { generate::grid(rows, columns, u, v, threads, watch); });
        },
        "rows"_a, "columns"_a, "sources"_a, "targets"_a, "threads"_a);

    m.def(
        "generate_road_counts",
        [](double keep, double diagonal, uint64_t seed, OutOf<int64_t> counts, int threads) {
            const generate::Road road(static_cast<int64_t>(counts.size()), keep, diagonal, seed);
            without_gil([&](Watch& watch) { generate::road_counts(road, counts.data(), threads, watch); });
        },
        "keep"_a, "diagonal"_a, "seed"_a, "counts"_a, "threads"_a);

    m.def(
        "generate_road_places",
        [](uint64_t seed, OutOf<double> places, int threads) {
            const generate::Road road(static_cast<int64_t>(places.size() / 2), 0, 0, seed);
            without_gil([&](Watch& watch) { generate::road_places(road, places.data(), threads, watch); });
        },
        "seed"_a, "places"_a, "threads"_a);

    m.def(
        "generate_road",
        [ends](double keep, double diagonal, bool time, uint64_t seed, InOf<int64_t> offsets, Out sources, Out targets,
               OutOf<int32_t> lengths, int threads) {
            same_size(sources.size(), lengths.size(), "generate_road");
            const generate::Road road(static_cast<int64_t>(offsets.size()) - 1, keep, diagonal, seed);
            ends(sources, targets, [&](auto* u, auto* v, Watch& watch) {
                generate::road(road, time, offsets.data(), u, v, lengths.data(), threads, watch);
            });
        },
        "keep"_a, "diagonal"_a, "time"_a, "seed"_a, "offsets"_a, "sources"_a, "targets"_a, "lengths"_a, "threads"_a);

    m.def(
        "generate_small_world",
        [ends](int64_t n, int64_t reach, double rewire, uint64_t seed, Out sources, Out targets, int threads) {
            same_size(sources.size(), static_cast<size_t>(n * reach), "generate_small_world");
            ends(sources, targets, [&](auto* u, auto* v, Watch& watch) {
                generate::small_world(n, reach, rewire, seed, u, v, threads, watch);
            });
        },
        "n"_a, "reach"_a, "rewire"_a, "seed"_a, "sources"_a, "targets"_a, "threads"_a);

    m.def(
        "generate_web_counts",
        [](double degree, uint64_t seed, OutOf<int64_t> counts, int threads) {
            without_gil([&](Watch& watch) {
                generate::web_counts(static_cast<int64_t>(counts.size()), degree, seed, counts.data(), threads, watch);
            });
        },
        "degree"_a, "seed"_a, "counts"_a, "threads"_a);

    m.def(
        "generate_web",
        [ends](double local, uint64_t seed, InOf<int64_t> offsets, Out sources, Out targets, int threads) {
            const int64_t n = static_cast<int64_t>(offsets.size()) - 1;
            ends(sources, targets, [&](auto* u, auto* v, Watch& watch) {
                generate::web(n, local, seed, offsets.data(), u, v, threads, watch);
            });
        },
        "local"_a, "seed"_a, "offsets"_a, "sources"_a, "targets"_a, "threads"_a);

    m.def(
        "simplify_rows",
        [](InOf<int64_t> indptr, Out indices, std::optional<Out> weights, OutOf<int64_t> counts, int threads) {
            const int64_t n = static_cast<int64_t>(counts.size());
            same_size(indptr.size(), counts.size() + 1, "simplify_rows");
            auto run = [&](auto vertex, auto w) {
                using V = decltype(vertex);
                using W = decltype(w);
                V* list = out<V>(indices);
                W* values = weights ? out<W>(*weights) : nullptr;
                without_gil([&](Watch& watch) {
                    generate::simplify_rows(n, indptr.data(), list, values, counts.data(), threads, watch);
                });
            };
            with_vertex(indices, [&](auto vertex) {
                if (!weights) return run(vertex, int32_t{});
                with_weight(*weights, [&](auto w) { run(vertex, w); });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "counts"_a, "threads"_a);

    m.def(
        "compact_rows",
        [](InOf<int64_t> indptr, In indices, std::optional<In> weights, InOf<int64_t> out_indptr, Out out_indices,
           std::optional<Out> out_weights, int threads) {
            const int64_t n = static_cast<int64_t>(indptr.size()) - 1;
            same_size(indptr.size(), out_indptr.size(), "compact_rows");
            auto run = [&](auto vertex, auto w) {
                using V = decltype(vertex);
                using W = decltype(w);
                V* list = out<V>(out_indices);
                W* values = weights ? out<W>(*out_weights) : nullptr;
                without_gil([&](Watch& watch) {
                    generate::compact_rows(n, indptr.data(), in<V>(indices), weights ? in<W>(*weights) : nullptr,
                                           out_indptr.data(), list, values, threads, watch);
                });
            };
            with_vertex(indices, [&](auto vertex) {
                if (!weights) return run(vertex, int32_t{});
                with_weight(*weights, [&](auto w) { run(vertex, w); });
            });
        },
        "indptr"_a, "indices"_a, "weights"_a.none(), "out_indptr"_a, "out_indices"_a, "out_weights"_a.none(),
        "threads"_a);
}

}  // namespace steppe::bindings

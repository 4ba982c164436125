// Bindings of rows/scatter.hpp. Edges come as lists of arrays, a chunk each.
#include "rows/scatter.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/rows.hpp"

namespace steppe::bindings {

namespace {

using Chunks = std::vector<In>;

// f(span<const Ends<I>>) for the type of the ids, which all chunks share.
template <class F>
auto with_ends(const Chunks& sources, const Chunks& targets, F f) {
    same_size(sources.size(), targets.size(), "chunks");
    auto with = [&]<class I>(I) {
        std::vector<rows::Ends<I>> ends;
        for (size_t c = 0; c < sources.size(); ++c) {
            same_size(sources[c].size(), targets[c].size(), "chunks");
            if (sources[c].dtype() != nb::dtype<I>() || targets[c].dtype() != nb::dtype<I>())
                throw std::invalid_argument("chunks: one type of ids");
            ends.push_back({in<I>(sources[c]), in<I>(targets[c]), static_cast<int64_t>(sources[c].size())});
        }
        return f(std::span<const rows::Ends<I>>(ends));
    };
    if (sources.empty()) return with(int32_t{});
    return with_vertex(sources[0], [&](auto id) { return with(id); });
}

struct NoWeight {};

}  // namespace

void bind_scatter(nb::module_& m) {
    m.def(
        "distinct_ids",
        [](const Chunks& sources, const Chunks& targets, int64_t low, int64_t high, int threads) {
            return with_ends(sources, targets, [&](auto ends) {
                return without_gil([&](Watch& watch) { return rows::distinct_ids(ends, low, high, threads, watch); });
            });
        },
        "sources"_a, "targets"_a, "low"_a, "high"_a, "threads"_a);

    // Weights may be int64 and stored as int32; otherwise they are of the type stored.
    m.def(
        "scatter_rows",
        [](const Chunks& sources, const Chunks& targets, const Chunks& weights, int64_t base, bool opposites,
           OutOf<int64_t> indptr, Out indices, std::optional<Out> out_weights, int threads) {
            same_size(out_weights ? sources.size() : 0, weights.size(), "chunks");
            const int64_t n = static_cast<int64_t>(indptr.size()) - 1;
            with_ends(sources, targets, [&]<class I>(std::span<const rows::Ends<I>> ends) {
                auto fill = [&]<class V, class G, class W>(V, G, W) {
                    V* to = out<V>(indices);
                    std::vector<const G*> from;
                    W* kept = nullptr;
                    if constexpr (!std::is_same_v<W, NoWeight>) {
                        kept = out<W>(*out_weights);
                        for (size_t c = 0; c < weights.size(); ++c) {
                            same_size(weights[c].size(), sources[c].size(), "chunks");
                            if (weights[c].dtype() != nb::dtype<G>())
                                throw std::invalid_argument("chunks: one type of weights");
                            from.push_back(in<G>(weights[c]));
                        }
                    }
                    without_gil([&](Watch& watch) {
                        rows::scatter(
                            ends, base, opposites, n, indptr.data(), threads, watch,
                            [&](int64_t at, int64_t v, [[maybe_unused]] size_t c, [[maybe_unused]] int64_t i) {
                                to[at] = static_cast<V>(v);
                                if constexpr (!std::is_same_v<W, NoWeight>) kept[at] = static_cast<W>(from[c][i]);
                            });
                    });
                };
                with_vertex(indices, [&](auto v) {
                    if (!out_weights) return fill(v, NoWeight{}, NoWeight{});
                    with_weight(*out_weights, [&]<class W>(W w) {
                        const bool wide = !weights.empty() && weights[0].dtype() == nb::dtype<int64_t>();
                        if constexpr (std::is_same_v<W, int32_t>)
                            if (wide) return fill(v, int64_t{}, w);
                        fill(v, w, w);
                    });
                });
            });
        },
        "sources"_a, "targets"_a, "weights"_a, "base"_a, "opposites"_a, "indptr"_a, "indices"_a, "out_weights"_a.none(),
        "threads"_a);

    // order: int32 or int64, one entry for each stored edge.
    m.def(
        "edge_order",
        [](const Chunks& sources, const Chunks& targets, int64_t base, bool opposites, const Rows& rows, Out order,
           int threads) {
            same_size(order.size(), static_cast<size_t>(rows.edges()), "edge_order");
            return with_ends(sources, targets, [&](auto ends) {
                return rows.visit_unweighted([&](const auto& g) {
                    return with_vertex(order, [&](auto id) {
                        auto* to = out<decltype(id)>(order);
                        return without_gil([&](Watch& watch) {
                            return rows::edge_order(ends, base, opposites, g, to, threads, watch);
                        });
                    });
                });
            });
        },
        "sources"_a, "targets"_a, "base"_a, "opposites"_a, "rows"_a, "order"_a, "threads"_a);
}

}  // namespace steppe::bindings

// Bindings of tree/canonical.hpp, tree/by_levels.hpp and tree/paths.hpp.
#include "bindings/question.hpp"
#include "tree/by_levels.hpp"
#include "tree/canonical.hpp"
#include "tree/paths.hpp"

namespace steppe::tree {
STEPPE_TREES(extern template)  // in tree/canonical.cpp
}  // namespace steppe::tree

namespace steppe::bindings {

namespace {

template <class D>
const D* read_distances(const Rows& rows, const In& distances) {
    same_size(static_cast<size_t>(rows.n()), distances.size(), "distances");
    if (distances.dtype() != nb::dtype<D>()) throw std::invalid_argument("distances have the wrong dtype");
    return in<D>(distances);
}

}  // namespace

void bind_predecessors(nb::module_& m) {
    // The canonical tree of distances, or of hops where they are int32. uniform: all edges have one positive length.
    m.def(
        "canonical_predecessors",
        [](const Rows& rows, const Question& question, In distances, bool uniform, nb::object min_weight,
           Out predecessors) {
            search::check_vertices(question.sources, rows.n());
            auto make = [&]<class D, class V, class W>(const rows::View<V, W>& g) {
                const D* d = read_distances<D>(rows, distances);
                V* to = entries<V>(rows, predecessors);
                const W least = nb::cast<W>(min_weight);
                without_gil([&](Watch& watch) {
                    tree::canonical_tree(g, d, question.sources, uniform, least, to, question.threads, watch);
                });
            };
            if (distances.dtype() == nb::dtype<int32_t>())
                rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& csr) {
                    rows::Forms<int32_t> none;
                    make.template operator()<int32_t>(rows::View<V, int32_t>{csr, none});
                });
            else
                rows.visit(
                    [&]<class V, class W>(const rows::View<V, W>& g) { make.template operator()<Distance<W>>(g); });
        },
        "rows"_a, "question"_a, "distances"_a, "uniform"_a, "min_weight"_a, "predecessors"_a);

    m.def(
        "rows_are_sorted",
        [](const Rows& rows, int threads) {
            return rows.visit_unweighted([&](const auto& g) {
                return without_gil([&](Watch& watch) { return tree::rows_are_sorted(g, threads, watch); });
            });
        },
        "rows"_a, "threads"_a);

    // The same where all edges have one length; in_rows: of the reverse graph, sorted: by vertex.
    m.def(
        "level_predecessors",
        [](const Rows& in_rows, bool sorted, In distances, int64_t length, Out predecessors, int threads) {
            if (length < 1) throw std::invalid_argument("the length must be positive");
            in_rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& g) {
                V* to = entries<V>(in_rows, predecessors);
                auto make = [&]<class D>(const D* d) {
                    const auto step = static_cast<D>(length);
                    without_gil([&](Watch& watch) {
                        if (sorted) tree::level_tree<true>(g, d, step, to, threads, watch);
                        else tree::level_tree<false>(g, d, step, to, threads, watch);
                    });
                };
                if (distances.dtype() == nb::dtype<int32_t>()) make(read_distances<int32_t>(in_rows, distances));
                else make(read_distances<int64_t>(in_rows, distances));
            });
        },
        "in_rows"_a, "sorted"_a, "distances"_a, "length"_a, "predecessors"_a, "threads"_a);

    m.def(
        "path_offsets",
        [](In predecessors, InOf<int64_t> targets, OutOf<int64_t> offsets) {
            same_size(targets.size() + 1, offsets.size(), "path_offsets");
            return with_vertex(predecessors, [&](auto vertex) {
                using V = decltype(vertex);
                return without_gil([&](Watch& watch) {
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

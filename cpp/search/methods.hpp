// The methods for one question and weights that are not negative, by name, on the best form of the rows there is.
#pragma once
#include <stdexcept>
#include <string>

#include "rows/forms.hpp"
#include "search/delta_stepping.hpp"
#include "search/delta_stepping_parallel.hpp"
#include "search/dijkstra.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"

namespace steppe::search {

enum class Method { dijkstra, delta_stepping, frontier };

inline Method method_named(const std::string& name) {
    if (name == "dijkstra") return Method::dijkstra;
    if (name == "delta-stepping") return Method::delta_stepping;
    if (name == "frontier") return Method::frontier;
    throw std::invalid_argument("unknown method " + name);
}

// delta-stepping on one thread, or on all that the question allows. With targets one thread can stop at the exact
// bucket; whether that is worth more than the others is the caller's choice.
template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping_on(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    if (search.threads > 1) return delta_stepping_parallel<kPaths>(g, in, search, dist, pred);
    return delta_stepping<kPaths>(g, in, search, dist, pred);
}

inline Stats of_rows(const char* form, Stats stats) {
    stats.rows = form;
    return stats;
}

// 64-bit vertices: one form of each method, over plain rows, buckets on one thread. `pred` may be null.
template <class V, class W, class D>
Stats run_plain(Method method, const rows::Csr<V, W>& g, const Search<V, D>& search, D* dist, V* pred) {
    if (method == Method::dijkstra) return dijkstra<true>(g, search, dist, pred);
    if (method == Method::frontier) return frontier<true>(g, search, dist, pred);
    return delta_stepping<true>(g, static_cast<const NoEdges*>(nullptr), search, dist, pred);
}

template <bool kPaths, class V, class W, class D>
Stats run(Method method, const rows::View<V, W>& g, const Search<V, D>& search, D* dist, V* pred) {
    if constexpr (sizeof(V) == 8) {
        return of_rows("csr", run_plain(method, g.csr, search, dist, pred));
    } else {
        if (method == Method::dijkstra) return of_rows("csr", dijkstra<kPaths>(g.csr, search, dist, pred));
        if (method == Method::frontier) return of_rows("csr", frontier<kPaths>(g.csr, search, dist, pred));
        constexpr const NoEdges* kNoIn = nullptr;
        if (const auto* quads = g.quads())
            return of_rows("records of four", delta_stepping_on<kPaths>(*quads, kNoIn, search, dist, pred));
        if (const auto* out = g.out())
            return of_rows("packed", delta_stepping_on<kPaths>(*out, g.forms.in(), search, dist, pred));
        return of_rows("csr", delta_stepping_on<kPaths>(g.csr, kNoIn, search, dist, pred));
    }
}

// The methods are compiled once for each type of weights, side by side: STEPPE_METHODS_OF(template, W, D) in one file
// each, STEPPE_METHODS(extern template) wherever they are used. 64-bit vertices have only wide distances.
#define STEPPE_METHOD(KIND, V, W, D)                                                              \
    KIND Stats run<false, V, W, D>(Method, const rows::View<V, W>&, const Search<V, D>&, D*, V*); \
    KIND Stats run<true, V, W, D>(Method, const rows::View<V, W>&, const Search<V, D>&, D*, V*);
#define STEPPE_METHODS_OF(KIND, W, D)  \
    STEPPE_METHOD(KIND, int32_t, W, D) \
    STEPPE_METHOD(KIND, int64_t, W, D)
#define STEPPE_METHODS(KIND)                        \
    STEPPE_METHOD(KIND, int32_t, int32_t, uint32_t) \
    STEPPE_METHODS_OF(KIND, int32_t, uint64_t)      \
    STEPPE_METHODS_OF(KIND, int64_t, uint64_t)      \
    STEPPE_METHODS_OF(KIND, float, float)           \
    STEPPE_METHODS_OF(KIND, double, double)

}  // namespace steppe::search

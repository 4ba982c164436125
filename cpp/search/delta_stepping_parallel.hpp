// Delta-stepping on several threads: which scheme a graph gets.
//
//   short rows    independent threads, each with buckets of its own (independent_threads.hpp): a barrier would cost
//   more
//                 than the work between two
//   long rows     bulk-synchronous phases, in which all threads share a bucket (bulk_synchronous.hpp)
//
// (Two threads over one, a Xeon, November 2026: grid of 2 M vertices in random order, bulk-synchronous 0.9, independent
// 1.7; random graph with four edges a vertex: 1.9 both; random graph of 1 M vertices and 16 M edges: bulk-synchronous
// 1.8, independent 1.1.)
#pragma once
#include "search/bulk_synchronous.hpp"
#include "search/independent_threads.hpp"

namespace steppe::search {

template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping_parallel(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    const Width<D> width = width_for(g, search);
    if constexpr (!Rows::kRecords)  // records are for short rows only
        if (g.edges() >= kSparse * g.n) return bulk_synchronous<kPaths>(g, in, search, width, dist, pred);
    return IndependentThreads<kPaths, Rows, In, V, D>(g, in, search, dist, pred).run(width);
}

}  // namespace steppe::search

// Rows sorted by weight where they lie: what a part keeps on the disk, so that a search can be finished by pulling
// (part_search.hpp) without a sorted copy in any worker's memory.
#pragma once
#include <cstdint>
#include <memory>

#include "base/memory.hpp"
#include "rows/by_weight.hpp"
#include "rows/csr.hpp"
#include "rows/packed.hpp"

namespace steppe::partition {

template <class W>
void sort_rows(int64_t n, const int64_t* offsets, int32_t* targets, W* weights) {
    using Edge = rows::PackedOf<W>;
    const rows::Csr<int32_t, W> g{n, offsets, targets, weights};
    const std::unique_ptr<rows::ByWeight<W, Edge>> sorter(new rows::ByWeight<W, Edge>);  // make_unique would clear it
    Buffer<Edge> edges(static_cast<size_t>(g.edges()));
    for (int64_t v = 0; v < n;) v = sorter->sort_some(g, v, n, [&](int64_t u) { return edges.data() + offsets[u]; });
    for (int64_t e = 0; e < g.edges(); ++e) {
        targets[e] = edges[e].target();
        weights[e] = edges[e].weight();
    }
}

}  // namespace steppe::partition

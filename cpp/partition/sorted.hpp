// Rows sorted by weight where they lie: what a part keeps on the disk, so that a search can be finished by pulling
// (part_search.hpp) without a sorted copy in any worker's memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace steppe::partition {

// Edges of one weight stand in the order of their targets.
template <class W>
void sort_rows(int64_t n, const int64_t* offsets, int32_t* targets, W* weights) {
    std::vector<std::pair<W, int32_t>> row;
    for (int64_t v = 0; v < n; ++v) {
        row.clear();
        for (int64_t e = offsets[v]; e < offsets[v + 1]; ++e) row.emplace_back(weights[e], targets[e]);
        std::sort(row.begin(), row.end());
        for (int64_t e = offsets[v]; const auto& [weight, target] : row) weights[e] = weight, targets[e++] = target;
    }
}

}  // namespace steppe::partition

// Paths: predecessors followed from targets back to their sources.
#pragma once
#include <cstdint>

#include "base/parallel.hpp"
#include "base/watch.hpp"

namespace steppe::tree {

// offsets[i + 1] - offsets[i] = the number of vertices on the path to targets[i]; 0 for a target of -1. Returns the
// first target whose predecessors lead out of the graph or in a circle, or -1.
template <class V>
int64_t path_offsets(const V* pred, int64_t n, const int64_t* targets, int64_t count, int64_t* offsets, Watch& watch) {
    offsets[0] = 0;
    int64_t steps = 0;
    for (int64_t i = 0; i < count; ++i) {
        int64_t length = 0;
        for (int64_t v = targets[i]; v != -1; v = pred[v]) {
            if (v < 0 || v >= n || length == n) return i;
            ++length;
            if ((++steps & 4095) == 0 && watch.poll(i)) watch.check();
        }
        offsets[i + 1] = offsets[i] + length;
    }
    return -1;
}

template <class V>
void fill_paths(const V* pred, const int64_t* targets, int64_t count, const int64_t* offsets, V* vertices,
                int threads) {
    parallel_for(threads, count, 64, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            int64_t at = offsets[i + 1];
            for (int64_t v = targets[i]; v != -1; v = pred[v]) vertices[--at] = static_cast<V>(v);
        }
    });
}

}  // namespace steppe::tree

// Lines become rows: what lanes.hpp and sweep.hpp find for sixteen sources at once, as users see it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "matrix/lane_kernels.hpp"
#include "matrix/min_plus.hpp"
#include "search/answer.hpp"
#include "search/search.hpp"

namespace steppe::matrix {

// Writes `count` rows of `width` entries from `rows` on; line(j) is where the distances of column j lie. Some columns
// at a time: their lines are gathered once, and stay in the first cache while every row takes its own.
template <class D, class R, class Line>
void write_rows(const search::Question& q, int64_t count, int64_t width, R* rows, Line line) {
    constexpr int64_t kBlock = 64, kAhead = 16;
    const D limit = q.bound.index() == 0 ? kLargest<D> : q.template reach<D>().limit();
    alignas(64) D block[kBlock * kLanes<D>];
    for (int64_t begin = 0; begin < width; begin += kBlock) {
        const int64_t size = std::min(kBlock, width - begin);
        for (int64_t j = 0; j < size; ++j) {
            if (begin + j + kAhead < width) STEPPE_PREFETCH(line(begin + j + kAhead));
            std::memcpy(block + j * kLanes<D>, line(begin + j), kLanes<D> * sizeof(D));
        }
        for (int64_t i = 0; i < count; ++i) {
            R* STEPPE_RESTRICT row = rows + i * width + begin;
            for (int64_t j = 0; j < size; ++j) {
                const D d = block[j * kLanes<D> + i];
                row[j] = search::as_public<R>(d < kNone<D> ? d : kInfinity<D>, limit);
            }
        }
    }
}

}  // namespace steppe::matrix

// Floyd-Warshall in blocks: all pairs of a dense graph, as products of tiles in registers.
//
// Vertices are taken in blocks of kDepth. For each block: (1) shortest paths within it, by Floyd's three loops; (2) its
// rows and its columns, through the closed block; (3) every other pair, through the block. Step 3 is nearly all of the
// work, has no dependence, and is the product of min_plus.hpp; so is step 2, because the block is closed.
//
// The matrix is stored in strips of kColumns columns, a row of a strip being one run of 192 bytes: a tile of it is
// contiguous, and what the product calls B needs no packing. Of A, the block's columns, a packed copy is made once for
// each block. A strip of A without any path is skipped, which is what makes graphs of several parts or few edges cheap.
//
// Sums are exact for integers: a path shorter than kNone has parts shorter than that, and they are all found; a longer
// one stays kNone and is distinguished from "no path" at the end (is_lost). Floats are added in another order than by
// searches; essential_edges.hpp has the way to the same rounding.
//
// Floyd, CACM 5 (1962); Warshall, JACM 9 (1962); Venkataraman, Sahni & Mukhopadhyaya, "A blocked all-pairs
// shortest-paths algorithm", J. Exp. Algorithmics 8 (2003).
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "matrix/min_plus.hpp"
#include "rows/csr.hpp"

namespace steppe::matrix {

template <class D>
class FloydWarshall {
  public:
    // Weights must not be negative.
    template <class V, class W>
    FloydWarshall(const rows::Csr<V, W>& g, int threads, Watch& watch)
        : n_(g.n), padded_((g.n + kDepth - 1) / kDepth * kDepth), threads_(threads), watch_(watch) {
        distances_ = Buffer<D>(static_cast<size_t>(padded_ * padded_));
        parallel_for(threads_, padded_ / kColumns<D>, 1, watch_,
                     [&](int64_t begin, int64_t end, int) { std::fill(strip(begin), strip(end), kNone<D>); });
        parallel_for(threads_, n_, 64, watch_, [&](int64_t begin, int64_t end, int) {
            for (int64_t u = begin; u < end; ++u) {
                for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                    const W w = g.length(e);
                    if (std::is_floating_point_v<W> ? w < kInfinity<W> : static_cast<uint64_t>(w) < kNone<D>)
                        at(u, g.targets[e]) =
                            std::min(at(u, g.targets[e]), static_cast<D>(w) + D{0});  // -0.0 becomes 0.0
                    else if (std::is_integral_v<W>) STORE(&too_long_, int64_t{1});
                }
                at(u, u) = 0;
            }
        });
    }

    void run() {
        const int64_t blocks = padded_ / kDepth;
        panel_ = Buffer<D>(static_cast<size_t>(padded_ * kDepth));
        std::vector<uint8_t> some(static_cast<size_t>(padded_ / kRows));
        for (int64_t block = 0; block < blocks && !watch_.stopped(); ++block) {
            const int64_t first = block * kDepth;
            close_block(first);
            through_block(first, some);
            multiply_all(first, some);
            watch_.poll(std::min(n_, first + kDepth));
        }
        watch_.check();
        panel_ = {};
    }

    D load(int64_t u, int64_t v) const { return distances_[place(u, v)]; }
    int64_t width() const { return padded_; }
    // The distances from u, `width()` of them.
    void row(int64_t u, D* to) const {
        for (int64_t v = 0; v < padded_; v += kColumns<D>)
            std::memcpy(to + v, &distances_[place(u, v)], sizeof(D) * kColumns<D>);
    }

    // The first of `sources` from which a path leads to a wanted vertex (`columns`, or any) whose length D cannot hold;
    // -1 where there is none.
    template <class V, class W>
    int64_t first_lost(const rows::Csr<V, W>& g, std::span<const int64_t> sources,
                       std::optional<std::span<const int64_t>> columns, double max_weight) const {
        if (std::is_floating_point_v<D>) return -1;
        if (!too_long_ && max_weight * static_cast<double>(n_) < static_cast<double>(kNone<D>)) return -1;
        const int64_t count = static_cast<int64_t>(sources.size());
        int64_t lost = count;
        parallel_for(threads_, count, 1, watch_, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i)
                if (is_lost(g, sources[i], columns)) MIN(&lost, i);
        });
        return lost == count ? -1 : lost;
    }

  private:
    size_t place(int64_t u, int64_t v) const {
        return static_cast<size_t>((v / kColumns<D> * padded_ + u) * kColumns<D> + v % kColumns<D>);
    }
    D& at(int64_t u, int64_t v) { return distances_[place(u, v)]; }
    D* strip(int64_t s) { return distances_.data() + s * padded_ * kColumns<D>; }
    // The tile's or strip's part that begins with row u.
    D* rows_of(int64_t s, int64_t u) { return strip(s) + u * kColumns<D>; }
    static constexpr int kStrips = kDepth / kColumns<D>;

    // Lost vertices are those that edges lead to from vertices with a distance, and that have none.
    template <class V, class W>
    bool is_lost(const rows::Csr<V, W>& g, int64_t source, std::optional<std::span<const int64_t>> columns) const {
        std::vector<D> from(static_cast<size_t>(padded_));
        row(source, from.data());
        std::vector<int64_t> stack;
        for (int64_t u = 0; u < n_; ++u)
            if (from[u] < kNone<D>) stack.push_back(u);
        std::vector<bool> lost(static_cast<size_t>(n_));
        bool any = false;
        while (!stack.empty()) {
            const int64_t u = stack.back();
            stack.pop_back();
            for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                const V v = g.targets[e];
                if (from[v] < kNone<D> || lost[v]) continue;
                lost[v] = any = true;
                stack.push_back(v);
            }
        }
        if (!any || !columns) return any;
        return std::any_of(columns->begin(), columns->end(), [&](int64_t v) { return lost[v]; });
    }

    void close_block(int64_t first) {
        const int64_t s = first / kColumns<D>;
        alignas(64) D block[kDepth * kDepth];
        for (int i = 0; i < kDepth; ++i)
            for (int j = 0; j < kStrips; ++j)
                std::memcpy(block + i * kDepth + j * kColumns<D>, rows_of(s + j, first + i), sizeof(D) * kColumns<D>);
        close(vectors_, block);
        for (int i = 0; i < kDepth; ++i)
            for (int j = 0; j < kStrips; ++j)
                std::memcpy(rows_of(s + j, first + i), block + i * kDepth + j * kColumns<D>, sizeof(D) * kColumns<D>);
    }

    // Eight rows of the block's columns, packed; whether there is any path among them.
    bool pack(int64_t first, int64_t u, D* to) {
        const int64_t s = first / kColumns<D>;
        bool some = false;
        for (int j = 0; j < kStrips; ++j)
            for (int i = 0; i < kRows; ++i) {
                const D* from = rows_of(s + j, u + i);
                for (int k = 0; k < kColumns<D>; ++k) {
                    to[(j * kColumns<D> + k) * kRows + i] = from[k];
                    some |= from[k] < kNone<D>;
                }
            }
        return some;
    }

    // The block's columns and rows, through the block. Packs the columns into panel_.
    void through_block(int64_t first, std::vector<uint8_t>& some) {
        const int64_t s = first / kColumns<D>, row_strips = padded_ / kRows, column_strips = padded_ / kColumns<D>;
        parallel_for(threads_, row_strips, 4, [&](int64_t begin, int64_t end, int) {
            for (int64_t r = begin; r < end; ++r) {
                D* packed = panel_.data() + r * kRows * kDepth;
                some[r] = pack(first, r * kRows, packed);
                if (!some[r] || is_inside(first, r)) continue;
                for (int j = 0; j < kStrips; ++j)
                    multiply(vectors_, packed, rows_of(s + j, first), rows_of(s + j, r * kRows));
                pack(first, r * kRows, packed);
            }
        });
        parallel_for(threads_, column_strips, 1, [&](int64_t begin, int64_t end, int) {
            alignas(64) D before[kDepth * kColumns<D>];
            for (int64_t c = begin; c < end; ++c) {
                if (c >= s && c < s + kStrips) continue;
                std::memcpy(before, rows_of(c, first), sizeof before);
                for (int64_t u = first; u < first + kDepth; u += kRows)
                    multiply(vectors_, panel_.data() + u * kDepth, before, rows_of(c, u));
            }
        });
    }

    bool is_inside(int64_t first, int64_t row_strip) const {
        return row_strip >= first / kRows && row_strip < (first + kDepth) / kRows;
    }

    void multiply_all(int64_t first, const std::vector<uint8_t>& some) {
        const int64_t s = first / kColumns<D>, column_strips = padded_ / kColumns<D>;
        const int64_t parts = (padded_ + kTall - 1) / kTall;
        parallel_for(threads_, column_strips * parts, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t task = begin; task < end; ++task) {
                const int64_t c = task % column_strips, part = task / column_strips;
                if (c >= s && c < s + kStrips) continue;
                if (watch_.poll(first)) return;
                const D* b = rows_of(c, first);
                const int64_t last = std::min(padded_, (part + 1) * kTall) / kRows;
                for (int64_t r = part * kTall / kRows; r < last; ++r)
                    if (some[r] && !is_inside(first, r)) {
                        D* const tile = rows_of(c, r * kRows);
                        if (r + 1 < last)
                            for (int i = 0; i < kRows * kColumns<D>; i += 64 / sizeof(D))
                                STEPPE_PREFETCH_WRITE(tile + kRows * kColumns<D> + i);
                        multiply(vectors_, panel_.data() + r * kRows * kDepth, b, tile);
                    }
            }
        });
    }

    static constexpr int64_t kTall = 1536;  // rows of a task: their part of panel_ stays in the second cache
    const int64_t n_, padded_;
    const int threads_;
    Watch& watch_;
    const Vectors vectors_ = vectors_wanted();
    int64_t too_long_ = 0;  // an edge is longer than D can hold
    Buffer<D> distances_;
    Buffer<D> panel_;  // the block's columns, packed in strips of kRows rows
};

}  // namespace steppe::matrix

// Rows sorted by weight, many at a time.
//
// Sorting every list on its own costs most where lists are short: a dozen edges keep a branch predictor guessing. Here
// the rows of a block, some ten thousand edges that stay in cache, are sorted together, without a branch: dealt by
// weight into a thousand parts, then part by part to their rows, where they arrive in order. (A random graph of degree
// 16: 12 -> 5 ns an edge; float64 on a scale-20 RMAT 45 -> 17.)
// Weights are dealt by a key of a few bits: their distance from the smallest where that is small, which makes the order
// exact, else the upper bits of a float, which tell weights apart whatever their scale; edges of a list whose keys are
// equal are then sorted as usual.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "rows/csr.hpp"

namespace steppe::rows {

// Work for one thread. W: a weight that is not negative; Edge: make(target, weight), weight(), <.
template <class W, class Edge>
class ByWeight {
  public:
    // Edges of a block: rows are taken together up to so many.
    static constexpr int64_t kBlock = 1 << 14;

    // Writes the rows [begin, end) of g, each to to(v), sorted by weight.
    template <class To>
    void sort(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to) {
        while (begin < end) {
            int64_t last = begin + 1;
            const int64_t most = std::min(end, begin + kRows);
            while (last < most && g.offsets[last + 1] - g.offsets[begin] <= kBlock) ++last;
            sort_block(g, begin, last, to);
            begin = last;
        }
    }

  private:
    static constexpr int64_t kRows = 1 << 12;
    static constexpr int kKeyBits = 11;

    // Weights as numbers that order like them: themselves, or the bits of a float.
    using Bits = std::conditional_t<sizeof(W) == 8, uint64_t, uint32_t>;
    static Bits plain_bits(W w) {
        if constexpr (std::is_floating_point_v<W>) return std::bit_cast<Bits>(w + W{0});  // -0.0 is 0.0
        else return static_cast<Bits>(w);
    }
    static Bits scaled_bits(W w) {
        if constexpr (std::is_floating_point_v<W>) return plain_bits(w);
        else return std::bit_cast<Bits>(static_cast<std::conditional_t<sizeof(W) == 8, double, float>>(w));
    }

    template <class To>
    void sort_block(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to) {
        const int64_t from = g.offsets[begin], count = g.offsets[end] - from;
        if (count == 0) return;
        Bits low = ~Bits{0}, high = 0;
        for (int64_t e = from; e < from + count; ++e) {
            const Bits bits = plain_bits(g.length(e));
            low = std::min(low, bits);
            high = std::max(high, bits);
        }
        if ((high - low) >> kKeyBits == 0)
            return deal(g, begin, end, to, [low](W w) { return static_cast<uint32_t>(plain_bits(w) - low); }, true);
        if constexpr (!std::is_floating_point_v<W>)  // from here on as floats
            low = scaled_bits(static_cast<W>(low)), high = scaled_bits(static_cast<W>(high));
        const int width = static_cast<int>(std::bit_width(static_cast<Bits>(high - low)));
        const int shift = std::max(0, width - kKeyBits);
        auto key = [low, shift](W w) { return static_cast<uint32_t>((scaled_bits(w) - low) >> shift); };
        deal(g, begin, end, to, key, false);
    }

    template <class To, class Key>
    void deal(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to, Key key, bool exact) {
        const int64_t from = g.offsets[begin], count = g.offsets[end] - from;
        uint32_t place[1 << kKeyBits] = {};
        for (int64_t e = from; e < from + count; ++e) ++place[key(g.length(e))];
        uint32_t sum = 0;
        for (uint32_t& p : place) sum += std::exchange(p, sum);
        if (static_cast<int64_t>(edges_.size()) < count) edges_.resize(count), row_.resize(count);
        if (end == begin + 1) {
            Edge* const out = to(begin);
            for (int64_t e = from; e < from + count; ++e)
                out[place[key(g.length(e))]++] = Edge::make(g.targets[e], g.length(e));
        } else {
            for (int64_t v = begin; v < end; ++v) {
                for (int64_t e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
                    const uint32_t at = place[key(g.length(e))]++;
                    edges_[at] = Edge::make(g.targets[e], g.length(e));
                    row_[at] = static_cast<uint16_t>(v - begin);
                }
            }
            for (int64_t v = begin; v < end; ++v) next_[v - begin] = to(v);
            for (int64_t i = 0; i < count; ++i) *next_[row_[i]]++ = edges_[i];
        }
        if (exact) return;
        for (int64_t v = begin; v < end; ++v) sort_equal(to(v), to(v) + g.offsets[v + 1] - g.offsets[v], key);
    }

    // Sorts edges of equal keys, which stand side by side.
    template <class Key>
    static void sort_equal(Edge* first, Edge* last, Key key) {
        while (first < last) {
            const uint32_t mine = key(first->weight());
            Edge* i = first + 1;
            while (i < last && key(i->weight()) == mine) ++i;
            if (i - first > 1) sort_list(first, i);
            first = i;
        }
    }
    // Short lists stay in registers and cache while edges are inserted one by one.
    static void sort_list(Edge* first, Edge* last) {
        if (last - first > 24) return std::sort(first, last);
        for (Edge* i = first + 1; i < last; ++i) {
            const Edge edge = *i;
            Edge* hole = i;
            for (; hole > first && edge < hole[-1]; --hole) *hole = hole[-1];
            *hole = edge;
        }
    }

    std::vector<Edge> edges_;    // of a block, by key
    std::vector<uint16_t> row_;  // theirs
    Edge* next_[kRows];          // of each row: where its next edge goes
};

}  // namespace steppe::rows

// Rows sorted by weight, many at a time.
//
// Sorting every list on its own costs most where lists are short: a dozen edges keep a branch predictor guessing. Here
// the rows of a block, some ten thousand edges that stay in cache, are sorted together, without a branch: dealt by
// weight into a thousand parts, then part by part to their rows, where they arrive in order. (A random graph of degree
// 16: 12 -> 5 ns an edge; float64 on a scale-20 RMAT 45 -> 17. All figures here: AMD EPYC, November 2026.)
// Weights are dealt by a key of a few bits. Where it is small, that is their distance from the smallest, which makes
// the order exact. Where it is not, the work is divided:
//   short rows   each edge goes behind as many places as there are smaller keys in its row. All keys are compared with
//                all others, by vector instructions and without a branch. (Degree 16: 6.7 -> 5.3 ns an edge for
//                float32, 9.6 -> 6.5 for float64.)
//   long rows    are dealt by keys in proportion to that distance, which spread most weights evenly. (Floats on a
//                scale-14 RMAT: 9.4 -> 5.8 ns an edge.) If too many edges share a key, weights are of many scales: then
//                the key is the upper bits of a float, which tell weights apart whatever their scale.
// Edges of a list that share a key are then sorted as usual, by inserting where they are few.
// Where the processor has AVX-512, short rows are sorted in registers, whatever the keys (by_weight_avx512.hpp).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/types.hpp"
#include "rows/by_weight_avx512.hpp"
#include "rows/csr.hpp"

namespace steppe::rows {

// Work for one thread. W: a weight that is not negative; Edge: make(target, weight), weight(), <.
template <class W, class Edge>
class ByWeight {
  public:
    // Edges of a block: rows are taken together up to so many.
    static constexpr int64_t kBlock = 1 << 14;

    // Writes rows of g from `begin` on, each to to(v), sorted by weight: as many of those before `end` as stay in cache
    // together. Returns the end of these.
    template <class To>
    int64_t sort_some(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to) {
        int64_t last = begin + 1;
        const int64_t most = std::min(end, begin + kRows);
        while (last < most && g.offsets[last + 1] - g.offsets[begin] <= kBlock) ++last;
        sort_block(g, begin, last, to);
        return last;
    }

  private:
    static constexpr int64_t kRows = 1 << 12;
    static constexpr int kShort = 32;  // edges of a short row; a power of two
    static constexpr int kKeyBits = 11, kKeys = 1 << kKeyBits;

    // Weights as numbers that order like them: themselves, or the bits of a float.
    using Bits = std::conditional_t<sizeof(W) == 8, uint64_t, uint32_t>;
    static Bits plain_bits(W w) {
        if constexpr (std::is_floating_point_v<W>) return std::bit_cast<Bits>(w + W{0});  // -0.0 is 0.0
        else return static_cast<Bits>(w);
    }
    static W weight_of(Bits bits) {
        if constexpr (std::is_floating_point_v<W>) return std::bit_cast<W>(bits);
        else return static_cast<W>(bits);
    }
    static Bits scaled_bits(W w) {
        if constexpr (std::is_floating_point_v<W>) return plain_bits(w);
        else return std::bit_cast<Bits>(static_cast<std::conditional_t<sizeof(W) == 8, double, float>>(w));
    }

    template <class To>
    void sort_block(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to) {
        const int64_t from = g.offsets[begin], last = g.offsets[end];
        if (from == last) return;
        const std::pair<Bits, Bits> both = range(g, from, last);
        const Bits low = both.first, high = both.second;  // not bindings: clang 14 cannot capture those
        const bool exact = (high - low) >> kKeyBits == 0;
        const int64_t most = wide(g) ? kShortWide : exact ? 0 : kShort;
        const int64_t left = last - from - (most ? sort_short(g, begin, end, to, low, high) : 0);
        if (left == 0) return;
        if (exact) {
            auto key = [low](W w) { return static_cast<uint32_t>(plain_bits(w) - low); };
            count(g, begin, end, key, most);
            return deal(g, begin, end, to, key, most);
        }
        if (end > begin + 1 && sort_evenly(g, begin, end, to, low, high, left, most)) return;
        const Bits least = scaled_bits(weight_of(low)), span = scaled_bits(weight_of(high)) - least;
        const int shift = std::max(0, static_cast<int>(std::bit_width(span)) - kKeyBits);
        auto key = [least, shift](W w) { return static_cast<uint32_t>((scaled_bits(w) - least) >> shift); };
        count(g, begin, end, key, most);
        deal(g, begin, end, to, key, most);
        each_long(g, begin, end, most,
                  [&](int64_t v) { sort_equal(to(v), to(v) + g.degree(static_cast<int32_t>(v)), key); });
    }

    // Sorts the rows of at most kShort edges and returns how many edges these are.
    template <class To>
    static int64_t sort_short(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to, [[maybe_unused]] Bits low,
                              [[maybe_unused]] Bits high) {
#if STEPPE_AVX512
        if (wide(g) && (high - low) >> kKeyBits == 0) return sort_wide<true>(g, begin, end, to, {low, high});
        if (wide(g))
            return sort_wide<false>(g, begin, end, to, {scaled_bits(weight_of(low)), scaled_bits(weight_of(high))});
#endif
        int64_t sum = 0;
        for (int64_t v = begin; v < end; ++v) {
            const int64_t from = g.offsets[v], degree = g.offsets[v + 1] - from;
            if (degree > kShort) continue;
            Edge* const out = to(v);
            if (degree <= 8) rank<8>(g, from, degree, out);
            else if (degree <= 16) rank<16>(g, from, degree, out);
            else if (degree <= 24) rank<24>(g, from, degree, out);
            else rank<kShort>(g, from, degree, out);
            insert(out, out + degree);
            sum += degree;
        }
        return sum;
    }
    static bool wide([[maybe_unused]] const Csr<int32_t, W>& g) {
#if STEPPE_AVX512
        return g.weights && avx512_wanted();
#else
        return false;
#endif
    }
#if STEPPE_AVX512
    // The same for rows of at most kShortWide edges.
    template <bool kExact, class To>
    static int64_t sort_wide(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to, const Scale& scale) {
        auto repair = [](Edge* first, Edge* last) { insert(first, last); };
        return sort_short_rows<kExact, false, Edge>(g, begin, end, to, scale, repair) +
               sort_short_rows<kExact, true, Edge>(g, begin, end, to, scale, repair);
    }
#endif
    // Writes each edge behind as many places as there are smaller keys in its row: 32 bits of the weight, of which the
    // last few are the edge's number, so that no two are equal.
    template <int kPlaces>
    static void rank(const Csr<int32_t, W>& g, int64_t from, int64_t degree, Edge* out) {
        int32_t keys[kPlaces], smaller[kPlaces];
        std::fill(keys, keys + kPlaces, 0);
        std::fill(smaller, smaller + kPlaces, 0);
        for (int64_t i = 0; i < degree; ++i) {
            const auto bits = static_cast<uint32_t>(scaled_bits(g.length(from + i)) >> (8 * sizeof(Bits) - 32));
            keys[i] = static_cast<int32_t>((bits & ~uint32_t{kShort - 1}) | static_cast<uint32_t>(i));
        }
        for (int64_t j = 0; j < degree; ++j) {
            const int32_t key = keys[j];
            for (int i = 0; i < kPlaces; ++i) smaller[i] += key < keys[i];
        }
        for (int64_t i = 0; i < degree; ++i) out[smaller[i]] = Edge::make(g.targets[from + i], g.length(from + i));
    }
    template <class F>
    static void each_long(const Csr<int32_t, W>& g, int64_t begin, int64_t end, int64_t most, F f) {
        for (int64_t v = begin; v < end; ++v)
            if (g.offsets[v + 1] - g.offsets[v] > most) f(v);
    }

    // Sorts long rows by keys in proportion to the weights, unless too many edges share one: on average four times as
    // many as if weights were spread evenly. That bounds what inserting costs, too.
    template <class To>
    bool sort_evenly(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to, Bits low, Bits high, int64_t edges,
                     int64_t most) {
        auto sort_by = [&](auto key) {
            count(g, begin, end, key, most);
            int64_t pairs = 0;
            for (const uint32_t c : place_) pairs += static_cast<int64_t>(c) * c;
            if (pairs > edges * (2 + 4 * edges / kKeys)) return false;
            deal(g, begin, end, to, key, most);
            each_long(g, begin, end, most,
                      [&](int64_t v) { insert(to(v), to(v) + g.degree(static_cast<int32_t>(v))); });
            return true;
        };
        if constexpr (std::is_floating_point_v<W>) {
            const W least = weight_of(low), scale = W{kKeys - 1} / (weight_of(high) - least);
            if (!(scale > 0 && scale <= std::numeric_limits<W>::max())) return false;  // infinite weights, or tiny ones
            return sort_by(
                [least, scale](W w) { return static_cast<uint32_t>(static_cast<int32_t>((w - least) * scale)); });
        } else {
            const int shift = static_cast<int>(std::bit_width(static_cast<Bits>(high - low))) - kKeyBits;
            return sort_by([low, shift](W w) { return static_cast<uint32_t>((plain_bits(w) - low) >> shift); });
        }
    }

    // The smallest and the largest weight, as plain bits; several at a time, as each waits for the one before.
    static std::pair<Bits, Bits> range(const Csr<int32_t, W>& g, int64_t from, int64_t last) {
        if (!g.weights) return {plain_bits(W{1}), plain_bits(W{1})};
#if STEPPE_AVX512
        if (wide(g)) return range_wide(g.weights + from, g.weights + last);
#endif
        return range_of<4>(g.weights + from, g.weights + last);
    }
#if STEPPE_AVX512
    STEPPE_WIDE static std::pair<Bits, Bits> range_wide(const W* from, const W* last) {
        return range_of<32>(from, last);
    }
#endif
    template <int kLanes>
    STEPPE_INLINE static std::pair<Bits, Bits> range_of(const W* from, const W* last) {
        Bits low[kLanes], high[kLanes];
        std::fill(low, low + kLanes, ~Bits{0});
        std::fill(high, high + kLanes, Bits{0});
        for (; last - from >= kLanes; from += kLanes)
            for (int lane = 0; lane < kLanes; ++lane) {
                const Bits bits = plain_bits(from[lane]);
                low[lane] = std::min(low[lane], bits);
                high[lane] = std::max(high[lane], bits);
            }
        Bits least = *std::min_element(low, low + kLanes), most = *std::max_element(high, high + kLanes);
        for (; from < last; ++from) {
            least = std::min(least, plain_bits(*from));
            most = std::max(most, plain_bits(*from));
        }
        return {least, most};
    }

    // Counts the keys of the rows of more than `most` edges.
    template <class Key>
    void count(const Csr<int32_t, W>& g, int64_t begin, int64_t end, Key key, int64_t most) {
        std::fill(place_, place_ + kKeys, 0);
        auto count_from = [&](int64_t e, int64_t last) {
            for (; e < last; ++e) ++place_[key(g.length(e))];
        };
        if (most == 0) return count_from(g.offsets[begin], g.offsets[end]);
        each_long(g, begin, end, most, [&](int64_t v) { count_from(g.offsets[v], g.offsets[v + 1]); });
    }

    // Writes the rows of more than `most` edges by their keys, which have been counted.
    template <class To, class Key>
    void deal(const Csr<int32_t, W>& g, int64_t begin, int64_t end, To to, Key key, int64_t most) {
        uint32_t sum = 0;
        for (uint32_t& p : place_) sum += std::exchange(p, sum);
        if (end == begin + 1) {
            Edge* const out = to(begin);
            for (int64_t e = g.offsets[begin]; e < g.offsets[end]; ++e)
                out[place_[key(g.length(e))]++] = Edge::make(g.targets[e], g.length(e));
            return;
        }
        for (int64_t v = begin; v < end; ++v) {
            if (g.offsets[v + 1] - g.offsets[v] <= most) continue;
            next_[v - begin] = to(v);
            for (int64_t e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
                const uint32_t at = place_[key(g.length(e))]++;
                edges_[at] = Edge::make(g.targets[e], g.length(e));
                row_[at] = static_cast<uint16_t>(v - begin);
            }
        }
        for (uint32_t i = 0; i < sum; ++i) *next_[row_[i]]++ = edges_[i];
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
        insert(first, last);
    }
    STEPPE_INLINE static void insert(Edge* first, Edge* last) {
        for (Edge* i = first + 1; i < last; ++i) {
            const Edge edge = *i;
            Edge* hole = i;
            for (; hole > first && edge < hole[-1]; --hole) *hole = hole[-1];
            *hole = edge;
        }
    }

    uint32_t place_[kKeys];  // edges of each key, then where the next of them goes
    Edge edges_[kBlock];     // of a block, by key
    uint16_t row_[kBlock];   // theirs
    Edge* next_[kRows];      // of each row: where its next edge goes
};

}  // namespace steppe::rows

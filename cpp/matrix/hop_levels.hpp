// The levels at which vertices were reached by hundreds of searches, as binary digits: for every vertex a row of bits
// that tells which searches have reached it, and one for each digit of their levels.
//
// A byte for each (vertex, source) would be eight bits where the levels of small worlds have three or four, and every
// level would touch them all. Digits come as levels need them, so there is no largest level.
//
// Rows of a matrix want the other order: the bits of a source side by side. Tiles of 64 x 64 bits are transposed by
// exchanging halves, quarters, ... single bits, into the array that is no longer needed, so nothing more is allocated.
// Then row after row of distances is written, from front to back: where the matrix is fresh memory the system clears
// each page just before it is written, and the page is still in the caches.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "matrix/stored.hpp"
#include "search/scan_avx512.hpp"

namespace steppe::matrix {

// Levels of one source: bit v of rows[0] tells whether vertex v is reached, that of rows[1 + d] is digit d of its
// level.
struct HopRow {
    static constexpr int kDigits = 62;
    int digits = 0;
    std::array<const uint64_t*, 1 + kDigits> rows{};
};

// to[0..64 * words): the levels of the vertices from 64 * first on; kUnreachable where there is none.
inline void spell_any(const HopRow& row, int64_t first, int64_t words, int64_t* to) {
    constexpr uint64_t kOnes = 0x0101010101010101, kDiagonal = 0x8040201008040201;
    const int digits = row.digits;
    for (int64_t part = 0; part < 8 * words; ++part, to += 8) {
        const int64_t word = first + part / 8;
        const int shift = static_cast<int>(part % 8 * 8);
        // Eight bits become eight bytes: a copy for each, of which only the bit of its place is left, which is made 1.
        auto spread = [&](int d) {
            const uint64_t bits = ((row.rows[1 + d][word] >> shift & 255) * kOnes) & kDiagonal;
            return (bits + 0x7f * kOnes) >> 7 & kOnes;
        };
        int64_t value[8] = {};
        for (int low = 0; low < digits; low += 8) {
            uint64_t bytes = 0;
            for (int d = low; d < std::min(digits, low + 8); ++d) bytes |= spread(d) << (d - low);
            for (int i = 0; i < 8; ++i) value[i] |= static_cast<int64_t>(bytes >> (8 * i) & 255) << low;
        }
        const uint64_t seen = row.rows[0][word] >> shift;
        for (int i = 0; i < 8; ++i) to[i] = seen >> i & 1 ? value[i] : kUnreachable;
    }
}

#if STEPPE_AVX512
// The same by masks, a register at a time, in any type of integers that holds all numbers of so many digits.
template <int kDigits, class T>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw"))) void spell_512(const HopRow& row, int64_t first,
                                                                             int64_t words, T* to) {
    constexpr int kLanes = 64 / sizeof(T);
    const int digits = kDigits ? kDigits : row.digits;
    for (int64_t word = first; word < first + words; ++word)
        for (int shift = 0; shift < 64; shift += kLanes, to += kLanes) {
            auto some = [&](int d) { return row.rows[d][word] >> shift; };
            __m512i value;
            if constexpr (sizeof(T) == 8) {
                value = _mm512_mask_mov_epi64(_mm512_set1_epi64(static_cast<int64_t>(kStoredFar<T>)),
                                              static_cast<__mmask8>(some(0)), _mm512_setzero_si512());
                for (int d = 0; d < digits; ++d)
                    value = _mm512_mask_add_epi64(value, static_cast<__mmask8>(some(1 + d)), value,
                                                  _mm512_set1_epi64(int64_t{1} << d));
            } else if constexpr (sizeof(T) == 4) {
                value = _mm512_mask_mov_epi32(_mm512_set1_epi32(static_cast<int32_t>(kStoredFar<T>)),
                                              static_cast<__mmask16>(some(0)), _mm512_setzero_si512());
                for (int d = 0; d < digits; ++d)
                    value = _mm512_mask_add_epi32(value, static_cast<__mmask16>(some(1 + d)), value,
                                                  _mm512_set1_epi32(1 << d));
            } else if constexpr (sizeof(T) == 2) {
                value = _mm512_mask_mov_epi16(_mm512_set1_epi16(static_cast<int16_t>(kStoredFar<T>)),
                                              static_cast<__mmask32>(some(0)), _mm512_setzero_si512());
                for (int d = 0; d < digits; ++d)
                    value = _mm512_mask_add_epi16(value, static_cast<__mmask32>(some(1 + d)), value,
                                                  _mm512_set1_epi16(static_cast<int16_t>(1 << d)));
            } else {
                value = _mm512_mask_mov_epi8(_mm512_set1_epi8(static_cast<char>(kStoredFar<T>)), some(0),
                                             _mm512_setzero_si512());
                for (int d = 0; d < digits; ++d)
                    value =
                        _mm512_mask_add_epi8(value, some(1 + d), value, _mm512_set1_epi8(static_cast<char>(1 << d)));
            }
            _mm512_storeu_si512(to, value);
        }
}
// Whether this processor can.
inline const bool has_avx512bw = search::avx512_found() && __builtin_cpu_supports("avx512bw");
inline bool spells_512() { return has_avx512bw && search::avx512_wanted(); }
template <class T>
void spell_512(const HopRow& row, int64_t first, int64_t words, T* to) {
    switch (row.digits) {
        case 2:
            return spell_512<2>(row, first, words, to);
        case 3:
            return spell_512<3>(row, first, words, to);
        case 4:
            return spell_512<4>(row, first, words, to);
        default:
            return spell_512<0>(row, first, words, to);
    }
}
#endif
inline void spell(const HopRow& row, int64_t first, int64_t words, int64_t* to) {
#if STEPPE_AVX512
    if (spells_512()) return spell_512(row, first, words, to);
#endif
    spell_any(row, first, words, to);
}

// The levels of `count` vertices in any type; false where one does not fit.
template <class T>
bool write_levels(const HopRow& row, int64_t count, T* to, Watch& watch) {
    constexpr int64_t kBlock = 1 << 18;
    int64_t v = 0;
#if STEPPE_AVX512
    if constexpr (std::is_integral_v<T>)
        if (row.digits < std::numeric_limits<T>::digits && spells_512())
            for (; count - v >= 64 && !watch.poll(); v += std::min(kBlock, (count - v) / 64 * 64))
                spell_512(row, v / 64, std::min(kBlock, count - v) / 64, to + v);
#endif
    bool all = true;
    for (; v < count && !watch.poll(); v += kBlock)
        for (int64_t u = v; u < std::min(count, v + kBlock); u += 64) {
            int64_t some[64];
            spell(row, u / 64, 1, some);
            for (int64_t i = 0; i < std::min<int64_t>(64, count - u); ++i) {
                bool fits;
                to[u + i] = stored_as<T>(some[i], fits);
                all &= fits;
            }
        }
    return all;
}

// An array of any type that levels are written to. Only whole stretches of it are written by its type, so that all else
// is compiled once.
struct LevelsTo {
    void* to;
    // Writes the levels of `count` vertices from entry `at` on; returns the first entry that the type cannot hold, or
    // kUnreachable.
    int64_t (*write)(const LevelsTo& array, const HopRow& row, int64_t count, int64_t at, Watch& watch);
};
template <class T>
int64_t write_levels_to(const LevelsTo& array, const HopRow& row, int64_t count, int64_t at, Watch& watch) {
    if (write_levels(row, count, static_cast<T*>(array.to) + at, watch)) return kUnreachable;
    int64_t some[64];
    for (int64_t v = 0; v < count; ++v) {
        if (v % 64 == 0) spell(row, v / 64, 1, some);
        bool fits;
        stored_as<T>(some[v % 64], fits);
        if (!fits) return at + v;
    }
    return kUnreachable;
}
template <class T>
LevelsTo levels_to(T* to) {
    return {to, write_levels_to<T>};
}

// Of up to 64 * kWords searches.
template <int kWords>
class HopLevels {
  public:
    static constexpr int64_t kSources = 64 * kWords;
    using Bits = std::array<uint64_t, kWords>;

    // rows: whether levels are wanted, or only which searches have seen a vertex.
    HopLevels(int64_t n, bool rows, int threads) : n_(n), rows_(rows), threads_(threads) { seen_ = make(); }

    // An array of bits for each vertex, with room for its transpose.
    Buffer<Bits> make() const { return Buffer<Bits>(static_cast<size_t>(padded(n_) + kTile)); }
    void clear(Buffer<Bits>& bits) const {
        parallel_for(threads_, n_, 1 << 12, [&](int64_t begin, int64_t end, int) {
            std::fill(&bits[begin], &bits[begin] + (end - begin), Bits{});
        });
    }

    void begin() {
        clear(seen_);
        used_ = 0;
        ones_.clear();
    }
    // Before any vertex is marked with this level; levels rise.
    void next(int64_t level) {
        if (!rows_) return;
        for (; level >> used_; ++used_) {
            if (used_ == digits_.size()) digits_.push_back(make());
            clear(digits_[used_]);
        }
        ones_.clear();
        for (uint64_t rest = static_cast<uint64_t>(level); rest; rest &= rest - 1)
            ones_.push_back(digits_[std::countr_zero(rest)].data());
    }
    const Bits& seen(int64_t v) const { return seen_[v]; }
    void prefetch(int64_t v) const { STEPPE_PREFETCH(&seen_[v]); }
    // These searches have reached v in the level of next(), and not before.
    STEPPE_INLINE void mark(int64_t v, const Bits& fresh) {
        for (int k = 0; k < kWords; ++k) seen_[v][k] |= fresh[k];
        for (Bits* digit : ones_)
            for (int k = 0; k < kWords; ++k) digit[v][k] |= fresh[k];
    }

    // Writes `count` rows of all vertices from entry `at` on; levels and `spare`, an array of make(), are lost. Returns
    // the first entry that cannot be held, or -1.
    int64_t write(int64_t count, const LevelsTo& to, int64_t at, Buffer<Bits>& spare, Watch& watch) {
        const int64_t stride = padded(n_) / 64 + kTile / 64;
        for (size_t d = 0; d <= used_; ++d) {
            Buffer<Bits>& bits = d ? digits_[d - 1] : seen_;
            parallel_for(threads_, (n_ + kTile - 1) / kTile, 4, watch, [&](int64_t begin, int64_t end, int) {
                for (int64_t v = begin * kTile; v < std::min(n_, end * kTile); v += kTile)
                    turn(bits.data(), v, std::min(kTile, n_ - v), {}, spare.data()->data() + v / 64, stride);
            });
            std::swap(bits, spare);
        }
        int64_t lost = kUnreachable;
        parallel_for(threads_, count, 1, watch, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) {
                HopRow row{.digits = static_cast<int>(used_)};
                for (size_t d = 0; d <= used_; ++d) row.rows[d] = array(d)->data() + i * stride;
                MIN(&lost, to.write(to, row, n_, at + i * n_, watch));
            }
        });
        return lost == kUnreachable ? -1 : lost;
    }
    // The same of chosen vertices.
    int64_t write(int64_t count, std::span<const int64_t> columns, const LevelsTo& to, int64_t at, Watch& watch) {
        const int64_t width = static_cast<int64_t>(columns.size()), stride = kTile / 64;
        int64_t lost = kUnreachable;
        parallel_for(threads_, (width + kTile - 1) / kTile, 1, watch, [&](int64_t begin, int64_t end, int) {
            std::vector<uint64_t> turned((1 + used_) * static_cast<size_t>(kSources * stride));
            HopRow row{.digits = static_cast<int>(used_)};
            for (int64_t j = begin * kTile; j < std::min(width, end * kTile); j += kTile) {
                const int64_t some = std::min(kTile, width - j);
                for (size_t d = 0; d <= used_; ++d)
                    turn(array(d), j, some, columns, turned.data() + d * kSources * stride, stride);
                for (int64_t i = 0; i < count; ++i) {
                    for (size_t d = 0; d <= used_; ++d) row.rows[d] = turned.data() + (d * kSources + i) * stride;
                    MIN(&lost, to.write(to, row, some, at + i * width + j, watch));
                }
            }
        });
        return lost == kUnreachable ? -1 : lost;
    }

  private:
    static constexpr int64_t kTile = 512;  // vertices that are transposed together: a cache line of bits
    static int64_t padded(int64_t n) { return (n + kTile - 1) / kTile * kTile; }

    // The bits of `some` vertices, or columns, from `first` on, go to to[source * stride + ..).
    static void turn(const Bits* bits, int64_t first, int64_t some, std::span<const int64_t> columns, uint64_t* to,
                     int64_t stride) {
        alignas(64) Bits tiles[kTile];
        for (int64_t i = 0; i < kTile; ++i)
            tiles[i] = i >= some ? Bits{} : bits[columns.empty() ? first + i : columns[first + i]];
        for (int64_t i = 0; i < kTile; i += 64) exchange(tiles + i);
        for (int k = 0; k < kWords; ++k)
            for (int64_t i = 0; i < 64; ++i)
                for (int64_t tile = 0; tile < kTile / 64; ++tile)
                    to[(64 * k + i) * stride + tile] = tiles[64 * tile + i][k];
    }
    static void exchange(Bits* tile) {
#if STEPPE_AVX512
        if (search::avx512_wanted()) return exchange_512(tile);
#endif
        exchange_any(tile);
    }
#if STEPPE_AVX512
    typedef uint64_t Line __attribute__((vector_size(8 * kWords), may_alias));
    STEPPE_WIDE static void exchange_512(Bits* tile) { exchange_by<Line, 1>(tile); }
#endif
    static void exchange_any(Bits* tile) { exchange_by<uint64_t, kWords>(tile); }
    // Bit i of the words of vertex j and bit j of those of vertex i change places; a vertex has kUnits units.
    template <class Unit, int kUnits>
    STEPPE_INLINE static void exchange_by(Bits* tile) {
        Unit* const units = reinterpret_cast<Unit*>(tile);
        uint64_t low = 0x00000000ffffffff;
        for (int step = 32; step; step /= 2, low ^= low << step)
            for (int i = 0; i < 64; i = ((i | step) + 1) & ~step)
                for (int k = 0; k < kUnits; ++k) {
                    Unit &a = units[i * kUnits + k], &b = units[(i | step) * kUnits + k];
                    const Unit both = ((a >> step) ^ b) & low;
                    a ^= both << step;
                    b ^= both;
                }
    }
    // Which searches have seen the vertex, then the digits.
    const Bits* array(size_t d) const { return (d ? digits_[d - 1] : seen_).data(); }

    const int64_t n_;
    const bool rows_;
    const int threads_;
    size_t used_ = 0;  // digits
    Buffer<Bits> seen_;
    std::vector<Buffer<Bits>> digits_;
    std::vector<Bits*> ones_;  // the digits that are 1 in this level
};

}  // namespace steppe::matrix

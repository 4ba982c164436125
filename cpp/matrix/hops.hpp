// Hops from many sources at once: breadth-first searches that share every look at an edge.
//
// A group of 512 sources has a bit each. For every vertex three rows of bits are kept: which searches have seen it,
// which reached it in the last level, and which do in this one; an edge then serves 512 searches by a few operations on
// words. On graphs of small diameter the frontiers of all searches are nearly the whole graph after a few levels, so
// the edges are read some ten times for 512 searches and not 512 times.
//
// A level goes top down along a list of the vertices that some search reached last, while those have few edges, else
// bottom up: every vertex that some search has not seen collects the bits of its in-neighbours, and stops early when
// all have come. Levels are written into a byte for each (vertex, source); every 254 levels, and at the end, whole
// tiles of bytes are turned into rows. Where only the farthest, the sum or the count is asked for, no byte is written:
// bits are added up in vertical counters (a number for each source, spread over words: two operations a vertex and
// word, on average).
//
// Then et al., "The more the merrier: efficient multi-source graph traversal", PVLDB 8 (2014). Threads take groups.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "search/scan_avx512.hpp"

namespace steppe::matrix {

// What is told of each source instead of its row: the furthest vertex it reaches, the sum of all distances, and how
// many it reaches, itself among them.
struct HopSums {
    int64_t furthest = 0, sum = 0, count = 1;
};

// One group of up to 64 * kWords sources. Wanted: rows, or sums.
template <class V, int kWords>
class HopGroup {
  public:
    static constexpr int64_t kSources = 64 * kWords;
    using Bits = std::array<uint64_t, kWords>;
    using Rows = rows::Csr<V, int32_t>;

    // in: the in-edges, null where there are none.
    HopGroup(const Rows& g, const Rows* in, bool rows) : g_(g), in_(in) {
        for (Buffer<Bits>* bits : {&seen_, &last_, &next_}) *bits = Buffer<Bits>(static_cast<size_t>(g.n));
        if (rows) levels_ = Buffer<uint8_t>(static_cast<size_t>(g.n * kSources));
    }

    // Up to `most` levels; write(first level of the bytes) is called whenever bytes are full, and at the end.
    template <class Write>
    void run(std::span<const int64_t> sources, int64_t most, HopSums* sums, Write write, Watch& watch) {
        for (Buffer<Bits>* bits : {&seen_, &last_, &next_}) std::fill(bits->begin(), bits->end(), Bits{});
        std::fill(levels_.begin(), levels_.end(), kNothing);
        frontier_.clear();
        for (size_t i = 0; i < sources.size(); ++i) {
            if (!any(last_[sources[i]])) frontier_.push_back(static_cast<V>(sources[i]));
            last_[sources[i]][i / 64] |= uint64_t{1} << (i % 64);
            if (levels_.size()) levels_[sources[i] * kSources + static_cast<int64_t>(i)] = 0;
            if (sums) sums[i] = {};
        }
        for (const V v : frontier_) seen_[v] = last_[v];
        Bits all{};
        for (size_t i = 0; i < sources.size(); ++i) all[i / 64] |= uint64_t{1} << (i % 64);
        int64_t base = 0;
        for (int64_t level = 1; level <= most && !frontier_.empty(); ++level) {
            if (level - base > kMost) {
                write(base);
                std::fill(levels_.begin(), levels_.end(), kNothing);
                base = level - 1;  // byte 0 stays the sources' own
            }
            if (watch.poll()) return;
            int64_t edges = 0;
            for (const V u : frontier_) edges += g_.offsets[u + 1] - g_.offsets[u];
            if (in_ && edges > g_.edges() / 8) bottom_up(all, watch);
            else top_down(watch);
            settle(level, static_cast<uint8_t>(level - base), sums, sources.size());
        }
        write(base);
    }

    // The byte of a vertex and a source.
    uint8_t level(int64_t v, size_t source) const { return levels_[v * kSources + static_cast<int64_t>(source)]; }
    // to[i][0..8) for 8 sources from `source` on: the bytes of 8 vertices from v on. Eight rows of eight bytes are
    // turned round by exchanging halves, then quarters, then bytes.
    void levels(int64_t v, size_t source, uint64_t* to) const {
        for (int i = 0; i < 8; ++i)
            std::memcpy(&to[i], levels_.data() + (v + i) * kSources + static_cast<int64_t>(source), 8);
        auto exchange = [&](int step, int bits, uint64_t low) {
            for (int i = 0; i < 8; ++i) {
                if (i & step) continue;
                const uint64_t a = to[i], b = to[i + step];
                to[i] = (a & low) | (b & low) << bits;
                to[i + step] = (a >> bits & low) | (b & ~low);
            }
        };
        exchange(4, 32, 0x00000000ffffffff);
        exchange(2, 16, 0x0000ffff0000ffff);
        exchange(1, 8, 0x00ff00ff00ff00ff);
    }
    static constexpr uint8_t kNothing = 255;

  private:
    static constexpr int64_t kMost = 254;
    static bool any(const Bits& bits) {
        uint64_t some = 0;
        for (const uint64_t word : bits) some |= word;
        return some != 0;
    }

    // The loops over words, compiled for the widest registers there are.
#if STEPPE_AVX512
    STEPPE_WIDE void top_down_512(Watch& watch) { top_down_any(watch); }
    STEPPE_WIDE void bottom_up_512(const Bits& all, Watch& watch) { bottom_up_any(all, watch); }
#endif
    void top_down(Watch& watch) {
#if STEPPE_AVX512
        if (search::avx512_wanted()) return top_down_512(watch);
#endif
        top_down_any(watch);
    }
    void bottom_up(const Bits& all, Watch& watch) {
#if STEPPE_AVX512
        if (search::avx512_wanted()) return bottom_up_512(all, watch);
#endif
        bottom_up_any(all, watch);
    }

    STEPPE_INLINE void top_down_any(Watch& watch) {
        found_.clear();
        for (size_t i = 0; i < frontier_.size(); ++i) {
            const V u = frontier_[i];
            if ((i & 1023) == 1023 && watch.poll()) return;
            const Bits from = last_[u];
            for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e) {
                if (e + 8 < g_.offsets[u + 1]) {
                    STEPPE_PREFETCH(&seen_[g_.targets[e + 8]]);
                    STEPPE_PREFETCH_WRITE(&next_[g_.targets[e + 8]]);
                }
                const V v = g_.targets[e];
                uint64_t fresh = 0, before = 0;
                for (int k = 0; k < kWords; ++k) {
                    const uint64_t bits = from[k] & ~seen_[v][k];
                    before |= next_[v][k];
                    next_[v][k] |= bits;
                    fresh |= bits;
                }
                if (fresh && !before) found_.push_back(v);
            }
        }
    }

    STEPPE_INLINE void bottom_up_any(const Bits& all, Watch& watch) {
        found_.clear();
        for (int64_t v = 0; v < g_.n; ++v) {
            if ((v & 1023) == 1023 && watch.poll()) return;
            Bits missing;
            for (int k = 0; k < kWords; ++k) missing[k] = all[k] & ~seen_[v][k];
            if (!any(missing)) continue;
            Bits got{};
            for (int64_t e = in_->offsets[v]; e < in_->offsets[v + 1]; ++e) {
                if (e + 8 < in_->offsets[v + 1]) STEPPE_PREFETCH(&last_[in_->targets[e + 8]]);
                const Bits& from = last_[in_->targets[e]];
                uint64_t left = 0;
                for (int k = 0; k < kWords; ++k) {
                    got[k] |= from[k];
                    left |= missing[k] & ~got[k];
                }
                if (!left) break;
            }
            uint64_t fresh = 0;
            for (int k = 0; k < kWords; ++k) fresh |= next_[v][k] = got[k] & missing[k];
            if (fresh) found_.push_back(static_cast<V>(v));
        }
    }

    // What was found becomes the frontier.
    void settle(int64_t level, uint8_t byte, HopSums* sums, size_t sources) {
        for (const V u : frontier_) last_[u] = {};
        Counters counters;
        for (const V v : found_) {
            const Bits fresh = last_[v] = next_[v];
            next_[v] = {};
            for (int k = 0; k < kWords; ++k) seen_[v][k] |= fresh[k];
            if (sums) counters.add(fresh);
            if (levels_.size()) write_byte(levels_.data() + static_cast<int64_t>(v) * kSources, fresh, byte);
        }
        std::swap(frontier_, found_);
        if (!sums) return;
        counters.flush();
        for (size_t i = 0; i < sources; ++i)
            if (const int64_t count = counters.total[i]) {
                sums[i].furthest = level;
                sums[i].count += count;
                sums[i].sum += count * level;
            }
    }
    static void write_byte(uint8_t* to, const Bits& bits, uint8_t byte) {
#if STEPPE_AVX512
        static const bool masked = __builtin_cpu_supports("avx512bw");
        if (masked && search::avx512_wanted()) return write_masked(to, bits, byte);
#endif
        for (int k = 0; k < kWords; ++k)
            for (uint64_t word = bits[k]; word; word &= word - 1) to[64 * k + std::countr_zero(word)] = byte;
    }

#if STEPPE_AVX512
    __attribute__((target("avx512f,avx512bw"))) static void write_masked(uint8_t* to, const Bits& bits, uint8_t byte) {
        const __m512i all = _mm512_set1_epi8(static_cast<char>(byte));
        for (int k = 0; k < kWords; ++k)
            if (bits[k]) _mm512_mask_storeu_epi8(to + 64 * k, bits[k], all);
    }
#endif

    // A counter for each source, bit b of all of them in plane b.
    struct Counters {
        static constexpr int kPlanes = 12;
        std::array<Bits, kPlanes> planes{};
        std::array<int64_t, kSources> total{};
        int pending = 0;
        void add(const Bits& bits) {
            Bits carry = bits;
            for (int p = 0; p < kPlanes; ++p) {
                uint64_t some = 0;
                for (int k = 0; k < kWords; ++k) {
                    const uint64_t sum = planes[p][k] ^ carry[k];
                    carry[k] &= planes[p][k];
                    planes[p][k] = sum;
                    some |= carry[k];
                }
                if (!some) break;
            }
            if (++pending == (1 << kPlanes) - 1) flush();
        }
        void flush() {
            pending = 0;
            for (int p = 0; p < kPlanes; ++p)
                for (int k = 0; k < kWords; ++k)
                    for (uint64_t word = std::exchange(planes[p][k], 0); word; word &= word - 1)
                        total[64 * k + std::countr_zero(word)] += int64_t{1} << p;
        }
    };

    const Rows& g_;
    const Rows* const in_;
    Buffer<Bits> seen_, last_, next_;
    Buffer<uint8_t> levels_;  // n x kSources
    std::vector<V> frontier_, found_;
};

// Rows of hops, or what is told of them, for any number of sources.
template <class V, int kWords>
class Hops {
  public:
    using Group = HopGroup<V, kWords>;
    using Rows = typename Group::Rows;
    Hops(const Rows& g, const Rows* in, std::span<const int64_t> sources, int64_t most, int threads, Watch& watch)
        : g_(g), in_(in), sources_(sources), most_(most), threads_(threads), watch_(watch), inner_([this](int64_t) {
              return watch_.poll(LOAD(&done_));
          }) {}

    // columns empty: every vertex.
    void rows(std::span<const int64_t> columns, bool all, int64_t* to) {
        const int64_t width = all ? g_.n : static_cast<int64_t>(columns.size());
        each_group(
            [&](Group& group, int64_t first, std::span<const int64_t> sources) {
                bool begun = false;
                group.run(
                    sources, most_, nullptr,
                    [&](int64_t base) {
                        if (all) write_all(group, sources.size(), base, begun, to + first * width);
                        else write_columns(group, sources.size(), base, begun, columns, to + first * width);
                        begun = true;
                    },
                    inner_);
            },
            true);
    }
    void sums(HopSums* to) {
        each_group(
            [&](Group& group, int64_t first, std::span<const int64_t> sources) {
                group.run(sources, most_, to + first, [](int64_t) {}, inner_);
            },
            false);
    }

  private:
    template <class F>
    void each_group(F f, bool rows) {
        const int64_t count = static_cast<int64_t>(sources_.size());
        // Groups of equal size, so that the last thread does not wait long; whole words of sources.
        const int64_t least = (count + Group::kSources - 1) / Group::kSources;
        const int64_t groups = std::max<int64_t>(1, (least + threads_ - 1) / threads_ * threads_);
        const int64_t size =
            std::clamp<int64_t>((count + groups - 1) / groups, std::min<int64_t>(64, count), Group::kSources);
        std::vector<std::optional<Group>> kept(static_cast<size_t>(std::max(1, threads_)));
        parallel_for(threads_, (count + size - 1) / size, 1, [&](int64_t begin, int64_t end, int thread) {
            for (int64_t i = begin; i < end && !inner_.stopped(); ++i) {
                if (!kept[thread]) kept[thread].emplace(g_, in_, rows);
                const int64_t first = i * size, last = std::min(count, first + size);
                f(*kept[thread], first,
                  sources_.subspan(static_cast<size_t>(first), static_cast<size_t>(last - first)));
                ADD(&done_, last - first);
                inner_.poll();
            }
        });
        inner_.check();
    }
    void write_all(const Group& group, size_t sources, int64_t base, bool begun, int64_t* to) {
        const int64_t whole = g_.n / 8 * 8;
        for (int64_t v = 0; v < whole; v += kTile) {
            if (inner_.poll()) return;
            const int64_t end = std::min(whole, v + kTile);
            for (size_t i = 0; i < sources; i += 8) {
                alignas(64) uint64_t bytes[8][kTile / 8];
                for (int64_t u = v; u < end; u += 8) {
                    uint64_t turned[8];
                    group.levels(u, i, turned);
                    for (int j = 0; j < 8; ++j) bytes[j][(u - v) / 8] = turned[j];
                }
                for (size_t j = i; j < std::min(i + 8, sources); ++j)
                    write(reinterpret_cast<const uint8_t*>(bytes[j - i]), end - v, base, begun,
                          to + static_cast<int64_t>(j) * g_.n + v);
            }
        }
        for (int64_t v = whole; v < g_.n; ++v)
            for (size_t i = 0; i < sources; ++i) {
                const uint8_t byte = group.level(v, i);
                write(&byte, 1, base, begun, to + static_cast<int64_t>(i) * g_.n + v);
            }
    }
    void write_columns(const Group& group, size_t sources, int64_t base, bool begun, std::span<const int64_t> columns,
                       int64_t* to) {
        const int64_t width = static_cast<int64_t>(columns.size());
        for (int64_t j = 0; j < width; ++j)
            for (size_t i = 0; i < sources; ++i) {
                const uint8_t byte = group.level(columns[j], i);
                write(&byte, 1, base, begun, to + static_cast<int64_t>(i) * width + j);
            }
    }
    // begun: the row has been written before, and bytes that say nothing leave it as it is.
    static void write(const uint8_t* bytes, int64_t count, int64_t base, bool begun, int64_t* to) {
        if (begun) {
            for (int64_t v = 0; v < count; ++v)
                if (bytes[v] != Group::kNothing) to[v] = base + bytes[v];
            return;
        }
#if STEPPE_AVX512
        if (search::avx512_wanted()) return write_512(bytes, count, base, to);
#endif
        write_any(bytes, count, base, to);
    }
#if STEPPE_AVX512
    STEPPE_WIDE static void write_512(const uint8_t* bytes, int64_t count, int64_t base, int64_t* to) {
        write_any(bytes, count, base, to);
    }
#endif
    STEPPE_INLINE static void write_any(const uint8_t* STEPPE_RESTRICT bytes, int64_t count, int64_t base,
                                        int64_t* STEPPE_RESTRICT to) {
        for (int64_t v = 0; v < count; ++v) to[v] = bytes[v] == Group::kNothing ? kUnreachable : base + bytes[v];
    }

    static constexpr int64_t kTile = 512;  // vertices whose bytes are turned round together
    const Rows& g_;
    const Rows* const in_;
    const std::span<const int64_t> sources_;
    const int64_t most_;
    const int threads_;
    Watch& watch_;
    Watch inner_;  // the groups ask this one: progress counts sources
    int64_t done_ = 0;
};

}  // namespace steppe::matrix

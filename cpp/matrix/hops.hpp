// Hops from many sources at once: breadth-first searches that share every read of an edge.
//
// A group of up to 512 sources has a bit each. For every vertex three rows of bits are kept: which searches have seen
// it, which reached it in the last level, and which do in this one; an edge then serves 512 searches by a few
// operations on words. On graphs of small diameter the frontiers of all searches are nearly the whole graph after a few
// levels, so the edges are read some ten times for 512 searches and not 512 times.
//
// A level goes top down along a list of the vertices that some search reached last, while those have few edges, else
// bottom up: every vertex that some search has not seen collects the bits of its in-neighbours, and stops early when
// all have come. Only searches that reached something in the last level are waited for: without this the few sources of
// a small component make every vertex of the large one read all its edges in every level. Levels are kept as digits
// (hop_levels.hpp). Where only the farthest, the sum or the count is wanted, there are none: bits are added up in
// vertical counters (a number for each source, spread over words: two operations a vertex and word, on average).
//
// Then et al., "The more the merrier: efficient multi-source graph traversal", PVLDB 8 (2014). Threads share a group, a
// part of the vertices each: 512 searches read an edge no more often than 256, and each read is a cache line.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "matrix/hop_levels.hpp"
#include "rows/csr.hpp"
#include "search/scan_avx512.hpp"

namespace steppe::matrix {

// The summary of a source, instead of its row: the distance of the furthest vertex it reaches, the sum of all
// distances, and how many vertices it reaches, itself among them.
struct HopSums {
    int64_t furthest = 0, sum = 0, count = 1;
};

// One group of up to 64 * kWords sources. Wanted: rows, or sums.
template <class V, int kWords>
class HopGroup {
  public:
    using Levels = HopLevels<kWords>;
    using Bits = typename Levels::Bits;
    using Rows = rows::Csr<V, int32_t>;
    static constexpr int64_t kSources = Levels::kSources;

    // in: the in-edges, null where there are none.
    HopGroup(const Rows& g, const Rows* in, bool rows, int threads)
        : g_(g),
          in_(in),
          threads_(std::max(1, threads)),
          levels_(g.n, rows, threads_),
          last_(levels_.make()),
          next_(levels_.make()),
          mine_(static_cast<size_t>(threads_)) {}

    // Up to `most` levels; sums: null, or where summaries are written.
    void run(std::span<const int64_t> sources, int64_t most, HopSums* sums, Watch& watch) {
        levels_.begin();
        for (Buffer<Bits>* bits : {&last_, &next_}) levels_.clear(*bits);
        bool stale = false;  // next_ is not zero
        frontier_.clear();
        Bits live{};
        for (size_t i = 0; i < sources.size(); ++i) {
            if (!any(last_[sources[i]])) frontier_.push_back(static_cast<V>(sources[i]));
            last_[sources[i]][i / 64] |= uint64_t{1} << (i % 64);
            live[i / 64] |= uint64_t{1} << (i % 64);
            if (sums) sums[i] = {};
        }
        levels_.next(0);
        int64_t edges = 0,
                left = g_.edges();  // out-edges of the frontier; at most, in-edges of vertices not yet reached
        for (const V v : frontier_) {
            levels_.mark(v, last_[v]);
            edges += g_.degree(v);
        }
        for (int64_t level = 1; level <= most && any(live) && !watch.poll(); ++level) {
            levels_.next(level);
            for (Mine& mine : mine_) mine = {};
            // Reading an edge top down costs several reads bottom up, and bottom up goes through all vertices.
            if (in_ && 8 * edges > left + g_.n / 4) {
                bottom_up(live, sums != nullptr, watch);
                left = 0;
                for (const Mine& mine : mine_) left += mine.left;
                stale = true;
                frontier_.clear();
            } else {
                if (stale) {
                    levels_.clear(next_);
                    for (int64_t v = 0; v < g_.n; ++v)
                        if (any(last_[v])) frontier_.push_back(static_cast<V>(v));
                    stale = false;
                }
                top_down(sums != nullptr, watch);
            }
            std::swap(last_, next_);
            live = {};
            edges = 0;
            for (Mine& mine : mine_) {
                edges += mine.edges;
                for (int k = 0; k < kWords; ++k) live[k] |= mine.live[k];
            }
            if (sums) add_up(level, sums, sources.size());
        }
    }

    // Writes what run found, by rows; can be called once: see HopLevels::write.
    int64_t write(size_t sources, const LevelsTo& to, int64_t at, Watch& watch) {
        return levels_.write(static_cast<int64_t>(sources), to, at, next_, watch);
    }
    int64_t write(size_t sources, std::span<const int64_t> columns, const LevelsTo& to, int64_t at, Watch& watch) {
        return levels_.write(static_cast<int64_t>(sources), columns, to, at, watch);
    }

  private:
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

    // What a thread has found in a level: searches that go on, out-edges, how many vertices each search has reached;
    // and the in-edges of vertices that some search has not.
    struct alignas(64) Mine {
        Bits live{};
        int64_t edges = 0, left = 0;
        Counters counters;
    };
    static constexpr int64_t kBlock = 2048;  // vertices that a thread takes at once
    static constexpr int kAhead = 32;        // edges

    static bool any(const Bits& bits) {
        uint64_t some = 0;
        for (const uint64_t word : bits) some |= word;
        return some != 0;
    }
    STEPPE_INLINE void found(V v, const Bits& fresh, bool counted, Mine& mine) {
        levels_.mark(v, fresh);
        mine.edges += g_.degree(v);
        for (int k = 0; k < kWords; ++k) mine.live[k] |= fresh[k];
        if (counted) mine.counters.add(fresh);
    }

    // The loops over words, compiled for the widest registers there are.
#if STEPPE_AVX512
    STEPPE_WIDE void top_down_512(bool counted, Watch& watch) { top_down_any(counted, watch); }
    STEPPE_WIDE void bottom_up_512(int64_t begin, int64_t end, const Bits& live, bool counted, Mine& mine) {
        if constexpr (kWords > 1) bottom_up_line(begin, end, live, counted, mine);
        else bottom_up_any(begin, end, live, counted, mine);
    }
#endif
    void top_down(bool counted, Watch& watch) {
#if STEPPE_AVX512
        if (search::avx512_wanted()) return top_down_512(counted, watch);
#endif
        top_down_any(counted, watch);
    }
    void bottom_up(const Bits& searches, bool counted, Watch& watch) {
        alignas(64) const Bits live = searches;
        parallel_for(threads_, g_.n, kBlock, watch, [&](int64_t begin, int64_t end, int thread) {
#if STEPPE_AVX512
            if (search::avx512_wanted()) return bottom_up_512(begin, end, live, counted, mine_[thread]);
#endif
            bottom_up_any(begin, end, live, counted, mine_[thread]);
        });
    }

    // By one thread: this is for levels with few edges.
    STEPPE_INLINE void top_down_any(bool counted, Watch& watch) {
        found_.clear();
        for (size_t i = 0; i < frontier_.size(); ++i) {
            const V u = frontier_[i];
            if ((i & 1023) == 1023 && watch.poll()) return;
            const Bits from = last_[u];
            for (int64_t e = g_.offsets[u]; e < g_.offsets[u + 1]; ++e) {
                if (e + 8 < g_.offsets[u + 1]) {
                    levels_.prefetch(g_.targets[e + 8]);
                    STEPPE_PREFETCH_WRITE(&next_[g_.targets[e + 8]]);
                }
                const V v = g_.targets[e];
                const Bits& seen = levels_.seen(v);
                uint64_t fresh = 0, before = 0;
                for (int k = 0; k < kWords; ++k) {
                    const uint64_t bits = from[k] & ~seen[k];
                    before |= next_[v][k];
                    next_[v][k] |= bits;
                    fresh |= bits;
                }
                if (fresh && !before) found_.push_back(v);
            }
        }
        for (const V u : frontier_) last_[u] = {};
        for (const V v : found_) found(v, next_[v], counted, mine_[0]);
        std::swap(frontier_, found_);
    }

    STEPPE_INLINE void bottom_up_any(int64_t begin, int64_t end, const Bits& live, bool counted, Mine& mine) {
        for (int64_t v = begin; v < end; ++v) {
            Bits missing, got{};
            for (int k = 0; k < kWords; ++k) missing[k] = live[k] & ~levels_.seen(v)[k];
            if (any(missing) && !collect(v, missing, got)) mine.left += in_->degree(static_cast<V>(v));
            next_[v] = got;
            if (any(got)) found(static_cast<V>(v), got, counted, mine);
        }
    }
    // Collects the bits of v's in-neighbours that v lacks; returns whether v has all now.
    STEPPE_INLINE bool collect(int64_t v, const Bits& missing, Bits& got) const {
        const int64_t edges = in_->edges(), end = in_->offsets[v + 1];
        uint64_t left = 1;
        for (int64_t e = in_->offsets[v]; e < end && left; ++e) {
            // Beyond the end of the row, too: rows are short, and the next one follows.
            if (e + kAhead < edges) STEPPE_PREFETCH(&last_[in_->targets[e + kAhead]]);
            const Bits& from = last_[in_->targets[e]];
            left = 0;
            for (int k = 0; k < kWords; ++k) {
                got[k] |= from[k] & missing[k];
                left |= missing[k] ^ got[k];
            }
        }
        return !left;
    }
#if STEPPE_AVX512
    // The same where a row of bits is a register: the compiler would take eight.
    STEPPE_LANE bool some(__m128i x) { return _mm_test_epi64_mask(x, x); }
    STEPPE_LANE bool some(__m256i x) { return _mm256_test_epi64_mask(x, x); }
    STEPPE_LANE bool some(__m512i x) { return _mm512_test_epi64_mask(x, x); }
    STEPPE_WIDE void bottom_up_line(int64_t begin, int64_t end, const Bits& searches, bool counted, Mine& mine) {
        using Line = typename search::Vector<8 * kWords>::Register;
        const int64_t edges = in_->edges();
        const Line live = *reinterpret_cast<const Line*>(&searches);
        for (int64_t v = begin; v < end; ++v) {
            const Line missing = live & ~*reinterpret_cast<const Line*>(&levels_.seen(v));
            Line got = missing ^ missing;
            if (some(missing)) {
                const int64_t last = in_->offsets[v + 1];
                bool left = true;
                for (int64_t e = in_->offsets[v]; e < last && left; ++e) {
                    if (e + kAhead < edges) STEPPE_PREFETCH(&last_[in_->targets[e + kAhead]]);
                    got |= *reinterpret_cast<const Line*>(&last_[in_->targets[e]]);
                    left = some(missing & ~got);
                }
                if (left) mine.left += in_->degree(static_cast<V>(v));
                got &= missing;
            }
            *reinterpret_cast<Line*>(&next_[v]) = got;
            if (some(got)) found(static_cast<V>(v), next_[v], counted, mine);
        }
    }
#endif

    void add_up(int64_t level, HopSums* sums, size_t sources) {
        for (Mine& mine : mine_) {
            mine.counters.flush();
            for (size_t i = 0; i < sources; ++i)
                if (const int64_t count = mine.counters.total[i]) {
                    sums[i].furthest = level;
                    sums[i].count += count;
                    sums[i].sum += count * level;
                }
        }
    }

    const Rows& g_;
    const Rows* const in_;
    const int threads_;
    Levels levels_;
    Buffer<Bits> last_, next_;
    std::vector<Mine> mine_;
    std::vector<V> frontier_, found_;  // the frontier as a list, where a level goes top down
};

// Rows of hops, or their summaries, for any number of sources.
template <class V, int kWords>
class Hops {
  public:
    using Group = HopGroup<V, kWords>;
    using Rows = typename Group::Rows;
    Hops(const Rows& g, const Rows* in, std::span<const int64_t> sources, int64_t most, int threads, Watch& watch)
        : g_(g), in_(in), sources_(sources), most_(most), threads_(threads), watch_(watch), inner_([this](int64_t) {
              return watch_.poll(done_);
          }) {}

    // all: every vertex, else the columns. Returns the first entry that cannot be held, or -1.
    int64_t rows(std::span<const int64_t> columns, bool all, const LevelsTo& to) {
        const int64_t width = all ? g_.n : static_cast<int64_t>(columns.size());
        int64_t lost = -1;
        each_group(true, [&](Group& group, int64_t first, std::span<const int64_t> sources) {
            group.run(sources, most_, nullptr, inner_);
            if (inner_.stopped()) return;
            const int64_t at = first * width;
            const int64_t bad = all ? group.write(sources.size(), to, at, inner_)
                                    : group.write(sources.size(), columns, to, at, inner_);
            if (lost < 0) lost = bad;
        });
        return lost;
    }
    void sums(HopSums* to) {
        each_group(false, [&](Group& group, int64_t first, std::span<const int64_t> sources) {
            group.run(sources, most_, to + first, inner_);
        });
    }

  private:
    template <class F>
    void each_group(bool rows, F f) {
        Group group(g_, in_, rows, threads_);
        for (size_t first = 0; first < sources_.size() && !inner_.stopped();) {
            const size_t some = std::min<size_t>(Group::kSources, sources_.size() - first);
            f(group, static_cast<int64_t>(first), sources_.subspan(first, some));
            first += some;
            done_ = static_cast<int64_t>(first);
            inner_.poll();
        }
        inner_.check();
    }

    const Rows& g_;
    const Rows* const in_;
    const std::span<const int64_t> sources_;
    const int64_t most_;
    const int threads_;
    Watch& watch_;
    Watch inner_;  // polled by the groups: progress counts sources
    int64_t done_ = 0;
};

}  // namespace steppe::matrix

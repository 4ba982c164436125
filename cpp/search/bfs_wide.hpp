// The wide levels of a breadth-first search, from either side, bitmap to bitmap, shared by all threads.
//
//   top-down    every thread marks what its part of the frontier leads to in a bitmap of its own, seen already or not;
//               what is unseen of their union is the next frontier. Where few vertices are unseen, a bitmap of the
//               words that have some, small enough for the nearest cache, tells most edges to lead nowhere new. (The
//               last large level of 16 directed edges from each of a million vertices finds 110 vertices with 7 M
//               edges.)
//   bottom-up   every unseen vertex looks among its in-neighbours for one in the frontier and stops at the first.
//
// Either way a thread owns whole words of the frontier to come and gives their vertices their hops in order: there are
// no atomics, no lines that two threads write, no queues, and no random access but to bitmaps. (A million vertices, two
// threads, against hops written at random and queues merged by one: R-MAT 15 -> 9 ms, uniform 26 -> 11. A Xeon,
// November 2026.)
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/atomics.hpp"
#include "base/avx512.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"

namespace steppe::search {

// Sets of vertices as bits.
template <class V>
inline void insert(uint64_t* set, V v) {
    set[static_cast<uint64_t>(v) >> 6] |= uint64_t{1} << (v & 63);
}
template <class V>
inline bool contains(const uint64_t* set, V v) {
    return set[static_cast<uint64_t>(v) >> 6] >> (v & 63) & 1;
}

// A level's vertices, the edges that leave them, and the edges read to find them.
struct FoundLevel {
    int64_t size = 0, edges = 0, touched = 0;
    void add(const FoundLevel& part) { size += part.size, edges += part.edges, touched += part.touched; }
};

template <bool kPaths, class V>
class WideLevels {
  public:
    // counts: the edges that leave a level are counted, whatever its size; else large levels' are estimated.
    WideLevels(const rows::Csr<V, int32_t>& graph, bool counts, int threads, Watch& watch, int32_t* hops, V* pred)
        : g_(graph),
          counts_(counts),
          threads_(threads),
          watch_(watch),
          hops_(hops),
          pred_(pred),
          seen_((graph.n + 63) / 64),
          marked_(std::clamp(threads, 1, kMarkers)) {}

    uint64_t* seen() { return seen_.data(); }
    // What has been seen, word by word: word(w) are the vertices from 64 w on.
    template <class Word>
    void see(Word word) {
        parallel_for(threads_, words(), 1 << 10, [&](int64_t begin, int64_t end, int) {
            for (int64_t w = begin; w < end; ++w) seen_[w] = word(w);
        });
    }

    void to_bitmap(const std::vector<V>& queue) {
        if (!front_.size()) front_ = Buffer<uint64_t>(seen_.size()), next_front_ = Buffer<uint64_t>(seen_.size());
        std::fill(front_.begin(), front_.end(), 0);
        for (const V v : queue) insert(front_.data(), v);
    }
    void to_queue(int64_t size, std::vector<V>& queue) const {
        queue.resize(size);
        list(front_, 0, words(), queue.data());
    }

    // Bitmap to bitmap. Every thread marks what its part of the frontier leads to in a bitmap of its own, seen or not:
    // no atomics, no line that two threads write, nothing to branch upon. The unseen part of their union is the next
    // frontier; marks need not be taken back, as all of them are seen from then on.
    FoundLevel top_down(int32_t hop, int64_t unseen, int64_t touched) {
        std::vector<FoundLevel> sums(threads_);
        const bool few = unseen < g_.n / (64 * 8);
        if (few) find_open_words();
        parallel_for(static_cast<int>(marked_.size()), words(), kBlock, [&](int64_t begin, int64_t end, int t) {
            if (!marked_[t].size()) marked_[t] = Buffer<uint64_t>(seen_.size(), 0);
            for (int64_t w = begin; w < end; w += kBlock) {
                if (watch_.poll(touched)) return;
                const int64_t last = std::min(w + kBlock, end);
                sums[t].touched += few ? mark_targets<true>(w, last, marked_[t].data())
                                       : mark_targets<false>(w, last, marked_[t].data());
            }
        });
        parallel_for(threads_, words(), 256, [&](int64_t begin, int64_t end, int t) {
            if (watch_.stopped()) return;
            FoundLevel sum;
            for (int64_t w = begin; w < end; ++w) {
                uint64_t found = 0;
                for (const auto& marked : marked_)
                    if (marked.size()) found |= marked[w];
                settle(w, found & ~seen_[w], hop, sum);
            }
            sums[t].add(sum);
        });
        return end_level(sums);
    }

    // Where half of the tests succeed, a branch on each costs more than the test. So the unseen vertices of a few words
    // are listed (their in-edges are on the way meanwhile) and each round tests one in-edge of every vertex left,
    // keeping without a branch those that it left open. Where few succeed, the rest are gone through one by one.
    FoundLevel bottom_up(const rows::Csr<V, int32_t>& in, int32_t hop, int64_t touched) {
        std::vector<FoundLevel> sums(threads_);
        parallel_for(threads_, words(), 16 * kChunk, [&](int64_t begin, int64_t end, int t) {
            FoundLevel sum;
            int64_t next_poll = 0;
            for (int64_t w = begin; w < end; w += kChunk) {
                if (STEPPE_UNLIKELY(sum.touched + w - begin >= next_poll)) {
                    if (watch_.poll(touched)) return;
                    next_poll = sum.touched + w - begin + kPoll;
                }
                look_up(in, w, std::min(w + kChunk, end), hop, sum);
            }
            sums[t].add(sum);
        });
        return end_level(sums);
    }

  private:
    // The words of which some vertex is unseen.
    void find_open_words() {
        open_ = Buffer<uint64_t>((seen_.size() + 63) / 64, 0);
        for (int64_t w = 0; w < words(); ++w)
            if (~seen_[w] & mask(w)) insert(open_.data(), w);
    }

    // Returns how many edges it read. kFew: marks only in open words. Vertices that follow each other in a frontier
    // have their edges one after another, too: gone through as one list where it does not matter which edge is whose,
    // they cost one end of a loop that cannot be foreseen instead of several.
    template <bool kFew>
    int64_t mark_targets(int64_t begin, int64_t end, uint64_t* marked) {
        Run runs[kBlock * 32];
        const int64_t size = list_runs(begin, end, runs);
        const int64_t* const offsets = g_.offsets;  // in registers, whatever is written to the marks
        const V* const targets = g_.targets;
        const uint64_t* const open = open_.data();
        const auto mark = [&](V u, int64_t first, int64_t last) {
            for (int64_t e = first; e < last; ++e) {
                const V v = targets[e];
                if (kFew && STEPPE_LIKELY(!contains(open, static_cast<uint64_t>(v) >> 6))) continue;
                insert(marked, v);
                // Any edge into a vertex will do: the last write stays.
                if constexpr (kPaths)
                    if (!contains(seen_.data(), v)) STORE(&pred_[v], u);
            }
        };
        int64_t read = 0;
        for (int64_t i = 0; i < size; ++i) {
            if (i + 32 < size) STEPPE_PREFETCH(&offsets[runs[i + 32].first]);
            if (i + 16 < size) {
                const V* ahead = &targets[offsets[runs[i + 16].first]];
                STEPPE_PREFETCH(ahead);
                STEPPE_PREFETCH(ahead + 64 / sizeof(V));
            }
            const V first = runs[i].first, last = runs[i].last;
            read += offsets[last] - offsets[first];
            if constexpr (kPaths)
                for (V u = first; u < last; ++u) mark(u, offsets[u], offsets[u + 1]);
            else mark(first, offsets[first], offsets[last]);
        }
        return read;
    }

    // The frontier's vertices of words [begin, end), as [first, last) of those that follow each other in a word.
    struct Run {
        V first, last;
    };
    int64_t list_runs(int64_t begin, int64_t end, Run* to) const {
        int64_t size = 0;
        for (int64_t w = begin; w < end; ++w)
            for (uint64_t word = front_[w]; word;) {
                const int first = std::countr_zero(word), length = std::countr_one(word >> first);
                to[size++] = {static_cast<V>(w * 64 + first), static_cast<V>(w * 64 + first + length)};
                word &= word + (uint64_t{1} << first);  // carries over the lowest ones
            }
        return size;
    }

    void look_up(const rows::Csr<V, int32_t>& in, int64_t begin, int64_t end, int32_t hop, FoundLevel& sum) {
        struct Open {
            int64_t e, last;
            V v;
        } open[kChunk * 64];
        uint64_t found[kChunk] = {};
        const V* const sources = in.targets;
        int64_t size = 0;
        for (int64_t w = begin; w < end; ++w)
            for (uint64_t unseen = ~seen_[w] & mask(w); unseen; unseen &= unseen - 1) {
                const V v = static_cast<V>(w * 64 + std::countr_zero(unseen));
                const int64_t first = in.offsets[v], last = in.offsets[v + 1];
                STEPPE_PREFETCH(&sources[first]);
                open[size] = {first, last, v};
                size += first < last;
            }
        for (bool many = true; size && many;) {
            int64_t left = 0, hits = 0;
            for (int64_t i = 0; i < size; ++i) {
                Open o = open[i];
                const V u = sources[o.e];
                const bool hit = contains(front_.data(), u);
                found[(static_cast<uint64_t>(o.v) >> 6) - begin] |= uint64_t{hit} << (o.v & 63);
                if constexpr (kPaths) pred_[o.v] = hit ? u : V{-1};
                ++o.e;
                open[left] = o;
                left += !hit & (o.e < o.last);
                hits += hit;
            }
            sum.touched += size - hits;
            many = hits * 4 >= size;
            size = left;
        }
        for (int64_t i = 0; i < size; ++i) {
            const Open o = open[i];
            int64_t e = o.e;
            while (e < o.last && !contains(front_.data(), sources[e])) ++e;
            sum.touched += e - o.e;
            if (e == o.last) continue;
            found[(static_cast<uint64_t>(o.v) >> 6) - begin] |= uint64_t{1} << (o.v & 63);
            if constexpr (kPaths) pred_[o.v] = sources[e];
        }
        for (int64_t w = begin; w < end; ++w) settle(w, found[w - begin], hop, sum);
    }

    // The vertices found of a word are the next frontier's.
    void settle(int64_t w, uint64_t found, int32_t hop, FoundLevel& sum) {
        seen_[w] |= found;
        next_front_[w] = found;
        sum.size += std::popcount(found);
        if (counts_) sum.edges += edges_of(w, found);
        int32_t* const hops = hops_ + w * 64;
#if STEPPE_AVX512
        if (found && avx512_wanted()) return store_where(found, hop, hops);
#endif
        for (; found; found &= found - 1) hops[std::countr_zero(found)] = hop;
    }
#if STEPPE_AVX512
    // Sixteen hops at once; the others stay as they are. (16 directed edges from each of a million vertices: 5 % of
    // all.)
    STEPPE_WIDE static void store_where(uint64_t set, int32_t hop, int32_t* hops) {
        for (int i = 0; i < 64; i += 16)
            _mm512_mask_storeu_epi32(hops + i, static_cast<__mmask16>(set >> i), _mm512_set1_epi32(hop));
    }
#endif

    FoundLevel end_level(const std::vector<FoundLevel>& sums) {
        FoundLevel all;
        if (watch_.stopped()) return all;
        for (const FoundLevel& sum : sums) all.add(sum);
        std::swap(front_, next_front_);
        if (!counts_ && all.size > kLarge) all.edges = all.size * (g_.edges() / g_.n + 1);
        else if (!counts_)
            for (int64_t w = 0; w < words(); ++w) all.edges += edges_of(w, front_[w]);
        return all;
    }

    // The edges that leave the vertices of a word.
    int64_t edges_of(int64_t w, uint64_t set) const {
        const int64_t* const offsets = g_.offsets + w * 64;
        int64_t edges = 0;
        for (; set; set &= set - 1) edges += offsets[std::countr_zero(set) + 1] - offsets[std::countr_zero(set)];
        return edges;
    }

    int64_t words() const { return static_cast<int64_t>(seen_.size()); }
    // The bits of a word that are vertices.
    uint64_t mask(int64_t w) const {
        return w == words() - 1 && g_.n % 64 ? (uint64_t{1} << (g_.n % 64)) - 1 : ~uint64_t{0};
    }
    // The vertices of words [begin, end) of a set, in order; returns how many.
    static int64_t list(const Buffer<uint64_t>& set, int64_t begin, int64_t end, V* to) {
        int64_t size = 0;
        for (int64_t w = begin; w < end; ++w)
            for (uint64_t word = set[w]; word; word &= word - 1)
                to[size++] = static_cast<V>(w * 64 + std::countr_zero(word));
        return size;
    }

    // Words of the bitmap that are listed at a time, top-down and bottom-up: the lists, and from below the first
    // in-edges of each vertex listed, fit into the nearest caches.
    static constexpr int64_t kBlock = 64, kChunk = 16;
    // Threads that mark: the bitmaps of so many are as large as the hops, and more would be more memory than a caller
    // expects.
    static constexpr int kMarkers = 32;
    static constexpr int64_t kLarge = 1 << 15;  // vertices that are a wide level even with an edge each
    // Edges between two looks whether to stop.
    static constexpr int64_t kPoll = 1 << 16;
    const rows::Csr<V, int32_t>& g_;
    const bool counts_;
    const int threads_;
    Watch& watch_;
    int32_t* hops_;
    V* pred_;
    Buffer<uint64_t> seen_, front_, next_front_, open_;
    std::vector<Buffer<uint64_t>> marked_;  // by thread; made when it first marks
};

}  // namespace steppe::search

// Scatter: edges in any order -> rows, without a second copy of them; and the id of each stored edge.
//
// build.hpp deals all edges into blocks first, which is quick and takes half as much memory again as the rows. Here the
// rows are the only large array: vertices are divided into strips, a thread takes a strip, reads all ends, and writes
// the edges that belong to it where they stay. A strip is a small part of the rows, so the writes hit the cache, and
// no other thread writes there: atomics only count. The offsets themselves are the positions to write to next; when all
// is written each has become the end of its row, and they are shifted by one. Edges stay in their given order, as in
// build.hpp: the rows are the same, bit for bit.
//
// The same sweep with edge numbers instead of targets gives the ids of edges (`edge_order`). They are computed on
// demand, from arrays that may have been changed since; so each edge is compared with what is stored.
//
// Edges come in chunks, as tables have them. So nothing is concatenated, and no second copy of the columns is ever in
// memory.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "rows/csr.hpp"

namespace steppe::rows {

// A stretch of the edges given. Vertex 0 is called `base` there.
template <class I>
struct Ends {
    const I* sources;
    const I* targets;
    int64_t count;
};

// put(u, v, e, chunk, i) for every edge e (number i of its chunk) whose u lies in [low, high); with `opposites` also
// for v -> u, unless that is a loop.
template <class I, class Put>
void each_in_strip(std::span<const Ends<I>> chunks, int64_t base, bool opposites, int64_t low, int64_t high,
                   Watch& watch, Put put) {
    const auto width = static_cast<uint64_t>(high - low);
    auto inside = [&](int64_t u) { return static_cast<uint64_t>(u) - static_cast<uint64_t>(low) < width; };
    int64_t e = 0;
    for (size_t c = 0; c < chunks.size(); ++c) {
        const Ends<I>& chunk = chunks[c];
        // Unsigned: ids that were changed meanwhile may be anything, and are found out by the caller.
        auto vertex = [base](I id) {
            return static_cast<int64_t>(static_cast<uint64_t>(id) - static_cast<uint64_t>(base));
        };
        for (int64_t i = 0; i < chunk.count; ++i, ++e) {
            const int64_t u = vertex(chunk.sources[i]);
            if (inside(u)) put(u, vertex(chunk.targets[i]), e, c, i);
            if (opposites) {
                const int64_t v = vertex(chunk.targets[i]);
                if (inside(v) && v != u) put(v, u, e, c, i);
            }
            if ((e & kPollMask) == kPollMask && watch.poll()) return;
        }
    }
}

// f(low, high) for strips of [0, n), each on one thread.
template <class F>
void for_strips(int64_t n, int threads, Watch& watch, F f) {
    const int64_t strips = std::min<int64_t>(n, threads <= 8 ? 8 : threads);  // an eighth of the rows fits a cache
    parallel_for(threads, strips, 1, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t s = begin; s < end; ++s) f(n * s / strips, n * (s + 1) / strips);
    });
}

// Writes offsets[0..n] and calls put(at, v, chunk, i) for every stored edge. Ids must be in [base, base + n).
template <class I, class Put>
void scatter(std::span<const Ends<I>> chunks, int64_t base, bool opposites, int64_t n, int64_t* offsets, int threads,
             Watch& watch, Put put) {
    std::fill(offsets, offsets + n + 1, 0);
    for (const Ends<I>& chunk : chunks)
        parallel_for(threads, chunk.count, 1 << 16, watch, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) {
                const I u = chunk.sources[i], v = chunk.targets[i];
                ADD(&offsets[u - base], int64_t{1});
                if (opposites && u != v) ADD(&offsets[v - base], int64_t{1});
            }
        });
    int64_t total = 0;
    for (int64_t u = 0; u <= n; ++u) total += std::exchange(offsets[u], total);
    for_strips(n, threads, watch, [&](int64_t low, int64_t high) {
        each_in_strip(chunks, base, opposites, low, high, watch,
                      [&](int64_t u, int64_t v, int64_t, size_t c, int64_t i) { put(offsets[u]++, v, c, i); });
    });
    std::memmove(offsets + 1, offsets, n * sizeof(int64_t));
    offsets[0] = 0;
}

// order[at] = the number of the edge given that the stored edge `at` is. False: these are not the edges of these rows.
template <class I, class V, class O>
bool edge_order(std::span<const Ends<I>> chunks, int64_t base, bool opposites, const Csr<V, int32_t>& g, O* order,
                int threads, Watch& watch) {
    Buffer<int64_t> place(g.n);
    std::copy(g.offsets, g.offsets + g.n, place.begin());
    std::atomic<bool> same{true};
    for_strips(g.n, threads, watch, [&](int64_t low, int64_t high) {
        each_in_strip(chunks, base, opposites, low, high, watch, [&](int64_t u, int64_t v, int64_t e, size_t, int64_t) {
            const int64_t at = place[u];
            if (at == g.offsets[u + 1] || g.targets[at] != v) return same.store(false, std::memory_order_relaxed);
            order[at] = static_cast<O>(e);
            ++place[u];
        });
        for (int64_t u = low; u < high; ++u)
            if (place[u] != g.offsets[u + 1]) same.store(false, std::memory_order_relaxed);
    });
    return same.load();
}

// The number of different ids, all of which lie in [low, high].
template <class I>
int64_t distinct_ids(std::span<const Ends<I>> chunks, int64_t low, int64_t high, int threads, Watch& watch) {
    const int64_t words = (high - low) / 64 + 1;
    std::vector<std::atomic<uint64_t>> seen(words);
    auto mark = [&](int64_t id) {
        std::atomic<uint64_t>& word = seen[(id - low) >> 6];
        const uint64_t bit = uint64_t{1} << ((id - low) & 63);
        if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
    };
    for (const Ends<I>& chunk : chunks)
        parallel_for(threads, chunk.count, 1 << 16, watch, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) mark(chunk.sources[i]), mark(chunk.targets[i]);
        });
    int64_t count = 0;
    for (const auto& word : seen) count += std::popcount(word.load(std::memory_order_relaxed));
    return count;
}

}  // namespace steppe::rows

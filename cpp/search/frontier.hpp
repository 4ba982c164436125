// Frontier: the documents' "dijkstra GPU" (000) on CPU threads. Rounds of relax and commit until nothing changes.
//
//   relax    every out-edge of a vertex changed in the last round: MIN into predist, where many threads may meet
//   commit   predist becomes dist for the vertices that improved; they are the next round's frontier
//
// The document's loop visits every vertex in every round; here the changed vertices are kept in a queue (each once, by
// a flag taken with CAS), so a round costs what its frontier costs. A round reads only distances committed before it,
// which makes the rounds, though not the order within one, deterministic: after round k every distance is at most that
// of the best path of k edges. With record_paths predist and its predecessor change together (tentative.hpp, document
// 003). Harish & Narayanan, "Accelerating large graph algorithms on the GPU using CUDA", HiPC 2007.
#pragma once
#include <vector>

#include "rows/csr.hpp"
#include "search/search.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// Vertices of a round from which handing it to the other threads pays. (300,000 vertices of eight random edges, two
// threads of a busy Xeon, November 2026: shared always 235 ms, from 2^8 on 266, from 2^10 on 141, from 2^13 on 192.)
inline constexpr int64_t kFrontierWorthSharing = 1 << 10;

template <bool kPaths, class V, class W, class D>
Stats frontier(const rows::Csr<V, W>& g, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    stats.scheme = search.threads > 1 ? "bulk-synchronous" : "one thread";
    stats.threads = search.threads;
    Buffer<D> committed(g.n);
    start<V, D>(search, g.n, committed.data(), nullptr);
    Tentative<kPaths, V, D> predist(search, g.n, dist, pred);
    Buffer<uint8_t> queued(g.n, 0);
    struct Part {  // of one thread
        std::vector<V> next;
        int64_t relaxed = 0, atomics = 0;
        bool outgrown = false;
    };
    std::vector<Part> parts(search.threads);
    std::vector<V> queue(search.sources);

    while (!queue.empty()) {
        ++stats.rounds;
        const int threads = static_cast<int64_t>(queue.size()) < kFrontierWorthSharing ? 1 : search.threads;
        parallel_for(threads, static_cast<int64_t>(queue.size()), 256, [&](int64_t begin, int64_t end, int thread) {
            Part& mine = parts[thread];
            for (int64_t i = begin; i < end && !search.watch->poll(mine.relaxed); ++i) {
                if (i + 4 < end) STEPPE_PREFETCH(&g.targets[g.offsets[queue[i + 4]]]);
                const V u = queue[i];
                const D du = committed[u];
                mine.relaxed += g.degree(u);
                for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                    const V v = g.targets[e];
                    const D candidate = du + static_cast<D>(g.weights[e]);
                    if (!(candidate < predist.load(v)) || !search.reach.admits(candidate, mine.outgrown)) continue;
                    ++mine.atomics;
                    if (!predist.improve(v, candidate, u) || LOAD(&queued[v])) continue;
                    ++mine.atomics;
                    if (CAS(&queued[v], 0, 1) == 0) mine.next.push_back(v);
                }
            }
        });
        if (search.watch->stopped()) return stats;
        queue.clear();
        for (Part& mine : parts) {
            queue.insert(queue.end(), mine.next.begin(), mine.next.end());
            mine.next.clear();
            stats.outgrown |= mine.outgrown;
        }
        if (is_in_vain<D>(stats.outgrown)) return stats;
        parallel_for(threads, static_cast<int64_t>(queue.size()), 1024, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) {
                committed[queue[i]] = predist.load(queue[i]);
                queued[queue[i]] = 0;
            }
        });
    }
    predist.finish(search.threads);
    for (const Part& mine : parts) {
        stats.edges_relaxed += mine.relaxed;
        stats.atomics += mine.atomics;
    }
    stats.edges_touched = stats.edges_relaxed;
    if (stats.edges_relaxed > 8 * g.edges())
        stats.note = "edges were relaxed again and again: buckets would be quicker";
    return stats;
}

}  // namespace steppe::search

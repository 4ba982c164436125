// Delta-stepping: buckets of vertices by tentative distance, emptied from the lowest; push, and where it pays, pull.
//
// The lowest bucket's vertices are relaxed, and vertices that fall into the bucket being emptied join it. A vertex that
// improves is simply filed again: the old entry is recognised as stale when it comes up (its vertex then lies in a
// lower bucket) and costs one comparison, which is cheaper than moving it. With delta = 1 and integer weights the order
// is exactly Dijkstra's and no edge is relaxed twice. One thread keeps its buckets in a Ring (ring.hpp) and uses no
// atomics. What several threads do is in delta_stepping_parallel.hpp.
//
// Edges are relaxed in batches of vertices, without branches (scan.hpp). On prepared graphs (rows/packed.hpp: edges
// sorted by weight, in-edges at hand) the search finishes from the other side when that reads far less (pull.hpp).
//
// Meyer & Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003); R. Dial, CACM
// 12 (1969) for delta = 1. Light and heavy edges are not told apart: with buckets this narrow nearly all are heavy.
#pragma once
#include <optional>
#include <vector>

#include "rows/csr.hpp"
#include "search/pull.hpp"
#include "search/ring.hpp"
#include "search/scan_avx512.hpp"
#include "search/search.hpp"
#include "search/tentative.hpp"

namespace steppe::search {

// The width that is asked for, or else the one that suits the graph.
template <class Rows, class V, class D>
Width<D> width_for(const Rows& g, const Search<V, D>& search) {
    if (search.delta > 0) return Width<D>(search.delta);
    return Width<D>(bucket_width(search.typical_weight, search.max_weight, g.n, g.edges(), search.threads));
}

// Buckets that a relaxation can reach.
template <class D>
int64_t span_of(double max_weight, const Width<D>& width) {
    return static_cast<int64_t>(std::min(1e9, max_weight / width.value())) + 2;
}

// Pace: whether the buckets have the right width for these weights, from what the search has seen of them.
//
// Too wide: a fourth of all entries came up for vertices that had been in the bucket before and fell again. Too narrow:
// a bucket does not fill a batch of the scan, while next to nothing is relaxed twice. Widths change by factors of four;
// one that was too wide is never tried again, so there are few changes.
template <class D>
class Pace {
  public:
    // A width that was asked for stays.
    Pace(bool fixed, double max_weight, int64_t n) : fixed_(fixed), least_(least_width(max_weight, n)) {}
    void scan(int64_t entries) { scanned_ += entries; }
    void fall_again(int64_t again) { again_ += again; }
    bool is_too_wide(const Width<D>& width) {
        if (STEPPE_LIKELY(again_ < kFew)) return false;
        if (4 * again_ > scanned_) return !fixed_ && !width.is_least() && width.value() / 4 > least_;
        if (scanned_ > 1 << 16) scanned_ /= 2, again_ /= 2, buckets_ /= 2;  // what was long ago counts less
        return false;
    }
    bool is_too_narrow(const Width<D>& width) {
        if (STEPPE_LIKELY(++buckets_ < kFew)) return false;
        if (scanned_ < 4 * buckets_ && 16 * again_ < scanned_ && 4 * width.value() < too_wide_) return !fixed_;
        scanned_ /= 2, again_ /= 2, buckets_ /= 2;
        return false;
    }
    Width<D> narrower(const Width<D>& width) {
        too_wide_ = width.value();
        return changed(width.value() / 4);
    }
    Width<D> wider(const Width<D>& width) { return changed(width.value() * 4); }

  private:
    static constexpr int64_t kFew = 128;  // nothing is known before
    bool fixed_;
    double least_;
    Width<D> changed(double width) {
        scanned_ = again_ = buckets_ = 0;
        return Width<D>(width);
    }
    int64_t scanned_ = 0, again_ = 0, buckets_ = 0;
    double too_wide_ = std::numeric_limits<double>::infinity();
};

// Everything filed, into buckets of another width.
template <class V, class T, class D>
void refile(Ring<V>& ring, double max_weight, const T& tentative, Width<D>& width, const Width<D>& to) {
    std::vector<V> left;
    D least = kInfinity<D>;
    ring.drain([&](int64_t bucket, V v) {
        const D d = tentative.load(v);
        if (width.bucket(d) != bucket) return;  // stale
        left.push_back(v);
        least = std::min(least, d);
    });
    width = to;
    ring = Ring<V>(span_of(max_weight, width));
    if (left.empty()) return;
    ring.start_at(width.bucket(least));
    for (const V v : left) ring.file(width.bucket(tentative.load(v)), v);
}

// Pushes from `begin` until no bucket is left (then empty), or until pull_pays, if `in` is given: then the lower bound
// of all that is not final. In: the in-edges of a prepared graph, or NoEdges.
template <class Rows, class In, class T, class V, class D>
std::optional<D> push_alone(const Rows& g, const In* in, const Search<V, D>& search, Width<D>& width,
                            const std::vector<V>& begin, T& tentative, Stats& stats) {
    Ring<V> ring(span_of(search.max_weight, width));
    for (V s : begin) ring.file(width.bucket(tentative.load(s)), s);
    Pace<D> pace(search.fixed_delta, search.max_weight, g.n);
    Pending<V, T> pending(search.targets, tentative);
    const Reach<D> reach = search.reach;
    bool outgrown = false;
    int64_t relaxed = 0, next_poll = 1 << 16;
    const int64_t look = pull_look(g);
    int64_t next_look = look;
    std::optional<D> low;
    Candidates<V, D> found;

    for (int64_t b = ring.next(); b >= 0; b = ring.next()) {
        ++stats.rounds;
        if (pending.all_settled([&](D d) { return d != kInfinity<D> && width.bucket(d) < b; })) break;
        if constexpr (!std::is_same_v<In, NoEdges>) {
            if (in && STEPPE_UNLIKELY(relaxed > next_look)) {
                next_look = relaxed + look;
                if (pull_pays(*in, tentative, width.least(b), look, [](V) { return true; })) {
                    low = width.least(b);
                    break;
                }
            }
        }
        const D end = width.least(b + 1);
        for (Place at; at.i < ring.list().size();) {
            const size_t from = at.i;
            relaxed += scan_best<T::kPaths>(g, tentative, width, b, ring.list().data(), ring.list().size(), at, found);
            for (int k = 0; k < found.count; ++k) {
                if constexpr (requires { tentative.prefetch_set(V{}); })
                    if (k + 8 < found.count) tentative.prefetch_set(found.target[k + 8]);
                const V v = found.target[k];
                const D candidate = found.distance[k], before = tentative.load(v);
                if (candidate < before && reach.admits(candidate, outgrown)) {
                    tentative.set(v, candidate, T::kPaths ? found.from[k] : V{-1});
                    ring.file(width.bucket(candidate), v);
                    if constexpr (Rows::kRecords) g.prefetch_record(v);
                    pace.fall_again(before < end);
                }
            }
            if (STEPPE_UNLIKELY(relaxed > next_poll)) {
                next_poll = relaxed + (1 << 16);
                if (search.watch->poll(stats.edges_relaxed + relaxed)) return {};
            }
            pace.scan(at.i - from);
            if (STEPPE_UNLIKELY(pace.is_too_wide(width))) {
                ring.list().erase(ring.list().begin(), ring.list().begin() + at.i);
                refile(ring, search.max_weight, tentative, width, pace.narrower(width));
                ++stats.width_changes;
                break;
            }
        }
        if (STEPPE_UNLIKELY(pace.is_too_narrow(width))) {
            ring.list().clear();
            refile(ring, search.max_weight, tentative, width, pace.wider(width));
            ++stats.width_changes;
        }
        if (is_in_vain<D>(outgrown)) break;
    }
    stats.edges_relaxed += relaxed;
    stats.edges_touched += relaxed;
    stats.outgrown |= outgrown;
    return low;
}

// Pushes from `begin`, pulls where it pays, pushes what that changed. `in`: the in-edges of a prepared graph, null
// where there are none.
template <class Rows, class In, class T, class V, class D>
void finish_alone(const Rows& g, const In* in, const Search<V, D>& search, Width<D>& width, const std::vector<V>& begin,
                  T& tentative, Stats& stats) {
    if (!search.targets.empty()) in = nullptr;
    const auto low = push_alone(g, in, search, width, begin, tentative, stats);
    if constexpr (!std::is_same_v<In, NoEdges>) {
        if (low) {
            std::vector<V> changed;
            stats.note = "finished by pull";
            pull(*in, g, tentative, *low, search.reach, changed, 1, stats);
            push_alone(g, static_cast<const NoEdges*>(nullptr), search, width, changed, tentative, stats);
        }
    }
}

// The whole search on one thread.
template <bool kPaths, class Rows, class In, class V, class D>
Stats delta_stepping(const Rows& g, const In* in, const Search<V, D>& search, D* dist, V* pred) {
    Stats stats;
    stats.scheme = "one thread";
    Alone<kPaths, V, D> tentative(search, g.n, dist, pred);
    Width<D> width = width_for(g, search);
    finish_alone(g, in, search, width, search.sources, tentative, stats);
    stats.delta = width.value();
    return stats;
}

}  // namespace steppe::search

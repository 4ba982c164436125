// A pull over rows that nobody has sorted: the finish of a search in blocks on a graph whose in-edges are at hand.
// Where a graph is undirected these are its own rows, so that a first search can finish from the other side, too.
//
// As in search/pull.hpp, a vertex that may still fall looks for better ways over its in-edges. Nothing tells where to
// stop in a row. But to read all its weights in the order of memory costs an eighth of what it costs to send candidates
// over its edges, and the other end matters only for light edges, low + w < d(v), from a vertex that waits to be
// relaxed: a bit says so, and the bits of all vertices fit in cache where distances do not. What is left are few reads
// of distances, which are fetched for hundreds of edges at once before the first is compared.
//
// A pass relaxes everything that waits at its beginning; what fell in it waits for the next. Passes are made until it
// is cheaper to push that on. The first one tries the lightest edge of every vertex before it looks for light ones, of
// which few are left then, and remembers its weight: as with calibers, most vertices need no look in the next pass.
// Every thread owns the vertices it writes, and the words of their bits.
//
// RMAT without preparing (AMD EPYC, November 2026), scale 23 (259 M edges): 2.4 -> 1.1 to 1.3 s on one thread, 1.7 ->
// 0.6 to 0.8 on two; the first pass takes 0.7 s (1.0 if light edges are read without trying the lightest), two more 0.2
// and 0.1. Scale 24 (521 M): 5.6 -> 2.3, 4.5 -> 1.2.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "rows/csr.hpp"
#include "search/pull.hpp"
#include "search/tentative.hpp"

namespace steppe::external {

template <class V, class W, class D>
class PullPlain {
  public:
    using Tentative = search::OneWriter<true, V, D>;
    // lightest: no edge weighs less.
    PullPlain(const rows::Csr<V, W>& in, D lightest, Tentative& tentative, const search::Search<V, D>& search)
        : in_(in), lightest_(lightest), tentative_(tentative), search_(search) {}

    // Whether to finish from `low` on would cost far less than to push, from a sample of vertices. Costs are counted in
    // edges that are pushed.
    bool pays(D low) const {
        const int64_t step = std::max<int64_t>(1, in_.n / kSamples);
        int64_t pull = 0, push = 0;  // eighths
        for (int64_t i = 0; i < in_.n; i += step) {
            const V v = static_cast<V>(i);
            const D d = tentative_.load(v);
            if (d < low) continue;
            const int64_t first = in_.first(v), degree = in_.degree(v), last = first + std::min<int64_t>(degree, 256);
            push += 8 * degree;
            if (degree == 0 || !search::may_fall(d, low, lightest_)) continue;
            int64_t light = 0;
            for (int64_t e = first; e < last; ++e) light += is_light(e, low, d);
            pull += kVertex + degree + kLook * light * degree / (last - first);
        }
        return 2 * pull < push;
    }

    // `waiting`: a bit for every vertex that is to be relaxed, all of them at `low` or beyond; afterwards, for every
    // one that is still to be.
    void run(D low, Buffer<uint64_t>& waiting, search::Stats& stats) {
        Buffer<uint64_t> fallen(waiting.size());
        calibers_ = Buffer<W>(in_.n);
        Part all;
        int passes = 0;
        do {
            std::fill(fallen.begin(), fallen.end(), 0);
            first_ = passes == 0;
            all = pass(low, waiting.data(), fallen.data());
            std::swap(waiting, fallen);
            low = all.least;
            stats.edges_touched += all.touched;
            stats.outgrown |= all.outgrown;
        } while (all.push > all.pull && ++passes < kPasses && !search_.watch->stopped());
    }

  private:
    static constexpr int64_t kSamples = 2048;
    static constexpr int kPasses = 8;  // buckets keep the order better where one after another pays
    static constexpr int64_t kVertex = 20,
                             kLook = 5;  // eighths of an edge pushed: to find a vertex, to read a distance
    static constexpr int64_t kGrain = 1 << 14;
    static constexpr int kGroup = 256;               // vertices whose lightest edges are tried together
    static constexpr int kSlice = 64, kLight = 512;  // edges compared at a time, and those fetched together

    struct Part {
        int64_t touched = 0;         // edges
        int64_t pull = 0, push = 0;  // eighths: what this pass has cost, and what it would cost to push on
        D least = kInfinity<D>;      // of what fell
        bool outgrown = false;
    };
    struct Light {
        V from;
        W weight;
    };
    // Vertices with light edges, and these.
    struct Batch {
        int64_t numbers[kLight];
        Light edges[kLight];
        V vertices[kLight];
        int ends[kLight];
        int count = 0, found = 0;
    };

    bool is_light(int64_t e, D low, D d) const { return low + static_cast<D>(in_.weight(e)) < d; }

    Part pass(D low, const uint64_t* waiting, uint64_t* fallen) {
        const int64_t parts = (in_.n + kGrain - 1) / kGrain;
        std::vector<Part> each(parts);
        parallel_for(search_.threads, parts, 1, [&](int64_t begin, int64_t end, int) {
            for (int64_t p = begin; p < end && !search_.watch->poll(); ++p)
                each[p] = pass_part(p, low, waiting, fallen);
        });
        Part all;
        for (const Part& part : each) {
            all.touched += part.touched;
            all.pull += part.pull;
            all.push += part.push;
            all.least = std::min(all.least, part.least);
            all.outgrown |= part.outgrown;
        }
        return all;
    }

    Part pass_part(int64_t p, D low, const uint64_t* waiting, uint64_t* fallen) {
        Part part;
        Batch batch;
        V group[kGroup];
        const int64_t end = std::min(in_.n, (p + 1) * kGrain);
        for (int64_t i = p * kGrain; i < end;) {
            int count = 0;
            for (; i < end && count < kGroup; ++i) {
                group[count] = static_cast<V>(i);
                count += search::may_fall(tentative_.load(static_cast<V>(i)), low,
                                          first_ ? lightest_ : static_cast<D>(calibers_[i]));
            }
            if (first_) count = try_lightest(group, count, part, fallen);
            for (int j = 0; j < count; ++j) list(group[j], low, batch, part, waiting, fallen);
        }
        compare(batch, part, waiting, fallen);
        part.pull += part.touched;
        return part;
    }

    // Finds the lightest edge of every vertex and tries it: that makes most others too heavy. Returns how many vertices
    // have edges at all; these are left.
    int try_lightest(V* group, int count, Part& part, uint64_t* fallen) {
        int64_t lightest[kGroup];
        int left = 0;
        for (int j = 0; j < count; ++j) {
            const V v = group[j];
            const int64_t first = in_.first(v), last = in_.last(v);
            int64_t at = first;
            W least = kInfinity<W>;
            for (int64_t e = first; e < last; ++e) {
                const W w = in_.weight(e);
                at = w < least ? e : at;
                least = w < least ? w : least;
            }
            calibers_[v] = least;
            group[left] = v;
            lightest[left] = at;
            STEPPE_PREFETCH(&in_.targets[at]);
            left += last > first;
        }
        for (int j = 0; j < left; ++j) STEPPE_PREFETCH(tentative_.address(in_.target(lightest[j])));
        for (int j = 0; j < left; ++j) {
            const V u = in_.target(lightest[j]);
            const D before = tentative_.load(group[j]), du = tentative_.load(u);
            if (!(du < before)) continue;
            const D d = du + static_cast<D>(calibers_[group[j]]);
            if (d < before) fall(group[j], d, u, part, fallen);
        }
        return left;
    }

    // Lists the light edges of v.
    void list(V v, D low, Batch& batch, Part& part, const uint64_t* waiting, uint64_t* fallen) {
        const D d = tentative_.load(v);
        const int64_t last = in_.last(v);
        part.touched += last - in_.first(v);
        part.pull += kVertex;
        for (int64_t e = in_.first(v); e < last;) {
            const int64_t stop = std::min(last, e + kSlice);
            int found = batch.found;
            for (; e < stop; ++e) {
                batch.numbers[found] = e;
                found += is_light(e, low, d);
            }
            for (; batch.found < found; ++batch.found) STEPPE_PREFETCH(&in_.targets[batch.numbers[batch.found]]);
            if (batch.found > kLight - kSlice) {
                close(batch, v);
                compare(batch, part, waiting, fallen);
            }
        }
        close(batch, v);
    }
    static void close(Batch& batch, V v) {
        batch.vertices[batch.count] = v;
        batch.ends[batch.count] = batch.found;
        batch.count += batch.found > (batch.count ? batch.ends[batch.count - 1] : 0);
    }

    // Compares the distances of a batch's vertices with what comes over their light edges.
    void compare(Batch& batch, Part& part, const uint64_t* waiting, uint64_t* fallen) {
        int kept = 0;
        for (int i = 0, k = 0; i < batch.count; batch.ends[i++] = kept)
            for (; k < batch.ends[i]; ++k) {
                const V u = in_.target(batch.numbers[k]);
                batch.edges[kept] = {u, in_.weight(batch.numbers[k])};
                kept += static_cast<int>(waiting[static_cast<uint64_t>(u) >> 6] >> (u & 63) & 1);
            }
        for (int k = 0; k < kept; ++k) STEPPE_PREFETCH(tentative_.address(batch.edges[k].from));
        for (int i = 0, k = 0; i < batch.count; ++i) {
            const D before = tentative_.load(batch.vertices[i]);
            D best = before;
            V from{-1};
            for (; k < batch.ends[i]; ++k) {
                const D du = tentative_.load(batch.edges[k].from);
                if (!(du < best)) continue;  // nor may an infinite one be added to
                const D d = du + static_cast<D>(batch.edges[k].weight);
                if (d < best) best = d, from = batch.edges[k].from;
            }
            if (best < before) fall(batch.vertices[i], best, from, part, fallen);
        }
        batch.count = batch.found = 0;
    }

    void fall(V v, D d, V from, Part& part, uint64_t* fallen) {
        if (!search_.reach.admits(d, part.outgrown)) return;
        tentative_.set(v, d, from);
        uint64_t& word = fallen[static_cast<uint64_t>(v) >> 6];
        const uint64_t bit = uint64_t{1} << (v & 63);
        if (!(word & bit)) part.push += kVertex + 8 * in_.degree(v);
        word |= bit;
        part.least = std::min(part.least, d);
    }

    const rows::Csr<V, W>& in_;
    const D lightest_;
    Buffer<W> calibers_;  // of the vertices that were looked at: the lightest edges
    bool first_ = true;
    Tentative& tentative_;
    const search::Search<V, D>& search_;
};

}  // namespace steppe::external

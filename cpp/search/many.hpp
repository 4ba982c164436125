// Many sources: a matrix of distances, a row for each.
//
// With more sources than threads, one search per thread beats one search on all threads: nothing is shared, so nothing
// is waited for. Each thread keeps its arrays from source to source and takes the next source when it is done (sources
// differ: one may see the whole graph, another ten vertices). Distances are computed in the narrow type and widened
// while the row is written; a source whose distances need 64 bits is searched again, and its thread stays wide. All
// threads read the same rows, prepared ones (rows/forms.hpp) where they are. Each source may have targets of its own
// (pairs), and its search ends with the last of them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "rows/forms.hpp"
#include "search/answer.hpp"
#include "search/methods.hpp"

namespace steppe::search {

// What is wanted of each source: the vertices of `list`, or every vertex where there is none; with `offsets`, those
// from offsets[i] to offsets[i + 1] of source i.
struct Columns {
    std::optional<std::span<const int64_t>> list;
    const int64_t* offsets = nullptr;

    int64_t width(int64_t i, int64_t n) const {
        if (offsets) return offsets[i + 1] - offsets[i];
        return list ? static_cast<int64_t>(list->size()) : n;
    }
    // Where the entries of source i begin.
    int64_t first(int64_t i, int64_t n) const { return offsets ? offsets[i] : i * width(i, n); }
    std::span<const int64_t> of(int64_t i) const {
        if (!list) return {};
        return offsets ? list->subspan(static_cast<size_t>(offsets[i]), static_cast<size_t>(width(i, 0))) : *list;
    }
};

// g: with weights, unless every edge has length 1; then the method does not matter.
template <class V, class W, class R>
class ManySearches {
  public:
    // A row for each source of `q`, a column for each of `columns`; without columns, for every vertex. Targets of `q`
    // play no part.
    ManySearches(Method method, const rows::View<V, W>& g, const Question& q, const Columns& columns, R* rows,
                 Watch& watch)
        : method_(method), g_(g), q_(q), columns_(columns), rows_(rows), watch_(watch), inner_([this](int64_t) {
              return watch_.poll(LOAD(&done_));
          }) {}

    // Fills the rows; returns the first source some distance from which does not fit in 64 bits, or -1.
    int64_t run() {
        std::vector<Lane> lanes(static_cast<size_t>(q_.threads));
        parallel_for(q_.threads, count_, 1, [&](int64_t begin, int64_t end, int thread) {
            for (int64_t i = begin; i < end && !inner_.stopped(); ++i) {
                lanes[thread].row(*this, i);
                ADD(&done_, int64_t{1});
                inner_.poll();
            }
        });
        inner_.check();
        return lost_ == count_ ? -1 : lost_;
    }

  private:
    // What one thread keeps from source to source.
    struct Lane {
        Buffer<Narrow<W>> narrow;
        Buffer<Wide<W>> wide;
        Buffer<V> queue;
        bool is_wide = false;

        void row(ManySearches& m, int64_t i) {
            if constexpr (std::is_integral_v<W>)  // without weights W is int32
                if (!m.g_.csr.weights) return m.hops(i, narrow, queue);
            const bool found = widen<V, W>(is_wide, [&]<class D, bool kLast>() {
                if constexpr (std::is_same_v<D, Narrow<W>>) return m.template search<kLast>(i, narrow);
                else return m.template search<kLast>(i, wide);
            });
            if (!found) m.lose(i);
        }
    };

    // False: some distance does not fit in D, and the row has not been written.
    template <bool kLast, class D>
    bool search(int64_t i, Buffer<D>& dist) {
        if (dist.size() == 0) dist = Buffer<D>(g_.csr.n);
        Question one = q_;
        one.sources = q_.sources.subspan(static_cast<size_t>(i), 1);
        one.targets = columns_.of(i);
        one.threads = 1;
        const Search<V, D> s(one, inner_);
        const Stats stats = search::run<false>(method_, g_, s, dist.data(), static_cast<V*>(nullptr));
        if (inner_.stopped()) return true;
        if (stats.outgrown && is_lost<kLast, true>(g_.csr, s.targets, dist.data(), inner_)) return false;
        write(i, dist.data());
        return true;
    }

    // Breadth-first, where every edge has length 1.
    void hops(int64_t i, Buffer<Narrow<W>>& dist, Buffer<V>& queue) {
        using D = Narrow<W>;
        if (dist.size() == 0) dist = Buffer<D>(g_.csr.n), queue = Buffer<V>(g_.csr.n);
        std::fill(dist.begin(), dist.end(), kInfinity<D>);
        const D last = q_.reach<D>().limit();
        int64_t head = 0, tail = 0;
        dist[q_.sources[i]] = 0;
        queue[tail++] = static_cast<V>(q_.sources[i]);
        while (head < tail) {
            if ((head & 4095) == 4095 && inner_.poll()) return;
            const V u = queue[head++];
            const D next = dist[u] + 1;
            if (next > last) break;
            for (int64_t e = g_.csr.offsets[u]; e < g_.csr.offsets[u + 1]; ++e) {
                const V v = g_.csr.targets[e];
                if (dist[v] != kInfinity<D>) continue;
                dist[v] = next;
                queue[tail++] = v;
            }
        }
        write(i, dist.data());
    }

    template <class D>
    void write(int64_t i, const D* dist) {
        const int64_t width = columns_.width(i, g_.csr.n);
        const std::span<const int64_t> wanted = columns_.of(i);
        R* row = rows_ + columns_.first(i, g_.csr.n);
        for (int64_t j = 0; j < width; ++j) row[j] = as_public<R>(dist[columns_.list ? wanted[j] : j], kInfinity<D>);
    }

    void lose(int64_t i) { MIN(&lost_, i); }

    const Method method_;
    const rows::View<V, W>& g_;
    const Question& q_;
    const Columns columns_;
    R* const rows_;
    Watch& watch_;
    Watch inner_;  // the searches ask this one: progress counts sources, not the edges of each
    const int64_t count_ = static_cast<int64_t>(q_.sources.size());
    int64_t done_ = 0, lost_ = count_;
};

}  // namespace steppe::search

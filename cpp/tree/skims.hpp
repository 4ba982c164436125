// Skims: matrices of what attributes add up to along the shortest paths, beside the matrix of distances.
//
// As in search/many.hpp a thread takes a source at a time. It searches until the columns are settled, makes the
// canonical tree of what was found, and follows it back from the columns alone: of a road network that is a small part.
// The union of these paths is written down once, from the source on, with the edge that leads to each vertex; every
// attribute is then one pass over that list.
#pragma once
#include <algorithm>
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
#include "tree/along.hpp"
#include "tree/canonical.hpp"
#include "tree/edges.hpp"

namespace steppe::tree {

// An attribute in the order of the rows, and the matrix of its sums; one of the two kinds.
struct Skim {
    const int64_t* whole = nullptr;
    const double* real = nullptr;
    int64_t* whole_sums = nullptr;
    double* real_sums = nullptr;
};

template <class V, class W>
class Skims {
    using R = Distance<W>;
    static constexpr R kNone = std::is_integral_v<R> ? std::numeric_limits<R>::max() : kInfinity<R>;

  public:
    // A row for each source of `q`, a column for each of `columns`. uniform, least: see canonical.hpp.
    Skims(search::Method method, const rows::View<V, W>& g, const search::Question& q, std::span<const int64_t> columns,
          bool uniform, W least, R* distances, std::span<const Skim> skims, Watch& watch)
        : method_(method),
          g_(g),
          all_(g.weighted()),
          q_(q),
          columns_(columns),
          uniform_(uniform),
          least_(least),
          distances_(distances),
          skims_(skims),
          watch_(watch),
          inner_([this](int64_t) { return watch_.poll(LOAD(&done_)); }) {}

    // Returns the first source from which a distance, or a sum, does not fit in 64 bits, or -1.
    int64_t run() {
        std::vector<std::optional<Lane>> lanes(static_cast<size_t>(q_.threads));
        parallel_for(q_.threads, count_, 1, [&](int64_t begin, int64_t end, int thread) {
            if (!lanes[thread]) lanes[thread].emplace(g_.csr.n);
            for (int64_t i = begin; i < end && !inner_.stopped(); ++i) {
                if (!row(*lanes[thread], i)) MIN(&lost_, i);
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
        explicit Lane(int64_t n) : dist(n), pred(n), edge(n), whole(n), real(n), seen(n, 0) {}
        Buffer<R> dist;
        Buffer<V> pred;
        Buffer<int64_t> edge, whole;
        Buffer<double> real;
        std::vector<int32_t> seen;  // in which row a vertex was last seen
        std::vector<V> order, stack;
    };

    bool row(Lane& lane, int64_t i) {
        search::Question one = q_;
        one.sources = q_.sources.subspan(static_cast<size_t>(i), 1);
        one.targets = columns_;
        one.threads = 1;
        try {
            const search::Stats stats =
                search::find_answer<W>(g_.csr, one, lane.dist.data(), static_cast<V*>(nullptr), inner_,
                                       [&]<class D>(const search::Search<V, D>& search, D* dist, V* pred) {
                                           return search::run<false>(method_, all_, search, dist, pred);
                                       });
            if (stats.outgrown) return false;
            canonical_tree(g_, lane.dist.data(), one.sources, uniform_, least_, lane.pred.data(), 1, inner_);
        } catch (const Interrupted&) { return true; }  // told by run(), after the others have ended
        find_order(lane, static_cast<int32_t>(i + 1));
        const auto width = static_cast<int64_t>(columns_.size());
        for (int64_t j = 0; j < width; ++j) distances_[i * width + j] = lane.dist[columns_[j]];
        for (const Skim& skim : skims_)
            if (!(skim.whole_sums ? add(lane, skim.whole, lane.whole.data(), skim.whole_sums + i * width)
                                  : add(lane, skim.real, lane.real.data(), skim.real_sums + i * width)))
                return false;
        return true;
    }

    // The vertices on the way to the columns, those nearer to the source first, and their edges. Rows are searched for
    // edges one by one, or, where that would take longer, swept once.
    void find_order(Lane& lane, int32_t mark) {
        lane.order.clear();
        int64_t read = 0;
        for (const int64_t column : columns_) {
            if (lane.dist[column] == kNone) continue;
            lane.stack.clear();
            for (auto v = static_cast<V>(column); v >= 0 && lane.seen[v] != mark; v = lane.pred[v]) {
                lane.seen[v] = mark;
                lane.stack.push_back(v);
                if (lane.pred[v] >= 0) read += g_.csr.degree(lane.pred[v]);
            }
            lane.order.insert(lane.order.end(), lane.stack.rbegin(), lane.stack.rend());
        }
        if (read > g_.csr.edges()) return tree_edges(g_.csr, lane.pred.data(), lane.edge.data(), 1, inner_);
        for (const V v : lane.order)
            if (lane.pred[v] >= 0) lane.edge[v] = lightest_edge(g_.csr, lane.pred[v], v);
    }

    template <class S>
    bool add(const Lane& lane, const S* attribute, S* sums, S* row) const {
        for (const V v : lane.order) {
            S sum = 0;
            if (lane.pred[v] >= 0) {
                sum = sums[lane.pred[v]];
                if (!add_to(sum, attribute[lane.edge[v]])) return false;
            }
            sums[v] = sum;
        }
        constexpr S none = std::is_integral_v<S> ? std::numeric_limits<S>::max() : kInfinity<S>;
        for (size_t j = 0; j < columns_.size(); ++j)
            row[j] = lane.dist[columns_[j]] == kNone ? none : sums[columns_[j]];
        return true;
    }

    const search::Method method_;
    const rows::View<V, W>& g_;
    const rows::View<V, W> all_;
    const search::Question& q_;
    const std::span<const int64_t> columns_;
    const bool uniform_;
    const W least_;
    R* const distances_;
    const std::span<const Skim> skims_;
    Watch& watch_;
    Watch inner_;
    const int64_t count_ = static_cast<int64_t>(q_.sources.size());
    int64_t done_ = 0, lost_ = count_;
};

}  // namespace steppe::tree

// Lanes: shortest paths from sixteen sources at once (eight in 64 bits), a cache line of distances for each vertex.
//
// One read of an edge serves all sources of a batch by one sum and one minimum of a whole register, without a branch.
// No queue could order the vertices for sixteen sources, so there is none: Bellman's rounds. While few vertices changed
// in the last round their edges are relaxed (push); while many did, every vertex takes the best of its in-edges (pull),
// which writes each line once, in order. A random graph of 20,000 vertices and 100,000 edges is done after about
// sixteen rounds, ten of them over all edges, at 1.3 ns an edge: 100 us a source, a search 650 (EPYC, 2026).
//
// This works where shortest paths have few edges, which cannot be seen from the rows of a graph. So the rounds are
// counted: a call gives up when its batches have read more than kMost times the edges each, and returns which rows are
// left to searches; also where a distance may not fit the narrow type, which a search decides for certain.
//
// Sums go left to right along a path, and each distance is the least of all such sums, as in every search: rounding is
// monotone, so floats have the same bits in whatever order edges are relaxed.
//
// Bellman, "On a routing problem", Quart. Appl. Math. 16 (1958); for lanes see Delling, Goldberg, Nowatzyk & Werneck,
// "PHAST: hardware-accelerated shortest path trees", J. Parallel Distrib. Comput. 73 (2013).
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "matrix/lane_kernels.hpp"
#include "matrix/lane_rows.hpp"
#include "matrix/min_plus.hpp"
#include "rows/csr.hpp"
#include "search/search.hpp"

namespace steppe::matrix {

// One batch of sources, whose arrays are used again for the next.
template <class V, class W>
class LaneBatch {
  public:
    using D = Narrow<W>;
    using Rows = rows::Csr<V, W>;

    LaneBatch(const Rows& g, const Rows& in)
        : g_(g),
          in_(in),
          lines_(static_cast<size_t>(g.n * kLanes<D>)),
          marks_(static_cast<size_t>(g.n)),
          list_(static_cast<size_t>(g.n) + 1),
          next_(static_cast<size_t>(g.n) + 1) {}

    // Whether the distances of these sources, at most kLanes, have been found. `read`: edges so far, for a limit.
    bool run(std::span<const int64_t> sources, int64_t& read, int64_t most, Watch& watch) {
        std::fill(lines_.begin(), lines_.end(), kNone<D>);
        std::fill(marks_.begin(), marks_.end(), uint8_t{0});
        count_ = 0;
        for (size_t i = 0; i < sources.size(); ++i) {
            const V s = static_cast<V>(sources[i]);
            lines_[static_cast<size_t>(s) * kLanes<D> + i] = D{0};
            if (!marks_[s]) list_[count_++] = s;
            marks_[s] = 1;
        }
        while (count_ > 0) {
            if (count_ > g_.n / kMany) pull(read, most, watch);
            else push(read, watch);
            if (watch.stopped() || read > most) return false;
        }
        return true;
    }

    // The distance of a vertex from each source.
    const D* line(int64_t v) const { return lines_.data() + v * kLanes<D>; }
    // The largest of all, 0 where there is none.
    D furthest() const {
        D most = 0;
        for (size_t i = 0; i < lines_.size(); ++i) most = std::max(most, lines_[i] < kNone<D> ? lines_[i] : D{0});
        return most;
    }

  private:
    static constexpr int64_t kMany = 8;         // one vertex in so many
    static constexpr int64_t kPiece = 1 << 16;  // edges between two polls of the watch

    // A round over the vertices that changed in the last one.
    void push(int64_t& read, Watch& watch) {
        int64_t found = 0;
        for (int64_t begin = 0; begin < count_;) {
            int64_t end = begin, edges = 0;
            for (; end < count_ && edges < kPiece; ++end) edges += g_.degree(list_[end]) + 1;
            push_lanes(vectors_wanted(), g_, lines_.data(), marks_.data(), list_.data() + begin, end - begin,
                       next_.data(), found);
            read += edges;
            begin = end;
            if (watch.poll()) return;
        }
        std::swap(list_, next_);
        count_ = found;
    }

    // Rounds over all vertices until few of them change; what is left then is listed.
    void pull(int64_t& read, int64_t most, Watch& watch) {
        for (;;) {
            count_ = 0;
            for (int64_t begin = 0; begin < in_.n;) {
                const int64_t* to =
                    std::upper_bound(in_.offsets + begin + 1, in_.offsets + in_.n + 1, in_.offsets[begin] + kPiece);
                const int64_t end = std::clamp<int64_t>(to - in_.offsets - 1, begin + 1, begin + kPiece);
                count_ += pull_lanes(vectors_wanted(), in_, lines_.data(), marks_.data(), begin, std::min(end, in_.n));
                begin = end;
                if (watch.poll()) return;
            }
            read += in_.edges() + in_.n;
            if (count_ <= in_.n / kMany || read > most) break;
        }
        int64_t listed = 0;
        for (int64_t v = 0; v < in_.n; ++v) {
            list_[listed] = static_cast<V>(v);
            listed += marks_[v];
        }
    }

    const Rows& g_;
    const Rows& in_;
    Buffer<D> lines_;
    Buffer<uint8_t> marks_;  // the vertex is in the list of the round to come
    Buffer<V> list_, next_;
    int64_t count_ = 0;
};

// A row for each source of a question, a column for each of `columns`, or for every vertex.
template <class V, class W, class R>
class Lanes {
  public:
    using D = Narrow<W>;
    using Rows = rows::Csr<V, W>;
    using Columns = std::optional<std::span<const int64_t>>;

    // in: the in-edges. Both with weights.
    Lanes(const Rows& g, const Rows& in, const search::Question& q, Columns columns, R* rows, Watch& watch)
        : g_(g), in_(in), q_(q), columns_(columns), rows_(rows), watch_(watch) {}

    // Fills the rows; returns the sources whose rows have not been filled, in their order.
    std::vector<int64_t> run() {
        const int64_t count = static_cast<int64_t>(q_.sources.size());
        const int64_t each = std::clamp<int64_t>((count + q_.threads - 1) / q_.threads, 1, kLanes<D>);
        const int64_t batches = (count + each - 1) / each;
        std::vector<std::optional<LaneBatch<V, W>>> kept(static_cast<size_t>(q_.threads));
        std::vector<uint8_t> filled(static_cast<size_t>(batches));
        Watch inner([this](int64_t) { return watch_.poll(LOAD(&done_)); });
        parallel_for(q_.threads, batches, 1, [&](int64_t begin, int64_t end, int thread) {
            if (!kept[thread]) kept[thread].emplace(g_, in_);
            for (int64_t b = begin; b < end && !inner.stopped() && LOAD(&worth_); ++b) {
                const auto sources = q_.sources.subspan(static_cast<size_t>(b * each),
                                                        static_cast<size_t>(std::min(each, count - b * each)));
                filled[b] = fill(*kept[thread], sources, b * each, inner);
                if (!filled[b]) STORE(&worth_, 0);
                else ADD(&done_, static_cast<int64_t>(sources.size()));
            }
        });
        inner.check();
        std::vector<int64_t> left;
        for (int64_t i = 0; i < count; ++i)
            if (!filled[i / each]) left.push_back(i);
        return left;
    }

  private:
    static constexpr int64_t kMost = 40;  // rounds over all edges that cost what a search for each source would

    bool fill(LaneBatch<V, W>& batch, std::span<const int64_t> sources, int64_t first, Watch& inner) {
        // What other batches did not need may be used.
        const int64_t most = ADD(&allowed_, kMost * (g_.edges() + g_.n)) + kMost * (g_.edges() + g_.n);
        int64_t read = 0;
        const bool found = batch.run(sources, read, most, inner);
        ADD(&allowed_, -read);
        if (!found) return false;
        if constexpr (std::is_integral_v<D>) {
            // Where the furthest vertex and one more edge fit, no sum was lost.
            const double room = static_cast<double>(kLargest<D>) * (1 - 1e-12) - q_.max_weight;
            if (q_.max_weight * static_cast<double>(g_.n) > room && static_cast<double>(batch.furthest()) > room)
                return false;
        }
        const int64_t width = columns_ ? static_cast<int64_t>(columns_->size()) : g_.n;
        write_rows<D>(q_, static_cast<int64_t>(sources.size()), width, rows_ + first * width,
                      [&](int64_t j) { return batch.line(columns_ ? (*columns_)[j] : j); });
        return true;
    }

    const Rows& g_;
    const Rows& in_;
    const search::Question& q_;
    const Columns columns_;
    R* const rows_;
    Watch& watch_;
    int64_t done_ = 0, allowed_ = 0;
    int worth_ = 1;
};

}  // namespace steppe::matrix

// Bounded: the vertices within a cutoff of each of many sources, in time and memory of what is within.
//
// A search that ends after some hundred vertices must not touch an array of n. So each thread keeps one array of
// distances, all infinite, for all its sources: a search notes each vertex it reaches for the first time, and
// afterwards resets those alone. The rows come as lists (column, distance), sorted by column: by a bitmap over the part
// of the vertices that was reached where they lie close together, as numbers of neighbours mostly do, else by sorting.
//
// Rows are found in rounds of some thousand entries, which the threads keep in their caches and then append to the
// result: nothing is ever stored twice. The sources of a round are searched in order of their number, so that
// searches that follow one another on a thread find their vertices in its cache; the rows have the order of the call.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "matrix/growing_array.hpp"
#include "rows/forms.hpp"
#include "search/delta_stepping.hpp"
#include "search/search.hpp"

namespace steppe::matrix {

// Distances so far, as search/tentative.hpp has them, and which vertices have one.
template <class V, class D>
class Touched {
  public:
    static constexpr bool kPaths = false;
    static constexpr int kBytes = sizeof(D);
    explicit Touched(int64_t n) : distances_(static_cast<size_t>(n), kInfinity<D>), list_(static_cast<size_t>(n) + 1) {}
    const void* distances() const { return distances_.data(); }
    const void* address(V v) const { return &distances_[v]; }
    D load(V v) const { return distances_[v]; }
    void set(V v, D d, V) {
        list_[count_] = v;
        count_ += distances_[v] == kInfinity<D>;
        distances_[v] = d;
    }
    std::span<V> list() { return {list_.data(), count_}; }
    void reset() {
        for (const V v : list()) distances_[v] = kInfinity<D>;
        count_ = 0;
    }

  private:
    Buffer<D> distances_;
    Buffer<V> list_;  // the vertices that have one
    size_t count_ = 0;
};

// Where the columns of each vertex stand; without columns a vertex is its own.
template <class V>
class ColumnsOf {
  public:
    ColumnsOf(int64_t n, std::optional<std::span<const int64_t>> columns) : all_(!columns) {
        if (all_) return;
        first_.assign(static_cast<size_t>(n) + 1, 0);
        places_.resize(columns->size());
        for (const int64_t v : *columns) ++first_[v + 1];
        for (int64_t v = 0; v < n; ++v) first_[v + 1] += first_[v];
        std::vector<int64_t> next(first_.begin(), first_.end() - 1);
        for (size_t j = 0; j < columns->size(); ++j) places_[next[(*columns)[j]]++] = static_cast<V>(j);
    }
    bool all() const { return all_; }
    std::span<const V> of(V v) const {
        return {places_.data() + first_[v], static_cast<size_t>(first_[v + 1] - first_[v])};
    }

  private:
    bool all_;
    std::vector<int64_t> first_;
    std::vector<V> places_;
};

template <class V, class R>
struct SparseRows {
    std::vector<int64_t> counts;  // of each row
    GrowingArray<V> columns;
    GrowingArray<R> distances;
};

// D must hold the bound of `q`.
template <class V, class W, class D, class R>
class Bounded {
  public:
    Bounded(const rows::View<V, W>& g, const search::Question& q, std::optional<std::span<const int64_t>> columns,
            Watch& watch)
        : g_(g), q_(q), columns_(g.csr.n, columns), watch_(watch), inner_([this](int64_t) {
              return watch_.poll(LOAD(&done_));
          }) {}

    SparseRows<V, R> run() {
        const int64_t count = static_cast<int64_t>(q_.sources.size());
        lanes_.resize(static_cast<size_t>(std::max(1, q_.threads)));
        result_.counts.resize(static_cast<size_t>(count));
        int64_t round = 64;
        for (int64_t begin = 0; begin < count;) {
            const int64_t end = std::min(count, begin + round);
            const size_t before = result_.columns.size();
            find(begin, end);
            const size_t found =
                std::max<size_t>(1, (result_.columns.size() - before) / static_cast<size_t>(end - begin));
            round = std::clamp<int64_t>(static_cast<int64_t>(kRound / found), 16, 1 << 14);
            begin = end;
        }
        result_.columns.fit();
        result_.distances.fit();
        return std::move(result_);
    }

  private:
    struct Row {
        int thread = 0;
        size_t first = 0, count = 0;
    };

    // One round: the rows [begin, end).
    void find(int64_t begin, int64_t end) {
        const int64_t count = end - begin;
        order_.resize(static_cast<size_t>(count));
        for (int64_t i = 0; i < count; ++i) order_[i] = begin + i;
        std::sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return q_.sources[a] < q_.sources[b]; });
        rows_.resize(static_cast<size_t>(count));
        for (Lane& lane : lanes_) lane.columns.resize(0), lane.distances.resize(0);
        parallel_for(q_.threads, count, 8, [&](int64_t first, int64_t last, int thread) {
            Lane& lane = lanes_[thread];
            if (!lane.tentative) lane.begin(g_, q_, inner_);
            for (int64_t i = first; i < last && !inner_.stopped(); ++i) {
                const int64_t row = order_[i];
                lane.search(g_, q_.sources[row]);
                rows_[row - begin] = {thread, lane.columns.size(), lane.write(columns_)};
                ADD(&done_, int64_t{1});
                inner_.poll();
            }
        });
        inner_.check();
        size_t total = result_.columns.size();
        to_.resize(static_cast<size_t>(count));
        for (int64_t i = 0; i < count; ++i) {
            to_[i] = total;
            result_.counts[begin + i] = static_cast<int64_t>(rows_[i].count);
            total += rows_[i].count;
        }
        result_.columns.resize(total);
        result_.distances.resize(total);
        parallel_for(q_.threads, count, 64, [&](int64_t first, int64_t last, int) {
            for (int64_t i = first; i < last; ++i) {
                Lane& lane = lanes_[rows_[i].thread];
                std::copy_n(lane.columns.data() + rows_[i].first, rows_[i].count, result_.columns.data() + to_[i]);
                std::copy_n(lane.distances.data() + rows_[i].first, rows_[i].count, result_.distances.data() + to_[i]);
            }
        });
    }

    // What one thread keeps from source to source, and the rows it has found in this round.
    struct Lane {
        std::optional<Touched<V, D>> tentative;
        std::optional<search::Search<V, D>> question;
        std::optional<search::Width<D>> width;
        std::vector<uint64_t> marks;
        std::vector<std::pair<V, R>> entries;
        GrowingArray<V> columns;
        GrowingArray<R> distances;

        void begin(const rows::View<V, W>& g, const search::Question& q, Watch& watch) {
            question.emplace(q, watch);
            question->targets.clear();
            question->threads = 1;
            width.emplace(search::width_for(g.csr, *question));
            marks.resize(static_cast<size_t>(g.csr.n) / 64 + 1);
            tentative.emplace(g.csr.n);
        }
        void search(const rows::View<V, W>& g, int64_t source) {
            const std::vector<V> from{static_cast<V>(source)};
            search::Stats stats;
            tentative->reset();
            tentative->set(from[0], D{0}, V{-1});
            auto push = [&](const auto& rows) {
                search::push_alone(rows, static_cast<const search::NoEdges*>(nullptr), *question, *width, from,
                                   *tentative, stats);
            };
            if constexpr (sizeof(V) == 4) {
                if (g.quads()) return push(*g.quads());
                if (g.out()) return push(*g.out());
            }
            push(g.csr);
        }
        // Appends the row, sorted; returns how long it is.
        size_t write(const ColumnsOf<V>& of) {
            const size_t before = columns.size();
            if (of.all()) {
                sort();
                const std::span<V> list = tentative->list();
                columns.resize(before + list.size());
                distances.resize(before + list.size());
                for (size_t i = 0; i < list.size(); ++i) {
                    columns.data()[before + i] = list[i];
                    distances.data()[before + i] = static_cast<R>(tentative->load(list[i]));
                }
                return list.size();
            }
            entries.clear();
            for (const V v : tentative->list())
                for (const V column : of.of(v)) entries.emplace_back(column, static_cast<R>(tentative->load(v)));
            std::sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.first < b.first; });
            columns.resize(before + entries.size());
            distances.resize(before + entries.size());
            for (size_t i = 0; i < entries.size(); ++i) {
                columns.data()[before + i] = entries[i].first;
                distances.data()[before + i] = entries[i].second;
            }
            return entries.size();
        }
        void sort() {
            const std::span<V> list = tentative->list();
            const auto [least, most] = std::minmax_element(list.begin(), list.end());
            const size_t first = static_cast<size_t>(*least) / 64, last = static_cast<size_t>(*most) / 64;
            if (last - first > 2 * list.size()) return std::sort(list.begin(), list.end());
            for (const V v : list) marks[static_cast<size_t>(v) / 64] |= uint64_t{1} << (v & 63);
            size_t i = 0;
            for (size_t word = first; word <= last; ++word)
                for (uint64_t bits = std::exchange(marks[word], 0); bits; bits &= bits - 1)
                    list[i++] = static_cast<V>(64 * word + std::countr_zero(bits));
        }
    };

    const rows::View<V, W>& g_;
    const search::Question& q_;
    const ColumnsOf<V> columns_;
    Watch& watch_;
    Watch inner_;  // polled by the searches: progress counts sources
    int64_t done_ = 0;
    static constexpr size_t kRound = 1 << 17;  // entries of a round, about
    std::vector<Lane> lanes_;
    std::vector<int64_t> order_;
    std::vector<Row> rows_;
    std::vector<size_t> to_;
    SparseRows<V, R> result_;
};

}  // namespace steppe::matrix

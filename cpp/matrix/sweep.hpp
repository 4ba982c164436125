// Sweep: rows of a matrix on a contraction: up from each source of a batch, then once down over all places, or over
// those that lead to the columns.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "matrix/contraction.hpp"
#include "matrix/lane_rows.hpp"
#include "search/search.hpp"

namespace steppe::matrix {

// The part of a contraction that the distances of some vertices depend on: their places and all above them, numbered
// from the top.
template <class D>
class Ancestors {
  public:
    using Weight = typename Contraction<D>::Weight;

    // Of all places, or of those of `columns`.
    Ancestors(const Contraction<D>& whole, std::optional<std::span<const int64_t>> columns) : whole_(whole) {
        if (!columns) return;
        number_.assign(static_cast<size_t>(whole.n), -1);
        for (const int64_t v : *columns)
            for (int64_t p = whole.place[v]; p >= 0 && number_[p] < 0; p = whole.next(p)) number_[p] = 0;
        offsets_.push_back(0);
        for (int64_t p = 0, count = 0; p < whole.n; ++p) {
            if (number_[p] < 0) continue;
            number_[p] = static_cast<int32_t>(count++);
            for (int64_t e = whole.offsets[p]; e < whole.offsets[p + 1]; ++e) {
                above_.push_back(number_[whole.above[e]]);
                down_.push_back(whole.down[e]);
            }
            offsets_.push_back(static_cast<int64_t>(above_.size()));
        }
        above_.push_back(0);  // never a null pointer
        down_.push_back(0);
    }

    int64_t number(int64_t place) const { return number_.empty() ? place : number_[place]; }
    rows::Csr<int32_t, Weight> arcs_down() const {
        if (number_.empty()) return whole_.arcs_down();
        return {static_cast<int64_t>(offsets_.size()) - 1, offsets_.data(), above_.data(), down_.data()};
    }

  private:
    const Contraction<D>& whole_;
    std::vector<int32_t> number_;  // -1: not among them
    std::vector<int64_t> offsets_;
    std::vector<int32_t> above_;
    std::vector<Weight> down_;
};

// One batch of sources, whose arrays are used again for the next.
template <class D>
class SweepBatch {
  public:
    SweepBatch(const Contraction<D>& whole, const Ancestors<D>& part)
        : whole_(whole),
          part_(part),
          down_(part.arcs_down()),
          lines_(static_cast<size_t>(down_.n * kLanes<D>)),
          marks_(static_cast<size_t>(down_.n)),
          climbed_(static_cast<size_t>(whole.n), kNone<D>) {}

    void run(std::span<const int64_t> sources, Watch& watch) {
        std::fill(lines_.begin(), lines_.end(), kNone<D>);
        for (size_t i = 0; i < sources.size(); ++i) climb(whole_.place[sources[i]], i);
        constexpr int64_t kPiece = 1 << 12;
        for (int64_t begin = 0; begin < down_.n && !watch.poll(); begin += kPiece)
            pull_lanes(vectors_wanted(), down_, lines_.data(), marks_.data(), begin, std::min(begin + kPiece, down_.n));
    }
    const D* line(int64_t number) const { return lines_.data() + number * kLanes<D>; }

  private:
    // What leads up from a source lies on one path to the top.
    void climb(int64_t source, size_t lane) {
        climbed_[source] = 0;
        for (int64_t p = source, next; p >= 0; p = next) {
            const D d = climbed_[p];
            climbed_[p] = kNone<D>;
            if (const int64_t number = part_.number(p); number >= 0) lines_[number * kLanes<D> + lane] = d;
            next = -1;
            for (int64_t e = whole_.offsets[p]; e < whole_.offsets[p + 1]; ++e) {
                const int32_t to = whole_.above[e];
                climbed_[to] = std::min<D>(climbed_[to], d + static_cast<D>(whole_.up[e]));
                next = std::max<int64_t>(next, to);
            }
        }
    }

    const Contraction<D>& whole_;
    const Ancestors<D>& part_;
    const rows::Csr<int32_t, typename Contraction<D>::Weight> down_;
    Buffer<D> lines_;
    Buffer<uint8_t> marks_;
    Buffer<D> climbed_;  // distances up from the source at hand; kNone where it has not been, or has left
};

// Fills a row for each source of `q`, a column for each of `columns`, or for every vertex.
template <class D>
void sweep(const Contraction<D>& whole, const search::Question& q, std::optional<std::span<const int64_t>> columns,
           int64_t* rows, Watch& watch) {
    const Ancestors<D> part(whole, columns);
    const int64_t count = static_cast<int64_t>(q.sources.size());
    const int64_t width = columns ? static_cast<int64_t>(columns->size()) : whole.n;
    const int64_t each = std::clamp<int64_t>((count + q.threads - 1) / q.threads, 1, kLanes<D>);
    std::vector<std::optional<SweepBatch<D>>> kept(static_cast<size_t>(q.threads));
    int64_t done = 0;
    Watch inner([&](int64_t) { return watch.poll(LOAD(&done)); });
    parallel_for(q.threads, (count + each - 1) / each, 1, [&](int64_t begin, int64_t end, int thread) {
        if (!kept[thread]) kept[thread].emplace(whole, part);
        for (int64_t b = begin; b < end && !inner.stopped(); ++b) {
            const int64_t first = b * each, size = std::min(each, count - first);
            SweepBatch<D>& batch = *kept[thread];
            batch.run(q.sources.subspan(static_cast<size_t>(first), static_cast<size_t>(size)), inner);
            write_rows<D>(q, size, width, rows + first * width,
                          [&](int64_t j) { return batch.line(part.number(whole.place[columns ? (*columns)[j] : j])); });
            ADD(&done, size);
        }
    });
    inner.check();
}

}  // namespace steppe::matrix

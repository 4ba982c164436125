// Dense: rows of a matrix through all pairs of a dense graph, in the form users see.
//
// Integers: Floyd-Warshall in the narrow type, again in the wide one where a distance does not fit. Floats: as
// Floyd-Warshall adds them, or by searches over the edges that it finds essential, which add as every search does.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "matrix/essential_edges.hpp"
#include "matrix/floyd_warshall.hpp"
#include "rows/forms.hpp"
#include "rows/typical.hpp"
#include "search/answer.hpp"
#include "search/many.hpp"

namespace steppe::matrix {

// A row for each source of `q`, a column for each of `columns`, or for every vertex.
template <class V, class W, class R>
class Dense {
  public:
    using Columns = std::optional<std::span<const int64_t>>;
    Dense(const rows::View<V, W>& g, const search::Question& q, Columns columns, R* rows, Watch& watch)
        : g_(g), q_(q), columns_(columns), rows_(rows), watch_(watch) {}

    // By Floyd-Warshall. Returns the first source some distance from which does not fit in 64 bits, or -1.
    int64_t run() {
        int64_t lost = -1;
        bool wide = false;
        search::widen<V, W>(wide, [&]<class D, bool kLast>() {
            const FloydWarshall<D> all = closed<D>();
            const bool bounded = q_.bound.index() != 0 && q_.template reach<D>().limit() < kLargest<D>;
            lost = bounded ? -1 : all.first_lost(g_.csr, q_.sources, columns_, q_.max_weight);
            if (lost >= 0) return false;
            write(all);
            return true;
        });
        return lost;
    }

    // By searches over the edges that Floyd-Warshall finds essential; over all, where those are most.
    int64_t run_essential_edges() {
        const EssentialEdges<V, W> edges(g_.csr, closed<W>(), q_.threads, watch_);
        if (2 * static_cast<int64_t>(edges.targets.size()) > g_.csr.edges()) return search(g_, q_);
        rows::Forms<W> none;
        const rows::View<V, W> few{edges.csr(), none};
        search::Question asked = q_;
        asked.delta = 0;
        asked.max_weight = edges.longest;
        if (const double typical = rows::typical_weight(few.csr); typical > 0) asked.typical_weight = typical;
        return search(few, asked);
    }

  private:
    template <class D>
    FloydWarshall<D> closed() {
        FloydWarshall<D> all(g_.csr, q_.threads, watch_);
        all.run();
        return all;
    }

    int64_t search(const rows::View<V, W>& in, const search::Question& asked) {
        const search::Columns wanted{columns_};
        return search::ManySearches<V, W, R>(search::Method::delta_stepping, in, asked, wanted, rows_, watch_).run();
    }

    template <class D>
    void write(const FloydWarshall<D>& all) {
        const auto limit = q_.bound.index() == 0 ? kLargest<D> : q_.template reach<D>().limit();
        const int64_t width = columns_ ? static_cast<int64_t>(columns_->size()) : g_.csr.n;
        parallel_for(q_.threads, static_cast<int64_t>(q_.sources.size()), 4, watch_,
                     [&](int64_t begin, int64_t end, int) {
                         std::vector<D> from(static_cast<size_t>(all.width()));
                         for (int64_t i = begin; i < end; ++i) {
                             all.row(q_.sources[i], from.data());
                             for (int64_t j = 0; j < width; ++j) {
                                 const D d = from[columns_ ? (*columns_)[j] : j];
                                 rows_[i * width + j] = search::as_public<R>(d < kNone<D> ? d : kInfinity<D>, limit);
                             }
                         }
                     });
    }

    const rows::View<V, W>& g_;
    const search::Question& q_;
    const Columns columns_;
    R* const rows_;
    Watch& watch_;
};

}  // namespace steppe::matrix

// Csr: a non-owning view of a graph in compressed sparse rows. The out-edges of u are [offsets[u], offsets[u + 1]).
// The searches read it through first, last, target and weight, which Packed (packed.hpp) has too.
#pragma once
#include <cstdint>

#include "base/types.hpp"

namespace steppe::rows {

template <class V, class W>
struct Csr {
    using Weight = W;
    static constexpr bool kRecords = false;
    int64_t n = 0;
    const int64_t* offsets = nullptr;
    const V* targets = nullptr;
    const W* weights = nullptr;  // null: unweighted

    int64_t edges() const { return n ? offsets[n] : 0; }
    int64_t degree(V u) const { return offsets[u + 1] - offsets[u]; }
    int64_t first(V u) const { return offsets[u]; }
    int64_t last(V u) const { return offsets[u + 1]; }
    V target(int64_t e) const { return targets[e]; }
    W weight(int64_t e) const { return weights[e]; }
    W length(int64_t e) const { return weights ? weights[e] : W{1}; }
    STEPPE_INLINE void prefetch_row(V u) const { STEPPE_PREFETCH(&offsets[u]); }
    STEPPE_INLINE void prefetch_edges(int64_t e) const {
        STEPPE_PREFETCH(&targets[e]);
        STEPPE_PREFETCH(&weights[e]);
    }
    STEPPE_INLINE void prefetch_list(int64_t first, int64_t last) const {
        prefetch_edges(first);
        prefetch_edges(last - 1);
    }
};

}  // namespace steppe::rows

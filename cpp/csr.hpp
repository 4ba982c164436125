// Csr: a non-owning view of a graph in compressed sparse rows. The out-edges of u are [offsets[u], offsets[u + 1]).
#pragma once
#include <cstdint>

namespace steppe {

template <class V, class W>
struct Csr {
    int64_t n = 0;
    const int64_t* offsets = nullptr;
    const V* targets = nullptr;
    const W* weights = nullptr;  // null: unweighted

    int64_t edges() const { return n ? offsets[n] : 0; }
    int64_t degree(V u) const { return offsets[u + 1] - offsets[u]; }
};

}  // namespace steppe

// Owners: which thread owns which vertices, where only the owner of a vertex lowers its distance
// (bulk_synchronous.hpp).
//
// Vertices are dealt out in blocks, in turn. Every thread gets many blocks, so that each has a part of every frontier.
// Blocks are large, because neighbours often have near numbers.
#pragma once
#include <cstdint>

namespace steppe::search {

class Owners {
  public:
    Owners(int64_t n, int threads) : threads_(threads) {
        while (shift_ < 16 && (n >> (shift_ + 1)) >= 32 * threads) ++shift_;
    }
    int of(int64_t v) const { return static_cast<int>((v >> shift_) % threads_); }

  private:
    const int threads_;
    int shift_ = 6;
};

}  // namespace steppe::search

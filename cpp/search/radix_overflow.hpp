// RadixOverflow: entries that lie beyond a ring of buckets, so that a few huge weights among small ones cost little.
//
// A bucket's epoch is the turn of the ring that it lies in. An entry waits in the list of the highest bit in which its
// epoch differs from `base`, the epoch dealt out last. So all entries of a list come before all of the next, and only
// the lowest list is ever opened: its lowest epoch goes into the ring, the rest into lower lists. An entry moves down
// at most once a bit, whatever the weights.
//
// Ahuja, Mehlhorn, Orlin & Tarjan, "Faster algorithms for the shortest path problem", J. ACM 37 (1990): the radix heap.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace steppe::search {

template <class V>
class RadixOverflow {
  public:
    // `bits`: of the position of a bucket within its epoch.
    explicit RadixOverflow(int bits) : bits_(bits) { least_.fill(kNone); }

    static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

    void add(int64_t bucket, V v) {
        const int64_t epoch = std::max(bucket >> bits_, base_);
        const int k = std::bit_width(static_cast<uint64_t>(epoch ^ base_));
        if (lists_.size() <= static_cast<size_t>(k)) lists_.resize(k + 1);
        lists_[k].push_back({bucket, v});
        filled_ |= uint64_t{1} << k;
        least_[k] = std::min(least_[k], bucket);
    }
    bool empty() const { return filled_ == 0; }
    // The lowest bucket with an entry, or kNone.
    int64_t least() const { return filled_ ? least_[std::countr_zero(filled_)] : kNone; }
    // file(bucket, v) for every entry in the epoch of least(), or before.
    template <class F>
    void deal(F file) {
        const int k = std::countr_zero(filled_);
        base_ = std::max(least_[k] >> bits_, base_);
        filled_ &= filled_ - 1;
        least_[k] = kNone;
        dealt_.clear();
        std::swap(dealt_, lists_[k]);
        for (const auto& [bucket, v] : dealt_) (bucket >> bits_) <= base_ ? file(bucket, v) : add(bucket, v);
    }
    // f(bucket, v) for every entry; then it is as new.
    template <class F>
    void drain(F f) {
        for (auto& list : lists_) {
            for (const auto& [bucket, v] : list) f(bucket, v);
            list.clear();
        }
        base_ = 0;
        filled_ = 0;
        least_.fill(kNone);
    }

  private:
    int bits_;
    int64_t base_ = 0;
    uint64_t filled_ = 0;
    std::vector<std::vector<std::pair<int64_t, V>>> lists_;
    std::vector<std::pair<int64_t, V>> dealt_;
    std::array<int64_t, 64> least_;
};

}  // namespace steppe::search

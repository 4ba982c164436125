// Width and Ring: buckets of vertices by tentative distance, for one thread.
//
//   bucket of d    d >> shift for integers, trunc(d * 2^-k) for floats: exact, no division
//   ring           slots for all buckets a relaxation can reach, max_weight / delta + 2, found again by a bitmap; what
//                  lies beyond (a few huge weights among small ones) waits in `far` and is dealt out when the ring has
//                  turned that far
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace steppe::search {

// Width: the power-of-two width of a bucket.
template <class D>
class Width {
  public:
    explicit Width(double delta) {
        exponent_ = std::ilogb(delta);
        // Neither the width nor its inverse may leave the type: 0 * inf is no bucket.
        constexpr int least = std::is_integral_v<D> ? 0 : std::numeric_limits<D>::min_exponent;
        constexpr int most = std::is_integral_v<D> ? int(sizeof(D) * 8 - 2) : -least;
        exponent_ = std::clamp(exponent_, least, most);
        scale_ = static_cast<D>(std::ldexp(1.0, std::is_integral_v<D> ? 0 : -exponent_));
    }
    int64_t bucket(D d) const {
        if constexpr (std::is_integral_v<D>) return static_cast<int64_t>(d >> exponent_);
        else return static_cast<int64_t>(d * scale_);
    }
    // The smallest distance in a bucket.
    D least(int64_t bucket) const {
        if constexpr (std::is_integral_v<D>) return static_cast<D>(bucket) << exponent_;
        else return static_cast<D>(bucket) / scale_;
    }
    double value() const { return std::ldexp(1.0, exponent_); }

  private:
    int exponent_;
    D scale_;
};

// A narrow bucket wastes no relaxations, a wide one gives a scan something to look ahead in. On one core work counts
// more where lists are long: a sixteenth of the distance that separates neighbours in a sorted list. On short lists
// half a weight. (New York's roads: 256 3.9 ms, 512 3.6, 1024 3.5, 4096 3.7; a grid: 64 47.7, 128 48.5, 512 55; RMAT: 1
// is best.)
inline double serial_delta(double mean_weight, double max_weight, double mean_degree) {
    const double delta = mean_degree < 8 ? mean_weight / 2 : mean_weight / mean_degree / 16;
    // A path of 2^31 of the heaviest edges still has a bucket that fits in 63 bits.
    return std::max({delta, max_weight * 0x1p-31, std::numeric_limits<double>::min()});
}

// The ring of buckets. Buckets are asked for in rising order; entries may be filed from the current bucket on.
template <class V>
class Ring {
  public:
    explicit Ring(int64_t span) : slots_(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(span, 64, kMost)))) {
        mask_ = static_cast<int64_t>(slots_.size()) - 1;
        words_.resize(slots_.size() / 64);
    }
    void file(int64_t bucket, V v) {
        if (STEPPE_UNLIKELY(bucket - current_ > mask_)) {
            far_least_ = std::min(far_least_, bucket);
            return far_.push_back({bucket, v});
        }
        const int64_t slot = bucket & mask_;
        words_[slot >> 6] |= uint64_t{1} << (slot & 63);
        slots_[slot].push_back(v);
    }
    // The next non-empty bucket, or -1. Its entries are in list(), which may still grow while it is being read.
    int64_t next() {
        if (current_ >= 0) {
            list().clear();
            words_[(current_ & mask_) >> 6] &= ~(uint64_t{1} << (current_ & 63));
        }
        int64_t found = next_in_ring();
        if (!far_.empty() && (found < 0 || far_least_ <= found)) {
            current_ = found = far_least_;
            deal();
        }
        return current_ = found;
    }
    std::vector<V>& list() { return slots_[current_ & mask_]; }
    // f(v) for everything still filed; then the ring is as new. Costs what is left in it and a look at the bitmap.
    template <class F>
    void drain(F f) {
        for (size_t i = 0; i < words_.size(); ++i) {
            for (; words_[i]; words_[i] &= words_[i] - 1) {
                std::vector<V>& slot = slots_[(i << 6) + std::countr_zero(words_[i])];
                for (const V v : slot) f(v);
                slot.clear();
            }
        }
        for (const auto& entry : far_) f(entry.second);
        far_.clear();
        far_least_ = std::numeric_limits<int64_t>::max();
        current_ = -1;
    }

  private:
    static constexpr int64_t kMost = 1 << 16;

    // Moves what has come within reach from far_ into the ring. Happens at most once per turn of the ring.
    void deal() {
        std::vector<std::pair<int64_t, V>> rest;
        std::swap(rest, far_);
        far_least_ = std::numeric_limits<int64_t>::max();
        for (const auto& [bucket, v] : rest) file(bucket, v);
    }
    int64_t next_in_ring() const {
        const int64_t from = std::max<int64_t>(current_, 0), start = from & mask_;
        const int64_t count = static_cast<int64_t>(words_.size());
        uint64_t word = words_[start >> 6] >> (start & 63);
        if (word) return from + std::countr_zero(word);
        for (int64_t i = 1; i <= count; ++i) {
            const int64_t at = ((start >> 6) + i) & (count - 1);
            if (words_[at]) return from + (((at << 6) + std::countr_zero(words_[at]) - start) & mask_);
        }
        return -1;
    }

    std::vector<std::vector<V>> slots_;
    std::vector<uint64_t> words_;
    std::vector<std::pair<int64_t, V>> far_;
    int64_t mask_ = 0, current_ = -1, far_least_ = std::numeric_limits<int64_t>::max();
};

}  // namespace steppe::search

// Width: how far a round of a search in blocks goes beyond the least distance that waits, and when that changes.
//
// A wide round costs vertices relaxed twice, a narrow one costs sweeps. Where most of what is relaxed has been relaxed
// in the same round before, the round is left half done and the next ones are a fourth as wide; where rounds find next
// to nothing to do, they become four times as wide, but never again as wide as was too wide once.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/types.hpp"

namespace steppe::external {

// The widest round: from here on a threshold could wrap.
template <class D>
constexpr D most_wide() {
    // A double may round up: a quarter of the integers is as good as all.
    return std::is_integral_v<D> ? kLargest<D> / 4 : std::numeric_limits<D>::max();
}

template <class D>
class Width {
  public:
    // The highest threshold: below infinity, which is what a block without work has for a bound.
    static constexpr D kTop = std::is_integral_v<D> ? kLargest<D> : std::numeric_limits<D>::max();

    // fixed: it was asked for, and stays. With 0 a round is one distance.
    Width(D width, bool fixed) : width_(width), fixed_(fixed || width >= most_wide<D>()) {}

    double value() const { return static_cast<double>(width_); }
    int changes() const { return changes_; }
    D threshold(D low) const { return low < kTop - width_ ? low + width_ : kTop; }
    // entries: vertices relaxed in this round; again: how often one fell that was due in it already.
    bool is_too_wide(int64_t entries, int64_t again) const {
        return !fixed_ && entries > kMany && 4 * again > 3 * entries && width_ / 4 > 0;
    }
    // At the end of a round: whether it was too wide, and whether it had next to nothing to do.
    void adapt(bool too_wide, bool quiet) {
        quiet_ = quiet ? quiet_ + 1 : 0;
        if (too_wide) {
            too_wide_once_ = width_;
            width_ = width_ / 4;
            ++changes_;
        } else if (!fixed_ && quiet_ > 64 && width_ < too_wide_once_ / 4 && width_ < most_wide<D>() / 4) {
            widen(4);
            quiet_ = 0;
            ++changes_;
        }
    }
    void widen(int times) {
        if (fixed_ || width_ >= most_wide<D>() / static_cast<D>(times)) return;
        if (std::is_integral_v<D> && width_ == 0) width_ = 1;
        width_ = width_ * static_cast<D>(times);
    }

  private:
    static constexpr int64_t kMany = 1 << 12;  // before which nothing is known about the width
    D width_, too_wide_once_ = kTop;
    bool fixed_;
    int64_t quiet_ = 0;  // rounds with next to nothing to do
    int changes_ = 0;
};

}  // namespace steppe::external

// Stored: distances in a narrower type, by all threads, in one pass without branches.
//
// The largest value of an integer type, or infinity, means unreachable on both sides, so no distance may become it.
// Whole numbers must stay what they are; floats are rounded, and must not become infinite.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/atomics.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"

namespace steppe::matrix {

template <class T>
inline constexpr T kStoredFar = std::is_integral_v<T> ? std::numeric_limits<T>::max() : kInfinity<T>;

// The distance in T; `fits` becomes whether T can hold it.
template <class T, class R>
STEPPE_INLINE T stored_as(R d, bool& fits) {
    if (d == kStoredFar<R>) return fits = true, kStoredFar<T>;
    if constexpr (std::is_floating_point_v<T>) {
        const T x = static_cast<T>(d);
        fits = std::abs(x) <= std::numeric_limits<T>::max();
        return x;
    } else {
        // In R: the least value of T is exact, and the largest at worst rounded up.
        constexpr bool kUnsigned = std::is_unsigned_v<T>, kWide = std::is_integral_v<R> && sizeof(T) >= sizeof(R);
        constexpr R low = kUnsigned ? R{0} : static_cast<R>(std::numeric_limits<T>::min());
        constexpr R high = kWide ? std::numeric_limits<R>::max() : static_cast<R>(std::numeric_limits<T>::max());
        const bool within = d >= low && d < high;
        const T x = within ? static_cast<T>(d) : T{0};
        fits = within && static_cast<R>(x) == d;
        return x;
    }
}

// Returns the first entry that does not fit, or -1.
template <class R, class T>
int64_t store(const R* STEPPE_RESTRICT from, T* STEPPE_RESTRICT to, int64_t count, int threads, Watch& watch) {
    int64_t lost = count;
    parallel_for(threads, count, 1 << 16, watch, [&](int64_t begin, int64_t end, int) {
        bool all = true;
        for (int64_t i = begin; i < end; ++i) {
            bool fits;
            to[i] = stored_as<T>(from[i], fits);
            all &= fits;
        }
        if (STEPPE_LIKELY(all)) return;
        bool fits = true;
        for (int64_t i = begin; i < end && fits; ++i) {
            stored_as<T>(from[i], fits);
            if (!fits) MIN(&lost, i);
        }
    });
    return lost == count ? -1 : lost;
}

}  // namespace steppe::matrix

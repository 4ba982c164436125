// The types of the core, in one place.
//
// Vertices are int32 while they fit, else int64; offsets are int64. Weights are stored as one of four types:
// int32, int64, float, double (any other integer type is widened when the graph is built). A distance is computed in
//   uint32 or uint64  for integer weights: unsigned, because (at most half the range) + (at most half the range) cannot
//                     wrap, so overflow is seen after the addition instead of being guarded against before it;
//   float, double     for float weights: the additions are done in the stored precision, left to right along the path,
//                     which makes every method's answer bit-identical (rounding is monotone).
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

namespace steppe {

// The types in which distances of weights W are searched (search/widen.hpp), and the one in which users see them.
template <class W>
using Wide = std::conditional_t<std::is_integral_v<W>, uint64_t, W>;
template <class W>
using Narrow = std::conditional_t<std::is_integral_v<W> && sizeof(W) == 4, uint32_t, Wide<W>>;
template <class W>
using Distance = std::conditional_t<std::is_integral_v<W>, int64_t, W>;

template <class D>
inline constexpr D kInfinity =
    std::is_floating_point_v<D> ? std::numeric_limits<D>::infinity() : std::numeric_limits<D>::max();

// The largest distance that may be stored. Integers: half the range (for uint64 one less, since int64's maximum is the
// public "unreachable"). Sums beyond it are noticed, see search/widen.hpp.
template <class D>
inline constexpr D kLargest =
    std::is_floating_point_v<D> ? std::numeric_limits<D>::infinity() : std::numeric_limits<D>::max() / 2 - 1;

inline constexpr int64_t kUnreachable = std::numeric_limits<int64_t>::max();

#if defined(__GNUC__) || defined(__clang__)
#define STEPPE_PREFETCH(address) __builtin_prefetch(address)
#if defined(__x86_64__)
// By name: without a flag for newer processors the builtin only fetches a line to be read, and the write then waits
// until no other core has it. Where the instruction is not known it does nothing.
#define STEPPE_PREFETCH_WRITE(address) asm volatile("prefetchw %0" : : "m"(*reinterpret_cast<const char*>(address)))
#else
#define STEPPE_PREFETCH_WRITE(address) __builtin_prefetch(address, 1)
#endif
#define STEPPE_LIKELY(x) __builtin_expect(!!(x), 1)
#define STEPPE_UNLIKELY(x) __builtin_expect(!!(x), 0)
// Also for functions that only prefetch: GCC takes them for pure, and drops a call that it has not yet inlined.
#define STEPPE_INLINE __attribute__((always_inline)) inline
#define STEPPE_NOINLINE __attribute__((noinline))
#define STEPPE_RESTRICT __restrict
#else
#define STEPPE_PREFETCH(address) ((void)0)
#define STEPPE_PREFETCH_WRITE(address) ((void)0)
#define STEPPE_LIKELY(x) (x)
#define STEPPE_UNLIKELY(x) (x)
#define STEPPE_INLINE inline
#define STEPPE_NOINLINE
#define STEPPE_RESTRICT
#endif

}  // namespace steppe

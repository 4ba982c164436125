// The atomics of the documents: CAS, ADD and MIN, each returning the old value, on any 32- or 64-bit type.
//
//   CAS(p, x, y)   old = *p; if (old == x) *p = y; return old
//   ADD(p, y)      old = *p; *p = old + y;         return old
//   MIN(p, y)      old = *p; if (old > y) *p = y;  return old
//
// LOAD and STORE are the accesses that are meant to race. All are relaxed: threads agree on single cells here, and on
// everything else only through the barriers of parallel.hpp. This is the only file that names atomics on plain memory.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace steppe {

namespace detail {
template <class T>
using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
}  // namespace detail

template <class T>
inline T LOAD(const T* p) {
    using B = detail::Bits<T>;
#if defined(__GNUC__) || defined(__clang__)
    return std::bit_cast<T>(__atomic_load_n(reinterpret_cast<const B*>(p), __ATOMIC_RELAXED));
#else
    return std::bit_cast<T>(
        std::atomic_ref<B>(*reinterpret_cast<B*>(const_cast<T*>(p))).load(std::memory_order_relaxed));
#endif
}

template <class T>
inline void STORE(T* p, std::type_identity_t<T> y) {
    using B = detail::Bits<T>;
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(reinterpret_cast<B*>(p), std::bit_cast<B>(y), __ATOMIC_RELAXED);
#else
    std::atomic_ref<B>(*reinterpret_cast<B*>(p)).store(std::bit_cast<B>(y), std::memory_order_relaxed);
#endif
}

// Compares bits, so a float's -0.0 and 0.0 differ; distances never hold -0.0.
template <class T>
inline T CAS(T* p, std::type_identity_t<T> x, std::type_identity_t<T> y) {
    using B = detail::Bits<T>;
    B expected = std::bit_cast<B>(x);
#if defined(__GNUC__) || defined(__clang__)
    __atomic_compare_exchange_n(reinterpret_cast<B*>(p), &expected, std::bit_cast<B>(y), false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
#else
    std::atomic_ref<B>(*reinterpret_cast<B*>(p))
        .compare_exchange_strong(expected, std::bit_cast<B>(y), std::memory_order_relaxed);
#endif
    return std::bit_cast<T>(expected);
}

template <class T>
inline T ADD(T* p, std::type_identity_t<T> y) {
    if constexpr (std::is_integral_v<T>) {
#if defined(__GNUC__) || defined(__clang__)
        return __atomic_fetch_add(p, y, __ATOMIC_RELAXED);
#else
        return std::atomic_ref<T>(*p).fetch_add(y, std::memory_order_relaxed);
#endif
    } else {
        T old = LOAD(p);
        for (;;) {
            T seen = CAS(p, old, old + y);
            if (std::bit_cast<detail::Bits<T>>(seen) == std::bit_cast<detail::Bits<T>>(old)) return old;
            old = seen;
        }
    }
}

template <class T>
inline T MIN(T* p, std::type_identity_t<T> y) {
    T old = LOAD(p);
    while (y < old) {
        T seen = CAS(p, old, y);
        if (std::bit_cast<detail::Bits<T>>(seen) == std::bit_cast<detail::Bits<T>>(old)) return old;
        old = seen;
    }
    return old;
}

}  // namespace steppe

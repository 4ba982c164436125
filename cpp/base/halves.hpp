// Two 32-bit values in one word: words order by the first, and where that is equal by the second. One compare, or one
// compare-and-swap, takes both. The bits of a float order like the float while no sign bit is set: neither negative
// numbers nor -0.0 may be the first.
#pragma once
#include <bit>
#include <cstdint>

namespace steppe {

template <class A, class B>
inline uint64_t join_halves(A first, B second) {
    static_assert(sizeof(A) == 4 && sizeof(B) == 4);
    return uint64_t{std::bit_cast<uint32_t>(first)} << 32 | std::bit_cast<uint32_t>(second);
}
template <class A>
inline A first_half(uint64_t word) {
    return std::bit_cast<A>(static_cast<uint32_t>(word >> 32));
}
template <class B>
inline B second_half(uint64_t word) {
    return std::bit_cast<B>(static_cast<uint32_t>(word));
}

}  // namespace steppe

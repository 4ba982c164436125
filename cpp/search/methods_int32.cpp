// The methods of methods.hpp, compiled for weights of 32-bit integers, distances in 32 bits.
#include "search/methods.hpp"

namespace steppe::search {
STEPPE_METHOD(template, int32_t, int32_t, uint32_t)
}  // namespace steppe::search

// The methods of methods.hpp, compiled for weights of 32-bit integers, distances in 64 bits.
#include "search/methods.hpp"

namespace steppe::search {
STEPPE_METHODS_OF(template, int32_t, uint64_t)
}  // namespace steppe::search

// The methods of methods.hpp, compiled for weights of 64-bit integers.
#include "search/methods.hpp"

namespace steppe::search {
STEPPE_METHODS_OF(template, int64_t, uint64_t)
}  // namespace steppe::search

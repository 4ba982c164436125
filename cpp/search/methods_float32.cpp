// The methods of methods.hpp, compiled for weights of float32.
#include "search/methods.hpp"

namespace steppe::search {
STEPPE_METHODS_OF(template, float, float)
}  // namespace steppe::search

// The methods of methods.hpp, compiled for weights of float64.
#include "search/methods.hpp"

namespace steppe::search {
STEPPE_METHODS_OF(template, double, double)
}  // namespace steppe::search

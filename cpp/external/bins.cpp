// The searches of bins.hpp, compiled for every type of weights and distances.
#include "external/bins.hpp"

namespace steppe::external {
STEPPE_BINS(template)
}  // namespace steppe::external

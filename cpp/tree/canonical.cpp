// The canonical tree of canonical.hpp, compiled for every type of vertices and weights.
#include "tree/canonical.hpp"

namespace steppe::tree {
STEPPE_TREES(template)
}  // namespace steppe::tree

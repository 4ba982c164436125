// Graphs of the stand-in driver.
#pragma once
#include "streams.hpp"

namespace standin {

// A graph of operations one after the other.
void* make_graph(const std::vector<Operation>& chain);

}  // namespace standin

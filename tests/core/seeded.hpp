// The number of the bug to be awake in this run; 0: none. The compiler puts this before every driver.
#pragma once
#include <cstdlib>

namespace core {

inline const int seeded = std::getenv("STEPPE_SEEDED") ? std::atoi(std::getenv("STEPPE_SEEDED")) : 0;

}  // namespace core

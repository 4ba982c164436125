// The types that distances can be stored in, told apart.
#pragma once
#include <cstdint>
#include <stdexcept>

#include "bindings/arrays.hpp"

namespace steppe::bindings {

// f(T{}) for the type of an array.
template <class F>
auto with_stored(nb::dlpack::dtype type, F f) {
    if (type == nb::dtype<int8_t>()) return f(int8_t{});
    if (type == nb::dtype<int16_t>()) return f(int16_t{});
    if (type == nb::dtype<int32_t>()) return f(int32_t{});
    if (type == nb::dtype<int64_t>()) return f(int64_t{});
    if (type == nb::dtype<uint8_t>()) return f(uint8_t{});
    if (type == nb::dtype<uint16_t>()) return f(uint16_t{});
    if (type == nb::dtype<uint32_t>()) return f(uint32_t{});
    if (type == nb::dtype<uint64_t>()) return f(uint64_t{});
    if (type == nb::dtype<float>()) return f(float{});
    if (type == nb::dtype<double>()) return f(double{});
    throw std::invalid_argument("distances cannot be stored in this type");
}

}  // namespace steppe::bindings

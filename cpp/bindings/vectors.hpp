// Vectors: what the core has gathered, as NumPy arrays that own it.
#pragma once
#include <memory>
#include <vector>

#include "bindings/arrays.hpp"

namespace steppe::bindings {

template <class T>
nb::object to_numpy(std::vector<T>&& values) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = kept->data();
    const size_t size = kept->size();
    nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    kept.release();
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

}  // namespace steppe::bindings

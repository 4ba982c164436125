// The rows of a prepared graph as Python holds them: a Packed or Quads of any weight type.
#pragma once
#include <variant>

#include "packed.hpp"
#include "quads.hpp"

namespace steppe::bindings {

struct AnyPacked {
    std::variant<Packed<int32_t>, Packed<int64_t>, Packed<float>, Packed<double>, Quads<int32_t>, Quads<int64_t>,
                 Quads<float>, Quads<double>>
        value;
};

// The same when the weight type is known: out and perhaps in, or quads, or nothing.
template <class W>
struct Prepared {
    const Packed<W>*out = nullptr, *in = nullptr;
    const Quads<W>* quads = nullptr;

    Prepared(const AnyPacked* rows, const AnyPacked* in_rows) {
        if (rows) out = std::get_if<Packed<W>>(&rows->value);
        if (rows) quads = std::get_if<Quads<W>>(&rows->value);
        if (in_rows) in = std::get_if<Packed<W>>(&in_rows->value);
    }
};

}  // namespace steppe::bindings

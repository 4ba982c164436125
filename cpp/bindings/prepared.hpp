// The rows of a prepared graph as Python holds them: a Packed or Quads of any weight type.
#pragma once
#include <variant>

#include "rows/packed.hpp"
#include "rows/quads.hpp"

namespace steppe::bindings {

struct AnyPacked {
    std::variant<rows::Packed<int32_t>, rows::Packed<int64_t>, rows::Packed<float>, rows::Packed<double>,
                 rows::Quads<int32_t>, rows::Quads<int64_t>, rows::Quads<float>, rows::Quads<double>>
        value;
};

// The same when the weight type is known: out and perhaps in, or quads, or nothing.
template <class W>
struct Prepared {
    const rows::Packed<W>*out = nullptr, *in = nullptr;
    const rows::Quads<W>* quads = nullptr;

    Prepared(const AnyPacked* rows, const AnyPacked* in_rows) {
        if (rows) out = std::get_if<rows::Packed<W>>(&rows->value);
        if (rows) quads = std::get_if<rows::Quads<W>>(&rows->value);
        if (in_rows) in = std::get_if<rows::Packed<W>>(&in_rows->value);
    }
};

}  // namespace steppe::bindings

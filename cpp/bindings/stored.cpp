// Bindings of matrix/stored.hpp.
#include "matrix/stored.hpp"

#include "bindings/arrays.hpp"

namespace steppe::bindings {

namespace {

// f(T{}) for a type that distances can be stored in.
template <class F>
int64_t with_stored(nb::dlpack::dtype type, F f) {
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

}  // namespace

void bind_stored(nb::module_& m) {
    // Fills `out` with the same distances in its own type; returns the first that does not fit, or -1.
    m.def(
        "store",
        [](In values, Out out_values, int threads) {
            same_size(values.size(), out_values.size(), "store");
            const int64_t count = static_cast<int64_t>(values.size());
            return without_gil([&](Watch& watch) {
                return with_stored(out_values.dtype(), [&]<class T>(T) -> int64_t {
                    T* to = static_cast<T*>(out_values.data());
                    if (values.dtype() == nb::dtype<int64_t>())
                        return matrix::store(in<int64_t>(values), to, count, threads, watch);
                    if (values.dtype() == nb::dtype<float>())
                        return matrix::store(in<float>(values), to, count, threads, watch);
                    if (values.dtype() == nb::dtype<double>())
                        return matrix::store(in<double>(values), to, count, threads, watch);
                    throw std::invalid_argument("distances must be int64, float32 or float64");
                });
            });
        },
        "values"_a, "out"_a, "threads"_a);
}

}  // namespace steppe::bindings

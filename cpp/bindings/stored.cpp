// Bindings of matrix/stored.hpp.
#include "matrix/stored.hpp"

#include "bindings/stored.hpp"

namespace steppe::bindings {

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

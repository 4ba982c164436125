// Bindings of base/limits.hpp.
#include "base/limits.hpp"

#include "bindings/arrays.hpp"

namespace steppe::bindings {

void bind_limits(nb::module_& m) {
    auto positive = [](int64_t bytes, int64_t reads, int threads, int repeats) {
        if (bytes < 4 || reads < 1 || threads < 1 || repeats < 1)
            throw std::invalid_argument("at least 4 bytes, 1 read, 1 thread and 1 repeat");
    };
    m.def(
        "random_read_ns",
        [positive](int64_t bytes, int64_t reads, int threads, int repeats) {
            positive(bytes, reads, threads, repeats);
            return without_gil([&](Watch&) { return random_read_ns(bytes, reads, threads, repeats); });
        },
        "bytes"_a, "reads"_a, "threads"_a, "repeats"_a);
    m.def(
        "sequential_read_ns",
        [positive](int64_t bytes, int threads, int repeats) {
            positive(bytes, 1, threads, repeats);
            return without_gil([&](Watch&) { return sequential_read_ns(bytes, threads, repeats); });
        },
        "bytes"_a, "threads"_a, "repeats"_a);
}

}  // namespace steppe::bindings

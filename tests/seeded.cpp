// Two faults on purpose, in the extension only when it is built with a sanitizer: that `make sanitize` is silent means
// something because these are reported, in the same process, with the same libraries loaded first. They go through the
// core's own threads and memory. See tests/test_sanitizers.py.
#include <nanobind/nanobind.h>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace steppe::bindings {

namespace nb = nanobind;
using namespace nb::literals;

void bind_seeded(nb::module_& m) {
    m.def(
        "seeded_race",
        [](int threads) {
            int64_t count = 0;
            parallel(threads, [&](int, int) {
                for (int i = 0; i < 1000; ++i) ++*const_cast<volatile int64_t*>(&count);
            });
            return count;
        },
        "threads"_a);
    m.def(
        "seeded_overrun",
        [](int64_t size) {
            Buffer<int32_t> buffer(static_cast<size_t>(size), 1);
            return *const_cast<volatile int32_t*>(&buffer[static_cast<size_t>(size)]);
        },
        "size"_a);
    m.def("seeded_overflow", [](int32_t a, int32_t b) { return a + b; }, "a"_a, "b"_a);
}

}  // namespace steppe::bindings

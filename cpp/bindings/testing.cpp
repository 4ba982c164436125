// _core.testing: switches and measurements for tests and benchmarks; nothing of the product asks for them.
#include <chrono>

#include "base/limits.hpp"
#include "bindings/arrays.hpp"
#include "matrix/min_plus.hpp"
#include "search/halt.hpp"
#include "search/scan_avx512.hpp"

namespace steppe::bindings {

void bind_testing(nb::module_& core) {
    nb::module_ m = core.def_submodule("testing", "Switches and measurements for tests and benchmarks.");
    // Whether scans use AVX-512 from now on, where the processor has it. Returns whether they did.
#if STEPPE_AVX512
    m.def(
        "use_avx512",
        [](bool wanted) { return std::exchange(search::avx512_wanted(), wanted && search::avx512_found()); },
        "wanted"_a);
#else
    m.def("use_avx512", [](bool) { return false; }, "wanted"_a);
#endif
    // How long a thread waits for another from now on. Returns how long it did.
    m.def("set_patience", [](int pauses) { return std::exchange(search::patience(), pauses); }, "pauses"_a);

    // What this machine takes for a read of memory (base/limits.hpp).
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

    // Tests take a narrower one, or what was found; returns what was used before.
    m.def(
        "use_min_plus_vectors",
        [](const std::string& wanted) {
            const auto found = matrix::vectors_found();
            auto chosen = wanted == "avx512" ? matrix::Vectors::avx512
                          : wanted == "avx2" ? matrix::Vectors::avx2
                                             : matrix::Vectors::none;
            return std::string(matrix::name_of(std::exchange(matrix::vectors_wanted(), std::min(chosen, found))));
        },
        "wanted"_a);
    // Operations a second that one thread reaches while everything stays in its first cache; for benchmarks.
    m.def(
        "min_plus_peak",
        [](const std::string& dtype, int repeats) {
            auto now = [] {
                return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
            };
            return without_gil([&](Watch&) {
                if (dtype == "float32") return matrix::multiply_peak<float>(repeats, now);
                if (dtype == "float64") return matrix::multiply_peak<double>(repeats, now);
                if (dtype == "int32") return matrix::multiply_peak<uint32_t>(repeats, now);
                return matrix::multiply_peak<uint64_t>(repeats, now);
            });
        },
        "dtype"_a, "repeats"_a);
}

}  // namespace steppe::bindings

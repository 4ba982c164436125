// Bindings for whoever maps a graph (src/steppe/files/mapped.py) or reads one piece by piece (src/steppe/gpu/slots.py).
#include "base/pages.hpp"

#include <cstring>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "bindings/arrays.hpp"

namespace steppe::bindings {

namespace {

constexpr int64_t kAhead = 8;     // pieces whose first line is fetched before they are copied
constexpr int64_t kGrain = 4096;  // pieces that one thread takes at a time

void gather(const char* from, int64_t item, const int64_t* places, const int64_t* starts, int64_t pieces, char* to,
            int64_t total, int threads) {
    parallel_for(threads, pieces, kGrain, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            if (i + kAhead < end) STEPPE_PREFETCH(from + places[i + kAhead] * item);
            const int64_t stop = i + 1 < pieces ? starts[i + 1] : total;
            std::memcpy(to + starts[i] * item, from + places[i] * item, static_cast<size_t>((stop - starts[i]) * item));
        }
    });
}

}  // namespace

void bind_pages(nb::module_& m) {
    // Copies pieces of `array` behind each other to `out`: piece i begins at places[i] there and at starts[i] here, and
    // the last one ends with `out`.
    m.def(
        "gather",
        [](In array, InOf<int64_t> places, InOf<int64_t> starts, Out out, int threads) {
            same_size(places.size(), starts.size(), "gather");
            if (array.dtype() != out.dtype()) throw std::invalid_argument("gather: arrays of different types");
            const int64_t pieces = static_cast<int64_t>(places.size()), total = static_cast<int64_t>(out.size());
            const int64_t item = array.dtype().bits / 8, size = static_cast<int64_t>(array.size());
            const int64_t *p = places.data(), *s = starts.data();
            for (int64_t i = 0; i < pieces; ++i) {
                const int64_t stop = i + 1 < pieces ? s[i + 1] : total;
                if (s[i] < 0 || stop < s[i] || stop > total || p[i] < 0 || p[i] > size - (stop - s[i]))
                    throw std::invalid_argument("gather: a piece out of range");
            }
            const auto* from = static_cast<const char*>(array.data());
            auto* to = static_cast<char*>(out.data());
            without_gil([&](Watch&) { gather(from, item, p, s, pieces, to, total, threads); });
        },
        "array"_a, "places"_a, "starts"_a, "out"_a, "threads"_a);
    // Watches over a mapping as long as it lives; see base/guard.hpp.
    nb::class_<Guard>(m, "Guard")
        .def(
            "__init__",
            [](Guard* self, int file, nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu, nb::ndim<1>> mapping) {
                new (self) Guard(file, reinterpret_cast<uintptr_t>(mapping.data()), mapping.nbytes());
            },
            "file"_a, "mapping"_a)
        .def_prop_ro("faulted", &Guard::faulted)
        .def_prop_ro("identity", [](const Guard& self) {
            const Identity i = self.identity();
            return nb::make_tuple(i.device, i.inode, i.size, i.modified, i.changed);
        });
    // Lets go of the pages of elements [first, last) of an array mapped from a file.
    m.def(
        "release",
        [](In array, int64_t first, int64_t last) {
            const int64_t size = static_cast<int64_t>(array.size());
            if (first < 0 || last < first || last > size) throw std::invalid_argument("release: out of range");
            Pages(array.data(), size, array.dtype().bits / 8, true, true).release(first, last);
        },
        "array"_a, "first"_a, "last"_a);
}

}  // namespace steppe::bindings

// Bindings of generate/rows.hpp: the degrees of a block of rows, then its edges.
#include "bindings/arrays.hpp"
#include "generate/rows.hpp"

namespace steppe::bindings {

namespace {

// A family by name: (n, m) for "random", (rows, columns) for "grid", (n, 0) for "road".
struct Recipe {
    std::string family;
    int64_t first, second;
    double keep, diagonal;
    bool time;
    uint64_t seed;

    template <class F>
    void with(F f) const {
        if (family == "random") f(generate::RandomRows(first, second, seed));
        else if (family == "grid") f(generate::GridRows(first, second, seed));
        else if (family == "road") f(generate::RoadRows(first, keep, diagonal, time, seed));
        else throw std::invalid_argument("unknown family " + family);
    }
};

}  // namespace

void bind_generate_rows(nb::module_& m) {
    nb::class_<Recipe>(m, "Recipe")
        .def(
            "__init__",
            [](Recipe* self, std::string family, int64_t first, int64_t second, double keep, double diagonal, bool time,
               uint64_t seed) { new (self) Recipe{std::move(family), first, second, keep, diagonal, time, seed}; },
            "family"_a, "first"_a, "second"_a, "keep"_a, "diagonal"_a, "time"_a, "seed"_a)
        .def(
            "degrees",
            [](const Recipe& recipe, int64_t begin, OutOf<int64_t> degrees, int threads) {
                without_gil([&](Watch& watch) {
                    recipe.with([&](const auto& family) {
                        generate::degrees(family, begin, static_cast<int64_t>(degrees.size()), degrees.data(), threads,
                                          watch);
                    });
                });
            },
            "begin"_a, "degrees"_a, "threads"_a)
        .def(
            "fill",
            [](const Recipe& recipe, int64_t begin, InOf<int64_t> offsets, Out indices, std::optional<Out> weights,
               int64_t low, int64_t high, int threads) {
                const auto count = static_cast<int64_t>(offsets.size()) - 1;
                const int64_t* at = offsets.data();
                same_size(indices.size(), static_cast<size_t>(at[count] - at[0]), "fill");
                if (weights) same_size(indices.size(), weights->size(), "fill");
                const uint64_t least = static_cast<uint64_t>(low), range = static_cast<uint64_t>(high) - least + 1;
                with_vertex(indices, [&](auto vertex) {
                    using V = decltype(vertex);
                    V* ends = out<V>(indices);
                    auto make = [&](auto* lengths, auto as_weight) {
                        without_gil([&](Watch& watch) {
                            recipe.with([&](const auto& family) {
                                generate::fill(family, begin, count, at, ends, lengths, as_weight, threads, watch);
                            });
                        });
                    };
                    if (!weights) return make(static_cast<int32_t*>(nullptr), generate::Uniform<int32_t>{0, 1});
                    with_weight(*weights, [&](auto weight) {
                        using W = decltype(weight);
                        if (recipe.family == "road")  // its lengths are weights already
                            return make(out<W>(*weights), [](uint64_t length) { return static_cast<W>(length); });
                        make(out<W>(*weights), generate::Uniform<W>{least, range});
                    });
                });
            },
            "begin"_a, "offsets"_a, "indices"_a, "weights"_a.none(), "low"_a, "high"_a, "threads"_a);
}

}  // namespace steppe::bindings

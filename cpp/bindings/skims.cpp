// Bindings of tree/skims.hpp.
#include "tree/skims.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/question.hpp"

namespace steppe::search {
STEPPE_METHODS(extern template)  // in search/methods_*.cpp
}  // namespace steppe::search
namespace steppe::tree {
STEPPE_TREES(extern template)  // in tree/canonical.cpp
}  // namespace steppe::tree

namespace steppe::bindings {

void bind_skims(nb::module_& m) {
    // Fills `distances` and, for each attribute (int64 or float64, in the order of the rows), one of `sums`: all
    // sources x columns. Returns the first source with a distance or a sum that does not fit in 64 bits, or -1.
    m.def(
        "skims",
        [](const std::string& method, const Rows& rows, const Question& question, InOf<int64_t> columns, bool uniform,
           nb::object min_weight, std::vector<In> attributes, Out distances, std::vector<Out> sums) {
            const std::span<const int64_t> chosen(columns.data(), columns.size());
            search::check_vertices(question.sources, rows.n());
            search::check_vertices(chosen, rows.n());
            const size_t size = question.sources.size() * chosen.size();
            same_size(distances.size(), size, "skims");
            same_size(attributes.size(), sums.size(), "skims");
            if (question.sources.size() >= (size_t{1} << 31) - 2) throw std::invalid_argument("skims: too many rows");
            std::vector<tree::Skim> skims(attributes.size());
            for (size_t k = 0; k < skims.size(); ++k) {
                same_size(attributes[k].size(), static_cast<size_t>(rows.edges()), "skims");
                same_size(sums[k].size(), size, "skims");
                if (attributes[k].dtype() == nb::dtype<int64_t>())
                    skims[k] = {in<int64_t>(attributes[k]), nullptr, out<int64_t>(sums[k]), nullptr};
                else if (attributes[k].dtype() == nb::dtype<double>())
                    skims[k] = {nullptr, in<double>(attributes[k]), nullptr, out<double>(sums[k])};
                else throw std::invalid_argument("skims: attributes are int64 or float64");
            }
            const search::Method named = search::method_named(method);
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) -> int64_t {
                auto* to = out<Distance<W>>(distances);
                const W least = nb::cast<W>(min_weight);
                return PythonWatch(question.progress).run([&](Watch& watch) {
                    return tree::Skims<V, W>(named, g, question, chosen, uniform, least, to, skims, watch).run();
                });
            });
        },
        "method"_a, "rows"_a, "question"_a, "columns"_a, "uniform"_a, "min_weight"_a, "attributes"_a, "distances"_a,
        "sums"_a);
}

}  // namespace steppe::bindings

// Bindings of search/many.hpp.
#include "search/many.hpp"

#include "bindings/arrays.hpp"

namespace steppe::bindings {

void bind_many(nb::module_& m) {
    // Fills `rows` (sources x columns); `columns` None: every vertex. Returns the first source with a distance that
    // does not fit in 64 bits, or -1. With weights None every edge has length 1 and the method does not matter.
    m.def(
        "many",
        [](std::string method, InOf<int64_t> indptr, In indices, std::optional<In> weights, InOf<int64_t> sources,
           std::optional<InOf<int64_t>> columns, std::optional<int64_t> cutoff, std::optional<double> float_cutoff,
           double delta, double mean_weight, double max_weight, int threads, Out rows, nb::object progress) {
            const Arrays arrays{indptr, indices, weights};
            if (indptr.size() == 0) throw std::invalid_argument("indptr is empty");
            const auto n = static_cast<int64_t>(indptr.size()) - 1;
            if (weights) same_size(indices.size(), weights->size(), "many");
            auto check = [n](const InOf<int64_t>& vertices) {
                for (size_t i = 0; i < vertices.size(); ++i)
                    if (vertices.data()[i] < 0 || vertices.data()[i] >= n)
                        throw std::invalid_argument("vertex out of range");
            };
            check(sources);
            if (columns) check(*columns);
            const size_t width = columns ? columns->size() : static_cast<size_t>(n);
            same_size(rows.size(), sources.size() * width, "many");
            if (!weights) method = "hops";
            else if (method != "dijkstra" && method != "delta-stepping")
                throw std::invalid_argument("unknown method " + method);
            PythonWatch watch(progress);
            auto run = [&](auto vertex, auto weight) {
                using V = decltype(vertex);
                using W = decltype(weight);
                using R = search::Distance<W>;
                search::Many<R> q{};
                q.method = method == "dijkstra" ? search::ManyMethod::kDijkstra
                           : method == "hops"   ? search::ManyMethod::kHops
                                                : search::ManyMethod::kDeltaStepping;
                q.sources = sources.data();
                q.count = static_cast<int64_t>(sources.size());
                q.targets = columns ? columns->data() : nullptr;
                q.columns = static_cast<int64_t>(width);
                q.bounded = cutoff || float_cutoff;
                if constexpr (std::is_integral_v<R>) q.bound = cutoff.value_or(0);
                else q.bound = static_cast<R>(float_cutoff.value_or(0));  // exact: given in the type of the distances
                q.delta = delta;
                q.mean_weight = mean_weight;
                q.max_weight = max_weight;
                q.threads = threads;
                R* to = out<R>(rows);
                const auto g = arrays.csr<V, W>();
                return watch.run([&](Watch& w) { return search::ManySearches<V, W, R>(g, q, to, w).run(); });
            };
            return with_vertex(indices, [&](auto vertex) -> int64_t {
                if (!weights) return run(vertex, int32_t{});
                return with_weight(*weights, [&](auto weight) { return run(vertex, weight); });
            });
        },
        "method"_a, "indptr"_a, "indices"_a, "weights"_a.none(), "sources"_a, "columns"_a.none(), "cutoff"_a.none(),
        "float_cutoff"_a.none(), "delta"_a, "mean_weight"_a, "max_weight"_a, "threads"_a, "rows"_a,
        "progress"_a.none());
}

}  // namespace steppe::bindings

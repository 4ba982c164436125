// Bindings of search/bellman_ford.hpp.
#include "search/bellman_ford.hpp"

#include "bindings/arrays.hpp"

namespace steppe::bindings {

void bind_bellman_ford(nb::module_& m) {
    // Fills distances and predecessors. Returns (status, cycle, rounds, edges relaxed); status 0: done, 1: a negative
    // cycle, listed in order, 2: a distance does not fit in 64 bits. After 1 and 2 the arrays mean nothing.
    m.def(
        "bellman_ford",
        [](InOf<int64_t> indptr, In indices, In weights, InOf<int64_t> sources, Out distances, Out predecessors,
           nb::handle progress) {
            const Arrays arrays{indptr, indices, weights};
            same_size(indices.size(), weights.size(), "bellman_ford: weights");
            same_size(indptr.size(), distances.size() + 1, "bellman_ford: distances");
            same_size(indptr.size(), predecessors.size() + 1, "bellman_ford: predecessors");
            const auto n = static_cast<int64_t>(distances.size());
            for (size_t i = 0; i < sources.size(); ++i)
                if (sources.data()[i] < 0 || sources.data()[i] >= n) throw std::invalid_argument("source out of range");
            const search::BellmanFordResult result = with_vertex(indices, [&](auto vertex) {
                return with_weight(weights, [&](auto w) {
                    using V = decltype(vertex);
                    using W = decltype(w);
                    using Engine = search::BellmanFord<V, W>;
                    auto* d = out<typename Engine::D>(distances);
                    V* p = out<V>(predecessors);
                    const rows::Csr<V, W> csr = arrays.csr<V, W>();
                    return PythonWatch(progress).run([&](Watch& watch) {
                        return Engine(csr, d, p, watch).run(sources.data(), static_cast<int64_t>(sources.size()));
                    });
                });
            });
            nb::list cycle;
            for (const int64_t v : result.cycle) cycle.append(v);
            return nb::make_tuple(static_cast<int>(result.status), cycle, result.rounds, result.edges_relaxed);
        },
        "indptr"_a, "indices"_a, "weights"_a, "sources"_a, "distances"_a, "predecessors"_a, "progress"_a.none());
}

}  // namespace steppe::bindings

// steppe for C++ programs: shortest paths without Python. Compile with -std=c++20 -I cpp -pthread -ffp-contract=off.
//
//     auto roads = steppe::Graph<int32_t>::from_edges(4, sources, targets, minutes);
//     auto paths = roads.sssp(0);  // paths.distances[v], paths.predecessors[v], paths.to(v)
//
// A thin layer over the rooms: it owns the rows, asks one Question and hands back vectors. Vertices are 0...n-1;
// weights are int32, int64, float or double and not negative; distances are int64 or the weights' own type, hops int32.
// What cannot be reached is as far away as the type allows: reached() tells. The answers, and the trees, are those of
// the Python package, bit for bit, whatever the method and the number of threads.
//
// A graph may be searched from several threads at once. reverse(), prepare() and route() change what it keeps: the
// first of these calls must have ended before another thread uses the graph.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "route/router.hpp"
#include "rows/build.hpp"
#include "rows/forms.hpp"
#include "rows/prove.hpp"
#include "rows/typical.hpp"
#include "search/answer.hpp"
#include "search/bfs.hpp"
#include "search/many.hpp"
#include "search/methods.hpp"
#include "tree/canonical.hpp"

namespace steppe {

struct SearchOptions {
    std::vector<int64_t> targets =
        {};  // where the search may end; what is farther than all of them counts as not reached
    std::variant<std::monostate, int64_t, double> cutoff = {};  // no farther than this; of integer weights an integer
    bool predecessors = true;
    int threads = 1;
    search::Method method = search::Method::delta_stepping;
    std::function<bool(int64_t)> stop = {};  // asked every 20 ms; true ends the search, which throws Interrupted
};

template <class R>
bool reached(R distance) {
    return distance != (std::is_integral_v<R> ? std::numeric_limits<R>::max() : std::numeric_limits<R>::infinity());
}

// The shortest paths of one search. R: int64_t, float or double; int32_t for hops.
template <class R>
struct Paths {
    std::vector<R> distances;
    std::vector<int32_t> predecessors;  // -1: a source, or not reached; empty where they were not wanted

    // The vertices from the source to `target`, both included; empty if there is no path.
    std::vector<int32_t> to(int32_t target) const {
        std::vector<int32_t> path;
        if (!reached(distances.at(target))) return path;
        for (int32_t v = target; v >= 0; v = predecessors.at(v)) path.push_back(v);
        std::reverse(path.begin(), path.end());
        return path;
    }
};

template <class W = int32_t>
class Graph {
  public:
    using Route = route::Route<int32_t, W>;

    // Edges in any order. directed = false adds the opposite of each; weights empty: every edge has length 1.
    static Graph from_edges(int64_t n, std::span<const int32_t> sources, std::span<const int32_t> targets,
                            std::span<const W> weights = {}, bool directed = true, int threads = 1) {
        const auto m = static_cast<int64_t>(sources.size());
        if (sources.size() != targets.size() || (!weights.empty() && weights.size() != sources.size()))
            throw std::invalid_argument("sources, targets and weights must be equally many");
        Watch watch;
        const rows::EdgeFacts found = rows::edge_facts(sources.data(), targets.data(), m, n, threads, watch);
        if (found.first_bad >= 0) fail("has a vertex out of range", found.first_bad);
        const int64_t stored = directed ? m : 2 * m - found.loops;
        std::vector<int64_t> offsets(static_cast<size_t>(n + 1));
        std::vector<int32_t> ends(static_cast<size_t>(stored));
        std::vector<W> lengths(weights.empty() ? 0 : static_cast<size_t>(stored));
        rows::build_csr(sources.data(), targets.data(), weights.empty() ? nullptr : weights.data(), m, n, !directed,
                        found.sorted, offsets.data(), ends.data(), lengths.empty() ? nullptr : lengths.data(), threads,
                        watch);
        return from_csr(std::move(offsets), std::move(ends), std::move(lengths), directed, threads);
    }

    // Compressed rows: the edges of u are offsets[u]...offsets[u + 1] - 1. They are proved: offsets rise, targets are
    // vertices, weights are numbers, and of an undirected graph every edge has its opposite.
    static Graph from_csr(std::vector<int64_t> offsets, std::vector<int32_t> targets, std::vector<W> weights = {},
                          bool directed = true, int threads = 1) {
        auto kept = std::make_unique<Arrays>(Arrays{std::move(offsets), std::move(targets), std::move(weights)});
        Graph g = over(kept->offsets, kept->targets, kept->weights, directed, threads);
        g.arrays_ = std::move(kept);
        return g;
    }

    // The same over rows that the caller keeps, unchanged, for as long as the graph lives.
    static Graph over(std::span<const int64_t> offsets, std::span<const int32_t> targets,
                      std::span<const W> weights = {}, bool directed = true, int threads = 1) {
        const auto m = static_cast<int64_t>(targets.size());
        if (offsets.empty() || (!weights.empty() && weights.size() != targets.size()))
            throw std::invalid_argument("expected n + 1 offsets, and as many weights as targets");
        if (offsets.size() > size_t{1} << 31) throw std::invalid_argument("expected fewer than 2^31 vertices");
        Graph g;
        g.directed_ = directed;
        g.csr_ = {static_cast<int64_t>(offsets.size()) - 1, offsets.data(), targets.data(),
                  weights.empty() ? nullptr : weights.data()};
        Watch watch;
        const auto facts = rows::prove_rows(g.csr_, m, !directed, kKey, false, threads, watch);
        if (facts.fault == rows::RowFault::offset) fail("breaks the rise of the offsets", facts.place);
        if (facts.fault == rows::RowFault::target) fail("has a target out of range", facts.place);
        if (facts.fault == rows::RowFault::weight) fail("has a weight that is not a number", facts.place);
        if (facts.fault == rows::RowFault::one_way) throw std::invalid_argument("an edge has no opposite");
        if (g.csr_.weights && facts.smallest < 0) throw std::invalid_argument("weights must not be negative");
        if (g.csr_.weights) {
            g.least_ = facts.smallest, g.most_ = facts.largest;
            g.typical_ = std::min(rows::typical_weight(g.csr_), static_cast<double>(facts.largest));
        }
        return g;
    }

    int64_t num_vertices() const { return csr_.n; }
    int64_t num_edges() const { return csr_.edges(); }

    // Distances from the nearest of the sources.
    Paths<Distance<W>> sssp(std::vector<int64_t> sources, const SearchOptions& options = {}) const {
        const search::Question question = asked(sources, options);
        Paths<Distance<W>> paths{std::vector<Distance<W>>(static_cast<size_t>(csr_.n)), {}};
        Watch watch(options.stop);
        const rows::View<int32_t, W> all = view().weighted();
        const search::Stats stats =
            search::find_answer<W>(csr_, question, paths.distances.data(), static_cast<int32_t*>(nullptr), watch,
                                   [&]<class D>(const search::Search<int32_t, D>& search, D* dist, int32_t* none) {
                                       return search::run<false>(options.method, all, search, dist, none);
                                   });
        if (stats.outgrown) throw std::overflow_error("a distance does not fit in 64 bits");
        if (options.predecessors)
            paths.predecessors = tree(view(), paths.distances, sources, !csr_.weights, least_, options.threads, watch);
        return paths;
    }
    Paths<Distance<W>> sssp(int64_t source, const SearchOptions& options = {}) const {
        return sssp(std::vector{source}, options);
    }

    // Hops, whatever the weights. After reverse() levels may be taken from the other side, which is faster.
    Paths<int32_t> bfs(std::vector<int64_t> sources, const SearchOptions& options = {}) const {
        const search::Question question = asked(sources, options);
        search::check_vertices(question.sources, csr_.n);
        search::check_vertices(question.targets, csr_.n);
        Paths<int32_t> paths{std::vector<int32_t>(static_cast<size_t>(csr_.n)), {}};
        Watch watch(options.stop);
        const search::Search<int32_t, uint32_t> search(question, watch);
        const rows::Csr<int32_t, int32_t> g = lengthless();
        std::optional<rows::Csr<int32_t, int32_t>> in;
        if (!directed_) in = g;
        else if (reverse_) in = reverse_->lengthless();
        search::Bfs<false, int32_t>(g, in ? &*in : nullptr, search, paths.distances.data(), nullptr).run();
        watch.check();
        if (!search.targets.empty()) {
            int32_t bound = 0;
            for (const int32_t t : search.targets) bound = std::max(bound, paths.distances[t]);
            for (int32_t& d : paths.distances)
                if (d > bound) d = std::numeric_limits<int32_t>::max();
        }
        rows::Forms<int32_t> none;
        if (options.predecessors)
            paths.predecessors =
                tree(rows::View<int32_t, int32_t>{g, none}, paths.distances, sources, true, 1, options.threads, watch);
        return paths;
    }
    Paths<int32_t> bfs(int64_t source, const SearchOptions& options = {}) const {
        return bfs(std::vector{source}, options);
    }

    // A row of distances for each source, one after another: a column for each of `targets`, or for every vertex.
    std::vector<Distance<W>> distances(std::vector<int64_t> sources, const SearchOptions& options = {}) const {
        search::Question question = asked(sources, options);
        search::check_vertices(question.sources, csr_.n);
        search::check_vertices(question.targets, csr_.n);
        search::Columns columns;
        if (!options.targets.empty()) columns.list = question.targets;
        std::vector<Distance<W>> matrix(sources.size() * static_cast<size_t>(columns.width(0, csr_.n)));
        Watch watch(options.stop);
        const rows::View<int32_t, W> g = view();
        if (search::ManySearches(options.method, g, question, columns, matrix.data(), watch).run() >= 0)
            throw std::overflow_error("a distance does not fit in 64 bits");
        return matrix;
    }

    // One shortest path, searched from both ends: distance, vertices and edges; its outcome says whether there is one.
    Route route(int64_t source, int64_t target, const std::function<bool(int64_t)>& stop = {}) {
        search::check_vertices(std::vector{source, target}, csr_.n);
        Watch watch(stop);
        if (!router_) {
            const route::Facts facts{static_cast<double>(least_), typical_, static_cast<double>(most_)};
            const Graph& back = reverse();
            if (csr_.weights && rows::Quads<W>::suit(csr_) && rows::Quads<W>::suit(back.csr_)) {
                forms_->make_quads(csr_, 1, watch);
                back.forms_->make_quads(back.csr_, 1, watch);
            }
            router_ = std::make_unique<route::Router<int32_t, W>>(view(), back.view(), facts);
        }
        Route found = router_->query(static_cast<int32_t>(source), static_cast<int32_t>(target), nullptr, watch);
        if (found.outcome == route::Outcome::too_long) throw std::overflow_error("a distance does not fit in 64 bits");
        return found;
    }

    // The same edges, each turned round; built when first asked for. An undirected graph is its own reverse.
    const Graph& reverse(int threads = 1) {
        if (!directed_) return *this;
        if (!reverse_) {
            std::vector<int64_t> offsets(static_cast<size_t>(csr_.n + 1));
            std::vector<int32_t> targets(static_cast<size_t>(csr_.edges()));
            std::vector<W> weights(csr_.weights ? targets.size() : 0);
            Watch watch;
            rows::reverse_csr(csr_, offsets.data(), targets.data(), weights.empty() ? nullptr : weights.data(), threads,
                              watch);
            reverse_ = std::make_unique<Graph>(
                from_csr(std::move(offsets), std::move(targets), std::move(weights), true, threads));
        }
        return *reverse_;
    }

    // Puts the rows into the form in which searches are fastest. It costs about as much as a few searches.
    void prepare(int threads = 1) {
        Watch watch;
        if (!csr_.weights || forms_->make_quads(csr_, threads, watch)) return;
        const Graph& back = reverse(threads);
        forms_->make_packed(csr_, &back.csr_, directed_ ? back.forms_.get() : nullptr, threads, watch);
    }

  private:
    static constexpr uint64_t kKey = 0x9e3779b97f4a7c15;  // of the sum that shows whether edges have opposites

    struct Arrays {
        std::vector<int64_t> offsets;
        std::vector<int32_t> targets;
        std::vector<W> weights;
    };

    Graph() = default;

    [[noreturn]] static void fail(const char* what, int64_t place) {
        throw std::invalid_argument("entry " + std::to_string(place) + " " + what);
    }

    rows::View<int32_t, W> view() const { return {csr_, *forms_}; }
    rows::Csr<int32_t, int32_t> lengthless() const { return {csr_.n, csr_.offsets, csr_.targets, nullptr}; }

    search::Question asked(const std::vector<int64_t>& sources, const SearchOptions& options) const {
        search::Question question;
        question.sources = sources, question.targets = options.targets, question.bound = options.cutoff;
        question.typical_weight = typical_, question.max_weight = static_cast<double>(most_);
        question.threads = std::max(1, options.threads);
        return question;
    }

    template <class G, class R, class Least>
    static std::vector<int32_t> tree(const G& g, const std::vector<R>& distances, const std::vector<int64_t>& sources,
                                     bool uniform, Least least, int threads, Watch& watch) {
        std::vector<int32_t> predecessors(distances.size());
        tree::canonical_tree(g, distances.data(), sources, uniform, least, predecessors.data(), std::max(1, threads),
                             watch);
        watch.check();
        return predecessors;
    }

    rows::Csr<int32_t, W> csr_;
    bool directed_ = true;
    W least_ = 1, most_ = 1;
    double typical_ = 1;
    std::unique_ptr<Arrays> arrays_;  // null: the caller's
    std::unique_ptr<rows::Forms<W>> forms_ = std::make_unique<rows::Forms<W>>();
    std::unique_ptr<Graph> reverse_;
    std::unique_ptr<route::Router<int32_t, W>> router_;
};

}  // namespace steppe

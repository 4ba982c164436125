// Delta-stepping on several threads: graphs like roads, whose threads send each other letters, the same in another
// order, where all threads lower all distances, and others, whose threads meet; hubs, whose rows are shared; a few huge
// weights; buckets that are too narrow and too wide, so that the width changes on the way, or that a phase ends before
// its bucket is empty; threads that lose patience at once. Compared with one thread, which search.cpp compares with the
// naive answer.
#include "questions.hpp"
#include "search/delta_stepping.hpp"
#include "search/delta_stepping_parallel.hpp"

using namespace core;

// The ways of sharing a search, whatever the graph is: each must be right on all.
enum Way { kChosen, kPhases, kOwners, kAll };

template <class D>
static search::Search<int32_t, D> question(const Graph<int32_t>& g, double delta, Watch& watch) {
    search::Search<int32_t, D> s;
    s.sources = {0, static_cast<int32_t>(g.n / 3)};
    s.delta = delta;
    s.typical_weight = g.mean();
    s.max_weight = g.most();
    s.watch = &watch;
    return s;
}

constexpr const search::NoEdges* kNone = nullptr;

// The distances that one thread finds.
template <class D>
static std::vector<D> answer(const Graph<int32_t>& g) {
    Watch watch;
    std::vector<D> found(g.n);
    search::delta_stepping<false>(g.csr(), kNone, question<D>(g, 0, watch), found.data(),
                                  static_cast<int32_t*>(nullptr));
    return found;
}

template <bool kPaths, class D>
static void check(const Graph<int32_t>& g, const std::vector<D>& right, Way way, int threads, double delta) {
    const auto csr = g.csr();
    Watch watch;
    search::Search<int32_t, D> s = question<D>(g, delta, watch);
    std::vector<D> found(g.n);
    std::vector<int32_t> pred(g.n);
    s.threads = threads;
    using Csr = rows::Csr<int32_t, int32_t>;
    int32_t* const from = kPaths ? pred.data() : nullptr;
    const search::Width<D> width(delta > 0 ? delta : std::max(1.0, g.mean()));
    if (way == kChosen) {
        search::delta_stepping_parallel<kPaths>(csr, kNone, s, found.data(), from);
    } else if (way == kPhases) {
        search::in_phases<kPaths>(csr, kNone, s, width, found.data(), from);
    } else if (way == kOwners) {
        search::Team<kPaths, true, Csr, search::NoEdges, int32_t, D>(csr, kNone, s, found.data(), from).run(width);
    } else {
        search::Team<kPaths, false, Csr, search::NoEdges, int32_t, D>(csr, kNone, s, found.data(), from).run(width);
    }
    expect(found == right, "distances of several threads");
    if (!kPaths) return;
    std::vector<int64_t> wide(g.n);
    for (int64_t v = 0; v < g.n; ++v)
        wide[v] = right[v] == kInfinity<D> ? kUnreachable : static_cast<int64_t>(right[v]);
    expect(is_tight(g, wide, pred, s.sources), "predecessors of several threads");
}

// Eight roads side by side, joined at every crossing: numbers follow places.
static Graph<int32_t> strip() {
    Random random(5);
    std::vector<Edge<int32_t>> edges;
    for (int32_t v = 0; v < 20000; ++v) {
        if (v % 8) edges.push_back({v, v - 1, static_cast<int32_t>(random.below(100))});
        if (v >= 8) edges.push_back({v, v - 8, static_cast<int32_t>(1 + random.below(100))});
    }
    return Graph<int32_t>{20000, edges}.both_ways();
}

// The same roads, their vertices numbered at random: few edges a vertex, and all lead elsewhere.
static Graph<int32_t> shuffled_strip() {
    Graph<int32_t> g = strip();
    std::vector<int32_t> name(g.n);
    for (int32_t v = 0; v < g.n; ++v) name[v] = static_cast<int32_t>(int64_t{v} * 7919 % g.n);
    std::vector<Edge<int32_t>> edges = g.edges;
    for (Edge<int32_t>& e : edges) e = {name[e.u], name[e.v], e.w};
    return {g.n, edges};
}

// A vertex that leads to all, more than a phase takes, and two that lead to many.
static Graph<int32_t> hubs() {
    constexpr int32_t kMost = 200000;
    std::vector<Edge<int32_t>> edges = random_graph<int32_t>(kMost, 40000, 1, 100, 6).edges;
    for (int32_t v = 1; v < kMost; ++v) edges.push_back({0, v, v < 3 ? v : 1 + v % 4001});
    for (int32_t v = 3; v < 40000; ++v) edges.push_back({1 + v % 2, v, 1 + v % 3989});
    return {kMost, edges};
}

// Weights of a hundred, and a few that are a thousand times as large.
static Graph<int32_t> skewed() {
    Graph<int32_t> g = random_graph<int32_t>(9000, 30000, 1, 100, 7);
    for (size_t e = 0; e < g.edges.size(); ++e)
        if (e % 5 == 0) g.edges[e].w *= 1000;
    return {g.n, g.edges};
}

// More word than one letter holds, between two owners.
static void check_letters() {
    search::Post<int32_t, uint32_t> post(2);
    search::Desk<int32_t, uint32_t> from(post, 64, 0, 2), to(post, 64, 1, 2);
    for (int32_t v = 0; v < 1000; ++v) from.send(1, v, static_cast<uint32_t>(2 * v), v + 1, 5);
    from.send_all();
    std::vector<int> seen(1000);
    to.read([](int32_t) {},
            [&](const search::Letter<int32_t, uint32_t>& letter, int i) {
                const int32_t v = letter.vertex[i];
                seen[v] += letter.distance[i] == 2u * v && letter.from[i] == v + 1 && !letter.is_work;
            });
    expect(seen == std::vector<int>(1000, 1), "what letters say");
}

// What a thread has filed, for one that asks: each vertex is in one ring afterwards, in its bucket; those with the
// largest numbers change hands.
static void check_work() {
    constexpr int32_t kFiled = 3000;
    std::vector<uint32_t> dist(kFiled);
    for (int32_t v = 0; v < kFiled; ++v) dist[v] = 40 + v % 9;
    search::Alone<false, int32_t, uint32_t> tentative(dist.data(), nullptr);
    const search::Width<uint32_t> width(1.0);
    search::Post<int32_t, uint32_t> post(2);
    search::Desk<int32_t, uint32_t> from(post, 64, 0, 2), to(post, 64, 1, 2);
    for (int32_t v = 0; v < kFiled; ++v) from.file(dist[v], v);
    expect(!from.share(40, tentative, width), "nobody has asked");
    to.file(60, 0);  // which it has to come back from
    expect(to.ring.next() == 60, "a bucket far ahead");
    to.entries = 0;
    post.ask(1, 1000);
    expect(from.share(40, tentative, width), "somebody asks who has less");
    expect(from.entries == 2000 && post.has_mail(1), "half of the difference");
    to.receive(tentative, width);
    std::vector<int> seen(kFiled);
    for (search::Desk<int32_t, uint32_t>* desk : {&from, &to})
        for (int64_t b = desk->ring.next(); b >= 0; b = desk->ring.next())
            for (const int32_t v : desk->ring.list()) seen[v] += b == dist[v] && (v >= 2000) == (desk == &to);
    expect(seen == std::vector<int>(kFiled, 1), "whose work it is");

    for (int32_t v = 0; v < kFiled; ++v) from.file(48, v), dist[v] = 48;
    expect(from.ring.next() == 48, "one bucket with all");
    post.ask(1, 10);
    from.share_list(1000, 48);
    to.receive(tentative, width);
    expect(from.ring.list().size() == 2000 && to.ring.next() == 48 && to.ring.list().size() == 1000,
           "half of the rest");
}

// A ring that started late goes back further than its slots reach: what was filed keeps its bucket.
static void check_ring() {
    search::Ring<int32_t> ring(64);
    ring.start_at(1000);
    ring.file(1040, 7);
    ring.go_back(900);
    ring.file(900, 8);
    std::vector<std::pair<int64_t, int32_t>> all;
    ring.drain([&](int64_t bucket, int32_t v) { all.push_back({bucket, v}); });
    std::sort(all.begin(), all.end());
    expect(all == std::vector<std::pair<int64_t, int32_t>>{{900, 8}, {1040, 7}}, "buckets of a ring that went back");
}

int main() {
    check_ring();
    check_letters();
    check_work();
    const Graph<int32_t> graphs[] = {hubs(),
                                     skewed(),
                                     random_graph<int32_t>(50000, 500000, 1, 1000, 8),
                                     strip(),
                                     shuffled_strip(),
                                     random_graph<int32_t>(9000, 70000, 0, 50, 2),
                                     random_graph<int32_t>(3000, 60000, 1, 5000, 3),
                                     Graph<int32_t>{1, {}},
                                     random_graph<int32_t>(70, 300, 0, 3, 4)};
    expect(search::Owners::leaving<int32_t>(graphs[3].csr(), 2) < 1.0 / 32, "the numbers of roads follow places");
    expect(search::Owners::leaving<int32_t>(graphs[4].csr(), 2) > 1.0 / 12, "random edges leave their blocks");
    for (const int patience : {10000, 0}) {
        search::patience() = patience;
        for (const Graph<int32_t>& g : graphs) {
            const auto right = answer<uint32_t>(g);
            const auto right_wide = answer<uint64_t>(g);
            for (const Way way : {kChosen, kPhases, kOwners, kAll})
                for (const int threads : {2, 3})
                    for (const double delta : {0.0, 1.0, 64.0, 1e5}) {
                        if (way == kChosen && delta > 0) continue;
                        check<false>(g, right, way, threads, delta);
                        check<true>(g, right, way, threads, delta);
                        if (threads == 2) check<true>(g, right_wide, way, threads, delta);
                    }
        }
    }
}

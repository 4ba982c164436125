// Delta-stepping on several threads, by each scheme: graphs like roads, the same with numbers that do not follow
// places, and graphs with long rows; hubs, whose rows are shared; a few huge weights; buckets that are too narrow and
// too wide, so that the width changes on the way, or that a phase ends before its bucket is empty; threads that lose
// patience at once. Every scheme, number of threads and form of rows is compared with the plain method (reference.hpp).
#include "reference.hpp"
#include "rows/packed.hpp"
#include "rows/quads.hpp"
#include "search/delta_stepping.hpp"
#include "search/delta_stepping_parallel.hpp"

using namespace core;

// Whatever the graph is, each scheme must be right.
enum Scheme { kAlone, kChosen, kBulkSynchronous, kIndependent };

template <bool kPaths, class D, class Rows, class In>
static search::Stats run(const Rows& rows, const In* in, const search::Search<int32_t, D>& s, Scheme scheme, D* dist,
                         int32_t* pred) {
    const search::Width<D> width(s.delta > 0 ? s.delta : std::max(1.0, s.typical_weight));
    if (scheme == kAlone) return search::delta_stepping<kPaths>(rows, in, s, dist, pred);
    if (scheme == kChosen) return search::delta_stepping_parallel<kPaths>(rows, in, s, dist, pred);
    if constexpr (!Rows::kRecords)
        if (scheme == kBulkSynchronous) return search::bulk_synchronous<kPaths>(rows, in, s, width, dist, pred);
    return search::IndependentThreads<kPaths, Rows, In, int32_t, D>(rows, in, s, dist, pred).run(width);
}

template <bool kPaths, class D, class Rows, class In>
static void check(const Graph<int32_t>& g, const Rows& rows, const In* in, const std::vector<int64_t>& right,
                  Scheme scheme, int threads, double delta) {
    Watch watch;
    search::Search<int32_t, D> s;
    s.sources = {0, static_cast<int32_t>(g.n / 3)};
    s.delta = delta;
    s.typical_weight = g.mean();
    s.max_weight = g.most();
    s.threads = threads;
    s.watch = &watch;
    std::vector<D> found(g.n);
    std::vector<int32_t> pred(g.n);
    run<kPaths>(rows, in, s, scheme, found.data(), kPaths ? pred.data() : nullptr);
    for (int64_t v = 0; v < g.n; ++v)
        expect(right[v] == (found[v] == kInfinity<D> ? kUnreachable : static_cast<int64_t>(found[v])), "a distance");
    if (kPaths) expect(is_tight(g, right, pred, s.sources), "a predecessor");
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

// More vertices than one message holds.
static void check_messages() {
    search::Mailboxes<int32_t> mailboxes(2);
    search::Mailbox<int32_t> from(mailboxes, 0), to(mailboxes, 1);
    std::vector<int32_t> sent(1000);
    for (int32_t v = 0; v < 1000; ++v) sent[v] = v;
    from.send_work(1, sent.data(), sent.data() + 1000, 5);
    std::vector<int> seen(1000);
    const int64_t messages = to.read([&](const search::Message<int32_t>& message) {
        expect(message.least == 5, "the bucket of a message");
        for (int i = 0; i < message.count; ++i) ++seen[message.vertex[i]];
    });
    expect(messages == 4 && seen == std::vector<int>(1000, 1), "the vertices of messages");
}

// Work for a thread that requests it: each vertex is in one ring afterwards, in its bucket; those with the largest
// numbers move.
static void check_work() {
    constexpr int32_t kFiled = 3000;
    std::vector<uint32_t> dist(kFiled);
    for (int32_t v = 0; v < kFiled; ++v) dist[v] = 40 + v % 9;
    search::Alone<false, int32_t, uint32_t> tentative(dist.data(), nullptr);
    const search::Width<uint32_t> width(1.0);
    search::Mailboxes<int32_t> mailboxes(2);
    search::ThreadBuckets<int32_t> from(mailboxes, 64, 0), to(mailboxes, 64, 1);
    for (int32_t v = 0; v < kFiled; ++v) from.file(dist[v], v);
    expect(!from.share(40, tentative, width), "nobody has requested work");
    to.file(60, 0);  // which it has to come back from
    expect(to.ring.next() == 60, "a bucket far ahead");
    to.entries = 0;
    mailboxes.request_work(1, 1000);
    expect(from.share(40, tentative, width), "a request of a thread that has less");
    expect(from.entries == 2000 && mailboxes.has_messages(1), "half of the difference");
    to.receive(tentative, width);
    std::vector<int> seen(kFiled);
    for (search::ThreadBuckets<int32_t>* buckets : {&from, &to})
        for (int64_t b = buckets->ring.next(); b >= 0; b = buckets->ring.next())
            for (const int32_t v : buckets->ring.list()) seen[v] += b == dist[v] && (v >= 2000) == (buckets == &to);
    expect(seen == std::vector<int>(kFiled, 1), "the vertices of both threads");

    for (int32_t v = 0; v < kFiled; ++v) from.file(48, v), dist[v] = 48;
    expect(from.ring.next() == 48, "one bucket with all");
    mailboxes.request_work(1, 10);
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
    check_messages();
    check_work();
    constexpr const search::NoEdges* kNone = nullptr;
    const Graph<int32_t> graphs[] = {hubs(),
                                     skewed(),
                                     random_graph<int32_t>(50000, 500000, 1, 1000, 8),
                                     strip(),
                                     shuffled_strip(),
                                     random_graph<int32_t>(9000, 70000, 0, 50, 2),
                                     random_graph<int32_t>(3000, 60000, 1, 5000, 3),
                                     Graph<int32_t>{1, {}},
                                     random_graph<int32_t>(70, 300, 0, 3, 4)};
    Watch watch;
    for (const Graph<int32_t>& g : graphs) {
        const auto csr = g.csr();
        const rows::Packed<int32_t> out(csr, 1, watch), in(g.reversed().csr(), 1, watch);
        std::optional<rows::Quads<int32_t>> quads;
        if (rows::Quads<int32_t>::suit(csr)) quads.emplace(csr, 1, watch);
        const auto right = reference(g, {0, static_cast<int32_t>(g.n / 3)}, std::max<int64_t>(1, g.mean()));
        for (const int patience : {10000, 0}) {
            search::patience() = patience;
            for (const Scheme scheme : {kAlone, kChosen, kBulkSynchronous, kIndependent})
                for (const int threads : {2, 3})
                    for (const double delta : {0.0, 1.0, 64.0, 1e5}) {
                        if (scheme <= kChosen && delta > 0) continue;
                        if (scheme == kAlone && threads > 2) continue;
                        check<true, uint32_t>(g, csr, kNone, right, scheme, threads, delta);
                        check<true, uint32_t>(g, out, &in, right, scheme, threads, delta);
                        if (quads) check<true, uint32_t>(g, *quads, kNone, right, scheme, threads, delta);
                        if (delta > 0) continue;
                        check<false, uint32_t>(g, csr, kNone, right, scheme, threads, delta);
                        check<true, uint64_t>(g, csr, kNone, right, scheme, threads, delta);
                    }
        }
    }
}

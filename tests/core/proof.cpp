// What proves an answer, and what proves rows: the right is accepted, everything damaged is refused.
#include "graphs.hpp"
#include "proof/verify.hpp"
#include "rows/build.hpp"
#include "rows/prove.hpp"

using namespace core;
using Claim = proof::Claim<int64_t, int32_t>;

static bool accepts(const Graph<int32_t>& g, const std::vector<int64_t>& d, const std::vector<int32_t>* pred) {
    Watch watch;
    const std::vector<int64_t> source{0};
    const Claim claim{d.data(), pred ? pred->data() : nullptr, source, kUnreachable, false};
    return proof::verify(g.csr(), claim, 1, false, watch).fault == proof::Fault::none;
}

static void check_answers(const Graph<int32_t>& g) {
    const auto right = *naive(g, {0});
    expect(accepts(g, right, nullptr), "a right answer is refused");
    std::vector<int32_t> pred(g.n, -1);
    for (const auto& e : g.edges)  // strictly falling, so no ring
        if (right[e.u] < right[e.v] && right[e.u] + e.w == right[e.v]) pred[e.v] = e.u;
    if (is_tight(g, right, pred, {0})) expect(accepts(g, right, &pred), "a right tree is refused");
    for (int64_t v = 0; v < g.n; v += 1 + g.n / 40) {
        const int64_t near = right[v] == kUnreachable ? 5 : right[v];
        for (const int64_t wrong : {near + 1, near - 1, int64_t{0}, kUnreachable}) {
            auto d = right;
            d[v] = wrong;
            if (d != right) expect(!accepts(g, d, nullptr), "a damaged answer is accepted");
        }
        auto damaged = pred;
        damaged[v] = static_cast<int32_t>((v * 31 + 1) % g.n);
        if (!is_tight(g, right, damaged, {0})) expect(!accepts(g, right, &damaged), "a damaged tree is accepted");
    }
}

static rows::RowFault prove(const Graph<int32_t>& g, bool both = false) {
    Watch watch;
    return rows::prove_rows(g.csr(), static_cast<int64_t>(g.targets.size()), both, 17, false, 1, watch).fault;
}

static void check_rows(const Graph<int32_t>& g) {
    expect(prove(g) == rows::RowFault::none, "right rows are refused");
    expect(prove(g.both_ways(), true) == rows::RowFault::none, "both ways are refused");
    for (const int64_t u : {int64_t{0}, g.n / 2, g.n - 1, g.n}) {
        auto bad = g;
        bad.offsets[u] += u == g.n || u == 0 ? 1 : g.offsets[g.n] + 1;
        expect(prove(bad) == rows::RowFault::offset, "a wrong offset is accepted");
    }
    for (size_t e = 0; e < g.targets.size(); e += 1 + g.targets.size() / 9) {
        for (const int32_t v : {-1, static_cast<int32_t>(g.n)}) {
            auto bad = g;
            bad.targets[e] = v;
            expect(prove(bad) == rows::RowFault::target, "a wrong target is accepted");
        }
        auto bad = g.both_ways();
        if (bad.edges[e].u == bad.edges[e].v) continue;  // a loop is its own opposite
        ++bad.weights[e];
        expect(prove(bad, true) == rows::RowFault::one_way, "one way is accepted as both");
    }
}

static void check_reverse(const Graph<int32_t>& g) {
    Watch watch;
    std::vector<int64_t> offsets(g.n + 1);
    std::vector<int32_t> targets(g.targets.size()), weights(g.targets.size());
    rows::reverse_csr(g.csr(), offsets.data(), targets.data(), weights.data(), 1, watch);
    const Graph<int32_t> right = g.reversed();
    expect(offsets == right.offsets && targets == right.targets && weights == right.weights, "reverse");
}

int main() {
#if STEPPE_AVX512
    for (const bool wide : {false, search::avx512_found()}) {
        search::avx512_wanted() = wide;
#else
    {
#endif
        for_graphs<int32_t>(check_answers);
    }
    for_graphs<int32_t>(check_rows);
    for_graphs<int32_t>(check_reverse);
    // Vertices 1 and 2 hold each other up at any distance.
    const Graph<int32_t> ring{3, {{0, 1, 9}, {1, 2, 0}, {2, 1, 0}}};
    expect(accepts(ring, {0, 9, 9}, nullptr) && !accepts(ring, {0, 4, 4}, nullptr), "a ring holds itself up");
}

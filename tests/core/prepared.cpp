// Delta-stepping over rows laid out for it (four to a record; sorted by weight, with in-edges to pull from), and on two
// threads.
#include "questions.hpp"
#include "rows/packed.hpp"
#include "rows/quads.hpp"
#include "search/delta_stepping_parallel.hpp"

using namespace core;

static void check_all(const Graph<int32_t>& g, const Question& q) {
    Watch watch;
    const auto csr = g.csr();
    constexpr const search::NoEdges* kNone = nullptr;
    if (rows::Quads<int32_t>::suit(csr)) {
        const rows::Quads<int32_t> quads(csr, 1, watch);
        check("delta-stepping over rows of four", g, q, [&]<class D>(const auto& s, D* dist, int32_t* pred) {
            return search::delta_stepping<true>(quads, kNone, s, dist, pred);
        });
    }
    if (!q.targets.empty()) return;
    Question shared = q;
    shared.threads = 2;
    check("delta-stepping on two threads", g, shared, [&]<class D>(const auto& s, D* dist, int32_t* pred) {
        return search::delta_stepping_parallel<true>(csr, kNone, s, dist, pred);
    });
}

// Enough edges for a look whether to pull, and a search that then does.
static void check_pull() {
    int64_t pulled = 0;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        const auto g = random_graph<int32_t>(2000, 80000, 1, 255, seed), back = g.reversed();
        Watch watch;
        const rows::Packed<int32_t> out(g.csr(), 1, watch), in(back.csr(), 1, watch);
        Question q{{3}, {}};
        const auto stats = check("pull", g, q, [&]<class D>(const auto& s, D* dist, int32_t* pred) {
            return search::delta_stepping<true>(out, &in, s, dist, pred);
        });
        pulled += std::string_view(stats.note) == "finished by pull";
    }
    expect(pulled > 0, "no search was finished by pull");
}

int main() {
#if STEPPE_AVX512
    for (const bool wide : {false, search::avx512_found()}) {
        search::avx512_wanted() = wide;
#else
    {
#endif
        for_graphs<int32_t>([](const Graph<int32_t>& g) {
            check_all(g, {{0}, {}});
            check_all(g, {{static_cast<int32_t>(g.n - 1), 0}, {}, 40});
        });
        check_pull();
    }
}

// A question of a search for weights that are not negative, its right answer, and the comparison of the two.
#pragma once
#include "graphs.hpp"
#include "search/answer.hpp"

namespace core {

struct Question {
    std::vector<int32_t> sources, targets;
    int64_t cutoff = -1;  // none
    double delta = 0;
    int threads = 1;
};

inline std::vector<int64_t> truth(const Graph<int32_t>& g, const Question& q) {
    std::vector<int64_t> d = *naive(g, q.sources);
    auto forget = [&](int64_t bound) {
        for (int64_t& x : d)
            if (x > bound) x = kUnreachable;
    };
    if (q.cutoff >= 0) forget(q.cutoff);
    int64_t furthest = q.targets.empty() ? kUnreachable : 0;
    for (const int32_t t : q.targets) furthest = std::max(furthest, d[t]);
    forget(furthest);
    return d;
}

// run(search, dist, pred) is the method.
template <class Run>
search::Stats check(const char* name, const Graph<int32_t>& g, const Question& q, Run run) {
    Watch watch;
    std::vector<int64_t> found(g.n);
    std::vector<int32_t> pred(g.n);
    const std::vector<int64_t> sources(q.sources.begin(), q.sources.end()), targets(q.targets.begin(), q.targets.end());
    search::Question asked{sources, targets, {}, q.delta, g.mean(), g.most(), q.threads};
    if (q.cutoff >= 0) asked.bound = q.cutoff;
    const auto right = truth(g, q);
    const auto stats = search::find_answer<int32_t>(g.csr(), asked, found.data(), pred.data(), watch, run);
    expect(!stats.outgrown && found == right, name);
    expect(is_tight(g, right, pred, q.sources), "a predecessor");
    return stats;
}

}  // namespace core

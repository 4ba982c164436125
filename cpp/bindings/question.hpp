// Shared by the searches' bindings: a question as Python asks it, and what a search tells, as a dict.
#pragma once
#include "bindings/arrays.hpp"
#include "search/search.hpp"

namespace steppe::bindings {

struct Question {
    std::string method;
    InOf<int64_t> sources, targets;
    std::optional<double> float_cutoff;
    std::optional<int64_t> cutoff;
    double delta, mean_weight, max_weight;
    int threads;
};

template <class V, class D>
search::Search<V, D> make_search(const Question& q, int64_t n, Watch& watch) {
    search::Search<V, D> s;
    auto take = [n](const InOf<int64_t>& from, std::vector<V>& to) {
        for (size_t i = 0; i < from.size(); ++i) {
            if (from.data()[i] < 0 || from.data()[i] >= n) throw std::invalid_argument("vertex out of range");
            to.push_back(static_cast<V>(from.data()[i]));
        }
    };
    take(q.sources, s.sources);
    take(q.targets, s.targets);
    if constexpr (std::is_integral_v<D>) {
        if (q.cutoff) s.reach = search::Reach<D>(*q.cutoff);
    } else {
        if (q.float_cutoff) s.reach = search::Reach<D>(*q.float_cutoff);  // exact: given in the type of the distances
    }
    s.delta = q.delta;
    s.mean_weight = q.mean_weight;
    s.max_weight = q.max_weight;
    s.threads = q.threads;
    s.watch = &watch;
    return s;
}

inline nb::dict stats_dict(const search::Stats& s) {
    nb::dict stats;
    stats["rounds"] = s.rounds;
    stats["edges_relaxed"] = s.edges_relaxed;
    stats["edges_touched"] = s.edges_touched;
    stats["atomics"] = s.atomics;
    stats["threads"] = s.threads;
    stats["delta"] = s.delta;
    stats["overflow"] = s.outgrown;
    stats["note"] = s.note;
    return stats;
}

}  // namespace steppe::bindings

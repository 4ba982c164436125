// Answer: from a question of any width to the distances that users see.
//
// find_answer runs a search in the narrow type, again in the wide one where that is needed (widen.hpp), cuts the result
// behind the furthest target, and writes it as int64, int32 (hops) or floats, with the public sentinel. Every search
// from one question comes through here, whatever its method and wherever its edges lie.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "search/search.hpp"
#include "search/widen.hpp"

namespace steppe::search {

// A distance as users see it; beyond `bound` nothing was reached.
template <class R, class D>
inline R as_public(D d, D bound) {
    constexpr R kUnreached = std::is_integral_v<R> ? std::numeric_limits<R>::max() : kInfinity<R>;
    return d == kInfinity<D> || d > bound ? kUnreached : static_cast<R>(d);
}

// run(search, dist, pred) searches one question in D. `pred` may be null. In the Stats returned `outgrown` means that
// some distance does not fit in R: then `result` has no meaning.
template <class W, class R, class Rows, class V, class Run>
Stats find_answer(const Rows& g, const Question& question, R* result, V* pred, Watch& watch, Run run) {
    check_vertices(question.sources, g.n);
    check_vertices(question.targets, g.n);
    Stats stats;
    auto attempt = [&]<class D, bool kLast>() {
        const Search<V, D> search(question, watch);
        Buffer<D> narrow;
        D* dist;
        if constexpr (sizeof(D) == sizeof(R)) {
            dist = reinterpret_cast<D*>(result);
        } else {
            narrow = Buffer<D>(g.n);
            dist = narrow.data();
        }
        stats = run(search, dist, pred);
        watch.check();
        if constexpr (std::is_integral_v<D>) {
            stats.outgrown = stats.outgrown && is_lost<kLast>(g, search.targets, dist, watch);
            watch.check();
            if (stats.outgrown) return false;
        }
        const D bound = target_bound(search, dist);
        parallel_for(question.threads, g.n, 1 << 16, [&](int64_t begin, int64_t end, int) {
            const D* const from = dist;  // of this function, so that the loop is made of vectors
            R* const to = result;
            const D most = bound;
            for (int64_t v = begin; v < end; ++v) to[v] = as_public<R>(from[v], most);
            if (!pred) return;  // a loop of its own: the other is made of vectors
            for (int64_t v = begin; v < end; ++v)
                if (result[v] == as_public<R>(kInfinity<D>, bound)) pred[v] = -1;
        });
        return true;
    };
    bool wide = false;
    if constexpr (std::is_integral_v<R> && sizeof(R) == 4) attempt.template operator()<uint32_t, true>();  // hops
    else widen<V, W>(wide, attempt);
    return stats;
}

}  // namespace steppe::search

// A question as Python holds it: search::Question, the arrays that it refers to, and who is told of progress.
#pragma once
#include "bindings/arrays.hpp"
#include "bindings/rows.hpp"
#include "search/search.hpp"

namespace steppe::bindings {

struct Question : search::Question {
    Question(InOf<int64_t> sources_, std::optional<InOf<int64_t>> targets_, nb::object bound_, double delta_,
             double typical_weight_, double max_weight_, int threads_, nb::object progress_, bool fixed_delta_);

    const InOf<int64_t> kept_sources;
    const std::optional<InOf<int64_t>> kept_targets;
    const nb::object progress;
};

// An array with an entry for each vertex of these rows.
template <class T>
T* entries(const Rows& rows, Out& array) {
    same_size(static_cast<size_t>(rows.n()), array.size(), "an array of one entry for each vertex");
    return out<T>(array);
}
template <class T>
T* entries(const Rows& rows, std::optional<Out>& array) {
    return array ? entries<T>(rows, *array) : nullptr;
}

}  // namespace steppe::bindings

// Bindings of what every search is asked and what it tells: search/search.hpp.
#include "bindings/question.hpp"

#include "search/width.hpp"

namespace steppe::bindings {

namespace {

std::variant<std::monostate, int64_t, double> bound_of(const nb::object& bound) {
    if (bound.is_none()) return {};
    if (PyFloat_Check(bound.ptr())) return nb::cast<double>(bound);
    int64_t whole = 0;
    if (!nb::try_cast(bound, whole)) throw std::invalid_argument("a bound is a number of 64 bits, or None");
    return whole;
}

}  // namespace

Question::Question(InOf<int64_t> sources_, std::optional<InOf<int64_t>> targets_, nb::object bound_, double delta_,
                   double typical_weight_, double max_weight_, int threads_, nb::object progress_, bool fixed_delta_)
    : kept_sources(std::move(sources_)), kept_targets(std::move(targets_)), progress(std::move(progress_)) {
    sources = {kept_sources.data(), kept_sources.size()};
    if (kept_targets) targets = {kept_targets->data(), kept_targets->size()};
    bound = bound_of(bound_);
    delta = delta_;
    fixed_delta = fixed_delta_;
    typical_weight = typical_weight_;
    max_weight = max_weight_;
    threads = std::max(1, threads_);
}

void bind_question(nb::module_& m) {
    // bound: inclusive, in the type of the distances; progress: told now and then how many edges were relaxed.
    nb::class_<Question>(m, "Question")
        .def(nb::init<InOf<int64_t>, std::optional<InOf<int64_t>>, nb::object, double, double, double, int, nb::object,
                      bool>(),
             "sources"_a, "targets"_a.none() = nb::none(), "bound"_a.none() = nb::none(), "delta"_a = 0.0,
             "typical_weight"_a = 1.0, "max_weight"_a = 1.0, "threads"_a = 1, "progress"_a.none() = nb::none(),
             "fixed_delta"_a = false);

    m.attr("SPARSE") = search::kSparse;
    m.def("bucket_width", &search::bucket_width, "typical_weight"_a, "max_weight"_a, "vertices"_a, "edges"_a,
          "threads"_a);
    m.def("least_width", &search::least_width, "max_weight"_a, "vertices"_a);

    nb::class_<search::Stats>(m, "Stats")
        .def_ro("rounds", &search::Stats::rounds)
        .def_ro("edges_relaxed", &search::Stats::edges_relaxed)
        .def_ro("edges_touched", &search::Stats::edges_touched)
        .def_ro("atomics", &search::Stats::atomics)
        .def_ro("threads", &search::Stats::threads)
        .def_ro("delta", &search::Stats::delta)
        .def_ro("width_changes", &search::Stats::width_changes)
        .def_ro("overflow", &search::Stats::outgrown)
        .def_prop_ro("scheme", [](const search::Stats& stats) { return std::string(stats.scheme); })
        .def_prop_ro("rows", [](const search::Stats& stats) { return std::string(stats.rows); })
        .def_prop_ro("note", [](const search::Stats& stats) { return std::string(stats.note); });
}

}  // namespace steppe::bindings

// Bindings of proof/verify.hpp.
#include "proof/verify.hpp"

#include "bindings/question.hpp"

namespace steppe::bindings {

namespace {

template <class V, class W, class D>
nb::tuple check(const rows::Csr<V, W>& g, bool mapped, const Question& question, const In& distances,
                const std::optional<In>& predecessors, bool negative) {
    if (distances.dtype() != nb::dtype<D>()) throw std::invalid_argument("distances have the wrong dtype");
    if (predecessors && predecessors->dtype() != nb::dtype<V>())
        throw std::invalid_argument("predecessors and indices must have the same dtype");
    const proof::Claim<D, V> claim{in<D>(distances), predecessors ? in<V>(*predecessors) : nullptr, question.sources,
                                   question.bound_or(kInfinity<D>), negative};
    const proof::Finding found =
        without_gil([&](Watch& watch) { return proof::verify(g, claim, question.threads, mapped, watch); });
    return nb::make_tuple(found.fault, found.vertex, found.other);
}

}  // namespace

void bind_verify(nb::module_& m) {
    using proof::Fault;
    nb::enum_<Fault>(m, "Fault")
        .value("none", Fault::none)
        .value("source", Fault::source)
        .value("not_a_number", Fault::not_a_number)
        .value("negative", Fault::negative)
        .value("beyond_bound", Fault::beyond_bound)
        .value("improves", Fault::improves)
        .value("unreached", Fault::unreached)
        .value("not_hung", Fault::not_hung)
        .value("predecessor", Fault::predecessor)
        .value("not_tight", Fault::not_tight)
        .value("cycle", Fault::cycle);

    // (fault, vertex, other). Hops where distances are int32. negative: some weight is.
    m.def(
        "verify",
        [](const Rows& rows, const Question& question, In distances, std::optional<In> predecessors, bool negative) {
            same_size(static_cast<size_t>(rows.n()), distances.size(), "distances");
            if (predecessors) same_size(static_cast<size_t>(rows.n()), predecessors->size(), "predecessors");
            search::check_vertices(question.sources, rows.n());
            if (distances.dtype() == nb::dtype<int32_t>())
                return rows.visit_unweighted([&]<class V>(const rows::Csr<V, int32_t>& g) {
                    return check<V, int32_t, int32_t>(g, rows.is_mapped(), question, distances, predecessors, false);
                });
            return rows.visit([&]<class V, class W>(const rows::View<V, W>& g) {
                return check<V, W, Distance<W>>(g.csr, rows.is_mapped(), question, distances, predecessors, negative);
            });
        },
        "rows"_a, "question"_a, "distances"_a, "predecessors"_a.none(), "negative"_a);
}

}  // namespace steppe::bindings

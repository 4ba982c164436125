// Bindings of text/parse.hpp, rows/relabel.hpp, rows/both_ways.hpp and text/print.hpp.
#include <nanobind/stl/vector.h>

#include "bindings/rows.hpp"
#include "rows/both_ways.hpp"
#include "rows/relabel.hpp"
#include "text/parse.hpp"
#include "text/print.hpp"

namespace steppe::bindings {

namespace {

// An array that owns its storage (a Buffer or a vector), moved here.
template <class T, class Storage>
nb::ndarray<nb::numpy, T, nb::ndim<1>> owned(Storage&& storage, size_t count) {
    auto* kept = new Storage(std::move(storage));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Storage*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {count}, owner);
}

nb::object fault_tuple(const text::LineFault& fault) {
    if (fault.trouble == text::Trouble::none) return nb::none();
    return nb::make_tuple(fault.what, fault.trouble == text::Trouble::range, fault.offset, fault.line);
}

text::LineRules make_rules(nb::bytes kinds, text::WeightKind weights, int64_t low, int64_t high) {
    if (kinds.size() != 256) throw std::invalid_argument("kinds must have 256 entries");
    text::LineRules rules;
    std::memcpy(rules.kind.data(), kinds.c_str(), 256);
    rules.weights = weights;
    rules.low = low;
    rules.high = high;
    return rules;
}

struct Style : text::LineStyle {
    Style(const std::string& prefix_, const std::string& separator_, bool rows_, bool lower_, int64_t first_,
          std::optional<InOf<int64_t>> labels_)
        : kept_labels(std::move(labels_)) {
        prefix = prefix_.substr(0, 8);
        separator = separator_.at(0);
        rows = rows_;
        lower = lower_;
        first = first_;
        if (kept_labels) labels = kept_labels->data();
    }
    const std::optional<InOf<int64_t>> kept_labels;
};

// (fault or None, u, v, w or None); reads again with wider types until everything fits.
template <class I, class W>
nb::object edges_as(const text::Pieces& pieces, const text::LineRules& rules, int threads, PythonWatch& watch) {
    auto r = watch.run([&](Watch& w) { return text::parse_edges<I, W>(pieces, rules, threads, w); });
    if constexpr (sizeof(I) < 8)
        if (r.fault.trouble == text::Trouble::wide_id) return edges_as<int64_t, W>(pieces, rules, threads, watch);
    if constexpr (std::is_same_v<W, int32_t>)
        if (r.fault.trouble == text::Trouble::wide_weight) return edges_as<I, int64_t>(pieces, rules, threads, watch);
    if constexpr (std::is_integral_v<W>)
        if (r.fault.trouble == text::Trouble::float_weight) return edges_as<I, double>(pieces, rules, threads, watch);
    nb::object fault = fault_tuple(r.fault);
    const auto count = static_cast<size_t>(r.count);
    nb::object weights = nb::none();
    if constexpr (!std::is_same_v<W, text::NoWeight>) weights = nb::cast(owned<W>(std::move(r.w), count));
    return nb::make_tuple(fault, owned<I>(std::move(r.u), count), owned<I>(std::move(r.v), count), weights);
}

}  // namespace

void bind_text(nb::module_& m) {
    using text::Line;
    nb::enum_<Line>(m, "Line", nb::is_arithmetic())
        .value("data", text::kData)
        .value("comment", text::kComment)
        .value("letter", text::kLetter)
        .value("bad", text::kBad)
        .value("slash", text::kSlash)
        .value("empty", text::kEmpty);
    using text::WeightKind;
    nb::enum_<WeightKind>(m, "WeightKind")
        .value("none", WeightKind::none)
        .value("number", WeightKind::number)
        .value("integer", WeightKind::integer)
        .value("real", WeightKind::real)
        .value("real32", WeightKind::real32);

    m.def(
        "text_edges",
        [](InOf<uint8_t> text, nb::bytes kinds, text::WeightKind weights, int64_t low, int64_t high,
           const std::string& columns, const std::string& part, int threads) -> nb::object {
            text::LineRules rules = make_rules(kinds, weights, low, high);
            rules.columns = columns;
            rules.part = part.at(0);
            if ((columns.find('w') != std::string::npos) != (rules.weights != text::WeightKind::none) &&
                !columns.empty())
                throw std::invalid_argument("columns and weights disagree");
            const char* begin = reinterpret_cast<const char*>(text.data());
            PythonWatch watch{nb::none()};
            const auto pieces =
                watch.run([&](Watch& w) { return text::Pieces(begin, begin + text.size(), threads, w); });
            switch (rules.weights) {
                case text::WeightKind::none:
                    return edges_as<int32_t, text::NoWeight>(pieces, rules, threads, watch);
                case text::WeightKind::real:
                    return edges_as<int32_t, double>(pieces, rules, threads, watch);
                case text::WeightKind::real32:
                    return edges_as<int32_t, float>(pieces, rules, threads, watch);
                default:
                    return edges_as<int32_t, int32_t>(pieces, rules, threads, watch);
            }
        },
        "text"_a, "kinds"_a, "weights"_a, "low"_a, "high"_a, "columns"_a, "part"_a, "threads"_a);

    m.def(
        "text_rows",
        [](InOf<uint8_t> text, nb::bytes kinds, int threads) {
            const text::LineRules rules =
                make_rules(kinds, text::WeightKind::none, 0, std::numeric_limits<int64_t>::max());
            const char* begin = reinterpret_cast<const char*>(text.data());
            PythonWatch watch{nb::none()};
            auto rows = watch.run([&](Watch& w) {
                return text::parse_rows(text::Pieces(begin, begin + text.size(), threads, w), rules, threads, w);
            });
            const size_t numbers = rows.numbers.size(), lengths = rows.lengths.size();
            return nb::make_tuple(fault_tuple(rows.fault), owned<int64_t>(std::move(rows.numbers), numbers),
                                  owned<int64_t>(std::move(rows.lengths), lengths));
        },
        "text"_a, "kinds"_a, "threads"_a);

    m.def(
        "both_ways",
        [](In sources, In targets, std::optional<In> weights, uint64_t key, int threads) {
            same_size(sources.size(), targets.size(), "both_ways");
            if (weights) same_size(sources.size(), weights->size(), "both_ways");
            if (sources.dtype() != targets.dtype()) throw std::invalid_argument("both_ways: one type of ids");
            auto run = [&](auto vertex, auto weight) {
                using I = decltype(vertex);
                using W = decltype(weight);
                const I *u = in<I>(sources), *v = in<I>(targets);
                const W* w = weights ? in<W>(*weights) : nullptr;
                const auto m = static_cast<int64_t>(sources.size());
                return without_gil(
                    [&](Watch& watch) { return rows::both_ways<I, W>(u, v, w, m, key, threads, watch); });
            };
            return with_vertex(sources, [&](auto vertex) {
                if (!weights) return run(vertex, int32_t{});
                return with_weight(*weights, [&](auto w) { return run(vertex, w); });
            });
        },
        "sources"_a, "targets"_a, "weights"_a.none(), "key"_a, "threads"_a);

    m.def(
        "relabel",
        [](Out sources, Out targets, InOf<int64_t> others, int64_t low, int64_t high, int threads) {
            same_size(sources.size(), targets.size(), "relabel");
            rows::Relabelled r = with_vertex(sources, [&](auto id) {
                using I = decltype(id);
                I* u = out<I>(sources);
                I* v = out<I>(targets);
                return without_gil([&](Watch& watch) {
                    return rows::relabel<I>(u, v, static_cast<int64_t>(sources.size()), others.data(),
                                            static_cast<int64_t>(others.size()), low, high, threads, watch);
                });
            });
            nb::object labels = nb::none();
            if (!r.run) labels = nb::cast(owned<int64_t>(std::move(r.labels), static_cast<size_t>(r.count)));
            return nb::make_tuple(r.first, r.count, labels);
        },
        "sources"_a, "targets"_a, "others"_a, "low"_a, "high"_a, "threads"_a);

    // rows: a line for each vertex, its neighbours. lower: of an undirected edge only the line whose second end is not
    // larger. first: the number of vertex 0, unless there are labels.
    nb::class_<Style>(m, "LineStyle")
        .def(nb::init<std::string, std::string, bool, bool, int64_t, std::optional<InOf<int64_t>>>(), "prefix"_a,
             "separator"_a, "rows"_a, "lower"_a, "first"_a, "labels"_a.none());

    // The lines of vertices [begin, end), as a list of bytes.
    m.def(
        "print_edges",
        [](const Rows& rows, int64_t begin, int64_t end, const Style& style, int threads) {
            if (begin < 0 || begin > end || end > rows.n())
                throw std::invalid_argument("print_edges: no such vertices");
            const std::vector<std::string> parts = rows.visit([&](const auto& g) {
                return without_gil([&](Watch&) { return text::print_edges(g.csr, begin, end, style, threads); });
            });
            nb::list list;
            for (const std::string& part : parts) list.append(nb::bytes(part.data(), part.size()));
            return list;
        },
        "rows"_a, "begin"_a, "end"_a, "style"_a, "threads"_a);
}

}  // namespace steppe::bindings

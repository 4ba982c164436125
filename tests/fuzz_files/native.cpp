// The native text parsers under a fuzzer: LLVMFuzzerTestOneInput for libFuzzer, or for the small driver beside it.
//
// The first four bytes of an input choose the parser, the table of line kinds, the weights and how the text is cut; the
// rest is the text. It is read whole on one thread, then in small pieces (a real file is cut into megabytes, which no
// fuzzer would ever write), sometimes on three threads, then by naive.hpp: all must agree, in the numbers or in the
// line that they refuse. Edges that were read are relabelled, against a std::map. Tables are read whole and in pieces,
// which must agree. A difference ends the process.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>

#include "naive.hpp"
#include "rows/both_ways.hpp"
#include "rows/relabel.hpp"
#include "text/columns.hpp"
#include "text/parse.hpp"

namespace {

using namespace steppe;
using namespace steppe::rows;
using namespace steppe::text;

[[noreturn]] void differ(const char* what) {
    std::fprintf(stderr, "DIFFERENCE: %s\n", what);
    std::abort();
}

void agree(bool same, const char* what) {
    if (!same) differ(what);
}

// The tables that the readers of src/steppe/files use, made as line_kinds() of files/text.py makes them.
LineRules rules_for(uint8_t table, uint8_t weights, uint8_t bounds) {
    static constexpr struct {
        const char *comments, *letter, *only;
    } tables[] = {{"#%/", "", ""}, {"%", "", ""}, {"ctn", "a", ""}, {"ctn", "e", ""}, {"c", "", "0123456789-"}};
    const auto& t = tables[table % std::size(tables)];
    LineRules rules;
    auto set = [&](const char* letters, uint8_t kind) {
        for (; *letters; ++letters) rules.kind[static_cast<unsigned char>(*letters)] = kind;
    };
    if (*t.letter || *t.only) rules.kind.fill(kBad);
    set(t.only, kData);
    set(t.letter, kLetter);
    set(t.comments, kComment);
    if (rules.kind['/'] == kComment) rules.kind['/'] = kSlash;
    set("\r\n", kEmpty);
    rules.weights = static_cast<WeightKind>(weights % 5);
    static constexpr int64_t lows[] = {0, 0, 0, 1, 1}, highs[] = {INT64_MAX, INT64_MAX, 9, 1000, 0};
    rules.low = lows[bounds % 5];
    rules.high = highs[bounds % 5];
    return rules;
}

// Cuts the text at line ends every `size` characters, as Pieces does every megabyte.
text::Pieces pieces_of(const std::string& store, const char* begin, size_t size, Watch& watch) {
    text::Pieces pieces(begin, begin + store.size(), 1, watch);
    if (!size || pieces.cuts.size() < 2) return pieces;
    const char* last = pieces.cuts.back();
    pieces.cuts = {begin};
    pieces.lines = {0};
    while (pieces.cuts.back() != last) {
        const char* from = pieces.cuts.back();
        const char* at = static_cast<size_t>(last - from) > size ? text::next_line(from + size, last) : last;
        pieces.cuts.push_back(at);
        pieces.lines.push_back(pieces.lines.back() + text::count_lines(from, at));
    }
    return pieces;
}

struct Outcome {
    std::vector<naive::Edge> edges;
    bool reals = false, wide = false;
    int64_t bad = -1;
};

// What the binding does: narrow types first, wider ones where a number does not fit.
template <class I, class W>
Outcome read_edges(const text::Pieces& pieces, const LineRules& rules, int threads, Watch& watch) {
    auto r = parse_edges<I, W>(pieces, rules, threads, watch);
    if constexpr (sizeof(I) < 8)
        if (r.fault.trouble == Trouble::wide_id) return read_edges<int64_t, W>(pieces, rules, threads, watch);
    if constexpr (std::is_same_v<W, int32_t>)
        if (r.fault.trouble == Trouble::wide_weight) return read_edges<I, int64_t>(pieces, rules, threads, watch);
    if constexpr (std::is_integral_v<W>)
        if (r.fault.trouble == Trouble::float_weight) return read_edges<I, double>(pieces, rules, threads, watch);
    // Shows that the fuzzer can fail: one past the end, where a weight ends in 7.
    static const bool seeded = std::getenv("STEPPE_SEEDED_BUG") != nullptr;
    if constexpr (std::is_same_v<W, int32_t>)
        for (int64_t e = 0; seeded && e < r.count; ++e)
            if (r.w[e] % 10 == 7 && r.count == pieces.total()) r.u.data()[r.count] = 1;
    Outcome outcome;
    outcome.wide = sizeof(I) == 8;
    outcome.reals = std::is_floating_point_v<W>;
    if (r.fault.trouble != Trouble::none) {
        agree(r.fault.trouble == Trouble::range || r.fault.trouble == Trouble::syntax, "an unknown trouble");
        agree(r.fault.what && *r.fault.what, "a fault without words");
        outcome.bad = r.fault.line;
        return outcome;
    }
    for (int64_t e = 0; e < r.count; ++e) {
        naive::Edge edge{static_cast<uint64_t>(r.u[e]), static_cast<uint64_t>(r.v[e])};
        if constexpr (std::is_integral_v<W>) edge.whole = r.w[e];
        else if constexpr (std::is_floating_point_v<W>) edge.real = r.w[e];
        outcome.edges.push_back(edge);
    }
    return outcome;
}

Outcome read_edges(const text::Pieces& pieces, const LineRules& rules, int threads, Watch& watch) {
    switch (rules.weights) {
        case WeightKind::none:
            return read_edges<int32_t, NoWeight>(pieces, rules, threads, watch);
        case WeightKind::real:
            return read_edges<int32_t, double>(pieces, rules, threads, watch);
        case WeightKind::real32:
            return read_edges<int32_t, float>(pieces, rules, threads, watch);
        default:
            return read_edges<int32_t, int32_t>(pieces, rules, threads, watch);
    }
}

bool same_edges(const std::vector<naive::Edge>& a, const std::vector<naive::Edge>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const naive::Edge& x, const naive::Edge& y) {
        return x.u == y.u && x.v == y.v && x.whole == y.whole &&
               std::bit_cast<uint64_t>(x.real) == std::bit_cast<uint64_t>(y.real);
    });
}

template <class I>
void check_relabel(const std::vector<naive::Edge>& edges, const std::vector<int64_t>& others, int threads,
                   Watch& watch) {
    std::map<int64_t, int64_t> rank;
    std::vector<I> u, v;
    for (const naive::Edge& e : edges) {
        u.push_back(static_cast<I>(e.u)), v.push_back(static_cast<I>(e.v));
        rank[u.back()], rank[v.back()];
    }
    for (const int64_t id : others) rank[id];
    int64_t next = 0;
    for (auto& [id, number] : rank) number = next++;
    const int64_t low = rank.empty() ? 0 : rank.begin()->first, high = rank.empty() ? 0 : rank.rbegin()->first;
    const auto m = static_cast<int64_t>(edges.size());
    const Relabelled r = relabel<I>(u.data(), v.data(), m, others.data(), static_cast<int64_t>(others.size()), low,
                                    high, threads, watch);
    agree(r.count == next, "relabel: the number of labels");
    agree(r.run || static_cast<int64_t>(r.labels.size()) == next, "relabel: the length of the labels");
    for (const auto& [id, number] : rank)
        agree(id == (r.run ? r.first + number : r.labels[static_cast<size_t>(number)]), "relabel: a label");
    for (size_t e = 0; e < edges.size(); ++e)
        agree(u[e] == rank[static_cast<int64_t>(edges[e].u)] && v[e] == rank[static_cast<int64_t>(edges[e].v)],
              "relabel: an end");
    std::map<std::tuple<I, I, int64_t>, int64_t> seen;
    std::vector<int64_t> weights;
    for (size_t e = 0; e < edges.size(); ++e) {
        weights.push_back(edges[e].whole);
        ++seen[{u[e], v[e], edges[e].whole}];
        --seen[{v[e], u[e], edges[e].whole}];
    }
    const bool symmetric = std::all_of(seen.begin(), seen.end(), [](const auto& x) { return x.second == 0; });
    const bool claimed = both_ways<I, int64_t>(u.data(), v.data(), weights.data(), m, 1234567, threads, watch);
    agree(claimed == symmetric, "both_ways");
}

// Reads a table whole and in pieces; every byte of every name is looked at.
void check_table(const text::Pieces& whole, const text::Pieces& cuts, uint8_t shape, uint8_t choice, int threads,
                 Watch& watch) {
    static constexpr const char* shapes[] = {"nnw", "iiw", "wnn-", "i-i", "nn", "n-wnw", "ii", "--iwiw"};
    TableRules rules;
    for (const char* letter = shapes[shape % std::size(shapes)]; *letter; ++letter)
        rules.fields.push_back(*letter == 'n'   ? Field::name
                               : *letter == 'i' ? Field::id
                               : *letter == 'w' ? Field::whole
                                                : Field::skipped);
    rules.part = ",;|\t "[choice % 5];
    rules.decimal = choice / 5 % 2 ? ',' : '.';
    rules.missing = choice / 10 % 2;
    rules.ragged = "columns";
    TextTable a(whole, rules, 1, watch), b(cuts, rules, threads, watch);
    agree((a.fault().trouble == Trouble::none) == (b.fault().trouble == Trouble::none), "table: refused or not");
    if (a.fault().trouble != Trouble::none) {
        agree(a.fault().line == b.fault().line && a.fault().offset == b.fault().offset, "table: where it is refused");
        agree(a.fault().what && *a.fault().what, "table: a fault without words");
        return;
    }
    agree(a.rows() == b.rows(), "table: the number of rows");
    for (size_t c = 0; c < rules.fields.size(); ++c) {
        agree(a.rules().fields[c] == b.rules().fields[c], "table: the type of a column");
        for (int64_t row = 0; row < a.rows(); ++row) {
            const Field field = a.rules().fields[c];
            if (field == Field::skipped) continue;
            if (rules.missing) agree(a.missing(c)[row] == b.missing(c)[row], "table: what is missing");
            if (field == Field::name) {
                agree(a.names(c)[row] == b.names(c)[row], "table: a name");
                agree(is_text(a.names(c)[row]), "table: a name that is no text");
            } else if (field == Field::real) {
                agree(std::bit_cast<uint64_t>(a.reals(c)[row]) == std::bit_cast<uint64_t>(b.reals(c)[row]),
                      "table: a float");
            } else {
                agree(a.wholes(c)[row] == b.wholes(c)[row], "table: a whole number");
            }
        }
    }
}

void check_numbers(const std::vector<naive::Edge>& edges) {  // what is printed reads back the same
    char line[40];
    for (const naive::Edge& e : edges) {
        if (std::isinf(e.real)) continue;
        char* end = print_number(line, e.real);
        *end = '\n';
        const char* p = line;
        double back = 0;
        agree(read_float(p, end, end, back) == Number::ok && p == end, "a printed number is not read");
        agree(std::bit_cast<uint64_t>(back) == std::bit_cast<uint64_t>(e.real), "a printed number reads as another");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 4) return 0;
    const std::string store(reinterpret_cast<const char*>(data) + 4, size - 4);
    // A block of exactly this size: the sanitizer sees a read of one byte before or after it.
    const std::unique_ptr<char[]> block(new char[store.size()]);
    std::copy(store.begin(), store.end(), block.get());
    Watch watch;
    const LineRules rules = rules_for(data[1], data[2], data[2] / 5);
    // Waking threads takes longer than all the rest, so only one input in 64 is for three; the first of a process
    // always is, and an input that is run alone shows its fault again.
    static uint64_t executions = 0;
    const int threads = executions++ % 64 == 0 ? 3 : 1;
    const size_t cut = 1 + data[3];
    const std::vector<std::string> lines = naive::lines_of(store);
    const text::Pieces whole = pieces_of(store, block.get(), 0, watch);
    const text::Pieces cuts = pieces_of(store, block.get(), cut, watch);
    agree(whole.total() == static_cast<int64_t>(lines.size()), "the number of lines");
    agree(cuts.total() == whole.total(), "the number of lines in pieces");
    if (data[0] % 4 == 1) {
        check_table(whole, cuts, data[1], data[2], threads, watch);
        return 0;
    }
    if (data[0] % 4 == 0) {
        const naive::Rows expected = naive::rows(lines, rules);
        for (const text::Pieces* pieces : {&whole, &cuts}) {
            const TextRows rows = parse_rows(*pieces, rules, pieces == &whole ? 1 : threads, watch);
            const bool refused = rows.fault.trouble != Trouble::none;
            agree(refused == (expected.bad >= 0), "rows: refused or not");
            if (refused) agree(rows.fault.line == expected.bad, "rows: the line that is refused");
            else agree(rows.numbers == expected.numbers && rows.lengths == expected.lengths, "rows: the numbers");
        }
        if (expected.bad < 0) check_relabel<int64_t>({}, expected.numbers, threads, watch);
        return 0;
    }
    const bool reals = rules.weights == WeightKind::real || rules.weights == WeightKind::real32;
    const naive::Edges expected = naive::edges(lines, rules, reals);
    for (const text::Pieces* pieces : {&whole, &cuts}) {
        const Outcome outcome = read_edges(*pieces, rules, pieces == &whole ? 1 : threads, watch);
        agree((outcome.bad >= 0) == (expected.bad >= 0), "edges: refused or not");
        if (outcome.bad >= 0) agree(outcome.bad == expected.bad, "edges: the line that is refused");
        else agree(same_edges(outcome.edges, expected.edges), "edges: the numbers");
        if (outcome.bad < 0 && pieces == &cuts) {
            if (outcome.wide) check_relabel<int64_t>(expected.edges, {}, threads, watch);
            else check_relabel<int32_t>(expected.edges, {}, threads, watch);
            if (expected.reals) check_numbers(expected.edges);
        }
    }
    return 0;
}

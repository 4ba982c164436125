// Text to edges: the parallel parser behind every text format.
//
// The pieces of lines.hpp are parsed in parallel, each straight to its final place: the lines before it bound the edges
// before it. Pieces that hold comments leave a gap, closed at the end. Types are tried from narrow to wide (ids int32,
// int64; weights int32, int64, double): a number that does not fit ends the pass, and the text is read again with the
// wider type. Threads take the pieces in order, so of all faults the one in the earliest piece is the first of the
// file.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

#include "base/memory.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace steppe::text {

struct NoWeight {};

template <class I>
LineFault read_id(const char*& p, const char* safe, const LineRules& rules, I& id) {
    uint64_t x;
    const char* from = p;
    switch (read_digits(p, safe, x)) {
        case Number::missing:
            if (*from == '-' && is_digit(from[1])) return {Trouble::range, "vertex ids must not be negative"};
            return {Trouble::syntax, "expected a vertex id (a whole number)"};
        case Number::overflow:
            x = std::numeric_limits<uint64_t>::max();
            break;
        case Number::ok:
            break;
    }
    if (x > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        p = from;
        return {Trouble::syntax, "a vertex id must be less than 2^63"};
    }
    if (static_cast<int64_t>(x) < rules.low || static_cast<int64_t>(x) > rules.high) {
        p = from;
        return {Trouble::range, "vertex id out of range"};
    }
    if (x > static_cast<uint64_t>(std::numeric_limits<I>::max())) return {Trouble::wide_id};
    id = static_cast<I>(x);
    return {};
}

inline constexpr const char* kTooLarge = "a whole-number weight must fit in a signed 64-bit integer";

template <class W>
LineFault read_weight(const char*& p, const char* end, const char* safe, const LineRules& rules, W& weight) {
    const char* from = p;
    if constexpr (std::is_integral_v<W>) {
        const bool negative = *p == '-';
        p += negative || *p == '+';
        uint64_t x;
        const Number number = read_digits(p, safe, x);
        const bool ends = *p == '\n' || *p == ' ' || *p == '\r' || *p == '\t' || *p == ',' || *p == ';';
        if (number != Number::ok || !ends) {
            p = from;
            // Another kind of number? The floating reader decides; only what it takes too is worth another pass.
            double unused;
            const bool is_float = read_float(p, end, safe, unused) == Number::ok && !is_digit(*p);
            const bool big = number == Number::overflow &&
                             std::none_of(from, p, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
            p = from;
            if (big) return {Trouble::syntax, kTooLarge};
            if (is_float && rules.weights == WeightKind::number) return {Trouble::float_weight};
            return {Trouble::syntax, rules.weights == WeightKind::integer ? "expected a weight (a whole number)"
                                                                          : "expected a weight (a number)"};
        }
        if (x > static_cast<uint64_t>(std::numeric_limits<W>::max()) + negative) {
            p = from;
            if (sizeof(W) < 8) return {Trouble::wide_weight};
            return {Trouble::syntax, kTooLarge};
        }
        weight = static_cast<W>(negative ? uint64_t{0} - x : x);
    } else {
        switch (read_float(p, end, safe, weight)) {
            case Number::missing:
                p = from;
                return {Trouble::syntax, "expected a weight (a number)"};
            case Number::overflow:
                p = from;
                return {Trouble::syntax, "a weight does not fit in a floating-point number"};
            case Number::ok:
                break;
        }
        if (std::isnan(weight) || weight == -std::numeric_limits<W>::infinity()) {
            p = from;
            return {Trouble::syntax, "a weight must be a number or +inf (no edge)"};
        }
    }
    return {};
}

// The common line: two or three whole numbers of one to eight digits, one character between them, no sign. All their
// ends are found at once in the first 32 characters, so that the next line can start before the numbers of this one are
// worked out; going number by number makes a chain of loads that takes twice the time. The numbers are worked out side
// by side: the eight characters up to each one's end, what is not part of it masked away, then pairs of digits,
// quadruples and halves added up. False: the general reader decides.
template <class I, class W>
inline bool plain_line([[maybe_unused]] const char*& p, [[maybe_unused]] const char* begin,
                       [[maybe_unused]] const char* safe, [[maybe_unused]] const LineRules& rules,
                       [[maybe_unused]] I* u, [[maybe_unused]] I* v, [[maybe_unused]] W* w) {
#if defined(__SSE2__) || defined(_M_X64)
    constexpr bool weighted = !std::is_same_v<W, NoWeight>;
    if constexpr (std::is_floating_point_v<W>) return false;
    if (p + 48 > safe || p < begin + 8 || rules.high < rules.low) return false;
    const uint8_t kind = rules.kind[static_cast<unsigned char>(*p)];
    if (kind != kData && (kind != kLetter || p[1] != ' ')) return false;
    const char* q = p + kind;  // a letter and a blank: kLetter is 2, kData 0
    const __m128i zeros = _mm_set1_epi8('0');
    auto digits = [&](const char* at) {
        const __m128i x = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), zeros);
        const __m128i digit = _mm_cmpeq_epi8(_mm_subs_epu8(x, _mm_set1_epi8(9)), _mm_setzero_si128());
        return static_cast<uint32_t>(_mm_movemask_epi8(digit));
    };
    constexpr uint32_t last = 1u << 31;
    uint32_t ends = ~(digits(q) | digits(q + 16) << 16);
    const unsigned a = static_cast<unsigned>(std::countr_zero(ends | last));
    ends &= ends - 1;
    const unsigned b = static_cast<unsigned>(std::countr_zero(ends | last));
    ends &= ends - 1;
    const unsigned c = weighted ? static_cast<unsigned>(std::countr_zero(ends | last)) : b;
    const unsigned first = a, second = b - a - 1, third = weighted ? c - b - 1 : 1;
    if (((first - 1) | (second - 1) | (third - 1)) > 7) return false;
    auto blank = [](char x) { return (x == ' ') | (x == '\t') | (x == ','); };
    if (!(blank(q[a]) & (!weighted || blank(q[b])) & (q[c] == '\n'))) return false;
    auto eight = [](const char* end, unsigned length) {  // the characters of a number, right-aligned among zero bytes
        static constexpr uint64_t masks[] = {0,           ~0ull << 56, ~0ull << 48, ~0ull << 40, ~0ull << 32,
                                             ~0ull << 24, ~0ull << 16, ~0ull << 8,  ~0ull};
        return _mm_and_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(end - 8)),
                             _mm_loadl_epi64(reinterpret_cast<const __m128i*>(masks + length)));
    };
    auto fours = [&](__m128i x) {  // sixteen characters to four numbers of four digits
        x = _mm_subs_epu8(x, zeros);
        x = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(x, _mm_set1_epi16(255)), _mm_set1_epi16(10)),
                          _mm_srli_epi16(x, 8));
        return _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 100));
    };
    const __m128i pair = fours(_mm_unpacklo_epi64(eight(q + a, first), eight(q + b, second)));
    const __m128i rest = weighted ? fours(eight(q + c, third)) : pair;
    const __m128i all = _mm_madd_epi16(_mm_packs_epi32(pair, rest), _mm_set1_epi32(1 << 16 | 10000));
    const int64_t x = _mm_cvtsi128_si32(all), y = _mm_cvtsi128_si32(_mm_srli_si128(all, 4));
    const uint64_t span = static_cast<uint64_t>(rules.high - rules.low);
    if (static_cast<uint64_t>(x - rules.low) > span || static_cast<uint64_t>(y - rules.low) > span) return false;
    *u = static_cast<I>(x);
    *v = static_cast<I>(y);
    if constexpr (weighted) *w = static_cast<W>(_mm_cvtsi128_si32(_mm_srli_si128(all, 8)));
    p = q + c + 1;
    return true;
#else
    return false;
#endif
}

// Steps over a column that is not wanted, in quotes or not.
inline LineFault skip_column(const char*& p, char part) {
    if (*p == '"') {
        do {
            for (++p; *p != '"'; ++p)
                if (*p == '\n') return {Trouble::syntax, "expected a closing quote"};
            ++p;
        } while (*p == '"');
        return {};
    }
    auto ends = [part](char c) { return part == ' ' ? c == ' ' || c == '\t' || c == ',' || c == ';' : c == part; };
    while (!at_end_of_line(p) && !ends(*p)) ++p;
    return {};
}

// The columns of a line whose heading says what they are, in any order, some of them skipped.
template <class I, class W>
LineFault read_columns(const char*& p, const char* end, const char* safe, const LineRules& rules, I& u, I& v,
                       [[maybe_unused]] W* w) {
    auto blanks = [&] {
        while (*p == ' ' || (*p == '\t' && rules.part != '\t')) ++p;
    };
    bool first = true;
    for (const char column : rules.columns) {
        if (!first) {
            bool parted = false;
            if (rules.part == ' ') parted = separator(p) && !at_end_of_line(p);
            else {
                blanks();
                parted = *p == rules.part;
                p += parted;
            }
            if (!parted) {
                return {Trouble::syntax, at_end_of_line(p) ? "expected as many columns as the heading has"
                                                           : "expected the next column after a number"};
            }
        }
        first = false;
        blanks();
        LineFault fault;
        if (column == 's') fault = read_id(p, safe, rules, u);
        else if (column == 't') fault = read_id(p, safe, rules, v);
        else if (column == '-') fault = skip_column(p, rules.part);
        else if constexpr (!std::is_same_v<W, NoWeight>) fault = read_weight(p, end, safe, rules, *w);
        if (fault.trouble != Trouble::none) return fault;
    }
    return {};
}

// Parses the lines of one piece, at most `room`; `count` edges were written when it returns.
template <class I, class W>
LineFault parse_piece(const char* const begin, const char* end, const char* safe, const LineRules& rules, I* u, I* v,
                      W* w, int64_t room, int64_t& count) {
    int64_t edges = 0;
    LineFault fault;
    const char* p = begin;
    const char* line = p;
    constexpr bool weighted = !std::is_same_v<W, NoWeight>;
    const bool named = !rules.columns.empty();
    auto missing = [&] {
        if (at_end_of_line(p))
            return LineFault{Trouble::syntax, weighted ? "expected 3 columns" : "expected 2 columns"};
        return LineFault{Trouble::syntax, "expected a blank, tab, comma or semicolon after a number"};
    };
    while (p < end) {
        line = p;
        if (edges == room) fault = {Trouble::syntax, "the text changed while it was read"};
        else if (!named && plain_line(p, begin, safe, rules, u + edges, v + edges, w + (weighted ? edges : 0))) {
            ++edges;
            continue;
        }
        const Line kind = fault.trouble == Trouble::none ? open_line(p, end, rules) : kData;
        if (kind == kBad) fault = {Trouble::syntax, "unexpected kind of line"};
        else if (kind != kData) continue;
        if (named && fault.trouble == Trouble::none) {
            fault = read_columns(p, end, safe, rules, u[edges], v[edges], weighted ? w + edges : w);
        } else {
            if (fault.trouble == Trouble::none) fault = read_id(p, safe, rules, u[edges]);
            if (fault.trouble == Trouble::none && (!separator(p) || at_end_of_line(p))) fault = missing();
            if (fault.trouble == Trouble::none) fault = read_id(p, safe, rules, v[edges]);
            if constexpr (weighted) {
                if (fault.trouble == Trouble::none && (!separator(p) || at_end_of_line(p))) fault = missing();
                if (fault.trouble == Trouble::none) fault = read_weight(p, end, safe, rules, w[edges]);
            }
        }
        if (fault.trouble == Trouble::none) {
            skip_blanks(p);
            if (*p == '\r') ++p;
            if (*p == '\n') {
                ++p;
                ++edges;
                continue;
            }
            fault = {Trouble::syntax, named ? "expected as many columns as the heading has, then the end of the line"
                                      : weighted ? "expected 3 columns and then the end of the line"
                                                 : "expected 2 columns and then the end of the line"};
        }
        fault.offset = p - begin;
        fault.line = count_lines(begin, line);
        break;
    }
    count = edges;
    return fault;
}

template <class I, class W>
struct TextEdges {
    Buffer<I> u, v;
    Buffer<W> w;
    int64_t count = 0;
    LineFault fault;
};

template <class I, class W>
TextEdges<I, W> parse_edges(const Pieces& pieces, const LineRules& rules, int threads, Watch& watch) {
    constexpr bool weighted = !std::is_same_v<W, NoWeight>;
    const size_t lines = static_cast<size_t>(pieces.total());
    TextEdges<I, W> r{Buffer<I>(lines), Buffer<I>(lines), Buffer<W>(weighted ? lines : 0), 0, {}};
    std::vector<int64_t> counts(pieces.count() + 1, 0);
    r.fault = pieces.for_each(threads, watch, [&](const char* p, const char* end, const char* safe, int64_t i) {
        const int64_t at = pieces.lines[i], room = (i < pieces.count() ? pieces.lines[i + 1] : pieces.total()) - at;
        return parse_piece<I, W>(p, end, safe, rules, r.u.data() + at, r.v.data() + at,
                                 weighted ? r.w.data() + at : nullptr, room, counts[i]);
    });
    for (int64_t i = 0; i <= pieces.count(); ++i) {
        const int64_t from = pieces.lines[i], to = r.count, n = counts[i];
        r.count += n;
        if (from == to || n == 0) continue;
        std::memmove(r.u.data() + to, r.u.data() + from, n * sizeof(I));
        std::memmove(r.v.data() + to, r.v.data() + from, n * sizeof(I));
        if constexpr (weighted) std::memmove(r.w.data() + to, r.w.data() + from, n * sizeof(W));
    }
    return r;
}

struct TextRows {
    std::vector<int64_t> numbers, lengths;  // all numbers of all lines, and how many each line has
    LineFault fault;
};

// Lines of any number of whole numbers (METIS, adjacency lists). Empty lines count, comments do not.
inline TextRows parse_rows(const Pieces& pieces, const LineRules& rules, int threads, Watch& watch) {
    std::vector<TextRows> parts(pieces.count() + 1);
    TextRows all;
    all.fault = pieces.for_each(threads, watch, [&](const char* begin, const char* end, const char* safe, int64_t i) {
        TextRows& part = parts[i];
        const char* p = begin;
        while (p < end) {
            const char* line = p;
            LineFault fault;
            const Line kind = open_line(p, end, rules);
            if (kind == kComment) continue;
            int64_t length = 0;
            if (kind == kBad) fault = {Trouble::syntax, "unexpected kind of line"};
            while (kind == kData && fault.trouble == Trouble::none && !at_end_of_line(p)) {
                int64_t x = 0;
                fault = read_id(p, safe, rules, x);
                if (fault.trouble != Trouble::none) break;
                part.numbers.push_back(x);
                ++length;
                if (!separator(p) && !at_end_of_line(p)) fault = {Trouble::syntax, "expected a whole number"};
            }
            if (fault.trouble != Trouble::none) {
                fault.offset = p - begin;
                fault.line = count_lines(begin, line);
                return fault;
            }
            part.lengths.push_back(length);
            if (kind == kData) p = next_line(p, end);
        }
        return LineFault{};
    });
    if (all.fault.trouble != Trouble::none) return all;
    size_t numbers = 0, lengths = 0;
    for (const TextRows& part : parts) numbers += part.numbers.size(), lengths += part.lengths.size();
    all.numbers.reserve(numbers);
    all.lengths.reserve(lengths);
    for (TextRows& part : parts) {  // each is freed as soon as it is copied
        const TextRows done = std::move(part);
        all.numbers.insert(all.numbers.end(), done.numbers.begin(), done.numbers.end());
        all.lengths.insert(all.lengths.end(), done.lengths.begin(), done.lengths.end());
    }
    return all;
}

}  // namespace steppe::text

// The same formats read the slow and obvious way: line by line, token by token, with copies and the C library's own
// numbers. It shares no code with cpp/text/parse.hpp but the tables of rules, so that a slip in one is not a slip in
// both.
//
// Everything is a std::string line without its line feed; a position that runs past the end reads as '\n'.
#pragma once
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/lines.hpp"

namespace naive {

struct Edge {
    uint64_t u, v;
    double real = 0;    // weights, where they are floats
    int64_t whole = 0;  // or integers
};

struct Edges {
    std::vector<Edge> edges;
    bool reals = false;  // weights turned out to be floats
    int64_t bad = -1;    // the line that was refused, from 0
};

struct Rows {
    std::vector<int64_t> numbers, lengths;
    int64_t bad = -1;
};

inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

struct Cursor {
    const std::string& line;
    size_t at = 0;
    char peek(size_t k = 0) const { return at + k < line.size() ? line[at + k] : '\n'; }
    bool over() const { return peek() == '\n' || (peek() == '\r' && peek(1) == '\n'); }
    void blanks() {
        while (peek() == ' ' || peek() == '\t') ++at;
    }
    bool separator() {
        const size_t from = at;
        blanks();
        if (peek() == ',' || peek() == ';') ++at, blanks();
        return at != from;
    }
    std::string digits(size_t k = 0) const {
        std::string found;
        for (; std::isdigit(static_cast<unsigned char>(peek(k))); ++k) found += peek(k);
        return found;
    }
    // The longest floating-point number here, as std::from_chars takes it, with a '+' allowed; empty: none.
    std::string real() const {
        size_t k = 0;
        std::string found;
        if (peek(k) == '-' || peek(k) == '+') found += peek(k++);
        auto word = [&](std::string_view w) {
            for (size_t i = 0; i < w.size(); ++i)
                if (std::tolower(static_cast<unsigned char>(peek(k + i))) != w[i]) return false;
            return true;
        };
        for (std::string_view w : {"infinity", "inf", "nan"})
            if (word(w)) return found + std::string(w);
        const std::string whole = digits(k);
        k += whole.size();
        std::string part;
        const bool dot = peek(k) == '.';
        if (dot) part = digits(k + 1), k += 1 + part.size();
        if (whole.empty() && part.empty()) return "";
        found += whole + (dot ? "." + part : "");
        if (peek(k) == 'e' || peek(k) == 'E') {
            const bool sign = peek(k + 1) == '-' || peek(k + 1) == '+';
            const std::string power = digits(k + 1 + sign);
            if (!power.empty()) found += "e" + (sign ? std::string(1, peek(k + 1)) : "") + power;
        }
        return found;
    }
};

// A number without its leading zeros, if it is at most `limit`.
inline std::optional<uint64_t> bounded(std::string digits, uint64_t limit) {
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() > 19) return {};
    const uint64_t x = digits.empty() ? 0 : std::strtoull(digits.c_str(), nullptr, 10);
    return x <= limit ? std::optional(x) : std::nullopt;
}

inline std::optional<uint64_t> id(Cursor& c, const steppe::text::LineRules& rules) {
    const std::string digits = c.digits();
    if (digits.empty()) return {};
    const auto x = bounded(digits, static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
    if (!x || static_cast<int64_t>(*x) < rules.low || static_cast<int64_t>(*x) > rules.high) return {};
    c.at += digits.size();
    return x;
}

// Nothing: refused. `single`: round once, to a float.
inline std::optional<double> real(Cursor& c, bool single) {
    const std::string word = c.real();
    if (word.empty()) return {};
    const double x = single ? std::strtof(word.c_str(), nullptr) : std::strtod(word.c_str(), nullptr);
    const bool spelled = word.find_first_of("in") != std::string::npos;
    if (std::isnan(x) || (std::isinf(x) && (!spelled || x < 0))) return {};
    const std::string mantissa = word.substr(0, word.find('e'));
    if (x == 0 && mantissa.find_first_of("123456789") != std::string::npos) return {};  // vanished
    c.at += word.size();
    return x;
}

enum class Kind { data, none, empty, bad };

inline Kind open(Cursor& c, const steppe::text::LineRules& rules) {
    c.blanks();
    switch (rules.kind[static_cast<unsigned char>(c.peek())]) {
        case steppe::text::kData:
            return Kind::data;
        case steppe::text::kComment:
            return Kind::none;
        case steppe::text::kSlash:
            return c.peek(1) == '/' ? Kind::none : Kind::data;
        case steppe::text::kEmpty:
            return c.over() ? Kind::empty : Kind::bad;
        case steppe::text::kLetter:
            if (c.peek(1) != ' ' && c.peek(1) != '\t') return Kind::bad;
            ++c.at;
            c.blanks();
            return Kind::data;
        default:
            return Kind::bad;
    }
}

// False: refused. `again`: this weight is a float, and the text must be read anew with float weights.
inline bool weight(Cursor& c, const steppe::text::LineRules& rules, bool reals, Edge& edge, bool& again) {
    using steppe::text::WeightKind;
    if (reals) {
        const auto x = real(c, rules.weights == WeightKind::real32);
        if (x) edge.real = *x;
        return x.has_value();
    }
    const bool minus = c.peek() == '-', sign = minus || c.peek() == '+';
    const std::string digits = c.digits(sign);
    const char next = c.peek(sign + digits.size());
    const bool ends = std::string_view("\n \r\t,;").find(next) != std::string_view::npos;
    if (!digits.empty() && ends) {
        const auto x = bounded(digits, static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + minus);
        if (!x) return false;
        edge.whole = static_cast<int64_t>(minus ? uint64_t{0} - *x : *x);
        c.at += sign + digits.size();
        return true;
    }
    const std::string word = c.real();
    if (word.empty() || rules.weights != WeightKind::number) return false;
    again = true;
    return true;
}

inline Edges edges(const std::vector<std::string>& lines, const steppe::text::LineRules& rules, bool reals) {
    using steppe::text::WeightKind;
    Edges all;
    all.reals = reals;
    for (size_t i = 0; i < lines.size(); ++i) {
        Cursor c{lines[i]};
        const Kind kind = open(c, rules);
        if (kind == Kind::none || kind == Kind::empty) continue;
        all.bad = static_cast<int64_t>(i);
        if (kind == Kind::bad) return all;
        Edge edge{};
        const auto u = id(c, rules);
        if (!u || !c.separator() || c.over()) return all;
        const auto v = id(c, rules);
        if (!v) return all;
        edge.u = *u, edge.v = *v;
        if (rules.weights != WeightKind::none) {
            if (!c.separator() || c.over()) return all;
            bool again = false;
            if (!weight(c, rules, reals, edge, again)) return all;
            if (again) return edges(lines, rules, true);
        }
        c.blanks();
        if (!c.over()) return all;
        all.bad = -1;
        all.edges.push_back(edge);
    }
    return all;
}

inline Rows rows(const std::vector<std::string>& lines, const steppe::text::LineRules& rules) {
    Rows all;
    for (size_t i = 0; i < lines.size(); ++i) {
        Cursor c{lines[i]};
        const Kind kind = open(c, rules);
        if (kind == Kind::none) continue;
        all.bad = static_cast<int64_t>(i);
        if (kind == Kind::bad) return all;
        int64_t length = 0;
        while (kind == Kind::data && !c.over()) {
            const auto x = id(c, rules);
            if (!x || (!c.separator() && !c.over())) return all;
            all.numbers.push_back(static_cast<int64_t>(*x));
            ++length;
        }
        all.lengths.push_back(length);
        all.bad = -1;
    }
    return all;
}

}  // namespace naive

// Columns: a table in text, every wanted column to an array of its own.
//
// parse.hpp reads lines that are nothing but the numbers of an edge. A table has more: names in quotes or without,
// further numbers that belong to the edge, empty fields, a decimal comma. The pieces of lines.hpp are parsed in
// parallel, each into vectors of its own, which are then copied behind each other: how many rows a piece has is not
// known before (comments), and no memory is allocated by what a file claims. Names are not copied, they are views of
// the text; only names with doubled quotes inside are rewritten.
//
// A column of numbers is read as whole numbers first. A number that is not whole ends the pass, and the text is read
// again with that column as floats: this happens once for each column at most, and mostly in the first piece.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace steppe::text {

enum class Field : uint8_t { skipped, id, name, whole, real };

struct TableRules {
    std::vector<Field> fields;  // one for each column of the file
    char part = ',';            // between two columns; a blank: any number of blanks and tabs
    char decimal = '.';
    bool missing = false;  // an empty field is missing; otherwise it is a fault
    std::string ragged;    // the error of a line with another number of columns
};

// The values of one column; one of the first three is filled.
struct TableColumn {
    std::vector<std::string_view> names;
    std::vector<int64_t> wholes;
    std::vector<double> reals;
    std::vector<uint8_t> missing;  // one for each row, if fields may be missing
};

struct TablePiece {
    std::vector<TableColumn> columns;
    std::deque<std::string> rewritten;  // names that had doubled quotes
    int64_t rows = 0;
    int64_t not_whole = -1;  // the column that Trouble::float_weight came from
};

// Whether a word is a number: digits with at most one point, a sign, an exponent.
inline bool is_number(std::string_view word) {
    const char* p = word.data();
    const char* end = p + word.size();
    if (p < end && (*p == '+' || *p == '-')) ++p;
    auto digits = [&] {
        const char* from = p;
        while (p < end && is_digit(*p)) ++p;
        return p - from;
    };
    const auto before = digits();
    if (p < end && *p == '.') {
        ++p;
        if (!digits() && !before) return false;
    } else if (!before) {
        return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        if (p < end && (*p == '+' || *p == '-')) ++p;
        if (!digits()) return false;
    }
    return p == end;
}

inline bool is_missing(std::string_view word) {
    if (word.empty()) return true;
    if (word.size() > 4) return false;
    char lower[4];
    std::transform(word.begin(), word.end(), lower,
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const std::string_view said(lower, word.size());
    return said == "na" || said == "nan" || said == "n/a" || said == "null" || said == "none";
}

// Parses the lines of one piece.
class TableParser {
  public:
    TableParser(const TableRules& rules, TablePiece& to) : rules_(rules), to_(to) {
        std::fill(stops_, stops_ + 256, false);
        for (const char c : {'\n', '"', rules.part}) stops_[static_cast<uint8_t>(c)] = true;
        if (rules.part == ' ') stops_[static_cast<uint8_t>('\t')] = true;
    }

    LineFault run(const char* const begin, const char* end, const char* safe, int64_t lines) {
        const auto most = std::min<int64_t>(lines, (end - begin) / static_cast<int64_t>(rules_.fields.size()) + 1);
        to_.columns.resize(rules_.fields.size());
        for (size_t c = 0; c < rules_.fields.size(); ++c) reserve(c, static_cast<size_t>(most));
        const char* p = begin;
        while (p < end) {
            const char* line = p;
            blanks(p);
            if (at_end_of_line(p)) {
                p += 1 + (*p == '\r');
                continue;
            }
            if (*p == '#' || *p == '%' || (*p == '/' && p[1] == '/')) {
                p = next_line(p, end);
                continue;
            }
            LineFault fault = read_line(p, end, safe);
            if (fault.trouble != Trouble::none) {
                fault.offset = p - begin;
                fault.line = count_lines(begin, line);
                return fault;
            }
            ++to_.rows;
        }
        return {};
    }

  private:
    void reserve(size_t c, size_t rows) {
        TableColumn& column = to_.columns[c];
        const Field field = rules_.fields[c];
        if (field == Field::skipped) return;
        if (field == Field::name) column.names.reserve(rows);
        else if (field == Field::real) column.reals.reserve(rows);
        else column.wholes.reserve(rows);
        if (rules_.missing) column.missing.reserve(rows);
    }

    void blanks(const char*& p) const {
        while (*p == ' ' || (*p == '\t' && rules_.part != '\t')) ++p;
    }

    LineFault read_line(const char*& p, const char* end, const char* safe) {
        const size_t count = rules_.fields.size();
        for (size_t c = 0; c < count; ++c) {
            if (c) {
                if (rules_.part == ' ') {
                    if (at_end_of_line(p)) return {Trouble::syntax, rules_.ragged.c_str()};
                } else {
                    if (*p != rules_.part) return {Trouble::syntax, rules_.ragged.c_str()};
                    ++p;
                    blanks(p);
                }
            }
            const char* from = p;
            bool quoted = false;
            std::string_view word;
            LineFault fault = read_field(p, rules_.fields[c] == Field::skipped, word, quoted);
            if (fault.trouble == Trouble::none) fault = keep(c, word, quoted, end, safe);
            if (fault.trouble != Trouble::none) {
                p = from;
                return fault;
            }
        }
        if (!at_end_of_line(p)) return {Trouble::syntax, rules_.ragged.c_str()};
        p += 1 + (*p == '\r');
        return {};
    }

    // Takes a field without its quotes and the blanks around it; p stops at the separator, or the end.
    LineFault read_field(const char*& p, bool skipped, std::string_view& word, bool& quoted) {
        const char* from = p;
        if (*p != '"') {
            while (!stops_[static_cast<uint8_t>(*p)] || (skipped && *p == '"')) ++p;
            if (*p == '"') return {Trouble::syntax, "expected a closing quote, and after it the next column"};
            const char* last = p;
            if (*p == '\n' && last > from && last[-1] == '\r') --last, --p;
            while (last > from && (last[-1] == ' ' || last[-1] == '\t')) --last;
            word = {from, static_cast<size_t>(last - from)};
            if (rules_.part == ' ') blanks(p);
            return {};
        }
        quoted = true;
        const char* start = ++p;
        bool doubled = false;
        for (;; ++p) {
            if (*p == '\n') return {Trouble::syntax, "expected a closing quote, and after it the next column"};
            if (*p != '"') continue;
            if (p[1] != '"') break;
            doubled = true;
            ++p;
        }
        word = {start, static_cast<size_t>(p - start)};
        ++p;
        blanks(p);
        if (doubled && !skipped) {
            std::string text;
            text.reserve(word.size());
            for (size_t i = 0; i < word.size(); ++i) {
                text += word[i];
                if (word[i] == '"') ++i;
            }
            to_.rewritten.push_back(std::move(text));
            word = to_.rewritten.back();
        }
        if (rules_.part != ' ' && *p != rules_.part && !at_end_of_line(p))
            return {Trouble::syntax, "expected a closing quote, and after it the next column"};
        return {};
    }

    LineFault keep(size_t c, std::string_view word, bool quoted, const char* end, const char* safe) {
        const Field field = rules_.fields[c];
        if (field == Field::skipped) return {};
        TableColumn& column = to_.columns[c];
        const bool end_of_edge = field == Field::name || field == Field::id;
        if (end_of_edge ? word.empty() : is_missing(word)) {
            if (!rules_.missing)
                return {Trouble::syntax, field == Field::name ? "expected a vertex's name, found nothing"
                                         : field == Field::id ? "expected a vertex id, found nothing"
                                                              : "expected a number, found nothing"};
            column.missing.push_back(1);
            if (field == Field::name) column.names.push_back({});
            else if (field == Field::real) column.reals.push_back(0);
            else column.wholes.push_back(0);
            return {};
        }
        if (rules_.missing) column.missing.push_back(0);
        if (field == Field::name) {
            if (!quoted && is_number(word))
                return {Trouble::syntax, "expected a name, as above, not a number (in quotes it is a name)"};
            if (!is_text(word)) return {Trouble::syntax, "expected text in UTF-8 without NUL characters"};
            column.names.push_back(word);
            return {};
        }
        // Digits are loaded by words of eight, which a rewritten name does not have.
        if (word.find('"') != std::string_view::npos) return {Trouble::syntax, "expected a number"};
        if (field == Field::id) {
            const char* p = word.data();
            uint64_t x = 0;
            const Number number = quoted ? Number::missing : read_digits(p, safe, x);
            if (number == Number::ok && p == word.data() + word.size() &&
                x <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
                column.wholes.push_back(static_cast<int64_t>(x));
                return {};
            }
            if (word[0] == '-' && is_number(word)) return {Trouble::range, "vertex ids must not be negative"};
            return {Trouble::syntax, "expected a vertex id (a whole number less than 2^63)"};
        }
        return read_number(c, word, end, safe);
    }

    LineFault read_number(size_t c, std::string_view word, const char* end, const char* safe) {
        char point[64];
        if (rules_.decimal != '.') {
            if (word.size() >= sizeof point || word.find('.') != std::string_view::npos)
                return {Trouble::syntax, "expected a number with a decimal comma"};
            std::replace_copy(word.begin(), word.end(), point, rules_.decimal, '.');
            point[word.size()] = '\n';
            word = {point, word.size()};
            end = safe = point + word.size();
        }
        const char* const stop = word.data() + word.size();
        if (rules_.fields[c] == Field::whole) {
            const char* p = word.data();
            const bool negative = *p == '-';
            p += negative || *p == '+';
            uint64_t x = 0;
            const Number number = read_digits(p, safe, x);
            const bool fits = x <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + negative;
            if (number == Number::ok && p == stop && fits) {
                to_.columns[c].wholes.push_back(static_cast<int64_t>(negative ? uint64_t{0} - x : x));
                return {};
            }
            const size_t sign = word[0] == '-' || word[0] == '+';
            if (word.size() > sign && std::all_of(word.begin() + sign, word.end(), is_digit))
                return {Trouble::syntax, "a whole number must fit in 64 bits"};
        }
        const char* p = word.data();
        double value = 0;
        const Number number = read_float(p, std::max(end, stop), safe, value);
        if (number != Number::ok || p != stop) return {Trouble::syntax, "expected a number"};
        if (std::isnan(value) || value == -std::numeric_limits<double>::infinity())
            return {Trouble::syntax, "expected a number or +inf (no edge)"};
        if (rules_.fields[c] == Field::whole) {
            to_.not_whole = static_cast<int64_t>(c);
            return {Trouble::float_weight};
        }
        to_.columns[c].reals.push_back(value);
        return {};
    }

    const TableRules& rules_;
    TablePiece& to_;
    bool stops_[256];
};

// All of it. Views of the text, which must outlive it.
class TextTable {
  public:
    TextTable(Pieces pieces, TableRules rules, int threads, Watch& watch)
        : rules_(std::move(rules)), pieces_(std::move(pieces)) {
        for (;;) {
            std::vector<TablePiece> parts(static_cast<size_t>(pieces_.count()) + 1);
            fault_ =
                pieces_.for_each(threads, watch, [&](const char* from, const char* to, const char* safe, int64_t i) {
                    const int64_t lines = i < pieces_.count() ? pieces_.lines[i + 1] - pieces_.lines[i] : int64_t{1};
                    return TableParser(rules_, parts[i]).run(from, to, safe, lines);
                });
            if (fault_.trouble != Trouble::float_weight) {
                if (fault_.trouble == Trouble::none) unite(parts, threads, watch);
                return;
            }
            for (const TablePiece& part : parts)  // pieces may have met several such columns
                if (part.not_whole >= 0) rules_.fields[part.not_whole] = Field::real;
        }
    }
    TextTable(const TextTable&) = delete;
    TextTable& operator=(const TextTable&) = delete;

    const LineFault& fault() const { return fault_; }
    int64_t rows() const { return rows_; }
    const TableRules& rules() const { return rules_; }
    const Buffer<std::string_view>& names(size_t c) const { return columns_.at(c).names; }
    Buffer<int64_t>& wholes(size_t c) { return columns_.at(c).wholes; }
    Buffer<double>& reals(size_t c) { return columns_.at(c).reals; }
    Buffer<uint8_t>& missing(size_t c) { return columns_.at(c).missing; }

  private:
    struct Column {
        Buffer<std::string_view> names;
        Buffer<int64_t> wholes;
        Buffer<double> reals;
        Buffer<uint8_t> missing;
    };

    void unite(std::vector<TablePiece>& parts, int threads, Watch& watch) {
        std::vector<int64_t> first{0};
        for (const TablePiece& part : parts) first.push_back(first.back() + part.rows);
        rows_ = first.back();
        const auto rows = static_cast<size_t>(rows_);
        columns_.resize(rules_.fields.size());
        for (size_t c = 0; c < columns_.size(); ++c) {
            const Field field = rules_.fields[c];
            if (field == Field::skipped) continue;
            if (field == Field::name) columns_[c].names = Buffer<std::string_view>(rows);
            else if (field == Field::real) columns_[c].reals = Buffer<double>(rows);
            else columns_[c].wholes = Buffer<int64_t>(rows);
            if (rules_.missing) columns_[c].missing = Buffer<uint8_t>(rows);
        }
        parallel_for(threads, static_cast<int64_t>(parts.size()), 1, [&](int64_t i, int64_t stop, int) {
            for (; i < stop && !watch.poll(); ++i) {
                for (size_t c = 0; c < parts[i].columns.size(); ++c) {
                    const TableColumn& from = parts[i].columns[c];
                    std::copy(from.names.begin(), from.names.end(), columns_[c].names.data() + first[i]);
                    std::copy(from.wholes.begin(), from.wholes.end(), columns_[c].wholes.data() + first[i]);
                    std::copy(from.reals.begin(), from.reals.end(), columns_[c].reals.data() + first[i]);
                    std::copy(from.missing.begin(), from.missing.end(), columns_[c].missing.data() + first[i]);
                }
                parts[i].columns.clear();
            }
        });
        watch.check();
        for (TablePiece& part : parts)
            if (!part.rewritten.empty()) rewritten_.push_back(std::move(part.rewritten));
    }

    TableRules rules_;
    const Pieces pieces_;
    std::vector<Column> columns_;
    std::vector<std::deque<std::string>> rewritten_;
    LineFault fault_;
    int64_t rows_ = 0;
};

}  // namespace steppe::text

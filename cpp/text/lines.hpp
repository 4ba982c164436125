// Lines of text, cut for several threads: the base of every text parser.
//
// The text is cut into pieces of about a megabyte at line ends, and the line feeds of every piece are counted: that
// bounds what it holds and gives exact line numbers for errors. Every piece ends in a line feed, which stops every
// inner loop, so no parser has to look for the end of the text; a last line without one is copied and given one. That
// holds only while the text stays as it is: it must be private memory, never a file that another program may write to.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/atomics.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"

namespace steppe::text {

// What the first character of a line (after blanks) says about it.
enum Line : uint8_t { kData = 0, kComment = 1, kLetter = 2, kBad = 3, kSlash = 4, kEmpty = 5 };

enum class WeightKind { none, number, integer, real, real32 };  // number: int32, int64 or double, whichever holds all

struct LineRules {
    std::array<uint8_t, 256> kind{};
    WeightKind weights = WeightKind::none;
    int64_t low = 0, high = std::numeric_limits<int64_t>::max();  // range of ids
    // What stands in which column: s(ource), t(arget), w(eight), or - for one to be skipped. Empty: source, target and,
    // where there are weights, weight. `part` separates named columns; a blank stands for any separator.
    std::string columns;
    char part = ' ';
};

enum class Trouble { none, wide_id, wide_weight, float_weight, range, syntax };

struct LineFault {
    Trouble trouble = Trouble::none;
    const char* what = "";
    int64_t offset = 0;  // in the text
    int64_t line = 0;    // counted from 0, from where parsing began
};

inline void skip_blanks(const char*& p) {
    while (*p == ' ' || *p == '\t') ++p;
}

inline bool at_end_of_line(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

inline const char* next_line(const char* p, const char* end) {
    const void* feed = std::memchr(p, '\n', static_cast<size_t>(end - p));
    return feed ? static_cast<const char*>(feed) + 1 : end;
}

// Blanks with at most one comma or semicolon among them.
inline bool separator(const char*& p) {
    const char* from = p;
    skip_blanks(p);
    if (*p == ',' || *p == ';') {
        ++p;
        skip_blanks(p);
    }
    return p != from;
}

inline int64_t count_lines(const char* p, const char* end) {
    int64_t lines = 0;
    for (; end - p >= 128; p += 128) {
        uint8_t count = 0;  // eight bits, so that the compiler counts sixteen characters at a time
        for (int i = 0; i < 128; ++i) count = static_cast<uint8_t>(count + (p[i] == '\n'));
        lines += count;
    }
    for (; p < end; ++p) lines += *p == '\n';
    return lines;
}

// The text cut at line ends; `tail` is a last line without a line feed, given one.
struct Pieces {
    std::vector<const char*> cuts;
    std::vector<int64_t> lines;  // lines before each piece
    std::string tail;
    const char* begin;

    Pieces(const char* first, const char* end, int threads, Watch& watch) : begin(first) {
        const char* last = end;
        while (last > first && last[-1] != '\n') --last;
        tail.assign(last, end);
        if (!tail.empty()) tail += '\n';
        const int64_t size = 1 << 20;
        cuts.push_back(first);
        while (last - cuts.back() > size) cuts.push_back(next_line(cuts.back() + size, last));
        if (cuts.back() != last) cuts.push_back(last);
        lines.assign(cuts.size(), 0);
        parallel_for(threads, count(), 1, [&](int64_t i, int64_t stop, int) {
            for (; i < stop && !watch.poll(); ++i) lines[i + 1] = count_lines(cuts[i], cuts[i + 1]);
        });
        watch.check();
        for (size_t i = 1; i < lines.size(); ++i) lines[i] += lines[i - 1];
    }
    int64_t count() const { return static_cast<int64_t>(cuts.size()) - 1; }
    int64_t total() const { return lines.back() + !tail.empty(); }
    // f(begin, end, safe, piece, fault) for every piece in parallel, then the tail; returns the first fault.
    template <class F>
    LineFault for_each(int threads, Watch& watch, F f) const {
        std::vector<LineFault> faults(count() + 1);
        int64_t stop = count();  // pieces from here on do not matter: an earlier one is faulty
        parallel_for(threads, count(), 1, [&](int64_t i, int64_t last, int) {
            for (; i < last && i < LOAD(&stop) && !watch.poll(); ++i) {
                faults[i] = f(cuts[i], cuts[i + 1], cuts.back(), i);
                if (faults[i].trouble == Trouble::none) continue;
                faults[i].offset += cuts[i] - begin;
                faults[i].line += lines[i];
                MIN(&stop, i);
            }
        });
        watch.check();
        for (const LineFault& fault : faults)
            if (fault.trouble != Trouble::none) return fault;
        if (tail.empty()) return {};
        LineFault fault = f(tail.data(), tail.data() + tail.size(), tail.data() + tail.size(), count());
        fault.offset += cuts.back() - begin;
        fault.line += lines.back();
        return fault;
    }
};

// Handles a line that holds no data, or skips a data line's letter. Returns kData when data follow at p.
inline Line open_line(const char*& p, const char* end, const LineRules& rules) {
    skip_blanks(p);
    switch (rules.kind[static_cast<unsigned char>(*p)]) {
        case kData:
            return kData;
        case kEmpty:
            if (!at_end_of_line(p)) return kBad;
            p += 1 + (*p == '\r');
            return kEmpty;
        case kSlash:
            if (p[1] != '/') return kData;
            [[fallthrough]];
        case kComment:
            p = next_line(p, end);
            return kComment;
        case kLetter:
            if (p[1] != ' ' && p[1] != '\t') return kBad;
            ++p;
            skip_blanks(p);
            return kData;
        default:
            return kBad;
    }
}

}  // namespace steppe::text

// Edges to text: the lines of a range of vertices, printed by all threads, each into a string of its own.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "rows/csr.hpp"
#include "text/numbers.hpp"

namespace steppe::text {

struct LineStyle {
    std::string prefix;  // "a " in DIMACS
    char separator = ' ';
    bool rows = false;   // one line per vertex: its neighbours (METIS)
    bool lower = false;  // of an undirected edge u, v only the line with u >= v
    int64_t first = 0;   // the number of vertex 0, unless there are labels
    const int64_t* labels = nullptr;
};

template <class V, class W>
std::vector<std::string> print_edges(const rows::Csr<V, W>& g, int64_t begin, int64_t end, const LineStyle& style,
                                     int threads) {
    const int64_t grain = std::max<int64_t>(1, (end - begin) / (4 * threads));
    std::vector<std::string> parts((end - begin + grain - 1) / grain);
    parallel_for(threads, static_cast<int64_t>(parts.size()), 1, [&](int64_t part, int64_t stop, int) {
        for (; part < stop; ++part) {
            std::string& text = parts[part];
            char line[256];
            auto number = [&](char* to, int64_t v) {
                return print_number(to, style.labels ? style.labels[v] : style.first + v);
            };
            const int64_t from = begin + part * grain, to = std::min(end, from + grain);
            text.reserve(static_cast<size_t>(g.offsets[to] - g.offsets[from]) * 24);
            for (int64_t u = from; u < to; ++u) {
                char head[64];
                char* head_end = head;
                if (!style.rows) {
                    head_end = std::copy(style.prefix.begin(), style.prefix.end(), head);
                    head_end = number(head_end, u);
                    *head_end++ = style.separator;
                }
                for (int64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
                    const int64_t v = g.targets[e];
                    if (style.lower && v > u) continue;
                    char* p = std::copy(head, head_end, line);
                    p = number(p, v);
                    if (g.weights) {
                        *p++ = style.separator;
                        p = print_number(p, g.weights[e]);
                    }
                    *p++ = style.rows ? ' ' : '\n';
                    text.append(line, p);
                }
                if (style.rows) text += '\n';
            }
        }
    });
    return parts;
}

}  // namespace steppe::text

"""Seeded bugs of cpp/matrix: rows for a cache line of sources at once; see core_mutations.py."""

from core_mutations import Mutation

MATRIX = [
    Mutation(
        "lanes: a round of pull is the last one",
        "lanes",
        "matrix/lanes.hpp",
        "if (count_ <= in_.n / kMany || read > most) break;",
        "count_ = 0; break;",
    ),
    Mutation(
        "lanes: only every other vertex that changed is listed",
        "lanes",
        "matrix/lanes.hpp",
        "listed += marks_[v];",
        "listed += marks_[v] && v % 2;",
    ),
    Mutation(
        "lanes: the second of two equal sources has no lane",
        "lanes",
        "matrix/lanes.hpp",
        "lines_[static_cast<size_t>(s) * kLanes<D> + i] = D{0};",
        "if (!marks_[s]) lines_[static_cast<size_t>(s) * kLanes<D> + i] = D{0};",
    ),
    Mutation(
        "lanes: lines keep the distances of the batch before",
        "lanes",
        "matrix/lanes.hpp",
        "std::fill(lines_.begin(), lines_.end(), kNone<D>);",
        "if (count_ == 0 && lines_[0] == 0) std::fill(lines_.begin(), lines_.end(), kNone<D>);",
    ),
    Mutation(
        "lanes: a sum that does not fit is not missed",
        "lanes",
        "matrix/lanes.hpp",
        "static_cast<double>(batch.furthest()) > room",
        "static_cast<double>(batch.furthest()) > 2 * room + 1e300",
    ),
    Mutation(
        "rows of lanes: a distance beyond the cutoff is told",
        "lanes",
        "matrix/lane_rows.hpp",
        "search::as_public<R>(d < kNone<D> ? d : kInfinity<D>, limit)",
        "search::as_public<R>(d < kNone<D> ? d : kInfinity<D>, kInfinity<D>)",
    ),
    Mutation(
        "contraction: of two arcs the first is kept",
        "lanes",
        "matrix/contraction.hpp",
        "known.out = std::min(known.out, out);",
        ";",
    ),
    Mutation(
        "contraction: of parallel edges the first is kept",
        "lanes",
        "matrix/contraction.hpp",
        "list[last].out = std::min(list[last].out, list[k].out);",
        "if (list[last].out == kNone<D>) list[last].out = list[k].out;",
    ),
    Mutation(
        "contraction: arcs lead back where there is no way",
        "lanes",
        "matrix/contraction.hpp",
        "down[e++] = static_cast<Weight>(arc.in);",
        "down[e++] = static_cast<Weight>(std::min(arc.in, arc.out));",
    ),
    Mutation(
        "contraction: an arc is as long as its first half",
        "lanes",
        "matrix/contraction.hpp",
        "std::min<D>(kNone<D>, a.in + b.out)",
        "std::min<D>(kNone<D>, b.out == kNone<D> ? b.out : a.in)",
    ),
    Mutation(
        "contraction: the longest way is one of the lightest edges",
        "lanes",
        "matrix/contraction.hpp",
        "most = std::max(most, g.weights[e]);",
        "most = g.weights[e];",
    ),
    Mutation(
        "sweep: a source climbs to the second place only",
        "lanes",
        "matrix/sweep.hpp",
        "next = std::max<int64_t>(next, to);",
        "next = p == source ? std::max<int64_t>(next, to) : -1;",
    ),
    Mutation(
        "sweep: what was climbed for one source stays for the next",
        "lanes",
        "matrix/sweep.hpp",
        "climbed_[p] = kNone<D>;",
        ";",
    ),
    Mutation(
        "sweep: what lies above the second place of a column is forgotten",
        "lanes",
        "matrix/sweep.hpp",
        "number_[p] = 0;",
        "number_[p] = 0; if (p != whole.place[v]) break;",
    ),
]
"""All of them; the driver is core/lanes.cpp."""

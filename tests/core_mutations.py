"""Seeded bugs of the native core: each changes one header of cpp/, and a driver of tests/core must notice it.

This is the test of the tests, as mutations.py is for the kernels: drivers that accept everything would prove nothing. Add an entry for every
bound, flag and mark on which a new algorithm's answer hangs. `find` is short, so that it survives what does not concern it; it must stand in
the header once. All bugs of a driver are compiled together, each behind a number that a run may ask for: compiling is what takes the time.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CPP = HERE.parent / "cpp"
DRIVERS = sorted(path.stem for path in (HERE / "core").glob("*.cpp"))


@dataclass(frozen=True)
class Mutation:
    """One seeded bug: in `header`, `find` becomes `replace`, both expressions, or both statements; `driver` must notice it."""

    name: str
    driver: str
    header: str
    find: str
    replace: str

    def switched(self, number):
        """Return C++ that is `find`, or `replace` in a run that asks for this number."""
        if self.find.endswith(";"):
            return f"if (core::seeded == {number}) {{ {self.replace} }} else {{ {self.find} }}"
        return f"(core::seeded == {number} ? ({self.replace}) : ({self.find}))"


def write(driver, folder, mutations):
    """Copy cpp/ to `folder` with every bug for this driver in it, asleep; gives the copy, and the bugs by their numbers."""
    copied = shutil.copytree(CPP, folder / "cpp", ignore=shutil.ignore_patterns("bindings"))
    seeded = dict(enumerate((m for m in mutations if m.driver == driver), start=1))
    for number, mutation in seeded.items():
        header = copied / mutation.header
        text = header.read_text()
        assert text.count(mutation.find) == 1, f"{header} has {text.count(mutation.find)} times: {mutation.find}"
        header.write_text(text.replace(mutation.find, mutation.switched(number)))
    return copied, seeded


MUTATIONS = [
    Mutation(
        "heap: the last of four children is never the best",
        "search",
        "search/heap.hpp",
        "child + 2 + (items[child + 3] < items[child + 2])",
        "child + 2",
    ),
    Mutation(
        "dijkstra: an improved vertex is not pushed again",
        "search",
        "search/dijkstra.hpp",
        "tentative.set(v, candidate, u);",
        "const bool seen = dist[v] != kInfinity<D>; tentative.set(v, candidate, u); if (seen) continue;",
    ),
    Mutation(
        "dijkstra: stops at the last target, before what is equally far",
        "search",
        "search/dijkstra.hpp",
        "return d < du;",
        "return d <= du;",
    ),
    Mutation(
        "reach: a cutoff is exclusive",
        "search",
        "search/widen.hpp",
        "candidate <= limit_",
        "candidate < limit_",
    ),
    Mutation(
        "reach: nobody hears that a sum passed the type",
        "search",
        "search/widen.hpp",
        "outgrown |= candidate > most_;",
        "outgrown |= false;",
    ),
    Mutation(
        "widen: the narrow answer is kept",
        "search",
        "search/widen.hpp",
        "if constexpr (!kLast) return true;",
        "if constexpr (!kLast) return false;",
    ),
    Mutation(
        "answer: the nearest target is the bound",
        "search",
        "search/search.hpp",
        "bound = std::max(bound, distances[t])",
        "bound = std::min(bound, distances[t])",
    ),
    Mutation(
        "delta-stepping: filed in the wrong bucket",
        "search",
        "search/delta_stepping.hpp",
        "ring.file(width.bucket(candidate), v)",
        "ring.file(width.bucket(candidate) + 1, v)",
    ),
    Mutation(
        "delta-stepping: stops a bucket early",
        "search",
        "search/delta_stepping.hpp",
        "width.bucket(d) < b",
        "width.bucket(d) <= b",
    ),
    Mutation(
        "ring: what is in the overflow is dealt out one bucket late",
        "search",
        "search/ring.hpp",
        "found = overflow_.least()",
        "found = overflow_.least() + 1",
    ),
    Mutation(
        "ring: of a long slot the first cache line is lost",
        "search",
        "search/ring.hpp",
        "chunk->next = slot.last->next;",
        "chunk->next = chunk;",
    ),
    Mutation(
        "overflow: a list remembers the last entry for the least",
        "search",
        "search/radix_overflow.hpp",
        "least_[k] = std::min(least_[k], bucket);",
        "least_[k] = bucket;",
    ),
    Mutation(
        "overflow: what is not due is dealt out, too",
        "search",
        "search/radix_overflow.hpp",
        "(bucket >> bits_) <= base_",
        "(bucket >> bits_) <= base_ + 3",
    ),
    Mutation(
        "pace: buckets that are too wide stay",
        "search",
        "search/delta_stepping.hpp",
        "4 * again_ > scanned_",
        "4 * again_ > scanned_ + (1 << 30)",
    ),
    Mutation(
        "refile: what was improved since it was filed is kept, the rest lost",
        "search",
        "search/delta_stepping.hpp",
        "width.bucket(d) != bucket",
        "width.bucket(d) == bucket",
    ),
    Mutation(
        "scan: the last edge of a row is skipped",
        "search",
        "search/scan.hpp",
        "e < walk.last",
        "e + 1 < walk.last",
    ),
    Mutation(
        "quads: the record behind a link is not read",
        "prepared",
        "rows/quads.hpp",
        "if (STEPPE_UNLIKELY(linked)) continue;",
        "if (STEPPE_UNLIKELY(linked)) return count;",
    ),
    Mutation(
        "pull: ends at the first edge that improves",
        "prepared",
        "search/pull.hpp",
        "if (du + w < best) best = du + w, from = u;",
        "if (du + w < best) {\n    best = du + w, from = u;\n    break;\n}",
    ),
    Mutation(
        "packed: the caliber is the heaviest edge's",
        "packed",
        "rows/packed.hpp",
        "to(v)->weight()",
        "to(v)[g.offsets[v + 1] - g.offsets[v] - 1].weight()",
    ),
    Mutation(
        "by weight: edges of equal keys stay as they come",
        "packed",
        "rows/by_weight.hpp",
        "if (i - first > 1) sort_list(first, i);",
        ";",
    ),
    Mutation(
        "by weight: all edges of a block are its first row's",
        "packed",
        "rows/by_weight.hpp",
        "row_[at] = static_cast<uint16_t>(v - begin);",
        "row_[at] = 0;",
    ),
    Mutation(
        "by weight: edges that share an even key stay as they come",
        "packed",
        "rows/by_weight.hpp",
        "insert(to(v), to(v) + g.degree(static_cast<int32_t>(v)));",
        ";",
    ),
    Mutation(
        "frontier: a vertex is queued once and never again",
        "levels",
        "search/frontier.hpp",
        "queued[queue[i]] = 0;",
        ";",
    ),
    Mutation(
        "bfs: from below, the last in-edge does not count",
        "levels",
        "search/bfs_wide.hpp",
        "left += !hit & (o.e < o.last);",
        "left += !hit & (o.e + 1 < o.last);",
    ),
    Mutation(
        "bfs: from below, where few succeed, the last in-edge does not count",
        "levels",
        "search/bfs_wide.hpp",
        "if (e == o.last) continue;",
        "if (e + 1 >= o.last) continue;",
    ),
    Mutation(
        "bfs: in a wide level, the last mark in a word is the only one",
        "levels",
        "search/bfs_wide.hpp",
        "insert(marked, v);",
        "marked[static_cast<uint64_t>(v) >> 6] = uint64_t{1} << (v & 63);",
    ),
    Mutation(
        "bfs: where few are unseen, words that have been seen in part are closed",
        "levels",
        "search/bfs_wide.hpp",
        "if (~seen_[w] & mask(w)) insert(open_.data(), w);",
        "if (!seen_[w]) insert(open_.data(), w);",
    ),
    Mutation(
        "bfs: ends when all but one are reached",
        "levels",
        "search/bfs.hpp",
        "if ((reached_ += size) == g_.n) break;",
        "if ((reached_ += size) >= g_.n - 1) break;",
    ),
    Mutation(
        "bfs, narrow levels with branches: the first tail found stays",
        "levels",
        "search/bfs_narrow.hpp",
        "if (mine >= old) continue;",
        "if (old != Cells::kNone) continue;",
    ),
    Mutation(
        "bfs, narrow levels without: the first tail found stays",
        "levels",
        "search/bfs_narrow.hpp",
        "std::min(old, mine)",
        "old != Cells::kNone ? old : mine",
    ),
    Mutation(
        "bfs: the end of narrow levels forgets what they have seen",
        "levels",
        "search/bfs_wide.hpp",
        "seen_[w] = word(w);",
        "seen_[w] = 0;",
    ),
    Mutation(
        "many: every row is the first source's",
        "levels",
        "search/many.hpp",
        "q_.sources.subspan(static_cast<size_t>(i), 1)",
        "q_.sources.subspan(0, 1)",
    ),
    Mutation(
        "bellman-ford: a vertex is queued once and never again",
        "any_sign",
        "search/bellman_ford.hpp",
        "nodes_[u].queued = false;",
        ";",
    ),
    Mutation(
        "bellman-ford: a cycle is told backwards",
        "any_sign",
        "search/bellman_ford.hpp",
        "std::reverse(cycle.begin(), cycle.end());",
        ";",
    ),
    Mutation(
        "bellman-ford in blocks: the first block is told of all work",
        "any_sign",
        "external/bellman_ford.hpp",
        "work_[static_cast<uint64_t>(v) >> shift_] = 1;",
        "work_[0] = 1;",
    ),
    Mutation(
        "sweep: a block forgets what waits beyond the threshold",
        "blocks",
        "external/sweep.hpp",
        "if (rest != kInfinity<D>) lower(least_[block], rest);",
        ";",
    ),
    Mutation(
        "bins: a block forgets what waits beyond the threshold",
        "blocks",
        "external/bins.hpp",
        "least_[block] = rest;",
        "least_[block] = kInfinity<D>;",
    ),
    Mutation(
        "bins: a block forgets what waits, when more falls",
        "blocks",
        "external/bins.hpp",
        "worker.rest = std::min(rest, least_[block]);",
        "worker.rest = rest;",
    ),
    Mutation(
        "bins: the last candidate of a chunk is skipped",
        "blocks",
        "external/candidates.hpp",
        "f(static_cast<const Entry*>(last_->entries), end);",
        "f(static_cast<const Entry*>(last_->entries), end - 1);",
    ),
    Mutation(
        "bins: what has no chunk left is forgotten",
        "blocks",
        "external/bins.hpp",
        "for (; i < size; ++i) rest = std::min(rest, tentative_.load(list[i]));",
        ";",
    ),
    Mutation(
        "bins: only the first thread's are applied",
        "blocks",
        "external/bins.hpp",
        "for (auto& other : workers_) other->bins[1 - now_][block].take(worker.chunks, all);",
        "for (auto& other : workers_) other->bins[1 - now_][block].take("
        "worker.chunks, [&](auto* b, auto* e) { if (other == workers_[0]) all(b, e); });",
    ),
    Mutation("bins: a pull is not pushed on", "blocks", "external/bins.hpp", "mark(v, tentative_.load(v));", ";"),
    Mutation(
        "sweep: an edge between two pieces is skipped",
        "blocks",
        "external/sweep.hpp",
        "e += piece",
        "e += piece + 1",
    ),
    Mutation(
        "from both ends: stops where the two searches meet",
        "route",
        "route/bidirectional.hpp",
        "if (hopeless(reach_[0] + reach_[1])) break;",
        "break;",
    ),
    Mutation("landmarks: the bound is too large", "route", "route/landmarks.hpp", "most - slack", "most + slack"),
    Mutation(
        "ties: equally many edges, the larger tail",
        "tree",
        "tree/ties.hpp",
        "if (more < 0 || (more == 0 && u < pred[v])) pred[v] = u;",
        "if (more <= 0) pred[v] = u;",
    ),
    Mutation(
        "tree by search: the first tail found stays",
        "tree",
        "tree/by_search.hpp",
        "node.hop == hop + 1 && u < node.pred",
        "node.hop == hop",
    ),
    Mutation(
        "tree by levels: the first tail found stays",
        "tree",
        "tree/by_levels.hpp",
        "fingerprints[u] != wanted || d[u] != want || !(best < 0 || u < best)",
        "fingerprints[u] != wanted || d[u] != want || best >= 0",
    ),
    Mutation(
        "verify: equally far is as good as nearer",
        "proof",
        "proof/verify.hpp",
        "if (d_[e->u] < d_[e->v]) STORE(&marks_[e->v], kHung);",
        "if (d_[e->u] <= d_[e->v]) STORE(&marks_[e->v], kHung);",
    ),
    Mutation(
        "verify: an edge of a short row may improve its target",
        "proof",
        "tree/tight.hpp",
        "(s < b) | (integral & (b == kInfinity<D>))",
        "integral & (b == kInfinity<D>)",
    ),
    Mutation(
        "prove: the last row is not looked at",
        "proof",
        "rows/prove.hpp",
        "std::min(n, (p + 1) * kGrain)",
        "std::min(n - 1, (p + 1) * kGrain)",
    ),
    Mutation(
        "prove: a target may be the number of vertices",
        "proof",
        "rows/prove.hpp",
        "high >= static_cast<U>(n)",
        "high > static_cast<U>(n)",
    ),
]

"""Packed: a graph's rows laid out for many searches, by the core (``cpp/rows/packed.hpp``, ``quads.hpp``).

Edges are sorted by weight and packed with their targets, in both directions. Where nearly all vertices have at most four edges, as on roads,
each gets a record of four instead, and no in-edges are needed. The layout stays with the rows that searches read (``Graph._native``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .account import search_seconds
from .preparation import Estimate, Made, Preparation, Unsuited
from .reverse import in_edges

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.facts import Facts

CACHED = 500_000
"""Edges below which a graph stays in the caches while it is searched."""

REASON = "weights must not be negative, and vertices and edges must fit in 32 bits"


def suits(facts: Facts) -> str:
    """Return why such a graph cannot be packed, or nothing."""
    return "" if facts.can_prepare else REASON


def searches(facts: Facts) -> float:
    """Return what it costs, in searches that read every edge once.

    Measured by ``benchmarks/prepare.py`` on one thread, 2 M edges and more: records of four (grid, New York) 0.2 to 0.4. Sorted rows,
    undirected: int32 kron 0.8 to 1.3, urand 0.5, small-world 0.8; float32 kron 2.7; 64 bits 2.6 to 2.9, 1.0, 0.9. Directed, where in-edges are
    built, too: er 1.5 to 3.9, web 1.6 to 2.0; 64 bits 1.9 to 3.4, 1.9 to 2.9.
    In the caches a plain search is so quick that it is 1.4 to 2.2; floats 1.6 to 4.8; directed 3.1 to 4.9; 64 bits 4.9 to 7.4.
    The sum of k searches is then at most twice that of the better of never preparing and preparing at once, whatever k.
    """
    if facts.roadlike:
        return 0.5
    builds = not facts.has("reverse")
    long = facts.weight == 8 or not facts.is_integer  # to sort: many weights, or wide ones
    if facts.edges < CACHED:
        if builds:
            return 6.0 if long else 4.5
        return 3.5 if long else 2.2
    if builds:
        return 2.8 if long else 2.0
    return 2.4 if long else 1.0


def estimate(facts: Facts) -> Estimate:
    """Return what it costs. Where there are few edges a vertex, records of four are expected: whether they suit only a look at the rows tells."""
    n, m = facts.vertices, facts.edges
    edge = 8 if facts.weight <= 4 else 16  # a wide weight and a target, rounded up to whole words
    sides = 2 if facts.directed else 1
    spare = 4 * edge if facts.degree >= 8 else 0  # places that fill up cache lines, of a vertex
    lightest = 4 if facts.weight <= 4 else 8
    ones = 4 * m if facts.weight == 0 else 0
    packed = sides * (m * edge + n * (4 + lightest + spare)) + ones + in_edges(facts)
    kept = (n + n // 8) * 4 * edge if facts.roadlike else packed
    return Estimate(searches(facts) * search_seconds(m, n, packed=False), kept, beside=max(0, packed - kept))


def make(graph: Graph, limit: float, threads: int) -> Made:
    """Lay the rows out."""
    del limit
    if not graph.can_prepare:
        raise Unsuited(REASON)
    core = graph._native
    alone = not graph.directed or core.suits_quads  # the in-edges are not wanted, or no others
    core.prepare(None if alone else graph.reverse._native, threads)
    return Made(core, core.prepared_bytes, detail={"form": core.form})


def drop(graph: Graph) -> None:
    """Let go of the rows as the core has them, of those of the reverse, which share them, and of what reads them."""
    other = graph._reverse_if_known()
    for side in (graph, other):
        if side is not None:
            side.prepared.slot("packed").made = None
            side.derived.core = side.derived.router = None


PACKED = Preparation(
    name="packed",
    serves=("sssp", "nearest", "search", "distances", "all_pairs"),
    methods={"delta-stepping": "earned"},
    suits=suits,
    estimate=estimate,
    make=make,
    drop=drop,
)

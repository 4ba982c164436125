"""Contraction: a graph like roads, its vertices taken out one after the other (``cpp/matrix/contraction.hpp``), for rows of a matrix."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _core
from .preparation import Estimate, Made, Preparation, Unsuited

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.facts import Facts

VERTEX, LOOK = 1e-6, 2e-9
"""Seconds of contracting for each vertex of a road network, and of a look at an arc."""

SWEPT, ANCESTORS = 2.5e-9, 60
"""Seconds of a row for each place of a sweep, written out; places above each of some hundred targets."""

ARCS = 5
"""Arcs of a vertex on roads."""

REASON = "distances must be integers that fit in 62 bits, and vertices must fit in 32"


def suits(facts: Facts) -> str:
    """Return why such a graph is not contracted, or nothing: floats would be added in another order."""
    if not facts.is_integer or facts.has_negative or facts.vertex != 4:
        return REASON
    return "" if facts.roadlike and not facts.is_mapped else "it has too many edges a vertex, or they lie in a file"


def estimate(facts: Facts) -> Estimate:
    """Return what it costs on roads; elsewhere it may be far more."""
    n, arcs = facts.vertices, ARCS * (4 + 2 * (4 if facts.weight <= 4 else 8))
    return Estimate(n * VERTEX, n * (12 + arcs), beside=n * (40 + arcs))


def row_seconds(facts: Facts, columns: int) -> float:
    """Return the estimated seconds of a row by sweeping."""
    return min(facts.vertices, columns * ANCESTORS) * SWEPT * (1 if facts.weight <= 4 else 2)


def make(graph: Graph, limit: float, threads: int) -> Made | None:
    """Contract the graph."""
    del threads
    if graph.has_negative:
        raise Unsuited(REASON)
    made = _core.contract(graph._native, 2**62 if math.isinf(limit) else int(limit / LOOK))
    if made is None and math.isinf(limit):
        raise Unsuited(REASON)
    return None if made is None else Made(made, made.bytes, detail={"arcs": made.arcs})


CONTRACTION = Preparation(
    name="contraction",
    serves=("distances", "all_pairs"),
    methods={"contraction": "needed", "delta-stepping": "instead"},
    suits=suits,
    estimate=estimate,
    make=make,
    limited=True,
)

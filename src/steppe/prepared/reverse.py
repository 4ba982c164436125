"""Reverse: the graph with every edge turned round. It is a graph of its own, which its origin holds, and which knows its origin weakly.

Which edges it has depends on the shape alone. So graphs of one shape share the rows of their reverse: the second is made of the first one's
rows and the positions of its edges, in the order of which weights are copied.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .preparation import Estimate, Made, Preparation, Unsuited

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.facts import Facts

EDGE, CACHED = 12e-9, 1 << 18
"""Seconds of turning an edge round, on one thread; edges up to which that needs no copy of them (``cpp/rows/build.hpp``)."""


def suits(facts: Facts) -> str:
    """Return why a graph needs none, or nothing."""
    return "" if facts.directed else "an undirected graph is its own reverse"


def in_edges(facts: Facts) -> int:
    """Return the bytes of the reverse graph, where it is still to be made."""
    if facts.has("reverse"):
        return 0
    return facts.edges * (facts.vertex + facts.weight) + 8 * (facts.vertices + 1)


def estimate(facts: Facts) -> Estimate:
    """Return what it costs."""
    entry = 2 * facts.vertex + max(4, facts.weight)
    return Estimate(facts.edges * EDGE, in_edges(facts), beside=facts.edges * entry if facts.edges > CACHED else 0)


def make(graph: Graph, limit: float, threads: int) -> Made:
    """Turn the edges round."""
    del limit
    if not graph.directed:
        raise Unsuited("an undirected graph is its own reverse")
    shape, weights = graph._shape, None
    turned = shape.turned()
    if turned is not None:
        indptr, indices = turned.rows
        if graph.weights is not None:
            weights = graph.weights[turned.positions_in(graph.indptr, graph.indices, threads)]
        kept = 0 if weights is None else weights.nbytes
    else:
        indptr, indices = np.empty_like(graph.indptr), np.empty_like(graph.indices)
        weights = None if graph.weights is None else np.empty_like(graph.weights)
        _core.reverse_rows(graph._native, indptr, indices, weights, threads)
        turned = shape.turn(indptr, indices)
        kept = sum(x.nbytes for x in (indptr, indices, weights) if x is not None)
    origin = None if graph._origin is None else graph._origin.turned(graph)
    names: dict[str, Any] = {"labels": graph._labels, "facts": graph._facts, "coordinates": graph._coordinates}
    other = type(graph)._make(indptr, indices, weights, directed=True, origin=origin, shape=turned, **names)
    other.derived.reverse_of = weakref.ref(graph)
    return Made(other, kept)


def drop(graph: Graph) -> None:
    """Let go of what reads the reverse."""
    graph.derived.router = None


REVERSE = Preparation(
    name="reverse",
    serves=("sssp", "bfs", "nearest", "search", "distances", "all_pairs"),
    methods={"bfs": "used", "batched": "needed"},
    suits=suits,
    estimate=estimate,
    make=make,
    drop=drop,
)

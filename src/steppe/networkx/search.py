"""Search: what the backend's functions ask of steppe, from places 0…n-1 to arrays. Matrices are asked for in one place, :func:`rows`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from .. import _core
from ..calls.distances import distances
from ..calls.engines import solve
from ..errors import NegativeCycleError
from ..planning.distance_types import unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph
    from ..paths import Paths

Array = npt.NDArray[Any]

BLOCK = 1 << 26
"""Bytes of a block of rows: enough for every thread to have many searches, and little beside a graph that takes them."""


def paths(graph: Graph, sources: list[int], cutoff: Any = None, target: int | None = None) -> Paths:
    """Return the shortest paths from the nearest of some vertices. Weights must not be negative: that is NetworkX's Dijkstra."""
    if graph.has_negative:
        raise NotImplementedError(
            "a weight is negative: what Dijkstra's method then finds, or that it gives up, is NetworkX's own; use bellman_ford_path and its like"
        )
    graph, cutoff = _within(graph, cutoff)
    return solve(
        graph,
        "nearest",
        np.unique(np.array(sources, dtype=np.int64)),
        cutoff=cutoff,
        targets=None if target is None else [target],
    )


def _within(graph: Graph, cutoff: Any) -> tuple[Graph, Any]:
    """Return what to search: below a cutoff of 0 NetworkX follows no edge, and still knows the source."""
    if cutoff is None or cutoff >= 0:
        return graph, cutoff
    weights = None if graph.weights is None else graph.weights[:0]
    return type(graph).from_csr(np.zeros_like(graph.indptr), graph.indices[:0], weights), None


def any_sign(graph: Graph, source: int) -> Paths:
    """Return the shortest paths from a vertex, whatever the weights; NetworkX's error where there is a negative cycle."""
    try:
        return solve(graph, "nearest", np.array([source]))
    except NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None


def rows(graph: Graph, cutoff: Any = None, sources: Array | None = None) -> Iterator[tuple[int, Array]]:
    """Yield the distances from all vertices, or from some, in blocks: (the first row's number, rows)."""
    graph, cutoff = _within(graph, cutoff)
    every = np.arange(graph.num_vertices, dtype=np.int64) if sources is None else sources
    step = max(1, BLOCK // (8 * max(1, graph.num_vertices)))
    for begin in range(0, len(every), step):
        try:
            yield begin, distances(graph, every[begin : begin + step], cutoff=cutoff)
        except NegativeCycleError:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from None


def is_reached(found: Array) -> Array:
    """Return which distances are some."""
    there: Array = found != unreachable(found.dtype)
    return there


def breadth_first(graph: Graph, source: int) -> tuple[Array, Array]:
    """Return the vertices in NetworkX's breadth-first order, and the vertex each was met from (-1: none)."""
    kind = graph.indices.dtype
    order, met_from = np.empty(graph.num_vertices, dtype=kind), np.empty(graph.num_vertices, dtype=kind)
    count = _core.search_order(graph.core, source, False, order, met_from)
    return order[:count], met_from


def hops(graph: Graph, source: int) -> Array:
    """Return how many edges away from a vertex each vertex is."""
    return solve(graph, "bfs", np.array([source])).distances

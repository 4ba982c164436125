"""The searches of the backend's functions, from indices 0…n-1 to arrays. All matrices come from :func:`rows`."""

from __future__ import annotations

import functools
import itertools
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import networkx as nx
import numpy as np
import numpy.typing as npt

from .. import _core
from ..calls.distances import distances
from ..calls.engines import solve
from ..calls.route import route
from ..errors import DistanceOverflowError, NegativeCycleError
from ..planning.call import Call
from ..planning.distance_types import unreachable
from ..planning.options import Options
from .graph import largest_sum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..calls.route import Route
    from ..graph.graph import Graph
    from ..paths import Paths

P = ParamSpec("P")
T = TypeVar("T")

Array = npt.NDArray[Any]

BLOCK = 1 << 26
"""Bytes of a block of rows: enough for every thread to have many searches, and little beside a graph that takes them."""


@contextmanager
def declining() -> Iterator[None]:
    """Decline where a distance does not fit in 64 bits: NetworkX has integers of any size."""
    try:
        yield
    except DistanceOverflowError as error:
        raise NotImplementedError(f"{error}; NetworkX has integers of any size") from error


def may_overflow(graph: Graph) -> bool:
    """Return whether some path may be longer than 64 bits hold, which a search finds out on the way."""
    return graph.weights is not None and graph.is_integer and largest_sum(graph) >= 2**63 - 1


def each(graph: Graph, steps: Iterable[T]) -> Iterator[T]:
    """Yield steps of a search as they are consumed; all are computed first where one may be declined, since later it could not be."""
    return iter(list(steps) if may_overflow(graph) else steps)


def lazily(function: Callable[P, Iterator[T]]) -> Callable[P, Iterator[T]]:
    """Make a generator take its first step when it is called: NetworkX can still do what is declined there; other errors come with the first item."""

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> Iterator[T]:
        steps = function(*args, **options)
        taken: list[T] = []
        raised: list[Exception] = []
        try:
            taken.extend(itertools.islice(steps, 1))
        except NotImplementedError:
            raise
        except Exception as error:
            raised.append(error)
        return _resumed(taken, raised, steps)

    return call


def _resumed(taken: list[T], raised: list[Exception], steps: Iterator[T]) -> Iterator[T]:
    for error in raised:
        raise error
    yield from taken
    yield from steps


def refuse_negative(graph: Graph) -> Graph:
    """Return the graph, or decline it: what NetworkX's Dijkstra does with negative weights is its own."""
    if graph.has_negative:
        raise NotImplementedError(
            "a weight is negative: what Dijkstra's method then finds, or that it gives up, is NetworkX's own; use bellman_ford_path and its like"
        )
    return graph


def paths(graph: Graph, sources: Iterable[int], cutoff: Any = None, target: int | None = None) -> Paths:
    """Return the shortest paths from the nearest of some vertices. Weights must not be negative: that is NetworkX's Dijkstra."""
    graph, cutoff = _within(refuse_negative(graph), cutoff)
    with declining():
        return solve(
            graph,
            Call.SEARCH,
            np.unique(np.array(list(sources), dtype=np.int64)),
            Options(cutoff=cutoff, targets=None if target is None else [target]),
        )


def between(graph: Graph, source: int, target: int) -> Route:
    """Return the shortest path between two vertices, where weights are not negative."""
    with declining():
        return route(refuse_negative(graph), source, target)


def _within(graph: Graph, cutoff: Any) -> tuple[Graph, Any]:
    """Return what to search, and how far: below a cutoff of 0 NetworkX follows no edge, and still knows the source; NaN is none."""
    if cutoff is None:
        return graph, None
    if not isinstance(cutoff, int | float | np.integer | np.floating):
        raise NotImplementedError(f"a cutoff is a number here, not {cutoff!r}")
    if cutoff < 0:
        weights = None if graph.weights is None else graph.weights[:0]
        return type(graph).from_csr(np.zeros_like(graph.indptr), graph.indices[:0], weights), None
    if not cutoff < largest_sum(graph):  # also NaN
        return graph, None
    if graph.weights is None or graph.is_integer:
        return graph, math.floor(cutoff)
    near = float(cutoff)
    return graph, near if near <= cutoff else math.nextafter(near, 0)


def any_sign(graph: Graph, source: int) -> Paths:
    """Return the shortest paths from a vertex, whatever the weights; NetworkX's error where there is a negative cycle."""
    try:
        with declining():
            return solve(graph, Call.SEARCH, np.array([source]))
    except NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None


def rows(graph: Graph, cutoff: Any = None, sources: Array | None = None) -> Iterator[tuple[int, Array]]:
    """Yield the distances from all vertices, or from some, in blocks: (the first row's number, rows)."""
    return each(graph, _blocks(graph, cutoff, sources))


def _blocks(graph: Graph, cutoff: Any, sources: Array | None) -> Iterator[tuple[int, Array]]:
    graph, cutoff = _within(graph, cutoff)
    every = np.arange(graph.num_vertices, dtype=np.int64) if sources is None else sources
    step = max(1, BLOCK // (8 * max(1, graph.num_vertices)))
    for begin in range(0, len(every), step):
        try:
            with declining():
                block = distances(graph, every[begin : begin + step], cutoff=cutoff)
        except NegativeCycleError:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from None
        yield begin, block


def is_reached(found: Array) -> Array:
    """Return which distances are some."""
    there: Array = found != unreachable(found.dtype)
    return there


def breadth_first(graph: Graph, source: int) -> tuple[Array, Array]:
    """Return the vertices in NetworkX's breadth-first order, and the vertex each was met from (-1: none)."""
    kind = graph.indices.dtype
    order, met_from = np.empty(graph.num_vertices, dtype=kind), np.empty(graph.num_vertices, dtype=kind)
    count = _core.search_order(graph._native, source, False, order, met_from)
    return order[:count], met_from


def hops(graph: Graph, source: int) -> Array:
    """Return how many edges away from a vertex each vertex is."""
    return solve(graph, Call.BFS, np.array([source])).distances

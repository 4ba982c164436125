"""One path between two vertices, by bidirectional Dijkstra (``cpp/route/bidirectional.hpp``).

A query touches only the vertices it settles: it costs microseconds between neighbours, however large the graph. What
outlives a query (the reverse graph, workspaces of a few bytes per vertex) is kept with the graph; the first call pays
for it. Calls from several Python threads run side by side.

On a road network, queries that go on coming get landmarks (``landmarks.py``), and then settle a tenth of the vertices.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..cpu import landmarks
from ..errors import DistanceOverflowError, NegativeWeightError, VerificationError
from ..paths import UNREACHABLE
from .sssp import negative_edge

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..graph.graph import Graph

_FOUND, _NO_PATH, _TOO_LONG = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Route:
    """A shortest path from one vertex to another, or the fact that there is none. True where there is one.

    Attributes
    ----------
    source, target : object
        As asked, in labels.
    distance : int or float
        The path's length; ``steppe.UNREACHABLE`` (integers) or ``inf`` (floats) where there is no path.
    vertices : ndarray
        The labels along the path, source and target included; empty where there is no path.
    edges : ndarray of int64
        The positions of its edges in ``graph.indices``: one less than vertices. Of parallel edges, the lightest.
    reachable : bool
        Whether there is a path.
    settled : int
        Vertices whose edges were read.
    """

    source: Hashable
    target: Hashable
    distance: int | float
    vertices: npt.NDArray[Any] = field(repr=False)
    edges: npt.NDArray[np.int64] = field(repr=False)
    reachable: bool
    settled: int = field(repr=False)
    _graph: Graph = field(repr=False)

    def __bool__(self) -> bool:
        return self.reachable

    def verify(self) -> None:
        """Check that the path exists in the graph, leads from source to target and adds up to the distance.

        The weights are added from the source on, in the type of the distance, and must give the distance exactly. That
        no path is shorter, or that there is none, takes a search to prove: ``steppe.sssp(graph, source).verify()``.

        Raises
        ------
        VerificationError
            With the first vertex at which the path is wrong.
        """
        graph = self._graph
        path = graph.indices_of(self.vertices)
        if not self.reachable:
            if len(path) or len(self.edges) or self.distance != _unreachable(graph):
                raise VerificationError("an unreachable target has no path and no distance", self.target)
            return
        if len(path) == 0 or len(self.edges) != len(path) - 1:
            raise VerificationError(f"{len(self.edges)} edges do not join {len(path)} vertices", self.source)
        for at, label in ((0, self.source), (-1, self.target)):
            if path[at] != graph.index(label):
                raise VerificationError(f"the path does not {'end' if at else 'start'} at {label!r}", label)
        inside = (graph.indptr[path[:-1]] <= self.edges) & (self.edges < graph.indptr[path[:-1] + 1])
        inside[inside] &= graph.indices[self.edges[inside]] == path[1:][inside]
        if not inside.all():
            i = int(np.argmin(inside))
            message = f"edge {self.edges[i]} does not lead from {self.vertices[i]!r} to {self.vertices[i + 1]!r}"
            raise VerificationError(message, graph.label(path[i]))
        if graph.weights is None:
            total: Any = len(self.edges)
        elif graph.is_integer:
            total = sum(graph.weights[self.edges].tolist())
        else:
            # cumsum adds one by one; sum() would add pairwise, which rounds otherwise.
            steps = np.cumsum(graph.weights[self.edges], dtype=graph.weights.dtype)
            total = float(steps[-1]) if len(steps) else 0.0
        if total != self.distance:
            raise VerificationError(f"the path's length is {total}, not {self.distance}", self.target)


def route(graph: Graph, source: Hashable, target: Hashable) -> Route:
    """Return a shortest path from ``source`` to ``target``.

    The distance is exact, and for floats bit for bit what :func:`steppe.sssp` finds. Of several shortest paths, any one
    is returned.

    Parameters
    ----------
    graph : Graph
        Without negative weights.
    source, target : label
        Two vertices.

    Returns
    -------
    Route
        With ``reachable`` False where there is no path.

    Raises
    ------
    NegativeWeightError
        If a weight is negative: ``sssp(graph, source, method="bellman-ford")`` takes those.
    DistanceOverflowError
        If the shortest path is longer than a 64-bit integer can say.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
    >>> r = sp.route(g, "a", "c")
    >>> r.distance, r.vertices.tolist(), r.edges.tolist()
    (8, ['a', 'b', 'c'], [0, 2])
    >>> bool(sp.route(g, "c", "a"))
    False
    """
    s, t = graph.index(source), graph.index(target)
    router = _router(graph)
    status, distance, vertices, edges, settled = router.query(s, t)
    if router.takes_landmarks:
        _pay(graph, settled)
    if status == _TOO_LONG:
        raise DistanceOverflowError(f"the distance from {source!r} to {target!r} does not fit in a 64-bit integer")
    return Route(
        source=source,
        target=target,
        distance=distance,
        vertices=graph.labels_of(vertices),
        edges=edges,
        reachable=status == _FOUND,
        settled=settled,
        _graph=graph,
    )


def _router(graph: Graph) -> _core.Router:
    """Return the graph's native Router, made on first use and kept with the graph."""
    rows = graph.kept()  # which the Router reads as long as it lives
    router: _core.Router | None = graph._cache.get("router")  # the lock is only needed to make one
    if router is None:
        with graph._lock:
            router = graph._cache.get("router")
            if router is None:
                if graph.has_negative:
                    edge = negative_edge(graph)
                    raise NegativeWeightError(
                        f"route needs non-negative weights, but edge {edge[0]!r} → {edge[1]!r} weighs {edge[2]}; "
                        'use sssp(graph, source, method="bellman-ford")',
                        edge,
                    )
                r = rows if rows.is_symmetric else rows.reverse
                facts = [max(0.0, float(x)) for x in (graph.min_weight, graph.mean_weight, graph.max_weight)]
                router = _core.router(rows.indptr, rows.indices, rows.weights, r.indptr, r.indices, r.weights, *facts)
                graph._cache["router"] = router
    return router


def prepare(graph: Graph) -> None:
    """Give the graph landmarks, if it is like a road and has none: what ``Graph.prepare(routes=True)`` does."""
    router = _router(graph)
    with graph._lock:
        if not router.takes_landmarks or graph._cache.get("landmarks"):
            return
        graph._cache["landmarks"] = True  # other threads' queries go on without
    try:
        marks = landmarks.choose(graph)
    except BaseException:
        graph._cache["landmarks"] = False
        raise
    if marks is not None:
        router.use_landmarks(marks.rows.ravel(), graph.num_vertices, marks.quantum, marks.slack, marks.one_sided)


def _pay(graph: Graph, settled: int) -> None:
    """Count what queries cost, in vertices settled; when it is twice what landmarks cost, have them made."""
    with graph._lock:
        spent = graph._cache.get("spent_on_routes", 0) + settled
        searches = landmarks.COUNT if graph.is_symmetric else 2 * landmarks.COUNT
        enough = spent >= 2 * searches * graph.num_vertices
        graph._cache["spent_on_routes"] = -math.inf if enough else spent  # that is, never again
    if enough:
        with contextlib.suppress(MemoryError):  # the query that paid has its answer, and goes without
            prepare(graph)


def _unreachable(graph: Graph) -> int | float:
    return UNREACHABLE if graph.is_integer else float("inf")

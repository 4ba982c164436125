"""route(): one path between two vertices. Ask, plan, run, wrap."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .._core import Outcome
from ..cpu import routes
from ..cpu.along import path_edges, total
from ..errors import DistanceOverflowError, VerificationError
from ..graph.tabular import Tabular
from ..planning.call import Call
from ..planning.distance_types import distance_dtype, unreachable
from ..planning.explain import Explanation
from ..planning.facts import Machine, facts_of
from ..planning.options import Options
from ..planning.plan import plan_for
from ..planning.progress import teller
from ..planning.question import check_graph
from ..planning.request import Request
from ..prepared.preparation import ABSENT, MADE
from .plan import device_for
from .sssp import sssp

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from ..graph.graph import Graph
    from ..planning.progress import Progress


@dataclass(frozen=True, eq=False)
class Route(Tabular):
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
        The positions of its edges in ``graph.indices``: one less than vertices. Of parallel edges, the lightest. What the caller
        knows them by is in :attr:`edge_ids`.
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
    _explanation: Explanation | tuple[bool, float] = field(repr=False)  # or what it is made of: by landmarks, seconds

    def __bool__(self) -> bool:
        return self.reachable

    @property
    def edge_ids(self) -> npt.NDArray[np.int64]:
        """The rows of the table, or positions in the arrays, that the path's edges were given in."""
        return self._graph._edge_ids_at(self.edges)

    def along(self, column: str | npt.ArrayLike) -> int | float:
        """Return what an attribute of the edges adds up to along the path, as :meth:`Paths.along` does; 0 where there is no path.

        >>> import steppe as sp
        >>> r = sp.route(sp.Graph.from_edges([1, 0], [2, 1], [3, 5]), 0, 2)
        >>> r.edge_ids.tolist(), r.along([300, 500])
        ([1, 0], 800)
        """
        values, ids = self._graph._attribute_along(column)
        return total(values[self.edges if ids is None else ids[self.edges]])

    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of :meth:`to_frame`, a row for each edge: source, target, weight, and edge (its id) where that is known."""
        graph = self._graph
        weights = np.ones(len(self.edges), dtype=np.int32) if graph.weights is None else graph.weights[self.edges]
        columns = {"source": self.vertices[:-1], "target": self.vertices[1:], "weight": weights}
        return columns if graph._origin is None else columns | {"edge": self.edge_ids}

    def _library(self) -> str | None:
        return self._graph._library

    def explain(self) -> Explanation:
        """Return how the path was found: method and why, vertices settled (as rounds), seconds."""
        if isinstance(self._explanation, Explanation):
            return self._explanation
        landmarks, seconds = self._explanation
        facts = facts_of(self._graph)
        facts = replace(facts, prepared={**facts.prepared, "landmarks": MADE if landmarks else ABSENT})
        return Explanation.of(plan_for(facts, Request(call=Call.ROUTE), Machine()), {"rounds": self.settled}, seconds)

    def verify(self) -> Self:
        """Check that the path exists in the graph, leads from source to target and adds up to the distance; return it.

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
            if len(path) or len(self.edges) or self.distance != unreachable(distance_dtype(graph)):
                raise VerificationError("an unreachable target has no path and no distance", self.target)
            return self
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
        return self


def route(
    graph: Graph,
    source: Hashable,
    target: Hashable,
    *,
    device: str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Route:
    """Return a shortest path from ``source`` to ``target``.

    The distance is exact, and for floats bit for bit what :func:`steppe.sssp` finds. Of several shortest paths, any one
    is returned.

    Parameters
    ----------
    graph : Graph
        Without negative weights.
    source, target : label
        Two vertices.
    device : str, optional
        Default: the CPU, where such a search touches few vertices; a device that is named searches from the source until the target is settled.
    progress : bool or callable, optional
        As in :func:`steppe.sssp`; most queries are too quick to be told of.

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
    check_graph(graph)
    s, t = graph.index(source), graph.index(target)
    if device is not None and device_for(graph, Call.ROUTE, Options(device=device))[0] is not None:
        return _on_device(graph, source, target, device, progress)
    # A query takes microseconds: its plan, which depends on the landmarks alone, is made when somebody asks for the explanation.
    begun = time.perf_counter()
    router = routes.router_of(graph)
    landmarks = graph.prepared.get("landmarks")
    outcome, distance, vertices, edges, settled = router.query(s, t, None if landmarks is None else landmarks.value)
    if landmarks is None and router.takes_landmarks:
        routes.count(graph, settled)
    if progress is not None and (tell := teller(progress, graph.num_vertices, "vertices")) is not None:
        tell(settled)
    if outcome == Outcome.too_long:
        raise DistanceOverflowError(f"the distance from {source!r} to {target!r} does not fit in a 64-bit integer")
    return Route(
        source=source,
        target=target,
        distance=distance,
        vertices=graph.labels_of(vertices),
        edges=edges,
        reachable=outcome == Outcome.found,
        settled=settled,
        _graph=graph,
        _explanation=(landmarks is not None, time.perf_counter() - begun),
    )


def _on_device(graph: Graph, source: Any, target: Any, device: str | None, progress: Any) -> Route:
    """Search from the source until the target is settled, and take its path out of the tree."""
    paths = sssp(graph, source, device=device, targets=[target], progress=progress)
    reachable = bool(paths.reachable[graph.index(target)])
    vertices = paths.path(target) if reachable else paths.graph.labels_of(np.empty(0, dtype=np.int64))
    return Route(
        source=source,
        target=target,
        distance=paths.distance(target),
        vertices=vertices,
        edges=path_edges(graph, graph.indices_of(vertices)),
        reachable=reachable,
        settled=int(paths.reachable.sum()),
        _graph=graph,
        _explanation=paths.explain(),
    )

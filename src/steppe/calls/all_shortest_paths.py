"""all_shortest_paths(): every shortest path between two vertices, and how many there are.

An edge u → v is tight if the distance of u and its weight give exactly the distance of v. A path is a shortest one if all its edges are
tight, so the tight edges that lead to the target hold all of them: usually few, while the paths may be more than anybody can list. They are
kept as rows of in-edges, from which paths are listed one by one, last vertex first, and counted without listing any.

Edges of weight 0, and floats so small that they vanish in a sum, may be tight along a cycle: ``simple_paths.py`` has what is then done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import VerificationError
from ..planning.distance_types import unreachable
from .simple_paths import count, simple_paths
from .sssp import sssp

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ..graph.graph import Graph
    from ..paths import Paths
    from ..planning.explain import Explanation

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """All shortest paths from one vertex to another: what :func:`all_shortest_paths` returns. Iterate over it for the paths.

    Attributes
    ----------
    source, target : object
        As asked, in labels.
    distance : int or float
        The length of each path; ``steppe.UNREACHABLE`` or ``inf`` where there is none.
    """

    source: Hashable
    target: Hashable
    distance: int | float
    _graph: Graph = field(repr=False)
    _before: dict[int, list[int]] = field(repr=False)  # of each vertex on a path, the vertices before it
    _paths: Paths = field(repr=False)

    def __iter__(self) -> Iterator[Array]:
        """Yield the labels along each path, source and target included."""
        for path in self.indices():
            yield self._graph.labels_of(np.array(path, dtype=np.int64))

    def __bool__(self) -> bool:
        return bool(self._before)

    def indices(self) -> Iterator[list[int]]:
        """Yield each path as vertices 0…n-1."""
        if not self._before:
            return
        yield from simple_paths(self._before, self._graph.index(self.source), self._graph.index(self.target))

    @cached_property
    def count(self) -> int:
        """How many paths there are, exactly, however many.

        Where edges of length 0 make cycles, the paths through these are listed; :class:`steppe.SteppeError` is raised where they are too many.

        Examples
        --------
        >>> import steppe as sp
        >>> sp.all_shortest_paths(sp.generate.grid(40, 40, weights=None), 0, 1599).count
        27217014869199032015600
        """
        if not self._before:
            return 0
        return count(self._before, self._graph.index(self.source), self._graph.index(self.target))

    def explain(self) -> Explanation:
        """Return how the distances were found, as :meth:`Paths.explain` does."""
        return self._paths.explain()

    def verify(self, *, threads: int | None = None) -> Self:
        """Prove the distances, and that the paths consist of all edges that are tight; return it, or raise :class:`~steppe.VerificationError`."""
        self._paths.verify(threads=threads)
        right = _edges_of(self._paths, self._graph.index(self.source), self._graph.index(self.target))
        if right != self._before or self.distance != self._paths.distance(self.target):
            raise VerificationError(f"the paths to {self.target!r} are not all of the shortest ones", self.target)
        return self


def all_shortest_paths(
    graph: Graph, source: Hashable, target: Hashable, *, method: str = "auto", threads: int | None = None
) -> ShortestPaths:
    """Find all shortest paths from ``source`` to ``target``.

    Paths are told apart by their vertices, and visit none twice. A path is a shortest one if it is a shortest one up to each of its vertices:
    the distance of a vertex and the weight of the edge that follows give exactly the distance of the next vertex. With integers these are all
    paths of the least length. Floats round: a path that is longer than another up to some vertex is not among them, even if a later sum is too
    coarse to show the difference (:func:`steppe.k_shortest_paths` then tells the same length for both). NetworkX has the same rule.

    Parameters
    ----------
    graph : Graph
        The graph; negative weights are taken, as in :func:`steppe.sssp`.
    source, target : label
        Two vertices.
    method, threads
        As in :func:`steppe.sssp`.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 0, 1, 2, 0], [1, 2, 3, 3, 3], [1, 2, 2, 1, 3])
    >>> paths = sp.all_shortest_paths(g, 0, 3)
    >>> paths.distance, paths.count, [path.tolist() for path in paths]
    (3, 3, [[0, 3], [0, 1, 3], [0, 2, 3]])
    """
    s, t = graph.index(source), graph.index(target)
    stop = None if graph.has_negative else [target]
    paths = sssp(graph, source, method=method, targets=stop, threads=threads, device="cpu")
    return ShortestPaths(source, target, paths.distance(target), graph, _edges_of(paths, s, t), paths)


def _edges_of(paths: Paths, source: int, target: int) -> dict[int, list[int]]:
    return on_the_way(paths.graph, paths.distances, source, target) if paths.reachable[target] else {}


def on_the_way(graph: Graph, distances: Array, source: int, target: int) -> dict[int, list[int]]:
    """Return for each vertex on a shortest path to ``target`` the vertices before it, in rising order; a source has none."""
    if source == target:
        return {source: []}
    indptr, indices = tight_rows(graph, distances, np.array([source]))
    n = graph.num_vertices
    rows = _core.Rows(indptr, indices, None)
    order, met_from = np.empty(n, dtype=indices.dtype), np.empty(n, dtype=indices.dtype)
    count = _core.search_order(rows, target, False, order, met_from)
    return {v: indices[indptr[v] : indptr[v + 1]].tolist() for v in order[:count].tolist()}


def tight_rows(
    graph: Graph, distances: Array, sources: Array, *, circles: bool = False
) -> tuple[npt.NDArray[np.int64], Array]:
    """Return rows of the tight edges turned round: before each vertex the vertices, once each and rising, its distance comes from.

    ``circles``: also the edges of length 0 from a vertex to itself, or back to a source.
    """
    n = graph.num_vertices
    u = np.repeat(np.arange(n, dtype=graph.indices.dtype), graph.degrees)
    v = graph.indices
    length: Any = 1 if graph.weights is None else graph.weights
    with np.errstate(over="ignore", invalid="ignore"):
        tight = distances[u] + length == distances[v]
    # inf + w is inf, and the integer that means unreachable wraps: neither is a distance.
    none = unreachable(distances.dtype)
    tight &= (distances[u] != none) & (distances[v] != none)
    if not circles:
        tight &= (u != v) & ~np.isin(v, sources[distances[sources] == 0])
    if graph.weights is not None and graph.weights.dtype.kind == "f":
        tight &= graph.weights != np.inf
    pairs = np.unique(v[tight].astype(np.int64) * n + u[tight])
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(pairs // n, minlength=n), out=indptr[1:])
    return indptr, (pairs % n).astype(graph.indices.dtype)

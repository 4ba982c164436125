"""nearest(): the distance of every vertex from the nearest of several sources, and which source that is.

One search starts from all sources at once. The winner of a vertex is the root of its canonical path, found for all vertices together by
following predecessors, twice as far each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import NoPathError
from ..machine import threads as _threads
from ..paths import Paths
from ..plan.explain import Explanation
from ..plan.question import Search
from .sssp import _decide, run
from .verify import distance_dtype, inclusive

if TYPE_CHECKING:
    from ..graph.graph import Graph

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Nearest:
    """What :func:`nearest` returns. Arrays have one entry per vertex, and are read-only.

    Attributes
    ----------
    graph : Graph
        The graph searched.
    distances : ndarray
        The distance from the nearest source; ``inf`` or :data:`steppe.UNREACHABLE` where there is none.
    winners : ndarray of int64
        The vertex 0…n-1 that is the nearest source, -1 where there is none.
    paths : Paths
        The paths from the nearest sources.
    """

    graph: Graph
    distances: Array
    winners: npt.NDArray[np.int64]
    paths: Paths

    def distance(self, vertex: Any) -> int | float:
        """Return the distance of one vertex from its nearest source."""
        return self.paths.distance(vertex)

    def source(self, vertex: Any) -> Any:
        """Return the label of the source nearest to this vertex; :class:`~steppe.NoPathError` where there is none."""
        winner = int(self.winners[self.graph.index(vertex)])
        if winner < 0:
            raise NoPathError(f"no source reaches {vertex!r}")
        return self.graph.label(winner)


def nearest(graph: Graph, sources: Any, *, cutoff: float | None = None, threads: int | None = None) -> Nearest:
    """Find for every vertex the nearest of ``sources``.

    Where two are equally near, the one whose path has fewer edges wins, then the one that comes through the smaller vertex.

    Parameters
    ----------
    graph : Graph
        The graph; distances run from the sources to the vertices.
    sources : list of labels
        At least one.
    cutoff : number, optional
        Vertices further than this from every source count as unreached.
    threads : int, optional
        Default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [1, 5, 2, 1], directed=False)
    >>> r = sp.nearest(g, [0, 4])
    >>> r.distances.tolist(), r.winners.tolist()
    ([0, 1, 3, 1, 0], [0, 0, 4, 4, 4])
    """
    starts = np.unique(graph.indices_of(sources))
    if len(starts) == 0:
        raise ValueError("sources is empty: there is no nearest of none")
    if cutoff is not None and not cutoff >= 0:
        raise ValueError(f"cutoff must be a number and not negative: {cutoff!r}")
    choice = _decide(graph, "auto", cutoff, on_device=False)
    bound = None if cutoff is None else inclusive(cutoff, distance_dtype(graph))
    answer = run(graph, Search(starts, bound=bound, threads=_threads.resolve(threads)), choice.method)
    # With negative weights one source may be nearer to another than that is to itself: then it is no root, but hangs like any vertex.
    starts = starts[answer.distances[starts] == 0]
    note = answer.explained.pop("note", "")
    reason = f"{choice.reason}; {note}" if note else choice.reason
    explanation = Explanation(method=choice.method, reason=reason, **answer.explained)
    paths = Paths._make(graph, starts, answer.distances, bound=bound, explanation=explanation)
    winners = _roots(paths.predecessors)
    winners[~paths.reachable] = -1
    winners.flags.writeable = False
    return Nearest(graph, paths.distances, winners, paths)


def _roots(predecessors: Array) -> npt.NDArray[np.int64]:
    """Return where each vertex's chain of predecessors begins."""
    roots = np.where(predecessors < 0, np.arange(len(predecessors)), predecessors).astype(np.int64)
    while True:
        further = roots[roots]
        if np.array_equal(further, roots):
            return roots
        roots = further

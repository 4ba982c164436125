"""nearest(): the distance of every vertex from the nearest of several sources, and which source that is.

One search starts from all sources at once. The winner of a vertex is the root of its canonical path, found for all vertices together by
following predecessors, twice as far each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt

from ..errors import NoPathError, VerificationError
from ..files.partitioned import PartitionedGraph
from ..graph.plotting import plot_winners
from ..graph.tabular import Tabular
from ..machine.threads import resolve
from ..planning.call import Call
from ..planning.options import Options
from . import nearest_sources
from .engines import refuse_engine, solve
from .partitioned import solve_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..cluster.engine import Ray
    from ..graph.graph import Graph
    from ..paths import Paths
    from ..planning.explain import Explanation
    from ..planning.progress import Progress
    from .nearest_sources import NearestSources

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Nearest(Tabular):
    """What :func:`nearest` returns. Arrays have one entry per vertex, and are read-only.

    Attributes
    ----------
    graph : Graph
        The graph searched.
    distances : ndarray
        The distance from the nearest source; ``inf`` or :data:`steppe.UNREACHABLE` where there is none.
    winners : ndarray of int64
        The index 0…n-1 of the nearest source, -1 where there is none; :attr:`winner_labels` has its label.
    paths : Paths
        The paths from the nearest sources.
    """

    graph: Graph
    distances: Array
    winners: npt.NDArray[np.int64]
    paths: Paths

    @property
    def winner_labels(self) -> Array:
        """The label of each vertex's nearest source, None where there is none."""
        return self.graph._labels_or_none(self.winners)

    def _columns(self) -> dict[str, Array]:
        """Return the columns of :meth:`to_frame`: vertex, distance, source (the nearest); of the vertices that were reached."""
        reached = np.flatnonzero(self.winners >= 0)
        sources = self.graph.labels_of(self.winners[reached])
        return {"vertex": self.graph.labels_of(reached), "distance": self.distances[reached], "source": sources}

    def _library(self) -> str | None:
        return self.graph._library

    def distance(self, vertex: Any) -> int | float:
        """Return the distance of one vertex from its nearest source."""
        return self.paths.distance(vertex)

    def source(self, vertex: Any) -> Any:
        """Return the label of the source nearest to this vertex; :class:`~steppe.NoPathError` where there is none."""
        winner = int(self.winners[self.graph.index(vertex)])
        if winner < 0:
            raise NoPathError(f"no source reaches {vertex!r}")
        return self.graph.label(winner)

    def verify(self, *, threads: int | None = None) -> Self:
        """Prove distances and winners; return it, or raise :class:`~steppe.VerificationError`.

        The distances are proven as those of any search, from all sources at once; a winner, by following the proven tree to its root.
        """
        self.paths.verify(threads=threads)
        roots = _roots(self.paths.predecessors)
        roots[~self.paths.reachable] = -1
        wrong = np.flatnonzero(roots != self.winners)
        if len(wrong):
            label = self.graph.label(int(wrong[0]))
            raise VerificationError(f"the source nearest to vertex {label!r} is not the one its path begins at", label)
        return self

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the graph with every edge in the colour of the source that is nearest to it, grey between two; return matplotlib's axes.

        There are eight colours: the sources, stars, take turns.
        """
        return plot_winners(self.graph, self.winners, ax)

    def explain(self) -> Explanation:
        """Return how the answer was found, as :meth:`Paths.explain` does."""
        return self.paths.explain()


@overload
def nearest(
    graph: Graph | PartitionedGraph,
    sources: Any,
    *,
    offsets: None = None,
    k: Literal[1] = 1,
    method: str = "auto",
    device: str | None = None,
    delta: float | None = None,
    cutoff: float | None = None,
    reverse: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: str | Ray | None = None,
) -> Nearest: ...
@overload
def nearest(
    graph: Graph | PartitionedGraph,
    sources: Any,
    *,
    offsets: Any = None,
    k: int = 1,
    cutoff: float | None = None,
    reverse: bool = False,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: str | Ray | None = None,
) -> NearestSources: ...
def nearest(
    graph: Graph | PartitionedGraph,
    sources: Any,
    *,
    offsets: Any = None,
    k: int = 1,
    method: str = "auto",
    device: str | None = None,
    delta: float | None = None,
    cutoff: float | None = None,
    reverse: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: str | Ray | None = None,
) -> Nearest | NearestSources:
    """Find for every vertex the nearest of ``sources``.

    Where two are equally near, the one whose path has fewer edges wins, then the one that comes through the smaller vertex.

    Parameters
    ----------
    graph : Graph
        The graph; distances run from the sources to the vertices.
    sources : list of labels
        At least one.
    offsets : list of numbers, optional
        A head start for each source, not negative: its distances begin there and not at 0.
    k : int
        How many sources are found for every vertex. With ``offsets``, or more than one, the answer is a :class:`NearestSources`, found on the CPU
        by one thread; where two sources are equally near, the one given first wins. A source is looked for behind a vertex only if it is among
        the ``k`` nearest of that vertex. This loses nothing with integers. Floats round: a source that is further away than ``k`` others on the
        way does not win behind that, even if the sums are then too coarse to show the difference.
    reverse : bool
        Distances lead from the vertices to the sources, against the edges.
    cutoff : number, optional
        Vertices further than this from every source count as unreached.
    method, device, delta, threads, memory_limit, progress, engine
        As in :func:`steppe.sssp`. Of a graph in parts, distances and winners are fetched into this process's memory.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [1, 5, 2, 1], directed=False)
    >>> r = sp.nearest(g, [0, 4])
    >>> r.distances.tolist(), r.winners.tolist()
    ([0, 1, 3, 1, 0], [0, 0, 4, 4, 4])
    >>> sp.nearest(g, [0, 4], offsets=[0, 5]).winners[:, 0].tolist()
    [0, 0, 0, 4, 4]
    >>> sp.nearest(g, [0, 4], k=2).distances.tolist()
    [[0, 9], [1, 8], [3, 6], [1, 8], [0, 9]]
    """
    options = Options.of(locals())
    if isinstance(graph, PartitionedGraph):
        found = solve_parts(graph, Call.NEAREST, _some(sources), options, offsets=offsets, k=None if k == 1 else k)
        return _answer(found)
    refuse_engine(engine)
    given = graph.indices_of(sources)
    _some(given)
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if offsets is not None or k > 1:
        if method != "auto" or device not in (None, "cpu") or delta is not None or memory_limit is not None:
            raise ValueError(
                "offsets= and k= have one method, on the CPU: method=, device=, delta= and memory_limit= do not apply"
            )
        resolve(threads)
        return nearest_sources.find(graph.reverse if reverse else graph, given, offsets, k, options)
    return _answer(solve(graph, Call.NEAREST, np.unique(given), options))


def _some(sources: Any) -> Any:
    if len(sources) == 0:
        raise ValueError("sources is empty: there is no nearest of none")
    return sources


def _answer(paths: Paths) -> Nearest:
    winners = _roots(paths.predecessors)
    winners[~paths.reachable] = -1
    winners.flags.writeable = False
    return Nearest(paths.graph, paths.distances, winners, paths)


def _roots(predecessors: Array) -> npt.NDArray[np.int64]:
    """Return where each vertex's chain of predecessors begins."""
    roots = np.where(predecessors < 0, np.arange(len(predecessors)), predecessors).astype(np.int64)
    while True:
        further = roots[roots]
        if np.array_equal(further, roots):
            return roots
        roots = further

"""nearest(): the distance of every vertex from the nearest of several sources, or the k nearest, and which sources these are.

One search starts from all sources at once. The nearest source of a vertex is the root of its canonical path, found for all vertices together by
following predecessors, twice as far each time. Several sources for a vertex, and distances that do not begin at 0, are found by a search of
their own: ``k_nearest.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ..deprecated import Renamed
from ..errors import NoPathError, VerificationError
from ..files.partitioned import PartitionedGraph
from ..graph.arrays import read_only
from ..graph.plotting import plot_nearest
from ..graph.tabular import Tabular
from ..machine.threads import resolve
from ..planning.call import Call
from ..planning.options import Options
from . import k_nearest
from .engines import refuse_engine, solve
from .partitioned import solve_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..cluster.engine import Ray
    from ..graph.graph import Graph
    from ..paths import Paths
    from ..planning.explain import Explanation
    from ..planning.progress import Progress
    from .k_nearest import Found

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Nearest(Tabular):
    """What :func:`nearest` returns. Arrays have one entry per vertex; with ``k > 1`` a row of ``k``, nearest first. They are read-only.

    Attributes
    ----------
    graph : Graph
        The graph searched.
    distances : ndarray
        The distance from the nearest source; ``inf`` or :data:`steppe.UNREACHABLE` where there is none.
    source_index : ndarray of int64
        The index 0…n-1 of the nearest source, -1 where there is none; :attr:`sources` has its label.
    paths : Paths
        The paths from the nearest sources; there are none with ``k > 1`` or ``offsets``.
    """

    graph: Graph
    distances: Array
    source_index: npt.NDArray[np.int64]
    _paths: Paths | None = field(repr=False)
    _found: Found | None = field(default=None, repr=False)

    winners = Renamed("source_index")
    winner_labels = Renamed("sources")

    @property
    def paths(self) -> Paths:
        """The paths from the nearest sources; there are none with ``k > 1`` or ``offsets``."""
        if self._paths is None:
            raise AttributeError(
                "nearest() finds no paths with k > 1 or offsets: steppe.route(graph, source, vertex) finds one"
            )
        return self._paths

    @property
    def sources(self) -> Array:
        """The label of each vertex's nearest source, None where there is none."""
        return self.graph._labels_or_none(self.source_index.reshape(-1)).reshape(self.source_index.shape)

    def _columns(self) -> dict[str, Array]:
        """Return the columns of :meth:`to_frame`: vertex, distance, source; a row for each source that reaches a vertex."""
        reached = np.nonzero(self.source_index >= 0)
        sources = self.graph.labels_of(self.source_index[reached])
        return {"vertex": self.graph.labels_of(reached[0]), "distance": self.distances[reached], "source": sources}

    def distance(self, vertex: Any) -> int | float:
        """Return the distance of one vertex from its nearest source."""
        nearest: int | float = self.distances[self.graph.index(vertex)].flat[0].item()
        return nearest

    def source(self, vertex: Any) -> Any:
        """Return the label of the source nearest to this vertex; :class:`~steppe.NoPathError` where there is none."""
        source = int(self.source_index[self.graph.index(vertex)].flat[0])
        if source < 0:
            raise NoPathError(f"no source reaches {vertex!r}")
        return self.graph.label(source)

    def verify(self, *, threads: int | None = None) -> Self:
        """Prove distances and sources; return it, or raise :class:`~steppe.VerificationError`.

        The distances are proven as those of any search, from all sources at once; a source, by following the proven tree to its root. With
        ``k > 1`` or ``offsets``, every edge is looked at once for each entry: it must improve no entry of its target, and each entry must be reached.
        """
        if self._found is not None:
            k_nearest.check(self.graph, self._found, self.distances, self.source_index, threads)
            return self
        self.paths.verify(threads=threads)
        wrong = np.flatnonzero(_roots(self.paths) != self.source_index)
        if len(wrong):
            label = self.graph.label(int(wrong[0]))
            raise VerificationError(f"the source nearest to vertex {label!r} is not the one its path begins at", label)
        return self

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the graph with every edge in the colour of the source that is nearest to it, grey between two; return matplotlib's axes.

        There are eight colours: the sources, stars, take turns.
        """
        nearest = self.source_index if self.source_index.ndim == 1 else self.source_index[:, 0]
        return plot_nearest(self.graph, nearest, ax)

    def explain(self) -> Explanation:
        """Return how the answer was found, as :meth:`Paths.explain` does."""
        return self.paths.explain() if self._found is None else self._found.explanation


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
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: str | Ray | None = None,
) -> Nearest:
    """Find for every vertex the nearest of ``sources``, or the ``k`` nearest.

    Where two are equally near, the one whose path has fewer edges wins, then the one that comes through the smaller vertex.

    Parameters
    ----------
    graph : Graph
        The graph; distances run from the sources to the vertices.
    sources : list of labels
        At least one.
    offsets : list of numbers, optional
        The initial distance of each source, not negative: its distances begin there and not at 0.
    k : int
        How many sources are found for every vertex. With ``offsets``, or more than one, the search runs on the CPU
        by one thread; where two sources are equally near, the one given first wins. A source is looked for behind a vertex only if it is among
        the ``k`` nearest of that vertex. This loses nothing with integers. Floats round: a source that is further away than ``k`` others on the
        way does not win behind that, even if the sums are then too coarse to show the difference.
    reverse : bool
        Distances lead from the vertices to the sources, against the edges.
    cutoff : number, optional
        Vertices further than this from every source count as unreached.
    method, device, delta, threads, memory_limit, progress, engine
        As in :func:`steppe.sssp`. Of a graph in parts, distances and sources are fetched into this process's memory.

    Returns
    -------
    Nearest
        One entry per vertex; with ``k > 1`` a row of ``k`` for each, nearest first.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [1, 5, 2, 1], directed=False)
    >>> r = sp.nearest(g, [0, 4])
    >>> r.distances.tolist(), r.sources.tolist()
    ([0, 1, 3, 1, 0], [0, 0, 4, 4, 4])
    >>> sp.nearest(g, [0, 4], offsets=[0, 5]).sources.tolist()
    [0, 0, 0, 4, 4]
    >>> two = sp.nearest(g, [0, 4], k=2).verify()
    >>> two.distances.tolist(), two.sources[1].tolist()
    ([[0, 9], [1, 8], [3, 6], [1, 8], [0, 9]], [0, 4])
    """
    options = Options.of(locals())
    if isinstance(graph, PartitionedGraph):
        refused = {"offsets": offsets, "k": None if k == 1 else k}
        return _answer(solve_parts(graph, Call.NEAREST, _some(sources), options, **refused))
    refuse_engine(engine)
    starts = _some(graph.indices_of(sources))
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if offsets is None and k == 1:
        return _answer(solve(graph, Call.NEAREST, np.unique(starts), options))
    if method != "auto" or device not in (None, "cpu") or delta is not None or memory_limit is not None:
        raise ValueError(
            "offsets= and k= have one method, on the CPU: method=, device=, delta= and memory_limit= do not apply"
        )
    resolve(threads)
    graph = graph.reverse if reverse else graph
    distances, source_index, found = k_nearest.find(graph, starts, offsets, k, options)
    if k == 1:
        distances, source_index = distances[:, 0], source_index[:, 0]
    return Nearest(graph, read_only(distances), read_only(source_index), None, found)


def _some(sources: Any) -> Any:
    if len(sources) == 0:
        raise ValueError("sources is empty: there is no nearest of none")
    return sources


def _answer(paths: Paths) -> Nearest:
    return Nearest(paths.graph, paths.distances, read_only(_roots(paths)), paths)


def _roots(paths: Paths) -> npt.NDArray[np.int64]:
    """Return where each vertex's chain of predecessors begins, -1 for vertices that are not reached."""
    predecessors = paths.predecessors
    roots = np.where(predecessors < 0, np.arange(len(predecessors)), predecessors).astype(np.int64)
    while not np.array_equal(further := roots[roots], roots):
        roots = further
    roots[~paths.reachable] = -1
    return roots

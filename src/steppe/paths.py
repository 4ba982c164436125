"""Paths: the answer of a search from one source (or several): distances, and on demand the tree of shortest paths.

The search gives distances. Predecessors are built from them on demand, by a pass over the tight edges
(``cpp/tree``), so that the tree is the same for every method, thread count and device, and costs
nothing where it is not used. ``record_paths=True`` gives the tree that the search recorded instead.
"""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .cpu import along, tree
from .cpu.proof import check
from .cpu.tree import PathList
from .errors import DeviceMemoryError, GraphError, NoPathError
from .graph.arrays import read_only
from .graph.dlpack import lent
from .graph.plotting import Plotting
from .graph.tabular import Tabular
from .machine import locks
from .machine import threads as _threads
from .planning.distance_types import UNREACHABLE, distance_dtype, unreachable

if TYPE_CHECKING:
    from .gpu import Device
    from .graph.graph import Graph
    from .planning.explain import Explanation
    from .planning.question import Answer, Question

Array = npt.NDArray[Any]


@locks.opened_in_child
class Paths(Tabular, Plotting):
    """The shortest paths from a source to every vertex: what :func:`steppe.sssp` and :func:`steppe.bfs` return.

    Arrays have one entry per vertex; entry ``i`` belongs to ``graph.labels[i]`` (to vertex ``i`` where there are no
    labels). They are read-only.

    Attributes
    ----------
    graph : Graph
        The graph searched.
    bound : int, float or None
        The inclusive cutoff: vertices further away count as unreached.
    hops : bool
        Whether distances count edges instead of adding up weights.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3], num_vertices=4)
    >>> r = sp.sssp(g, 0)
    >>> r.distances.tolist()[:3], r.predecessors.tolist()
    ([0, 5, 8], [-1, 0, 1, -1])
    >>> r.path(2).tolist(), r.predecessor(2), r.verify() is r
    ([0, 1, 2], 1, True)
    """

    graph: Graph
    bound: int | float | None
    hops: bool
    _sources: npt.NDArray[np.int64]
    _remote: Any
    _predecessors: Array | None
    _is_recorded: bool
    _canonical: Array | None
    _explanation: Explanation
    _threads: int | None
    _device: Device | None
    _lock: locks.Lock

    def __init__(self) -> None:
        raise TypeError("Paths are made by steppe.sssp, steppe.bfs and their like")

    @classmethod
    def _make(
        cls,
        graph: Graph,
        sources: npt.NDArray[np.int64],
        distances: Array,
        *,
        recorded: Array | None = None,
        bound: int | float | None = None,
        hops: bool = False,
        explanation: Explanation,
    ) -> Self:
        """Wrap the arrays of a finished search.

        Parameters
        ----------
        sources : ndarray of int64
            Vertices 0…n-1, at least one.
        distances : ndarray
            The final array, of the dtype :func:`steppe.calls.verify.distance_dtype` tells.
        recorded : ndarray, optional
            Predecessors recorded by the search, of the dtype of ``graph.indices``; default: canonical ones, on demand.
        bound : number, optional
            Everything further than this (inclusive) was left unreached.
        hops : bool
            Every edge counts 1, whatever its weight.
        """
        self = cls.__new__(cls)
        self.graph = graph
        self.bound, self.hops = bound, hops
        self._sources = np.ascontiguousarray(sources, dtype=np.int64)
        self._remote = None if isinstance(distances, np.ndarray) else distances
        if self._remote is None:
            self._base = distances
        self._predecessors = None if recorded is None else read_only(recorded)
        self._is_recorded = recorded is not None
        self._canonical = None
        self._explanation = explanation
        self._threads = None
        self._device = None
        self._lock = locks.make()
        return self

    @classmethod
    def _answered(
        cls,
        graph: Graph,
        question: Question,
        answer: Answer,
        explanation: Explanation,
        *,
        hops: bool = False,
        threads: int | None = None,
        device: Device | None = None,
    ) -> Self:
        """Wrap what an engine gave back; the tree is built with no more than ``threads``, or on ``device`` if the search was there."""
        made = cls._make(
            graph,
            question.sources,
            answer.distances,
            recorded=answer.predecessors,
            bound=question.bound,
            hops=hops,
            explanation=explanation,
        )
        made._threads, made._device, made._canonical = threads, device, answer.canonical
        return made

    @cached_property
    def _base(self) -> Array:
        """The distances on the host: there already, or copied from the device on demand."""
        return np.asarray(self._remote)

    # Sources and distances ------------------------------------------------------------------------------------------

    @property
    def source(self) -> Any:
        """The label of the source; of the first, where there are several."""
        return self.graph.label(int(self._sources[0]))

    @property
    def sources(self) -> Array:
        """The labels of all sources."""
        return self.graph.labels_of(self._sources)

    @cached_property
    def distances(self) -> Array:
        """The distance of every vertex; :attr:`unreachable` where there is no path."""
        return read_only(self._base)

    @property
    def unreachable(self) -> int | float:
        """What ``distances`` holds for an unreached vertex: ``inf``, or the largest value of the integer type."""
        return unreachable(self._base.dtype)

    @cached_property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """Whether each vertex was reached."""
        return read_only(self._base != self.unreachable)

    def distance(self, vertex: Any) -> int | float:
        """Return the distance of one vertex; ``inf`` or :data:`steppe.UNREACHABLE` where there is no path."""
        i = self.graph.index(vertex)
        value: int | float = self._base[i].item()
        return UNREACHABLE if isinstance(value, int) and value == self.unreachable else value

    def to_dict(self) -> dict[Any, int | float]:
        """Return ``{label: distance}`` of the reached vertices, as Python numbers."""
        reached = np.flatnonzero(self.reachable)
        return dict(zip(self.graph.labels_of(reached).tolist(), self._base[reached].tolist(), strict=True))

    def _columns(self) -> dict[str, Array]:
        """Return the columns of :meth:`to_frame`: vertex, distance, predecessor; of the vertices that were reached."""
        reached = np.flatnonzero(self.reachable)
        before = self.graph._labels_or_none(self.predecessors[reached])
        return {"vertex": self.graph.labels_of(reached), "distance": self._base[reached], "predecessor": before}

    # The tree -------------------------------------------------------------------------------------------------------

    @property
    def predecessors(self) -> Array:
        """The index 0…n-1 of the vertex before each vertex on its path, -1 for sources and unreached vertices.

        Canonical unless the search recorded its own (``record_paths=True``): of the shortest paths with the fewest
        edges, the one whose last edge comes from the smallest vertex.
        """
        with self._lock:
            if self._predecessors is None:
                canonical = self._make_canonical() if self._canonical is None else self._canonical
                self._predecessors = read_only(canonical)
            return self._predecessors

    @property
    def predecessor_labels(self) -> Array:
        """The label of the vertex before each vertex on its path, None for sources and unreached vertices: :attr:`predecessors` in words."""
        return self.graph._labels_or_none(self.predecessors)

    def predecessor(self, vertex: Any) -> Any:
        """Return the label of the vertex before this one on its path; None for a source or an unreached vertex."""
        before = int(self.predecessors[self.graph.index(vertex)])
        return None if before < 0 else self.graph.label(before)

    def _make_canonical(self) -> Array:
        """Build the tree where the distances were found: on the device that still has the graph's rows, else on the CPU."""
        if self._device is not None and self._explanation.engine == "device":
            from .gpu.loops import predecessors
            from .gpu.rows import resident

            if resident(self._device, self.graph):
                with contextlib.suppress(DeviceMemoryError):
                    return predecessors.run(self._device, self.graph, self._sources, self._base, hops=self.hops)
        return tree.predecessors(
            self.graph, self._sources, self._base, hops=self.hops, threads=_threads.resolve(self._threads)
        )

    def path(self, vertex: Any) -> Array:
        """Return the labels of the vertices from the source to this one, both included.

        Raises
        ------
        NoPathError
            When the vertex was not reached.
        """
        i = self.graph.index(vertex)
        if self._base[i] == self.unreachable:
            further = "" if self.bound is None else f" of length ≤ {self.bound}"
            raise NoPathError(f"there is no path{further} from {self._origin()} to {vertex!r}")
        return self._paths(np.array([i], dtype=np.int64)).vertices

    def paths_to(self, vertices: Any) -> PathList:
        """Return the paths to several vertices; empty ones where there is none.

        Examples
        --------
        >>> import steppe as sp
        >>> r = sp.sssp(sp.Graph.from_edges([0, 1], [1, 2], [5, 3], num_vertices=4), 0)
        >>> [p.tolist() for p in r.paths_to([2, 3, 0])]
        [[0, 1, 2], [], [0]]
        """
        targets = self.graph.indices_of(vertices)
        return self._paths(np.where(self._base[targets] == self.unreachable, np.int64(-1), targets))

    def _paths(self, targets: npt.NDArray[np.int64]) -> PathList:
        offsets, vertices = tree.paths(self.graph, self.predecessors, targets, threads=_threads.resolve(self._threads))
        return PathList(offsets, self.graph.labels_of(vertices))

    def edge_ids(self, vertex: Any) -> npt.NDArray[np.int64]:
        """Return the edges of the path to this vertex: rows of the table, or positions in the arrays, that the graph was built from.

        Of parallel edges, the lightest; of equally light ones, the first.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.Graph.from_edges(["b", "a", "a"], ["c", "b", "c"], [3, 5, 9], relabel=True)
        >>> sp.sssp(g, "a").edge_ids("c").tolist()
        [1, 0]
        """
        _ = self.graph._known_origin  # before the tree is built for nothing
        return self.graph._edge_ids_at(along.path_edges(self.graph, self.graph.indices_of(self.path(vertex))))

    def along(self, column: str | npt.ArrayLike) -> Array:
        """Return what an attribute of the edges adds up to along the path to every vertex.

        Parameters
        ----------
        column : str or array_like
            An attribute's name (see :meth:`Graph.from_frame`), or a number for each edge that the graph was built from, in that order.

        Returns
        -------
        ndarray
            int64 (exact) or float64, added up from the source on; where there is no path, what distances have there: ``inf`` or
            :data:`steppe.UNREACHABLE`.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.Graph.from_edges([1, 0, 0], [2, 1, 2], [3, 5, 9])
        >>> sp.sssp(g, 0).along([300, 500, 700]).tolist()
        [0, 500, 800]
        """
        return along.sums(
            self.graph, self.predecessors, self.reachable, column, threads=_threads.resolve(self._threads)
        )

    # Proof and report -----------------------------------------------------------------------------------------------

    def verify(self, *, threads: int | None = None) -> Self:
        """Prove the answer in one pass over the edges; return it, or raise :class:`~steppe.VerificationError`.

        Predecessors are proven too where they exist already (recorded, or built before).
        """
        return self._prove(self.graph, threads)

    def _prove(self, graph: Graph, threads: int | None) -> Self:
        check(
            graph,
            self._sources,
            self.distances,
            predecessors=self._predecessors,
            bound=self.bound,
            hops=self.hops,
            threads=threads,
        )
        return self

    def explain(self) -> Explanation:
        """Return how the answer was found: method and why, work done, seconds. It prints as a short table."""
        return self._explanation

    # Python's protocols ---------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.graph.num_vertices

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.distances, dtype=dtype, copy=copy)

    def __dlpack__(
        self, *, max_version: tuple[int, int] | None = None, copy: bool | None = None, **options: Any
    ) -> Any:
        """Lend the distances, read-only; a reader of DLPack before 1.0, which has no word for that, gets a copy."""
        if self._remote is not None:
            return self._remote.__dlpack__(max_version=max_version, copy=copy, **options)
        return lent(self.distances, max_version, copy, options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = (self._base if self._remote is None else self._remote).__dlpack_device__()
        return device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._remote is None:
            raise AttributeError("these distances lie on the host")
        there: dict[str, Any] = self._remote.__cuda_array_interface__
        return there

    def _origin(self) -> str:
        count = len(self._sources)
        return repr(self.source) if count == 1 else f"{self.source!r} and {count - 1} more"

    def __repr__(self) -> str:
        e = self._explanation
        reached = f"{int(self.reachable.sum()):,} of {len(self):,} reached"
        return f"<Paths: from {self._origin()}, {reached}, {e.method} on {e.device}, {e.seconds:.3f} s>"

    def __reduce__(self) -> Any:
        options = {
            "recorded": self._predecessors if self._is_recorded else None,
            "bound": self.bound,
            "hops": self.hops,
            "explanation": self._explanation,
        }
        return _restore, (self.graph, self._sources, self._base, options)


def _restore(graph: Graph, sources: Any, distances: Any, options: dict[str, Any]) -> Paths:
    """Make paths of what a pickle holds, which may be anything: shapes, types and vertices are looked at."""
    n, recorded = graph.num_vertices, options.get("recorded")
    right = np.dtype(np.int32) if options.get("hops") else distance_dtype(graph)
    arrays: list[tuple[Any, np.dtype[Any], int | None]] = [(sources, np.dtype(np.int64), None), (distances, right, n)]
    if recorded is not None:
        arrays.append((recorded, graph.indices.dtype, n))
    for array, dtype, size in arrays:
        if (
            not isinstance(array, np.ndarray)
            or array.dtype != dtype
            or array.ndim != 1
            or len(array) != (size or len(array))
        ):
            raise GraphError("these are no paths of this graph: an array has the wrong type or size")
    if len(sources) == 0 or sources.min() < 0 or sources.max() >= n:
        raise GraphError("these are no paths of this graph: a source is not in it")
    if recorded is not None and n and (recorded.min() < -1 or recorded.max() >= n):
        raise GraphError("these are no paths of this graph: a predecessor is not in it")
    return Paths._make(graph, sources, distances, **options)

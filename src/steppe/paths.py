"""Paths: the answer of a search from one source (or several): distances, and on demand the tree of shortest paths.

The search gives distances. Predecessors are built from them when first asked for, by a pass over the tight edges
(``cpp/tree/by_search.hpp``), so that the tree is the same for every method, thread count and device, and is free where
nobody asks. ``record_paths=True`` gives the tree the search itself recorded instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from . import _core
from .calls.verify import distance_dtype, verify
from .errors import GraphError, NoPathError, VerificationError
from .machine import locks
from .machine import threads as _threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .graph.graph import Graph
    from .plan.explain import Explanation

Array = npt.NDArray[Any]

UNREACHABLE = int(np.iinfo(np.int64).max)
"""The distance of an unreached vertex where distances are integers."""


@dataclass(frozen=True, eq=False)
class PathList:
    """Many paths in two arrays: path ``i`` is ``vertices[offsets[i]:offsets[i + 1]]``, source first, or empty.

    It is a sequence of those arrays too.
    """

    offsets: npt.NDArray[np.int64]
    vertices: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> Array:
        if not -len(self) <= i < len(self):
            raise IndexError(f"path {i} of {len(self)}")
        i %= len(self)
        return self.vertices[self.offsets[i] : self.offsets[i + 1]]

    def __iter__(self) -> Iterator[Array]:
        return (self[i] for i in range(len(self)))


@locks.opened_in_child
class Paths:
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
    >>> r.path(2).tolist(), r.verify() is r
    ([0, 1, 2], True)
    """

    graph: Graph
    bound: int | float | None
    hops: bool
    _sources: npt.NDArray[np.int64]
    _base: Array
    _predecessors: Array | None
    _is_recorded: bool
    _explanation: Explanation
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
        # The base stays writable: DLPack has no read-only arrays that all its readers know.
        self._base = distances
        self._predecessors = None if recorded is None else _read_only(recorded)
        self._is_recorded = recorded is not None
        self._explanation = explanation
        self._lock = locks.make()
        return self

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
        return _read_only(self._base)

    @property
    def unreachable(self) -> int | float:
        """What ``distances`` holds for an unreached vertex: ``inf``, or the largest value of the integer type."""
        dtype = self._base.dtype
        return float("inf") if dtype.kind == "f" else int(np.iinfo(dtype).max)

    @cached_property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """Whether each vertex was reached."""
        return _read_only(self._base != self.unreachable)

    def distance(self, vertex: Any) -> int | float:
        """Return the distance of one vertex; ``inf`` or :data:`steppe.UNREACHABLE` where there is no path."""
        i = self.graph.index(vertex)
        value: int | float = self._base[i].item()
        return UNREACHABLE if isinstance(value, int) and value == self.unreachable else value

    def to_dict(self) -> dict[Any, int | float]:
        """Return ``{label: distance}`` of the reached vertices, as Python numbers."""
        reached = np.flatnonzero(self.reachable)
        return dict(zip(self.graph.labels_of(reached).tolist(), self._base[reached].tolist(), strict=True))

    # The tree -------------------------------------------------------------------------------------------------------

    @property
    def predecessors(self) -> Array:
        """The vertex before each vertex on its path (0…n-1), -1 for sources and unreached vertices.

        Canonical unless the search recorded its own (``record_paths=True``): of the shortest paths with the fewest
        edges, the one whose last edge comes from the smallest vertex.
        """
        with self._lock:
            if self._predecessors is None:
                self._predecessors = _read_only(self._canonical())
            return self._predecessors

    def _canonical(self) -> Array:
        g, team = self.graph, _threads.resolve(None)
        result = np.empty(g.num_vertices, dtype=g.indices.dtype)
        weights = None if self.hops else g.weights
        uniform = weights is None or (weights.dtype.kind == "i" and g.min_weight == g.max_weight > 0)
        least = 1 if weights is None else g.min_weight
        if uniform and (r := g.reverse_if_known()) is not None:
            _core.level_predecessors(r.indptr, r.indices, r.has_sorted_rows, self._base, int(least), result, team)
        else:
            args = (g.indptr, g.indices, weights, self._sources, self._base, uniform, least, result, team)
            _core.canonical_predecessors(*args, *((None, None) if self.hops else g.packed(searching=False)))
        return result

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
        predecessors = self.predecessors
        offsets = np.empty(len(targets) + 1, dtype=np.int64)
        bad = _core.path_offsets(predecessors, targets, offsets)
        if bad >= 0:
            label = self.graph.label(int(targets[bad]))
            raise VerificationError(f"the recorded predecessors of vertex {label!r} lead nowhere", label)
        vertices = np.empty(int(offsets[-1]), dtype=predecessors.dtype)
        _core.fill_paths(predecessors, targets, offsets, vertices, _threads.resolve(None))
        return PathList(offsets, self.graph.labels_of(vertices))

    # Proof and report -----------------------------------------------------------------------------------------------

    def verify(self, *, threads: int | None = None) -> Self:
        """Prove the answer in one pass over the edges; return it, or raise :class:`~steppe.VerificationError`.

        Predecessors are proven too where they exist already (recorded, or asked for before).
        """
        verify(self.graph, self, threads=threads)
        return self

    def explain(self) -> Explanation:
        """Return how the answer was found: method and why, work done, seconds. It prints as a short table."""
        return self._explanation

    # Python's protocols ---------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._base)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.distances, dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._base.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._base.__dlpack_device__()
        return device

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


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view

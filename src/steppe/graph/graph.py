"""Graph: an immutable weighted graph in compressed sparse rows.

``indptr`` (int64, n + 1) and ``indices`` hold the out-edges of every vertex; ``weights`` runs beside ``indices`` or is None. Weights are stored
as int32, int64, float32 or float64 (:func:`steppe.graph.arrays.stored_weights`): one list of types for the core, the kernels and the files.
An undirected graph stores both directions of every edge. Nothing changes after construction, so a graph may be shared by threads; facts that cost a
pass (reverse graph, symmetry) are computed once, when first asked for, under a lock. Rows of files and lent rows are proven when asked for
(:mod:`steppe.graph.proof`). A graph keeps its reverse, not the other way round: no cycles, so memory is free with the last reference.
"""

from __future__ import annotations

import time
import weakref
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from ..machine import locks
from ..machine import threads as _threads
from .advice import advice
from .arrays import Array, foreign, ids, label_array, on_device, owned, read_only, stored_weights
from .build import ends_again, rows_of_edges, stored_rows, weight_facts
from .changes import Changes
from .derived import Cost, Derived
from .edges import Edges
from .exports import Exports
from .from_libraries import Others
from .labels import Labels
from .labels import relabel as _relabel
from .origin import Origin, Turned
from .places import Places
from .proof import Claim, Facts, LentRows, Row, Rows, prove
from .properties import Properties
from .vertices import Vertices

if TYPE_CHECKING:
    from collections.abc import Callable

    from .coordinates import Coordinates
    from .origin import Ends


@locks.opened_in_child
class Graph(Vertices, Edges, Properties, Places, Others, Exports, Changes):
    """An immutable graph. Build one with :meth:`from_edges`, :meth:`from_frame` and their like, or :func:`steppe.read`.

    Attributes
    ----------
    num_vertices, num_edges : int
        ``num_edges`` counts stored arcs: an undirected edge counts twice.
    indptr, indices, weights : ndarray
        The rows. ``weights`` is None for an unweighted graph, where every edge has length 1.
    directed : bool
        False when the graph was built from undirected edges.
    min_weight, max_weight : int or float
        Over the edges that exist (a weight of ``+inf`` means "no edge").
    mean_weight : float
        Likewise.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3])
    >>> g
    <Graph: 3 vertices, 3 edges, directed, weights int32 3…9>
    >>> g.degrees.tolist()
    [2, 1, 0]
    """

    num_edges: int
    indptr: npt.NDArray[np.int64] = Row(0)  # type: ignore[assignment]
    indices: Array = Row(1)  # type: ignore[assignment]
    weights: Array | None = Row(2)  # type: ignore[assignment]
    directed: bool
    min_weight: int | float
    max_weight: int | float
    mean_weight: float
    _rows: Rows  # for types and sizes
    _claim: Claim | None
    _lock: locks.Lock
    derived: Derived

    def __init__(self, *given: Any, **options: Any) -> None:
        """Refuse, and tell what to write."""
        del options
        ways = "from_edges, from_frame, from_csr, from_scipy, from_networkx or steppe.read"
        raise TypeError(f"build a Graph with {advice(given[0]) if given else ways}")

    @classmethod
    def _make(
        cls,
        indptr: npt.NDArray[np.int64],
        indices: Array,
        weights: Array | None,
        *,
        labels: Labels | None,
        directed: bool,
        facts: Facts | None = None,
        claim: Claim | None = None,
        origin: Origin | None = None,
        coordinates: Coordinates | None = None,
    ) -> Self:
        """Wrap checked arrays, or such as ``claim`` proves. ``facts`` (min, max, mean weight) saves a pass when they are known."""
        self = cls.__new__(cls)
        n = len(indptr) - 1
        if labels is not None and len(labels) != n:
            raise GraphError(f"{len(labels)} labels for {n} vertices")
        if facts is None:
            facts = (1, 1, 1.0) if weights is None else weight_facts(weights)
        low, high, mean = facts
        rows = (read_only(indptr), read_only(indices), None if weights is None else read_only(weights))
        if claim is None:
            vars(self).update(zip(("indptr", "indices", "weights"), rows, strict=True))
        # vars(), because __setattr__ refuses every change.
        vars(self).update(
            _rows=rows,
            _claim=claim,
            num_vertices=n,
            num_edges=len(indices),
            directed=directed,
            min_weight=low,
            max_weight=high,
            mean_weight=mean,
            _labels=labels,
            _origin=origin,
            _coordinates=coordinates,
            _lock=locks.make(),
            derived=Derived(),
        )
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Graph is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph is immutable: {name} cannot be deleted")

    # Construction ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        sources: npt.ArrayLike,
        targets: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        num_vertices: int | None = None,
        directed: bool = True,
        relabel: bool = False,
        coordinates: npt.ArrayLike | None = None,
    ) -> Self:
        """Build a graph from arrays of edges, in any order.

        Parameters
        ----------
        sources, targets : array_like
            The ends of each edge: numbers 0…n-1, or any labels with ``relabel=True``.
        weights : array_like, optional
            One number per edge. Integers are kept exactly; ``+inf`` means "no edge"; NaN and ``-inf`` are refused.
        num_vertices : int, optional
            Default: the largest id plus one.
        directed : bool
            False stores both directions of every edge.
        relabel : bool
            True takes the ids that appear, whatever they are, as labels (sorted); every public call then speaks in those labels.
        coordinates : array_like, optional
            See :meth:`with_coordinates`: a row of longitude and latitude for each vertex, in the order of the labels.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.Graph.from_edges(["a", "b"], ["b", "c"], [1.5, 2.0], relabel=True, directed=False)
        >>> sp.sssp(g, "a").distance("c")
        3.5
        """
        take = label_array if relabel else ids
        u, v = take(sources, "sources"), take(targets, "targets")
        w = None if weights is None else stored_weights(weights)
        if len(u) != len(v) or (w is not None and len(w) != len(u)):
            raise GraphError(f"ragged edges: {len(u)} sources, {len(v)} targets, {len(u if w is None else w)} weights")
        labels, given = None, (u, v)
        if relabel:
            if num_vertices is not None:
                raise GraphError("num_vertices cannot be given with relabel=True: the labels decide")
            labels, u, v = _relabel(u, v)
            num_vertices = len(labels)
        if u.dtype != v.dtype:
            u, v = u.astype(np.int64), v.astype(np.int64)
        made = cls._build(u, v, w, num_vertices, directed, labels, lambda: ends_again(*given, relabel))
        return made if coordinates is None else made.with_coordinates(coordinates)

    @classmethod
    def _build(
        cls,
        u: Array,
        v: Array,
        w: Array | None,
        n: int | None,
        directed: bool,
        labels: Labels | None,
        ends: Callable[[], Ends] | None = None,
    ) -> Self:
        """Sort edges (ids of one dtype, int32 or int64; stored weights) into rows; ``ends``: see :class:`~steppe.graph.origin.Origin`."""
        indptr, indices, weights, facts, in_order = rows_of_edges(u, v, w, n, directed)
        origin = Origin(len(u), None if in_order else ends) if in_order or ends else None
        return cls._make(indptr, indices, weights, labels=labels, directed=directed, facts=facts, origin=origin)

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        labels: npt.ArrayLike | None = None,
        directed: bool = True,
        copy: bool = True,
    ) -> Self:
        """Build a graph from rows: the out-edges of u are ``indices[indptr[u]:indptr[u + 1]]``.

        ``directed=False`` says that both directions of every edge are there, with the same weight; it does not add them.

        Arrays that lie on a device (CuPy, PyTorch, JAX: whatever speaks DLPack or ``__cuda_array_interface__``) are copied and proven there, and
        searched there with ``device=``; the host gets them only when it needs them. They are directed.

        ``copy=False`` keeps arrays that have the stored types, and is your promise not to change them. A change then gives wrong answers
        or a GraphError: they are looked at before each search. A change while a search runs is beyond that.

        Examples
        --------
        >>> import steppe as sp
        >>> sp.Graph.from_csr([0, 1, 1], [1], [7]).num_edges
        1
        """
        return cls._from_rows(indptr, indices, weights, labels=labels, directed=directed, copy=copy, lent=not copy)

    @classmethod
    def _from_rows(
        cls, indptr: Any, indices: Any, weights: Any, *, labels: Any = None, directed: bool, copy: bool, lent: bool
    ) -> Self:
        """Prove rows and keep them, or a copy; ``lent``: somebody else has them, too."""
        if on_device(indices):
            named = None if labels is None else Labels(label_array(labels, "labels")).check()
            graph: Self = foreign[0].graph_of(cls, indptr, indices, weights, labels=named, directed=directed)
            return graph
        rows, columns = stored_rows(indptr, indices)
        w = None if weights is None else stored_weights(weights)
        if w is not None and len(w) != len(columns):
            raise GraphError(f"ragged edges: {len(columns)} indices, {len(w)} weights")
        named = None if labels is None else Labels(label_array(labels, "labels")).check()
        if copy:
            rows, columns, w = owned(rows, indptr), owned(columns, indices), None if w is None else owned(w, weights)
        facts = prove((rows, columns, w), directed=directed)
        claim = LentRows((rows, columns, w), facts) if lent else None
        origin = Origin(len(columns))
        return cls._make(rows, columns, w, labels=named, directed=directed, facts=facts, claim=claim, origin=origin)

    @classmethod
    def from_scipy(cls, matrix: Any, *, directed: bool = True, copy: bool = True) -> Self:
        """Build a graph from a SciPy sparse matrix or array: an entry (i, j) is an edge i → j, explicit zeros included.

        Entries that a COO matrix lists twice are added up, as everywhere in SciPy; a CSR matrix is taken as it is, and of entries that stand
        there twice the smaller counts, as in ``scipy.sparse.csgraph``. The matrix is not changed.

        ``directed=False`` adds the opposite of every entry (the smaller of two weights then counts, as in SciPy). ``copy`` is that of
        :meth:`from_csr`; other layouts than CSR are copied anyway.
        """
        from .convert import square_csr

        csr = square_csr(matrix)
        theirs, rows = csr is matrix and directed, (csr.indptr, csr.indices, csr.data)
        graph = cls._from_rows(*rows, directed=True, copy=copy and theirs, lent=theirs and not copy)
        if directed:
            return graph
        sources = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), graph.degrees)
        return cls._build(sources, graph.indices, graph.weights, graph.num_vertices, False, None)

    # What is derived from the rows ----------------------------------------------------------------------------------

    @property
    def _native(self) -> _core.Rows:
        """The rows as the native core knows them, proven where they are a file's or a caller's."""
        rows = self.indptr, self.indices, self.weights  # the offsets first: they have all of them proven
        with self._lock:
            if self.derived.core is None:
                self.derived.core = _core.Rows(*rows, mapped=self.is_mapped)
            return self.derived.core

    @property
    def reverse(self) -> Graph:
        """The graph with every edge turned round; built on first use and kept. An undirected graph is its own reverse."""
        with self._lock:
            reverse = self._reverse_if_known()
            if reverse is None:
                reverse = self.derived.reverse = self._reversed(_threads.resolve(None))
            return reverse

    def _reverse_if_known(self) -> Graph | None:
        """Return the reverse graph if it costs nothing: the graph is undirected, or it was built before."""
        with self._lock:
            return self.derived.known_reverse() if self.directed else self

    def prepare(self, *, routes: bool = False, threads: int | None = None) -> Self:
        """Lay the graph out for many searches; return it. Searches do this by themselves when they have cost as much.

        Edges are sorted by weight and packed with their targets, and in-edges are built; 8 to 10 bytes an edge, twice that where
        the graph is directed. Where nearly all vertices have at most four edges (roads), each gets a record of four, 32
        bytes, instead. It takes as long as a few searches. With ``routes``, roads also get the landmarks that
        :func:`steppe.route` otherwise makes after about a hundred queries: sixteen searches and 32 bytes a vertex, twice that where directed.

        Parameters
        ----------
        routes : bool
            Make landmarks, too.
        threads : int, optional
            Default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.generate.grid(20, 20).prepare()
        >>> sp.sssp(g, 0).verify().distance(0)
        0
        """
        with self._lock:
            if self.can_prepare and not (core := self._native).is_prepared:
                begun = time.perf_counter()
                alone = not self.directed or core.suits_quads  # the in-edges are not wanted, or no others
                team = _threads.resolve(threads)
                if not alone and self._reverse_if_known() is None:
                    self.derived.reverse = self._reversed(team)
                core.prepare(None if alone else self.reverse._native, team)
                self.derived.costs["prepared"] = Cost(time.perf_counter() - begun, core.prepared_bytes)
        if routes:
            from ..cpu.routes import (
                make_landmarks,  # the one call upwards: a graph is prepared for what will be asked of it
            )

            make_landmarks(self)
        return self

    @property
    def can_prepare(self) -> bool:
        """Whether :meth:`prepare` can do anything for searches: not for negative weights, nor beyond 32 bits of vertices and edges."""
        return self._rows[1].dtype == np.int32 and self.num_edges < 2**32 and not self.has_negative

    def _with_own_rows(self) -> Graph:
        """Return a graph whose rows native code may keep beyond a call: this one, or a copy where its rows are only lent."""
        if self._claim is None or self._claim.settled:
            return self
        u, v, w = self._claim.rows(offsets=True)
        if not isinstance(self._claim, LentRows):
            return self
        with self._lock:
            if self.derived.copy is None:
                self.derived.copy = Graph.from_csr(u, v, w, directed=self.directed)
            return self.derived.copy

    def _reversed(self, threads: int) -> Graph:
        indptr, indices = np.empty_like(self.indptr), np.empty_like(self.indices)
        weights = None if self.weights is None else np.empty_like(self.weights)
        _core.reverse_rows(self._native, indptr, indices, weights, threads)
        facts = (self.min_weight, self.max_weight, self.mean_weight)
        origin = None if self._origin is None else Turned(weakref.ref(self), self._origin)
        kept: dict[str, Any] = {"labels": self._labels, "facts": facts, "coordinates": self._coordinates}
        other = Graph._make(indptr, indices, weights, directed=True, origin=origin, **kept)
        other.derived.reverse = weakref.ref(self)
        return other

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        kept = self._rows[2]
        weights = "unweighted" if kept is None else f"weights {kept.dtype} {self.min_weight:g}…{self.max_weight:g}"
        return f"<Graph: {self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}, {weights}>"

    def __reduce__(self) -> Any:
        facts = (self.min_weight, self.max_weight, self.mean_weight)
        from .convert import restored

        return (
            restored,
            (self.indptr, self.indices, self.weights, self._labels, self.directed, facts, self._coordinates),
            self._edges_kept(),
        )

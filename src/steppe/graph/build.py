"""Build: graphs out of arrays: edges in any order, rows, sparse matrices. Everything is checked; ``cpp/rows/build.hpp`` sorts edges into rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from ..machine import threads
from .arrays import Array, foreign, ids, label_array, on_device, owned, stored_weights, vertex_count, vertex_dtype
from .labels import Labels
from .labels import relabel as _relabel
from .origin import Origin
from .proof import LentRows, prove

if TYPE_CHECKING:
    from collections.abc import Callable

    from .graph import Graph
    from .origin import Ends
    from .proof import Facts


def from_edges(
    cls: type[Graph],
    sources: npt.ArrayLike,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    num_vertices: int | None = None,
    directed: bool = True,
    relabel: bool = False,
    coordinates: npt.ArrayLike | None = None,
) -> Graph:
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
        True makes labels of the ids that appear, sorted; they may be of any type. Every public call then takes and returns these labels.
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
    made = graph_of_edges(cls, u, v, w, num_vertices, directed, labels, lambda: _ends_again(*given, relabel))
    return made if coordinates is None else made.with_coordinates(coordinates)


def from_csr(
    cls: type[Graph],
    indptr: npt.ArrayLike,
    indices: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    labels: npt.ArrayLike | None = None,
    directed: bool = True,
    copy: bool = True,
) -> Graph:
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
    return graph_of_rows(cls, indptr, indices, weights, labels=labels, directed=directed, copy=copy, lent=not copy)


def from_scipy(cls: type[Graph], matrix: Any, *, directed: bool = True, copy: bool = True) -> Graph:
    """Build a graph from a SciPy sparse matrix or array: an entry (i, j) is an edge i → j, explicit zeros included.

    Entries that a COO matrix lists twice are added up, as everywhere in SciPy; a CSR matrix is taken as it is, and of entries that stand
    there twice the smaller counts, as in ``scipy.sparse.csgraph``. The matrix is not changed.

    ``directed=False`` adds the opposite of every entry (the smaller of two weights then counts, as in SciPy). ``copy`` is that of
    :meth:`from_csr`; other layouts than CSR are copied anyway.
    """
    if not hasattr(matrix, "tocsr"):
        raise GraphError(f"from_scipy takes a sparse matrix or array, not {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"the matrix must be square, not {matrix.shape}")
    csr = matrix.tocsr()
    theirs = csr is matrix and directed
    rows = (csr.indptr, csr.indices, csr.data)
    graph = graph_of_rows(cls, *rows, directed=True, copy=copy and theirs, lent=theirs and not copy)
    return graph if directed else with_opposites(graph)


def graph_of_edges(
    cls: type[Graph],
    u: Array,
    v: Array,
    w: Array | None,
    n: int | None,
    directed: bool,
    labels: Labels | None = None,
    ends: Callable[[], Ends] | None = None,
) -> Graph:
    """Build a graph from vertex ids of one dtype (int32 or int64) and stored weights; ``ends``: see :class:`~steppe.graph.origin.Origin`."""
    indptr, indices, weights, facts, in_order = rows_of_edges(u, v, w, n, directed)
    origin = Origin(len(u), None if in_order else ends) if in_order or ends else None
    return cls._make(indptr, indices, weights, labels=labels, directed=directed, facts=facts, origin=origin)


def graph_of_rows(
    cls: type[Graph],
    indptr: Any,
    indices: Any,
    weights: Any,
    *,
    labels: Any = None,
    directed: bool,
    copy: bool = False,
    lent: bool = False,
) -> Graph:
    """Build a graph from rows, or a copy of them, once they are proven; ``lent``: the caller keeps them and may change them."""
    if on_device(indices):
        named = None if labels is None else Labels(label_array(labels, "labels")).check()
        graph: Graph = foreign[0].graph_of(cls, indptr, indices, weights, labels=named, directed=directed)
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


def with_opposites(graph: Graph) -> Graph:
    """Return an undirected graph of the same vertices: every edge of a directed one, and its opposite."""
    u, v, w = graph._edge_sources(), graph.indices, graph.weights
    return graph_of_edges(type(graph), u, v, w, graph.num_vertices, False, graph._labels)


def weight_facts(weights: Array) -> Facts:
    """Return the facts of stored weights; refuse what is not a number."""
    low, high, mean, bad = _core.weight_facts(weights, threads.resolve(None))
    if bad >= 0:
        raise GraphError(f"weights[{bad}] is {weights[bad]}: weights must be numbers (+inf means no edge)")
    return low, high, mean


def rows_of_edges(
    u: Array, v: Array, w: Array | None, n: int | None, directed: bool
) -> tuple[npt.NDArray[np.int64], Array, Array | None, Facts | None, bool]:
    """Sort edges (ids of one dtype, int32 or int64; stored weights) into rows: indptr, indices, weights, facts, and whether they were sorted."""
    team = threads.resolve(None)
    limit = np.iinfo(np.int64).max if n is None else vertex_count(n)
    _, largest, loops, bad, is_sorted = _core.edge_facts(u, v, limit, team)
    if bad >= 0:
        count = "" if n is None else f" of {n} vertices"
        raise GraphError(f"edge {bad} is ({u[bad]}, {v[bad]}): vertex ids must be 0…n-1{count}")
    if n is None and largest >= 2**28 and largest > 1000 * len(u):
        raise GraphError(
            f"the largest of {len(u)} edges' ids is {largest}: use relabel=True, or give num_vertices to keep all ids up to it"
        )
    n = int(largest) + 1 if n is None else int(n)
    arcs = len(u) if directed else 2 * len(u) - loops
    facts = None if w is None else weight_facts(w)
    indptr = np.empty(n + 1, dtype=np.int64)
    indices = np.empty(arcs, dtype=vertex_dtype(n))
    weights = None if w is None else np.empty(arcs, dtype=w.dtype)
    _core.build_csr(u, v, w, not directed, is_sorted, indptr, indices, weights, team)
    return indptr, indices, weights, facts, bool(is_sorted) and directed


def stored_rows(indptr: npt.ArrayLike, indices: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], Array]:
    """Return rows given by a caller in the types that are stored, without a copy where they have them; they are yet to be proven."""
    rows = np.ascontiguousarray(indptr)
    if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind not in "iu" or np.ndim(indptr) != 1:
        raise GraphError("indptr must be a one-dimensional array of n + 1 integers")
    if rows.dtype == np.uint64 and rows.max() > np.iinfo(np.int64).max:
        raise GraphError("indptr must rise from 0 to len(indices)")
    rows = rows.astype(np.int64, copy=False)
    columns = ids(indices, "indices")
    kind = vertex_dtype(len(rows) - 1)
    if columns.dtype != kind and kind == np.int32 and columns.size:
        low, high = int(columns.min()), int(columns.max())
        if low < 0 or high >= len(rows) - 1:  # before they are narrowed
            bad = int(np.argmax((columns < 0) | (columns >= len(rows) - 1)))
            raise GraphError(f"indices[{bad}] is {columns[bad]}: vertex ids must be 0…{len(rows) - 2}")
    return rows, columns.astype(kind, copy=False)


def _ends_again(u: Array, v: Array, labelled: bool) -> Ends:
    """Return the ends of edges that a caller gave, as :class:`~steppe.graph.origin.Origin` takes them."""
    if labelled:
        _, u, v = _relabel(u, v)
    if u.dtype != v.dtype:
        u, v = u.astype(np.int64), v.astype(np.int64)
    return [u], [v], 0

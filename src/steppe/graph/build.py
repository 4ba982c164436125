"""Build: arrays of edges into rows, checked (``cpp/rows/build.hpp`` does the work)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from ..machine import threads
from .arrays import Array, ids, vertex_count, vertex_dtype
from .labels import relabel

if TYPE_CHECKING:
    from .origin import Ends
    from .proof import Facts


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


def ends_again(u: Array, v: Array, labelled: bool) -> Ends:
    """Return the ends of edges that a caller gave, as :class:`~steppe.graph.origin.Origin` takes them."""
    if labelled:
        _, u, v = relabel(u, v)
    if u.dtype != v.dtype:
        u, v = u.astype(np.int64), v.astype(np.int64)
    return [u], [v], 0

"""Build: arrays of edges into rows, checked (``cpp/build.hpp`` does the work)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _core, threads
from .arrays import Array, ids, vertex_count, vertex_dtype
from .errors import GraphError

Facts = tuple[int | float, int | float, float]
"""Smallest, largest and mean weight."""


def weight_facts(weights: Array) -> Facts:
    """Return the facts of stored weights; refuse what is not a number."""
    low, high, mean, bad = _core.weight_facts(weights, threads.available())
    if bad >= 0:
        raise GraphError(f"weights[{bad}] is {weights[bad]}: weights must be numbers (+inf means no edge)")
    return low, high, mean


def rows_of_edges(
    u: Array, v: Array, w: Array | None, n: int | None, directed: bool
) -> tuple[npt.NDArray[np.int64], Array, Array | None, Facts | None]:
    """Sort edges (ids of one dtype, int32 or int64; stored weights) into rows: indptr, indices, weights and facts."""
    team = threads.available()
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
    return indptr, indices, weights, facts


def checked_rows(indptr: npt.ArrayLike, indices: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], Array]:
    """Return rows given by a caller in the types that are stored; without a copy where they have them."""
    rows = np.ascontiguousarray(indptr)
    if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind not in "iu":
        raise GraphError("indptr must be a one-dimensional array of n + 1 integers")
    rows = rows.astype(np.int64, copy=False)
    n = len(rows) - 1
    columns = ids(indices, "indices")
    if rows[0] != 0 or rows[-1] != len(columns) or (n and bool((np.diff(rows) < 0).any())):
        raise GraphError(f"indptr must rise from 0 to len(indices) = {len(columns)}")
    _, _, _, bad, _ = _core.edge_facts(columns, columns, n, threads.available())
    if bad >= 0:
        raise GraphError(f"indices[{bad}] is {columns[bad]}: vertex ids must be 0…{n - 1}")
    return rows, columns.astype(vertex_dtype(n), copy=False)

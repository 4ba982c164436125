"""Trees: given predecessors, as a matrix of edges or of distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, csr_matrix, issparse, isspmatrix
from scipy.sparse.csgraph import csgraph_masked_from_dense, csgraph_to_dense

from .matrices import as_csr

Array = npt.NDArray[Any]

_CIRCLE = "the predecessors lead in a circle"


def reconstruct_path(csgraph: Any, predecessors: Any, directed: bool = True) -> Any:
    """Return the tree of given predecessors as a sparse matrix: ``scipy.sparse.csgraph.reconstruct_path``.

    >>> import numpy as np
    >>> reconstruct_path([[0, 5, 9], [0, 0, 3], [0, 0, 0]], np.array([-9999, 0, 1])).toarray().tolist()
    [[0.0, 5.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
    """
    csr = as_csr(csgraph)
    n = csr.shape[0]
    before = np.asarray(predecessors)
    if before.shape != (n,):
        raise ValueError(f"predecessors must have one entry for each of {n} vertices, not the shape {before.shape}")
    order = np.argsort(before, kind="stable")
    to = order[before[order] >= 0]
    up = before[to]
    if len(up) and int(up[-1]) >= n:
        raise ValueError(f"predecessors name a vertex {up[-1]} of {n}")
    lengths = _entries(csr, up, to)
    if not directed:
        back = _entries(csr, to, up)
        lengths[lengths == 0] = np.inf
        back[back == 0] = np.inf
        lengths = np.minimum(lengths, back)
    indptr = np.searchsorted(up, np.arange(n + 1)).astype(np.int32)
    kind = csr_matrix if isspmatrix(csr) else csr_array
    return kind((lengths, to.astype(np.int32), indptr), shape=(n, n))


def construct_dist_matrix(graph: Any, predecessors: Any, directed: bool = True, null_value: float = np.inf) -> Array:
    """Return the distances along a matrix of predecessors: ``scipy.sparse.csgraph.construct_dist_matrix``.

    >>> import numpy as np
    >>> before = np.array([[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]], dtype=np.int32)
    >>> construct_dist_matrix([[0, 5, 9], [0, 0, 3], [0, 0, 0]], before)[0]
    array([0., 5., 8.])
    """
    before = np.asarray(predecessors)
    lengths = _as_dense(graph)
    if before.shape != lengths.shape:
        raise ValueError("graph and predecessors must have the same shape")
    if before.dtype != np.int32:
        raise TypeError("Type of predecessors array should be np.int32")
    n = len(before)
    if not directed:
        lengths[lengths == 0] = np.inf  # here SciPy has no edges of length 0
        lighter = np.where(lengths >= lengths.T, lengths.T, lengths)
        lengths = np.where(np.tri(n, dtype=bool), lighter.T, lighter)
    walks = (before >= 0) & ~np.eye(n, dtype=bool)
    if (before[walks] >= n).any():
        raise ValueError(f"predecessors name a vertex beyond {n - 1}")
    result = _doubled(lengths, before, walks) if _are_exact(lengths) else _backwards(lengths, before, walks)
    result[~walks & ~np.eye(n, dtype=bool)] = null_value
    return result


def _doubled(lengths: Array, before: Array, walks: Array) -> Array:
    """Return the sums along every chain of predecessors, all at once and twice as far each time: what was added so far, and where it begins."""
    n = len(before)
    vertices, rows = np.broadcast_to(np.arange(n), (n, n)), np.arange(n)[:, None]
    begin = np.where(walks, before, vertices)
    result = np.where(walks, lengths[begin, vertices], 0.0)
    for _ in range(max(1, n).bit_length() + 1):
        further = begin[rows, begin]
        if np.array_equal(further, begin):
            break
        result = result + result[rows, begin]
        begin = further
    if walks[rows, begin].any():  # a chain that has not ended by now never does
        raise ValueError(_CIRCLE)
    return result


def _backwards(lengths: Array, before: Array, walks: Array) -> Array:
    """Return the same, added up one edge at a time from the end of each chain: where sums are rounded, the order decides on the last bits."""
    n = len(before)
    result = np.zeros((n, n))
    row, end = np.nonzero(walks)
    at = end
    for _ in range(n):
        if len(row) == 0:
            return result
        previous = before[row, at]
        result[row, end] += lengths[previous, at]
        on = walks[row, previous]
        row, end, at = row[on], end[on], previous[on]
    if len(row):
        raise ValueError(_CIRCLE)
    return result


def _are_exact(lengths: Array) -> bool:
    """Return whether sums of as many lengths as there are vertices are integers that a float holds, in whatever order they are added."""
    some = lengths[np.isfinite(lengths)]
    return bool((some == np.rint(some)).all() and float(np.abs(some).max(initial=0)) * len(lengths) < 2**53)


def _as_dense(graph: Any) -> Array:
    """Return a matrix of any kind as SciPy's dense one: inf where there is no edge; of what is stored twice the lighter counts."""
    if hasattr(graph, "to_scipy_sparse"):  # of the package sparse
        graph = graph.to_scipy_sparse()
    dense: Array
    if issparse(graph):
        dense = csgraph_to_dense(graph.tocsr(), null_value=np.inf)  # type: ignore[attr-defined]
    elif np.ma.isMaskedArray(graph):
        dense = np.where(np.ma.getmaskarray(graph), np.inf, graph.data.astype(np.float64))
    else:
        masked: Any = csgraph_masked_from_dense(graph, null_value=0, nan_null=True, infinity_null=True, copy=True)
        dense = masked.astype(np.float64).filled(np.inf)
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return dense


def _entries(csr: Any, rows: Array, columns: Array) -> Array:
    """Return entries of a matrix, as floats; 0 where there is none."""
    if len(rows) == 0:
        return np.empty(0)
    return np.asarray(csr[rows, columns], dtype=np.float64).ravel()

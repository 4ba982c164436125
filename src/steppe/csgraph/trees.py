"""Trees: predecessors of somebody's, as a matrix of edges or of distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, csr_matrix, isspmatrix

from .matrices import as_csr

Array = npt.NDArray[Any]


def reconstruct_path(csgraph: Any, predecessors: Any, directed: bool = True) -> Any:
    """Return the tree that predecessors tell as a sparse matrix: ``scipy.sparse.csgraph.reconstruct_path``.

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
    """Return the distances that a matrix of predecessors tells: ``scipy.sparse.csgraph.construct_dist_matrix``.

    >>> import numpy as np
    >>> before = np.array([[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]], dtype=np.int32)
    >>> construct_dist_matrix([[0, 5, 9], [0, 0, 3], [0, 0, 0]], before)[0]
    array([0., 5., 8.])
    """
    before = np.asarray(predecessors)
    csr = as_csr(graph)
    if before.shape != csr.shape:
        raise ValueError("graph and predecessors must have the same shape")
    if before.dtype != np.int32:
        raise TypeError("Type of predecessors array should be np.int32")
    n = len(before)
    lengths = np.full((n, n), np.inf)
    entries = csr.tocoo()
    np.minimum.at(lengths, (entries.row, entries.col), entries.data.astype(np.float64))
    if not directed:
        lengths = np.minimum(lengths, lengths.T)
    # Every chain of predecessors at once, twice as far each time: what was added up so far, and where it begins.
    vertices, rows = np.broadcast_to(np.arange(n), (n, n)), np.arange(n)[:, None]
    walks = (before >= 0) & (vertices != rows)
    if (before[walks] >= n).any():
        raise ValueError(f"predecessors name a vertex beyond {n - 1}")
    begin = np.where(walks, before, vertices)
    result = np.where(walks, lengths[begin, vertices], 0.0)
    for _ in range(max(1, n).bit_length() + 1):
        further = begin[rows, begin]
        if np.array_equal(further, begin):
            break
        result = result + result[rows, begin]
        begin = further
    if walks[rows, begin].any():  # a chain that has not ended by now never does
        raise ValueError("the predecessors lead in a circle")
    result[~walks & (vertices != rows)] = null_value
    return result


def _entries(csr: Any, rows: Array, columns: Array) -> Array:
    """Return entries of a matrix, as floats; 0 where there is none."""
    if len(rows) == 0:
        return np.empty(0)
    return np.asarray(csr[rows, columns], dtype=np.float64).ravel()

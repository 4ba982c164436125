"""Traversal: vertices in breadth-first and depth-first order, and the trees of the two."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .matrices import as_csr
from .solvers import NONE
from .trees import reconstruct_path

Array = npt.NDArray[Any]


def breadth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True) -> Any:
    """Return the vertices in breadth-first order: ``scipy.sparse.csgraph.breadth_first_order``.

    >>> breadth_first_order([[0, 1, 2], [0, 0, 0], [0, 0, 0]], 0)
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     0], dtype=int32))
    """
    return _order(csgraph, i_start, directed, return_predecessors, depth_first=False)


def depth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True) -> Any:
    """Return the vertices in depth-first order: ``scipy.sparse.csgraph.depth_first_order``.

    >>> depth_first_order([[0, 1, 2], [0, 0, 3], [0, 0, 0]], 0)
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     1], dtype=int32))
    """
    return _order(csgraph, i_start, directed, return_predecessors, depth_first=True)


def breadth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """Return the tree of a breadth-first search as a sparse matrix: ``scipy.sparse.csgraph.breadth_first_tree``.

    >>> breadth_first_tree([[0, 1, 2], [0, 0, 3], [0, 0, 0]], 0).toarray().tolist()
    [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    _, before = breadth_first_order(csgraph, i_start, directed, True)
    return reconstruct_path(csgraph, before, directed)


def depth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """Return the tree of a depth-first search as a sparse matrix: ``scipy.sparse.csgraph.depth_first_tree``.

    >>> depth_first_tree([[0, 1, 2], [0, 0, 3], [0, 0, 0]], 0).toarray().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
    """
    _, before = depth_first_order(csgraph, i_start, directed, True)
    return reconstruct_path(csgraph, before, directed)


def _order(csgraph: Any, i_start: int, directed: bool, return_predecessors: bool, *, depth_first: bool) -> Any:
    if not directed and getattr(csgraph, "format", "") == "csc":
        csgraph = csgraph.T  # columns before rows, then: SciPy's order
    indptr, indices = _rows(as_csr(csgraph), directed)
    n = len(indptr) - 1
    if not 0 <= i_start < n:
        raise ValueError(f"i_start must be a vertex, 0 <= i_start < {n}, not {i_start}")
    order, met_from = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    count = _core.search_order(_core.Rows(indptr, indices, None), int(i_start), depth_first, order, met_from)
    if not return_predecessors:
        return order[:count]
    met_from[met_from < 0] = NONE
    return order[:count], met_from


def _rows(csr: Any, directed: bool) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the rows to walk along: a matrix's, and where directions do not matter behind each its column."""
    n = csr.shape[0]
    if ((csr.indices < 0) | (csr.indices >= n)).any() or (np.diff(csr.indptr) < 0).any():
        raise ValueError("the matrix holds indices out of range")
    if directed:
        return csr.indptr.astype(np.int64), csr.indices.astype(np.int32)
    turned = csr.T.tocsr()
    both = [np.repeat(np.arange(n), np.diff(part.indptr)) for part in (csr, turned)]
    order = np.argsort(np.concatenate(both), kind="stable")  # stable: a row stays before its column
    return csr.indptr.astype(np.int64) + turned.indptr, np.concatenate([csr.indices, turned.indices])[order].astype(
        np.int32
    )

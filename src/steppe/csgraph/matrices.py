"""Matrices: SciPy's ways of writing a graph as a matrix, as rows; and the graph made of them, kept while the matrix stays as it is.

Edges are what they are in SciPy: every stored entry of a sparse matrix (zeros, too), the entries of a masked array that are not
masked, and of a dense one those that are neither 0 nor inf nor NaN. Entries that a CSR matrix of float64 stores twice stay two edges, of which the
lighter counts; those of another type SciPy adds up when it converts the matrix to float64. Floyd-Warshall reads a matrix as a dense one
(``dense=True``): of entries stored twice the lighter counts whatever the type, and a masked array's zeros are no edges.

A graph costs a copy, and after some searches it is prepared: worth keeping for the next call. It is kept with the matrix, by a weak reference,
and every call compares all of the matrix with the data the graph was made of, since writes to an array cannot be noticed. Comparing a
million entries takes about 3 ms (AMD EPYC, November 2026), as long as reading them: less than one search.
"""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph as _scipy
from scipy.sparse import issparse

from ..graph.build import with_opposites
from ..graph.graph import Graph

Array = npt.NDArray[Any]


class Kept:
    """The graphs made of one matrix, each on demand."""

    def __init__(self, indptr: Array, indices: Array, weights: Array) -> None:
        self.base = Graph.from_csr(indptr, indices, weights)

    def is_of(self, indptr: Array, indices: Array, weights: Array) -> bool:
        """Return whether these are the rows that the graph was made of."""
        g = self.base
        return (
            len(indices) == g.num_edges
            and np.array_equal(g.indptr, indptr)
            and np.array_equal(g.indices, indices)
            and np.array_equal(g.weights, weights)  # type: ignore[arg-type]
        )

    @cached_property
    def undirected(self) -> Graph:
        """With the opposite of every edge; of both weights the smaller counts."""
        return with_opposites(self.base)

    @cached_property
    def hops(self) -> Graph:
        """Without weights."""
        return Graph._make(self.base.indptr, self.base.indices, None, labels=None, directed=True)

    @cached_property
    def undirected_hops(self) -> Graph:
        """Without weights, both ways."""
        g = self.undirected
        return Graph._make(g.indptr, g.indices, None, labels=None, directed=False)

    def graph(self, *, directed: bool, unweighted: bool) -> Graph:
        """Return the graph that is meant."""
        if unweighted:
            return self.hops if directed else self.undirected_hops
        return self.base if directed else self.undirected


_kept: dict[int, tuple[Any, Kept]] = {}


def as_csr(csgraph: Any, *, dense: bool = False) -> Any:
    """Return a matrix of any kind that SciPy takes as a CSR array or matrix of float64; ``dense``: as Floyd-Warshall reads it."""
    if hasattr(csgraph, "to_scipy_sparse"):  # of the package sparse
        csgraph = csgraph.to_scipy_sparse()
    csr: Any
    if issparse(csgraph):
        csr = csgraph.tocsr()  # type: ignore[attr-defined]
        if dense or _is_rising(csr):
            csr = type(csr)((csr.data.astype(np.float64, copy=False), csr.indices, csr.indptr), shape=csr.shape)
        else:
            csr = csr.astype(np.float64, copy=False)  # which adds up what is stored twice, unless it is float64 already
    elif np.ma.isMaskedArray(csgraph):
        if dense:
            csgraph = np.ma.masked_equal(csgraph, 0)
        csr = _scipy.csgraph_from_masked(csgraph)
    else:
        csr = _scipy.csgraph_from_dense(csgraph, null_value=0, nan_null=True, infinity_null=True)
    if csr.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if csr.shape[0] != csr.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return csr


def _is_rising(csr: Any) -> bool:
    """Return whether no row holds an entry twice, or out of order: then only the type changes. The matrix's own word may be out of date."""
    if csr.ndim != 2 or csr.dtype == np.float64 or len(csr.indices) != csr.indptr[-1]:
        return False
    rising = csr.indices[1:] > csr.indices[:-1]
    ends = csr.indptr[1:-1]
    rising[ends[(ends > 0) & (ends < len(csr.indices))] - 1] = True  # the next row may begin anywhere
    return bool(rising.all())


def kept_of(csgraph: Any, *, dense: bool = False) -> Kept:
    """Return the graphs of a matrix: those of the last call if it has not changed since."""
    csr = as_csr(csgraph, dense=dense)
    rows = csr.indptr, csr.indices, csr.data
    if not (finite := np.isfinite(csr.data)).all():
        rows = (
            _edges_alone(*rows, finite | (csr.data < 0))
            if dense
            else (*rows[:2], np.where(np.isnan(csr.data), np.inf, csr.data))
        )
    known = _kept.get(id(csgraph))
    if known is not None and known[0]() is csgraph and known[1].is_of(*rows):
        return known[1]
    kept = Kept(*rows)
    try:
        place = id(csgraph)
        _kept[place] = weakref.ref(csgraph, lambda gone: _forget(place, gone)), kept
    except TypeError:  # a list, say
        pass
    return kept


def _edges_alone(indptr: Array, indices: Array, weights: Array, kept: Array) -> tuple[Array, Array, Array]:
    """Return the rows without the entries that are no edges: NaN and inf in a dense matrix, also where weights do not count."""
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[indptr], indices[kept], weights[kept]


def _forget(place: int, gone: Any) -> None:
    if place in _kept and _kept[place][0] is gone:  # else another matrix lies there by now
        del _kept[place]


def graph_of(csgraph: Any, *, directed: bool, unweighted: bool, dense: bool = False) -> Graph:
    """Return the graph that a matrix means."""
    return kept_of(csgraph, dense=dense).graph(directed=directed, unweighted=unweighted)

"""Sparse: the pairs within a cutoff as a ``scipy.sparse.csr_array``, built block by block.

Where searches may stop at the cutoff (``cpp/matrix/bounded.hpp``), no row ever has an entry for a vertex that is not within it, and a row takes as
long as what is within. The arrays of the result grow in place, so that beside them only one block of rows is held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..cpu import many
from ..planning.distance_types import distance_dtype, unreachable
from .matrix import Matrix, blocks_of
from .stored import stored

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = npt.NDArray[Any]
SHARE = 16
"""A block of rows has at most one part in so many of what is there already: the peak stays near the size of the result."""
SMALL = 1 << 20
"""Bytes of the first blocks."""


def sparse_rows(matrix: Matrix) -> Iterator[tuple[int, Array, Array, Array]]:
    """Yield blocks of rows: the first row, entries of each, and the columns and distances of all."""
    count = matrix.shape[0]
    if not is_bounded(matrix):
        for begin, block in blocks_of(matrix):
            reached = block != unreachable(block.dtype)
            yield begin, reached.sum(axis=1), np.nonzero(reached)[1], block[reached]
        return
    begin, step, held = 0, 64, 0
    while begin < count:
        end = min(count, begin + step)
        counts, columns, distances = many.bounded(
            matrix.graph, matrix.rows(begin, end), matrix.plan.method, matrix.columns
        )
        yield begin, counts, columns, distances
        held += columns.nbytes + distances.nbytes
        begin = end
        step = max(16, int(max(SMALL, held / SHARE) / max(1.0, held / begin)))


def sparse_matrix(matrix: Matrix, dtype: np.dtype[Any]) -> Any:
    """Return the matrix as a ``csr_array``."""
    try:
        from scipy.sparse import csr_array
    except ImportError as error:
        raise ImportError("sparse=True gives a SciPy matrix: pip install scipy") from error
    indptr = np.zeros(matrix.shape[0] + 1, dtype=np.int64)
    if is_bounded(matrix) and dtype == distance_dtype(matrix.graph):
        counts, places, values = many.bounded(matrix.graph, matrix.question, matrix.plan.method, matrix.columns)
        np.cumsum(counts, out=indptr[1:])
        return csr_array((values, places, _as_short(indptr, places)), shape=matrix.shape)
    values, places = np.empty(0, dtype=dtype), np.empty(0, dtype=matrix.graph.indices.dtype)
    for begin, counts, columns, distances in sparse_rows(matrix):
        indptr[begin + 1 : begin + len(counts) + 1] = counts
        before = len(values)

        def name(i: int, begin: int = begin, counts: Array = counts, columns: Array = columns) -> str:
            row = int(np.searchsorted(np.cumsum(counts), i, side="right"))
            return matrix.pair(begin + row, int(columns[i]))

        narrow = stored(distances, dtype, name, threads=matrix.plan.threads)
        # Memory grows in place where the system can: it moves pages, not bytes.
        values.resize(before + len(narrow), refcheck=False)
        values[before:] = narrow
        places.resize(before + len(columns), refcheck=False)
        places[before:] = columns
    np.cumsum(indptr, out=indptr)
    return csr_array((values, places, _as_short(indptr, places)), shape=matrix.shape)


def is_bounded(matrix: Matrix) -> bool:
    """Whether searches may stop at a cutoff and tell what lies within it alone."""
    return (
        matrix.device is None
        and matrix.question.bound is not None
        and matrix.plan.method in many.BOUNDED
        and matrix.shape[1] <= np.iinfo(matrix.graph.indices.dtype).max
    )


def _as_short(indptr: Array, places: Array) -> Array:
    """Return the offsets in the type of the columns, if they fit: SciPy copies the larger array where the types differ."""
    return indptr.astype(places.dtype) if len(places) <= np.iinfo(places.dtype).max else indptr

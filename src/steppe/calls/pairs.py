"""Pairs: a distance for each of many pairs, grouped by source: a search from each source ends with the last of its targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..cpu import many
from ..planning.distance_types import distance_dtype
from .matrix import Matrix, begin
from .stored import stored

Array = npt.NDArray[Any]


def grouped(sources: Array) -> tuple[Array, Array, Array]:
    """Return the sources that differ, the offsets of their targets, and the order of the pairs by source.

    >>> grouped(np.array([7, 3, 7]))
    (array([3, 7]), array([0, 1, 3]), array([1, 0, 2]))
    """
    order = np.argsort(sources, kind="stable")
    starts, first = np.unique(sources[order], return_index=True)
    return starts, np.append(first, len(sources)).astype(np.int64), order


def paired(matrix: Matrix, offsets: Array, order: Array) -> Array:
    """Return the distances of pairs: the matrix's sources are the groups, its columns the targets in their order."""
    begin(matrix)
    natural = distance_dtype(matrix.graph)
    targets = matrix.columns
    assert targets is not None  # noqa: S101 - pairs have targets
    into = np.empty(len(targets), dtype=natural)
    if matrix.device is None:
        many.pairs(matrix.graph, matrix.question, matrix.plan.method, targets, offsets, into)
    else:
        from ..gpu.loops import edge

        for i, source in enumerate(matrix.question.sources):
            wanted = targets[offsets[i] : offsets[i + 1]]
            row = np.empty((1, len(wanted)), dtype=natural)
            bound = matrix.question.bound
            edge.run(matrix.device, matrix.graph, np.array([source]), columns=wanted, bound=bound, out=row)
            into[offsets[i] : offsets[i + 1]] = row[0]

    def name(i: int) -> str:
        return matrix.pair(int(np.searchsorted(offsets, i, side="right")) - 1, i)

    result = np.empty(len(targets), dtype=matrix.dtype)
    result[order] = stored(into, result.dtype, name, threads=matrix.plan.threads)
    return result

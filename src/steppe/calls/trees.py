"""Trees: a second matrix beside the distances, with the vertex before each on its canonical path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..cpu import tree
from ..machine.memory import check_fits
from .matrix import Matrix, begin, blocks_of, narrowed

Array = npt.NDArray[Any]


class DistanceMatrix(NamedTuple):
    """What ``distances(…, predecessors=True)`` returns: two matrices of one shape.

    Attributes
    ----------
    distances : ndarray
        Sources × targets.
    predecessors : ndarray
        The index 0…n-1 of the vertex before the target on the canonical path from the source; -1 at the source and where there is no path.
    """

    distances: Array
    predecessors: Array


def with_predecessors(matrix: Matrix) -> DistanceMatrix:
    """Return the distances and the canonical trees behind them, which are found of whole rows, block by block."""
    graph, columns = matrix.graph, matrix.columns
    kind = matrix.dtype
    item = kind.itemsize + graph.indices.dtype.itemsize
    check_fits(matrix.shape, np.dtype((np.void, item)), matrix.options.memory_limit)
    begin(matrix)
    distances = np.empty(matrix.shape, dtype=kind)
    before = np.empty(matrix.shape, dtype=graph.indices.dtype)
    for first, block in blocks_of(replace(matrix, columns=None)):
        rows = slice(first, first + len(block))
        for i, row in enumerate(block):
            source = matrix.question.sources[first + i : first + i + 1]
            found = tree.predecessors(graph, source, row, threads=matrix.plan.threads)
            before[first + i] = found if columns is None else found[columns]
        distances[rows] = narrowed(matrix, first, block if columns is None else block[:, columns], kind)
    return DistanceMatrix(distances, before)

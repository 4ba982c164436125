"""Trees: a second matrix beside the distances, with the vertex before each on its canonical path."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cpu import tree
from ..machine.memory import check_fits
from .distance_matrix import DistanceMatrix
from .matrix import Matrix, begin, blocks_of, narrowed

Array = npt.NDArray[Any]


def with_predecessors(matrix: Matrix) -> DistanceMatrix:
    """Return the distances and the canonical trees behind them, which are found of whole rows, block by block."""
    begun = time.perf_counter()
    graph, columns = matrix.graph, matrix.columns
    kind = matrix.dtype
    item = kind.itemsize + graph.indices.dtype.itemsize
    check_fits(matrix.shape, np.dtype((np.void, item)), matrix.options.memory_limit)
    plan = begin(matrix)
    distances = np.empty(matrix.shape, dtype=kind)
    before = np.empty(matrix.shape, dtype=graph.indices.dtype)
    for first, block in blocks_of(replace(matrix, columns=None)):
        for i, row in enumerate(block):
            source = matrix.question.sources[first + i : first + i + 1]
            found = tree.predecessors(graph, source, row, threads=matrix.plan.threads)
            before[first + i] = found if columns is None else found[columns]
        distances[first : first + len(block)] = narrowed(
            matrix, first, block if columns is None else block[:, columns], kind
        )
    ends = np.arange(graph.num_vertices) if columns is None else columns
    explanation = matrix.explained(plan, time.perf_counter() - begun)
    rows, bound = matrix.question.sources, matrix.question.bound
    return DistanceMatrix(graph, distances, before, {}, rows, ends, bound, explanation)

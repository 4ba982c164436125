"""Reduce: what is told of each row instead of the row, so that no matrix is held: its largest distance, their sum, or how many there are.

Only vertices that are reached count. Where every edge has length 1 and paths are short, all three are counted for hundreds of sources at once and no
row is made (``cpu/hops.py``); else rows come in blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..cpu import many
from ..errors import DistanceOverflowError
from ..planning.distance_types import distance_dtype, unreachable
from .matrix import Matrix, begin, blocks_of

Array = npt.NDArray[Any]
Reduce = Literal["max", "sum", "count"] | Callable[[Array], Array]
NAMES = ("max", "sum", "count")


def check(reduce: object) -> None:
    """Raise where this is no way to reduce rows."""
    if not callable(reduce) and reduce not in NAMES:
        raise ValueError(f"reduce must be one of {', '.join(NAMES)} or a function of a block of rows, not {reduce!r}")


def reduced(matrix: Matrix) -> Array:
    """Return a value for each row."""
    reduce: Reduce = matrix.options.reduce
    begin(matrix)
    if not callable(reduce) and matrix.plan.method == "bfs" and matrix.columns is None and matrix.device is None:
        sums = many.hop_sums(matrix.graph, matrix.question)
        if sums is not None:
            return np.ascontiguousarray(sums[:, NAMES.index(reduce)])
    parts = []
    for first, block in blocks_of(matrix):
        if callable(reduce):
            part = np.asarray(reduce(block))
            if part.ndim == 0 or len(part) != len(block):
                raise ValueError(
                    f"reduce gave {part.shape} for a block of {len(block)} rows: one value or row for each is wanted"
                )
        else:
            part = _of(matrix, first, block, reduce)
        parts.append(part)
    if parts:
        return np.concatenate(parts)
    return np.empty(0, dtype=_dtype(matrix, "count" if callable(reduce) else reduce))


def _dtype(matrix: Matrix, reduce: str) -> np.dtype[Any]:
    natural = distance_dtype(matrix.graph)
    if reduce == "count":
        return np.dtype(np.int64)
    return np.dtype(np.float64) if reduce == "sum" and natural.kind == "f" else natural


def _of(matrix: Matrix, first: int, block: Array, reduce: str) -> Array:
    reached = block != unreachable(block.dtype)
    result: Array
    if reduce == "count":
        result = np.asarray(reached.sum(axis=1, dtype=np.int64))
    elif reduce == "max":
        least = np.iinfo(block.dtype).min if block.dtype.kind == "i" else -np.inf
        result = np.asarray(np.max(block, axis=1, where=reached, initial=least))
        result[~reached.any(axis=1)] = 0
    elif block.dtype.kind == "f":
        result = np.asarray(np.sum(block, axis=1, where=reached, dtype=np.float64))
    else:
        lengths = np.abs(block) if matrix.graph.has_negative else block
        rough = np.asarray(np.sum(lengths, axis=1, where=reached, dtype=np.float64))
        if (rough > 2.0**62).any():
            label = matrix.graph.label(int(matrix.question.sources[first + int(np.argmax(rough))]))
            raise DistanceOverflowError(f"the sum of the distances from {label!r} may not fit in 64 bits")
        result = np.asarray(np.sum(block, axis=1, where=reached, dtype=np.int64))
    return result

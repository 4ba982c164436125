"""distance_blocks(): the rows of a matrix one block after the other, for those who look at each once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..planning.call import Call
from ..planning.options import Options
from .matrix import begin, blocks_of, check_and_plan, narrowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..graph.graph import Graph
    from ..planning.progress import Progress

Array = npt.NDArray[Any]


class Block(NamedTuple):
    """Some rows of a matrix.

    Attributes
    ----------
    first : int
        The number of the first row.
    sources : ndarray
        The label of each row's source.
    distances : ndarray
        The rows.
    """

    first: int
    sources: Array
    distances: Array


def distance_blocks(
    graph: Graph,
    sources: Any = None,
    targets: Any = None,
    *,
    rows: int | None = None,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    dtype: npt.DTypeLike | None = None,
    reverse: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Iterator[Block]:
    """Iterate over the rows of :func:`distances` in blocks; nothing is kept of those that have been handed over.

    Parameters
    ----------
    graph, targets, method, device, cutoff, dtype, reverse, threads, progress
        As in :func:`distances`.
    sources : list of labels, optional
        Default: every vertex.
    rows : int, optional
        Rows of a block; default: some for each thread, of some megabytes.
    memory_limit : int or str, optional
        Bytes ("500MiB") that a block may take.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1, 2], [1, 2, 0], [1, 2, 3])
    >>> for block in sp.distance_blocks(g, rows=2):
    ...     print(block.first, block.sources.tolist(), block.distances.max(axis=1).tolist())
    0 [0, 1] [3, 5]
    2 [2] [4]
    """
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be at least 1, not {rows}")
    options = replace(Options.of(locals()), blocks=True)
    wanted = np.arange(graph.num_vertices) if sources is None else graph.indices_of(sources)
    columns = None if targets is None else graph.indices_of(targets)
    matrix = check_and_plan(graph, Call.DISTANCES, wanted, columns, options)

    def pieces() -> Iterator[Block]:
        begin(matrix)
        for first, block in blocks_of(matrix, at_once=rows):
            labels = graph.labels_of(matrix.question.sources[first : first + len(block)])
            yield Block(first, labels, narrowed(matrix, first, block, matrix.dtype))

    return pieces()

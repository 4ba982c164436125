"""verify(): the proof that an answer is right, whoever computed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..cluster.paths import PartitionedPaths
from ..cpu import proof
from ..errors import VerificationError
from ..files.partitioned import PartitionedGraph
from ..paths import Paths
from ..planning.question import check_graph

if TYPE_CHECKING:
    from ..graph.graph import Graph

Answer = TypeVar("Answer", bound=Paths | npt.NDArray[Any])


def verify(
    graph: Graph | PartitionedGraph,
    answer: Answer,
    *,
    sources: Any = None,
    cutoff: float | None = None,
    sample: int | None = None,
    threads: int | None = None,
) -> Answer:
    """Prove an answer against a graph; return it, or raise :class:`~steppe.VerificationError`.

    Parameters
    ----------
    graph : Graph
        The graph.
    answer : Paths or ndarray
        The answer of a search: distances are always checked, predecessors when it has them (recorded by the search, or asked for before). Or a
        matrix with a row for each of ``sources`` and a column for every vertex; or one row, of a search from the nearest of ``sources``.
    sources : list of labels, optional
        Of a matrix or a row; default: every vertex, in the graph's order.
    cutoff : number, optional
        The cutoff that a matrix or a row was computed with.
    sample : int, optional
        Prove this many rows of a matrix, evenly spread; default: all.
    threads : int, optional
        As in :func:`steppe.sssp`.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3])
    >>> sp.verify(g, sp.sssp(g, 0)).distance(2)
    8
    >>> matrix = sp.all_pairs(g)
    >>> sp.verify(g, matrix).shape
    (3, 3)
    >>> matrix[0, 2] = 7
    >>> sp.verify(g, matrix)
    Traceback (most recent call last):
        ...
    steppe.errors.VerificationError: row 0, from 0: vertex 2 is at distance 7, but no path of that length leads to it from a source
    """
    if isinstance(answer, PartitionedPaths) or isinstance(graph, PartitionedGraph):
        if not isinstance(answer, PartitionedPaths) or getattr(graph, "digest", None) != answer._whole.digest:
            raise TypeError(
                "an answer that lies in parts is proven against its own graph, and such a graph proves no other answers"
            )
        return answer.verify()
    check_graph(graph)
    if isinstance(answer, Paths):
        if sources is not None or cutoff is not None or sample is not None:
            raise ValueError(
                "the answer of a search knows its sources and its cutoff: give sources=, cutoff= and sample= with matrices only"
            )
        return answer._prove(graph, threads)
    if hasattr(answer, "verify") and not isinstance(answer, type):
        raise TypeError(f"a {type(answer).__name__} proves itself: write answer.verify()")
    rows = np.asarray(answer)
    starts = np.arange(graph.num_vertices) if sources is None else graph.indices_of(sources)
    if rows.ndim == 1:
        proof.check(graph, starts, rows, bound=cutoff, threads=threads)
        return answer
    if rows.ndim != 2 or len(rows) != len(starts):
        raise VerificationError(f"a matrix of shape {rows.shape} has no row for each of {len(starts):,} sources")
    for i in sampled(len(rows), sample):
        try:
            proof.check(graph, starts[i : i + 1], np.asarray(rows[i]), bound=cutoff, threads=threads)
        except VerificationError as error:
            label = graph.label(int(starts[i]))
            raise VerificationError(f"row {i:,}, from {label!r}: {error}", *error.args[1:]) from None
    return answer


def sampled(count: int, sample: int | None) -> list[int]:
    """Return which of so many rows are proven: ``sample`` of them, evenly spread, or all.

    >>> sampled(9, 3), sampled(3, None)
    ([0, 4, 8], [0, 1, 2])
    """
    if sample is not None and sample < 1:
        raise ValueError(f"sample must be at least 1, not {sample}")
    if sample is None or sample >= count:
        return list(range(count))
    return [int(row) for row in np.linspace(0, count - 1, sample)]

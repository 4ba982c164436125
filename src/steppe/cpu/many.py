"""Many: rows of a matrix on the CPU, a search for each source, every thread at one of its own (cpp/search/many.hpp)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError
from ..planning.bytes import shares_hops
from ..planning.capabilities import DENSE
from ..planning.distance_types import NO_HOPS, UNREACHABLE
from . import hops, johnson, search

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.question import Question

Array = npt.NDArray[Any]


def run(graph: Graph, question: Question, method: str, columns: Array | None, into: Array) -> None:
    """Fill ``into`` with a row for each of the question's sources; ``columns``: the vertices wanted, None for all.

    ``into`` is of the natural type; of any that the core stores distances in where :func:`stores_any` holds.
    """
    lost = -1
    if method == "contraction":
        contraction = graph.prepared.get("contraction")
        if contraction is not None:
            out = into.reshape(-1).view(np.int64)
            _core.swept_rows(contraction.value, question.core(graph), columns, out)
            _tell(question)
            return
        method = "delta-stepping"
    if method == "johnson" and not graph.has_negative:
        method = "delta-stepping"
    if method == "johnson":
        if johnson.run(graph, question, columns, into):
            return
        method = "bellman-ford"
    if method == "bellman-ford":
        for i in range(len(question.sources)):
            row = _bellman_ford(graph, replace(question, sources=question.sources[i : i + 1]), columns)
            into[i] = row if columns is None else row[columns]
            if question.progress is not None:
                question.progress(i + 1)
        return
    if method in DENSE:
        essential = method == "essential-edges"
        lost = _core.floyd_warshall(graph._native, question.core(graph), columns, into.reshape(-1), essential)
        if lost >= 0:  # a sum left the type, perhaps one beyond the cutoff: searches tell the two apart
            lost = _core.many("delta-stepping", graph._native, question.core(graph), columns, None, into.reshape(-1))
    elif method == "batched":
        lost = _lanes(graph, question, columns, into)
    elif stores_any(graph, question, method):
        hops.rows(graph, question, columns, into)
    else:
        native = "hops" if method == "bfs" else method
        lost = _core.many(native, graph._native, question.core(graph), columns, None, into.reshape(-1))
    if lost >= 0:
        raise _too_long(graph, int(question.sources[lost]))
    _tell(question)


def stores_any(graph: Graph, question: Question, method: str) -> bool:
    """Whether :func:`run` writes rows in any type: hops that are counted for many sources at once."""
    few = not shares_hops(len(question.sources), graph.num_vertices)
    return method == "bfs" and not few and hops.are_shared(graph, question)


def _lanes(graph: Graph, question: Question, columns: Array | None, into: Array) -> int:
    """Fill ``into`` by lanes, and what they leave by searches; return the first source with a distance that does not fit in 64 bits, or -1."""
    left = _core.lanes(graph._native, graph.reverse._native, question.core(graph), columns, into.reshape(-1))
    for rows in np.split(left, np.flatnonzero(np.diff(left) != 1) + 1) if len(left) else ():
        first, last = int(rows[0]), int(rows[-1]) + 1
        some = replace(question, sources=question.sources[first:last], progress=None)
        lost = _core.many(
            "delta-stepping", graph._native, some.core(graph), columns, None, into[first:last].reshape(-1)
        )
        if lost >= 0:
            return first + lost
    return -1


def pairs(graph: Graph, question: Question, method: str, targets: Array, offsets: Array, into: Array) -> None:
    """Fill ``into`` with the distances from source i of the question to ``targets[offsets[i] : offsets[i + 1]]``."""
    if method in ("batched", "contraction"):
        method = "delta-stepping"  # the targets of each source are its own, and its search ends with the last
    if method not in BOUNDED:
        width = 1 + int(np.diff(offsets).max(initial=0))
        row = np.empty((1, width), dtype=into.dtype)
        for i in range(len(question.sources)):
            wanted = targets[offsets[i] : offsets[i + 1]]
            one = replace(question, sources=question.sources[i : i + 1], progress=None)
            run(graph, one, method, wanted, row[:, : len(wanted)])
            into[offsets[i] : offsets[i + 1]] = row[0, : len(wanted)]
            if question.progress is not None:
                question.progress(i + 1)
        return
    native = "hops" if method == "bfs" else method
    lost = _core.many(native, graph._native, question.core(graph), targets, offsets, into)
    if lost >= 0:
        raise _too_long(graph, int(question.sources[lost]))
    _tell(question)


def hop_sums(graph: Graph, question: Question) -> Array | None:
    """Return for each source, where all edges have length 1: the furthest distance, the sum of all, and how many vertices it reaches.

    None: rows are quicker.
    """
    if not hops.are_shared(graph, question):
        return None
    sums = hops.sums(graph, question)
    _tell(question)
    return sums


BOUNDED = ("dijkstra", "delta-stepping", "bfs")
"""The methods that may stop at a cutoff, and so can answer with what lies within it alone."""


def bounded(graph: Graph, question: Question, method: str, columns: Array | None) -> tuple[Array, Array, Array]:
    """Return the entries of each row, and the columns and distances of all, of the pairs within the question's bound."""
    counts = np.empty(len(question.sources), dtype=np.int64)
    places, distances = _core.bounded(graph._native, question.core(graph), columns, counts, method == "bfs")
    _tell(question)
    return counts, places, distances


def _bellman_ford(graph: Graph, question: Question, columns: Array | None) -> Array:
    """Return the distances from one source. Where no weight is negative, those beyond the columns need not fit in 64 bits."""
    bound = question.bound
    may_be_long = graph.is_integer and not graph.has_negative and bound is None
    asked = replace(
        question, targets=question.targets[:0], bound=UNREACHABLE - 1 if may_be_long else bound, progress=None
    )
    row = search.run(graph, asked, "bellman-ford").distances
    if may_be_long and int(graph.max_weight) * graph.num_vertices >= UNREACHABLE:
        edges = search.run(graph, replace(asked, bound=None), "bfs").distances
        lost = (row == UNREACHABLE) & (edges != NO_HOPS)
        if (lost if columns is None else lost[columns]).any():
            raise _too_long(graph, int(question.sources[0]))
    return row


def _tell(question: Question) -> None:
    """Tell that all sources are done."""
    if question.progress is not None:
        question.progress(len(question.sources))


def _too_long(graph: Graph, source: int) -> DistanceOverflowError:
    return DistanceOverflowError(f"a distance from {graph.label(source)!r} does not fit in 64 bits")

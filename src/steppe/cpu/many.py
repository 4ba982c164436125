"""Many: rows of a matrix on the CPU, a search for each source, every thread at one of its own (cpp/search/many.hpp)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError
from ..planning.bytes import shares_hops
from ..planning.distance_types import NO_HOPS, UNREACHABLE
from . import hops, johnson, search

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph
    from ..planning.explain import Learnt
    from ..planning.plan import Plan
    from ..planning.question import Question

Array = npt.NDArray[Any]


def run(graph: Graph, question: Question, plan: Plan, columns: Array | None, into: Array, learnt: Learnt) -> None:
    """Fill ``into`` with a row for each of the question's sources; ``columns``: the vertices wanted, None for all.

    ``into`` is of the natural type; of any that the core stores distances in where :func:`stores_any` holds. A method for many rows at once
    may leave some, or all: those the plan's fallback finds, and ``learnt`` is told.
    """
    at_once = AT_ONCE.get(plan.method)
    if at_once is None:
        _by_searches(graph, question, plan.method, columns, into)
        return
    left = at_once(graph, question, plan, columns, into, learnt)
    if len(left) == len(question.sources):
        _by_searches(graph, question, plan.fallback, columns, into)
        return
    for rows in np.split(left, np.flatnonzero(np.diff(left) != 1) + 1) if len(left) else ():
        first, last = int(rows[0]), int(rows[-1]) + 1
        some = replace(question, sources=question.sources[first:last], progress=None)
        _by_searches(graph, some, plan.fallback, columns, into[first:last])
    _tell(question)


def _by_searches(graph: Graph, question: Question, method: str, columns: Array | None, into: Array) -> None:
    """Fill ``into`` by a search for each source."""
    if method == "bellman-ford":
        for i in range(len(question.sources)):
            row = _bellman_ford(graph, replace(question, sources=question.sources[i : i + 1]), columns)
            into[i] = row if columns is None else row[columns]
            if question.progress is not None:
                question.progress(i + 1)
        return
    if stores_any(graph, question, method):
        hops.rows(graph, question, columns, into)
    else:
        _native(graph, question, method, columns, None, into)
    _tell(question)


def _native(
    graph: Graph, question: Question, method: str, columns: Array | None, offsets: Array | None, into: Array
) -> None:
    core = question.core(graph)
    lost = _core.many("hops" if method == "bfs" else method, graph._native, core, columns, offsets, into.reshape(-1))
    if lost >= 0:
        raise _too_long(graph, int(question.sources[lost]))


def _contracted(
    graph: Graph, question: Question, _plan: Plan, columns: Array | None, into: Array, learnt: Learnt
) -> Array:
    contraction = graph.prepared.get("contraction")
    if contraction is None:
        return learnt.leave_all(question, "the graph was not contracted within the work that pays")
    _core.swept_rows(contraction.value, question.core(graph), columns, into.reshape(-1).view(np.int64))
    return NONE


def _reweighted(
    graph: Graph, question: Question, _plan: Plan, columns: Array | None, into: Array, learnt: Learnt
) -> Array:
    done = johnson.run(graph, question, columns, into, learnt)
    return (
        NONE
        if done
        else learnt.leave_all(question, "a cycle is negative, or a changed weight or distance is too large")
    )


def _dense(graph: Graph, question: Question, plan: Plan, columns: Array | None, into: Array, learnt: Learnt) -> Array:
    essential = plan.method == "essential-edges"
    lost = _core.floyd_warshall(graph._native, question.core(graph), columns, into.reshape(-1), essential)
    # Perhaps the sum lies beyond the cutoff: searches tell that from a distance that does not fit.
    return NONE if lost < 0 else learnt.leave_all(question, "a sum does not fit in 64 bits")


def _batched(
    graph: Graph, question: Question, _plan: Plan, columns: Array | None, into: Array, learnt: Learnt
) -> Array:
    left = _core.lanes(graph._native, graph.reverse._native, question.core(graph), columns, into.reshape(-1))
    return learnt.leave(left, "their paths have too many edges to share looks at edges")


NONE = np.empty(0, dtype=np.int64)

AT_ONCE: dict[str, Callable[[Graph, Question, Plan, Array | None, Array, Learnt], Array]] = {
    "contraction": _contracted,
    "johnson": _reweighted,
    "floyd-warshall": _dense,
    "essential-edges": _dense,
    "batched": _batched,
}
"""The methods for many rows at once: each fills what it can, tells why it leaves rows, and returns which."""


def stores_any(graph: Graph, question: Question, method: str) -> bool:
    """Whether :func:`run` writes rows in any type: hops that are counted for many sources at once."""
    few = not shares_hops(len(question.sources), graph.num_vertices)
    return method == "bfs" and not few and hops.are_shared(graph, question)


def pairs(
    graph: Graph, question: Question, plan: Plan, targets: Array, offsets: Array, into: Array, learnt: Learnt
) -> None:
    """Fill ``into`` with the distances from source i of the question to ``targets[offsets[i] : offsets[i + 1]]``."""
    if plan.method in BOUNDED:
        _native(graph, question, plan.method, targets, offsets, into)
        _tell(question)
        return
    row = np.empty((1, int(np.diff(offsets).max(initial=0))), dtype=into.dtype)
    for i in range(len(question.sources)):
        wanted = targets[offsets[i] : offsets[i + 1]]
        one = replace(question, sources=question.sources[i : i + 1], progress=None)
        run(graph, one, plan, wanted, row[:, : len(wanted)], learnt)
        into[offsets[i] : offsets[i + 1]] = row[0, : len(wanted)]
        if question.progress is not None:
            question.progress(i + 1)


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

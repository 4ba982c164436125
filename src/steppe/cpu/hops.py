"""Hops of many sources: counted for all at once, by bits (``cpp/matrix/hops.hpp``), where their searches are alike enough to share looks at edges.

A look serves all searches that reach a vertex in the same level. Where a graph has a handful of levels, as small worlds have, those are nearly all;
on a grid or on roads hardly two reach a vertex in the same one, and single searches are ten times quicker (512 sources of a grid of 512 x 512:
6.1 s by bits). So one search is made first, from a vertex of the most edges, and its levels are counted; the graph keeps the number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError
from ..planning.bytes import HOPS_VERTICES
from ..planning.distance_types import NO_HOPS
from . import search

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.question import Question

Array = npt.NDArray[Any]

ALIKE = 8
"""Searches for each level of the graph from which bits are quicker."""

LEVELS = 16
"""Levels up to which they always are: of few sources a vertex has few bits, and these cost less."""


def are_shared(graph: Graph, question: Question) -> bool:
    """Whether the searches of these sources should share their looks at edges."""
    if graph.num_vertices > HOPS_VERTICES:
        return False
    few = max(LEVELS, min(512, len(question.sources)) // ALIKE)
    if question.bound is not None and question.bound <= few:
        return True
    return levels(graph, question) <= few


def levels(graph: Graph, question: Question) -> int:
    """Return how many levels of a search have at least a thousandth of the vertices that it reaches."""
    known = graph._shape.levels
    if known is None:
        known = 0
        if graph.num_vertices:
            source = np.array([np.argmax(graph.degrees)], dtype=np.int64)
            one = replace(question, sources=source, targets=source[:0], bound=None, progress=None, record_paths=False)
            found = search.run(graph, one, "bfs").distances
            counts = np.bincount(found[found != NO_HOPS])
            known = int((1000 * counts >= counts.sum()).sum())
        graph._shape.levels = known
    return known


def rows(graph: Graph, question: Question, columns: Array | None, into: Array) -> None:
    """Fill ``into``, of any type that the core stores distances in, with a row for each source; ``columns``: see ``many.run``."""
    bad = _core.hop_rows(graph._native, graph.reverse._native, question.core(graph), columns, into.reshape(-1))
    if bad < 0:
        return
    row, column = divmod(bad, into.shape[1])
    target = column if columns is None else int(columns[column])
    one = replace(question, sources=question.sources[row : row + 1], progress=None)
    found = search.run(graph, one, "bfs").distances[target]
    pair = f"{graph.label(int(one.sources[0]))!r} to {graph.label(target)!r}"
    raise DistanceOverflowError(f"the distance from {pair} is {found} and cannot be stored as {into.dtype}")


def sums(graph: Graph, question: Question) -> Array:
    """Return for each source the furthest distance, the sum of all, and how many vertices it reaches."""
    found = np.empty((len(question.sources), 3), dtype=np.int64)
    _core.hop_sums(graph._native, graph.reverse._native, question.core(graph), found.reshape(-1))
    return found

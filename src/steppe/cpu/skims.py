"""Skims: rows of distances, and what attributes add up to along the way, on the CPU, a source a thread (cpp/tree/skims.hpp)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError
from . import along, search, tree

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.question import Question

Array = npt.NDArray[Any]


def run(
    graph: Graph,
    question: Question,
    method: str,
    columns: npt.NDArray[np.int64],
    attributes: list[Array],
    distances: Array,
    sums: list[Array],
) -> None:
    """Fill ``distances`` and ``sums`` with a row for each of the question's sources; attributes are int64 or float64, in the order of the rows."""
    if method == "bellman-ford":
        for i, source in enumerate(question.sources):
            _row(
                graph,
                replace(question, sources=np.array([source])),
                columns,
                attributes,
                distances[i],
                [s[i] for s in sums],
            )
            if question.progress is not None:
                question.progress(i + 1)
        return
    uniform = graph.weights is None or (graph.is_integer and graph.min_weight == graph.max_weight > 0)
    least = 1 if graph.weights is None else graph.min_weight
    lost = _core.skims(
        method,
        graph._native,
        question.core(graph),
        columns,
        uniform,
        least,
        attributes,
        distances.reshape(-1),
        [s.reshape(-1) for s in sums],
    )
    if lost >= 0:
        label = graph.label(int(question.sources[lost]))
        raise DistanceOverflowError(f"a distance or a sum along a path from {label!r} does not fit in 64 bits")
    if question.progress is not None:
        question.progress(len(question.sources))


def _row(
    graph: Graph,
    question: Question,
    columns: npt.NDArray[np.int64],
    attributes: list[Array],
    distances: Array,
    sums: list[Array],
) -> None:
    """Fill one row, where weights may be negative."""
    asked = replace(question, targets=question.targets[:0], progress=None)
    found = search.run(graph, asked, "bellman-ford").distances
    before = tree.predecessors(graph, asked.sources, found, threads=question.threads)
    edges = along.tree_edges(graph, before, threads=question.threads)
    distances[:] = found[columns]
    reachable = found != (np.iinfo(np.int64).max if found.dtype.kind == "i" else np.inf)
    for values, row in zip(attributes, sums, strict=True):
        row[:] = along.sums_of(graph, before, edges, reachable, values, None, "the numbers given")[columns]

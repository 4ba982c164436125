"""Along: the edges of paths and trees, and what an attribute of the edges adds up to on the way (cpp/tree/edges.hpp, cpp/tree/along.hpp)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError, VerificationError

if TYPE_CHECKING:
    from ..graph.graph import Graph

Array = npt.NDArray[Any]
Places = npt.NDArray[np.int64]


def path_edges(graph: Graph, vertices: Places) -> Places:
    """Return where the edges between each vertex of a path and the next lie: of parallel ones the lightest, the first of those."""
    edges = np.empty(max(0, len(vertices) - 1), dtype=np.int64)
    _core.path_edges(graph._native, np.ascontiguousarray(vertices, dtype=np.int64), edges)
    if len(edges) and edges.min() < 0:
        label = graph.label(int(vertices[1 + int(np.argmin(edges))]))
        raise VerificationError(f"no edge leads to vertex {label!r} from the one before it", label)
    return edges


def sums(
    graph: Graph, predecessors: Array, reachable: npt.NDArray[np.bool_], column: str | npt.ArrayLike, *, threads: int
) -> Array:
    """Return what an attribute adds up to along the tree, for every vertex; int64 or float64, with the sentinels of distances."""
    values, ids = graph._attribute_along(column)
    return sums_of(
        graph, predecessors, tree_edges(graph, predecessors, threads=threads), reachable, values, ids, column
    )


def tree_edges(graph: Graph, predecessors: Array, *, threads: int) -> Places:
    """Return where the edge lies that leads to each vertex from its predecessor; -1 where there is none of those."""
    edges = np.empty(graph.num_vertices, dtype=np.int64)
    _core.tree_edges(graph._native, predecessors, edges, threads)
    bad = (predecessors >= 0) & (edges < 0)
    if bad.any():
        label = graph.label(int(np.argmax(bad)))
        raise VerificationError(f"no edge leads to vertex {label!r} from its predecessor", label)
    return edges


def sums_of(
    graph: Graph,
    predecessors: Array,
    edges: Places,
    reachable: npt.NDArray[np.bool_],
    values: Array,
    ids: Array | None,
    column: object,
) -> Array:
    """Return the sums of ``values``, whose entry for the edge at a position is that of its id, or of the position."""
    result = np.empty(graph.num_vertices, dtype=np.int64 if values.dtype.kind == "i" else np.float64)
    lost = _core.sums_along(predecessors, edges, reachable, values, ids, result)
    if lost >= 0:
        raise too_long(graph, lost, column)
    return result


def too_long(graph: Graph, vertex: int, column: object) -> DistanceOverflowError:
    """Return the error of a sum that does not fit."""
    what = repr(column) if isinstance(column, str) else "the numbers given"
    return DistanceOverflowError(
        f"{what} add up to more than 64 bits along the path to {graph.label(vertex)!r}, or its predecessors run in a circle"
    )


def total(values: Array) -> int | float:
    """Return what numbers add up to, one after the other: exact for integers of any size."""
    if values.dtype.kind == "i":
        whole: int = sum(values.tolist())
        return whole
    return float(np.cumsum(values, dtype=np.float64)[-1]) if len(values) else 0.0

"""Tree: the canonical predecessors of a finished search, and paths along them (cpp/tree).

Of the shortest paths with the fewest edges a vertex takes the one whose last edge comes from the smallest vertex, so the tree is the same for
every method, thread count and device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import VerificationError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class PathList:
    """Many paths in two arrays: path ``i`` is ``vertices[offsets[i]:offsets[i + 1]]``, source first, or empty.

    It is a sequence of those arrays too.
    """

    offsets: npt.NDArray[np.int64]
    vertices: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> Array:
        if not -len(self) <= i < len(self):
            raise IndexError(f"path {i} of {len(self)}")
        i %= len(self)
        return self.vertices[self.offsets[i] : self.offsets[i + 1]]

    def __iter__(self) -> Iterator[Array]:
        return (self[i] for i in range(len(self)))


def predecessors(
    graph: Graph, sources: npt.NDArray[np.int64], distances: Array, *, hops: bool = False, threads: int = 1
) -> Array:
    """Return the vertex before each vertex on its canonical path, -1 for sources and unreached vertices.

    Where all edges are equally long, the vertices one step nearer are found among the in-edges, if those have been built. Prepared rows,
    sorted by weight, let most edges be passed over; where rounding spoils that, a search along the edges that are exactly as long as the
    difference of their ends' distances finds the tree.
    """
    result = np.empty(graph.num_vertices, dtype=graph.indices.dtype)
    weights = None if hops else graph.weights
    uniform = weights is None or (weights.dtype.kind == "i" and graph.min_weight == graph.max_weight > 0)
    least = 1 if weights is None else graph.min_weight
    if uniform and (r := graph._reverse_if_known()) is not None:
        _core.level_predecessors(r._native, r.has_sorted_rows, distances, int(least), result, threads)
    else:
        question = _core.Question(sources, threads=threads)
        _core.canonical_predecessors(graph._native, question, distances, uniform, least, result)
    return result


def paths(
    graph: Graph, before: Array, targets: npt.NDArray[np.int64], *, threads: int = 1
) -> tuple[npt.NDArray[np.int64], Array]:
    """Return the paths to ``targets`` (-1: an empty one) along the predecessors ``before``: offsets, and vertices one after another."""
    offsets = np.empty(len(targets) + 1, dtype=np.int64)
    bad = _core.path_offsets(before, targets, offsets)
    if bad >= 0:
        label = graph.label(int(targets[bad]))
        raise VerificationError(f"the recorded predecessors of vertex {label!r} lead nowhere", label)
    vertices = np.empty(int(offsets[-1]), dtype=before.dtype)
    _core.fill_paths(before, targets, offsets, vertices, threads)
    return offsets, vertices

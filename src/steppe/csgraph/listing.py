"""Listing: yen, the K shortest paths between two vertices."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ..calls.k_shortest_paths import in_order
from .matrices import graph_of
from .solvers import NONE, reweighted


def yen(
    csgraph: Any,
    source: int,
    sink: int,
    K: int,  # noqa: N803 - SciPy's name
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Find the ``K`` shortest paths between two vertices: ``scipy.sparse.csgraph.yen``, where the parameters are described.

    >>> yen([[0, 1, 3], [0, 0, 1], [0, 0, 0]], 0, 2, 5, return_predecessors=True)
    (array([2., 3.]), array([[-9999,     0,     1],
           [-9999, -9999,     0]], dtype=int32))
    """
    graph = graph_of(csgraph, directed=directed, unweighted=unweighted)
    n = graph.num_vertices
    if not (0 <= source < n and 0 <= sink < n):
        raise ValueError(
            f"For csgraph with shape (N, N), must have 0 <= source < N and 0 <= sink < N. Got N={n}, source={source}, sink={sink}."
        )
    difference = 0.0
    if graph.has_negative:
        graph, height = reweighted(graph)
        difference = float(height[sink] - height[source])
    found = list(islice(in_order(graph, int(source), int(sink)), max(0, K)))
    lengths = np.array([float(length) + difference for length, _, _ in found], dtype=np.float64)
    if not return_predecessors:
        return lengths
    before = np.full((len(found), n), NONE, dtype=np.int32)
    for row, (_, vertices, _) in zip(before, found, strict=True):
        row[list(vertices[1:])] = vertices[:-1]
    return lengths, before

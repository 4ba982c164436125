"""Canonical predecessors on a device: the host's part of kernels/predecessors.c.

The same tree, bit for bit, as :attr:`steppe.Paths.predecessors` on the CPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import source as _source
from ..rows import rows, tails
from .bfs import Levels

if TYPE_CHECKING:
    import numpy.typing as npt

    from ...graph.graph import Graph
    from ..device import Device


def run(
    device: Device,
    graph: Graph,
    sources: npt.NDArray[np.int64],
    distances: npt.NDArray[Any],
    *,
    hops: bool = False,
) -> npt.NDArray[np.int32]:
    """Return the vertex before each vertex on its canonical shortest path, -1 for sources and unreached vertices.

    Parameters
    ----------
    sources : ndarray of int64
        Vertices 0…n-1.
    distances : ndarray
        Right distances from the nearest of them, as the search gave them.
    hops : bool
        The distances count edges; weights do not matter.
    """
    n, m = graph.num_vertices, graph.num_edges
    plain = hops or graph.weights is None
    if plain or distances.dtype.kind == "i":
        lost = distances == np.iinfo(distances.dtype).max
        given = distances.astype(np.int64)
        given[lost] = np.iinfo(np.int64).max
    else:
        given = distances
    weight = "i32" if plain or graph.weights is None else _source.type_name(graph.weights.dtype)
    kind = "i64" if given.dtype == np.int64 else weight
    variant = {"UNWEIGHTED": 1} if plain else {}  # hops: every edge counts 1, whatever it weighs
    program = device.program("predecessors", weight=weight, dist=kind, signed=True, **variant)
    held = rows(device, graph)
    weights = device.alloc(1, np.int32) if plain or held.weights is None else held.weights
    arcs = (tails(device, graph), held.indices, weights, m, device.upload(given))
    same = plain or (graph.is_integer and graph.min_weight == graph.max_weight > 0)
    if same:
        found = device.alloc(n, np.int32, fill=program.names.NONE)
        device.launch(program, "uniform", m, *arcs, found)
    else:
        leads = device.alloc(m, np.int32)
        device.launch(program, "tight", m, *arcs, leads)
        levels = Levels(device, graph, sources, indices=leads, predecessors=program.names.NONE, TREE=1)
        levels.run()
        found = levels.predecessors
    device.launch(program, "settle", n, found, n)
    return device.download(found)

"""Canonical predecessors on a device: the host's part of kernels/predecessors.c.

The same tree, bit for bit, as the CPU makes of the same distances; weights may have any sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import source
from ..layout import Layout
from ..rows import rows, tails
from . import bfs

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from ...graph.graph import Graph
    from ..device import Device


def layout(n: int, m: int, weights: npt.DTypeLike | None, *, uniform: bool) -> Layout:
    """Return the arrays it takes beside the graph's rows and tails. `weights`: None where distances are hops.

    `uniform`: all edges have one and the same positive integer length, so that hops follow from distances.
    """
    floats = weights is not None and np.dtype(weights).kind == "f"
    given = Layout(("given", n, weights if floats else np.int64), ("no_weights", 1, np.int32))
    if uniform or weights is None:
        return given + Layout(("found", n, np.int32, source.names("predecessors.c").NONE))
    return given + Layout(("leads", m, np.int32))


def nbytes(n: int, m: int, weights: npt.DTypeLike | None, *, uniform: bool, sources: int) -> int:
    """Add up what it takes beside the graph's rows and tails, the levels of a search over tight edges included."""
    levels = 0 if uniform or weights is None else bfs.layout(n, m, sources=sources, tree=True).nbytes
    return layout(n, m, weights, uniform=uniform).nbytes + levels


def run(
    device: Device,
    graph: Graph,
    sources: npt.NDArray[np.int64],
    distances: npt.NDArray[Any],
    *,
    hops: bool = False,
    progress: Callable[[int], object] | None = None,
) -> npt.NDArray[np.int32]:
    """Return the vertex before each vertex on its canonical shortest path, -1 for sources and unreached vertices.

    The graph's rows are used where they lie on the device already, and stay there.

    Parameters
    ----------
    sources : ndarray of int64
        Vertices 0…n-1.
    distances : ndarray
        Right distances from the nearest of them, as the search gave them: int64, float32 or float64, of hops int32 or int64.
    hops : bool
        The distances count edges; weights do not matter.
    progress : callable, optional
        Called with the edges read so far, between launches, where Ctrl-C works, too.

    Raises
    ------
    DeviceMemoryError
        It does not fit (``bytes_needed("predecessors", ...)`` says what it takes); nothing but the rows stays behind.
    """
    n, m = graph.num_vertices, graph.num_edges
    weights = None if hops or graph.weights is None else graph.weights.dtype
    uniform = weights is None or (graph.is_integer and graph.min_weight == graph.max_weight > 0)
    if distances.dtype.kind == "i":
        given = distances.astype(np.int64)
        given[distances == np.iinfo(distances.dtype).max] = np.iinfo(np.int64).max
    else:
        given = distances
    if given.dtype.kind != ("f" if weights is not None and weights.kind == "f" else "i"):
        raise TypeError(f"distances are {distances.dtype}, which no search of this graph gives")
    weight = "i32" if weights is None else source.type_name(weights)
    variant: dict[str, Any] = {"UNWEIGHTED": 1} if weights is None else {}
    kind = source.type_name(given.dtype)
    program = device.program("predecessors", weight=weight, dist=kind, signed=True, **variant)
    held = rows(device, graph)
    ends = (tails(device, graph), held.indices)
    arrays = layout(n, m, weights, uniform=uniform).allocate(device)
    device.upload(given, into=arrays.given)
    each = held.weights if weights is not None and held.weights is not None else arrays.no_weights
    edges = (*ends, each, m, arrays.given)
    if uniform:
        found = arrays.found
        device.launch(program, "uniform", m, *edges, found)
    else:
        device.launch(program, "tight", m, *edges, arrays.leads)
        levels = bfs.Levels(device, graph, sources, tree_edges=arrays.leads)
        levels.run(progress)
        found = levels.predecessors
    device.launch(program, "settle", n, found, n)
    return device.download(found)

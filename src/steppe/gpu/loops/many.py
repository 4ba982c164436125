"""Many sources on a device by delta-stepping: one search of as many copies of the graph as there are sources.

Edge sweeps (edge.py) read every edge for every source in every sweep. Here a pair of source and vertex is relaxed when its distance
changes, as in any search by buckets, and all sources share the launches: there are as many steps as the longest search has. The
kernels are those of delta_stepping.py, built for MANY copies (kernels/relax.h); the graph's edges are there once.

Sources are taken in batches, as many as fit. Where not all columns are wanted, the device picks them out before anything comes down.
Integers are added up in 32 bits; a sum that does not fit is noticed, and the batch (and all after it) is done again in 64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import DeviceMemoryError
from ...planning.question import Question
from ..keys import Keys, choices
from ..layout import Layout
from ..rows import rows
from . import delta_stepping, work
from .edge import refuse_lost

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.graph import Graph
    from ..device import Device

Array = npt.NDArray[Any]

PAIRS = {True: 1 << 26, False: 1 << 23}
"""Pairs of source and vertex in a batch, at most: on a GPU (some GB), and on a CPU, whose caches more would overflow."""


def layout(n: int, keys: Keys, copies: int, *, chunks: int, groups: int, weighted: bool, columns: int | None) -> Layout:
    """Return what a batch takes beside the graph's rows."""
    shape: dict[str, Any] = {
        "recorded": False,
        "lists": delta_stepping.LISTS,
        "chunks": chunks * copies,
        "weighted": weighted,
    }
    return (
        work.layout(n * copies, keys, **shape)
        + delta_stepping.layout(n * copies, keys, groups=groups, targets=0)
        + _picked(keys, copies, columns)
    )


def _picked(keys: Keys, copies: int, columns: int | None) -> Layout:
    cells = 0 if columns is None else copies * columns
    return Layout(("columns", columns or 0, np.int32), ("picked", cells, keys.dtype))


def run(
    device: Device,
    graph: Graph,
    sources: npt.NDArray[np.int64],
    *,
    columns: npt.NDArray[np.int64] | None = None,
    bound: int | float | None = None,
    delta: float | None = None,
    out: Array | None = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[Array, dict[str, Any]]:
    """Compute the distances from every source to every vertex. No weight may be negative. As `steppe.gpu.loops.edge.run`."""
    n, count = graph.num_vertices, len(sources)
    keys, *wider = choices(graph)
    result = np.empty((count, n if columns is None else len(columns)), keys.public) if out is None else out
    total = {"rounds": 0, "edges_relaxed": 0, "edges_touched": 0, "atomics": 0}
    with device.count() as counters:
        rows(device, graph)  # they come first: what is left is for the batches
        at = 0
        while at < count and result.size:
            some = sources[at : at + batch(device, graph, keys, None if columns is None else len(columns))]
            found, outgrown = _rows_of(
                device, graph, some, columns, Question(some, bound=bound, delta=delta), keys, total
            )
            if outgrown and wider:
                keys = wider.pop()  # sums do not fit in 32 bits: again, and so from here on
                continue
            distances = keys.distances(found)
            if outgrown:
                refuse_lost(graph, some, columns, distances, picked=True)
            result[at : at + len(some)] = distances
            at += len(some)
            if progress is not None:
                progress(at)
    return result, total | work.described(counters)


def _rows_of(
    device: Device,
    graph: Graph,
    sources: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    question: Question,
    keys: Keys,
    total: dict[str, int],
) -> tuple[Array, bool]:
    """Return the keys of a batch of rows, and whether a sum left the type and mattered; what was done is added to `total`."""
    copies = len(sources)
    here = work.Work(device, graph, question, keys, lists=delta_stepping.LISTS, copies=copies)
    steps = delta_stepping.Buckets(here, delta_stepping.choose_delta(graph, keys, question.delta, device=device))
    while not steps.advance():
        if keys.dist == "u32" and here.outgrown(steps.faults):
            break
    relaxed, touched, atomics = steps.work_done()
    done = {"rounds": steps.rounds, "edges_relaxed": relaxed, "edges_touched": touched, "atomics": atomics}
    for name, more in done.items():
        total[name] += more
    outgrown = here.outgrown(steps.faults)
    if columns is None:
        return device.download(here.dist).reshape(copies, -1), outgrown
    arrays = _picked(keys, copies, len(columns)).allocate(device)
    device.upload(columns.astype(np.int32), into=arrays.columns)
    kernel, many = f"columns_u{8 * keys.dtype.itemsize}", copies * len(columns)
    places = (here.dist, graph.num_vertices, arrays.columns, len(columns), many, arrays.picked)
    device.launch(device.program("fill"), kernel, many, *places)
    return device.download(arrays.picked).reshape(copies, -1), outgrown


def batch(device: Device, graph: Graph, keys: Keys, columns: int | None) -> int:
    """Return how many sources to search from at once, as far as they fit."""
    n, room = graph.num_vertices, device.memory.free
    facts: dict[str, Any] = {"chunks": work.chunks_of_graph(graph), "groups": device.max_groups, "columns": columns}
    weighted = graph._rows[2] is not None
    none, one = (layout(n, keys, copies, weighted=weighted, **facts).nbytes for copies in (0, 1))
    fits = (room - none) // (one - none)
    largest = max(array.nbytes for array in layout(n, keys, 1, weighted=weighted, **facts).arrays)
    if device.info.largest_allocation:
        fits = min(fits, device.info.largest_allocation // max(largest, 1))
    if fits < 1:
        raise DeviceMemoryError(
            f"{device.info.name}: a search takes {one:,} bytes, {max(room, 0):,} are free",
            needed=one,
            free=max(room, 0),
        )
    return int(max(1, min(fits, PAIRS[device.info.is_gpu] // n, (2**31 - 1) // n)))

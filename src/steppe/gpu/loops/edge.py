"""Many sources on a device by edge sweeps (document 004): the host's part of kernels/edge.c.

The result is a matrix, a row for each source. Rows are computed in batches that fit the device, one block of threads per row. Integers are
added up in 32 bits; a sum that does not fit is noticed, and the batch (and all after it) is done again in 64.

No launch reads more than `EDGES_OF_LAUNCH` edges in all its rows together, nor more than `EDGES_OF_BLOCK` in one: on a large graph that is a part
of a sweep, on a small one several sweeps. Ctrl-C works between launches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...cpu import search
from ...errors import DeviceMemoryError, DistanceOverflowError
from ...planning.distance_types import NO_HOPS
from ...planning.question import Question
from .. import source
from ..keys import Keys, choices
from ..layout import Layout
from ..rows import links, rows, tails
from .work import described, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.graph import Graph
    from ..device import Device
    from ..memory import Buffer

Array = npt.NDArray[Any]

EDGES_OF_LAUNCH = {True: 1 << 30, False: 1 << 24}
"""Edges read in one launch, on a GPU (about 0.1 s on a large one: an estimate) and on a CPU (0.2 s; PoCL, AMD EPYC, November 2026)."""
EDGES_OF_BLOCK = {True: 1 << 25, False: 1 << 24}
"""Edges that one block reads in one launch: on a GPU another 0.1 s, an estimate. With few sources most of it is idle, and systems end
launches of 2 s or longer, and the process's use of the GPU with them."""


def run(
    device: Device,
    graph: Graph,
    sources: npt.NDArray[np.int64],
    *,
    columns: npt.NDArray[np.int64] | None = None,
    bound: int | float | None = None,
    out: Array | None = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[Array, dict[str, Any]]:
    """Compute the distances from every source to every vertex. No weight may be negative.

    Parameters
    ----------
    sources : ndarray of int64
        Vertices 0…n-1; the same one may stand there twice.
    columns : ndarray of int64, optional
        The vertices whose distances are wanted; default: all.
    bound : number, optional
        The inclusive cutoff.
    out : ndarray, optional
        Where the rows go: shape (sources, columns), the public dtype of distances.
    progress : callable, optional
        Called with the number of sources done.

    Returns
    -------
    tuple
        The matrix, and the fields of an explanation.
    """
    n, count = graph.num_vertices, len(sources)
    keys, *wider = choices(graph)
    result = np.empty((count, n if columns is None else len(columns)), keys.public) if out is None else out
    total = {"rounds": 0, "edges_touched": 0, "atomics": 0}
    with device.count() as counters:
        sweep = Sweep(device, graph, bound)
        at = 0
        while at < count and n:
            some = min(count - at, _batch(device, n, keys))
            found, outgrown = sweep.rows_of(sources[at : at + some], keys, total)
            if outgrown and wider:
                keys = wider.pop()  # sums do not fit in 32 bits: again, and so from here on
                continue
            distances = keys.distances(found)
            if outgrown:
                refuse_lost(graph, sources[at : at + some], columns, distances)
            result[at : at + some] = distances if columns is None else distances[:, columns]
            at += some
            if progress is not None:
                progress(at)
    return result, total | {"edges_relaxed": total["edges_touched"]} | described(counters)


def layout(n: int, keys: Keys, sources: int) -> Layout:
    """Return what a batch of rows takes beside the edges."""
    return Layout(
        ("no_weights", 1, np.int32),
        ("matrix", sources * n, keys.dtype),
        ("counts", source.names("edge.c").COUNTS, np.uint32, 0),
        ("sources", sources, np.int32),
        ("flags", 2 * sources, np.uint32, 0),
    )


class Sweep:
    """The edges of a graph on a device, and the launches over them."""

    def __init__(self, device: Device, graph: Graph, bound: int | float | None) -> None:
        self.device, self.bound, self.vertices = device, bound, graph.num_vertices
        self.variant: dict[str, Any] = {}
        weights: Buffer | None
        if graph.directed:
            self.ends, weights = (tails(device, graph), rows(device, graph).indices), rows(device, graph).weights
        else:
            once = links(device, graph)
            self.ends, weights = (once.tails, once.heads), once.weights
            self.variant["UNDIRECTED"] = 1
        if weights is None:
            self.variant["UNWEIGHTED"] = 1
        self.weights = weights

    def rows_of(self, sources: Array, keys: Keys, total: dict[str, int]) -> tuple[Array, bool]:
        """Return the keys of a batch of rows, and whether a sum left the type; what was done is added to `total`."""
        device, n, some = self.device, self.vertices, len(sources)
        block = 256 if device.info.is_gpu else 64
        program = device.program("edge", block=block, **keys.build, **self.variant)
        names = program.names
        arrays = layout(n, keys, some).allocate(device)
        device.upload(sources.astype(np.int32), into=arrays.sources)
        edges = self.ends[0].size
        weights = arrays.no_weights if self.weights is None else self.weights
        numbers = (some, keys.zero, keys.limit(self.bound), arrays.flags)
        twice = 2 if "UNDIRECTED" in self.variant else 1
        most = min(EDGES_OF_LAUNCH[device.info.is_gpu] // some, EDGES_OF_BLOCK[device.info.is_gpu])
        part = max(1, most // twice)  # edges of a row that a launch reads
        sweeps = max(1, part // max(1, edges))
        parity, fresh, again = 0, 1, True
        while again:
            for begin in range(0, max(1, edges), part):
                end = min(begin + part, edges)
                own = (begin, end, n, arrays.matrix, arrays.sources, *numbers, parity, fresh, sweeps, arrays.counts)
                device.launch(program, "edge", some * program.block, *self.ends, weights, *own)
                fresh = 0
                device.finish()
            parity = 1 - parity
            again = bool(device.download(arrays.flags, parity * some, some).any())
        seen = device.download(arrays.counts).tolist()
        total["rounds"] += wide(seen, names.SWEEPS)
        total["edges_touched"] += wide(seen, names.LOOKED) * twice
        total["atomics"] += wide(seen, names.ATOMICS)
        beyond = self.bound is not None and self.bound <= keys.largest  # what overflows lies beyond the cutoff
        return device.download(arrays.matrix).reshape(some, n), bool(seen[names.OVERFLOWED]) and not beyond


def _batch(device: Device, n: int, keys: Keys) -> int:
    """Return how many rows to compute at once: one per block, as far as they fit."""
    room = device.memory.free
    row = n * keys.dtype.itemsize
    fits = (room - layout(n, keys, 0).nbytes) // (layout(n, keys, 1).nbytes - layout(n, keys, 0).nbytes)
    if device.info.largest_allocation:
        fits = min(fits, device.info.largest_allocation // row)
    if fits < 1:
        raise DeviceMemoryError(
            f"{device.info.name}: a row of distances takes {row:,} bytes, {max(room, 0):,} are free",
            needed=layout(n, keys, 1).nbytes,
            free=max(room, 0),
        )
    return int(min(fits, device.max_groups))


def refuse_lost(
    graph: Graph,
    sources: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    distances: Array,
    *,
    picked: bool = False,
) -> None:
    """Raise if a vertex counts as unreached only because every way to it is too long for 64 bits.

    `picked`: the distances are those of the columns only, not of all vertices.
    """
    for first, given in zip(sources.tolist(), distances, strict=True):
        row = given
        if picked and columns is not None:
            row = np.zeros(graph.num_vertices, given.dtype)
            row[columns] = given
        lost = row == np.iinfo(np.int64).max
        if columns is not None:  # what lies beyond them is not wanted
            wanted = np.zeros(len(row), dtype=bool)
            wanted[columns] = True
            lost &= wanted
        if lost.any():
            lost &= search.run(graph, Question(np.array([first])), "bfs").distances != NO_HOPS
        if lost.any():
            v = graph.label(int(np.argmax(lost)))
            raise DistanceOverflowError(f"the distance from {graph.label(first)!r} to {v!r} does not fit in 64 bits")

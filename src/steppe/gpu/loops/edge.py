"""Many sources on a device by edge sweeps (document 004): the host's part of kernels/edge.c.

The result is a matrix, a row for each source. Rows are computed in batches that fit the device, one block of threads per row. Integers are
added up in 32 bits; a sum that does not fit is noticed, and the batch (and all after it) is done again in 64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...cpu import search
from ...errors import DeviceMemoryError, DistanceOverflowError
from ...planning.distance_types import distance_dtype
from ...planning.question import Search
from .. import source as _source
from ..rows import links, rows, tails

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from ...graph.graph import Graph
    from ..device import Device

Array = Any
INFINITY = {"u32": 2**32 - 1, "u64": 2**64 - 1, "f32": 0x7F800000, "f64": 0x7FF0000000000000}
LARGEST = {"u32": 2**31 - 2, "u64": 2**63 - 2, "f32": 0x7F800000, "f64": 0x7FF0000000000000}


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
    weight = "i32" if graph.weights is None else _source.type_name(graph.weights.dtype)
    n, count = graph.num_vertices, len(sources)
    width = n if columns is None else len(columns)
    result = np.empty((count, width), dtype=distance_dtype(graph)) if out is None else out
    total = {"rounds": 0, "edges_touched": 0, "atomics": 0}
    with device.count() as counters:
        both = not graph.directed
        if both:
            once = links(device, graph)
            ends, held = (once.tails, once.heads), once.weights
        else:
            ends, held = (tails(device, graph), rows(device, graph).indices), rows(device, graph).weights
        arrays = (*ends, device.alloc(1, np.int32) if held is None else held)
        kind = {"i32": "u32", "i64": "u64"}.get(weight, weight)
        variant: dict[str, Any] = {"BOTH": 1} if both else {}
        if held is None:
            variant["UNWEIGHTED"] = 1
        at = 0
        while at < count and n:
            key = _source.TYPES[_source.key_type(kind)]
            program = device.program(
                "edge",
                weight=weight,
                dist=kind,
                block=256 if device.info.is_gpu else 64,
                **variant,
            )
            some = min(count - at, _batch(device, n, key.itemsize))
            matrix = device.alloc(some * n, key)
            flags = device.alloc(5, np.uint32, fill=0)
            batch = device.upload(sources[at : at + some].astype(np.int32))
            limit = _limit(bound, kind)
            arguments = (*arrays, arrays[0].size, n, matrix, batch, some, 0, limit, flags)
            device.launch(program, "edge", some * program.block, *arguments)
            over, *work = device.download(flags).tolist()
            if over and kind == "u32" and (bound is None or bound > LARGEST["u32"]):
                kind = "u64"  # sums do not fit in 32 bits: again, and so from here on
                continue
            rounds = work[0] + (work[1] << 32)
            total["rounds"] += rounds
            total["edges_touched"] += rounds * arrays[0].size * (2 if both else 1)
            total["atomics"] += work[2] + (work[3] << 32)
            got = device.download(matrix).reshape(some, n)
            matrix.free()
            if over and kind == "u64" and (bound is None or bound > LARGEST["u64"]):
                _refuse_cut_off(graph, sources[at : at + some], columns, got)
            _publish(got if columns is None else got[:, columns], kind, result[at : at + some])
            at += some
            if progress is not None:
                progress(at)
    explained = total | {
        "edges_relaxed": total["edges_touched"],
        "launches": counters.launches,
        "bytes_copied": counters.bytes_up + counters.bytes_down,
        "peak_device_bytes": counters.peak_bytes,
        "compile_seconds": counters.compile_seconds,
    }
    return result, explained


def _batch(device: Device, n: int, itemsize: int) -> int:
    """Return how many rows to compute at once: one per block, a few rounds of them, in half of the free memory."""
    room = max(device.memory.free, 0) - 4096
    if device.info.largest_allocation:
        room = min(room, device.info.largest_allocation)
    fits = room // (n * (itemsize + 1))
    if fits < 1:
        raise DeviceMemoryError(
            f"{device.info.name}: a row of distances takes {n * itemsize:,} bytes, {max(room, 0):,} are free",
            needed=n * itemsize,
            free=max(room, 0),
        )
    return int(min(fits, device.max_groups))


def _limit(bound: int | float | None, kind: str) -> int:
    """Return the key of the largest distance allowed."""
    if bound is None:
        return LARGEST[kind]
    if kind in ("u32", "u64"):
        return min(int(bound), LARGEST[kind])
    if kind == "f32":
        return int(np.float32(bound).view(np.uint32))
    return int(np.float64(bound).view(np.uint64))


def _publish(keys: Array, kind: str, into: Array) -> None:
    """Turn keys into public distances."""
    if kind in ("f32", "f64"):
        into[...] = keys.view(into.dtype)
    elif kind == "u64":
        into[...] = np.where(keys == INFINITY["u64"], np.uint64(np.iinfo(np.int64).max), keys).view(np.int64)
    else:
        into[...] = keys
        into[keys == INFINITY["u32"]] = np.iinfo(np.int64).max


def _refuse_cut_off(
    graph: Graph, sources: npt.NDArray[np.int64], columns: npt.NDArray[np.int64] | None, keys: Array
) -> None:
    """Raise if a vertex counts as unreached only because every way to it is too long for 64 bits."""
    for source, row in zip(sources.tolist(), keys, strict=True):
        lost = row == INFINITY["u64"]
        if columns is not None:  # what lies beyond them was not asked for
            wanted = np.zeros(len(row), dtype=bool)
            wanted[columns] = True
            lost &= wanted
        if lost.any():
            lost &= search.run(graph, Search(np.array([source])), "bfs").distances != np.iinfo(np.int32).max
        if lost.any():
            v = graph.label(int(np.argmax(lost)))
            raise DistanceOverflowError(f"the distance from {graph.label(source)!r} to {v!r} does not fit in 64 bits")

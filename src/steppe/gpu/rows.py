"""Rows: what a device keeps of the graphs it has searched, so that a second search copies nothing.

The copies belong to the device, not to the graph: `Device.copies` names each graph weakly, and has one `Copies` for it. A graph
that goes takes its entry with it, and the buffers are freed with their last reference; no graph keeps itself or a device alive.
Each device object has its own copies: two byte budgets on one device are two devices, as everywhere else. A graph that has been
turned round is a graph of its own, so ``rows(device, graph.reverse)`` is kept likewise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DeviceError
from ..machine import locks
from .layout import Layout
from .spares import Spares

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..graph.graph import Graph
    from .device import Device
    from .memory import Buffer


@dataclass(frozen=True)
class Rows:
    """The rows of a graph on a device: int64 offsets, int32 vertices, weights as stored (None: every edge weighs 1)."""

    indptr: Buffer
    indices: Buffer
    weights: Buffer | None


@dataclass(frozen=True)
class Links:
    """The edges of an undirected graph on a device, each once: its two ends and its weight."""

    tails: Buffer
    heads: Buffer
    weights: Buffer | None


@dataclass
class Copies:
    """What a device keeps of one graph; None: not copied yet. It must not refer to the graph."""

    rows: Rows | None = None
    tails: Buffer | None = None
    links: Links | None = None
    spares: Spares | None = None
    lock: Any = field(default_factory=locks.make)


def layout(n: int, m: int, weights: npt.DTypeLike | None, *, tails: bool = False) -> Layout:
    """Return what the rows of a graph take, with or without the first end of every edge."""
    arrays: list[tuple[str, int, Any]] = [("indptr", n + 1, np.int64), ("indices", m, np.int32)]
    if weights is not None:
        arrays.append(("weights", m, weights))
    if tails:
        arrays.append(("tails", m, np.int32))
    return Layout(*arrays)


def links_layout(m: int, weights: npt.DTypeLike | None) -> Layout:
    """Return what the edges of an undirected graph take at most, each once; m counts both directions."""
    arrays: list[tuple[str, int, Any]] = [("tails", m // 2, np.int32), ("heads", m // 2, np.int32)]
    if weights is not None:
        arrays.append(("weights", m // 2, weights))
    return Layout(*arrays)


def _copies(device: Device, graph: Graph) -> Copies:
    """Return what the device keeps of the graph, an entry without copies at first."""
    if graph._rows[1].dtype != np.int32:
        raise DeviceError(
            f"{device.info.name}: kernels take up to 2^31 - 1 vertices, the graph has {graph.num_vertices:,}"
        )
    return device.copies.setdefault(graph, Copies())


def rows(device: Device, graph: Graph) -> Rows:
    """Return the graph's arrays on the device; the first call copies them.

    Raises
    ------
    DeviceError
        The graph has 2^31 vertices or more: kernels count vertices in 32 bits.
    DeviceMemoryError
        They do not fit; nothing stays behind.
    """
    kept = _copies(device, graph)
    with kept.lock:
        if kept.rows is None:
            weights = None if graph.weights is None else device.upload(graph.weights)
            kept.rows = Rows(device.upload(graph.indptr), device.upload(graph.indices), weights)
        return kept.rows


def spares(device: Device, graph: Graph) -> Spares:
    """Return what ended searches of the graph left on the device; a search begins."""
    kept = _copies(device, graph)
    with kept.lock:
        if kept.spares is None:
            kept.spares = Spares(device)
        kept.spares.begin()
        return kept.spares


def tails(device: Device, graph: Graph) -> Buffer:
    """Return the first end of every edge, in the order of the rows; the first call copies it."""
    kept = _copies(device, graph)
    with kept.lock:
        if kept.tails is None:
            kept.tails = device.upload(_tails(graph))
        return kept.tails


def links(device: Device, graph: Graph) -> Links:
    """Return the edges of an undirected graph, each once; the first call copies them. Loops, which shorten nothing, are left out."""
    kept = _copies(device, graph)
    with kept.lock:
        if kept.links is None:
            first = _tails(graph)
            once = first < graph.indices
            weights = None if graph.weights is None else device.upload(graph.weights[once])
            kept.links = Links(device.upload(first[once]), device.upload(graph.indices[once]), weights)
        return kept.links


def _tails(graph: Graph) -> Any:
    return np.repeat(np.arange(graph.num_vertices, dtype=np.int32), graph.degrees)


def resident(device: Device, graph: Graph) -> bool:
    """Whether the graph's rows are on the device already; in a forked child, which cannot use the driver, nothing is."""
    kept = device.copies.get(graph)
    return kept is not None and kept.rows is not None and not device.is_forked()


def resident_bytes(device: Device, graph: Graph) -> int:
    """Return the bytes of the graph's rows and tails that are on the device already, and that a search need not take again."""
    kept = device.copies.get(graph) or Copies()
    held = () if kept.rows is None else (kept.rows.indptr, kept.rows.indices, kept.rows.weights)
    return sum(buffer.nbytes for buffer in (*held, kept.tails) if buffer is not None)


def forget(device: Device, graph: Graph) -> None:
    """Free what the device keeps of the graph; a search that is using it goes on, and the memory is freed after it."""
    device.copies.pop(graph, None)

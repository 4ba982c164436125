"""Rows: a graph's arrays on a device, copied there once and kept with the graph.

They are freed with the graph (a buffer is freed with its last reference). Each device object has its own copy: two byte
budgets on one device are two devices, as everywhere else. A graph that has been turned round is a graph of its own, so
``rows(device, graph.reverse)`` is kept likewise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DeviceError

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .device import Device
    from .memory import Buffer


@dataclass(frozen=True)
class Rows:
    """The rows of a graph on a device: int64 offsets, int32 vertices, weights as stored (None: every edge weighs 1)."""

    indptr: Buffer
    indices: Buffer
    weights: Buffer | None


def rows(device: Device, graph: Graph) -> Rows:
    """Return the graph's arrays on the device; the first call copies them.

    Raises
    ------
    DeviceError
        The graph has 2^31 vertices or more: kernels count vertices in 32 bits.
    DeviceMemoryError
        They do not fit; nothing stays behind.
    """
    if graph.indices.dtype != np.int32:
        raise DeviceError(
            f"{device.info.name}: kernels take up to 2^31 - 1 vertices, the graph has {graph.num_vertices:,}"
        )
    with graph._lock:
        kept: dict[Device, Rows] = shelf(device, graph, "rows")
        if device not in kept:
            weights = None if graph.weights is None else device.upload(graph.weights)
            kept[device] = Rows(device.upload(graph.indptr), device.upload(graph.indices), weights)
        return kept[device]


def resident(device: Device, graph: Graph) -> bool:
    """Whether the graph's arrays are on the device already."""
    with graph._lock:
        return device in graph.derived.on_devices.get("rows", {})


def forget(device: Device, graph: Graph) -> None:
    """Free the graph's arrays on the device, if they are there."""
    with graph._lock:
        graph.derived.on_devices.get("rows", {}).pop(device, None)


def shelf(device: Device, graph: Graph, what: str) -> dict[Device, Any]:
    """Return where the graph keeps its ``what`` on each device; the graph's lock is held."""
    device.holders.add(graph)
    kept: dict[Device, Any] = graph.derived.on_devices.setdefault(what, {})
    return kept


def retire(device: Device) -> None:
    """Let every graph forget what it keeps on a device. A search that is using it goes on; the memory is freed after it."""
    for graph in list(device.holders):
        for kept in list(graph.derived.on_devices.values()):
            if isinstance(kept, dict):
                kept.pop(device, None)

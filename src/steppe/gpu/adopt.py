"""Adopt: a graph whose rows another library has on a device. They are copied and proven there; the host gets them only when it needs them.

`steppe.Graph.from_csr` comes here when its arrays lie on a device. The host then knows sizes, types and the range of the weights, which is all a
plan needs. The CPU, proofs and files need the rows themselves, and copy them down, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from ..machine import locks
from . import exchange, source
from .choose import get_device
from .rows import Copies, Rows

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .device import Device
    from .memory import Buffer

SAMPLE = 1024  # weights whose mean and median choose the width of buckets
_TYPES = ("int32", "int64", "float32", "float64")


class DeviceRows:
    """The claim of a graph whose rows lie on a device: proven there, copied to the host on demand."""

    def __init__(self, device: Device, rows: Rows) -> None:
        self.settled = False
        self._device, self._held = device, rows
        self._rows: tuple[Any, ...] | None = None
        self._lock = locks.make()

    def rows(self, *, offsets: bool) -> Any:
        """Return the rows."""
        del offsets
        with self._lock:
            if self._rows is None:
                held = (self._held.indptr, self._held.indices, self._held.weights)
                self._rows = tuple(None if one is None else self._device.download(one) for one in held)
                self.settled = True
            return self._rows


def is_on_device(graph: Graph) -> bool:
    """Whether a graph's rows lie on a device and nowhere else."""
    return isinstance(graph._claim, DeviceRows) and not graph._claim.settled


def device_of(array: Any) -> Device | None:
    """Return the device an array of another library lies on; None for the host."""
    place = exchange.place_of(array)
    if place is None:
        return None
    kind, number = place
    if kind == exchange.CUDA:
        return get_device(f"cuda:{number}")
    from . import opencl

    return get_device(opencl.find()[number][0].name)


def to_host(array: Any) -> Any:
    """Return an array of another library as one of NumPy, copied down if it lies on a device."""
    device = device_of(array)
    return array if device is None else device.download(exchange.borrow(array, device, "the array"))


def graph_of(cls: type[Graph], indptr: Any, indices: Any, weights: Any, *, labels: Any, directed: bool) -> Graph:
    """Make a graph of rows on a device; all its arrays lie on the same."""
    device = device_of(indices if exchange.is_somewhere(indices) else indptr) or device_of(indices)
    assert device is not None  # noqa: S101 - the caller has checked
    if not directed:
        raise GraphError("directed=False: whether every edge has its opposite is proven on the host; give host arrays")
    given = {"indptr": indptr, "indices": indices} | ({} if weights is None else {"weights": weights})
    for name, array in given.items():
        if exchange.is_somewhere(array) and device_of(array) is not device:
            raise GraphError(f"indices lie on {device.info.name}, {name} do not: all arrays must lie on one device")
    own = {name: _owned(device, array, name) for name, array in given.items()}
    n, m = own["indptr"].size - 1, own["indices"].size
    if n < 0 or (weights is not None and own["weights"].size != m):
        raise GraphError(f"ragged edges: {n + 1} offsets, {m} indices" + ("" if weights is None else ", other weights"))
    facts, typical = _prove(device, n, m, own)
    w = own.get("weights")
    sizes = [(n + 1, np.int64), (m, np.int32)] + ([] if w is None else [(m, w.dtype)])
    # For types and sizes only: arrays of one element that claim to have as many as there are.
    shown: list[Any] = [np.broadcast_to(np.zeros((), dtype), (size,)) for size, dtype in sizes]
    rows = Rows(own["indptr"], own["indices"], w)
    graph = cls._make(
        *shown,
        *([None] if w is None else []),
        labels=labels,
        directed=True,
        facts=facts,
        claim=DeviceRows(device, rows),
    )
    graph.derived.typical_weight = typical
    device.copies[graph] = Copies(rows=rows)
    return graph


def _owned(device: Device, array: Any, name: str) -> Buffer:
    """Copy an array on its device, to the type that is stored; the caller may change the original."""
    theirs = exchange.borrow(array, device, name)
    wanted = {"indptr": np.int64, "indices": np.int32}.get(name, theirs.dtype)
    if theirs.dtype.name not in _TYPES or (name != "weights" and theirs.dtype.kind != "i"):
        raise GraphError(
            f"{name} must be int32 or int64{', or floats' if name == 'weights' else ''}, not {theirs.dtype}"
        )
    own = device.alloc(theirs.size, wanted)
    if theirs.size:
        if theirs.dtype == wanted:
            device.copy(theirs, own)
        else:
            kernel = "narrowed" if theirs.dtype.itemsize == 8 else "widened"
            device.launch(device.program("adopt"), kernel, theirs.size, theirs, theirs.size, own)
        device.finish()  # theirs may go
    return own


def _prove(device: Device, n: int, m: int, own: dict[str, Buffer]) -> tuple[tuple[Any, Any, float], float]:
    """Return least, largest and mean weight, and the typical one; raise GraphError where the rows are none."""
    weights = own.get("weights")
    program = device.program("adopt")
    faults = device.alloc(program.names.FAULTS, np.uint32, fill=0)
    device.launch(program, "offsets", n + 1, own["indptr"], n, m, faults)
    device.launch(program, "targets", m, own["indices"], m, n, faults)
    wrong: npt.NDArray[Any] = device.download(faults)
    if wrong[program.names.OFFSETS]:
        raise GraphError(f"indptr must rise from 0 to len(indices) = {m}")
    if wrong[program.names.TARGETS]:
        raise GraphError(f"vertex ids must be 0…{n - 1}")
    return ((1, 1, 1.0), 1.0) if weights is None or not m else _weigh(device, weights)


def _weigh(device: Device, weights: Buffer) -> tuple[tuple[Any, Any, float], float]:
    kind = source.type_name(weights.dtype)
    program = device.program("weights", weight=kind, dist=kind.replace("i", "u"))
    faults = device.alloc(program.names.FAULTS, np.uint32, fill=0)
    threads = program.block * min(-(-weights.size // program.block), device.info.units)
    found = device.alloc(2 * threads, weights.dtype)
    device.launch(program, "weights_of", threads, weights, weights.size, found, faults)
    some = device.download(found)
    if device.download(faults)[program.names.NUMBERS]:
        raise GraphError("weights must be numbers (+inf means no edge)")
    sample = device.download(weights, 0, min(weights.size, SAMPLE)).astype(np.float64)
    sample = sample[np.isfinite(sample)]
    mean = float(sample.mean()) if len(sample) else 0.0
    typical = max(0.0, min(mean, 2 * float(np.median(sample)))) if len(sample) else 0.0
    return (some[::2].min().item(), some[1::2].max().item(), mean), typical

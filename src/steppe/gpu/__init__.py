"""Devices, and the searches that run on them.

choose.py finds devices by name; device.py says what every device can do, cuda.py and opencl.py do it, with memory.py (byte budget and
buffers), source.py (kernel text) and images.py (compiled kernels on disk). rows.py keeps copies of graphs on a device, keys.py turns
distances into the integers that kernels compare, layout.py lists the arrays of a search. The searches are host loops: loops/ with all
edges on the device, stream/ with edges that come and go; their kernels are in kernels/. Importing this loads no driver and no loop.
"""

from typing import Any

from ..graph import arrays as _arrays
from .choose import default_device, devices, get_device, holder, set_default_device
from .device import Counters, Device, DeviceInfo
from .launches import Program
from .memory import Buffer, Memory


class _Foreign:
    """Takes arrays of other libraries; what does so is loaded when the first comes."""

    def is_on_device(self, array: Any) -> bool:
        from . import exchange

        return exchange.place_of(array) is not None

    def to_host(self, array: Any) -> Any:
        from . import adopt

        return adopt.to_host(array)

    def graph_of(self, cls: Any, indptr: Any, indices: Any, weights: Any, *, labels: Any, directed: bool) -> Any:
        from . import adopt

        return adopt.graph_of(cls, indptr, indices, weights, labels=labels, directed=directed)


_arrays.foreign.append(_Foreign())

__all__ = [
    "Buffer",
    "Counters",
    "Device",
    "DeviceInfo",
    "Memory",
    "Program",
    "default_device",
    "devices",
    "get_device",
    "holder",
    "set_default_device",
]

"""Memory of a device: the byte budget, and the buffers that are counted against it."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import DeviceMemoryError

if TYPE_CHECKING:
    import numpy as np

    from .device import Device

Handle = Any  # what a driver gives out; only cuda.py and opencl.py look inside


@dataclass
class Memory:
    """The byte budget of a device."""

    limit: int
    used: int = 0
    peak: int = 0
    room: int | None = None  # what the driver had for us when it last refused something within the budget
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def free(self) -> int:
        """Bytes that may still be allocated."""
        return self.limit - self.used

    def take(self, size: int, device: str) -> None:
        """Count an allocation, or refuse it."""
        with self.lock:
            if size > self.free:
                msg = f"{device}: {size:,} bytes needed, {self.free:,} of {self.limit:,} free"
                raise DeviceMemoryError(msg, needed=size, free=self.free)
            self.used += size
            self.peak = max(self.peak, self.used)

    def give(self, size: int) -> None:
        """Count a release."""
        with self.lock:
            self.used -= size


class Buffer:
    """An array on a device; freed with its last reference, or by `free`."""

    __slots__ = ("device", "dtype", "handle", "nbytes", "size")

    def __init__(self, device: Device, size: int, dtype: np.dtype[Any], handle: Handle) -> None:
        self.device, self.size, self.dtype, self.handle = device, size, dtype, handle
        self.nbytes = size * dtype.itemsize

    def free(self) -> None:
        """Give the memory back now."""
        handle, self.handle = self.handle, None
        if handle is not None and not self.device.is_forked():
            self.device._free(handle)
            self.device.memory.give(self.nbytes)

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self.free()

    def __repr__(self) -> str:
        return f"Buffer({self.size}, {self.dtype}, {self.device.info.name})"

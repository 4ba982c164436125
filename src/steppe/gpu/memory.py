"""Memory of a device: the byte budget, and the buffers that are counted against it."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any

from ..errors import DeviceMemoryError
from ..machine import locks

if TYPE_CHECKING:
    import numpy as np

    from .device import Device

Handle = Any  # what a driver gives out; only cuda.py and opencl.py look inside


RESERVE = 256 << 20
"""Bytes of a device's memory that are left alone: drivers round allocations up to large pages, load code, and serve others, too."""


def without_reserve(free: int) -> int:
    """Return how much of the free memory may be planned with: all but RESERVE or 3 % of it, on a small device but a quarter.

    Examples
    --------
    >>> without_reserve(100 << 30) / (1 << 30), without_reserve(400_000)
    (97.0, 300000)
    """
    return free - min(max(RESERVE, 3 * free // 100), free // 4)


class Memory:
    """The byte budget of a device.

    A buffer may be freed by the garbage collector, at any moment and so in the middle of the methods here. Hence `give` waits for
    nobody: it notes what came back, in one step, and whoever next asks how much is used counts it.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.peak = 0
        self.room: int | None = None
        """What the driver had for us when it last refused something within the budget."""
        self._taken = 0
        self._given: deque[int] = deque()
        self._lock = locks.make()

    @property
    def used(self) -> int:
        """Bytes that are allocated."""
        with self._lock:
            while self._given:
                given = self._given.popleft()
                self._taken -= given
            return self._taken

    @property
    def free(self) -> int:
        """Bytes that may still be allocated."""
        return self.limit - self.used

    def take(self, size: int, device: str) -> None:
        """Count an allocation, or refuse it."""
        with self._lock:
            if size > self.free:
                msg = f"{device}: {size:,} bytes needed, {self.free:,} of {self.limit:,} free"
                raise DeviceMemoryError(msg, needed=size, free=self.free)
            self._taken += size
            self.peak = max(self.peak, self._taken)

    def give(self, size: int) -> None:
        """Count a release."""
        self._given.append(size)


class Buffer:
    """An array on a device; freed with its last reference, or by `free`. One that has an `owner` is borrowed, and only let go."""

    __slots__ = ("device", "dtype", "handle", "nbytes", "owner", "size")

    def __init__(
        self, device: Device, size: int, dtype: np.dtype[Any], handle: Handle, owner: object | None = None
    ) -> None:
        self.device, self.size, self.dtype, self.handle, self.owner = device, size, dtype, handle, owner
        self.nbytes = size * dtype.itemsize

    def free(self) -> None:
        """Give the memory back now."""
        handle, self.handle = self.handle, None
        if self.owner is not None:
            self.owner = None
        elif handle is not None and not self.device.is_forked():
            self.device._free(handle)
            self.device.memory.give(self.nbytes)

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self.free()

    def __repr__(self) -> str:
        return f"Buffer({self.size}, {self.dtype}, {self.device.info.name})"

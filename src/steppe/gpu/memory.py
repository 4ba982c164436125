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
    from .spares import Spares

Handle = Any  # an object of the driver; only cuda.py and opencl.py know its type


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

    The garbage collector may free a buffer at any moment, also in the middle of the methods here. Hence `give` and `spare` take no lock: they
    append what came back, in one step, and the next read of `allocated` or `used` adds it up.

    What the driver gave is `allocated`; the part of it that no search uses now and that is kept for the next one (spares.py) counts as free,
    because it is freed as soon as something else needs the room. Both together never pass the limit.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.peak = 0
        self.room: int | None = None
        """What the driver had for us when it last refused something within the budget."""
        self._taken = 0
        self._given: deque[int] = deque()
        self._spare = 0
        self._spared: deque[int] = deque()
        self._lock = locks.make()

    @property
    def allocated(self) -> int:
        """Bytes that the driver gave us."""
        with self._lock:
            while self._given:
                given = self._given.popleft()
                self._taken -= given
            return self._taken

    @property
    def used(self) -> int:
        """Bytes that are allocated and not spare."""
        with self._lock:
            while self._spared:
                spared = self._spared.popleft()
                self._spare += spared
            return self.allocated - self._spare

    @property
    def free(self) -> int:
        """Bytes that may still be allocated."""
        return self.limit - self.used

    def take(self, size: int, device: str) -> None:
        """Count an allocation, or refuse it."""
        with self._lock:
            if size > self.limit - self.allocated:
                msg = f"{device}: {size:,} bytes needed, {self.free:,} of {self.limit:,} free"
                raise DeviceMemoryError(msg, needed=size, free=self.free)
            self._taken += size
            self.peak = max(self.peak, self.used)

    def give(self, size: int) -> None:
        """Count a release."""
        self._given.append(size)

    def spare(self, size: int) -> None:
        """Count what is kept for the next search; a negative size: what is taken from there."""
        self._spared.append(size)
        if size < 0:
            with self._lock:
                self.peak = max(self.peak, self.used)


class Buffer:
    """An array on a device; freed with its last reference, or by `free`.

    One with an `owner` is borrowed, and only released. The memory of one with `spares` goes there, for the next search.
    """

    __slots__ = ("device", "dtype", "handle", "nbytes", "owner", "size", "spares")

    def __init__(
        self,
        device: Device,
        size: int,
        dtype: np.dtype[Any],
        handle: Handle,
        owner: object | None = None,
        spares: Spares | None = None,
    ) -> None:
        self.device, self.size, self.dtype, self.handle = device, size, dtype, handle
        self.owner, self.spares = owner, spares
        self.nbytes = size * dtype.itemsize

    def give_out(self) -> None:
        """Keep this memory from later searches: another library may still read it, on its own stream, after it has released it."""
        self.spares = None
        if isinstance(self.owner, Buffer):
            self.owner.give_out()

    def free(self) -> None:
        """Give the memory back now."""
        handle, self.handle = self.handle, None
        spares, self.spares = self.spares, None
        if self.owner is not None:
            self.owner = None
        elif handle is not None and not self.device.is_forked():
            if spares is not None:
                spares.put(self.nbytes, handle)
            else:
                self.device._free(handle)
                self.device.memory.give(self.nbytes)

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self.free()

    def __repr__(self) -> str:
        return f"Buffer({self.size}, {self.dtype}, {self.device.info.name})"

"""Pinned: two fixed buffers of host memory that the driver may copy from in the background, used in turn.

A driver copies from pageable memory only after it has taken it over, and makes the host wait. Memory that is pinned cannot be swapped out, so
there is little of it, however large the parts are: a part goes through in chunks. While one chunk is on its way, several threads fill the
other; and while both are, the device computes.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...errors import DeviceMemoryError
from ...machine import locks, threads

if TYPE_CHECKING:
    from ..device import Device
    from ..memory import Buffer, Handle

CHUNK = 32 << 20
"""Bytes of each of the two buffers."""

STRIP = 1 << 16  # elements that one thread copies at a time


_kept: weakref.WeakKeyDictionary[Device, weakref.ref[Pinned]] = weakref.WeakKeyDictionary()
_lock = locks.make()


def shared(device: Device) -> Pinned | None:
    """Return the buffers of a device, which all searches on it share as long as there is one; None where the system pins no more."""
    with _lock:
        kept = _kept.get(device)
        found = None if kept is None else kept()
        if found is None:
            try:
                found = Pinned(device)
            except DeviceMemoryError:
                return None
            _kept[device] = weakref.ref(found)
        return found


class Pinned:
    """The two buffers."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.buffers = [device.staging(CHUNK, np.uint8) for _ in range(2)]
        self.until: list[Handle] = [None, None]  # the copies that still read them
        self.turn = 0
        self._lock = locks.make()

    def copy(self, array: npt.NDArray[Any], into: Buffer, *, after: Handle) -> list[Handle]:
        """Copy an array into a buffer on the second queue, after `after`; gives the event of its end, none for nothing."""
        each = CHUNK // array.itemsize
        last: list[Handle] = []
        for begin in range(0, len(array), each):
            some = min(each, len(array) - begin)
            strips = np.arange(0, some, STRIP, dtype=np.int64)
            with self._lock:
                if self.until[self.turn] is not None:
                    self.device.finish(self.until[self.turn])
                view = self.buffers[self.turn].view(array.dtype)[:some]
                _core.gather(array, begin + strips, strips, view, threads.resolve(None))
                last = [self.device.upload_async(view, into, offset=begin, after=after)]
                self.until[self.turn] = last[0]
                self.turn = 1 - self.turn
        return last

"""Downloads: large results come down through two small pinned buffers of the host, used in turn.

A driver copies into pageable memory by way of a small pinned buffer of its own, and the copy waits while the host empties it. With two of them the
device fills one while the host empties the other. The result itself is not pinned: the user may keep it, and systems pin little.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DeviceMemoryError
from ..machine import locks

if TYPE_CHECKING:
    import numpy.typing as npt

    from .device import Device
    from .memory import Handle

CHUNK = 4 << 20
"""Bytes of each of the two buffers; a GPU fills one in a third of a millisecond (an estimate)."""

FROM = 1 << 18
"""Bytes from which this pays."""


class Downloads:
    """The two buffers of a device, made when first needed."""

    def __init__(self) -> None:
        self._buffers: list[npt.NDArray[np.uint8]] | None = None
        self._lock = locks.make()

    def read(self, device: Device, array: npt.NDArray[Any], handle: Handle, offset: int) -> bool:
        """Fill a contiguous array from byte `offset` on of what `handle` names, after all that was enqueued; False where nothing can be pinned."""
        with self._lock:
            if self._buffers is None:
                try:
                    self._buffers = [device.staging(CHUNK, np.uint8) for _ in range(2)]
                except DeviceMemoryError:
                    self._buffers = []
            if not self._buffers:
                return False
            target, chunk = array.reshape(-1).view(np.uint8), len(self._buffers[0])
            on_the_way: list[tuple[npt.NDArray[np.uint8], Handle]] = []
            for turn, (begin, end) in enumerate(pairwise([*range(0, target.size, chunk), target.size])):
                buffer = self._buffers[turn % 2][: end - begin]
                on_the_way.append((target[begin:end], (buffer, device._read_async(buffer, handle, offset + begin))))
                if turn:
                    self._arrive(device, *on_the_way.pop(0))
            for part, copy in on_the_way:
                self._arrive(device, part, copy)
            return True

    @staticmethod
    def _arrive(device: Device, part: npt.NDArray[np.uint8], copy: tuple[npt.NDArray[np.uint8], Handle]) -> None:
        buffer, event = copy
        device.finish(event)
        part[:] = buffer

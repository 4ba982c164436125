"""Spares: memory of a search that has ended, kept with the graph's rows on a device for the next search.

A dozen allocations, and as many releases that each wait for the whole device, cost a GPU more than a small search. The arrays of a search are put
here, by size; the next search takes those that fit, and allocates the rest. All searches of a device use one queue, so a search that takes an array
comes after all launches that used it before.

Spares count as free in the device's budget: they are freed when anything needs the room, when the graph is freed, and when some searches in a row
had no use for them. Buffers come back whenever the garbage collector finds them, so nothing here holds a lock: each step is one operation of a
deque, which is atomic.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .device import Device
    from .memory import Handle

PATIENCE = 4
"""Searches after which memory of a size that none of them needed is freed: the number of targets may differ from search to search."""


class Spares:
    """Memory kept for searches of one graph on one device."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._kept: dict[int, deque[Handle]] = {}
        self._wanted: dict[int, int] = {}
        self._searches = 0

    def begin(self) -> None:
        """Note that a search begins; free what the last ones did not need."""
        self._searches += 1
        for size in list(self._kept):
            if self._wanted.get(size, 0) < self._searches - PATIENCE:
                self._empty(size)

    def take(self, nbytes: int) -> Handle:
        """Return memory of this very size; None if there is none."""
        self._wanted[nbytes] = self._searches
        try:
            handle = self._kept[nbytes].pop()
        except (KeyError, IndexError):
            return None
        self._device.memory.spare(-nbytes)
        return handle

    def put(self, nbytes: int, handle: Handle) -> None:
        """Keep memory of a search that has ended."""
        self._device.memory.spare(nbytes)
        self._kept.setdefault(nbytes, deque()).append(handle)

    def give_back(self) -> int:
        """Free all that is kept; return how many bytes that was."""
        return sum(self._empty(size) for size in list(self._kept))

    def _empty(self, size: int) -> int:
        freed = 0
        while True:
            try:
                handle = self._kept[size].pop()
            except IndexError:
                return freed
            self._device._free(handle)
            self._device.memory.give(size)
            self._device.memory.spare(-size)
            freed += size

    def __del__(self) -> None:
        if not sys.is_finalizing() and not self._device.is_forked():
            self.give_back()

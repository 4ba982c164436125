"""Spares: memory of a search that has ended, kept with the graph's rows on a device for the next search.

A dozen allocations, and as many releases that each wait for the whole device, cost a GPU more than a small search. What a search had is put here, by
its size; the next one takes what it finds, and asks the driver for the rest. All searches of a device use one queue, so whoever takes an
array comes after all that was enqueued on it before.

Spares count as free in the device's budget: they are given back when anything needs the room, and when the graph goes. What some searches in
a row had no use for goes, too. Buffers come back whenever the garbage collector finds them, so nothing here holds a lock: each step is one
operation of a deque, which no other thread can see half done.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .device import Device
    from .memory import Handle

PATIENCE = 4
"""Searches after which a size that none of them wanted is given back: the number of targets may be another one each time."""


class Spares:
    """Memory kept for searches of one graph on one device."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._kept: dict[int, deque[Handle]] = {}
        self._wanted: dict[int, int] = {}
        self._searches = 0

    def begin(self) -> None:
        """Tell that a search begins; what the last ones did not want is given back."""
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

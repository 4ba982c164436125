"""Slots: the room for edges on a device, which parts of the graph are in it, and how they get there.

A part stays in its slot until the room is needed for another one. Parts that are read again and again in turn would push
each other out if the oldest always went; so a part stays as long as it is in use (in this pass or the last), and two slots take
what comes by: one is copied to while the device computes on the other. Copies read straight from the graph's arrays, which may be
mapped files, whose pages are let go when they have been read; on a GPU they go through two pinned buffers (pinned.py), without which
the driver would not copy in the background.

For a part of which few rows are wanted, the host gathers these instead. Which is better follows from what has been measured so
far: the rates of copies and of gathering, and how much more work a part gave while it was there than it had when it came (in
a road network, where a row's neighbours lie in the same part, many times as much; in a random graph hardly more). A byte copied is charged
more than its time: the link and the memories at its ends serve others, too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...machine import threads
from .pinned import shared

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ..device import Device
    from ..memory import Buffer, Handle
    from .parts import Parts

Array = npt.NDArray[Any]

PASSING = 2  # slots that take what comes by
EMPTY, PASSED = -1, -2  # what a slot holds: nothing yet, or gathered edges
STAGE = 1 << 21  # edges gathered at a time: so many lie on the host
STRETCH = 1 << 24  # edges of a mapped file that are gathered from before their pages are let go
GATHER_COSTS = 100e-6  # seconds that gathering costs beside the edges: launches, reads of the counts, copies
RATES = 4e9, 1e8  # bytes copied and edges gathered per second, before anything has been measured
LEARN = 0.5  # weight of the last measurement
PRICE = 8.0  # times its seconds that a copy is charged


@dataclass
class Slot:
    """Room for one part."""

    indices: Buffer
    weights: Buffer
    part: int = EMPTY
    arriving: list[Handle] = field(default_factory=list)
    used_until: Handle = None  # the end of what computes on it


class Slots:
    """All slots, and the host's side of what is copied into them."""

    def __init__(self, device: Device, graph: Graph, parts: Parts, slots: list[Slot], *, weighted: bool) -> None:
        self.device, self.graph, self.parts, self.slots = device, graph, parts, slots
        self.arrays: list[Array] = [graph.indices]
        if weighted and graph.weights is not None:
            self.arrays.append(graph.weights)
        self.edge = sum(array.dtype.itemsize for array in self.arrays)
        self.pinned = shared(device) if device.info.is_gpu and parts.count else None
        self.stage: list[Array] = []  # made by the first `gather`
        self.mapped = graph.is_mapped
        self.turn = 0  # of the slots in passage
        self.used = np.full(parts.count, -2, dtype=np.int64)  # the last pass that had work for a part
        self.now = 0
        self.copied = 0  # bytes of edges
        self.seconds = 0.0  # in which the host did nothing but copy, or wait for a copy
        self.copy_rate, self.gather_rate = RATES
        self.gain = 1.0  # edges worked on while a part was there / when it came

    def find(self, part: int) -> Slot | None:
        """Return the slot that holds a part, or is about to."""
        return next((slot for slot in self.slots if slot.part == part), None)

    def choose(self, keep: set[int]) -> Slot | None:
        """Return a slot for a part that comes; None if all hold parts to `keep`."""
        free = [slot for slot in self.slots if slot.part not in keep]
        idle = [slot for slot in free if slot.part < 0 or self.used[slot.part] < self.now - 1]
        if idle:
            return min(idle, key=lambda slot: slot.part - 2 if slot.part < 0 else self.used[slot.part])
        passing = [slot for slot in self.slots[:PASSING] if slot in free]
        self.turn += 1
        return passing[self.turn % len(passing)] if passing else None

    def load(self, part: int, slot: Slot) -> None:
        """Start to copy a part, after what computes on the slot's edges."""
        begin, end = int(self.parts.bounds[part]), int(self.parts.bounds[part + 1])
        begun = time.perf_counter()
        slot.arriving = []
        for array, into in zip(self.arrays, (slot.indices, slot.weights), strict=False):
            if self.pinned is None:
                slot.arriving.append(self.device.upload_async(array[begin:end], into=into, after=slot.used_until))
            else:
                slot.arriving += self.pinned.copy(array[begin:end], into, after=slot.used_until)
        if self.pinned is not None:
            self._let_go(begin, end)  # it has been read
        slot.part = part
        self.copied += (end - begin) * self.edge
        self.seconds += time.perf_counter() - begun

    def arrive(self, slot: Slot, *, finished: bool = False) -> None:
        """Let the device wait until the slot's part is there; the host, too, if the copy is to be `finished` or reads the graph's arrays."""
        begun = time.perf_counter()
        for event in slot.arriving:
            if self.pinned is None or finished:
                self.device.finish(event)
            self.device.wait(event)
        if slot.arriving and slot.part >= 0 and self.pinned is None:
            self._let_go(int(self.parts.bounds[slot.part]), int(self.parts.bounds[slot.part + 1]))
        slot.arriving = []
        self.seconds += time.perf_counter() - begun

    def _let_go(self, begin: int, end: int) -> None:
        if self.mapped:
            for array in self.arrays:
                _core.release(array, begin, end)

    def fetch(self, part: int, slot: Slot) -> None:
        """Copy a part now, and learn how long that takes."""
        before = self.seconds
        self.load(part, slot)
        self.arrive(slot, finished=True)
        size = int(self.parts.bounds[part + 1] - self.parts.bounds[part]) * self.edge
        self.copy_rate += LEARN * (size / max(self.seconds - before, 1e-7) - self.copy_rate)

    def is_gather_better(self, part: int, edges: int) -> bool:
        """Whether to gather `edges` of a part rather than to copy it all."""
        if any(slot.part == EMPTY for slot in self.slots):
            return False
        whole = int(self.parts.bounds[part + 1] - self.parts.bounds[part]) * self.edge / self.copy_rate
        gathered = GATHER_COSTS + edges / self.gather_rate + PRICE * edges * self.edge / self.copy_rate
        return self.gain * gathered < PRICE * whole

    def learn(self, came: int, done: int) -> None:
        """Learn from a part that had work for `came` edges at first, and in the end for `done`."""
        self.gain = 0.8 * self.gain + 0.2 * done / max(came, 1)

    def gather(self, places: Array, lengths: Array, slot: Slot) -> Array:
        """Copy the pieces of `lengths` edges at `places` into a slot, one behind the other; returns their new places."""
        begun, gathering = time.perf_counter(), 0.0
        ends = np.cumsum(lengths, dtype=np.int64)
        starts = ends - lengths
        room = min(self.parts.size, STAGE)  # no piece is longer
        self.stage = self.stage or [np.empty(room, a.dtype) for a in self.arrays]
        slot.part = PASSED
        stretch = places // self.parts.size // max(1, STRETCH // self.parts.size)  # the order is that of parts at best
        stops = np.append(np.flatnonzero(np.diff(stretch)) + 1, len(places))
        i = 0
        while i < len(places):
            first = int(starts[i])
            j = int(
                min(np.searchsorted(ends, first + room, side="right"), stops[np.searchsorted(stops, i, side="right")])
            )
            last = int(ends[j - 1])
            for array, out, target in zip(self.arrays, self.stage, (slot.indices, slot.weights), strict=False):
                before = time.perf_counter()
                _core.gather(array, places[i:j], starts[i:j] - first, out[: last - first], threads.resolve(None))
                gathering += time.perf_counter() - before
                self.device.upload(out[: last - first], into=target, offset=first)
            self._let_go(int(places[i:j].min()), int((places[i:j] + lengths[i:j]).max()))
            i = j
        total = int(ends[-1])
        self.gather_rate += LEARN * (total / max(gathering, 1e-7) - self.gather_rate)
        self.copied += total * self.edge
        self.seconds += time.perf_counter() - begun
        return starts

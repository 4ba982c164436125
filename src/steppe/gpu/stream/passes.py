"""Passes: the device arrays of one streamed search, its launches, and the order in which it takes the parts (stream.py)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import source
from ..layout import Layout
from ..loops import work as _work
from ..loops.delta_stepping import choose_delta
from .parts import cut
from .slots import Slot, Slots

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.graph import Graph
    from ...planning.question import Question
    from ..device import Device
    from ..keys import Keys
    from ..memory import Buffer

Array = npt.NDArray[Any]

ITERATIONS = 64  # on a part, while it is there
TRICKLE = 8  # work on a part ends when this much less is left than there was


def layout(n: int, keys: Keys, *, recorded: bool, groups: int, sources: int, targets: int, parents: bool) -> Layout:
    """Return the arrays of a streamed search that do not depend on the parts, on a device of so many groups of threads."""
    nothing = keys.infinity << 32 | 0xFFFFFFFF if recorded else 0
    return Layout(
        ("indptr", n + 1, np.int64),
        ("dist", 1 if recorded else n, keys.dtype, keys.infinity),
        ("cells", n if recorded else 1, np.uint64, nothing),
        ("parents", n if parents else 1, np.int32, -1),
        ("tallies", source.names("stream.c").TALLIES * groups, np.uint64, 0),
        ("sources", sources, np.int32),
        ("targets", targets, np.int32),
    )


class Passes:
    """One search: its arrays on the device, and its launches."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        question: Question,
        keys: Keys,
        method: str,
        *,
        part_size: int | None = None,
        room: int | None = None,
    ) -> None:
        self.device, self.graph, self.question, self.keys = device, graph, question, keys
        n = graph.num_vertices
        weights = None if graph.weights is None or method == "bfs" else graph.weights.dtype
        parents = method == "bellman-ford"
        self.recorded = _work.is_recorded(keys, question.record_paths, device.info.has_atomic_64)
        sources = np.unique(question.sources).astype(np.int32)
        ends = {"sources": len(sources), "targets": len(question.targets)}
        table = layout(n, keys, recorded=self.recorded, groups=device.max_groups, parents=parents, **ends)
        memory = device.memory
        free = memory.free if room is None else min(memory.free, room - memory.used)
        size: dict[str, Any] = {"free": free, "fixed": table.nbytes, "keys": keys, "weights": weights}
        self.parts = cut(graph, memory, **size, device=device.info.name, wanted=part_size)

        arrays = (table + self.parts.layout(keys, weights)).allocate(device)
        self.indptr = device.upload(graph.indptr, into=arrays.indptr)
        self.dist, self.cells, self.parents = arrays.dist, arrays.cells, arrays.parents
        self.marks, self.state, self.least, self.tallies = arrays.marks, arrays.state, arrays.least, arrays.tallies
        self.list = (arrays.vertices, arrays.places, arrays.lengths)
        each = [arrays.no_weights] * len(arrays.indices) if weights is None else arrays.weights
        slots = [Slot(*pair) for pair in zip(arrays.indices, each, strict=True)]
        self.slots = Slots(device, graph, self.parts, slots, weighted=weights is not None)
        self.targets = device.upload(question.targets.astype(np.int32), into=arrays.targets)

        # A CPU has no threads for the edges of one row: there a team would only be idle.
        small, self.team = (_work.SMALL, _work.TEAM) if device.info.is_gpu else (_work.CHUNK, 1)
        defines: dict[str, Any] = {"SMALL": small, "CHUNK": _work.CHUNK}
        flags = {"RECORD": self.recorded, "UNWEIGHTED": weights is None, "PARENTS": parents}
        defines |= {name: 1 for name, wanted in flags.items() if wanted}
        self.program = device.program("stream", block=_work.BLOCK, **keys.build, **defines)
        self.names = self.program.names
        self.delta = 1.0 if method == "bfs" else 0.0
        if method == "delta-stepping":
            self.delta = choose_delta(graph, keys, question.delta)
        self.last = self.first_bound()
        self.limit = keys.limit(question.bound)
        self.parity = self.passes = self.rounds = self.faults = 0
        self.pieces = self.edges = np.zeros(0, np.int64)
        self.nearest: Array = np.zeros(0, keys.dtype)
        self._begin(device.upload(sources, into=arrays.sources))

    def first_bound(self) -> int:
        """Return the key up to which vertices are worked on first: that of the sources, or all."""
        return self.keys.zero if self.delta else self.keys.infinity

    def _begin(self, sources: Buffer) -> None:
        numbers = (self.parts.count, self.parts.size, sources, sources.size, self.keys.zero, self.last)
        shared = (self.indptr, self.dist, self.cells, self.marks, self.state, self.least)
        self.device.launch(self.program, "start", sources.size, *shared, *numbers)
        self.read_state()

    # What the device does

    def collect(self, part: int) -> None:
        """Enqueue: put the part's near rows on the work list."""
        first, beyond = int(self.parts.first[part]), int(self.parts.beyond[part])
        shared = (self.indptr, self.marks, self.state, self.least, self.parts.size, *self.list, self.parts.capacity)
        self.device.launch(self.program, "collect", beyond - first, *shared, part, first, beyond, self.parity)

    def relax(self, slot: Slot, base: int, pieces: int) -> None:
        """Enqueue: offer distances along the edges on the work list, which `slot` holds from edge `base` on."""
        edges = (self.indptr, slot.indices, slot.weights, base, self.dist, self.cells, self.parents)
        shared = (self.marks, self.state, self.least, self.parts.count, self.parts.size, *self.list)
        rest = (self.parts.capacity, self.tallies, self.parity, self.limit, self.last)
        self.device.launch(self.program, "relax", self.team * pieces + _work.BLOCK, *edges, *shared, *rest)
        slot.used_until = self.device.event()
        self.parity = 1 - self.parity
        self.rounds += 1

    def read_state(self) -> None:
        """Wait for the device; read how much work there is in each part."""
        state = self.device.download(self.state)
        self.faults = int(state[self.names.FAULTS])
        self.pieces, self.edges = state[self.names.OF_PARTS :].reshape(-1, 2).T.astype(np.int64)

    def work_done(self) -> tuple[int, int]:
        """Count edges relaxed and atomics so far."""
        sums = self.device.download(self.tallies).reshape(-1, self.names.TALLIES).sum(axis=0).tolist()
        return sums[self.names.EDGES], sums[self.names.ATOMICS]

    def advance(self) -> bool:
        """Move the bound on, where no vertex is below it; return whether there is anything left to do."""
        while not self.edges.any():
            furthest = int(self.device.download(self.least, self.parts.count, 1)[0])
            if furthest == self.keys.infinity or self._are_settled():
                return False
            before, self.last = self.last, self.keys.add(furthest, self.delta)
            self.device.fill(self.least, self.keys.infinity, self.parts.count, 1)
            n = self.graph.num_vertices
            shared = (self.indptr, self.dist, self.cells, self.marks, self.state, self.least)
            bounds = (self.parts.count, self.parts.size, n, before, self.last)
            self.device.launch(self.program, "widen", n, *shared, *bounds)
            self.read_state()
        return True

    def _are_settled(self) -> bool:
        if not self.targets.size or not self.delta:
            return False
        self.device.fill(self.state, 0, self.names.UNSETTLED, 1)
        arguments = (self.targets, self.targets.size, self.dist, self.cells, self.state, self.last)
        self.device.launch(self.program, "unsettled", self.targets.size, *arguments)
        return int(self.device.download(self.state, self.names.UNSETTLED, 1)[0]) == 0

    # The schedule

    def make_pass(self) -> None:
        """Work once on every part that has work now."""
        slots = self.slots
        self.passes += 1
        slots.now = self.passes
        self.nearest = self.device.download(self.least)[:-1]
        parts = np.flatnonzero(self.edges)
        slots.used[parts] = self.passes
        order = parts[np.argsort(self.nearest[parts], kind="stable")].tolist()
        here = [part for part in order if slots.find(part)]
        away = [part for part in order if not slots.find(part)]
        few = [part for part in away if slots.is_gather_better(part, int(self.edges[part]))]
        self._gather(few)
        self._stream(here + [part for part in away if part not in set(few)])

    def _stream(self, order: list[int]) -> None:
        """Work on these parts, each copied while the device works on the one before."""
        slots = self.slots
        for i, part in enumerate(order):
            slot = slots.find(part)
            if slot is None:
                slot = slots.choose(set())
                assert slot is not None  # noqa: S101 - there are two at least, or all parts have come
                slots.fetch(part, slot)
            slots.arrive(slot)
            self._iterate(part, slot, partial(self._load_next, order[i:]))

    def _load_next(self, order: list[int]) -> None:
        """Start to copy the first of these parts that is not there, if a slot is free of those that are."""
        coming = next((part for part in order[1:] if not self.slots.find(part)), None)
        free = None if coming is None else self.slots.choose(set(order))
        if coming is not None and free is not None:
            self.slots.load(coming, free)

    def _iterate(self, part: int, slot: Slot, meanwhile: Callable[[], None]) -> None:
        """Work on a part that is there, while it still improves; the host does `meanwhile` once the device is busy."""
        done, batch = 0, 1
        came, before = int(self.edges[part]), self.work_done()[0]
        while done < ITERATIONS:
            for _ in range(batch):
                self.collect(part)
                self.relax(slot, int(self.parts.bounds[part]), int(self.pieces[part]))
            if done == 0:
                meanwhile()
            done += batch
            batch = min(2 * batch, 8)
            self.read_state()
            if self.edges[part] * TRICKLE <= came:
                break
        self.slots.learn(came, self.work_done()[0] - before)

    def _gather(self, few: list[int]) -> None:
        """Work on parts of which few rows are wanted, as many at once as go into a slot."""
        while few:
            group, pieces, edges = 0, 0, 0
            for part in few:
                pieces += int(self.pieces[part])
                edges += int(self.edges[part])
                if pieces > self.parts.capacity or edges > self.parts.size:
                    break
                group += 1
            for part in few[:group]:
                self.collect(part)
            few = few[group:]
            state = self.device.download(self.state, 0, self.names.OF_PARTS).tolist()
            front, back = state[self.names.FRONT + self.parity], state[self.names.BACK + self.parity]
            ends = [(0, front), (self.parts.capacity - back, back)]
            _, places, lengths = self.list
            where, many = (
                np.concatenate([self.device.download(array, at, count) for at, count in ends])
                for array in (places, lengths)
            )
            slot = self.slots.choose(set(np.flatnonzero(self.edges).tolist())) or self.slots.slots[0]
            moved = self.slots.gather(where, many, slot)
            for (at, count), part_of in zip(ends, (moved[:front], moved[front:]), strict=True):
                if count:
                    self.device.upload(part_of, into=places, offset=at)
            self.relax(slot, 0, front + back)
            if few:
                self.read_state()
        self.read_state()

    # The answer

    def download(self) -> tuple[Array, Array | None]:
        """Download distances as users see them, and the predecessors recorded; ends the search."""
        # On a CPU the answer and the device share one memory: arrays that are no longer needed make room for it.
        for slot in self.slots.slots:
            slot.indices.free()
            slot.weights.free()
        for buffer in (*self.list, self.marks, self.indptr):
            buffer.free()
        if not self.recorded:
            return self.keys.distances(self.device.download(self.dist)), None
        cells = self.device.download(self.cells)
        distances = self.keys.distances((cells >> np.uint64(32)).astype(np.uint32))
        return distances, (cells & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)

    def outgrown(self) -> bool:
        """Whether a sum has left the type and mattered: beyond the cutoff it does not."""
        bound = self.question.bound
        above = self.faults & _work.ABOVE and (bound is None or bound > self.keys.largest)
        return bool(self.faults & _work.BELOW or above)

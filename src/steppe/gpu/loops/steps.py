"""Steps: what searches by rounds enqueue. Launches are prepared once for a search, and replayed in batches.

The kernels take all control from device memory, so a step is the same two launches whatever it has to do. Hence the answer does not depend on how
many of them are enqueued before the host reads the counts, nor on what repeats them: the host one by one, the driver as a graph
(`steppe.gpu.recording`), or one block of threads that makes all steps while they are small (the kernels called ``narrow``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..adopt import is_on_device
from ..keys import choices
from ..launches import Recording
from . import work as _work

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.graph import Graph
    from ...planning.question import Answer
    from ..device import Counters, Device
    from ..keys import Keys
    from ..launches import Launch, Program
    from .work import Work

NARROW = {True: 1024, False: 4096}
"""Entries of a frontier that one block still takes on alone: on a GPU (an estimate), and on a CPU, where it is one core of several."""
MOST = 1024  # steps of one such launch: some milliseconds
MOST_TO_TARGETS = 32  # where the search may stop at any of them
BLOCKS = 4  # for each multiprocessor of a GPU, where there is little to do


def room_of(device: Device) -> int:
    """Return how many entries of a frontier one block takes on alone."""
    return int(device.tuning.get("narrow", NARROW[device.info.is_gpu]))


class Batch:
    """What to enqueue before the host reads the counts: many steps on one block, or some steps on so many threads.

    A read costs about as much as a launch on PoCL and several on a GPU, so long searches with small frontiers read
    seldom; with large ones a wrong estimate of the number of threads would cost more than the read. Kernels stride, so any
    number of threads is right. Numbers come in few sizes, so that few batches are recorded: on a GPU a few blocks for each
    multiprocessor or all it can hold, on a CPU, where idle threads cost something, powers of two.
    """

    LONGEST = 32
    LARGE = 1 << 16

    def __init__(self, work: Work) -> None:
        device = work.device
        self.vertices = work.vertices
        self.is_gpu, self.room = device.info.is_gpu, room_of(device)
        self.least = BLOCKS * _work.BLOCK * device.info.units if self.is_gpu else 256
        self.whole = device.max_groups * _work.BLOCK
        self.rounds = 1
        self._aim(*_sizes(work))

    def saw(self, smalls: int, chunks: int) -> None:
        """Adapt to the size of the frontier."""
        self.rounds = 1 if smalls + _work.TEAM * chunks > self.LARGE else min(2 * self.rounds, self.LONGEST)
        self._aim(smalls, chunks)

    def _aim(self, smalls: int, chunks: int) -> None:
        self.is_narrow = smalls + (_work.CHUNK + 7) // 8 * chunks <= self.room
        touched = min(self.vertices, smalls * _work.SMALL + chunks * _work.CHUNK)  # at most
        self.relaxing = self._size(2 * (smalls + _work.TEAM * chunks))
        self.committing = self._size(touched)

    def _size(self, threads: int) -> int:
        if threads <= self.least:
            return self.least
        return self.whole if self.is_gpu else min(self.whole, 1 << (threads - 1).bit_length())


def _sizes(work: Work) -> tuple[int, int]:
    """Return the small vertices and the chunks among the sources."""
    if is_on_device(work.graph):
        return len(work.sources), 0  # only the device knows; the host reads it after the first step
    degrees = work.graph.degrees[work.sources % max(1, work.graph.num_vertices)]
    return int((degrees <= _work.SMALL).sum()), _work.chunks_of(degrees)


class Steps:
    """The launches of one search. A subclass has the arguments of its kernels, and reads its counts."""

    rounds: int
    faults: int

    def __init__(self, work: Work, program: Program) -> None:
        self.work, self.device, self.program, self.names = work, work.device, program, program.names
        self.batch = Batch(work)
        self.enqueued = 0
        self._prepared: dict[tuple[str, int], Launch] = {}
        self._recordings: dict[tuple[int, int, int], Recording] = {}

    def arguments(self, kernel: str, parity: int) -> tuple[object, ...]:
        """Return the arguments of a kernel."""
        raise NotImplementedError

    def read_state(self) -> bool:
        """Wait for what was enqueued; return whether the search is done."""
        raise NotImplementedError

    @property
    def most(self) -> int:
        """How many steps one block makes at a time."""
        return MOST_TO_TARGETS if len(self.work.question.targets) else MOST

    @property
    def room(self) -> int:
        """How many entries one block takes on."""
        return self.batch.room

    def launch_of(self, kernel: str, parity: int) -> Launch:
        """Return the launch of a kernel on one block, prepared on demand."""
        if (kernel, parity) not in self._prepared:
            made = self.device.prepare(self.program, kernel, 1, *self.arguments(kernel, parity))
            self._prepared[kernel, parity] = made
        return self._prepared[kernel, parity]

    def relax(self, parity: int) -> None:
        """Enqueue what is next."""
        self.device.replay([self.launch_of("relax", parity).on(self.batch.relaxing)])

    def commit(self, parity: int) -> None:
        """Enqueue the commit of what improved, which makes the next frontier."""
        self.device.replay([self.launch_of("commit", parity).on(self.batch.committing)])

    def advance(self) -> bool:
        """Enqueue a batch and wait for it; return whether the search is done."""
        if self.batch.is_narrow:
            self.device.replay([self.launch_of("narrow", self.enqueued % 2)])  # read_state() reads how many steps
        else:
            both = self._two_steps()
            self.device.replay(both[:2]) if self.batch.rounds == 1 else self.device.replay(both, self.batch.rounds // 2)
            self.enqueued += self.batch.rounds
        return self.read_state()

    def _two_steps(self) -> Recording:
        parity, sizes = self.enqueued % 2, (self.batch.relaxing, self.batch.committing)
        key = (parity, *sizes)
        if key not in self._recordings:
            self._recordings[key] = Recording(
                self.launch_of(kernel, side).on(threads)
                for side in (parity, 1 - parity)
                for kernel, threads in zip(("relax", "commit"), sizes, strict=True)
            )
        return self._recordings[key]

    def answer(self, counters: Counters, **explained: Any) -> Answer:
        """Return the answer of a search that is done; raise where a distance does not fit in 64 bits."""
        work, question = self.work, self.work.question
        distances = work.distances()
        if work.outgrown(self.faults):
            _work.overflow(work.graph, question.targets, np.asarray(distances))
        return _work.answer(distances, work.predecessors(), counters, question, rounds=self.rounds, **explained)


Kind = TypeVar("Kind", bound=Steps)


def finished(graph: Graph, make: Callable[[Keys], Kind]) -> Kind:
    """Search in the narrow type, and again in the wide one where sums overflow; return the steps of the search that is done."""
    for keys in choices(graph):
        steps = None  # its memory is free for the next search
        steps = make(keys)
        done = outgrown = False
        while not done and not outgrown:
            done = steps.advance()
            outgrown = keys.dist == "u32" and steps.work.outgrown(steps.faults)
        if not outgrown:
            break
    assert steps is not None  # noqa: S101 - there is a choice
    return steps

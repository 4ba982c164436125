"""Delta-stepping on a device (document 002; kernels/delta_stepping.c).

The device decides what each step is: light edges, heavy edges, or the next bucket. The host enqueues steps in batches
(steps.py), and reads the counts between them.

The width of the buckets is a power of two; ``planning/widths.py`` chooses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...planning.facts import facts_of
from ...planning.widths import on_device
from .. import source
from ..layout import Layout
from .steps import Steps, finished
from .work import Work

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ...planning.question import Answer, Question
    from ..device import Device
    from ..keys import Keys

LISTS = 4  # of work: two for the open bucket, two for its heavy edges


def choose_delta(graph: Graph, keys: Keys, wanted: float | None = None, *, device: Device | None = None) -> float:
    """Return the width of buckets, which the plan has chosen, as these keys can hold it; None: what a plan would say."""
    width = on_device(facts_of(graph), wanted, None if device is None else device.tuning.get("width"))
    return min(width, 2.0**30) if keys.dist == "u32" else width


def layout(n: int, keys: Keys, *, groups: int, targets: int) -> Layout:
    """Return what delta-stepping takes beside the arrays of `work.layout`, on a device of so many groups of threads."""
    names = source.names("delta_stepping.c")
    return Layout(
        ("pile", 2 * n, np.int32),
        ("mark", n, np.uint32, 0),
        ("counts", names.COUNTS, np.uint32, 0),
        ("bounds", names.BOUNDS, keys.dtype, keys.infinity),
        ("tallies", names.TALLIES * groups, np.uint64, 0),
        ("targets", targets, np.int32),
    )


class Buckets(Steps):
    """The steps of one search on a device."""

    def __init__(self, work: Work, delta: float) -> None:
        super().__init__(work, work.program("delta_stepping"))
        self.delta = delta
        device, graph, keys, names = work.device, work.graph, work.keys, self.names
        light, heavy = graph.min_weight <= delta, graph.max_weight > delta
        self.kinds = (names.LIGHT_EDGES if light else 0) | (names.HEAVY_EDGES if heavy else 0)
        targets = work.question.targets.astype(np.int32)
        table = layout(work.vertices, keys, groups=device.max_groups, targets=len(targets))
        arrays = table.allocate(device, work.spares)
        self.pile, self.mark, self.counts = arrays.pile, arrays.mark, arrays.counts
        self.bounds, self.tallies = arrays.bounds, arrays.tallies
        self.targets = device.upload(targets, into=arrays.targets)
        self.faults = self.rounds = 0
        # Before the first step the pile holds nothing and no bucket is open: the sources open bucket 0.
        first = self._key_of_first_bucket()
        device.fill(self.bounds, first, offset=names.LAST, count=2)
        device.fill(self.bounds, 0, offset=names.SETTLED, count=2)
        device.upload(np.array([len(work.sources)], np.uint32), into=self.counts, offset=names.TOUCHED + 1)
        self.commit(1)

    def _key_of_first_bucket(self) -> int:
        if self.work.keys.dist[0] == "u":
            return int(self.delta) - 1
        return int(np.array(self.delta, self.work.keys.dist.replace("f", "float")).view(self.work.keys.dtype)) - 1

    def arguments(self, kernel: str, parity: int) -> tuple[object, ...]:  # noqa: D102
        w = self.work
        lists, state = (
            (*w.lists, w.graph.num_vertices, w.touched, self.pile),
            (self.counts, self.bounds, self.tallies, parity),
        )
        if kernel == "commit":
            return (w.rows.indptr, w.dist, w.predist, w.cells, *lists, self.mark, *state, self.kinds)
        arrays = (w.rows.indptr, w.rows.indices, w.weights, w.dist, w.predist, w.cells, *lists)
        whole = w.keys.dist[0] == "u"
        widths = (w.limit, int(self.delta) if whole else self.delta, 0 if whole else 1 / self.delta)
        if kernel == "relax":
            return (*arrays, *state, *widths)
        return (*arrays, self.mark, *state, *widths, self.kinds, self.room, self.most)

    def read_state(self) -> bool:  # noqa: D102
        names = self.names
        if self.targets.size:
            self.device.fill(self.counts, 0, offset=names.UNSETTLED, count=1)
            ends = (self.targets, self.targets.size, self.work.dist, self.bounds, self.counts, self.enqueued % 2)
            self.device.launch(self.program, "unsettled", self.targets.size, *ends)
        counts = self.device.download(self.counts).tolist()
        self.enqueued += counts[names.NARROWED]
        parity = self.enqueued % 2
        self.rounds, self.faults = counts[names.STEPS], counts[names.FAULTS]
        near = counts[names.SMALLS + parity], counts[names.CHUNKS + parity]
        piles = counts[names.PILED :][:2]
        turn = counts[names.PHASE + parity] % 2
        required = counts[names.REQ_SMALLS + turn], counts[names.REQ_CHUNKS + turn]
        self.batch.saw(max(near[0], required[0], max(piles) // names.PILE_ENTRIES), max(near[1], required[1]))
        if self.work.question.progress is not None:
            self.work.question.progress(self.work_done()[0])
        if self.targets.size and counts[names.UNSETTLED] == 0:
            return True
        return bool(sum(near) + sum(required) + piles[counts[names.SIDE + parity]] == 0)

    def work_done(self) -> tuple[int, int, int]:
        """Count edges relaxed, edges read and atomics so far."""
        sums = self.device.download(self.tallies).reshape(-1, self.names.TALLIES).sum(axis=0).tolist()
        return sums[self.names.RELAXED], sums[self.names.READ], sums[self.names.ATOMICS]


def run(device: Device, graph: Graph, question: Question) -> Answer:
    """Search from `question.sources` on a device; see `steppe.planning.question`."""

    def buckets(keys: Keys) -> Buckets:
        delta = choose_delta(graph, keys, question.delta, device=device)
        return Buckets(Work(device, graph, question, keys, lists=LISTS), delta)

    with device.count() as counters:
        steps = finished(graph, buckets)
        relaxed, touched, atomics = steps.work_done()
        delta = int(steps.delta) if graph.is_integer else steps.delta
        return steps.answer(counters, delta=delta, edges_relaxed=relaxed, edges_touched=touched, atomics=atomics)

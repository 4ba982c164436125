"""Frontier on a device: rounds of relax and commit until nothing changes (document 000; kernels/frontier.c).

The host enqueues a batch of rounds (steps.py), then reads the length of the frontier. Integer distances are added up in 32 bits
first; if a sum does not fit, the search is done again in 64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import source
from ..layout import Layout
from .steps import Steps, finished
from .work import Work

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ...planning.question import Answer, Question
    from ..device import Device


LISTS = 2  # of work: this round's and the next one's


def layout(groups: int) -> Layout:
    """Return what rounds take beside the arrays of `work.layout`, on a device of so many groups of threads."""
    names = source.names("frontier.c")
    return Layout(("counts", names.COUNTS, np.uint32, 0), ("tallies", names.TALLIES * groups, np.uint64, 0))


class Rounds(Steps):
    """Rounds of relax and commit on a device; Bellman-Ford runs them too."""

    def __init__(self, work: Work) -> None:
        super().__init__(work, work.program("frontier"))
        arrays = layout(self.device.max_groups).allocate(self.device, work.spares)
        self.counts, self.tallies = arrays.counts, arrays.tallies
        self.rounds = self.faults = 0
        first = np.array([len(work.sources)], np.uint32)
        self.device.upload(first, into=self.counts, offset=self.names.TOUCHED + 1)
        self.commit(1)

    def arguments(self, kernel: str, parity: int) -> tuple[object, ...]:  # noqa: D102
        w = self.work
        lists = (*w.lists, w.touched, self.counts, self.tallies, parity)
        if kernel == "commit":
            return (w.rows.indptr, w.dist, w.predist, w.cells, *lists)
        arrays = (w.rows.indptr, w.rows.indices, w.weights, w.dist, w.predist, w.cells, *lists, w.limit)
        return arrays if kernel == "relax" else (*arrays, self.room, self.most)

    def read_state(self) -> bool:  # noqa: D102
        counts, names = self.device.download(self.counts).tolist(), self.names
        self.enqueued += counts[names.NARROWED]
        parity = self.enqueued % 2
        self.rounds, self.faults = counts[names.ROUNDS], counts[names.FAULTS]
        smalls, chunks = counts[names.SMALLS + parity], counts[names.CHUNKS + parity]
        self.batch.saw(smalls, chunks)
        if self.work.question.progress is not None:
            self.work.question.progress(self.work_done()[0])
        return bool(smalls + chunks == 0)

    def work_done(self) -> tuple[int, int]:
        """Count edges relaxed and atomics so far."""
        sums = self.device.download(self.tallies).reshape(-1, self.names.TALLIES).sum(axis=0).tolist()
        return sums[self.names.EDGES], sums[self.names.ATOMICS]


def run(device: Device, graph: Graph, question: Question) -> Answer:
    """Search from `question.sources` on a device; see `steppe.planning.question`."""
    with device.count() as counters:
        rounds = finished(graph, lambda keys: Rounds(Work(device, graph, question, keys, lists=LISTS)))
        edges, atomics = rounds.work_done()
        return rounds.answer(counters, edges_relaxed=edges, edges_touched=edges, atomics=atomics)

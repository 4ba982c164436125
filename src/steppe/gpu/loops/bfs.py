"""Breadth-first search on a device (document 003): the host's part of kernels/bfs.c.

The host decides between three kinds of launches, by the size of the frontier that it last read:

- ``narrow``: one block runs many levels as long as they are small. A launch costs more than such a level.
- ``wide``: the whole device, one level a launch; 1 to 32 of them between two reads, twice as many each time the frontier
  stays moderate.
- ``up``: bottom-up, when the frontier has more out-edges than the unreached vertices would read (Beamer, Asanović
  and Patterson, SC'12). It needs in-edges: those of an undirected graph, or of one whose reverse is there already.

A read is one download of 128 bytes. Python's signal handlers run between launches, so Ctrl-C works.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...planning.question import Answer
from .. import source
from ..exchange import DeviceArray
from ..layout import Layout
from ..rows import Rows, rows, spares
from .work import described, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from ...graph.graph import Graph
    from ...planning.question import Question
    from ..device import Device
    from ..memory import Buffer

_NAMES = source.names("bfs.c")
UNREACHED = _NAMES.UNREACHED
SMALL, MIDDLE = _NAMES.SMALL, _NAMES.MIDDLE
NARROW = 8192  # edges of a frontier that one block still takes on alone
LEVELS = 2048  # levels of one narrow launch: some milliseconds
ALPHA, BETA = 14, 24  # Beamer's thresholds
CLASSES = 3  # of vertices in the queue, by degree


@dataclass
class Level:
    """The state of the search, as last read from the device."""

    level: int
    entries: int
    edges: int
    over: bool
    touched: int
    atomics: int
    unsettled: int


def layout(
    n: int,
    m: int,
    *,
    sources: int,
    targets: int = 0,
    predecessors: bool = False,
    tree: bool = False,
    backwards: bool = False,
) -> Layout:
    """Return the arrays of a search; `tree`: of the variant that makes canonical predecessors."""
    return Layout(
        ("distances", n, np.int32, UNREACHED),
        ("predecessors", n if predecessors or tree else 1, np.int32, UNREACHED if tree else -1),
        ("owner", 1 if tree else n, np.int32),
        ("queue", 2 * sum(_places(n, m)), np.int32),
        ("state", _NAMES.STATE, np.uint32, 0),
        ("in_hubs", m // (MIDDLE + 1) if backwards else 0, np.int32),
        ("sources", sources, np.int32),
        ("targets", targets, np.int32),
    )


def _places(n: int, m: int) -> tuple[int, int, int]:
    """Return how many vertices of each class the queue has places for."""
    return n, min(n, m // SMALL + 1), min(n, m // MIDDLE + 1)


class Levels:
    """One search: its buffers on the device, and its launches."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        sources: npt.NDArray[np.int64],
        targets: npt.NDArray[np.int64] | None = None,
        *,
        predecessors: bool = False,
        tree_edges: Buffer | None = None,
        backwards: Rows | None = None,
        bound: int | None = None,
    ) -> None:
        n, m, first = graph.num_vertices, graph.num_edges, np.unique(sources).astype(np.int32)
        ends = np.zeros(0, np.int32) if targets is None else targets.astype(np.int32)
        self.device, self.n, self.m = device, n, m
        block = 256 if device.info.is_gpu else 64
        tree = tree_edges is not None
        flags = {"TREE": tree, "RECORD": predecessors}
        variant: dict[str, Any] = {name: 1 for name, wanted in flags.items() if wanted}
        self.program = device.program("bfs", block=block, SMALL=SMALL, MIDDLE=MIDDLE, **variant)
        self.names = self.program.names
        self.bound = UNREACHED - 1 if bound is None else min(int(bound), UNREACHED - 1)
        held, counts = rows(device, graph), {"sources": len(first), "targets": len(ends)}
        table = layout(n, m, **counts, predecessors=predecessors, tree=tree, backwards=backwards is not None)
        made = table.allocate(device, spares(device, graph))
        self.distances, self.predecessors, self.state = made.distances, made.predecessors, made.state
        self.indptr, self.places, self.backwards = held.indptr, _places(n, m), backwards
        indices = held.indices if tree_edges is None else tree_edges
        arrays = (held.indptr, indices, made.distances, made.predecessors, made.owner, made.queue)
        self.arrays = (*arrays, *self.places, made.state)
        self.slot = 0
        self.in_hubs, self.in_hub_count = made.in_hubs, 0
        if backwards is not None:
            in_hubs = np.flatnonzero(graph.reverse.degrees > MIDDLE).astype(np.int32)
            device.upload(in_hubs, into=self.in_hubs)
            self.in_hub_count = len(in_hubs)
        self.targets = device.upload(ends, into=made.targets)
        device.upload(first, into=made.sources)
        device.launch(self.program, "start", len(first), *self.arrays, made.sources, len(first))

    def read_state(self) -> Level:
        """Wait for the device, and read the state."""
        if self.targets.size:
            self.device.fill(self.state, 0, self.names.UNSETTLED, 1)
            arguments = (self.distances, self.targets, self.targets.size, self.state)
            self.device.launch(self.program, "unsettled", self.targets.size, *arguments)
        state, names = self.device.download(self.state).tolist(), self.names
        now = state[self.slot % 3 * names.SLOT :][: names.SLOT]
        return Level(
            level=now[names.LEVEL],
            entries=sum(now[:CLASSES]),
            edges=wide(now, names.EDGES),
            over=any(count > place for count, place in zip(now, self.places, strict=False)),
            touched=wide(state, names.TOUCHED),
            atomics=wide(state, names.ATOMICS),
            unsettled=state[names.UNSETTLED],
        )

    def _launch(self, kernel: str, threads: int, *more: object) -> None:
        self.device.launch(self.program, kernel, threads, *self.arrays, self.slot % 3, *more)
        self.slot += 1

    def narrow(self, levels: int) -> None:
        """Run up to so many small levels."""
        self._launch("narrow", 1, self.bound, NARROW, levels)

    def wide(self, threads: int) -> None:
        """Run one level."""
        self._launch("wide", threads, self.bound)

    def up(self) -> None:
        """Run one level by in-edges."""
        assert self.backwards is not None  # noqa: S101 - the caller has checked
        other = self.backwards
        arguments = (self.indptr, other.indptr, other.indices, self.distances, self.predecessors, self.n)
        hubs = (self.in_hubs, self.in_hub_count, self.state, self.slot % 3, self.bound)
        self.device.launch(self.program, "up", self.n, *arguments, *hubs)
        self.slot += 1

    def collect(self) -> None:
        """Make the queue of the level that is next, again."""
        self.device.fill(self.state, 0, self.slot % 3 * self.names.SLOT, CLASSES)
        self.device.launch(self.program, "collect", self.n, *self.arrays, self.slot % 3, self.n)

    def run(self, progress: Callable[[int], object] | None = None) -> Level:
        """Search to the end, or until all targets are reached; `progress` is called with the edges touched so far."""
        unexplored, before, batch, is_up = self.m, 0, 1, False
        while True:
            seen = self.read_state()
            if progress is not None:
                progress(seen.touched)
            if seen.entries == 0 or seen.level >= self.bound or (self.targets.size and seen.unsettled == 0):
                return seen
            unexplored -= seen.edges
            grows = seen.entries > before
            before = seen.entries
            if self.backwards is not None:
                if is_up:
                    is_up = grows or seen.entries * BETA > self.n
                    if not is_up:
                        self.collect()
                else:
                    is_up = grows and seen.edges > unexplored // ALPHA and seen.edges * 4 > self.n
            if is_up:
                batch = 1
                self.up()
                continue
            if seen.over:
                self.collect()
            if seen.edges <= NARROW:
                self.narrow(LEVELS // 32 if self.targets.size else LEVELS)
                batch = 1
            else:
                for _ in range(batch):
                    self.wide(max(2 * seen.entries, seen.edges))
                batch = min(2 * batch, 32) if not self.targets.size and seen.edges * 16 < self.n else 1


def run(device: Device, graph: Graph, question: Question) -> Answer:
    """Count hops from the nearest source: ``search`` is the question, weights do not matter.

    With ``question.record_paths`` the predecessors found on the way come too.
    """
    with device.count() as counters:
        there = graph._reverse_if_known() is not None
        levels = Levels(
            device,
            graph,
            question.sources,
            question.targets,
            predecessors=question.record_paths,
            backwards=rows(device, graph.reverse) if there else None,
            bound=None if question.bound is None else int(question.bound),
        )
        end = levels.run(question.progress)
        stays = question.result == "device"
        distances: Any = DeviceArray(levels.distances) if stays else device.download(levels.distances)
        predecessors = device.download(levels.predecessors) if question.record_paths else None
    explained: dict[str, Any] = {
        "rounds": end.level,
        "edges_relaxed": end.touched,
        "edges_touched": end.touched,
        "atomics": end.atomics,
    }
    return Answer(distances, predecessors, explained | described(counters))

"""Stream: shortest paths on a device that does not hold the edges (document 001; kernels/stream.c).

Vertex arrays stay on the device; edges pass through the slots of slots.py, in the parts of parts.py. One loop serves all
methods, which differ in `last`, the distance up to which vertices are worked on now: infinite for frontier and Bellman-Ford,
growing by delta for delta-stepping, by 1 for breadth-first search.

The document copies every part in every round (``schedule="every-part"``, kept for comparison). The schedule "active"

- takes only parts with a vertex to be worked on, first those on the device, then by least distance;
- works on a part several times over while it still finds something there;
- gathers the rows wanted where they are few, over many parts at once;
- starts to copy the next part before it works on this one.

A pass takes each part that had work when the pass began, so after k passes every path of k edges has been looked at:
which ends a search with a negative cycle at the latest after n passes, as Bellman and Ford do.
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DeviceError, DeviceMemoryError, DistanceOverflowError, SteppeError
from ..search import Answer
from . import work as _work
from .bellman_ford import look_for_cycle
from .delta_stepping import choose_delta
from .keys import Keys, choices
from .parts import Parts, cut
from .rows import forget, resident
from .slots import Slot, Slots

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph import Graph
    from ..search import Search
    from .device import Counters, Device

Array = npt.NDArray[Any]
log = logging.getLogger("steppe")

SCHEDULES = ("active", "every-part")
ITERATIONS = 64  # on a part, while it is there
TRICKLE = 8  # work on a part ends when this much less is left than there was
WIDEN = 4.0  # buckets this much wider than in memory: a pass over the parts costs more than edges relaxed twice
HEAD = 8  # of `state`, see kernels/stream.c
LOOK_FOR_CYCLE = 8  # passes
VERTEX = {"frontier": 36, "bellman-ford": 36, "delta-stepping": 56, "bfs": 24}  # bytes of a vertex, the edges in memory


class Stream:
    """One search: its arrays on the device, and its launches."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        search: Search,
        keys: Keys,
        method: str,
        *,
        schedule: str,
        part_size: int | None = None,
        room: int | None = None,
    ) -> None:
        self.device, self.graph, self.search, self.keys = device, graph, search, keys
        n = graph.num_vertices
        weighted = graph.weights is not None and method != "bfs"
        signed = method == "bellman-ford"
        self.recorded = (
            search.record_paths and not signed and keys.dtype.itemsize == 4 and device.info.has_atomic_64
        )
        sources = np.unique(search.sources).astype(np.int32)
        cells, dist, parents = n if self.recorded else 1, 1 if self.recorded else n, n if signed else 1
        held = 8 * (n + 1) + 8 * cells + keys.dtype.itemsize * dist + 4 * parents + 16 * device.max_groups
        held += sources.nbytes + 4 * len(search.targets) + (0 if weighted else 4)
        edge = 4 + (graph.weights.dtype.itemsize if weighted and graph.weights is not None else 0)
        size = {"fixed": held, "edge": edge, "key": keys.dtype.itemsize}
        memory = device.memory
        free = memory.free if room is None else min(memory.free, room - memory.used)
        self.parts = cut(graph, memory, free=free, **size, device=device.info.name, wanted=part_size)
        p = self.parts

        self.indptr = device.upload(graph.indptr)
        self.dist = device.alloc(dist, keys.dtype, fill=keys.infinity)
        nothing = keys.infinity << 32 | 0xFFFFFFFF if self.recorded else 0
        self.cells = device.alloc(cells, np.uint64, fill=nothing)
        self.parents = device.alloc(parents, np.int32, fill=-1)
        self.marks = device.alloc(n + p.count, np.uint32, fill=0)
        self.state = device.alloc(HEAD + 2 * p.count, np.uint32, fill=0)
        self.least = device.alloc(p.count + 1, keys.dtype, fill=keys.infinity)
        self.tallies = device.alloc(2 * device.max_groups, np.uint64, fill=0)
        self.list = (
            device.alloc(p.capacity, np.int32),
            device.alloc(p.capacity, np.int64),
            device.alloc(p.capacity, np.uint32),
        )
        self.slots = Slots(device, graph, p, weighted=weighted)
        self.targets = device.upload(search.targets.astype(np.int32))

        defines: dict[str, Any] = {"SMALL": _work.SMALL, "CHUNK": _work.CHUNK}
        flags = {"RECORD": self.recorded, "UNWEIGHTED": not weighted, "PARENTS": signed}
        defines |= {name: 1 for name, wanted in flags.items() if wanted}
        self.program = device.program("stream", block=_work.BLOCK, **keys.build, **defines)
        self.delta = 1.0 if method == "bfs" else 0.0
        if method == "delta-stepping":
            self.delta = choose_delta(graph, keys, search.delta, widen=WIDEN)
        near_and_far = self.delta and schedule == "active"  # the document knows no distance below which it works
        self.last = keys.zero if near_and_far else keys.infinity
        self.limit = keys.limit(search.bound)
        self.team = _work.TEAM if device.info.is_gpu else 4  # threads for a piece of work; idle ones cost a CPU more
        self.parity = self.passes = self.rounds = self.faults = 0
        self.pieces = self.edges = np.zeros(0, np.int64)
        self.nearest: Array = np.zeros(0, keys.dtype)
        self._begin(sources)

    def _begin(self, sources: Array) -> None:
        first = self.device.upload(sources)
        numbers = (self.parts.count, self.parts.size, first, len(sources), self.keys.zero, self.last)
        shared = (self.indptr, self.dist, self.cells, self.marks, self.state, self.least)
        self.device.launch(self.program, "start", len(sources), *shared, *numbers)
        self.look()

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
        self.parity = 1 - self.parity
        self.rounds += 1

    def look(self) -> None:
        """Wait for the device; learn how much work there is in each part."""
        state = self.device.download(self.state)
        self.faults = int(state[4])
        self.pieces, self.edges = state[HEAD::2].astype(np.int64), state[HEAD + 1 :: 2].astype(np.int64)

    def work_done(self) -> tuple[int, int]:
        """Count edges relaxed and atomics so far."""
        edges, atomics = self.device.download(self.tallies).reshape(-1, 2).sum(axis=0).tolist()
        return edges, atomics

    def advance(self) -> bool:
        """Let vertices further away come near, when none is; tell whether there is anything left to do."""
        while not self.edges.any():
            furthest = int(self.device.download(self.least, self.parts.count, 1)[0])
            if furthest == self.keys.infinity or self._are_settled():
                return False
            self.last = self.keys.add(furthest, self.delta)
            self.device.fill(self.least, self.keys.infinity, self.parts.count, 1)
            n = self.graph.num_vertices
            shared = (self.indptr, self.dist, self.cells, self.marks, self.state, self.least)
            self.device.launch(
                self.program, "widen", n, *shared, self.parts.count, self.parts.size, n, self.last
            )
            self.look()
        return True

    def _are_settled(self) -> bool:
        if not self.targets.size or not self.delta:
            return False
        self.device.fill(self.state, 0, 5, 1)
        arguments = (self.targets, self.targets.size, self.dist, self.cells, self.state, self.last)
        self.device.launch(self.program, "unsettled", self.targets.size, *arguments)
        return int(self.device.download(self.state, 5, 1)[0]) == 0

    # Schedules

    def every_part(self) -> None:
        """Copy and work on every part once, in order: the document's round."""
        slots = self.slots
        self.passes += 1
        for part in range(self.parts.count):
            slot = slots.slots[part % len(slots.slots[:2])]
            slots.load(part, slot)
            slots.arrive(slot)
            self.collect(part)
            self.relax(slot, int(self.parts.bounds[part]), self.parts.capacity)
        self.look()

    def active(self) -> None:
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
        """Work on these parts, each copied while the one before is worked on."""
        slots = self.slots
        for i, part in enumerate(order):
            slot = slots.find(part)
            if slot is None:
                slot = slots.choose(set())
                assert slot is not None  # noqa: S101 - there are two at least, or all parts have come
                slots.fetch(part, slot)
            coming = next((p for p in order[i + 1 :] if not slots.find(p)), None)
            if coming is not None:
                free = slots.choose(set(order[i:]))
                if free is not None:
                    slots.load(coming, free)
            slots.arrive(slot)
            self._iterate(part, slot)

    def _iterate(self, part: int, slot: Slot) -> None:
        """Work on a part that is there, while it still improves."""
        done, batch = 0, 1
        came, before = int(self.edges[part]), self.work_done()[0]
        while done < ITERATIONS:
            for _ in range(batch):
                self.collect(part)
                self.relax(slot, int(self.parts.bounds[part]), int(self.pieces[part]))
            done += batch
            batch = min(2 * batch, 8)
            self.look()
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
            front, back = (int(x) for x in self.device.download(self.state, 0, 4)[self.parity :: 2])
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
                self.look()
        self.look()

    # The answer

    def download(self) -> tuple[Array, Array | None]:
        """Download distances as users see them, and the predecessors recorded."""
        if not self.recorded:
            return self.keys.distances(self.device.download(self.dist)), None
        cells = self.device.download(self.cells)
        distances = self.keys.distances((cells >> np.uint64(32)).astype(np.uint32))
        return distances, (cells & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)

    def outgrown(self) -> bool:
        """Whether a sum has left the type and mattered: beyond the cutoff it does not."""
        bound = self.search.bound
        above = self.faults & _work.ABOVE and (bound is None or bound > self.keys.largest)
        return bool(self.faults & _work.BELOW or above)


def run(
    device: Device,
    graph: Graph,
    search: Search,
    method: str,
    *,
    schedule: str | None = None,
    part_size: int | None = None,
    room: int | None = None,
) -> Answer:
    """Search from `search.sources`, the edges streamed; see `steppe.search`. The answer of "bfs" is in hops (int32).

    Parameters
    ----------
    method : {"frontier", "delta-stepping", "bellman-ford", "bfs"}
    schedule : {"active", "every-part"}
        Default: the environment variable STEPPE_SCHEDULE, or "active".
    part_size : int, optional
        Edges of a part; default: chosen from the device's free memory.
    room : int, optional
        Bytes the driver has for us, where that is known to be less than the budget.

    Raises
    ------
    DeviceMemoryError
        The device's budget has no room for the vertices; ``needed`` says how much would do.
    """
    schedule = schedule or os.environ.get("STEPPE_SCHEDULE") or "active"
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, not {schedule!r}")
    if graph.indices.dtype != np.int32:
        raise DeviceError(
            f"{device.info.name}: kernels take up to 2^31 - 1 vertices, the graph has {graph.num_vertices:,}"
        )
    if method == "bellman-ford" and graph.has_negative:
        asked, search = search, replace(search, bound=None)
    else:
        asked = search
    if schedule == "every-part":
        search = replace(search, targets=search.targets[:0])
    kinds = [Keys("i32", "u32")] if method == "bfs" else choices(graph, signed=method == "bellman-ford")
    begun = time.perf_counter()
    with device.count() as counters:
        for keys in kinds:
            stream = Stream(device, graph, search, keys, method, schedule=schedule, part_size=part_size, room=room)
            _search(stream, method, schedule)
            if not stream.outgrown() or keys is kinds[-1]:
                break
            del stream  # its memory is the next one's
        distances, predecessors = stream.download()
        if stream.outgrown():
            _check_lost(graph, distances, stream.parts)
        edges, atomics = stream.work_done()
    if asked.bound is not None:
        distances[distances > asked.bound] = np.inf if distances.dtype.kind == "f" else np.iinfo(np.int64).max
    explained = _explained(stream, method, counters, time.perf_counter() - begun)
    explained |= {"edges_relaxed": edges, "edges_touched": edges, "atomics": atomics}
    if method == "bfs":
        hops = np.minimum(distances, np.iinfo(np.int32).max).astype(np.int32)
        return Answer(hops, predecessors, explained)
    return Answer(distances, predecessors, explained)


def fits(device: Device, graph: Graph, method: str) -> bool:
    """Whether the search is likely to have room on the device with all edges; `unless_full` deals with the rest."""
    rows = 0 if resident(device, graph) else graph.nbytes
    return rows + VERTEX[method] * graph.num_vertices <= device.memory.free


def unless_full(
    run_in_memory: Callable[[Device, Graph, Search], Answer], device: Device, graph: Graph, search: Search, method: str
) -> Answer:
    """Search with all edges on the device; where they do not fit, or turn out not to, stream them."""
    room = None
    if fits(device, graph, method):
        device.memory.room = None
        try:
            return run_in_memory(device, graph, search)
        except DeviceMemoryError as error:
            log.warning("%s: streaming the edges instead (%s)", method, error)
        room = device.memory.room
    for held in (graph, graph.reverse_if_known()):
        if held is not None:
            forget(device, held)
    return run(device, graph, search, method, room=room)


def _search(stream: Stream, method: str, schedule: str) -> None:
    """Make passes until nothing is left to do."""
    progress, n = stream.search.progress, stream.graph.num_vertices
    look_at = LOOK_FOR_CYCLE
    while stream.advance():
        if schedule == "every-part":
            stream.every_part()
        else:
            stream.active()
        if progress is not None:
            progress(stream.work_done()[0])
        below = bool(stream.faults & _work.BELOW)
        if stream.faults and stream.keys.dist == "u32" and stream.outgrown():
            return
        if method == "bellman-ford" and (below or stream.passes >= min(look_at, n + 1)):
            look_at *= 2
            look_for_cycle(stream.graph, stream.device.download(stream.parents))
            if below:
                raise DistanceOverflowError("a distance falls below the range of 64 bits")
            if stream.passes > n + LOOK_FOR_CYCLE:
                raise SteppeError(
                    "distances never come to rest: rounding makes a cycle look negative whose length is not; "
                    "use integer weights, or the CPU"
                )


def _check_lost(graph: Graph, distances: Array, parts: Parts) -> None:
    """Raise where a distance did not fit its 64 bits; a part at a time, for the edges may be more than memory holds."""
    unreached = distances == np.iinfo(np.int64).max
    for part in range(parts.count):
        first, beyond = int(parts.first[part]), int(parts.beyond[part])
        rows = np.clip(graph.indptr[first : beyond + 1], parts.bounds[part], parts.bounds[part + 1])
        heads = graph.indices[parts.bounds[part] : parts.bounds[part + 1]]
        lost = np.repeat(~unreached[first:beyond], np.diff(rows)) & unreached[heads]
        if lost.any():
            label = graph.label(int(heads[np.argmax(lost)]))
            raise DistanceOverflowError(f"the distance of vertex {label!r} does not fit in 64 bits")


def _explained(stream: Stream, method: str, counters: Counters, seconds: float) -> dict[str, Any]:
    slots, parts = stream.slots, stream.parts
    all_bytes = parts.edges * slots.edge
    share = slots.seconds / max(seconds, 1e-9)
    reason = (
        f"{all_bytes:,} bytes of edges in {parts.count} parts, room for {len(slots.slots)}: streamed, "
        f"{100 * share:.0f} % of the time spent copying"
    )
    if stream.search.record_paths and not stream.recorded:
        reason += "; distance and predecessor do not fit one atomic: predecessors in a pass of their own"
    explained: dict[str, Any] = {
        "reason": reason,
        "rounds": stream.rounds,
        "parts": parts.count,
        "passes": stream.passes,
        "launches": counters.launches,
        "bytes_copied": counters.bytes_up + counters.bytes_down,
        "bytes_skipped": max(0, stream.passes * all_bytes - slots.copied),
        "peak_device_bytes": counters.peak_bytes,
        "compile_seconds": counters.compile_seconds,
    }
    if method == "delta-stepping":
        explained["delta"] = int(stream.delta) if stream.graph.is_integer else stream.delta
    return explained

"""Stream: shortest paths on a device that does not hold the edges (document 001; kernels/stream.c).

Vertex arrays stay on the device; edges pass through the slots of slots.py, in the parts of parts.py. One loop serves all
methods, which differ in `last`, the distance up to which vertices are worked on now: infinite for frontier and Bellman-Ford,
growing by delta for delta-stepping, by 1 for breadth-first search.

The document copies every part in every round (benchmarks/every_part.py does so, for comparison). Here a pass

- takes only parts with a vertex to be worked on, first those on the device, then by least distance;
- works on a part several times over while it still finds something there;
- gathers the rows wanted where they are few, over many parts at once;
- starts to copy the next part before it works on this one.

A pass takes each part that had work when the pass began, so after k passes every path of k edges has been relaxed: a
search with a negative cycle ends after n passes at the latest, as in Bellman and Ford's method.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import DeviceError, DistanceOverflowError
from ...planning.progress import streamed
from ...planning.question import Answer
from ..keys import Keys, choices
from ..loops import work as _work
from ..loops.bellman_ford import look_for_cycle, refuse_endless
from .passes import Passes

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ...planning.question import Question
    from ..device import Counters, Device

Array = npt.NDArray[Any]
log = logging.getLogger("steppe")

LOOK_FOR_CYCLE = 8  # passes


def run(
    device: Device,
    graph: Graph,
    question: Question,
    method: str,
    *,
    passes: type[Passes] = Passes,
    **options: int | None,
) -> Answer:
    """Search from `question.sources`, the edges streamed; see `steppe.planning.question`. The answer of "bfs" is in hops (int32).

    Parameters
    ----------
    method : {"frontier", "delta-stepping", "bellman-ford", "bfs"}
    passes : type, optional
        Passes of another kind: there is one in benchmarks/, for comparison.
    part_size : int, optional
        Edges of a part; default: chosen from the device's free memory.
    room : int, optional
        Bytes the driver has for us, where that is known to be less than the budget.

    Raises
    ------
    DeviceMemoryError
        The device's budget has no room for the vertices; ``needed`` says how much would do.
    """
    if graph.indices.dtype != np.int32:
        raise DeviceError(
            f"{device.info.name}: kernels take up to 2^31 - 1 vertices, the graph has {graph.num_vertices:,}"
        )
    if method == "bellman-ford" and graph.has_negative:
        asked, question = question, replace(question, bound=None)
    else:
        asked = question
    kinds = [Keys("i32", "u32")] if method == "bfs" else choices(graph, signed=method == "bellman-ford")
    begun = time.perf_counter()
    with device.count() as counters:
        stream = _search(passes(device, graph, question, kinds[0], method, **options), method)
        if stream.outgrown() and len(kinds) > 1:
            del stream  # its memory is the next one's
            stream = _search(passes(device, graph, question, kinds[1], method, **options), method)
        distances, predecessors = stream.download()
        if stream.outgrown():
            _work.overflow(graph, asked.targets, distances)
        edges, atomics = stream.work_done()
    if asked.bound is not None:
        distances[distances > asked.bound] = np.inf if distances.dtype.kind == "f" else np.iinfo(np.int64).max
    explained = _explained(stream, method, counters, time.perf_counter() - begun)
    explained |= {"edges_relaxed": edges, "edges_touched": edges, "atomics": atomics}
    if method == "bfs":
        hops = np.minimum(distances, np.iinfo(np.int32).max).astype(np.int32)
        return Answer(hops, predecessors, explained)
    return Answer(distances, predecessors, explained)


def _search(stream: Passes, method: str) -> Passes:
    """Make passes until nothing is left to do, or a distance has outgrown its type."""
    progress, n = stream.question.progress, stream.graph.num_vertices
    look_at = LOOK_FOR_CYCLE
    while stream.advance():
        stream.make_pass()
        if progress is not None:
            progress(stream.work_done()[0], streamed(stream.parts.count, stream.passes, stream.slots.copied))
        below = bool(stream.faults & _work.BELOW)
        if stream.faults and stream.keys.dist == "u32" and stream.outgrown():
            break
        if method == "bellman-ford" and (below or stream.passes >= min(look_at, n + 1)):
            look_at *= 2
            look_for_cycle(stream.graph, stream.device.download(stream.parents))
            if below:
                raise DistanceOverflowError("a distance falls below the range of 64 bits")
            if stream.passes > n + LOOK_FOR_CYCLE:
                refuse_endless(stream.graph, stream.question)
    return stream


def _explained(stream: Passes, method: str, counters: Counters, seconds: float) -> dict[str, Any]:
    slots, parts = stream.slots, stream.parts
    all_bytes = parts.edges * slots.edge
    note = f"{all_bytes:,} bytes of edges in {parts.count} parts, room for {len(slots.slots)}: streamed"
    if stream.question.record_paths and not stream.recorded:
        note += "; distance and predecessor do not fit one atomic: predecessors in a pass of their own"
    explained: dict[str, Any] = {
        "note": note,
        "rounds": stream.rounds,
        "parts": parts.count,
        "passes": stream.passes,
        "bytes_skipped": max(0, stream.passes * all_bytes - slots.copied),
        "copy_share": min(1.0, slots.seconds / max(seconds, 1e-9)),
    } | _work.described(counters)
    if method == "delta-stepping":
        explained["delta"] = int(stream.delta) if stream.graph.is_integer else stream.delta
    return explained

"""external: searches on the CPU whose edges stay in a file, within a budget of bytes.

Arrays of one entry per vertex lie in memory; edges are mapped, announced to the kernel before they are due and let go
after, and blocks of vertices with nothing to do are passed over. The algorithm is in ``cpp/external/sweep.hpp`` (all threads);
for graphs that have room in memory but not in the caches in ``cpp/external/bins.hpp``; and, for weights that may be negative, in
``cpp/external/bellman_ford.hpp`` (one thread). The paging is in ``cpp/external/window.hpp``; here a budget is divided.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import BellmanFordStatus
from ..errors import DistanceOverflowError, MemoryLimitError, SteppeError
from ..machine import memory
from ..planning.bytes import BIN_SHIFT, sweep, sweep_negative, total
from ..planning.distance_types import distance_dtype, lengths_of_hops
from ..planning.facts import facts_of
from ..planning.progress import streamed
from ..planning.question import Answer, Question
from .search import check_overflow, negative_cycle

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph
    from ..planning.plan import Plan
    from ..planning.progress import Tell

SMALLEST_WINDOW = 1 << 16
"""Bytes of edges that must fit beside the vertex arrays: a few pages of targets and weights for two threads."""

_BLOCK = 1 << 18  # bytes of edges in a block: one request to a disk, and few bytes that are read without need


def run(graph: Graph, question: Question, plan: Plan, memory_limit: int | None) -> Answer:
    """Search within ``memory_limit`` bytes; None: within what is free. By "bfs" the distances are hops (int32).

    Methods differ in the width of their buckets: "delta-stepping" takes the question's, the others relax all that has changed in every sweep.

    Raises
    ------
    MemoryLimitError
        The vertex arrays alone do not fit; it says how much would do.
    """
    if plan.method == "bfs":
        return _hops(graph, question, memory_limit)
    if graph.has_negative:
        return _run_negative(graph, question, memory_limit)
    if graph.weights is None:
        hops = _hops(graph, question, memory_limit)
        return replace(hops, distances=lengths_of_hops(hops.distances))
    delta = math.inf if question.delta is None else float(question.delta)
    answer = _run(graph, question, memory_limit, distance_dtype(graph), delta=delta, bins=plan.bins)
    check_overflow(answer.explained.pop("overflow"))
    return answer


def _hops(graph: Graph, question: Question, memory_limit: int | None) -> Answer:
    answer = _run(graph, question, memory_limit, np.dtype(np.int32), delta=0.0)
    del answer.explained["overflow"], answer.explained["delta"], answer.explained["width_changes"]
    return answer


def _run(
    graph: Graph,
    question: Question,
    memory_limit: int | None,
    distance: np.dtype[np.generic],
    *,
    delta: float,
    bins: bool = False,
) -> Answer:
    hops = distance == np.int32
    facts = facts_of(graph)

    def vertices(shift: int) -> int:
        paths, threads = question.record_paths, question.threads
        return total(sweep(facts, record_paths=paths, threads=threads, shift=shift, hops=hops, bins=bins))

    edge_bytes = _edge_bytes(graph, weighted=not hops)
    if bins:
        shift, taken = BIN_SHIFT, vertices(BIN_SHIFT)
        window = max(edge_bytes, _free() - taken)
    else:
        shift, window = _divide(graph, edge_bytes, memory_limit, vertices)
        taken = vertices(shift)
    distances = np.empty(graph.num_vertices, dtype=distance)
    recorded = np.empty(graph.num_vertices, dtype=graph.indices.dtype) if question.record_paths else None
    budget = _core.Budget(shift, window, 8 * graph.num_vertices if bins else 0)
    asked = question.core(graph, delta=delta, progress=_teller(question, budget))
    reverse = graph._reverse_if_known()
    in_rows = None if reverse is None else reverse._native
    stats = _core.external(graph._native, in_rows, graph.min_weight, asked, budget, distances, recorded)
    counts = ("rounds", "edges_relaxed", "edges_touched", "atomics", "threads", "overflow", "note")
    explained = {key: getattr(stats, key) for key in counts}
    explained |= {"delta": stats.delta if math.isfinite(delta) else None, "width_changes": stats.width_changes}
    return Answer(distances, recorded, explained | _spent(budget, edge_bytes, taken))


def _run_negative(graph: Graph, question: Question, memory_limit: int | None) -> Answer:
    """Search where weights may be negative: targets do not end the search, and there is no bound."""
    distances = np.empty(graph.num_vertices, dtype=distance_dtype(graph))
    predecessors = np.empty(graph.num_vertices, dtype=graph.indices.dtype)
    facts = facts_of(graph)

    def vertices(shift: int) -> int:
        return total(sweep_negative(facts, shift=shift))

    edge_bytes = _edge_bytes(graph, weighted=True)
    shift, window = _divide(graph, edge_bytes, memory_limit, vertices)
    budget = _core.Budget(shift, window)
    asked = question.core(graph, progress=_teller(question, budget))
    found = _core.external_bellman_ford(graph._native, asked, budget, distances, predecessors)
    if found.status == BellmanFordStatus.negative_cycle:
        raise negative_cycle(graph, found.cycle)
    if found.status == BellmanFordStatus.overflow:
        raise DistanceOverflowError("a distance does not fit in 64 bits")
    if found.status == BellmanFordStatus.restless:
        raise SteppeError(
            "distances never come to rest: rounding makes a cycle look negative whose length is not; "
            "use integer weights, or no memory_limit"
        )
    explained = {
        "rounds": found.rounds,
        "edges_relaxed": found.edges_relaxed,
        "edges_touched": found.edges_relaxed,
        "threads": 1,
    }
    explained |= _spent(budget, edge_bytes, vertices(shift))
    return Answer(distances, predecessors if question.record_paths else None, explained)


def _edge_bytes(graph: Graph, *, weighted: bool) -> int:
    weight = graph.weights.dtype.itemsize if weighted and graph.weights is not None else 0
    return graph.num_edges * (graph.indices.dtype.itemsize + weight)


def _divide(graph: Graph, edge_bytes: int, memory_limit: int | None, vertices: Callable[[int], int]) -> tuple[int, int]:
    """Return the logarithm of a block's vertices and the bytes of the window; `vertices` are the other bytes of a shift."""
    limit = _free() if memory_limit is None else memory_limit
    shifts = range(6, 24)
    smallest = min(vertices(shift) for shift in shifts) + min(SMALLEST_WINDOW, edge_bytes)
    if limit < smallest:
        raise MemoryLimitError(
            f"a graph of {graph.num_vertices:,} vertices needs {smallest:,} bytes beside its file, "
            f"memory_limit={limit:,} is {smallest - limit:,} too few; the smallest that will do is {smallest:,}",
            needed=smallest,
            free=limit,
        )
    fitting = [s for s in shifts if vertices(s) + min(SMALLEST_WINDOW, edge_bytes) <= limit]
    # Blocks so small that many fit into the window, and no smaller than one request to a disk should be.
    size = max(1.0, min(_BLOCK, (limit - smallest) / 64 + 4096))
    row = max(1.0, edge_bytes / max(1, graph.num_vertices))
    ideal = max(math.log2(size / row), math.log2(max(1, graph.num_vertices)) - 15)
    shift = min(fitting, key=lambda s: abs(s - ideal))
    return shift, limit - vertices(shift)


def _free() -> int:
    free = memory.available()
    return 1 << 62 if free is None else free


def _teller(question: Question, budget: _core.Budget) -> Tell | None:
    """Return a callback for the core that adds what is spent so far."""
    progress = question.progress
    if progress is None:
        return None
    return lambda done, _note="": progress(done, streamed(budget.parts, budget.passes, budget.bytes_read))


def _spent(budget: _core.Budget, edge_bytes: int, vertices: int) -> dict[str, Any]:
    return {
        "parts": budget.parts,
        "passes": budget.passes,
        "bytes_copied": budget.bytes_read,
        "bytes_skipped": max(0, budget.passes * edge_bytes - budget.bytes_read),
        "peak_bytes": vertices + budget.peak,
    }

"""Search: one question on the CPU, the edges in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import BellmanFordStatus
from ..errors import DistanceOverflowError, NegativeCycleError
from ..planning.distance_types import UNREACHABLE, distance_dtype, unreachable
from ..planning.question import Answer, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph.graph import Graph

COUNTS = ("rounds", "edges_relaxed", "edges_touched", "atomics", "threads", "note")


def run(graph: Graph, question: Question, method: str) -> Answer:
    """Search by a method of the core; by "bfs" the distances are hops (int32)."""
    if method == "bfs":
        return _hops(graph, question)
    if method == "bellman-ford":
        return _bellman_ford(graph, question)
    # With a width Dijkstra's vertices come from buckets in the same order, instead of from a heap.
    native = "delta-stepping" if question.delta is not None else method
    distances = np.empty(graph.num_vertices, dtype=distance_dtype(graph))
    recorded = np.empty(graph.num_vertices, dtype=graph.indices.dtype) if question.record_paths else None
    stats = _core.sssp(native, graph._native, question.core(graph), distances, recorded)
    check_overflow(stats.overflow)
    explained = {key: getattr(stats, key) for key in COUNTS}
    if stats.delta:
        explained |= {"delta": stats.delta, "width_changes": stats.width_changes}
    return Answer(distances, recorded, explained)


def _hops(graph: Graph, question: Question) -> Answer:
    """Count edges. In-edges, which let the search change direction, are used where they exist already."""
    reverse = graph._reverse_if_known()
    hops = np.empty(graph.num_vertices, dtype=np.int32)
    before = np.empty(graph.num_vertices, dtype=graph.indices.dtype)  # memory only where it is written
    in_rows = None if reverse is None else reverse._native
    record = question.record_paths
    stats, is_canonical = _core.bfs(graph._native, in_rows, question.core(graph), hops, before, record)
    explained = {key: getattr(stats, key) for key in COUNTS}
    return Answer(hops, before if record else None, explained, before if is_canonical else None)


def _bellman_ford(graph: Graph, question: Question) -> Answer:
    distances = np.empty(graph.num_vertices, dtype=distance_dtype(graph))
    predecessors = np.empty(graph.num_vertices, dtype=graph.indices.dtype)
    found = _core.bellman_ford(graph._native, question.core(graph), distances, predecessors)
    if found.status == BellmanFordStatus.negative_cycle:
        raise negative_cycle(graph, found.cycle)
    if question.bound is not None:  # weights are not negative: no path comes back from beyond
        beyond = distances > question.bound
        distances[beyond] = unreachable(distances.dtype)
        predecessors[beyond] = -1
    elif graph.has_negative or not _are_reached(distances, question.targets):
        check_overflow(found.status == BellmanFordStatus.overflow)
    relaxed = found.edges_relaxed
    counted = {"rounds": found.rounds, "edges_relaxed": relaxed, "edges_touched": relaxed, "threads": 1}
    return Answer(distances, predecessors if question.record_paths else None, counted)


def negative_cycle(graph: Graph, cycle: Sequence[int]) -> NegativeCycleError:
    """Return the error that names a negative cycle."""
    labels = graph.labels_of(np.array(cycle)).tolist()
    return NegativeCycleError(
        f"a negative cycle of {len(labels)} vertices can be reached, through {labels[0]!r}", labels
    )


def check_overflow(overflow: bool) -> None:
    """Raise where a search found a distance that its type does not hold."""
    if overflow:
        raise DistanceOverflowError(f"a distance exceeds {UNREACHABLE - 1}, the largest that fits in 64 bits")


def _are_reached(distances: npt.NDArray[Any], targets: npt.NDArray[np.int64]) -> bool:
    """Whether there are targets and all have distances: then what lies beyond them does not count."""
    return len(targets) > 0 and bool((distances[targets] != UNREACHABLE).all())

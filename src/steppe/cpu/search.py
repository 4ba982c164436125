"""Search: one question on the CPU, the edges in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError, NegativeCycleError
from ..planning.distance_types import UNREACHABLE, distance_dtype, unreachable
from ..planning.question import Answer, Question

if TYPE_CHECKING:
    from ..graph.graph import Graph

COUNTS = ("rounds", "edges_relaxed", "edges_touched", "atomics", "threads", "note")


def run(graph: Graph, question: Question, method: str) -> Answer:
    """Search by a method of the core; by "bfs" the distances are hops (int32)."""
    if method == "bfs":
        return _hops(graph, question)
    if method == "bellman-ford":
        return _bellman_ford(graph, question)
    integer, bound = graph.is_integer, question.bound
    # With a width Dijkstra's vertices come from buckets in the same order, instead of from a heap.
    native = "delta-stepping" if question.delta is not None else method
    prepared = graph.derived.prepared if native == "delta-stepping" else None
    distances = np.empty(graph.num_vertices, dtype=distance_dtype(graph))
    recorded = np.empty(graph.num_vertices, dtype=graph.indices.dtype) if question.record_paths else None
    stats = _core.sssp(
        native,
        graph.indptr,
        graph.indices,
        graph.weights_or_ones(),
        question.sources,
        question.targets,
        int(bound) if integer and bound is not None else None,
        None if integer or bound is None else float(bound),
        question.delta or 0.0,
        graph.mean_weight,
        float(graph.max_weight),
        question.threads,
        distances,
        recorded,
        question.progress,
        *(prepared or (None, None)),
    )
    check_overflow(stats["overflow"])
    if native == "delta-stepping" and prepared is None:
        graph.derived.spend(stats["edges_touched"])
    explained = {key: stats[key] for key in COUNTS}
    if stats["delta"]:
        explained["delta"] = stats["delta"]
    return Answer(distances, recorded, explained)


def _hops(graph: Graph, question: Question) -> Answer:
    """Count edges. In-edges, which let the search change direction, are used where they exist already."""
    reverse = graph.reverse_if_known()
    hops = np.empty(graph.num_vertices, dtype=np.int32)
    predecessors = np.empty(graph.num_vertices, dtype=graph.indices.dtype) if question.record_paths else None
    stats = _core.bfs(
        graph.indptr,
        graph.indices,
        None if reverse is None else reverse.indptr,
        None if reverse is None else reverse.indices,
        question.sources,
        question.targets,
        None if question.bound is None else int(question.bound),
        question.threads,
        hops,
        predecessors,
        question.progress,
    )
    return Answer(hops, predecessors, {key: stats[key] for key in COUNTS[:-1]})


def _bellman_ford(graph: Graph, question: Question) -> Answer:
    distances = np.empty(graph.num_vertices, dtype=distance_dtype(graph))
    predecessors = np.empty(graph.num_vertices, dtype=graph.indices.dtype)
    rows = (graph.indptr, graph.indices, graph.weights_or_ones())
    status, cycle, rounds, relaxed = _core.bellman_ford(
        *rows, question.sources, distances, predecessors, question.progress
    )
    if cycle:
        raise negative_cycle(graph, cycle)
    if question.bound is not None:  # weights are not negative: no path comes back from beyond
        beyond = distances > question.bound
        distances[beyond] = unreachable(distances.dtype)
        predecessors[beyond] = -1
    elif graph.has_negative or not _are_reached(distances, question.targets):
        check_overflow(status != 0)
    counted = {"rounds": rounds, "edges_relaxed": relaxed, "edges_touched": relaxed, "threads": 1}
    return Answer(distances, predecessors if question.record_paths else None, counted)


def negative_cycle(graph: Graph, cycle: list[int]) -> NegativeCycleError:
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

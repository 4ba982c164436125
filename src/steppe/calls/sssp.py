"""sssp(): the shortest paths from one source. Check, choose, run, wrap: the whole story on one page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core, gpu
from ..cpu import external
from ..errors import DistanceOverflowError, NegativeCycleError, NegativeWeightError
from ..paths import UNREACHABLE, Paths
from ..plan.choose import METHODS, Choice, choose_method
from ..plan.explain import Explanation
from ..plan.question import Answer, Search, cut_at_targets, make_search
from .bfs import run as run_bfs
from .verify import distance_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph

EDGES_PER_THREAD = 50_000
"""Edges below which one more thread costs more than it brings."""

SPARSE_TEAM = 4
"""Threads below which a graph of few edges a vertex is searched by one: the distances of neighbours then wander between two caches, and
two threads took as long as one (a grid of 2 M: 46 ms each, 47 alone)."""


def sssp(
    graph: Graph,
    source: Any,
    *,
    method: str = "auto",
    device: str | None = None,
    delta: float | None = None,
    cutoff: float | None = None,
    targets: Any = None,
    record_paths: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Paths:
    """Find the shortest paths from ``source`` to every vertex.

    Parameters
    ----------
    graph : Graph
        The graph; without weights every edge has length 1.
    source : label
        Where to start.
    method : {"auto", "dijkstra", "delta-stepping", "bellman-ford", "frontier"}
        All give the same distances. "auto" chooses from the graph's facts and says why in ``explain()``. Negative weights need
        "bellman-ford".
    device : str, optional
        "cpu", "cuda", "cuda:1", "opencl", "opencl:NAME" or "auto"; default: the default device, see :func:`steppe.set_default_device`.
    delta : float, optional
        Bucket width of delta-stepping, rounded down to a power of two; default: chosen from the graph.
    cutoff : number, optional
        Vertices further than this count as unreached.
    targets : list of labels, optional
        Stop when all are settled; vertices further than the furthest of them count as unreached (not so where weights are negative).
    record_paths : bool
        Record a tree during the search, distance and predecessor changing together; otherwise the canonical tree is built when
        asked for.
    threads : int, optional
        At most so many; default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use. A large search leaves out CPUs that
        are busy with something else, and ``explain()`` tells how many took part.
    memory_limit : int, optional
        Bytes the search may take on a device, where edges that do not fit are streamed; on the CPU, bytes beside the file the
        edges are mapped from.
    progress : callable, optional
        Called now and then with the number of edges relaxed so far.

    Returns
    -------
    Paths
        int64 distances for integer weights (exact), else of the weights' type.

    Raises
    ------
    NegativeWeightError
        A weight is negative and ``method`` cannot take that.
    NegativeCycleError
        A negative cycle can be reached; ``.cycle`` has it.
    DistanceOverflowError
        A distance does not fit in 64 bits.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3])
    >>> r = sp.sssp(g, 0)
    >>> r.distances.tolist(), r.path(2).tolist()
    ([0, 5, 8], [0, 1, 2])
    >>> r.explain().method
    'dijkstra'
    """
    dtype = distance_dtype(graph)
    search = make_search(
        graph,
        source,
        dtype,
        cutoff=cutoff,
        targets=targets,
        delta=delta,
        record_paths=record_paths,
        threads=threads,
        progress=progress,
    )
    runner = gpu.get_device(device, memory_limit=memory_limit)
    outside = runner is None and external.is_wanted(graph, memory_limit)
    choice = _decide(graph, method, cutoff, on_device=outside or runner is not None)
    begun = time.perf_counter()
    if outside:
        answer, name = external.run(graph, search, choice.method, memory_limit), "cpu"
    elif runner is None:
        answer, name = run(graph, search, choice.method), "cpu"
    else:
        answer, name = _run_on(runner, graph, search, choice.method), runner.info.name
    if not graph.has_negative:  # else a path to a target may lead through vertices beyond it
        search, answer = cut_at_targets(search, answer)
    explained = {"method": choice.method, "reason": choice.reason, "device": name, **answer.explained}
    explanation = Explanation(**explained, seconds=time.perf_counter() - begun)
    return Paths._make(
        graph,
        search.sources,
        answer.distances,
        recorded=answer.predecessors,
        bound=search.bound,
        explanation=explanation,
    )


def _decide(graph: Graph, method: str, cutoff: float | None, *, on_device: bool) -> Choice:
    if method == "auto":
        choice = choose_method(graph, on_device=on_device)
    elif method in METHODS:
        choice = Choice(method, "asked for")
    else:
        raise ValueError(f"method must be one of {', '.join(('auto', *METHODS))}, not {method!r}")
    if graph.has_negative:
        if choice.method != "bellman-ford":
            edge = negative_edge(graph)
            raise NegativeWeightError(
                f"{choice.method} needs non-negative weights, but edge {edge[0]!r} → {edge[1]!r} weighs {edge[2]}; "
                'use method="bellman-ford"',
                edge,
            )
        if cutoff is not None:
            raise ValueError("cutoff has no meaning where weights are negative: a longer path may come back below it")
    return choice


def negative_edge(graph: Graph) -> tuple[Any, Any, Any]:
    """Return one edge of negative weight, as (source label, target label, weight)."""
    assert graph.weights is not None  # noqa: S101 - has_negative implies weights
    e = int(np.flatnonzero(graph.weights < 0)[0])
    u = int(np.searchsorted(graph.indptr, e, side="right")) - 1
    return graph.label(u), graph.label(int(graph.indices[e])), graph.weights[e].item()


def run(graph: Graph, search: Search, method: str) -> Answer:
    """Search on the CPU."""
    if method == "bfs":
        hops = run_bfs(graph, search)
        distances = hops.distances.astype(np.int64)
        distances[hops.distances == np.iinfo(np.int32).max] = UNREACHABLE
        return Answer(distances, hops.predecessors, hops.explained)
    weights = graph.weights_or_ones()
    n = graph.num_vertices
    distances = np.empty(n, dtype=distance_dtype(graph))
    if method == "bellman-ford":
        predecessors = np.empty(n, dtype=graph.indices.dtype)
        status, cycle, rounds, relaxed = _core.bellman_ford(
            graph.indptr, graph.indices, weights, search.sources, distances, predecessors, search.progress
        )
        if cycle:
            labels = graph.labels_of(np.array(cycle)).tolist()
            raise NegativeCycleError(
                f"a negative cycle of {len(cycle)} vertices can be reached, through {labels[0]!r}", labels
            )
        if search.bound is not None:  # weights are not negative: no path comes back from beyond
            beyond = distances > search.bound
            distances[beyond] = UNREACHABLE if graph.is_integer else np.inf
            predecessors[beyond] = -1
        elif graph.has_negative or not _are_reached(distances, search.targets):
            _check_overflow(status != 0)
        counted = {"rounds": rounds, "edges_relaxed": relaxed, "edges_touched": relaxed, "threads": 1}
        return Answer(distances, predecessors if search.record_paths else None, counted)
    native = method
    delta = search.delta
    if method == "dijkstra" and graph.num_edges >= 20_000 and graph.is_integer and graph.max_weight <= 4096:
        native, delta = "delta-stepping", 1.0  # exact buckets: Dijkstra's order without a heap
    recorded = np.empty(n, dtype=graph.indices.dtype) if search.record_paths else None
    begun = time.perf_counter()
    packed, packed_in = graph.packed() if native == "delta-stepping" else (None, None)
    prepared = time.perf_counter() - begun
    integer = graph.is_integer
    stats = _core.sssp(
        native,
        graph.indptr,
        graph.indices,
        weights,
        search.sources,
        search.targets,
        int(search.bound) if integer and search.bound is not None else None,
        None if integer or search.bound is None else float(search.bound),
        0.0 if delta is None else max(float(delta), float(graph.max_weight) * 2.0**-31),
        graph.mean_weight,
        float(graph.max_weight),
        1 if native != method else _team(graph, search.threads),
        distances,
        recorded,
        search.progress,
        packed,
        packed_in,
    )
    _check_overflow(stats["overflow"])
    keys = ("rounds", "edges_relaxed", "edges_touched", "atomics", "threads", "note")
    explained = {key: stats[key] for key in keys} | {"prepare_seconds": prepared}
    if stats["delta"]:
        explained["delta"] = stats["delta"]
    return Answer(distances, recorded, explained)


def _team(graph: Graph, threads: int) -> int:
    """Return how many of the threads are worth their while in delta-stepping."""
    if threads * EDGES_PER_THREAD > graph.num_edges:
        return 1
    return 1 if threads < SPARSE_TEAM and graph.num_edges < 8 * graph.num_vertices else threads


def _are_reached(distances: npt.NDArray[Any], targets: npt.NDArray[np.int64]) -> bool:
    """Whether there are targets and all have distances: then what lies beyond them does not count."""
    return len(targets) > 0 and bool((distances[targets] != UNREACHABLE).all())


def _check_overflow(overflow: bool) -> None:
    if overflow:
        raise DistanceOverflowError(f"a distance exceeds {UNREACHABLE - 1}, the largest that fits in 64 bits")


def _run_on(device: gpu.Device, graph: Graph, search: Search, method: str) -> Answer:
    """Search on a device."""
    from ..gpu.loops import bellman_ford, bfs, delta_stepping, frontier
    from ..gpu.stream import loop as stream

    if method == "bfs":
        hops = stream.unless_full(bfs.run, device, graph, search, method)
        distances = hops.distances.astype(np.int64)
        distances[hops.distances == np.iinfo(np.int32).max] = UNREACHABLE
        return Answer(distances, hops.predecessors, hops.explained)
    if method == "dijkstra":
        raise ValueError("dijkstra runs on the CPU only: one vertex at a time is no work for a device")
    run = {"bellman-ford": bellman_ford.run, "delta-stepping": delta_stepping.run, "frontier": frontier.run}[method]
    return stream.unless_full(run, device, graph, search, method)

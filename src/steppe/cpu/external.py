"""external: searches on the CPU whose edges stay in a file, within a budget of bytes.

Arrays of one entry per vertex lie in memory; edges are mapped, announced to the kernel before they are due and let go
after, and blocks of vertices with nothing to do are passed over. The algorithm is in ``cpp/external/sweep.hpp`` (all threads)
and, for weights that may be negative, ``cpp/external/bellman_ford.hpp`` (one thread), the paging in
``cpp/external/window.hpp``; here are the decisions: whether to search like this, and how a budget is divided.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..calls.verify import distance_dtype
from ..errors import DeviceMemoryError, DistanceOverflowError, NegativeCycleError, SteppeError
from ..machine import memory
from ..paths import UNREACHABLE
from ..plan.question import Answer, Search, Streamed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph

SMALLEST_WINDOW = 1 << 16
"""Bytes of edges that must fit beside the vertex arrays: a few pages of targets and weights for two threads."""

_BLOCK = 1 << 18  # bytes of edges in a block: one request to a disk, and little to read in vain


def is_wanted(graph: Graph, memory_limit: int | None) -> bool:
    """Tell whether a search on the CPU should leave the edges in their file: it was asked to, or they would fill memory.

    >>> import steppe as sp
    >>> is_wanted(sp.Graph.from_edges([0], [1]), None), is_wanted(sp.Graph.from_edges([0], [1]), 10**6)
    (False, True)
    """
    if memory_limit is not None:
        return True
    if not graph.is_mapped:
        return False
    free = memory.available()
    return free is not None and 2 * graph.nbytes > free


def run(graph: Graph, search: Search, method: str, memory_limit: int | None) -> Answer:
    """Search on the CPU within ``memory_limit`` bytes; None: within what is free.

    Raises
    ------
    DeviceMemoryError
        The vertex arrays alone do not fit; it says how much would do.
    """
    if graph.has_negative:
        return _run_negative(graph, search, memory_limit)
    if method == "dijkstra":
        raise ValueError("dijkstra takes edges in an order of its own: memory_limit on the CPU needs another method")
    hops = run_hops(graph, search, memory_limit) if graph.weights is None or method == "bfs" else None
    if hops is not None:
        distances = hops.distances.astype(np.int64)
        distances[hops.distances == np.iinfo(np.int32).max] = UNREACHABLE
        return Answer(distances, hops.predecessors, hops.explained)
    if search.delta is not None:
        delta = float(search.delta)
    else:
        delta = bucket(graph) if method == "delta-stepping" else math.inf
    integer = graph.is_integer
    answer = _run(
        graph,
        search,
        memory_limit,
        np.dtype(np.int64) if integer else graph.weights.dtype,  # type: ignore[union-attr]
        delta=delta,
    )
    if answer.explained.pop("overflow"):
        raise DistanceOverflowError(f"a distance exceeds {UNREACHABLE - 1}, the largest that fits in 64 bits")
    return answer


def run_hops(graph: Graph, search: Search, memory_limit: int | None) -> Answer:
    """Count edges instead of adding up weights."""
    answer = _run(graph, search, memory_limit, np.dtype(np.int32), delta=0.0)
    del answer.explained["overflow"], answer.explained["delta"]
    return answer


def bucket(graph: Graph) -> float:
    """Return the width of a bucket: between sweeps over the file and vertices relaxed twice."""
    degree = graph.num_edges / max(1, graph.num_vertices)
    return graph.mean_weight * (16 if degree < 4.5 else 0.5)


def vertex_bytes(graph: Graph, distance: np.dtype[np.generic], *, paths: bool, threads: int, shift: int) -> int:
    """Return the bytes of everything that has an entry per vertex (or block), as ``cpp/external/sweep.hpp`` allocates it."""
    n, vertex = graph.num_vertices, graph.indices.dtype.itemsize
    narrow = distance == np.int64 and graph.weights is not None and graph.weights.dtype == np.int32
    inside = 4 if narrow else distance.itemsize
    each = 8 + distance.itemsize + (4 if narrow else 0)
    if paths:
        each += vertex + (8 if inside == vertex == 4 and threads > 1 else 0)
    blocks = -(-n >> shift) or 1
    return n * each + 8 + n // 64 * 8 + 8 + blocks * (inside + 9) + threads * (vertex << shift)


def _run(
    graph: Graph, search: Search, memory_limit: int | None, distance: np.dtype[np.generic], *, delta: float
) -> Answer:
    hops = distance == np.int32
    weights = None if hops else graph.weights
    threads = 1 if search.threads * 50_000 > graph.num_edges else search.threads

    def vertices(shift: int) -> int:
        return vertex_bytes(graph, distance, paths=search.record_paths, threads=threads, shift=shift)

    edge_bytes = _edge_bytes(graph, weighted=weights is not None)
    shift, window = _divide(graph, edge_bytes, memory_limit, vertices)
    distances = np.empty(graph.num_vertices, dtype=distance)
    recorded = np.empty(graph.num_vertices, dtype=graph.indices.dtype) if search.record_paths else None
    integer = distance.kind == "i"
    live = np.zeros(3, dtype=np.int64)
    told = _core.external(
        graph.indptr,
        graph.indices,
        weights,
        search.sources,
        search.targets,
        int(search.bound) if integer and search.bound is not None else None,
        None if integer or search.bound is None else float(search.bound),
        delta,
        threads,
        shift,
        window,
        graph.is_mapped,
        distances,
        recorded,
        live,
        _teller(search, live),
    )
    explained = {
        key: told[key] for key in ("rounds", "edges_relaxed", "edges_touched", "atomics", "threads", "overflow")
    }
    explained |= {"delta": delta if math.isfinite(delta) else None}
    return Answer(distances, recorded, explained | _told(graph, told, edge_bytes, vertices(shift)))


def _run_negative(graph: Graph, search: Search, memory_limit: int | None) -> Answer:
    """Search where weights may be negative: targets do not end the search, and there is no bound."""
    distances = np.empty(graph.num_vertices, dtype=distance_dtype(graph))
    predecessors = np.empty(graph.num_vertices, dtype=graph.indices.dtype)
    item = distances.itemsize + predecessors.itemsize

    def vertices(shift: int) -> int:
        n, blocks = graph.num_vertices, -(-graph.num_vertices >> shift) or 1
        return n * (8 + item) + 8 + 3 * (n // 64 * 8 + 8) + 10 * blocks + (predecessors.itemsize << shift)

    edge_bytes = _edge_bytes(graph, weighted=True)
    shift, window = _divide(graph, edge_bytes, memory_limit, vertices)
    live = np.zeros(3, dtype=np.int64)
    told = _core.external_bellman_ford(
        graph.indptr,
        graph.indices,
        graph.weights,  # type: ignore[arg-type]
        search.sources,
        shift,
        window,
        graph.is_mapped,
        distances,
        predecessors,
        live,
        _teller(search, live),
    )
    if told["cycle"]:
        labels = graph.labels_of(np.array(told["cycle"])).tolist()
        raise NegativeCycleError(
            f"a negative cycle of {len(labels)} vertices can be reached, through {labels[0]!r}", labels
        )
    if told["status"] == 2:
        raise DistanceOverflowError("a distance does not fit in 64 bits")
    if told["status"] == 3:
        raise SteppeError(
            "distances never come to rest: rounding makes a cycle look negative whose length is not; "
            "use integer weights, or no memory_limit"
        )
    explained = {
        "rounds": told["passes"],
        "edges_relaxed": told["edges_relaxed"],
        "edges_touched": told["edges_relaxed"],
        "threads": 1,
    }
    explained |= _told(graph, told, edge_bytes, vertices(shift))
    return Answer(distances, predecessors if search.record_paths else None, explained)


def _edge_bytes(graph: Graph, *, weighted: bool) -> int:
    weight = graph.weights.dtype.itemsize if weighted and graph.weights is not None else 0
    return graph.num_edges * (graph.indices.dtype.itemsize + weight)


def _divide(graph: Graph, edge_bytes: int, memory_limit: int | None, vertices: Callable[[int], int]) -> tuple[int, int]:
    """Return the logarithm of a block's vertices and the bytes of the window; `vertices` are the other bytes of a shift."""
    if memory_limit is None:
        free = memory.available()
        limit = 1 << 62 if free is None else free
    else:
        limit = memory_limit
    shifts = range(6, 24)
    smallest = min(vertices(shift) for shift in shifts) + min(SMALLEST_WINDOW, edge_bytes)
    if limit < smallest:
        raise DeviceMemoryError(
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


def _teller(search: Search, live: np.ndarray[Any, np.dtype[np.int64]]) -> Callable[[int], object] | None:
    """Return a callback for the core that adds what `live` holds: parts, passes, bytes read."""
    progress = search.progress
    if progress is None:
        return None
    return lambda done: progress(Streamed(done, *live.tolist()))


def _told(graph: Graph, told: dict[str, Any], edge_bytes: int, vertices: int) -> dict[str, Any]:
    return {
        "note": "edges stay in their file" if graph.is_mapped else "a budget of memory was given",
        "parts": told["parts"],
        "passes": told["passes"],
        "bytes_copied": told["bytes_read"],
        "bytes_skipped": max(0, told["passes"] * edge_bytes - told["bytes_read"]),
        "peak_device_bytes": vertices + told["peak_window"],
    }

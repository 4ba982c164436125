"""bfs(): the fewest edges from a source to every vertex."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, gpu
from ..cpu import external
from ..paths import Paths
from ..plan.explain import Explanation
from ..plan.question import Answer, Search, cut_at_targets, make_search

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph


def bfs(
    graph: Graph,
    source: Any,
    *,
    device: str | None = None,
    cutoff: float | None = None,
    targets: Any = None,
    record_paths: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Paths:
    """Find the fewest edges from ``source`` to every vertex; weights are ignored.

    Parameters
    ----------
    graph : Graph
        The graph.
    source : label
        Where to start.
    device : str, optional
        "cpu", "cuda", "opencl", …; default: the default device.
    cutoff : int, optional
        Vertices more than this many edges away count as unreached.
    targets : list of labels, optional
        Stop when all are reached; vertices further than the furthest of them count as unreached.
    record_paths : bool
        Record a tree during the search; otherwise the canonical one is built when asked for.
    threads : int, optional
        At most so many; default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use. See :func:`steppe.sssp`.
    memory_limit : int, optional
        Bytes the search may take on a device, where edges that do not fit are streamed; on the CPU, bytes beside the file the
        edges are mapped from.
    progress : callable, optional
        Called now and then with the number of edges read so far.

    Returns
    -------
    Paths
        Hops as int32; the largest int32 where a vertex is not reached.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3])
    >>> sp.bfs(g, 0).distances.tolist()
    [0, 1, 2, 1]
    """
    search = make_search(
        graph,
        source,
        np.dtype(np.int32),
        cutoff=cutoff,
        targets=targets,
        record_paths=record_paths,
        threads=threads,
        progress=progress,
    )
    runner = gpu.get_device(device, memory_limit=memory_limit)
    begun = time.perf_counter()
    if runner is None and external.is_wanted(graph, memory_limit):
        answer, name = external.run_hops(graph, search, memory_limit), "cpu"
    elif runner is None:
        answer, name = run(graph, search), "cpu"
    else:
        from ..gpu.loops import bfs as on_device
        from ..gpu.stream import loop as stream

        answer, name = stream.unless_full(on_device.run, runner, graph, search, "bfs"), runner.info.name
    search, answer = cut_at_targets(search, answer)
    explanation = Explanation(
        method="bfs", reason="hops", device=name, seconds=time.perf_counter() - begun, **answer.explained
    )
    return Paths._make(
        graph,
        search.sources,
        answer.distances,
        recorded=answer.predecessors,
        bound=search.bound,
        hops=True,
        explanation=explanation,
    )


def run(graph: Graph, search: Search) -> Answer:
    """Search on the CPU. In-edges, which let it change direction, are used where they exist already."""
    n = graph.num_vertices
    reverse = graph.reverse_if_known()
    hops = np.empty(n, dtype=np.int32)
    predecessors = np.empty(n, dtype=graph.indices.dtype) if search.record_paths else None
    stats = _core.bfs(
        graph.indptr,
        graph.indices,
        None if reverse is None else reverse.indptr,
        None if reverse is None else reverse.indices,
        search.sources,
        search.targets,
        None if search.bound is None else int(search.bound),
        search.threads,
        hops,
        predecessors,
        search.progress,
    )
    keys = ("rounds", "edges_relaxed", "edges_touched", "atomics", "threads")
    return Answer(hops, predecessors, {key: stats[key] for key in keys})

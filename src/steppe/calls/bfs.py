"""bfs(): the fewest edges from one source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..files.partitioned import PartitionedGraph
from ..planning.call import Call
from ..planning.options import Options
from ..planning.question import source_of
from .engines import refuse_engine, solve
from .partitioned import solve_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..cluster.engine import Ray
    from ..graph.graph import Graph
    from ..paths import Paths
    from ..planning.progress import Progress


def bfs(
    graph: Graph | PartitionedGraph,
    source: Any,
    *,
    device: str | None = None,
    cutoff: float | None = None,
    targets: Any = None,
    record_paths: bool = False,
    reverse: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    result: str = "host",
    engine: str | Ray | None = None,
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
    reverse : bool
        Count the edges from every vertex to ``source``: the search follows edges against their direction.
    threads : int, optional
        At most so many; default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use. See :func:`steppe.sssp`.
    memory_limit : int or str, optional
        As in :func:`steppe.sssp`.
    progress : bool or callable, optional
        True draws a bar; a function gets a :class:`~steppe.Progress`, as in :func:`steppe.sssp`.
    result : {"host", "device"}
        "device" leaves the distances on the device: the answer speaks DLPack and ``__cuda_array_interface__`` (``torch.from_dlpack(paths)``,
        ``cupy.asarray(paths)``), and copies them to the host only when asked for.
    engine : None, "ray" or Ray, optional
        Who searches a graph in parts (:func:`steppe.partition`): this process, or the workers of a cluster; see ``docs/cluster.md``.

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
    >>> sp.bfs(g, 3, reverse=True).distances.tolist()
    [1, 2, 1, 0]
    """
    options = Options.of(locals())
    if isinstance(graph, PartitionedGraph):
        return solve_parts(graph, Call.BFS, [source], options)
    refuse_engine(engine)
    return solve(graph, Call.BFS, source_of(graph, source), options)

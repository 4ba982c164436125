"""sssp(): the shortest paths from one source."""

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


def sssp(
    graph: Graph | PartitionedGraph,
    source: Any,
    *,
    method: str = "auto",
    device: str | None = None,
    delta: float | None = None,
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
    """Find the shortest paths from ``source`` to every vertex.

    Parameters
    ----------
    graph : Graph
        The graph; without weights every edge has length 1.
    source : label
        Where to start.
    method : {"auto", "dijkstra", "delta-stepping", "bellman-ford", "frontier", "bfs"}
        All give the same distances. "auto" chooses from the graph's facts and says why in ``explain()``, as :func:`steppe.plan` does
        beforehand. Negative weights need "bellman-ford"; "bfs" takes edges of length 1 only.
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
    reverse : bool
        Search against the edges: distances are those from every vertex *to* ``source``, and ``path(v)`` leads from ``source`` back to v.
    threads : int, optional
        At most so many; default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use. A large search leaves out CPUs that
        are busy with something else, and ``explain()`` tells how many took part.
    memory_limit : int or str, optional
        Bytes ("2GB", "500MiB") the search may take on a device, where edges that do not fit are streamed; on the CPU, bytes beside the file the
        edges are mapped from.
    progress : bool or callable, optional
        True draws a bar on a terminal; a function is called now and then with a :class:`~steppe.Progress` that counts edges relaxed.
    result : {"host", "device"}
        "device" leaves the distances on the device: the answer speaks DLPack and ``__cuda_array_interface__`` (``torch.from_dlpack(paths)``,
        ``cupy.asarray(paths)``), and copies them to the host only when asked for.
    engine : None, "ray" or Ray, optional
        Who searches a graph in parts (:func:`steppe.partition`): this process, or the workers of a cluster; see ``docs/cluster.md``.

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
    options = Options.of(locals())
    if isinstance(graph, PartitionedGraph):
        return solve_parts(graph, Call.SSSP, [source], options)
    refuse_engine(engine)
    return solve(graph, Call.SSSP, source_of(graph, source), options)

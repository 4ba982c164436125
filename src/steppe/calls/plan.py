"""plan(): what a call would do, without doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import gpu
from ..cluster.engine import engine_of
from ..errors import NegativeWeightError
from ..files.partitioned import PartitionedGraph
from ..planning.call import Call
from ..planning.capabilities import name_edge
from ..planning.distance_types import distance_dtype
from ..planning.facts import DeviceFacts, facts_of, machine_for
from ..planning.options import Options
from ..planning.plan import Plan, plan_for, worth_a_device
from ..planning.question import check_graph
from ..planning.request import Request
from .partitioned import plan_parts

if TYPE_CHECKING:
    from ..cluster.engine import Ray
    from ..graph.graph import Graph


def plan(
    graph: Graph | PartitionedGraph,
    call: str,
    *,
    sources: Any = None,
    targets: Any = None,
    method: str = "auto",
    device: str | None = None,
    delta: float | None = None,
    cutoff: float | None = None,
    record_paths: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    dtype: Any = None,
    out: Any = None,
    sparse: bool = False,
    pairs: bool = False,
    reduce: Any = None,
    predecessors: bool = False,
    engine: str | Ray | None = None,
) -> Plan:
    """Tell what a call would do on this graph: method, engine, threads, bytes, and why; nothing is computed.

    Parameters
    ----------
    graph : Graph
        The graph.
    call : {"sssp", "bfs", "nearest", "route", "distances", "all_pairs"}
        The function.
    sources, targets : list of labels or int, optional
        As for the call, or only how many.
    method, device, delta, cutoff, record_paths, threads, memory_limit, dtype, out, sparse, pairs, reduce, predecessors, engine
        As for the call; those it does not have are of no effect. What a sparse result will take nobody knows: ``bytes_needed`` has the rest.

    Returns
    -------
    Plan
        What ``explain()`` of the call's answer will say too, without what is measured.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.generate.grid(400, 500)
    >>> p = sp.plan(g, "all_pairs", threads=1)
    >>> p.threads, p.bytes_needed > 8 * 200_000**2
    (1, True)
    """
    options, wanted = Options.of(locals()), Call(call)
    engine_of(engine)
    if isinstance(graph, PartitionedGraph):
        return plan_parts(graph, wanted, options)
    check_graph(graph)
    if not wanted.many:
        return planned(graph, wanted, options)[0]
    rows = graph.num_vertices if wanted is Call.ALL_PAIRS or sources is None else _count(sources)
    columns = graph.num_vertices if targets is None else _count(targets)
    return planned(graph, wanted, options, rows=rows, columns=columns)[0]


def _item_of(graph: Graph, dtype: Any) -> int:
    """Return the bytes of an entry where distances are stored in another type than they are found in; else 0."""
    return 0 if dtype is None or np.dtype(dtype) == distance_dtype(graph) else np.dtype(dtype).itemsize


def _count(vertices: Any) -> int:
    return vertices if isinstance(vertices, int) else len(vertices)


def device_for(graph: Graph, call: Call, options: Options) -> tuple[gpu.Device | None, str]:
    """Return the device a call runs on (None: the CPU), and why this one, where it was left open.

    A path between two vertices goes to a device only if one is named.
    """
    name = gpu.default_device() if options.device is None else options.device
    if name == "cpu" or (call is Call.ROUTE and options.device is None):
        return None, ""
    if name != "auto":
        return gpu.get_device(name, memory_limit=options.memory_limit), ""
    there = gpu.holder(graph)
    degree = graph.num_edges / max(1, graph.num_vertices)
    worth, why = worth_a_device(call, graph.num_edges, degree, is_there=there is not None)
    device = gpu.get_device(there or "auto", memory_limit=options.memory_limit) if worth else None
    return device, "auto: there is no GPU" if worth and device is None else why


def planned(
    graph: Graph, call: Call, options: Options, *, rows: int = 1, columns: int = 0
) -> tuple[Plan, gpu.Device | None]:
    """Return the plan of a call on this graph, on this machine, now, and its device; ``rows`` and ``columns`` are those of a matrix."""
    device, placed = device_for(graph, call, options)
    facts = facts_of(graph)
    machine = machine_for(facts, options.threads)
    there = None if device is None else _device_facts(device, graph, call, options)
    asked = machine, there, placed, call, rows, columns, options.deciding()
    kept = graph.derived.plan
    if kept is not None and kept[0][0] is facts and kept[0][1] == asked:
        return kept[1], device
    item = _item_of(graph, options.dtype)
    request = Request(call=call, options=options, device=there, placed=placed, rows=rows, columns=columns, item=item)
    try:
        made = plan_for(facts, request, machine)
    except NegativeWeightError as error:
        raise name_edge(graph, error) from None
    graph.derived.plan = (facts, asked), made
    return made, device


def _device_facts(device: gpu.Device, graph: Graph, call: Call, options: Options) -> DeviceFacts:
    from ..gpu import loops
    from ..gpu.loops.work import chunks_of_graph
    from ..gpu.rows import resident_bytes

    reverse = graph._reverse_if_known()
    weights = graph._rows[2]
    needs = {}
    for method in loops.METHODS:
        there = {graph, reverse or graph} if method == "bfs" else {graph}
        needs[method] = loops.bytes_needed(
            method,
            n=graph.num_vertices,
            m=graph.num_edges,
            weights=None if weights is None else weights.dtype,
            groups=device.max_groups,
            record_paths=options.record_paths,
            targets=int(options.may_stop(call)),
            chunks=chunks_of_graph(graph),
            backwards=reverse is not None,
            directed=graph.directed,
        ) - sum(resident_bytes(device, held) for held in there)
    measured = {name: device.tuning.get(name) for name in ("frontier_from", "width")}
    return DeviceFacts(name=device.info.name, free=device.memory.free, needs=needs, **measured)

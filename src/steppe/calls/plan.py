"""plan(): what a call would do, without doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import gpu
from ..cluster.engine import engine_of
from ..errors import NegativeWeightError
from ..files.partitioned import PartitionedGraph
from ..machine.memory import size_of
from ..planning.capabilities import MANY, name_edge
from ..planning.distance_types import distance_dtype
from ..planning.facts import DeviceFacts, facts_of, machine_for
from ..planning.plan import Plan, Wishes, plan_for, worth_a_device
from ..planning.question import check_graph
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
    >>> p.method, p.bytes_needed > 8 * 200_000**2
    ('contraction', True)
    """
    workers = "" if engine_of(engine) is None else "ray"
    if isinstance(graph, PartitionedGraph):
        return plan_parts(graph, call, engine=workers, method=method, delta=delta, bounded=cutoff is not None)
    check_graph(graph)
    memory_limit = size_of(memory_limit)
    rows, columns, form = 1, 0, ""
    if call in MANY:
        rows = graph.num_vertices if call == "all_pairs" or sources is None else _count(sources)
        columns = graph.num_vertices if targets is None else _count(targets)
        form = "pairs" if pairs else "reduce" if reduce is not None else "predecessors" if predecessors else ""
    runner = device_for(graph, call, device, memory_limit)
    return planned(
        graph,
        call,
        device=runner,
        placed=placed(graph, call, device, runner),
        threads=threads,
        method=method,
        delta=delta,
        memory_limit=memory_limit,
        record_paths=record_paths,
        targets=form == "pairs" or (targets is not None and call not in MANY),  # of a matrix: all sources share them
        bounded=cutoff is not None,
        rows=rows,
        columns=columns,
        item=item_of(graph, dtype),
        in_blocks=out is not None or sparse or form == "reduce",
        form=form,
        engine=workers,
    )


def item_of(graph: Graph, dtype: Any) -> int:
    """Return the bytes of an entry where distances are stored in another type than they are found in; else 0."""
    return 0 if dtype is None or np.dtype(dtype) == distance_dtype(graph) else np.dtype(dtype).itemsize


def _count(vertices: Any) -> int:
    return vertices if isinstance(vertices, int) else len(vertices)


def device_for(graph: Graph, call: str, name: str | None, memory_limit: int | None = None) -> gpu.Device | None:
    """Return the device a call runs on; None: the CPU. A path between two vertices goes to a device only if one is named."""
    wanted = gpu.default_device() if name is None else name
    if call == "route" and name is None:
        return None
    if wanted == "auto":
        there = gpu.holder(graph)
        if not worth_a_device(call, graph.num_edges, _degree(graph), is_there=there is not None)[0]:
            return None
        wanted = "auto" if there is None else there
    return None if wanted == "cpu" else gpu.get_device(wanted, memory_limit=memory_limit)


def placed(graph: Graph, call: str, name: str | None, device: gpu.Device | None) -> str:
    """Tell why this device, where it was left open; else nothing."""
    if (gpu.default_device() if name is None else name) != "auto" or (call == "route" and name is None):
        return ""
    worth, why = worth_a_device(call, graph.num_edges, _degree(graph), is_there=gpu.holder(graph) is not None)
    return "auto: there is no GPU" if worth and device is None else why


def _degree(graph: Graph) -> float:
    return graph.num_edges / max(1, graph.num_vertices)


def planned(graph: Graph, call: str, *, device: gpu.Device | None, threads: int | None, **wishes: Any) -> Plan:
    """Return the plan of a call on this graph, on this machine, now."""
    facts = facts_of(graph)
    machine = machine_for(facts, threads)
    there = None if device is None else _device_facts(device, graph, wishes)
    asked = call, machine, there, tuple(wishes.items())
    kept = graph.derived.plan
    if kept is not None and kept[0][0] is facts and kept[0][1] == asked:
        return kept[1]
    try:
        made = plan_for(call, facts, Wishes(device=there, **wishes), machine)
    except NegativeWeightError as error:
        raise name_edge(graph, error) from None
    graph.derived.plan = (facts, asked), made
    return made


def _device_facts(device: gpu.Device, graph: Graph, wishes: dict[str, Any]) -> DeviceFacts:
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
            record_paths=wishes.get("record_paths", False),
            targets=1 if wishes.get("targets") else 0,
            chunks=chunks_of_graph(graph),
            backwards=reverse is not None,
            directed=graph.directed,
        ) - sum(resident_bytes(device, held) for held in there)
    measured = device.tuning.get("frontier_from")
    return DeviceFacts(name=device.info.name, free=device.memory.free, needs=needs, frontier_from=measured)

"""Capabilities: which method runs on which engine, and what it takes. The plan reads this table, the docs print it, the tests go through it.

A new method is a row here, a file in ``cpp/search`` (or ``gpu/loops``), and an entry where its engine calls methods by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import NegativeWeightError
from .call import Call

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .facts import Facts
    from .request import Request

METHODS = ("dijkstra", "delta-stepping", "bellman-ford", "frontier", "bfs")
"""The methods of :func:`steppe.sssp`, besides "auto"."""

MANY_METHODS = (
    "dijkstra",
    "delta-stepping",
    "bellman-ford",
    "bfs",
    "edge-sweep",
    "batched",
    "contraction",
    "floyd-warshall",
    "essential-edges",
    "johnson",
)
"""The methods of :func:`steppe.distances`, besides "auto"."""

FALLBACKS = {
    "contraction": "delta-stepping",
    "floyd-warshall": "delta-stepping",
    "essential-edges": "delta-stepping",
    "batched": "delta-stepping",
    "johnson": "bellman-ford",
}
"""What finds the rows of a matrix that a method for many rows at once leaves, on the CPU; when it leaves some stands with each."""

DENSE = ("floyd-warshall", "essential-edges")
"""The methods that hold the distances of all pairs at once."""

ANY, POSITIVE, ONES = "any weights", "weights that are not negative", "edges of length 1"

CAPABILITIES: dict[tuple[str, str], str] = {
    # (engine, method): the weights it takes. All take cutoff and several sources, and where the graph is one piece targets and record_paths.
    ("cpu", "dijkstra"): POSITIVE,
    ("cpu", "delta-stepping"): POSITIVE,
    ("cpu", "frontier"): POSITIVE,
    ("cpu", "bellman-ford"): ANY,
    ("cpu", "bfs"): ONES,
    ("external", "delta-stepping"): POSITIVE,
    ("external", "frontier"): POSITIVE,
    ("external", "bellman-ford"): ANY,
    ("external", "bfs"): ONES,
    ("device", "delta-stepping"): POSITIVE,
    ("device", "frontier"): POSITIVE,
    ("device", "bellman-ford"): ANY,
    ("device", "bfs"): ONES,
    ("streamed", "delta-stepping"): POSITIVE,
    ("streamed", "frontier"): POSITIVE,
    ("streamed", "bellman-ford"): ANY,
    ("streamed", "bfs"): ONES,
    ("parts", "delta-stepping"): POSITIVE,
    ("parts", "bfs"): ONES,
    ("ray", "delta-stepping"): POSITIVE,
    ("ray", "bfs"): ONES,
}

WEIGHTED = tuple(method for method in METHODS if CAPABILITIES["cpu", method] != ONES)
"""The methods that take any weights that are not negative, on the CPU."""

MANY_CAPABILITIES: dict[tuple[str, str], str] = {
    # The same for matrices: one search for each row.
    ("cpu", "dijkstra"): POSITIVE,
    ("cpu", "delta-stepping"): POSITIVE,
    ("cpu", "bellman-ford"): ANY,
    ("cpu", "bfs"): ONES,
    ("cpu", "batched"): POSITIVE,
    ("cpu", "contraction"): POSITIVE,
    ("cpu", "floyd-warshall"): POSITIVE,
    ("cpu", "essential-edges"): POSITIVE,
    ("cpu", "johnson"): ANY,
    ("device", "delta-stepping"): POSITIVE,
    ("device", "edge-sweep"): POSITIVE,
}


def check(call: Call, engine: str, method: str, facts: Facts, *, bounded: bool) -> None:
    """Raise where this engine has no such method, or where the method cannot take these weights; say what can be done."""
    many = call.many
    takes = (MANY_CAPABILITIES if many else CAPABILITIES).get((engine, method))
    if takes is None:
        if facts.has_negative and not call.hops and method not in ("bellman-ford", "johnson"):
            raise needs_no_negative(method, many=many)  # another engine would not help
        raise ValueError(_why_not(engine, method, many=many))
    if call.hops:
        return  # hops: weights do not matter
    if takes == ONES and not facts.all_ones:
        raise ValueError("bfs counts edges: where they have weights give another method, or call steppe.bfs for hops")
    if method == "contraction" and not facts.is_integer:
        raise ValueError(
            'contraction adds in an order of its own, which only integers bear without rounding: give method="delta-stepping", or leave it out'
        )
    if facts.has_negative:
        if takes != ANY:
            raise needs_no_negative("route" if call is Call.ROUTE else method, many=many)
        if method == "johnson" and not facts.is_integer:
            raise ValueError(
                'johnson changes weights, which only integers bear without rounding: give method="bellman-ford", or leave it out'
            )
        if bounded:
            raise ValueError("cutoff has no meaning where weights are negative: a longer path may come back below it")


def check_engine(request: Request) -> None:
    """Raise where a cluster's workers cannot do it."""
    if not request.call.many:
        raise ValueError(
            'engine="ray" searches graphs in parts: write one with steppe.partition(graph, "folder"), and give what it returns'
        )
    if request.device is not None:
        raise ValueError('engine="ray" searches on CPUs: leave out device=')
    if request.options.method in (*DENSE, "contraction"):
        raise ValueError(
            f"{request.options.method} prepares something for all rows, which cannot be shared out: leave the method out"
        )


def needs_no_negative(name: str, *, many: bool = False) -> NegativeWeightError:
    """Return the error of a method that cannot take negative weights, with the way out."""
    way = 'sssp(graph, source, method="bellman-ford")' if name == "route" else 'method="bellman-ford"'
    return NegativeWeightError(f"{name} needs non-negative weights; use {way}{' on the CPU' if many else ''}")


def name_edge(graph: Graph, error: NegativeWeightError) -> NegativeWeightError:
    """Return the error with an edge of negative weight named in it: a plan knows facts only."""
    assert graph.weights is not None  # noqa: S101 - some are negative
    e = int(np.flatnonzero(graph.weights < 0)[0])
    u = int(np.searchsorted(graph.indptr, e, side="right")) - 1
    edge = graph.label(u), graph.label(int(graph.indices[e])), graph.weights[e].item()
    before, _, after = str(error).partition(";")
    return NegativeWeightError(f"{before}, but edge {edge[0]!r} → {edge[1]!r} weighs {edge[2]};{after}", edge)


def _why_not(engine: str, method: str, *, many: bool) -> str:
    if engine in ("parts", "ray"):
        return f"{method} does not run on a graph in parts: leave the method out"
    if many and method == "edge-sweep":
        return 'method="edge-sweep" runs on a device: give device="opencl" or "cuda", or leave the method out'
    if many:
        return f'{method} from many sources runs on the CPU: give device="cpu", or method="delta-stepping"'
    if method == "dijkstra" and engine == "external":
        return "dijkstra takes edges in an order of its own: memory_limit on the CPU needs another method"
    return f"{method} runs on the CPU only: one vertex at a time is no work for a device"

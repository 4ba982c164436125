"""Routes: one path between two vertices, by a search from both ends or by landmarks (``cpp/route``).

A query touches only the vertices it settles: it costs microseconds between neighbours, however large the graph. What
outlives a query (the reverse graph, workspaces of a few bytes per vertex) is kept with the graph; the first call pays
for it. Calls from several Python threads run side by side.

On a road network, queries that go on coming get landmarks (``prepared/landmarks.py``), and then settle a tenth of the vertices.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from .. import _core
from ..planning.capabilities import name_edge, needs_no_negative
from ..planning.facts import facts_of, machine_for
from ..prepared.account import VERTEX, offer, spend
from ..prepared.landmarks import COUNT, LANDMARKS, seconds
from ..prepared.making import make

if TYPE_CHECKING:
    from ..graph.graph import Graph

log = logging.getLogger("steppe")


def router_of(graph: Graph) -> _core.Router:
    """Return the graph's native Router, made on first use and kept with the graph."""
    if graph.has_negative:
        raise name_edge(graph, needs_no_negative("route"))
    rows = graph._with_own_rows()  # which the Router reads as long as it lives; lent ones are proved before every query
    router = graph.derived.router
    if router is None:
        back = rows if rows.is_symmetric else rows.reverse
        sides = rows._native, back._native
        if rows.weights is not None and all(side.suits_quads for side in sides):
            for side in {rows, back}:  # records of four take a fraction of a search
                make(side, "packed", threads=1)
        least, typical, most = (max(0.0, float(x)) for x in (graph.min_weight, graph._typical_weight, graph.max_weight))
        router = _core.router(*sides, least, typical, most)
        with graph._lock:
            router = graph.derived.router = graph.derived.router or router
    return router


def count(graph: Graph, settled: int) -> None:
    """Count what a query without landmarks cost, in vertices settled; when it is what landmarks cost, have them made.

    Called after the query, which has its answer. A query takes microseconds: whether landmarks are worth it in every other respect is
    looked at when enough was spent.
    """
    spend(graph, ("landmarks",), settled * VERTEX)
    slot = graph.prepared.slot("landmarks")
    if slot.reason or slot.spent < seconds(graph.num_vertices, COUNT if graph.is_symmetric else 2 * COUNT):
        return
    facts = facts_of(graph)
    if offer(LANDMARKS, facts, machine_for(facts, None)) is None:
        slot.spent = 0.0
        return
    try:
        make(graph, "landmarks", wait=False)
    except MemoryError:
        log.warning("no memory for landmarks: routes go on without")

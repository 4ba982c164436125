"""Routes: one path between two vertices, by a search from both ends or by landmarks (``cpp/route``).

A query touches only the vertices it settles: it costs microseconds between neighbours, however large the graph. What
outlives a query (the reverse graph, workspaces of a few bytes per vertex) is kept with the graph; the first call pays
for it. Calls from several Python threads run side by side.

On a road network, queries that go on coming get landmarks (``landmarks.py``), and then settle a tenth of the vertices.
"""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING

from .. import _core
from ..planning.capabilities import name_edge, needs_no_negative
from ..planning.facts import typical_weight
from . import landmarks

if TYPE_CHECKING:
    from ..graph.graph import Graph


def router_of(graph: Graph) -> _core.Router:
    """Return the graph's native Router, made on first use and kept with the graph."""
    if graph.has_negative:
        raise name_edge(graph, needs_no_negative("route"))
    rows = graph._with_own_rows()  # which the Router reads as long as it lives
    derived = graph.derived
    if derived.router is None:  # the lock is only needed to make one
        with graph._lock:
            if derived.router is None:
                r = rows if rows.is_symmetric else rows.reverse
                facts = [max(0.0, float(x)) for x in (graph.min_weight, typical_weight(graph), graph.max_weight)]
                derived.router = _core.router(rows._native, r._native, *facts)
    return derived.router


def make_landmarks(graph: Graph) -> None:
    """Give the graph landmarks, if it is like a road and has none: what ``Graph.prepare(routes=True)`` does."""
    router = router_of(graph)
    with graph._lock:
        if not router.takes_landmarks or graph.derived.landmarks:
            return
        graph.derived.landmarks = True  # other threads' queries go on without
    try:
        marks = landmarks.choose(graph)
    except BaseException:
        graph.derived.landmarks = False
        raise
    if marks is not None:
        router.use_landmarks(marks.rows.ravel(), graph.num_vertices, marks.quantum, marks.slack, marks.one_sided)


def pay(graph: Graph, settled: int) -> None:
    """Count what queries cost, in vertices settled; when it is twice what landmarks cost, have them made."""
    with graph._lock:
        spent = graph.derived.spent_on_routes + settled
        searches = landmarks.COUNT if graph.is_symmetric else 2 * landmarks.COUNT
        enough = spent >= 2 * searches * graph.num_vertices
        graph.derived.spent_on_routes = -math.inf if enough else spent  # that is, never again
    if enough:
        with contextlib.suppress(MemoryError):  # the query that paid has its answer, and goes without
            make_landmarks(graph)

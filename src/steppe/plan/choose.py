"""choose: which method answers best, and why. A pure function of a graph's facts, so that it can be tested as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..graph.graph import Graph

METHODS = ("dijkstra", "delta-stepping", "bellman-ford", "frontier")
"""The methods of :func:`steppe.sssp`, besides "auto"."""

TINY = 20_000
"""Edges below which a heap beats buckets, whose set-up costs as much as the whole search."""


class Choice(NamedTuple):
    """A method's name and the reason for it."""

    method: str
    reason: str


def choose_method(graph: Graph, *, on_device: bool = False) -> Choice:
    """Return the method for one source on this graph.

    Examples
    --------
    >>> import steppe as sp
    >>> choose_method(sp.Graph.from_edges([0], [1], [-2]))
    Choice(method='bellman-ford', reason='some weights are negative')
    """
    if graph.has_negative:
        return Choice("bellman-ford", "some weights are negative")
    if graph.weights is None or (graph.is_integer and graph.min_weight == graph.max_weight == 1):
        return Choice("bfs", "every edge has length 1")
    if on_device:
        return Choice("delta-stepping", "buckets relax fewest edges on a device")
    if graph.num_edges < TINY:
        return Choice("dijkstra", f"fewer than {TINY:,} edges: a heap is quickest")
    return Choice("delta-stepping", "buckets need no heap, and share between threads")

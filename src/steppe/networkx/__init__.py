"""The NetworkX backend ``steppe``: the object that NetworkX dispatches to.

``nx.shortest_path(G, s, t, weight="km", backend="steppe")``, or ``nx.config.backend_priority = ["steppe"]`` for every call it has. Installed together
with steppe, found by NetworkX through the entry points of ``pyproject.toml``. What it has is listed in ``_steppe_networkx``, which NetworkX imports
with itself, and which therefore imports nothing.

>>> import networkx as nx
>>> G = nx.Graph([("a", "b", {"weight": 5}), ("b", "c", {"weight": 3}), ("a", "c", {"weight": 9})])
>>> nx.shortest_path(G, "a", "c", weight="weight", backend="steppe")
['a', 'b', 'c']
"""

import inspect
from typing import Any

from _steppe_networkx import FUNCTIONS

from . import bellman_ford, breadth_first, generic, measures, unweighted, weighted
from .graph import convert_from_nx, convert_to_nx

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "should_run"]

for _name in FUNCTIONS:
    for _module in (generic, unweighted, weighted, bellman_ford, breadth_first, measures):
        if getattr(getattr(_module, _name, None), "__module__", None) == _module.__name__:
            globals()[_name] = getattr(_module, _name)

SMALL = 500
"""Nodes and edges below which NetworkX has answered before a graph is converted."""

REASONS = {
    "heuristic": "a heuristic is a function of Python's, and may change which path is found",
    "neighbors": "neighbors that a function tells are NetworkX's to ask for",
    "sort_neighbors": "neighbors that a function sorts are NetworkX's to ask for",
}


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or why this call is not for us."""
    try:
        given = inspect.signature(globals()[name]).bind_partial(*args, **kwargs).arguments
    except TypeError as error:
        return str(error)
    for option, reason in REASONS.items():
        if callable(given.get(option)):
            return reason
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:  # noqa: ARG001
    """Return True, or why NetworkX had better do it itself."""
    graph: Any = args[0] if args else kwargs.get("G")
    if getattr(graph, "__networkx_backend__", "") == "steppe" or not hasattr(graph, "number_of_edges"):
        return True
    if len(graph) + graph.number_of_edges() < SMALL:
        return f"a graph of fewer than {SMALL} nodes and edges takes longer to convert than to search"
    return True

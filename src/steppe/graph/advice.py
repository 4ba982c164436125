"""Advice: what callers hand over in place of a graph, and what they should write."""

from __future__ import annotations

from typing import Any

from .columns import library_of


def advice(thing: Any) -> str:
    """Return how to make a graph of something.

    >>> advice({"u": [0], "v": [1]})
    'Graph.from_frame(dict, source, target, weight)'
    """
    library, kind = library_of(thing), type(thing).__name__
    if library == "scipy" or hasattr(thing, "tocsr"):
        return "Graph.from_scipy(matrix)"
    if library == "networkx":
        return "Graph.from_networkx(graph)"
    if library == "igraph":
        return "Graph.from_igraph(graph)"
    if library == "rustworkx":
        return "Graph.from_rustworkx(graph)"
    if library in ("pandas", "polars", "pyarrow", "duckdb", "cudf") or hasattr(thing, "__arrow_c_stream__"):
        return "Graph.from_frame(table, source, target, weight)"
    if isinstance(thing, dict):
        return "Graph.from_frame(dict, source, target, weight)"
    if isinstance(thing, (str, bytes)) or hasattr(thing, "__fspath__"):
        return "steppe.read(path)"
    if getattr(thing, "ndim", 0) == 2 and thing.shape[0] == 2:
        return "Graph.from_edge_index(edge_index)"
    if getattr(thing, "ndim", 0) == 2:
        return "Graph.from_scipy(scipy.sparse.csr_array(matrix))"
    return f"Graph.from_edges(sources, targets, weights), of what the {kind} holds"

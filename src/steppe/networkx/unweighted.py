"""Unweighted: ``networkx.algorithms.shortest_paths.unweighted``, and ``has_path``. Parameters and results are described there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from ..calls.all_shortest_paths import tight_rows
from ..calls.route import route
from . import search
from .graph import ConvertedGraph, levels
from .results import LazyPaths, lengths

if TYPE_CHECKING:
    from collections.abc import Iterator

Graph = ConvertedGraph


def has_path(G: Graph, source: Any, target: Any) -> bool:
    """Return whether a path leads from source to target."""
    s, t = G.index(source, "Source {} is not in G"), G.index(target, "Target {} is not in G")
    return bool(route(G.hops, s, t))


def bidirectional_shortest_path(G: Graph, source: Any, target: Any) -> list[Any]:
    """Return a path with the fewest edges."""
    s, t = G.index(source, "Source {} is not in G"), G.index(target, "Target {} is not in G")
    found = route(G.hops, s, t)
    if not found:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return [G.nodes[v] for v in found.vertices.tolist()]


def single_source_shortest_path_length(G: Graph, source: Any, cutoff: Any = None) -> dict[Any, int]:
    """Return how many edges lead to each node."""
    s = G.index(source, "Source {} is not in G")
    return _lengths(G, G.hops, s, search.hops(G.hops, s), levels(cutoff))


def single_target_shortest_path_length(G: Graph, target: Any, cutoff: Any = None) -> dict[Any, int]:
    """Return how many edges lead from each node."""
    t = G.index(target, "Target {} is not in G")
    g = G.hops_back
    return _lengths(G, g, t, search.hops(g, t), levels(cutoff))


def _lengths(G: Graph, g: Any, source: int, far: Any, limit: int | None) -> dict[Any, int]:
    """Return the levels of the nodes, in the order in which NetworkX meets them."""
    order, _ = search.breadth_first(g, source)
    return lengths(G, far, order if limit is None else order[far[order] <= limit])


@search.lazily
def all_pairs_shortest_path_length(G: Graph, cutoff: Any = None) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Yield each node, and how many edges lead from it to each."""
    limit = levels(cutoff)
    for begin, block in search.rows(G.hops, limit):
        for i, row in enumerate(block):
            yield G.nodes[begin + i], _lengths(G, G.hops, begin + i, row, limit)


def single_source_shortest_path(G: Graph, source: Any, cutoff: Any = None) -> LazyPaths:
    """Return a path to each node, the one that NetworkX finds."""
    return _tree(G, G.index(source, "Source {} not in G"), cutoff)


def single_target_shortest_path(G: Graph, target: Any, cutoff: Any = None) -> LazyPaths:
    """Return a path from each node."""
    return _tree(G, G.index(target, "Target {} not in G"), cutoff, backwards=True)


@search.lazily
def all_pairs_shortest_path(G: Graph, cutoff: Any = None) -> Iterator[tuple[Any, LazyPaths]]:
    """Yield each node, and a path from it to each."""
    for v, node in enumerate(G.nodes):
        yield node, _tree(G, v, cutoff)


def predecessor(G: Graph, source: Any, target: Any = None, cutoff: Any = None, return_seen: Any = None) -> Any:
    """Return of each node all nodes that come before it on a path with the fewest edges."""
    s = G.index(source, "Source {} not in G")
    g = G.hops
    far = search.hops(g, s).astype(np.int64)
    far[far == np.iinfo(np.int32).max] = np.iinfo(np.int64).max
    order, _ = search.breadth_first(g, s)
    if cutoff and not math.isnan(cutoff) and cutoff != math.inf:  # it stops behind the first level at the earliest
        order = order[far[order] <= (math.ceil(cutoff) if cutoff > 1 else 1)]
    before = _before(G, g, far, s, order)
    seen = dict(zip([G.nodes[v] for v in order.tolist()], far[order].tolist(), strict=True))
    if target is None:
        return (before, seen) if return_seen else before
    if return_seen:
        return (before[target], seen[target]) if target in before else ([], -1)
    return before.get(target, [])


def _before(G: Graph, g: Any, far: Any, source: int, order: Any) -> dict[Any, list[Any]]:
    indptr, indices = tight_rows(g, far, np.array([source]))
    place = np.empty(len(far), dtype=np.int64)
    place[order] = np.arange(len(order))
    nodes, result = G.nodes, {}
    for v in order.tolist():
        row = indices[indptr[v] : indptr[v + 1]]
        result[nodes[v]] = [nodes[u] for u in row[np.argsort(place[row], kind="stable")].tolist()]
    return result


def _tree(G: Graph, root: int, cutoff: Any, *, backwards: bool = False) -> LazyPaths:
    g = G.hops_back if backwards else G.hops
    order, met_from = search.breadth_first(g, root)
    if (limit := levels(cutoff)) is not None:
        order = order[search.hops(g, root)[order] <= limit]
    return LazyPaths(G, met_from, order, backwards=backwards)

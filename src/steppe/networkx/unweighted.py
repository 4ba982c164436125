"""Unweighted: ``networkx.algorithms.shortest_paths.unweighted``, and ``has_path``. Parameters and results are described there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from ..calls.all_shortest_paths import tight_rows
from ..calls.route import route
from . import search
from .graph import ConvertedGraph, whole_cutoff
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
    return lengths(G, search.hops(G.hops, s), whole_cutoff(cutoff))


def single_target_shortest_path_length(G: Graph, target: Any, cutoff: Any = None) -> dict[Any, int]:
    """Return how many edges lead from each node."""
    t = G.index(target, "Target {} is not in G")
    return lengths(G, search.hops(G.hops.reverse, t), whole_cutoff(cutoff))


def all_pairs_shortest_path_length(G: Graph, cutoff: Any = None) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Yield each node, and how many edges lead from it to each."""
    for begin, block in search.rows(G.hops, whole_cutoff(cutoff)):
        for i, row in enumerate(block):
            yield G.nodes[begin + i], lengths(G, row)


def single_source_shortest_path(G: Graph, source: Any, cutoff: Any = None) -> LazyPaths:
    """Return a path to each node, the one that NetworkX finds."""
    return _tree(G, G.index(source, "Source {} not in G"), cutoff)


def single_target_shortest_path(G: Graph, target: Any, cutoff: Any = None) -> LazyPaths:
    """Return a path from each node."""
    return _tree(G, G.index(target, "Target {} not in G"), cutoff, backwards=True)


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
    if cutoff:
        order = order[far[order] <= max(1, whole_cutoff(cutoff) or 0)]
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
    g = G.hops.reverse if backwards else G.hops
    order, met_from = search.breadth_first(g, root)
    if cutoff is not None and (limit := whole_cutoff(cutoff)) is not None:
        order = order[search.hops(g, root)[order] <= limit]
    return LazyPaths(G, met_from, order, backwards=backwards)

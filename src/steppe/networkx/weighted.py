"""Weighted: the functions of Dijkstra's name in ``networkx.algorithms.shortest_paths.weighted``, and A* without a heuristic.

Parameters and results are described there. Where several shortest paths exist, the one with the fewest edges is returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from ..calls.all_shortest_paths import tight_rows
from . import search
from .graph import ConvertedGraph
from .results import LazyPaths, lengths, reached

if TYPE_CHECKING:
    from collections.abc import Iterator

Graph = ConvertedGraph


def _sources(G: Graph, sources: Any) -> list[int]:
    if not sources:
        raise ValueError("sources must not be empty")
    return [G.index(s, "Node {} not found in graph") for s in sources]


def multi_source_dijkstra_path_length(
    G: Graph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return each node's distance from the nearest of several."""
    starts = _sources(G, sources)
    return lengths(G, search.paths(G.weighted(weight), starts, cutoff).distances)


def multi_source_dijkstra(
    G: Graph, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Return distances and paths from the nearest of several nodes."""
    starts = _sources(G, sources)
    if target in sources:
        return (0, [target])
    g = search.refuse_negative(G.weighted(weight))
    if target is not None and target not in G:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    t = None if target is None else G.place[target]
    found = search.paths(g, starts, cutoff, t)
    trees = LazyPaths(G, found.predecessors, reached(found.distances))
    if target is None:
        return lengths(G, found.distances), trees
    if target not in trees:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found.distance(t), trees[target]


def multi_source_dijkstra_path(G: Graph, sources: Any, cutoff: Any = None, weight: Any = "weight") -> LazyPaths:
    """Return a path to each node from the nearest of several."""
    found = search.paths(G.weighted(weight), _sources(G, sources), cutoff)
    return LazyPaths(G, found.predecessors, reached(found.distances))


def single_source_dijkstra(
    G: Graph, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Return distances and paths from a node."""
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def single_source_dijkstra_path(G: Graph, source: Any, cutoff: Any = None, weight: Any = "weight") -> LazyPaths:
    """Return a path to each node."""
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(
    G: Graph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return the distance of each node."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def refuse_no_target(target: Any) -> None:
    """Decline None for a target: then NetworkX returns paths to all nodes."""
    if target is None:
        raise NotImplementedError("without a target NetworkX returns something else than a path")


def dijkstra_path(G: Graph, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    """Return a shortest path between two nodes."""
    refuse_no_target(target)
    s = G.index(source, "Node {} not found in graph")
    if source == target:
        return [source]
    g = search.refuse_negative(G.weighted(weight))
    found = search.between(g, s, G.place[target]) if target in G else None
    if not found:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return [G.nodes[v] for v in found.vertices.tolist()]


def dijkstra_path_length(G: Graph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the distance between two nodes."""
    s = G.index(source, "Node {} not found in graph")
    if source == target:
        return 0
    g = search.refuse_negative(G.weighted(weight))
    found = search.between(g, s, G.place[target]) if target in G else None
    if not found:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found.distance


def bidirectional_dijkstra(G: Graph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the distance between two nodes, and a shortest path."""
    s, t = G.index(source, "Source {} is not in G"), G.index(target, "Target {} is not in G")
    if s == t:
        return (0, [source])
    found = search.between(G.weighted(weight), s, t)
    if not found:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found.distance, [G.nodes[v] for v in found.vertices.tolist()]


def _within(G: Graph, source: Any, target: Any, heuristic: Any, weight: Any, cutoff: Any) -> Any:
    if heuristic is not None:
        raise NotImplementedError("a heuristic is a function of Python's, and may change which path is found")
    s, t = G.index(source, "Source {} is not in G"), G.index(target, "Target {} is not in G")
    found = search.between(G.weighted(weight), s, t)
    if not found or (cutoff and s != t and found.distance > cutoff):
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found


def astar_path(
    G: Graph, source: Any, target: Any, heuristic: Any = None, weight: Any = "weight", *, cutoff: Any = None
) -> list[Any]:
    """Return a shortest path between two nodes, if there is one within the cutoff."""
    found = _within(G, source, target, heuristic, weight, cutoff)
    return [G.nodes[v] for v in found.vertices.tolist()]


def astar_path_length(
    G: Graph, source: Any, target: Any, heuristic: Any = None, weight: Any = "weight", *, cutoff: Any = None
) -> Any:
    """Return the length of that path."""
    if source not in G or target not in G:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    found = _within(G, source, target, heuristic, weight, cutoff)
    return found.distance if source != target else 0


@search.lazily
def all_pairs_dijkstra_path_length(
    G: Graph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Yield each node, and the distances from it."""
    for begin, block in search.rows(search.refuse_negative(G.weighted(weight)), cutoff):
        for i, row in enumerate(block):
            yield G.nodes[begin + i], lengths(G, row)


@search.lazily
def all_pairs_dijkstra_path(G: Graph, cutoff: Any = None, weight: Any = "weight") -> Iterator[tuple[Any, LazyPaths]]:
    """Yield each node, and paths from it."""
    for node, found in _from_each(G, cutoff, weight):
        yield node, LazyPaths(G, found.predecessors, reached(found.distances))


@search.lazily
def all_pairs_dijkstra(G: Graph, cutoff: Any = None, weight: Any = "weight") -> Iterator[tuple[Any, Any]]:
    """Yield each node, and distances and paths from it."""
    for node, found in _from_each(G, cutoff, weight):
        yield node, (lengths(G, found.distances), LazyPaths(G, found.predecessors, reached(found.distances)))


def _from_each(G: Graph, cutoff: Any, weight: Any) -> Iterator[tuple[Any, Any]]:
    g = G.weighted(weight)
    return search.each(g, ((node, search.paths(g, [v], cutoff)) for v, node in enumerate(G.nodes)))


def dijkstra_predecessor_and_distance(
    G: Graph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    """Return all nodes before each on shortest paths, and the distances."""
    s = G.index(source, "Node {} is not found in the graph")
    g = G.weighted(weight)
    far = search.paths(g, [s], cutoff).distances
    if cutoff is not None and cutoff < 0:
        return {source: []}, {source: 0}
    return before(G, g, far, s), lengths(G, far)


def before(G: Graph, g: Any, far: Any, source: int) -> dict[Any, list[Any]]:
    """Return of each node that was reached the nodes before it on shortest paths, nearest first."""
    indptr, indices = tight_rows(g, far, np.array([source]), circles=True)
    nodes, result = G.nodes, {}
    for v in reached(far).tolist():
        row = indices[indptr[v] : indptr[v + 1]]
        result[nodes[v]] = [nodes[u] for u in row[np.argsort(far[row], kind="stable")].tolist()]
    return result

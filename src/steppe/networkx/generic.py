"""Generic: ``networkx.algorithms.shortest_paths.generic`` and ``.dense``. Parameters and results are described there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from ..calls.simple_paths import simple_paths
from . import bellman_ford as bf
from . import search, unweighted, weighted
from .graph import EXACT, ConvertedGraph, largest_sum
from .results import LazyPaths, lengths, reached

if TYPE_CHECKING:
    from collections.abc import Iterator

Graph = ConvertedGraph


def _method(weight: Any, method: str) -> str:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def shortest_path(
    G: Graph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """Return shortest paths between two nodes, from one, to one, or between all."""
    method = _method(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return unweighted.all_pairs_shortest_path(G)
        if method == "dijkstra":
            return weighted.all_pairs_dijkstra_path(G, weight=weight)
        return bf.all_pairs_bellman_ford_path(G, weight)
    if source is None:
        if method == "unweighted":
            G.index(target, "Source {} not in G")  # which it is to a search backwards
            return unweighted.single_target_shortest_path(G, target)
        found = _to(G, target, weight, method)
        return LazyPaths(G, found.predecessors, reached(found.distances), backwards=True)
    if target is None:
        if method == "unweighted":
            return unweighted.single_source_shortest_path(G, source)
        if method == "dijkstra":
            return weighted.single_source_dijkstra_path(G, source, weight=weight)
        return bf.single_source_bellman_ford_path(G, source, weight)
    if method == "unweighted":
        return unweighted.bidirectional_shortest_path(G, source, target)
    if method == "dijkstra":
        return weighted.bidirectional_dijkstra(G, source, target, weight)[1]
    return bf.bellman_ford_path(G, source, target, weight)


def shortest_path_length(
    G: Graph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """Return distances between two nodes, from one, to one, or between all."""
    method = _method(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return unweighted.all_pairs_shortest_path_length(G)
        if method == "dijkstra":
            return weighted.all_pairs_dijkstra_path_length(G, weight=weight)
        return bf.all_pairs_bellman_ford_path_length(G, weight)
    if source is None:
        if method == "unweighted":
            G.index(target, "Source {} is not in G")
            return unweighted.single_target_shortest_path_length(G, target)
        return lengths(G, _to(G, target, weight, method).distances)
    if target is None:
        if method == "unweighted":
            return unweighted.single_source_shortest_path_length(G, source)
        if method == "dijkstra":
            return weighted.single_source_dijkstra_path_length(G, source, weight=weight)
        return bf.single_source_bellman_ford_path_length(G, source, weight)
    if method == "unweighted":
        return len(unweighted.bidirectional_shortest_path(G, source, target)) - 1
    if method == "dijkstra":
        return weighted.dijkstra_path_length(G, source, target, weight)
    return bf.bellman_ford_path_length(G, source, target, weight)


def _to(G: Graph, target: Any, weight: Any, method: str) -> Any:
    """Return the paths from all nodes to one: those of the graph turned round."""
    if method == "dijkstra":
        return search.paths(G.towards(weight), [G.index(target, "Node {} not found in graph")])
    return search.any_sign(G.towards(weight, hidden=False), G.index(target, "Source {} not in G"))


def _before(G: Graph, source: Any, weight: Any, method: str) -> dict[Any, list[Any]]:
    if weight is not None and method != "unweighted":
        g = G.weighted(weight)
        if g.num_edges and g.min_weight is not None and g.min_weight <= 0:
            raise NotImplementedError("along circles of length 0 NetworkX lists paths more than once")
    if weight is None or method == "unweighted":
        found: dict[Any, list[Any]] = unweighted.predecessor(G, source)
        return found
    if method == "dijkstra":
        return weighted.dijkstra_predecessor_and_distance(G, source, weight=weight)[0]
    if method != "bellman-ford":
        raise ValueError(f"method not supported: {method}")
    return bf.bellman_ford_predecessor_and_distance(G, source, weight=weight)[0]


def all_shortest_paths(
    G: Graph, source: Any, target: Any, weight: Any = None, method: str = "dijkstra"
) -> Iterator[list[Any]]:
    """Yield all shortest paths between two nodes."""
    return _listed(_before(G, source, weight, method), source, target)


def _listed(before: dict[Any, list[Any]], source: Any, target: Any) -> Iterator[list[Any]]:
    if target not in before:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    yield from simple_paths(before, source, target)


@search.lazily
def single_source_all_shortest_paths(
    G: Graph, source: Any, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Any, list[list[Any]]]]:
    """Yield each node that can be reached, and all shortest paths to it."""
    before = _before(G, source, weight, method)
    for node in before:
        yield node, list(simple_paths(before, source, node))


@search.lazily
def all_pairs_all_shortest_paths(
    G: Graph, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Any, dict[Any, list[list[Any]]]]]:
    """Yield each node, and all shortest paths from it to each."""
    g = G.weighted(weight)
    steps = ((node, dict(single_source_all_shortest_paths(G, node, weight, method))) for node in G.nodes)
    yield from search.each(g, steps)


# Dense ----------------------------------------------------------------------------------------------------------------


def _all_pairs(G: Graph, weight: Any) -> Any:
    """Return all distances as floats or integers, and whether there is one."""
    if callable(weight):
        raise NotImplementedError("a function is an attribute's name to NetworkX here")
    g = G.weighted(weight)
    if g.is_integer and largest_sum(g) > EXACT:
        raise NotImplementedError(
            "an edge without a weight weighs 1.0 here, and sums may be beyond what floats hold exactly"
        )
    if bf.has_negative_cycle(g):
        raise NotImplementedError(
            "there is a negative cycle: what Floyd and Warshall's method then tells is NetworkX's"
        )
    blocks = [block for _, block in search.rows(g)]
    found = np.concatenate(blocks) if blocks else np.empty((0, 0))
    return found, search.is_reached(found)


def floyd_warshall(G: Graph, weight: Any = "weight") -> dict[Any, dict[Any, Any]]:
    """Return the distances between all nodes, inf where there is no path."""
    found, there = _all_pairs(G, weight)
    result = {}
    for node, row, reach in zip(G.nodes, found, there, strict=True):
        values = [d if r else float("inf") for d, r in zip(row.tolist(), reach.tolist(), strict=True)]
        result[node] = dict(zip(G.nodes, values, strict=True))
    return result


def floyd_warshall_predecessor_and_distance(G: Graph, weight: Any = "weight") -> tuple[Any, Any]:
    """Return a node before each on a shortest path from each, and the distances between all nodes."""
    far = floyd_warshall(G, weight)
    g, nodes = G.weighted(weight), G.nodes
    tree = {}
    sources = np.repeat(np.arange(len(nodes)), g.degrees)
    loops = set(sources[sources == g.indices].tolist())  # a node with a loop is before itself
    for s, node in enumerate(nodes):
        before = search.any_sign(g, s).predecessors.tolist()
        if s in loops:
            before[s] = s
        row = {nodes[v]: nodes[u] for v, u in enumerate(before) if u >= 0}
        if row:
            tree[node] = row
    return tree, far


def floyd_warshall_numpy(G: Graph, nodelist: Any = None, weight: Any = "weight") -> Any:
    """Return the distances between all nodes as an array."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats.If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    if nodelist is not None and (others := set(nodelist) - set(G.nodes)):
        raise nx.NetworkXError(f"Nodes {others} in nodelist is not in G")
    found, there = _all_pairs(G, weight)
    result = np.where(there, found, np.inf)
    if nodelist is not None:
        places = [G.place[node] for node in nodelist]
        result = result[np.ix_(places, places)]
    return result

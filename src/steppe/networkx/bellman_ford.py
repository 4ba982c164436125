"""Bellman-Ford: the functions of ``networkx.algorithms.shortest_paths`` that take negative weights. Described there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from ..calls.engines import solve
from ..errors import NegativeCycleError
from ..planning.call import Call
from . import search
from .graph import ConvertedGraph
from .results import LazyPaths, lengths, reached
from .weighted import before, refuse_no_target

if TYPE_CHECKING:
    from collections.abc import Iterator

Graph = ConvertedGraph
UNBOUNDED = "Negative cycle detected."


def single_source_bellman_ford(G: Graph, source: Any, target: Any = None, weight: Any = "weight") -> Any:
    """Return distances and paths from a node."""
    if source == target:
        G.index(source, "Node {} is not found in the graph")
        return (0, [source])
    found = search.any_sign(G.weighted(weight, hidden=False), G.index(source, "Source {} not in G"))
    trees = LazyPaths(G, found.predecessors, reached(found.distances))
    if target is None:
        return lengths(G, found.distances), trees
    if target not in trees:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found.distance(G.place[target]), trees[target]


def bellman_ford_path(G: Graph, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    """Return a shortest path between two nodes."""
    refuse_no_target(target)
    path: list[Any] = single_source_bellman_ford(G, source, target, weight)[1]
    return path


def bellman_ford_path_length(G: Graph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the distance between two nodes."""
    if source == target:
        G.index(source, "Node {} not found in graph")
        return 0
    found = single_source_bellman_ford_path_length(G, source, weight)
    if target not in found:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found[target]


def single_source_bellman_ford_path(G: Graph, source: Any, weight: Any = "weight") -> LazyPaths:
    """Return a path to each node."""
    found = search.any_sign(G.weighted(weight, hidden=False), G.index(source, "Source {} not in G"))
    return LazyPaths(G, found.predecessors, reached(found.distances))


def single_source_bellman_ford_path_length(G: Graph, source: Any, weight: Any = "weight") -> dict[Any, Any]:
    """Return the distance of each node."""
    s = G.index(source, "Source {} not in G")
    return lengths(G, search.any_sign(G.weighted(weight, hidden=False), s).distances)


@search.lazily
def all_pairs_bellman_ford_path_length(G: Graph, weight: Any = "weight") -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Yield each node, and the distances from it."""
    for begin, block in search.rows(G.weighted(weight, hidden=False)):
        for i, row in enumerate(block):
            yield G.nodes[begin + i], lengths(G, row)


@search.lazily
def all_pairs_bellman_ford_path(G: Graph, weight: Any = "weight") -> Iterator[tuple[Any, LazyPaths]]:
    """Yield each node, and paths from it."""
    yield from _paths_from_each(G, G.weighted(weight, hidden=False))


def _paths_from_each(G: Graph, g: Any) -> Iterator[tuple[Any, LazyPaths]]:
    for node, found in search.each(g, ((node, search.any_sign(g, v)) for v, node in enumerate(G.nodes))):
        yield node, LazyPaths(G, found.predecessors, reached(found.distances))


def _with_loops(G: Graph, weight: Any) -> Any:
    """Return the graph, or raise where an edge from a node to itself is negative, wherever it is: NetworkX checks those first."""
    if callable(weight) and G.is_multigraph():
        raise NotImplementedError("a function of parallel edges is asked for each loop alone by NetworkX")
    g = G.weighted(weight, hidden=False)
    _refuse_negative_loops(g)
    return g


def _refuse_negative_loops(g: Any) -> None:
    if g.has_negative:
        loops = np.repeat(np.arange(g.num_vertices), g.degrees) == g.indices
        if (g.weights[loops] < 0).any():
            raise nx.NetworkXUnbounded(UNBOUNDED)


def bellman_ford_predecessor_and_distance(
    G: Graph,
    source: Any,
    target: Any = None,  # noqa: ARG001 - NetworkX's does not stop there, either
    weight: Any = "weight",
    heuristic: bool = False,  # noqa: ARG001 - it finds cycles sooner, and changes no result
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    """Return all nodes before each on shortest paths, and the distances."""
    s = G.index(source, "Node {} is not found in the graph")
    g = _with_loops(G, weight)
    if len(G) == 1:
        return {source: []}, {source: 0}
    far = search.any_sign(g, s).distances
    return before(G, g, far, s), lengths(G, far)


def goldberg_radzik(G: Graph, source: Any, weight: Any = "weight") -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return a node before each on a shortest path, None for the source, and the distances."""
    s = G.index(source, "Node {} is not found in the graph")
    g = _with_loops(G, weight)
    found = search.any_sign(g, s)
    tree = found.predecessors
    names = {G.nodes[v]: None if tree[v] < 0 else G.nodes[tree[v]] for v in reached(found.distances).tolist()}
    return names, lengths(G, found.distances)


def negative_edge_cycle(G: Graph, weight: Any = "weight", heuristic: bool = True) -> bool:  # noqa: ARG001
    """Return whether there is a negative cycle anywhere."""
    return has_negative_cycle(G.weighted(weight, hidden=False))


def has_negative_cycle(g: Any) -> bool:
    """Return whether a graph has a negative cycle anywhere."""
    if not g.has_negative:
        return False
    try:
        with search.declining():
            solve(g, Call.SEARCH, np.arange(g.num_vertices))
    except NegativeCycleError:
        return True
    return False


def find_negative_cycle(G: Graph, source: Any, weight: Any = "weight") -> list[Any]:
    """Return a negative cycle that can be reached; its first node is its last, too."""
    s = G.index(source, "Source {} not in G")
    try:
        with search.declining():
            solve(G.weighted(weight, hidden=False), Call.SEARCH, np.array([s]))
    except NegativeCycleError as error:
        # NetworkX names it from before the node where the search comes upon it; one of two nodes, from there.
        far = search.hops(G.hops, s)
        cycle = error.cycle
        entry = int(np.lexsort((cycle, far[cycle]))[0])
        first = entry if len(cycle) <= 2 else (entry - 1) % len(cycle)
        return [G.nodes[v] for v in (*cycle[first:], *cycle[: first + 1])]
    raise nx.NetworkXError("No negative cycles detected.")


def johnson(G: Graph, weight: Any = "weight") -> dict[Any, LazyPaths]:
    """Return paths between all nodes."""
    g = G.weighted(weight, hidden=False)
    if has_negative_cycle(g):
        raise nx.NetworkXUnbounded(UNBOUNDED)
    return dict(_paths_from_each(G, g))

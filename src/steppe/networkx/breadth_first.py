"""Breadth first: ``networkx.algorithms.traversal.breadth_first_search``, in NetworkX's order. Described there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from . import search
from .graph import ConvertedGraph, levels

if TYPE_CHECKING:
    from collections.abc import Iterator

Graph = ConvertedGraph


@search.lazily
def generic_bfs_edges(
    G: Graph, source: Any, neighbors: Any = None, depth_limit: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Yield the edges of a breadth-first search."""
    if neighbors is not None:
        raise NotImplementedError("neighbors that a function tells are NetworkX's to ask for")
    yield from bfs_edges(G, source, depth_limit=depth_limit)


@search.lazily
def bfs_edges(
    G: Graph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Yield the edges of a breadth-first search."""
    if sort_neighbors is not None:
        raise NotImplementedError("neighbors that a function sorts are NetworkX's to ask for")
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the {'di' * G.is_directed()}graph.")
    g, s, nodes = G.hops_back if reverse else G.hops, G.place[source], G.nodes
    order, met_from = search.breadth_first(g, s)
    order = order[1:]
    if (limit := levels(depth_limit)) is not None:
        order = order[search.hops(g, s)[order] <= limit]
    for u, v in zip(met_from[order].tolist(), order.tolist(), strict=True):
        yield nodes[u], nodes[v]


def bfs_tree(G: Graph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None) -> Any:
    """Return the tree of a breadth-first search, as a graph of NetworkX's."""
    tree: Any = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, reverse, depth_limit, sort_neighbors))
    return tree


@search.lazily
def bfs_predecessors(
    G: Graph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Yield each node but the source, and the one it was met from."""
    for u, v in bfs_edges(G, source, depth_limit=depth_limit, sort_neighbors=sort_neighbors):
        yield v, u


@search.lazily
def bfs_successors(
    G: Graph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Yield each node from which others were met, and those."""
    parent = source
    children: list[Any] = []
    for u, v in bfs_edges(G, source, depth_limit=depth_limit, sort_neighbors=sort_neighbors):
        if u != parent:
            yield parent, children
            parent, children = u, []
        children.append(v)
    yield parent, children


def _rows(G: Graph) -> Any:
    g = G.hops
    indptr, indices = g.indptr.tolist(), g.indices
    return lambda v: indices[indptr[v] : indptr[v + 1]].tolist()


def bfs_layers(G: Graph, sources: Any) -> Iterator[list[Any]]:
    """Yield the nodes at each distance."""
    places, starts = G.place, list(set([sources] if sources in G else sources))  # a set's order is NetworkX's, too
    for node in starts:
        if node not in G:
            raise nx.NetworkXError(f"The node {node} is not in the graph.")
    nodes, row_of = G.nodes, _rows(G)
    layer, seen = [places[node] for node in starts], np.zeros(len(G), dtype=bool)
    seen[layer] = True
    while layer:
        yield [nodes[v] for v in layer]
        following = []
        for u in layer:
            for v in row_of(u):
                if not seen[v]:
                    seen[v] = True
                    following.append(v)
        layer = following


def descendants_at_distance(G: Graph, source: Any, distance: Any) -> set[Any]:
    """Return the nodes at a distance, in edges."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    far = search.hops(G.hops, G.place[source])
    found = np.flatnonzero((far == distance) & search.is_reached(far))
    return {G.nodes[v] for v in found.tolist()}


def bfs_labeled_edges(G: Graph, sources: Any) -> Iterator[tuple[Any, Any, str]]:
    """Yield the edges that a breadth-first search reads, and the kind of each."""
    nodes, row_of, directed = G.nodes, _rows(G), G.is_directed()
    depth = {G.place[node]: 0 for node in ([sources] if sources in G else sources)}
    queue, done = list(depth), set()
    for u in queue:
        for v in dict.fromkeys(row_of(u)):  # once, also where there are parallel edges
            if v not in depth:
                depth[v] = depth[u] + 1
                queue.append(v)
                yield nodes[u], nodes[v], "tree"
            elif depth[u] == depth[v]:
                if directed or v not in done:
                    yield nodes[u], nodes[v], "level"
            elif depth[u] < depth[v]:
                yield nodes[u], nodes[v], "forward"
            elif directed:
                yield nodes[u], nodes[v], "reverse"
        done.add(u)

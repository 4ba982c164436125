"""Measures of distance: eccentricity and its like, closeness, Voronoi cells. Parameters and results are described in NetworkX.

Each is a reduction of the matrix of distances, which comes in blocks of rows and is never held as a whole.
"""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

from ..calls.nearest import nearest
from . import search
from .bellman_ford import single_source_bellman_ford_path_length
from .graph import ConvertedGraph

Graph = ConvertedGraph


def _weighted(G: Graph, weight: Any) -> Any:
    g = G.weighted(weight)
    if g.has_negative:
        search.paths(g, [0])  # which says why not
    return g


def _far(G: Graph, weight: Any, sources: Any = None) -> tuple[Any, Any]:
    """Return of each node, or of some, how far the furthest is, and how many are reached."""
    furthest, count = [], []
    for _, block in search.rows(_weighted(G, weight), sources=sources):
        there = search.is_reached(block)
        furthest.append(np.where(there, block, 0).max(axis=1))
        count.append(there.sum(axis=1))
    return np.concatenate(furthest), np.concatenate(count)


def eccentricity(G: Graph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """Return the distance of the furthest node, of each node or of some."""
    nodes = G.bunch(v)
    if sp is not None:
        result = {}
        for node in nodes:
            try:
                length = sp[node]
                count = len(length)
            except TypeError as error:
                raise nx.NetworkXError('Format of "sp" is invalid.') from error
            if count != len(G):
                raise _not_connected(G)
            result[node] = max(length.values())
    else:
        if not nodes:
            return {}
        far, count = _far(G, weight, np.array([G.place[node] for node in nodes], dtype=np.int64))
        if (count != len(G)).any():
            raise _not_connected(G)
        result = dict(zip(nodes, far.tolist(), strict=True))
    return result[v] if v in G else result


def _not_connected(G: Graph) -> Exception:
    kind = "digraph is not strongly" if G.is_directed() else "graph is not"
    return nx.NetworkXError(f"Found infinite path length because the {kind} connected")


def _eccentricities(G: Graph, e: Any, usebounds: bool, weight: Any) -> dict[Any, Any]:
    if e is not None:
        known: dict[Any, Any] = e
        return known
    if usebounds is True and not G.is_directed() and len(G) and not _is_connected(G):
        raise nx.NetworkXError("Cannot compute metric because graph is not connected.")
    found: dict[Any, Any] = eccentricity(G, weight=weight)
    return found


def diameter(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the largest eccentricity."""
    return max(_eccentricities(G, e, usebounds, weight).values())


def radius(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the smallest eccentricity."""
    return min(_eccentricities(G, e, usebounds, weight).values())


def periphery(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Any]:
    """Return the nodes of the largest eccentricity."""
    found = _eccentricities(G, e, usebounds, weight)
    largest = max(found.values())
    return [node for node, far in found.items() if far == largest]


def center(G: Graph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Any]:
    """Return the nodes of the smallest eccentricity."""
    found = _eccentricities(G, e, usebounds, weight)
    smallest = min(found.values())
    return [node for node, far in found.items() if far == smallest]


def _sums(g: Any) -> tuple[list[Any], list[int]]:
    """Return of each node the sum of its distances, and how many nodes it reaches."""
    total, count = [], []
    for _, block in search.rows(g):
        there = search.is_reached(block)
        total += np.where(there, block, 0).sum(axis=1).tolist()
        count += there.sum(axis=1).tolist()
    return total, count


def closeness_centrality(G: Graph, u: Any = None, distance: Any = None, wf_improved: bool = True) -> Any:
    """Return how near each node is to those that reach it."""
    g = _weighted(G, distance).reverse
    if u is None:
        total, count = _sums(g)
        nodes = G.nodes
    else:
        nodes = [u]
        found = search.paths(g, [G.index(u, "Source {} is not in G")]).distances
        there = search.is_reached(found)
        total, count = [found[there].sum().item()], [int(there.sum())]
    result = {}
    for node, far, reach in zip(nodes, total, count, strict=True):
        near = 0.0
        if far > 0 and len(G) > 1:
            near = (reach - 1.0) / far
            if wf_improved:
                near *= (reach - 1.0) / (len(G) - 1)
        result[node] = near
    return result if u is None else result[u]


def harmonic_centrality(G: Graph, nbunch: Any = None, distance: Any = None, sources: Any = None) -> dict[Any, Any]:
    """Return the sum of the reciprocals of the distances from some nodes, of each node or of some."""
    wanted = list(dict.fromkeys(G.bunch(nbunch)))
    starts = list(dict.fromkeys(G.bunch(sources)))
    columns = np.array([G.place[node] for node in wanted], dtype=np.int64)
    sums = np.zeros(len(wanted))
    for _, block in search.rows(_weighted(G, distance), sources=np.array([G.place[s] for s in starts], dtype=np.int64)):
        part = block[:, columns]
        there = search.is_reached(part) & (part != 0)
        sums += np.divide(1.0, part, out=np.zeros(part.shape), where=there).sum(axis=0)
    return dict(zip(wanted, sums.tolist(), strict=True))


def average_shortest_path_length(G: Graph, weight: Any = None, method: Any = None) -> Any:
    """Return the mean distance between two nodes."""
    method = method or ("unweighted" if weight is None else "dijkstra")
    if method not in ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"):
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        message = "the null graph has no paths, thus there is no average shortest path length"
        raise nx.NetworkXPointlessConcept(message)
    if n == 1:
        return 0
    if not _is_connected(G):
        raise nx.NetworkXError(f"Graph is not {'strongly ' * G.is_directed()}connected.")
    g = G.hops if method == "unweighted" else G.weighted(weight)
    if method == "dijkstra":
        g = _weighted(G, weight)
    elif g.has_negative:
        single_source_bellman_ford_path_length(G, G.nodes[0], weight)  # a negative cycle is an error
    return math.fsum(_sums(g)[0]) / (n * (n - 1)) if not g.is_integer else sum(_sums(g)[0]) / (n * (n - 1))


def wiener_index(G: Graph, weight: Any = None) -> Any:
    """Return the sum of the distances between all pairs of nodes."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if not _is_connected(G):
        return math.inf
    total = sum(_sums(_weighted(G, weight))[0])
    return total if G.is_directed() else total / 2


def _is_connected(G: Graph) -> bool:
    """Return whether every node reaches every other."""
    ways = (G.hops, G.hops.reverse) if G.is_directed() else (G.hops,)
    return all(bool(search.is_reached(search.hops(g, 0)).all()) for g in ways)


def voronoi_cells(G: Graph, center_nodes: Any, weight: Any = "weight") -> dict[Any, set[Any]]:
    """Return the nodes that are nearest to each of some; those no path leads to are "unreachable"."""
    centers = list(center_nodes)
    if not centers:
        raise ValueError("sources must not be empty")
    places = np.array([G.index(node, "Node {} not found in graph") for node in centers], dtype=np.int64)
    winners = nearest(_weighted(G, weight), places).winners.tolist()
    cells: dict[Any, set[Any]] = {}
    for node, winner in zip(G.nodes, winners, strict=True):
        cells.setdefault(G.nodes[winner] if winner >= 0 else "unreachable", set()).add(node)
    return cells

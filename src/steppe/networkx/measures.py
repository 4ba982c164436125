"""Measures of distance: eccentricity and its like, closeness, Voronoi cells. Parameters and results are described in NetworkX.

Each is a reduction of the matrix of distances, which comes in blocks of rows and is never held as a whole.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from ..calls.nearest import nearest
from . import search
from .generic import floyd_warshall, floyd_warshall_numpy
from .graph import EXACT, ConvertedGraph, largest_sum

if TYPE_CHECKING:
    from collections.abc import Iterator

Graph = ConvertedGraph


def _weighted(G: Graph, weight: Any) -> Any:
    return search.refuse_negative(G.weighted(weight))


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
    if usebounds is True and not G.is_directed():
        g = _weighted(G, weight)
        if len(G) == 0 or g.directed or not (g.weights is None or g.is_integer):
            raise NotImplementedError("NetworkX's bounds are made for integers that are the same both ways")
        if not _is_connected(G):
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
    if len(G) == 0:
        raise NotImplementedError("of a graph without nodes NetworkX raises one error or another")
    found = _eccentricities(G, e, usebounds, weight)
    smallest = min(found.values())
    return [node for node, far in found.items() if far == smallest]


def _row_values(block: Any) -> Iterator[list[Any]]:
    """Yield of each row the distances that there are, nearest first: the order in which NetworkX adds them up."""
    counts = search.is_reached(block).sum(axis=1).tolist()
    for row, count in zip(np.sort(block, axis=1), counts, strict=True):  # what is not reached comes last
        yield row[:count].tolist()


def _sums(g: Any, sources: Any = None) -> tuple[list[Any], list[int]]:
    """Return of each node, or of some, the sum of its distances, and how many nodes it reaches."""
    total: list[Any] = []
    count: list[int] = []
    for _, block in search.rows(g, sources=sources):
        there = search.is_reached(block)
        if block.dtype.kind != "f" and largest_sum(g) * g.num_vertices < 2**63:
            total += np.where(there, block, 0).sum(axis=1).tolist()
        else:  # integers of Python's, and floats in NetworkX's order, which decides on the last bits
            total += [sum(values) for values in _row_values(block)]
        count += there.sum(axis=1).tolist()
    return total, count


def _sum_of_all(g: Any) -> Any:
    """Return the sum of the distances between all nodes, added up as NetworkX does."""
    if g.weights is None or g.is_integer:
        return sum(_sums(g)[0])
    return sum(itertools.chain.from_iterable(values for _, block in search.rows(g) for values in _row_values(block)))


def closeness_centrality(G: Graph, u: Any = None, distance: Any = None, wf_improved: bool = True) -> Any:
    """Return how near each node is to those that reach it."""
    g = search.refuse_negative(G.towards(distance))
    if u is None:
        total, count = _sums(g)
        nodes = G.nodes
    else:
        nodes = [u]
        missing = "Source {} is not in G" if distance is None else "Node {} not found in graph"
        total, count = _sums(g, np.array([G.index(u, missing)], dtype=np.int64))
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
    wanted, starts = set(G.bunch(nbunch)), set(G.bunch(sources))  # sums are rounded in the order of NetworkX's sets
    if len(wanted) < len(starts):
        return _from_those_wanted(G, wanted, starts, distance)
    columns, rows = ([G.place[node] for node in nodes] for nodes in (wanted, starts))
    g, sums = _weighted(G, distance), np.zeros(len(columns))
    for _, block in search.rows(g, sources=np.array(rows, dtype=np.int64)):
        for row in block[:, columns]:
            there = search.is_reached(row) & (row != 0)
            if largest_sum(g) <= EXACT or row.dtype.kind == "f":
                sums[there] += 1.0 / row[there]
            else:  # an integer that no float is equal to is rounded once, with the quotient
                sums[there] += [1 / far for far in row[there].tolist()]
    return {node: near or 0 for node, near in zip(wanted, sums.tolist(), strict=True)}


def _from_those_wanted(G: Graph, wanted: set[Any], starts: set[Any], distance: Any) -> dict[Any, Any]:
    """Return the same by searches backwards, from the fewer nodes."""
    columns, rows = (np.array([G.place[node] for node in nodes], dtype=np.int64) for nodes in (starts, wanted))
    result: list[Any] = []
    for _, block in search.rows(search.refuse_negative(G.towards(distance)), sources=rows):
        result += [sum(1 / far for far in values if far) for values in _row_values(block[:, columns])]
    return dict(zip(wanted, result, strict=True))


def average_shortest_path_length(G: Graph, weight: Any = None, method: Any = None) -> Any:
    """Return the mean distance between two nodes."""
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
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
    if method == "floyd-warshall-numpy":
        total = float(floyd_warshall_numpy(G, weight=weight).sum())
    elif method == "floyd-warshall":
        total = sum(sum(row.values()) for row in floyd_warshall(G, weight=weight).values())
    elif method == "bellman-ford":
        g = G.weighted(weight, hidden=False)
        if not (g.weights is None or g.is_integer):
            raise NotImplementedError("floats are added up in the order in which NetworkX's search meets the nodes")
        total = _sum_of_all(g)
    else:
        total = _sum_of_all(_weighted(G, None if method == "unweighted" else weight))
    return total / (n * (n - 1))


def wiener_index(G: Graph, weight: Any = None) -> Any:
    """Return the sum of the distances between all pairs of nodes."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if not _is_connected(G):
        return math.inf
    total = _sum_of_all(_weighted(G, weight))
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
    with search.declining():
        sources = nearest(_weighted(G, weight), places).source_index.tolist()
    cells: dict[Any, set[Any]] = {}
    for node, winner in zip(G.nodes, sources, strict=True):
        cells.setdefault(G.nodes[winner] if winner >= 0 else "unreachable", set()).add(node)
    return cells

"""Convert: graphs of other libraries, as arrays of edges, and graphs out of pickles."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from .arrays import Array, stored_weights
from .coordinates import Coordinates
from .graph import Graph
from .labels import Labels
from .proof import Facts, agree

if TYPE_CHECKING:
    import networkx as nx

Weight = Callable[[Any, Any, Any], int | float | None]
"""Of an edge's ends and its attributes: its weight, or None where there is no edge."""

Ids = npt.NDArray[np.int64]


def from_networkx(graph: nx.Graph[Any], weight: str | Weight | None) -> Graph:
    """Return a NetworkX graph as ours; its nodes become the labels.

    Rows come from its adjacency as they are, in its order, read natively: an undirected graph of theirs has both directions, too. As in
    NetworkX, a function is given the attributes of an edge; in a multigraph, those of all edges between the ends, by key.
    """
    nodes = list(graph)
    plain = all(type(node) is int for node in nodes) and nodes == list(range(len(nodes)))
    labels = None if plain else Labels.of_objects(nodes)
    if callable(weight):
        u, v, given, directed = _asked(graph, nodes, weight)
        return Graph._build(u, v, given, len(nodes), directed, labels)
    if weight is not None and not isinstance(weight, str):
        raise GraphError(f"weight must be an attribute's name, a function or None, not {weight!r}")
    try:
        indptr, indices, w, _ = networkx_rows(graph, weight)
    except TypeError as error:
        raise GraphError(f"weights must be numbers: {error}") from None
    made = rows_as_graph(indptr, indices, w, directed=graph.is_directed())
    if labels is None:
        return made
    facts = (made.min_weight, made.max_weight, made.mean_weight)
    return Graph._make(made.indptr, made.indices, made.weights, labels=labels, directed=made.directed, facts=facts)


def rows_as_graph(indptr: Ids, indices: Ids, weights: Array | None, *, directed: bool) -> Graph:
    """Return rows that nobody else has as a graph, proven and without a copy."""
    return Graph._from_rows(indptr, indices, weights, directed=directed, copy=False, lent=False)


def networkx_rows(
    graph: nx.Graph[Any], attribute: Any, missing: Any = 1, place: dict[Any, int] | None = None
) -> tuple[Ids, Ids, Array | None, int]:
    """Return the rows of a NetworkX graph: offsets, targets, weights (None without an ``attribute``), and edges that a weight of None hides.

    ``place`` says which number a node has; default: its place among the nodes. Nodes that are their own place, the most common, are not
    looked up; among the neighbors there may still be a 1.0 that is meant for 1, which the core refuses.
    """
    keys = graph.is_multigraph()
    rows = [_plain(row, keys) for _, row in graph.adjacency()]
    nodes = list(graph)
    if all(type(node) is int for node in nodes) and nodes == list(range(len(nodes))):
        with contextlib.suppress(TypeError, KeyError):
            return _core.read_adjacency(rows, None, attribute, missing, keys)
    if place is None:
        place = {node: i for i, node in enumerate(nodes)}
    return _core.read_adjacency(rows, place, attribute, missing, keys)


def _plain(row: Any, keys: bool) -> dict[Any, Any]:
    """Return a row as dictionaries, which those of views are not."""
    if type(row) is dict:
        return row
    return {node: dict(data) if keys else data for node, data in row.items()}


def _asked(graph: nx.Graph[Any], nodes: list[Any], weight: Weight) -> tuple[Ids, Ids, Array, bool]:
    """Return both ends of the edges, the weights a function gives them, and whether they are directed.

    Where it makes a difference in which direction it is asked, an undirected graph becomes a directed one.
    """
    place = {node: i for i, node in enumerate(nodes)}
    pairs, weights = [], []
    for a in nodes:
        for b, data in graph.adj[a].items():
            w = weight(a, b, data)
            if w is not None:
                pairs.append((place[a], place[b]))
                weights.append(w)
    directed = True
    if not graph.is_directed():
        known = dict(zip(pairs, weights, strict=True))
        if all(known.get((b, a)) == w for (a, b), w in known.items()):  # once is enough then
            directed = False
            pairs = [(a, b) for a, b in known if a <= b]
            weights = [known[pair] for pair in pairs]
    ends = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
    stored = stored_weights(weights or np.empty(0, dtype=np.int32))
    return ends[:, 0].copy(), ends[:, 1].copy(), stored, directed


def square_csr(matrix: Any) -> Any:
    """Return a sparse matrix in compressed rows; refuse what is none, or not square."""
    if not hasattr(matrix, "tocsr"):
        raise GraphError(f"from_scipy takes a sparse matrix or array, not {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"the matrix must be square, not {matrix.shape}")
    return matrix.tocsr()


def restored(
    indptr: Any, indices: Any, weights: Any, labels: Any, directed: bool, facts: Facts, coordinates: Any = None
) -> Graph:
    """Make a graph of what a pickle holds, which may be anything: the same looks as at a caller's arrays."""
    graph = Graph.from_csr(indptr, indices, weights, directed=bool(directed))
    found = (graph.min_weight, graph.max_weight, graph.mean_weight)
    if labels is not None and not isinstance(labels, Labels):
        raise GraphError(f"labels are no {type(labels).__name__}")
    try:
        low, high, mean = facts
        fitting = agree((low, high, mean), found)
    except (TypeError, ValueError):
        fitting = False
    if not fitting:
        raise GraphError(f"the weights have minimum, maximum and mean {found}, not {facts}")
    if coordinates is not None and not (isinstance(coordinates, Coordinates) and len(coordinates) == len(graph)):
        raise GraphError(f"the pickle's coordinates are none of {len(graph)} vertices")
    named = None if labels is None else labels.check()
    rows = (graph.indptr, graph.indices, graph.weights)
    return Graph._make(*rows, labels=named, directed=graph.directed, facts=facts, coordinates=coordinates)

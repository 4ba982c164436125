"""Convert: graphs of other libraries, as arrays of edges, and graphs out of pickles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from .arrays import Array, stored_weights
from .graph import Graph
from .labels import Labels
from .proof import Facts, agree

if TYPE_CHECKING:
    import networkx as nx

Weight = Callable[[Any, Any, Any], int | float | None]
"""Of an edge's ends and its attributes: its weight, or None where there is no edge."""

Ids = npt.NDArray[np.int64]


def networkx_edges(
    graph: nx.Graph[Any], weight: str | Weight | None
) -> tuple[Ids, Ids, Array | None, int, bool, Labels | None]:
    """Return what ``Graph._build`` takes: both ends of the edges, weights, vertices, whether they are directed, labels.

    As in NetworkX, a function is given the attributes of an edge; in a multigraph, those of all edges between the ends, by key. Where it
    makes a difference in which direction it is asked, an undirected graph becomes a directed one.
    """
    nodes = list(graph)
    place = {node: i for i, node in enumerate(nodes)}
    directed = graph.is_directed()
    weights: list[Any]
    if callable(weight):
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
    else:
        if weight is not None and not isinstance(weight, str):
            raise GraphError(f"weight must be an attribute's name, a function or None, not {weight!r}")
        pairs, weights = [], []
        for a, b, w in graph.edges(data=weight or "weight", default=1):
            pairs.append((place[a], place[b]))
            weights.append(w)
    ends = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
    stored = None if weight is None else stored_weights(weights or np.empty(0, dtype=np.int32))
    plain = nodes == list(range(len(nodes))) and all(type(node) is int for node in nodes)
    labels = None if plain else Labels.of_objects(nodes)
    return ends[:, 0].copy(), ends[:, 1].copy(), stored, len(nodes), directed, labels


def square_csr(matrix: Any) -> Any:
    """Return a sparse matrix in compressed rows; refuse what is none, or not square."""
    if not hasattr(matrix, "tocsr"):
        raise GraphError(f"from_scipy takes a sparse matrix or array, not {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"the matrix must be square, not {matrix.shape}")
    return matrix.tocsr()


def restored(indptr: Any, indices: Any, weights: Any, labels: Any, directed: bool, facts: Facts) -> Graph:
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
    named = None if labels is None else labels.check()
    return Graph._make(graph.indptr, graph.indices, graph.weights, labels=named, directed=graph.directed, facts=facts)

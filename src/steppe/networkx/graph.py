"""A NetworkX graph as the backend keeps it: its nodes, and a :class:`steppe.Graph` for each attribute that was asked for as a weight.

NetworkX converts a graph when a call is given to the backend, and keeps the result in the graph's ``__networkx_cache__`` until the graph changes.
Inside, vertices are the nodes' places 0…n-1 and rows have the order of the adjacency, so that breadth-first searches meet nodes in
NetworkX's order.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from ..errors import GraphError
from ..graph.convert import from_networkx, networkx_rows, rows_as_graph
from ..graph.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator


class ConvertedGraph:
    """What the backend's functions are given in place of a NetworkX graph.

    Parameters
    ----------
    theirs : networkx.Graph
        The graph.
    weights : dict
        The attributes that calls may use as weights, and what an edge weighs that has none.
    keep : bool
        Whether to refer to their graph, for weights that are functions or not known beforehand.
    """

    __networkx_backend__ = "steppe"

    def __init__(self, theirs: nx.Graph[Any], weights: dict[Any, Any], keep: bool) -> None:
        self.nodes = list(theirs)
        self.place = {node: i for i, node in enumerate(self.nodes)}
        self._directed, self._multigraph = theirs.is_directed(), theirs.is_multigraph()
        self._theirs = theirs if keep else None
        self._graphs: dict[Any, Graph] = {}
        for attribute, missing in weights.items():
            self._graphs[attribute] = self._read(theirs, attribute, missing)
        if not weights:
            self.hops = self._read(theirs, None, 1)

    def _read(self, theirs: nx.Graph[Any], attribute: Any, missing: Any) -> Graph:
        try:
            indptr, indices, weights, hidden = networkx_rows(theirs, attribute, missing, self.place)
            if hidden:
                raise NotImplementedError(f"an edge whose {attribute!r} is None is hidden: only NetworkX knows such")
            if weights is not None and weights.dtype.kind == "f" and not np.isfinite(weights).all():
                raise NotImplementedError("a weight is infinite or NaN, which NetworkX adds up like any number")
            return rows_as_graph(indptr, indices, weights, directed=self._directed)
        except (TypeError, GraphError) as error:
            raise NotImplementedError(f"{attribute!r} cannot be a weight here: {error}") from error

    @cached_property
    def hops(self) -> Graph:
        """The graph without weights."""
        g = next(iter(self._graphs.values()))
        return Graph._make(g.indptr, g.indices, None, labels=None, directed=g.directed)

    def weighted(self, weight: Any) -> Graph:
        """Return the graph with this attribute, or what this function returns, as weights; None: without."""
        if weight is None:
            return self.hops
        if callable(weight):
            if self._theirs is None:
                raise NotImplementedError("a weight that is a function needs the graph's attributes")
            try:
                renumbered: Any = _Renumbered(self._theirs, self.place)
                return from_networkx(renumbered, _of_nodes(weight, self.nodes))
            except (TypeError, GraphError) as error:
                raise NotImplementedError(f"a weight function must return numbers: {error}") from error
        if weight not in self._graphs:
            if self._theirs is None:
                raise NotImplementedError(f"the graph was converted without the attribute {weight!r}")
            return self._read(self._theirs, weight, 1)  # of a graph with all its attributes, which may change
        return self._graphs[weight]

    def is_directed(self) -> bool:
        """Return whether edges have a direction."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Return whether there may be several edges between two nodes."""
        return self._multigraph

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.place
        except TypeError:
            return False

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def index(self, node: Any, message: str) -> int:
        """Return a node's place, or raise NetworkX's error; the message may have ``{}`` for the node."""
        try:
            return self.place[node]
        except (KeyError, TypeError):
            raise nx.NodeNotFound(message.format(node)) from None

    def bunch(self, nodes: Any) -> list[Any]:
        """Return what NetworkX takes for a bunch of nodes: None for all, one, or those of some that are in the graph."""
        if nodes is None:
            return self.nodes
        if nodes in self:
            return [nodes]
        try:
            return [node for node in nodes if node in self]
        except TypeError:
            raise nx.NetworkXError(f"Node {nodes} is not in the graph.") from None


def _of_nodes(weight: Any, nodes: list[Any]) -> Any:
    return lambda u, v, data: weight(nodes[u], nodes[v], data)


class _Renumbered:
    """A NetworkX graph whose nodes are their places: as much of one as reading it takes."""

    def __init__(self, theirs: nx.Graph[Any], place: dict[Any, int]) -> None:
        self._directed = theirs.is_directed()
        self.adj = [{place[v]: data for v, data in row.items()} for _, row in theirs.adjacency()]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.adj)))

    def is_directed(self) -> bool:
        return self._directed


def convert_from_nx(
    G: Any,
    edge_attrs: dict[Any, Any] | None = None,
    node_attrs: Any = None,  # noqa: ARG001
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,  # noqa: ARG001
    preserve_graph_attrs: bool = False,  # noqa: ARG001
    name: str | None = None,  # noqa: ARG001
    graph_name: str | None = None,  # noqa: ARG001
) -> Any:
    """Convert a NetworkX graph; what the parameters mean is NetworkX's protocol for backends."""
    if isinstance(G, ConvertedGraph):
        return G
    return ConvertedGraph(G, edge_attrs or {}, preserve_edge_attrs)


def convert_to_nx(obj: Any, *, name: str | None = None) -> Any:  # noqa: ARG001
    """Convert a result back: it is NetworkX's or Python's already, and a converted graph becomes one without attributes."""
    if not isinstance(obj, ConvertedGraph):
        return obj
    kinds = {(True, True): nx.MultiDiGraph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph}
    made: Any = kinds.get((obj.is_directed(), obj.is_multigraph()), nx.Graph)()
    made.add_nodes_from(obj.nodes)
    g = obj.hops
    sources = np.repeat(np.arange(len(obj)), g.degrees)
    once = slice(None) if obj.is_directed() else sources <= g.indices
    for u, v in zip(sources[once].tolist(), g.indices[once].tolist(), strict=True):
        made.add_edge(obj.nodes[u], obj.nodes[v])
    return made


def whole_cutoff(cutoff: float | None) -> int | None:
    """Return the levels that NetworkX goes down: it goes on while the level is less than the cutoff."""
    return None if cutoff is None or cutoff == math.inf else max(0, math.ceil(cutoff))

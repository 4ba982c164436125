"""A NetworkX graph as the backend keeps it: its nodes, and a :class:`steppe.Graph` for each attribute that is used as a weight.

NetworkX converts a graph when a call is given to the backend, and keeps the result in the graph's ``__networkx_cache__`` until the graph changes.
Inside, vertices are the nodes' places 0…n-1 and rows have the order of the adjacency, so that breadth-first searches meet nodes in
NetworkX's order.
"""

from __future__ import annotations

import math
import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from .. import _core
from ..errors import GraphError
from ..graph.build import graph_of_rows
from ..graph.from_libraries import networkx_rows
from ..graph.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

EXACT = 2**53
"""The largest integer up to which floats have all of them."""

_CHANGED = "the graph has changed since it was converted"


class ConvertedGraph:
    """The argument of the backend's functions in place of a NetworkX graph.

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
        self._origin: Callable[[], Any] = weakref.ref(theirs)
        self._theirs = theirs if keep else None
        self._graphs: dict[Any, Graph] = {}
        for attribute, missing in weights.items():
            self._graphs[attribute] = self._read(theirs, attribute, missing)
        if not weights:
            self.hops = self._read(theirs, None, 1)

    def _read(self, theirs: nx.Graph[Any], attribute: Any, missing: Any) -> Graph:
        try:
            rows = networkx_rows(theirs, attribute, missing, self.place)
        except (TypeError, GraphError) as error:
            raise NotImplementedError(f"{attribute!r} cannot be a weight here: {error}") from error
        if rows[3]:
            raise NotImplementedError(f"an edge whose {attribute!r} is None is hidden: only NetworkX knows such")
        graph = _checked(*rows[:3], directed=self._directed)
        if graph.weights is not None and graph.weights.dtype.kind == "f" and largest_sum(graph) > EXACT:
            _refuse_integers(data.get(attribute, missing) for _, _, data in theirs.edges(data=True))
        return graph

    @cached_property
    def hops(self) -> Graph:
        """The graph without weights."""
        g = next(iter(self._graphs.values()))
        return Graph._make(g.indptr, g.indices, None, labels=None, directed=g.directed)

    @cached_property
    def hops_back(self) -> Graph:
        """The graph without weights reversed; each row has NetworkX's order of a node's predecessors, that in which the edges were made."""
        if not self._directed:
            return self.hops
        theirs = self._origin()
        if theirs is None:
            raise NotImplementedError("the order of predecessors went with the graph that was converted")
        try:
            rows = networkx_rows(theirs.reverse(copy=False), None, 1, self.place)
        except KeyError:
            raise NotImplementedError(_CHANGED) from None
        back = graph_of_rows(Graph, *rows[:3], directed=True)
        if back.num_vertices != len(self) or not np.array_equal(_pairs(back), _pairs(self.hops.reverse)):
            raise NotImplementedError(_CHANGED)
        return back

    def weighted(self, weight: Any, *, hidden: bool = True) -> Graph:
        """Return the graph with this attribute, or what this function returns, as weights; None: without.

        ``hidden``: whether a function may hide an edge by None, as NetworkX's Dijkstra lets it.
        """
        if weight is None:
            return self.hops
        if callable(weight):
            return self._with_function(weight, hidden=hidden)
        if weight not in self._graphs:
            if self._theirs is None:
                raise NotImplementedError(f"the graph was converted without the attribute {weight!r}")
            return self._read(self._theirs, weight, 1)  # of a graph with all its attributes, which may change
        return self._graphs[weight]

    def towards(self, weight: Any, *, hidden: bool = True) -> Graph:
        """Return the graph in which NetworkX searches backwards: reversed; a weight function gets (v, u), in the search's direction."""
        if not self._directed:
            return self.weighted(weight, hidden=hidden)
        if callable(weight):
            return self._with_function(lambda u, v, data: weight(v, u, data), hidden=hidden).reverse
        return self.weighted(weight).reverse

    def _with_function(self, weight: Any, *, hidden: bool) -> Graph:
        """Return the graph with the weights that a function returns. Where they differ by direction, an undirected graph becomes a directed one."""
        if self._theirs is None:
            raise NotImplementedError("a weight that is a function needs the graph's attributes")
        try:
            rows = self._theirs.adjacency()
            answers = [{v: {"": weight(u, v, data)} for v, data in row.items()} for u, row in rows]
        except Exception as error:  # NetworkX asks for the edges that it comes upon alone
            raise NotImplementedError(f"a weight function raised {error!r}") from error
        try:
            indptr, indices, weights, none = _core.read_adjacency(answers, self.place, "", 1, False)
        except TypeError as error:
            raise NotImplementedError(f"a weight function must return numbers: {error}") from error
        if none and not hidden:
            raise NotImplementedError(
                "a function hides an edge by None, which only functions of Dijkstra's name let it"
            )
        directed = self._directed or not _is_symmetric(indptr, indices, weights)
        graph = _checked(indptr, indices, weights, directed=directed)
        if graph.weights is not None and graph.weights.dtype.kind == "f" and largest_sum(graph) > EXACT:
            _refuse_integers(data[""] for row in answers for data in row.values())
        return graph

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_origin": _nothing}

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


def _nothing() -> None:
    """Stand for the graph that was converted where it did not come along."""


def _checked(indptr: Any, indices: Any, weights: Any, *, directed: bool) -> Graph:
    """Return rows as a graph, unless floats may add up to inf or are no numbers: those NetworkX adds up like any."""
    if weights is not None and weights.dtype.kind == "f" and not np.isfinite(weights).all():
        raise NotImplementedError("a weight is infinite or NaN, which NetworkX adds up like any number")
    try:
        graph = graph_of_rows(Graph, indptr, indices, weights, directed=directed)
    except GraphError as error:
        raise NotImplementedError(f"not a graph here: {error}") from error
    if weights is not None and weights.dtype.kind == "f" and largest_sum(graph) == math.inf:
        raise NotImplementedError(
            "weights may add up to more than the largest float: to inf, which NetworkX takes for a distance"
        )
    return graph


def largest_sum(graph: Graph) -> int | float:
    """Return a number that no path's length exceeds, nor falls below if it is taken off 0."""
    if graph.weights is None or graph.max_weight is None or graph.min_weight is None:
        return graph.num_vertices
    largest: int | float = max(abs(graph.max_weight), abs(graph.min_weight))
    return largest * graph.num_vertices


def _refuse_integers(weights: Iterable[Any]) -> None:
    """Raise where an integer stands among floats: Python adds integers exactly, and here all sums are floats."""
    if any(isinstance(weight, int | np.integer) for weight in weights):
        raise NotImplementedError("integers among floats may add up to more than a float holds exactly")


def _pairs(graph: Graph) -> Any:
    """Return the edges as numbers that rise, each pair once."""
    sources = np.repeat(np.arange(graph.num_vertices, dtype=np.int64), graph.degrees)
    return np.unique(sources * graph.num_vertices + graph.indices)


def _is_symmetric(indptr: Any, indices: Any, weights: Any) -> bool:
    """Return whether rows without parallel edges have the opposite of every edge, with the same weight."""
    sources = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    there, back = np.lexsort((indices, sources)), np.lexsort((sources, indices))
    return bool(
        np.array_equal(sources[there], indices[back])
        and np.array_equal(indices[there], sources[back])
        and np.array_equal(weights[there], weights[back])
    )


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


def levels(cutoff: Any) -> int | None:
    """Return how many levels NetworkX goes down, None for all: it goes on while the level is less than the cutoff."""
    if cutoff is None or cutoff == math.inf:
        return None
    return max(0, math.ceil(cutoff)) if cutoff > 0 else 0  # none if it is NaN

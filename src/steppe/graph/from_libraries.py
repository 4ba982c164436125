"""Graphs out of what other libraries have: tables, NetworkX, igraph, rustworkx, PyTorch Geometric. Each function is a class method of Graph."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from .arrays import Array, stored_weights
from .build import graph_of_edges, graph_of_rows
from .columns import columns_of, library_of
from .dlpack import on_host
from .frame import graph_of_columns
from .labels import Labels
from .origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    import networkx as nx

    from .graph import Graph

Weight = Callable[[Any, Any, Any], int | float | None]
"""Of an edge's ends and its attributes: its weight, or None where there is no edge."""

Ids = npt.NDArray[np.int64]


def from_frame(
    cls: type[Graph],
    frame: Any,
    source: Any,
    target: Any,
    weight: Any = None,
    *,
    directed: bool = True,
    attributes: Iterable[Any] = (),
    missing: str = "error",
    coordinates: Any = None,
) -> Graph:
    """Build a graph from a table of edges.

    Tables of pandas, Polars, PyArrow, DuckDB and whatever speaks the Arrow PyCapsule interface are taken, and dicts of columns.
    Ids stay what they are, and are the labels: names are names ("01234" too), numbers are numbers. What comes back knows the rows
    (:meth:`Paths.edge_ids`), and ``to_frame()`` gives a table of the same library.

    Parameters
    ----------
    frame : table
        One row for each edge. Columns of numbers are read where they lie.
    source, target : str
        The columns of the ends.
    weight : str, optional
        The column of the weights; default: every edge has length 1.
    directed : bool
        False stores both directions of every edge.
    attributes : list of str
        Columns of numbers that ride along: :meth:`Paths.along`, :meth:`with_weights`. They are referred to, not copied.
    missing : {"error", "drop"}
        What to do with rows of which a value is missing (null, None, NaN).
    coordinates : array_like or mapping, optional
        See :meth:`Graph.with_coordinates`.

    Examples
    --------
    >>> import steppe as sp
    >>> roads = {"a": ["Ulm", "Bonn"], "b": ["Bonn", "Trier"], "min": [240, 95], "km": [420, 165]}
    >>> g = sp.Graph.from_frame(roads, "a", "b", "min", attributes=["km"])
    >>> sp.sssp(g, "Ulm").distance("Trier"), sp.sssp(g, "Ulm").along("km").tolist()
    (335, [420, 585, 0])
    """
    if missing not in ("error", "drop"):
        raise ValueError(f'missing must be "error" or "drop", not {missing!r}')
    if isinstance(attributes, str):
        raise GraphError(f"attributes must be a list of columns, not {attributes!r}")
    extra = list(attributes)
    wanted = [source, target, *([] if weight is None else [weight]), *extra]
    columns = columns_of(frame, list(dict.fromkeys(wanted)))
    built = graph_of_columns(
        cls,
        columns[source],
        columns[target],
        None if weight is None else columns[weight],
        {name: columns[name] for name in extra},
        directed=directed,
        missing=missing,
        library=library_of(frame),
    )
    return built if coordinates is None else built.with_coordinates(coordinates)


def from_networkx(
    cls: type[Graph],
    graph: nx.Graph[Any],
    *,
    weight: str | Weight | None = "weight",
    coordinates: tuple[str, str] | None = None,
) -> Graph:
    """Build a graph from a NetworkX graph; its nodes become the labels. Edges without the attribute weigh 1.

    ``weight`` may be a function of an edge's ends and its attributes, as in NetworkX: it returns a number, or None for "no edge".
    ``coordinates`` names the attributes of nodes that have longitude and latitude: ``("x", "y")`` in graphs of OSMnx.
    """
    nodes = list(graph)
    labels = None if _is_range(nodes) else Labels.of_objects(nodes)
    if callable(weight):
        u, v, given, directed = _weighed_edges(graph, nodes, weight)
        made = graph_of_edges(cls, u, v, given, len(nodes), directed, labels)
    elif weight is not None and not isinstance(weight, str):
        raise GraphError(f"weight must be an attribute's name, a function or None, not {weight!r}")
    else:
        try:
            indptr, indices, w, _ = networkx_rows(graph, weight)
        except TypeError as error:
            raise GraphError(f"weights must be numbers: {error}") from None
        made = graph_of_rows(cls, indptr, indices, w, directed=graph.is_directed())
        if labels is not None:
            rows = (made.indptr, made.indices, made.weights)
            made = cls._make(*rows, labels=labels, directed=made.directed, facts=made._facts)
    if coordinates is None:
        return made
    x, y = (
        [math.nan if (at := data.get(name)) is None else at for _, data in graph.nodes(data=True)]
        for name in coordinates
    )
    return made.with_coordinates(np.array([x, y], dtype=np.float64).T)


def from_igraph(cls: type[Graph], graph: Any, *, weight: str | None = "weight") -> Graph:
    """Build a graph from one of python-igraph; its vertices' ``name`` becomes the label, where they have one, and ids of edges are igraph's.

    Where edges have no attribute ``weight``, every edge has length 1.
    """
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    u, v = ends[:, 0].copy(), ends[:, 1].copy()
    weights = None
    if weight is not None and weight in graph.es.attributes():
        weights = stored_weights(graph.es[weight] or np.empty(0, dtype=np.int32))
    labels = None
    if "name" in graph.vs.attributes():
        labels = Labels.of_objects(graph.vs["name"]).check()
    return graph_of_edges(cls, u, v, weights, graph.vcount(), graph.is_directed(), labels, lambda: ([u], [v], 0))


def from_rustworkx(cls: type[Graph], graph: Any, *, weight: Callable[[Any], float] | None = None) -> Graph:
    """Build a graph from one of rustworkx; labels are its node indices, and ids of edges its edge indices.

    ``weight`` makes a number of an edge's payload, as everywhere in rustworkx; default: the payload itself, or 1 where none has any.
    """
    rows = graph.weighted_edge_list()
    nodes = np.array(graph.node_indices(), dtype=np.int64)
    payloads = [row[2] for row in rows]
    weights = None
    if weight is not None or any(payload is not None for payload in payloads):
        weights = stored_weights([weight(p) for p in payloads] if weight else payloads)
    ends = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    plain = len(nodes) == 0 or int(nodes[-1]) == len(nodes) - 1
    if not plain:  # nodes were removed: their indices stay free
        ends = np.searchsorted(nodes, ends)
    u, v = ends[:, 0].copy(), ends[:, 1].copy()
    directed = "Di" in type(graph).__name__
    labels = None if plain else Labels(nodes)
    built = graph_of_edges(cls, u, v, weights, len(nodes), directed, labels, lambda: ([u], [v], 0))
    numbers = np.array(graph.edge_indices(), dtype=np.int64)
    if len(numbers) and int(numbers[-1]) != len(numbers) - 1:  # edges were removed
        origin = Origin(int(numbers.max()) + 1, lambda: ([u], [v], 0), rows=numbers)
        vars(built)["_origin"] = origin
    return built


def from_edge_index(
    cls: type[Graph],
    edge_index: Any,
    weights: npt.ArrayLike | None = None,
    *,
    num_vertices: int | None = None,
    directed: bool = True,
) -> Graph:
    """Build a graph from an ``edge_index`` of PyTorch Geometric: two rows, sources and targets; a tensor on the host or any array.

    >>> import numpy as np
    >>> import steppe as sp
    >>> sp.Graph.from_edge_index(np.array([[0, 1], [1, 2]]), [5, 3]).edges()[2].tolist()
    [5, 3]
    """
    array = np.asarray(on_host(edge_index))
    if array.ndim != 2 or array.shape[0] != 2:
        raise GraphError(f"an edge_index has two rows, sources and targets, not the shape {array.shape}")
    return cls.from_edges(array[0], array[1], weights, num_vertices=num_vertices, directed=directed)


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
    if _is_range(nodes):
        with contextlib.suppress(TypeError, KeyError):
            return _core.read_adjacency(rows, None, attribute, missing, keys)
    if place is None:
        place = {node: i for i, node in enumerate(nodes)}
    return _core.read_adjacency(rows, place, attribute, missing, keys)


def _is_range(nodes: list[Any]) -> bool:
    """Whether the nodes are 0…n-1, in this order."""
    return all(type(node) is int for node in nodes) and nodes == list(range(len(nodes)))


def _plain(row: Any, keys: bool) -> dict[Any, Any]:
    """Return a row as dictionaries, which those of views are not."""
    if type(row) is dict:
        return row
    return {node: dict(data) if keys else data for node, data in row.items()}


def _weighed_edges(graph: nx.Graph[Any], nodes: list[Any], weight: Weight) -> tuple[Ids, Ids, Array, bool]:
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

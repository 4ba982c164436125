"""Exports: a graph as other libraries have graphs, and its edges as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .tabular import html_of, make_arrow, make_frame

if TYPE_CHECKING:
    from .arrays import Array
    from .graph import Graph


def edges(graph: Graph) -> tuple[Array, Array, Array | None]:
    """Return sources, targets (in labels) and weights of the edges, in the order of the rows; an undirected edge once, from its smaller end.

    >>> import steppe as sp
    >>> g = sp.Graph.from_edges(["b", "a"], ["c", "b"], [2, 5], relabel=True, directed=False)
    >>> [x.tolist() for x in g.edges()]
    [['a', 'b'], ['b', 'c'], [5, 2]]
    """
    u, v, w, _ = edges_once(graph)
    return graph.labels_of(u), graph.labels_of(v), w


def edges_once(graph: Graph) -> tuple[Array, Array, Array | None, Array]:
    """Return both ends, weights and positions of the edges, undirected ones once."""
    sources = graph._edge_sources()
    places = np.arange(graph.num_edges) if graph.directed else np.flatnonzero(sources <= graph.indices)
    return sources[places], graph.indices[places], None if graph.weights is None else graph.weights[places], places


def _edge_columns(graph: Graph) -> dict[str, Array]:
    u, v, w, places = edges_once(graph)
    columns = {"source": graph.labels_of(u), "target": graph.labels_of(v)}
    if w is not None:
        columns["weight"] = w
    if graph._origin is not None:
        ids = graph._edge_ids_at(places)
        columns["edge"] = ids
        columns |= {str(name): graph.attribute(name)[ids] for name in graph.attributes}
    return columns


def to_frame(graph: Graph) -> Any:
    """Return the edges as a table: source, target, weight, edge (the row it was given in) and the attributes, as far as they are there.

    It is of the library that the graph was made from with :meth:`from_frame`; otherwise a pandas ``DataFrame``.
    """
    return make_frame(graph._library, _edge_columns(graph))


def to_arrow(graph: Graph) -> Any:
    """Return the same as a ``pyarrow.Table``."""
    return make_arrow(_edge_columns(graph))


def to_scipy(graph: Graph) -> Any:
    """Return the rows as a ``scipy.sparse.csr_array`` of their own; weights of 1 where there are none. Parallel edges stay side by side.

    >>> import steppe as sp
    >>> sp.Graph.from_edges([0, 1], [1, 2], [5, 3]).to_scipy().toarray().tolist()
    [[0, 5, 0], [0, 0, 3], [0, 0, 0]]
    """
    from scipy.sparse import csr_array

    data = np.ones(graph.num_edges, dtype=np.int32) if graph.weights is None else graph.weights.copy()
    return csr_array((data, graph.indices.copy(), graph.indptr.copy()), shape=(graph.num_vertices, graph.num_vertices))


def to_networkx(graph: Graph) -> Any:
    """Return a NetworkX graph: a ``DiGraph`` or ``Graph`` whose edges have ``weight``; of parallel edges the lightest.

    >>> import steppe as sp
    >>> sp.Graph.from_edges(["a"], ["b"], [5], relabel=True).to_networkx().edges(data="weight")
    OutEdgeDataView([('a', 'b', 5)])
    """
    import networkx as nx

    made: Any = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(graph.labels_of(np.arange(graph.num_vertices)).tolist())
    u, v, w, _ = edges_once(graph)
    a, b = graph.labels_of(u).tolist(), graph.labels_of(v).tolist()
    if w is None:
        made.add_edges_from(zip(a, b, strict=True))
        return made
    order = np.argsort(-w.astype(np.float64) if w.dtype.kind == "f" else -w.astype(object), kind="stable")
    weights = w.tolist()
    made.add_weighted_edges_from((a[i], b[i], weights[i]) for i in order[np.isfinite(w[order])].tolist())
    return made


def to_html(graph: Graph) -> str:
    """Return the first few edges as a table for notebooks; the others are not read."""
    m = min(11, graph.num_edges)
    places = np.arange(m)
    sources = np.searchsorted(graph.indptr, places, side="right") - 1
    columns = {"source": graph.labels_of(sources), "target": graph.labels_of(graph.indices[:m])}
    return html_of(repr(graph), columns if graph.weights is None else columns | {"weight": graph.weights[:m]})

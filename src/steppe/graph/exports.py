"""Exports: a graph as other libraries have graphs, and its edges as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .tabular import html_of, make_arrow, make_frame

if TYPE_CHECKING:
    from .arrays import Array
    from .graph import Graph


class Exports:
    """The part of a :class:`~steppe.Graph` that hands its edges out."""

    def edges(self) -> tuple[Array, Array, Array | None]:
        """Return sources, targets (in labels) and weights of the edges, in the order of the rows; an undirected edge once, from its smaller end.

        >>> import steppe as sp
        >>> g = sp.Graph.from_edges(["b", "a"], ["c", "b"], [2, 5], relabel=True, directed=False)
        >>> [x.tolist() for x in g.edges()]
        [['a', 'b'], ['b', 'c'], [5, 2]]
        """
        g = cast("Graph", self)
        u, v, w, _ = self._once()
        return g.labels_of(u), g.labels_of(v), w

    def _once(self) -> tuple[Array, Array, Array | None, Array]:
        """Return both ends, weights and positions of the edges, undirected ones once."""
        g = cast("Graph", self)
        sources = np.repeat(np.arange(g.num_vertices, dtype=g.indices.dtype), g.degrees)
        places = np.arange(g.num_edges) if g.directed else np.flatnonzero(sources <= g.indices)
        return sources[places], g.indices[places], None if g.weights is None else g.weights[places], places

    def _edge_columns(self) -> dict[str, Array]:
        g = cast("Graph", self)
        u, v, w, places = self._once()
        columns = {"source": g.labels_of(u), "target": g.labels_of(v)}
        if w is not None:
            columns["weight"] = w
        if g._origin is not None:
            ids = g._edge_ids_at(places)
            columns["edge"] = ids
            columns |= {str(name): g.attribute(name)[ids] for name in g.attributes}
        return columns

    def to_frame(self) -> Any:
        """Return the edges as a table: source, target, weight, edge (the row it was given in) and the attributes, as far as they are there.

        It is of the library that the graph was made from with :meth:`from_frame`; otherwise a pandas ``DataFrame``.
        """
        return make_frame(cast("Graph", self)._library, self._edge_columns())

    def to_arrow(self) -> Any:
        """Return the same as a ``pyarrow.Table``."""
        return make_arrow(self._edge_columns())

    def to_scipy(self) -> Any:
        """Return the rows as a ``scipy.sparse.csr_array`` of their own; weights of 1 where there are none. Parallel edges stay side by side.

        >>> import steppe as sp
        >>> sp.Graph.from_edges([0, 1], [1, 2], [5, 3]).to_scipy().toarray().tolist()
        [[0, 5, 0], [0, 0, 3], [0, 0, 0]]
        """
        from scipy.sparse import csr_array

        g = cast("Graph", self)
        data = np.ones(g.num_edges, dtype=np.int32) if g.weights is None else g.weights.copy()
        return csr_array((data, g.indices.copy(), g.indptr.copy()), shape=(g.num_vertices, g.num_vertices))

    def to_networkx(self) -> Any:
        """Return a NetworkX graph: a ``DiGraph`` or ``Graph`` whose edges have ``weight``; of parallel edges the lightest.

        >>> import steppe as sp
        >>> sp.Graph.from_edges(["a"], ["b"], [5], relabel=True).to_networkx().edges(data="weight")
        OutEdgeDataView([('a', 'b', 5)])
        """
        import networkx as nx

        g = cast("Graph", self)
        made: Any = nx.DiGraph() if g.directed else nx.Graph()
        made.add_nodes_from(g.labels_of(np.arange(g.num_vertices)).tolist())
        u, v, w, _ = self._once()
        a, b = g.labels_of(u).tolist(), g.labels_of(v).tolist()
        if w is None:
            made.add_edges_from(zip(a, b, strict=True))
            return made
        order = np.argsort(-w.astype(np.float64) if w.dtype.kind == "f" else -w.astype(object), kind="stable")
        weights = w.tolist()
        made.add_weighted_edges_from((a[i], b[i], weights[i]) for i in order[np.isfinite(w[order])].tolist())
        return made

    def _repr_html_(self) -> str:
        return html_of(repr(self), _first(cast("Graph", self)))


def _first(graph: Graph) -> dict[str, Array]:
    """Return the first few edges, without a look at the rest."""
    m = min(11, graph.num_edges)
    places = np.arange(m)
    sources = np.searchsorted(graph.indptr, places, side="right") - 1
    columns = {"source": graph.labels_of(sources), "target": graph.labels_of(graph.indices[:m])}
    return columns if graph.weights is None else columns | {"weight": graph.weights[:m]}

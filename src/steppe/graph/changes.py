"""Changes: graphs made of a graph: other weights, fewer edges, fewer vertices. The first stays as it is; ids of edges stay those of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from .build import weight_facts
from .labels import Labels
from .origin import Origin, stored_order
from .proof import prove

if TYPE_CHECKING:
    from .arrays import Array
    from .graph import Graph


def with_weights(graph: Graph, weights: str | npt.ArrayLike | None) -> Graph:
    """Return the graph with other weights; the rows are shared, and what depends on them alone.

    Parameters
    ----------
    weights : str, array_like or None
        The name of an attribute, or a number for each edge that the graph was built from, in that order; None: every edge has length 1.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([1, 0, 0], [2, 1, 2], [3, 5, 9])
    >>> sp.sssp(g, 0).distance(2), sp.sssp(g.with_weights([3, 5, 7]), 0).distance(2)
    (8, 7)
    """
    rows = _own(graph)
    kept = _kept(graph) | ({"shape": graph._shape} if _are_own(graph) else {})
    if weights is None:
        return type(graph)._make(*rows, None, **kept)
    values, ids = graph._attribute_along(weights)
    weight_facts(values)  # in the caller's order, so that what is no number is told by its place there
    stored = np.ascontiguousarray(stored_order(values, ids))
    if stored.base is not None or stored is values:
        stored = stored.copy()  # the caller's own
    facts = None
    if ids is None and not graph.directed:  # a number for each direction: they must agree
        facts = prove((*rows, stored), directed=False)
    return type(graph)._make(*rows, stored, facts=facts, **kept)


def without_edges(graph: Graph, edges: npt.ArrayLike) -> Graph:
    """Return the graph without some edges: closures, for example. Vertices, labels and the ids of the others stay.

    Parameters
    ----------
    edges : array_like of int
        Rows of the table, or positions in the arrays, that the graph was built from.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([1, 0, 0], [2, 1, 2], [3, 5, 9])
    >>> h = g.without_edges([0])
    >>> sp.sssp(h, 0).distance(2), sp.route(h, 0, 2).edge_ids.tolist()
    (9, [2])
    """
    count = graph._known_origin.count
    gone = np.asarray(edges)
    if gone.size == 0:
        gone = gone.astype(np.int64)
    if gone.ndim != 1 or gone.dtype.kind not in "iu":
        raise GraphError("edges must be given as a list of their ids, rows of the table that the graph was built from")
    bad = (gone < 0) | (gone >= count)
    if bad.any():
        raise GraphError(f"edge {gone[bad][0]} is not in the graph: it was built from {count} edges")
    stay = np.ones(count, dtype=bool)
    stay[gone] = False
    ids = graph._known_origin.ids(graph)
    return _masked(graph, stay if ids is None else stay[ids], None)


def subgraph(graph: Graph, vertices: Any) -> Graph:
    """Return the graph of some vertices and the edges between them. They keep their order and their labels, numbers too.

    Examples
    --------
    >>> import steppe as sp
    >>> h = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [3, 5, 9]).subgraph([3, 1, 2])
    >>> h.labels.tolist(), [x.tolist() for x in h.edges()]
    ([1, 2, 3], [[1, 2], [2, 3], [5, 9]])
    """
    inside = np.zeros(graph.num_vertices, dtype=bool)
    inside[graph.indices_of(vertices)] = True
    return _masked(graph, np.repeat(inside, graph.degrees) & inside[graph.indices], inside)


def largest_component(graph: Graph) -> Graph:
    """Return the graph of the largest part in which every vertex can be reached from every other: strongly connected, where edges are directed.

    Of equally large parts, the one with the first vertex. It needs SciPy.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1, 2, 2], [1, 2, 1, 3])
    >>> g.largest_component().labels.tolist()
    [1, 2]
    """
    try:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components
    except ImportError as error:
        raise ImportError("largest_component needs SciPy: pip install scipy") from error
    there = np.ones(graph.num_edges, dtype=np.int8)
    if graph.weights is not None and graph.weights.dtype.kind == "f":
        there = np.isfinite(graph.weights).astype(np.int8)  # a weight of inf is no edge
    matrix = csr_array((there, graph.indices, graph.indptr), shape=(graph.num_vertices, graph.num_vertices))
    if not there.all():
        matrix = matrix.copy()  # the rows are ours
        matrix.eliminate_zeros()
    _, part = connected_components(matrix, directed=graph.directed, connection="strong")
    if not len(part):
        return graph
    first = np.unique(part, return_index=True)[1]
    best = min(zip(-np.bincount(part), first, range(len(first)), strict=True))[2]
    inside = part == best
    return _masked(graph, np.repeat(inside, graph.degrees) & inside[graph.indices], inside)


def _kept(g: Graph) -> dict[str, Any]:
    """Return what other weights do not change."""
    return {"labels": g._labels, "directed": g.directed, "origin": g._origin, "coordinates": g._coordinates}


def _own(g: Graph) -> tuple[Array, Array]:
    """Return offsets and targets that no one else can change."""
    if _are_own(g):
        return g.indptr, g.indices
    return g.indptr.copy(), g.indices.copy()


def _are_own(g: Graph) -> bool:
    return g._claim is None or g._claim.settled


def _masked(g: Graph, keep: Array, inside: Array | None) -> Graph:
    """Return the graph of the edges (by position) that are kept, of all vertices or those ``inside``, which have all of them."""
    before = np.concatenate([[0], np.cumsum(keep)])
    indptr = before[g.indptr].astype(np.int64)
    indices, labels, places = g.indices[keep], g._labels, g._coordinates
    if inside is not None:
        there = np.flatnonzero(inside)
        indptr = np.concatenate([indptr[:1], indptr[there + 1]]).astype(np.int64)
        indices = (np.cumsum(inside) - 1)[indices].astype(g.indices.dtype)
        labels = Labels(np.ascontiguousarray(g.labels_of(there)))
        if isinstance(labels.values, range) and labels.values.start == 0:
            labels = None
        places = None if places is None else places.of_vertices(there)
    origin = None
    if g._origin is not None:
        ids = g._edge_ids_at(np.flatnonzero(keep))
        columns = {name: g._known_origin.attribute(name) for name in g.attributes}
        origin = Origin.numbered(g._known_origin.count, ids, columns, g._library)
    weights = None if g.weights is None else g.weights[keep]
    return type(g)._make(
        indptr, indices, weights, labels=labels, directed=g.directed, origin=origin, coordinates=places
    )

"""Pickles: what a pickle keeps of a graph, and graphs out of pickles. Nothing that a pickle says is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError
from .coordinates import Coordinates
from .labels import Labels
from .origin import Origin
from .proof import agree

if TYPE_CHECKING:
    from .arrays import Array
    from .graph import Graph
    from .proof import Facts


def reduced(graph: Graph) -> Any:
    """Return what ``__reduce__`` does."""
    rows = (graph.indptr, graph.indices, graph.weights)
    state = (*rows, graph._labels, graph.directed, graph._facts, graph._coordinates)
    return restored, state, _kept_origin(graph)


def restored(
    indptr: Any, indices: Any, weights: Any, labels: Any, directed: bool, facts: Facts, coordinates: Any = None
) -> Graph:
    """Make a graph of what a pickle holds. That may be anything: it is checked as a caller's arrays are."""
    from .graph import Graph

    graph = Graph.from_csr(indptr, indices, weights, directed=bool(directed))
    found = graph._facts
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


def _kept_origin(graph: Graph) -> tuple[int, Array | None, dict[Any, Array], str | None] | None:
    """Return what a pickle keeps of the edges' origin: ids that are known, or have attributes that need them."""
    origin = graph._origin
    if origin is None or not (origin.is_settled or origin.attributes):
        return None
    columns = {name: origin.attribute(name) for name in origin.attributes}
    try:
        return origin.count, origin.ids(graph), columns, origin.library
    except GraphError:  # what they are found from is gone, or was changed
        return None


def set_state(graph: Graph, state: Any) -> None:
    """Take the edges' origin from a pickle, which may hold anything."""
    try:
        count, ids, attributes, library = state
        m, edges = len(vars(graph)["_rows"][1]), int(count)
        right = (ids is None and m == edges) or (
            ids.dtype in (np.int32, np.int64)
            and ids.shape == (m,)
            and (m == 0 or (ids.min() >= 0 and ids.max() < edges))
        )
        right &= all(isinstance(a, np.ndarray) and a.shape == (edges,) for a in attributes.values())
    except (TypeError, ValueError, AttributeError):
        right = False
    if not right:
        raise GraphError("the pickle's ids of edges are none of this graph")
    kept = None if ids is None else np.ascontiguousarray(ids)
    vars(graph)["_origin"] = Origin.numbered(edges, kept, attributes, library)

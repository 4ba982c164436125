"""Edges: how a graph's users know its edges: by the rows of their table, or by positions in the arrays they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from .arrays import Array, read_only, stored_weights
from .origin import Origin

if TYPE_CHECKING:
    from .graph import Graph


class Edges:
    """The part of a :class:`~steppe.Graph` that knows its edges as the caller does."""

    _origin: Origin | None

    @property
    def _known_origin(self) -> Origin:
        """What the graph was built from; :class:`~steppe.GraphError` where nobody knows."""
        if self._origin is None:
            raise GraphError(
                "this graph does not know which edges it was built from (a file, a generator, another library's graph or a "
                "pickle): build it with Graph.from_edges or Graph.from_frame"
            )
        return self._origin

    @property
    def _library(self) -> str | None:
        """The library of the table that the graph was made from: "pandas", "polars", …; None where there was none."""
        return None if self._origin is None else self._origin.library

    @property
    def edge_ids(self) -> Array:
        """For every stored edge, the row of the table (the position in the arrays) that it was given in.

        Found when first asked for, and kept: 4 bytes an edge, 8 from 2^31 edges on. Until then the arrays that were given are referred to
        (not copied), unless they were sorted by source and directed, where positions are ids and nothing is kept.

        >>> import steppe as sp
        >>> g = sp.Graph.from_edges([2, 0, 1], [0, 1, 2], [7, 8, 9])
        >>> g.edge_ids.tolist(), g.weights.tolist()
        ([1, 2, 0], [8, 9, 7])
        """
        graph = cast("Graph", self)
        ids = self._known_origin.ids(graph)
        return read_only(np.arange(graph.num_edges, dtype=np.int64)) if ids is None else ids

    def _edge_ids_at(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the ids of the edges at these positions of ``indices``."""
        ids = self._known_origin.ids(cast("Graph", self))
        return places if ids is None else ids[places].astype(np.int64)

    @property
    def attributes(self) -> tuple[Any, ...]:
        """The names of the columns that ride along with the edges."""
        return () if self._origin is None else self._origin.attributes

    def attribute(self, column: str | npt.ArrayLike) -> Array:
        """Return an attribute by its name, or a caller's numbers, one for each edge given, in the order they were given.

        >>> import steppe as sp
        >>> sp.Graph.from_edges([0, 1], [1, 2]).attribute([3.5, 4]).tolist()
        [3.5, 4.0]
        """
        origin = self._known_origin
        if not isinstance(column, str):
            values = stored_weights(column)
        elif column in origin.attributes:
            values = origin.attribute(column)
        else:
            known = ", ".join(map(repr, origin.attributes)) or "none: name them in from_frame(…, attributes=[…])"
            raise GraphError(f"edges have no attribute {column!r}; there are {known}")
        if len(values) != origin.count:
            raise GraphError(f"{len(values)} values for {origin.count} edges")
        return values

    def _attribute_along(self, column: str | npt.ArrayLike) -> tuple[Array, Array | None]:
        """Return an attribute as numbers in the order given, and the id of each stored edge (None: its position)."""
        values = self.attribute(column)
        return stored_weights(values), self._known_origin.ids(cast("Graph", self))

    def _edges_kept(self) -> tuple[int, Array | None, dict[Any, Array], str | None] | None:
        """Return what a pickle keeps of the edges' origin: ids that are known, or have attributes that need them."""
        origin = self._origin
        if origin is None or not (origin.is_settled or origin.attributes):
            return None
        columns = {name: origin.attribute(name) for name in origin.attributes}
        try:
            return origin.count, origin.ids(cast("Graph", self)), columns, origin.library
        except GraphError:  # what they are found from is gone, or was changed
            return None

    def __setstate__(self, state: Any) -> None:
        """Take what a pickle kept, which may be anything."""
        try:
            count, ids, attributes, library = state
            m, edges = len(vars(self)["_rows"][1]), int(count)
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
        vars(self)["_origin"] = Origin.numbered(edges, kept, attributes, library)


def stored_order(values: Array, ids: Array | None) -> Any:
    """Return values of the edges given in the order of the rows."""
    return values if ids is None else values[ids]

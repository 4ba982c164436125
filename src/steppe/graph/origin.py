"""Origin: which of the edges a caller gave each stored edge is.

Rows are sorted by source, and an undirected edge is stored twice: a position in ``graph.indices`` says nothing to the person who has the table.
Where the edges came sorted, or as rows, a position *is* the edge's number, and nothing is kept. Otherwise the arrays that were given are referred
to, not copied, and the numbers are found from them when somebody first asks (``cpp/rows/scatter.hpp``): 4 bytes an edge from then on, 8 from 2^31
edges, and the arrays are let go. Whoever changes the arrays before that is told so: the numbers are compared with the rows on the way.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from ..machine import locks, threads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .graph import Graph

Array = npt.NDArray[Any]

Ends = tuple[list[Array], list[Array], int]
"""Sources and targets in chunks, of one type of integers, and the id of vertex 0."""


class Origin:
    """What was given.

    Parameters
    ----------
    count : int
        Edges given.
    ends : callable, optional
        Returns the ends of the edges in the order they were given; default: they were given in the order of the rows.
    rows : array, optional
        Which of the edges given were taken, where some were left out; ``ends`` returns only those.
    attributes : mapping, optional
        Further columns, one entry for each edge given; arrays, or lists of them, chunk by chunk.
    library : str, optional
        Whose table it was: "pandas", "polars", …; what comes out goes back into it.
    """

    def __init__(
        self,
        count: int,
        ends: Callable[[], Ends] | None = None,
        *,
        rows: Array | None = None,
        attributes: Mapping[Any, Array | list[Array]] | None = None,
        library: str | None = None,
    ) -> None:
        self.count, self.library = count, library
        self._attributes = dict(attributes or {})
        self._ends, self._rows = ends, rows
        self._ids: Array | None = None
        self._lock = locks.make()

    @property
    def attributes(self) -> tuple[Any, ...]:
        """The names of the attributes."""
        return tuple(self._attributes)

    def attribute(self, name: Any) -> Array:
        """Return an attribute as one array."""
        with self._lock:
            values = self._attributes[name]
            if isinstance(values, list):
                whole: Array = (
                    values[0] if len(values) == 1 else np.concatenate(values or [np.empty(0, dtype=np.int32)])
                )
                values = whole.view()
                values.flags.writeable = False
                self._attributes[name] = values
            return np.asarray(values)

    @classmethod
    def numbered(cls, count: int, ids: Array | None, attributes: Mapping[Any, Array], library: str | None) -> Origin:
        """Return the origin of edges whose numbers are known; None: they are the positions."""
        made = cls(count, attributes=attributes, library=library)
        made._ids = ids
        return made

    def ids(self, graph: Graph) -> Array | None:
        """Return the number of each stored edge of ``graph``, or None where its position is its number."""
        with self._lock:
            if self._ids is None and self._ends is not None:
                order = self._order(graph, *self._ends())
                self._ids = order if self._rows is None else self._rows.astype(order.dtype)[order]
                self._ends = self._rows = None
            return self._ids

    def _order(self, graph: Graph, sources: list[Array], targets: list[Array], base: int) -> Array:
        order = np.empty(graph.num_edges, dtype=np.int32 if self.count < 2**31 else np.int64)
        if not _core.edge_order(
            sources, targets, base, not graph.directed, graph._native, order, threads.resolve(None)
        ):
            raise GraphError("the edges that the graph was built from were changed since: their ids cannot be told")
        order.flags.writeable = False
        return order

    @property
    def is_settled(self) -> bool:
        """Whether the numbers are known, or are the positions."""
        return self._ids is not None or self._ends is None

    def turned(self, graph: Graph) -> Turned:
        """Return the origin of the edges of the reverse of ``graph``."""
        return Turned(weakref.ref(graph), self)


class Turned(Origin):
    """The same for a reverse graph, whose edges are those of the other one turned round."""

    def __init__(self, forward: weakref.ref[Graph], origin: Origin) -> None:
        super().__init__(origin.count, attributes=origin._attributes, library=origin.library)
        self._forward, self._origin = forward, origin

    @property
    def is_settled(self) -> bool:
        """Whether the numbers are known: they are never the positions."""
        return self._ids is not None

    def ids(self, graph: Graph) -> Array | None:
        """Return the number of each stored edge of the reverse graph."""
        with self._lock:
            if self._ids is None:
                forward = self._forward()
                if forward is None:
                    raise GraphError("the graph that this is the reverse of is gone, and the ids of the edges with it")
                places = self._order(graph, [forward.indices], [forward._edge_sources()], 0)
                ids = self._origin.ids(forward)
                self._ids = places if ids is None else ids[places]
            return self._ids


def stored_order(values: Array, ids: Array | None) -> Array:
    """Return values of the edges given in the order of the rows; ``ids``: what :meth:`Origin.ids` returned."""
    return values if ids is None else values[ids]

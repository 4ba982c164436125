"""Others: graphs out of what other libraries have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from collections.abc import Iterable


class Others:
    """The part of a :class:`~steppe.Graph` that takes tables and graphs of other libraries."""

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        source: Any,
        target: Any,
        weight: Any = None,
        *,
        directed: bool = True,
        attributes: Iterable[Any] = (),
        missing: str = "error",
    ) -> Self:
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

        Examples
        --------
        >>> import steppe as sp
        >>> roads = {"a": ["Ulm", "Bonn"], "b": ["Bonn", "Trier"], "min": [240, 95], "km": [420, 165]}
        >>> g = sp.Graph.from_frame(roads, "a", "b", "min", attributes=["km"])
        >>> sp.sssp(g, "Ulm").distance("Trier"), sp.sssp(g, "Ulm").along("km").tolist()
        (335, [420, 585, 0])
        """
        from .frame import graph_of_frame

        built: Self = graph_of_frame(
            cast("type[Any]", cls),
            frame,
            source,
            target,
            weight,
            directed=directed,
            attributes=attributes,
            missing=missing,
        )
        return built

"""Places: a graph whose vertices are somewhere: its coordinates, the vertex nearest to a point, its picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from ..deprecated import Renamed, renamed_arguments
from ..errors import GraphError
from ..machine import locks
from .coordinates import Coordinates
from .derived import Derived

if TYPE_CHECKING:
    from .arrays import Array
    from .graph import Graph


class Places:
    """The part of a :class:`~steppe.Graph` that knows where its vertices are."""

    _coordinates: Coordinates | None

    @property
    def coordinates(self) -> npt.NDArray[np.float64] | None:
        """A row of longitude and latitude (of x and y) for each vertex, NaN where it is not known; None where there are no coordinates.

        Kept by :meth:`reverse`, :meth:`with_weights`, :meth:`without_edges`, :meth:`subgraph`, :meth:`largest_component`, pickles, and
        ``.steppe`` and ``.npz`` files.
        """
        return None if self._coordinates is None or not self._coordinates.known else self._coordinates.array

    @property
    def is_geographic(self) -> bool:
        """Whether :attr:`coordinates` are longitude and latitude in degrees, and not x and y in a plane."""
        return self._coordinates is not None and self._coordinates.geographic

    @property
    def metadata(self) -> dict[str, Any]:
        """What :func:`steppe.read` tells of a file; empty for most graphs.

        Of a file of OpenStreetMap: the profile, and what was left out or is not obeyed. Of a TNTP network: that its links name nodes beyond the
        number it states. It goes where the coordinates go, but not into files.
        """
        return {} if self._coordinates is None else dict(self._coordinates.metadata)

    about = Renamed("metadata")

    def with_coordinates(
        self,
        coordinates: npt.ArrayLike | Mapping[Any, tuple[float, float]] | None,
        *,
        labels: Any = None,
        geographic: bool = True,
    ) -> Self:
        """Return the graph with coordinates; the rows are shared.

        Parameters
        ----------
        coordinates : array_like, mapping or None
            Rows of longitude and latitude, one for each vertex in the order of ``graph.labels``; or a mapping from labels to pairs. None takes
            coordinates away.
        labels : list of labels, optional
            Whose rows these are, where they are in another order. Vertices without a row get NaN; rows of what is no vertex are left out.
        geographic : bool
            False: x and y in a plane, in any unit.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.Graph.from_edges(["Ulm", "Bonn"], ["Bonn", "Kiel"], [420, 530], relabel=True)
        >>> g = g.with_coordinates({"Kiel": (10.14, 54.32), "Ulm": (9.99, 48.40), "Bonn": (7.10, 50.73)})
        >>> g.nearest_vertex(9.18, 48.78), g.coordinates[g.index("Kiel")].tolist()
        ('Ulm', [10.14, 54.32])
        """
        g = cast("Graph", self)
        if isinstance(coordinates, Mapping):
            if labels is not None:
                raise GraphError("labels= is for rows of coordinates: a mapping has its own")
            labels, coordinates = list(coordinates), list(coordinates.values())
        made = None if coordinates is None else Coordinates.given(coordinates, geographic)
        if made is not None and labels is not None:
            made = _ordered(g, made, labels)
        if made is not None and len(made) != g.num_vertices:
            raise GraphError(f"{len(made)} coordinates for {g.num_vertices} vertices")
        if made is not None:
            made.metadata = self.metadata
        return cast("Self", placed(g, made))

    def nearest_vertex(self, lon: npt.ArrayLike, lat: npt.ArrayLike) -> Any:
        """Return the label of the vertex nearest to a point, as the crow flies; for arrays of points, an array of labels.

        The first call builds an index, which graphs made of this one share. It needs SciPy (``pip install 'steppe[geo]'``).

        Parameters
        ----------
        lon, lat : float or array_like
            Longitude and latitude in degrees; x and y where the graph has those.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.Graph.from_edges([0, 1], [1, 2]).with_coordinates([(179.9, 0), (0, 0), (90, 0)])
        >>> g.nearest_vertex(-179.9, 0), g.nearest_vertex([80, 10], [0, 0]).tolist()
        (0, [2, 1])
        """
        g = cast("Graph", self)
        found = known_places(g, "nearest_vertex").nearest(lon, lat)
        return g.label(int(found)) if found.ndim == 0 else g.labels_of(found)

    @renamed_arguments(colour="color")
    def plot(self, *, ax: Any = None, color: str = "#555555") -> Any:
        """Draw the edges; return matplotlib's axes. Up to 40 vertices have their names.

        It needs matplotlib (``pip install 'steppe[plot]'``), and coordinates where there are more than 500 vertices: smaller graphs are laid out.

        Examples
        --------
        >>> import steppe as sp
        >>> ax = sp.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True).plot()
        >>> [text.get_text() for text in ax.texts]
        ['a', 'b', 'c']
        """
        from .plotting import plot_graph

        return plot_graph(cast("Graph", self), ax, color)


def known_places(graph: Graph, what: str) -> Coordinates:
    """Return a graph's coordinates, or tell how it gets some."""
    if graph._coordinates is None or not graph._coordinates.known:
        raise GraphError(
            f"{what} needs coordinates, and this graph has none: use graph.with_coordinates(…), or read(…, coordinates='FILE.co')"
        )
    return graph._coordinates


def placed(graph: Graph, coordinates: Coordinates | None) -> Graph:
    """Return the same graph at other places: rows, labels and ids of edges are shared, what was derived from the rows is not."""
    made = object.__new__(type(graph))
    known = Derived(typical_weight=graph.derived.typical_weight, symmetric=graph.derived.symmetric)
    vars(made).update(vars(graph), _coordinates=coordinates, _lock=locks.make(), derived=known)
    return made


def _ordered(graph: Graph, given: Coordinates, labels: Any) -> Coordinates:
    """Return coordinates in the order of the graph's vertices."""
    names: Array = labels if isinstance(labels, np.ndarray) else np.asarray(_column(labels))
    if names.shape != (len(given),):
        raise GraphError(f"{len(names)} labels for {len(given)} coordinates")
    if names.dtype.kind in "iu" and (graph.labels is None or graph.labels.dtype.kind in "iu"):
        own = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
        there = np.flatnonzero(np.isin(names, own))
    else:
        names = np.fromiter(labels, dtype=object, count=len(given))
        there = np.array([i for i, name in enumerate(names) if name in graph], dtype=np.int64)
    rows = np.full((graph.num_vertices, 2), np.nan)
    rows[graph.indices_of(names[there])] = given.array[there]
    return Coordinates.given(rows, given.geographic)


def _column(labels: Any) -> Any:
    """Return a list as it is, and a column of a table as an array."""
    return labels.to_numpy() if hasattr(labels, "to_numpy") else labels

"""Coordinates: where the vertices of a graph are, and which of them is nearest to a point.

They are longitude and latitude in degrees, or x and y in a plane; NaN where a vertex has no known place. Graphs made of a graph (its reverse, other
weights, fewer edges) share one object, and with it the index of :meth:`Coordinates.nearest`: a k-d tree of SciPy's over the distinct places. Degrees
become unit vectors in space first: there the chord grows with the distance on the sphere, so the date line and the poles are places like all others,
which they are in no map.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from ..machine import locks
from ..prepared.kept import Prepared
from .arrays import Array, read_only
from .derived import Derived

if TYPE_CHECKING:
    from collections.abc import Callable

    from .graph import Graph

Ids = npt.NDArray[np.int64]
Points = npt.NDArray[np.float64]


@locks.opened_in_child
class Coordinates:
    """Where ``count`` vertices are.

    Parameters
    ----------
    count : int
        Vertices.
    places : array, callable or None
        ``count`` rows of x and y; a function returns them when they are first asked for. None: they are not known, and there is only ``metadata``.
    geographic : bool
        Whether x and y are longitude and latitude in degrees.
    metadata : dict, optional
        What is told of the map they are from.
    """

    def __init__(
        self,
        count: int,
        places: Points | Callable[[], Points] | None,
        *,
        geographic: bool,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        self.count, self.geographic, self.metadata, self._places = count, geographic, metadata or {}, places

    @classmethod
    def unknown(cls, count: int, metadata: dict[str, Any]) -> Coordinates:
        """Return what is told of a graph whose vertices have no known places."""
        return cls(count, None, geographic=False, metadata=metadata)

    @property
    def known(self) -> bool:
        """Whether there are places."""
        return self._places is not None

    @classmethod
    def checked(cls, places: Any, geographic: bool, metadata: dict[str, Any] | None = None) -> Coordinates:
        """Return coordinates of a caller's rows, or of a pickle's, which may be anything."""
        array = np.array(places, dtype=np.float64)
        if array.size == 0 and array.ndim < 2:
            array = array.reshape(0, 2)
        return cls(len(array), _checked(array, geographic), geographic=bool(geographic), metadata=metadata)

    @cached_property
    def array(self) -> Points:
        """One row of x and y for each vertex, read-only."""
        places = self._places
        if callable(places):
            places = _checked(places(), self.geographic)
        return read_only(np.full((self.count, 2), np.nan) if places is None else places)

    def of_vertices(self, vertices: Ids) -> Coordinates:
        """Return the coordinates of some vertices."""
        if not self.known:
            return Coordinates.unknown(len(vertices), self.metadata)
        return Coordinates(
            len(vertices), lambda: self.array[vertices], geographic=self.geographic, metadata=self.metadata
        )

    def nearest(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Ids:
        """Return the vertex nearest to each point; of several at one place the first."""
        points = np.stack(np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64)), axis=-1)
        if not np.isfinite(points).all():
            raise GraphError("a point to look for must have two finite numbers")
        tree, vertices = self._index
        if not len(vertices):
            raise GraphError("no vertex of this graph has a known place")
        _, at = tree.query(self._in_space(_checked(points.reshape(-1, 2), self.geographic)))
        return vertices[np.asarray(at, dtype=np.int64)].reshape(points.shape[:-1])

    @cached_property
    def _index(self) -> tuple[Any, Ids]:
        """The tree over the distinct places, and the first vertex at each of them."""
        try:
            from scipy.spatial import KDTree
        except ImportError as error:
            raise ImportError("nearest_vertex needs SciPy: pip install 'steppe[geo]'") from error
        known = np.flatnonzero(~np.isnan(self.array).any(axis=1))
        pairs = (self.array[known] + 0.0).view(np.complex128).reshape(-1)  # + 0.0: one zero, not two
        first = np.unique(pairs, return_index=True)[1]
        vertices = known[np.sort(first)]
        # Not balanced: the tree is built in half the time, and asked nearly as fast.
        return KDTree(self._in_space(self.array[vertices]), balanced_tree=False, compact_nodes=False), vertices

    def _in_space(self, points: Points) -> Points:
        if not self.geographic:
            return points
        lon, lat = np.radians(points).T
        return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)

    def __len__(self) -> int:
        return self.count

    def __reduce__(self) -> Any:
        if not self.known:
            return Coordinates.unknown, (self.count, self.metadata)
        return Coordinates.checked, (self.array, self.geographic, self.metadata)


def _checked(array: Array, geographic: bool) -> Points:
    """Return rows of x and y; refuse what can be none."""
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphError(f"coordinates must be rows of x and y, not of the shape {array.shape}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if np.isinf(array).any():
        raise GraphError("coordinates must be finite, or NaN where a place is not known")
    if geographic and len(array):
        with np.errstate(invalid="ignore"):
            outside = (np.abs(array) > (360, 90)).any(axis=1)
        if outside.any():
            x, y = array[int(np.argmax(outside))]
            raise GraphError(
                f"({x:g}, {y:g}) is no longitude and latitude in degrees: for x and y say geographic=False"
            )
    return array


def with_coordinates(
    graph: Graph,
    coordinates: npt.ArrayLike | Mapping[Any, tuple[float, float]] | None,
    *,
    labels: Any = None,
    geographic: bool = True,
) -> Graph:
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
    if isinstance(coordinates, Mapping):
        if labels is not None:
            raise GraphError("labels= is for rows of coordinates: a mapping has its own")
        labels, coordinates = list(coordinates), list(coordinates.values())
    made = None if coordinates is None else Coordinates.checked(coordinates, geographic)
    if made is not None and labels is not None:
        made = _ordered(graph, made, labels)
    if made is not None and len(made) != graph.num_vertices:
        raise GraphError(f"{len(made)} coordinates for {graph.num_vertices} vertices")
    if made is not None:
        made.metadata = graph.metadata
    return replace_coordinates(graph, made)


def nearest_vertex(graph: Graph, lon: npt.ArrayLike, lat: npt.ArrayLike) -> Any:
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
    found = known_coordinates(graph, "nearest_vertex").nearest(lon, lat)
    return graph.label(int(found)) if found.ndim == 0 else graph.labels_of(found)


def known_coordinates(graph: Graph, what: str) -> Coordinates:
    """Return a graph's coordinates, or tell how it gets some."""
    if graph._coordinates is None or not graph._coordinates.known:
        raise GraphError(
            f"{what} needs coordinates, and this graph has none: use graph.with_coordinates(…), or read(…, coordinates='FILE.co')"
        )
    return graph._coordinates


def replace_coordinates(graph: Graph, coordinates: Coordinates | None) -> Graph:
    """Return the same graph with other coordinates. Rows, labels and ids of edges are shared; what was derived from the rows is not."""
    made = object.__new__(type(graph))
    known = Derived(typical_weight=graph.derived.typical_weight, symmetric=graph.derived.symmetric)
    vars(made).update(vars(graph), _coordinates=coordinates, _lock=locks.make(), derived=known)
    vars(made)["prepared"] = Prepared(graph._shape.prepared)
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
    return Coordinates.checked(rows, given.geographic)


def _column(labels: Any) -> Any:
    """Return a list as it is, and a column of a table as an array."""
    return labels.to_numpy() if hasattr(labels, "to_numpy") else labels

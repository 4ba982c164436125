"""Coordinates: where the vertices of a graph are, and which of them is nearest to a point.

They are longitude and latitude in degrees, or x and y in a plane; NaN where a vertex has no known place. Graphs made of a graph (its reverse, other
weights, fewer edges) share one object, and with it the index of :meth:`Coordinates.nearest`: a k-d tree of SciPy's over the distinct places. Degrees
become unit vectors in space first: there the chord grows with the distance on the sphere, so the date line and the poles are places like all others,
which they are in no map.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from ..machine import locks
from .arrays import Array, read_only

if TYPE_CHECKING:
    from collections.abc import Callable

Ids = npt.NDArray[np.int64]
Points = npt.NDArray[np.float64]


@locks.opened_in_child
class Coordinates:
    """The places of ``count`` vertices.

    Parameters
    ----------
    count : int
        Vertices.
    places : array, callable or None
        ``count`` rows of x and y; a function returns them when they are first asked for. None: they are not known, and there is only ``about``.
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
    def told(cls, count: int, metadata: dict[str, Any]) -> Coordinates:
        """Return what is told of a graph whose vertices have no known places."""
        return cls(count, None, geographic=False, metadata=metadata)

    @property
    def known(self) -> bool:
        """Whether there are places."""
        return self._places is not None

    @classmethod
    def given(cls, places: Any, geographic: bool, metadata: dict[str, Any] | None = None) -> Coordinates:
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

    def taken(self, vertices: Ids) -> Coordinates:
        """Return the coordinates of some vertices."""
        if not self.known:
            return Coordinates.told(len(vertices), self.metadata)
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
            return Coordinates.told, (self.count, self.metadata)
        return Coordinates.given, (self.array, self.geographic, self.metadata)


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

"""Properties: what a graph tells of its rows, edges and vertices: read at once, or found in one pass and kept."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from .. import _core
from ..deprecated import Renamed
from ..errors import GraphError
from ..machine import locks
from ..machine import threads as _threads
from .arrays import Array, is_mapped, read_only, stored_weights
from .proof import Row

if TYPE_CHECKING:
    from ..prepared.kept import Prepared
    from .coordinates import Coordinates
    from .derived import Derived
    from .graph import Graph
    from .origin import Origin
    from .proof import Claim, Facts, Rows
    from .shape import Shape


@locks.opened_in_child
class Properties:
    """The fields of a :class:`~steppe.Graph`, and what follows from them."""

    num_vertices: int
    num_edges: int
    indptr: npt.NDArray[np.int64] = Row(0)  # type: ignore[assignment]
    indices: Array = Row(1)  # type: ignore[assignment]
    weights: Array | None = Row(2)  # type: ignore[assignment]
    directed: bool
    min_weight: int | float
    max_weight: int | float
    mean_weight: float
    derived: Derived
    prepared: Prepared
    _shape: Shape
    _rows: Rows  # their types and sizes can be read before they are proven
    _claim: Claim | None
    _origin: Origin | None
    _coordinates: Coordinates | None
    _lock: locks.Lock

    if TYPE_CHECKING:

        @property
        def _native(self) -> _core.Rows: ...
        @property
        def reverse(self) -> Graph: ...  # noqa: D102

    @property
    def has_negative(self) -> bool:
        """Whether any weight is negative."""
        return bool(self.min_weight < 0)

    @property
    def is_integer(self) -> bool:
        """Whether distances are integers: integer weights, or none."""
        weights = self._rows[2]
        return weights is None or weights.dtype.kind == "i"

    @cached_property
    def is_mapped(self) -> bool:
        """Whether the edges lie in a file that is mapped for reading: the kernel may then drop and read them again."""
        _, indices, weights = self._rows
        return is_mapped(indices) and (weights is None or is_mapped(weights))

    @property
    def degrees(self) -> npt.NDArray[np.int64]:
        """The out-degree of every vertex."""
        if self._shape.degrees is None:
            self._shape.degrees = read_only(np.diff(self.indptr))
        return self._shape.degrees

    @property
    def is_symmetric(self) -> bool:
        """Whether every edge has an opposite of the same weight."""
        known = self.derived.symmetric
        if known is None:
            core, r = self._native, self.reverse  # proven, also where the graph is its own reverse
            known = self.derived.symmetric = r is self or _core.is_symmetric(core, r._native, _threads.resolve(None))
        return known

    @property
    def has_sorted_rows(self) -> bool:
        """Whether the targets of every vertex are in rising order."""
        if self._shape.has_sorted_rows is None:
            self._shape.has_sorted_rows = _core.rows_are_sorted(self._native, _threads.resolve(None))
        return self._shape.has_sorted_rows

    @property
    def _typical_weight(self) -> float:
        """What the width of buckets is measured by: never more than the mean, from a sample that is taken once."""
        known = self.derived.typical_weight
        if known is None:
            sampled = self._native.typical_weight
            known = min(sampled, self.mean_weight) if sampled > 0 else max(0.0, self.mean_weight)
            self.derived.typical_weight = known
        return known

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return sum(array.nbytes for array in self._rows if array is not None)

    @property
    def _facts(self) -> Facts:
        """The smallest, largest and mean weight."""
        return self.min_weight, self.max_weight, self.mean_weight

    def _edge_sources(self) -> Array:
        """Return the source of each stored edge, in the type of ``indices``."""
        return np.repeat(np.arange(self.num_vertices, dtype=self.indices.dtype), self.degrees)

    # Edges as they were given ---------------------------------------------------------------------------------------

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
        ids = self._known_origin.ids(cast("Graph", self))
        return read_only(np.arange(self.num_edges, dtype=np.int64)) if ids is None else ids

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

    # Where vertices are ---------------------------------------------------------------------------------------------

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

"""DistanceMatrix: a matrix of distances, and beside it what belongs to the same shortest paths: predecessors, or sums of attributes.

It is proven row by row: a search from the row's source is made anew and proven, and everything in the row is compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ..deprecated import warn
from ..errors import VerificationError
from ..graph.tabular import Tabular
from ..planning.call import Call
from ..planning.distance_types import unreachable
from ..planning.options import Options
from .engines import solve
from .stored import stored
from .verify import sampled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph
    from ..planning.explain import Explanation

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class DistanceMatrix(Tabular, Mapping[Any, Array]):
    """Matrices, sources × targets: what :func:`steppe.distances` returns with ``predecessors=True`` or ``along=[…]``.

    ``matrix["metres"]`` is the matrix of an attribute.

    Attributes
    ----------
    graph : Graph
        The graph searched.
    distances : ndarray
        As without these options.
    predecessors : ndarray or None
        With ``predecessors=True``: the index 0…n-1 of the vertex before the target on the canonical path from the source; -1 at the source and
        where there is no path.
    along : dict
        With ``along=[…]``: the sums of each attribute, int64 (exact) or float64; where there is no path, :data:`steppe.UNREACHABLE` or ``inf``.
    """

    graph: Graph
    distances: Array
    predecessors: Array | None
    along: dict[Any, Array]
    _rows: npt.NDArray[np.int64]
    _ends: npt.NDArray[np.int64]
    _bound: int | float | None
    _explanation: Explanation
    _attributes: dict[Any, Any] = field(default_factory=dict)

    @property
    def sources(self) -> Array:
        """The labels of the rows."""
        return self.graph.labels_of(self._rows)

    @property
    def targets(self) -> Array:
        """The labels of the columns."""
        return self.graph.labels_of(self._ends)

    @property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """Whether there is a path, for each pair."""
        return np.asarray(self.distances != unreachable(self.distances.dtype))

    def __getitem__(self, name: Any) -> Array:
        return self.along[name] if self.predecessors is None else self._pair()[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.along) if self.predecessors is None else iter(self._pair())

    def __len__(self) -> int:
        return len(self.along) if self.predecessors is None else 2

    def _pair(self) -> tuple[Array, Any]:
        """Return what this was where it had predecessors: a pair."""
        warn("a DistanceMatrix as a pair", ".distances and .predecessors")
        return self.distances, self.predecessors

    def _columns(self) -> dict[str, Array]:
        """Return the long form, a row for each pair that has a path: source, target, distance, predecessor or attributes."""
        i, j = np.nonzero(self.reachable)
        columns = {"source": self.sources[i], "target": self.targets[j], "distance": self.distances[i, j]}
        if self.predecessors is not None:
            columns["predecessor"] = self.graph._labels_or_none(self.predecessors[i, j])
        return columns | {str(name): sums[i, j] for name, sums in self.along.items()}

    def __repr__(self) -> str:
        names = ["distances", *(["predecessors"] if self.predecessors is not None else []), *map(str, self.along)]
        return f"<DistanceMatrix: {len(self._rows):,} × {len(self._ends):,}, {', '.join(names)}>"

    def explain(self) -> Explanation:
        """Return how the matrix was found: the plan that was carried out, and the seconds it took."""
        return self._explanation

    def verify(self, *, sample: int | None = None, threads: int | None = None) -> Self:
        """Prove distances, predecessors and sums; return it, or raise :class:`~steppe.VerificationError`.

        Parameters
        ----------
        sample : int, optional
            Prove this many rows, evenly spread; default: all. Each takes a search, and the proof of that.
        threads : int, optional
            As in :func:`steppe.sssp`.

        Examples
        --------
        >>> import steppe as sp
        >>> g = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
        >>> sp.distances(g, ["a", "b"], ["c"], along={"metres": [500, 100, 300]}).verify()["metres"].tolist()
        [[800], [300]]
        """
        targets = self.targets if 0 < len(self._ends) < self.graph.num_vertices else None
        options = Options(device="cpu", cutoff=self._bound, targets=targets, threads=threads)
        for i in sampled(len(self._rows), sample):
            paths = solve(self.graph, Call.SSSP, self._rows[i : i + 1], options).verify(threads=threads)
            right = stored(paths.distances[self._ends], self.distances.dtype, partial(self._pair_of, i))
            self._compare("distance", i, self.distances, right)
            if self.predecessors is not None:
                self._compare("predecessor", i, self.predecessors, paths.predecessors[self._ends])
            for name, sums in self.along.items():
                self._compare(repr(name), i, sums, paths.along(self._attributes[name])[self._ends])
        return self

    def _compare(self, what: str, row: int, matrix: Array, right: Array) -> None:
        wrong = np.flatnonzero(matrix[row] != right)
        if len(wrong):
            j = int(wrong[0])
            message = f"{what} of {self._pair_of(row, j)} is {matrix[row, j].item()}, right is {right[j].item()}"
            raise VerificationError(message, self.graph.label(int(self._ends[j])))

    def _pair_of(self, row: int, column: int) -> str:
        return f"{self.graph.label(int(self._rows[row]))!r} to {self.graph.label(int(self._ends[column]))!r}"

"""distances(…, along=[…]): a matrix of distances, and beside it what attributes of the edges add up to along the shortest paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..cpu import skims
from ..graph.origin import stored_order
from ..graph.tabular import Tabular
from ..machine.memory import check_fits
from ..planning.call import Call
from ..planning.distance_types import distance_dtype, unreachable
from ..planning.question import ask
from .plan import planned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph
    from ..planning.options import Options

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Skims(Tabular, Mapping[Any, Array]):
    """Matrices, sources × targets: what :func:`steppe.distances` returns with ``along``. ``skims["metres"]`` is the one of an attribute.

    Attributes
    ----------
    sources, targets : ndarray
        The labels of the rows and columns.
    distances : ndarray
        As without ``along``.
    along : dict
        The sums of each attribute: int64 (exact) or float64; where there is no path, :data:`steppe.UNREACHABLE` or ``inf``.
    """

    sources: Array
    targets: Array
    distances: Array
    along: dict[Any, Array] = field(repr=False)
    _graph: Graph = field(repr=False)

    def __getitem__(self, name: Any) -> Array:
        return self.along[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.along)

    def __len__(self) -> int:
        return len(self.along)

    @property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """Whether there is a path, for each pair."""
        return np.asarray(self.distances != unreachable(self.distances.dtype))

    def _columns(self) -> dict[str, Array]:
        """Return the long form, a row for each pair that has a path: source, target, distance and the attributes."""
        i, j = np.nonzero(self.reachable)
        columns = {"source": self.sources[i], "target": self.targets[j], "distance": self.distances[i, j]}
        return columns | {str(name): sums[i, j] for name, sums in self.along.items()}

    def _library(self) -> str | None:
        return self._graph._library

    def __repr__(self) -> str:
        names = "".join(f", {name}" for name in self.along)
        return f"<Skims: {len(self.sources):,} × {len(self.targets):,}, distances{names}>"


def skims_along(
    graph: Graph,
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    options: Options,
) -> Skims:
    """Ask, plan, run, wrap; ``along`` is attributes, or a mapping of names to arrays of a number for each edge given."""
    graph, names = graph.reverse if options.reverse else graph, options.along
    if isinstance(names, str):
        raise ValueError(f"along must be a list of attributes, not {names!r}")
    wanted = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
    attributes = []
    for column in wanted.values():
        values, ids = graph._attribute_along(column)
        kind = np.int64 if values.dtype.kind == "i" else np.float64
        attributes.append(np.ascontiguousarray(stored_order(values, ids), dtype=kind))
    ends = np.arange(graph.num_vertices, dtype=np.int64) if columns is None else columns
    question = ask(graph, Call.DISTANCES, rows, options)
    plan, device = planned(graph, Call.DISTANCES, options, rows=len(rows), columns=len(ends))
    if device is not None:
        raise ValueError('along= runs on the CPU: use device="cpu"')
    shape = (len(rows), len(ends))
    check_fits((len(rows), len(ends) * (1 + len(attributes))), np.dtype(np.int64), options.memory_limit)
    if plan.prepares:
        graph.prepare(threads=plan.threads)
    found = np.empty(shape, dtype=distance_dtype(graph))
    sums = [np.empty(shape, dtype=values.dtype) for values in attributes]
    if found.size:
        skims.run(graph, question.planned(plan), plan.method, ends, attributes, found, sums)
    made = dict(zip(wanted, sums, strict=True))
    return Skims(graph.labels_of(rows), graph.labels_of(ends), found, made, graph)

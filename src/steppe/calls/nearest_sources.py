"""NearestSources: the k nearest of several sources for every vertex, each source with a head start of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..cpu.search import check_overflow
from ..planning.call import Call
from ..planning.capabilities import name_edge, needs_no_negative
from ..planning.distance_types import distance_dtype
from ..planning.question import ask

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.options import Options

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class NearestSources:
    """What :func:`nearest` returns with ``offsets=`` or ``k=``. Arrays have a row for each vertex and ``k`` columns, nearest first.

    Attributes
    ----------
    graph : Graph
        The graph searched.
    distances : ndarray
        The distances from the nearest sources, head starts included; ``inf`` or :data:`steppe.UNREACHABLE` where there are fewer.
    winners : ndarray of int64
        The index 0…n-1 of each of these sources, -1 where there are fewer; :attr:`winner_labels` has the labels.
    """

    graph: Graph
    distances: Array
    winners: npt.NDArray[np.int64]

    @property
    def winner_labels(self) -> Array:
        """The labels of each vertex's nearest sources, None where there are fewer."""
        return self.graph._labels_or_none(self.winners.reshape(-1)).reshape(self.winners.shape)


def find(
    graph: Graph,
    starts: npt.NDArray[np.int64],
    offsets: Any,
    k: int,
    options: Options,
) -> NearestSources:
    """Return the ``k`` nearest sources of every vertex; a source that is given twice counts with its smaller head start."""
    dtype = distance_dtype(graph)
    if graph.has_negative:
        raise name_edge(graph, needs_no_negative("nearest with offsets or k"))
    heads = None
    if offsets is not None:
        heads = _checked(offsets, len(starts), dtype)
        order = np.lexsort((np.arange(len(starts)), heads))
        kept = np.sort(order[np.unique(starts[order], return_index=True)[1]])
        starts, heads = starts[kept], np.ascontiguousarray(heads[kept])
    else:
        starts = starts[np.sort(np.unique(starts, return_index=True)[1])]
    question = ask(graph, Call.NEAREST, starts, options)
    distances = np.empty((graph.num_vertices, k), dtype=dtype)
    numbers = np.empty((graph.num_vertices, k), dtype=np.int64)
    core = question.core(graph)
    check_overflow(_core.nearest_sources(graph._native, core, heads, k, distances.reshape(-1), numbers.reshape(-1)))
    winners = np.where(numbers < 0, -1, starts[numbers])
    for array in (distances, winners):
        array.flags.writeable = False
    return NearestSources(graph, distances, winners)


def _checked(offsets: Any, count: int, dtype: np.dtype[Any]) -> Array:
    given = np.asarray(offsets)
    if given.shape != (count,):
        raise ValueError(f"offsets has shape {given.shape}, but there are {count:,} sources: one for each is wanted")
    if given.dtype.kind not in "iuf" or not (given >= 0).all() or (given.dtype.kind == "f" and np.isinf(given).any()):
        raise ValueError("offsets must be numbers, finite and not negative")
    with np.errstate(invalid="ignore", over="ignore"):
        heads = given.astype(dtype)
    if dtype.kind == "i" and ((heads != given).any() or (heads < 0).any() or (heads == np.iinfo(dtype).max).any()):
        raise ValueError("distances of this graph are whole numbers of 64 bits: offsets must be, too")
    if dtype.kind == "f" and np.isinf(heads).any():
        raise ValueError(f"an offset does not fit in {dtype}")
    return heads

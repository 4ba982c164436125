"""eccentricity(): how far the furthest vertex is from each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..planning.call import Call
from ..planning.options import Options
from .matrix import check_and_plan
from .reduce import reduced

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph
    from ..planning.progress import Progress


def eccentricity(
    graph: Graph,
    vertices: Any = None,
    *,
    method: str = "auto",
    device: str | None = None,
    reverse: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> npt.NDArray[Any]:
    """Find the distance of the furthest vertex that each vertex reaches; the largest of all is the diameter.

    Vertices that are not reached do not count (``distances(…, reduce="count")`` tells how many are). No matrix is held: memory is that of some
    rows, and without weights hundreds of sources share every look at an edge.

    Parameters
    ----------
    graph : Graph
        The graph; without weights every edge has length 1.
    vertices : list of labels, optional
        Default: every vertex.
    reverse : bool
        Distances lead to the vertices instead of away from them.
    method, device, threads, memory_limit, progress
        As in :func:`distances`.

    Returns
    -------
    ndarray
        One entry for each of ``vertices``: int64 for integer weights or none, else of the weights' type.

    Examples
    --------
    >>> import steppe as sp
    >>> path = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    >>> sp.eccentricity(path).tolist()
    [3, 2, 2, 3]
    """
    options = replace(Options.of(locals()), reduce="max")
    rows = np.arange(graph.num_vertices) if vertices is None else graph.indices_of(vertices)
    return reduced(check_and_plan(graph, Call.DISTANCES, rows, None, options))

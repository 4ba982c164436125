"""verify(): the proof that an answer is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..paths import Paths
from ..planning.question import check_graph

if TYPE_CHECKING:
    from ..graph.graph import Graph


def verify(graph: Graph, paths: Paths, *, threads: int | None = None) -> Paths:
    """Prove an answer against a graph; return it, or raise :class:`~steppe.VerificationError`.

    Distances are always checked; predecessors when the answer has them (recorded by the search, or asked for before).

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, 9, 3])
    >>> sp.verify(g, sp.sssp(g, 0)).distance(2)
    8
    """
    check_graph(graph)
    if not isinstance(paths, Paths):
        if hasattr(paths, "verify") and not isinstance(paths, type):
            raise TypeError(f"a {type(paths).__name__} proves itself: write answer.verify()")
        raise TypeError(
            f"verify takes the Paths of a search, not a {type(paths).__name__}: to check an array of distances write "
            "numpy.array_equal(array, steppe.sssp(graph, source).verify().distances)"
        )
    return paths._prove(graph, threads)

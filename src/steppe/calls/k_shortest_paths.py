"""k_shortest_paths(): the shortest path between two vertices, the next one, and so on; none visits a vertex twice.

Yen's method (1971) with Lawler's saving (1972). Every path that is found divides the rest: for each of its vertices from where it left its
parent on, the paths that go along with it up to there and then take a step nobody took yet. The best of each part waits in a heap. The
parts do not overlap, so no path is found twice, and nothing is compared with what is known.

The best of a part is a search by ``cpp/route/spur.hpp``, guided by the distances to the target, which one search backwards gives.
"""

from __future__ import annotations

import heapq
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import DistanceOverflowError
from ..planning.capabilities import name_edge, needs_no_negative
from ..planning.distance_types import UNREACHABLE
from ..planning.explain import Explanation
from .bfs import bfs
from .route import Route
from .sssp import sssp

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ..graph.graph import Graph

Found = tuple[int | float, tuple[int, ...], tuple[int, ...]]
"""A path's length, its vertices 0…n-1, and the positions of its edges."""


def k_shortest_paths(
    graph: Graph, source: Hashable, target: Hashable, k: int, *, threads: int | None = None
) -> list[Route]:
    """Return the ``k`` shortest paths from ``source`` to ``target`` that visit no vertex twice, shortest first.

    Paths are told apart by their vertices: of parallel edges the lightest is taken. Which of several paths of one length comes first is
    fixed, but not by a rule worth relying on.

    Parameters
    ----------
    graph : Graph
        Without negative weights.
    source, target : label
        Two vertices. From a vertex to itself there is one path, of length 0.
    k : int
        How many; fewer are returned where there are fewer.
    threads : int, optional
        For the search backwards from the target.

    Returns
    -------
    list of Route
        With :attr:`~steppe.Route.distance` rising. A float length is the sum of the weights from the source on, as everywhere; a path whose sum
        is infinite is none. Paths whose sums round to one number count as equally long, also those that were longer than others on the way,
        which :func:`steppe.all_shortest_paths` leaves out.

    Raises
    ------
    NegativeWeightError
        If a weight is negative.
    DistanceOverflowError
        If fewer than ``k`` paths have a length that a 64-bit integer can say, and there are more.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges(["a", "a", "b", "b", "c"], ["b", "c", "c", "d", "d"], [1, 3, 1, 5, 1], relabel=True)
    >>> [(r.distance, r.vertices.tolist()) for r in sp.k_shortest_paths(g, "a", "d", 3)]
    [(3, ['a', 'b', 'c', 'd']), (4, ['a', 'c', 'd']), (6, ['a', 'b', 'd'])]
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    s, t = graph.index(source), graph.index(target)
    begun = time.perf_counter()
    found = list(islice(in_order(graph, s, t, threads=threads), k))
    explanation = Explanation(
        method="yen",
        reason="paths in order of length, by searches that the distances to the target guide",
        rounds=len(found),
        seconds=time.perf_counter() - begun,
    )
    return [
        Route(
            source=source,
            target=target,
            distance=length,
            vertices=graph.labels_of(np.array(vertices, dtype=np.int64)),
            edges=np.array(edges, dtype=np.int64),
            reachable=True,
            settled=len(vertices),
            _graph=graph,
            _explanation=explanation,
        )
        for length, vertices, edges in found
    ]


def _to_target(graph: Graph, target: int, threads: int | None, *, long: bool) -> Any:
    """Return a lower bound of the distance from every vertex to the target; ``long``: distances may not fit, and are then "unreachable"."""
    backwards = graph.reverse
    cutoff = UNREACHABLE - 1 if long else None
    found = sssp(backwards, graph.label(target), cutoff=cutoff, threads=threads, device="cpu").distances
    if not graph.is_integer and float(graph.max_weight) * graph.num_vertices >= float(np.finfo(found.dtype).max) / 2:
        # Added up from the target on, a sum may be infinite that is not so from the source on.
        finite = found.copy()
        finite[np.isinf(found) & bfs(backwards, graph.label(target), threads=threads).reachable] = np.finfo(
            found.dtype
        ).max
        return finite
    return found


def in_order(graph: Graph, source: int, target: int, *, threads: int | None = None) -> Iterator[Found]:
    """Yield every path from ``source`` to ``target`` (0…n-1) that visits no vertex twice, shortest first."""
    if graph.has_negative:
        raise name_edge(graph, needs_no_negative("route"))
    if source == target:
        yield (0 if graph.is_integer else 0.0), (source,), ()
        return
    rows = graph._with_own_rows()  # which the Spur reads as long as it lives
    long = graph.is_integer and int(graph.max_weight) * graph.num_vertices >= UNREACHABLE
    spur = _core.spur(rows._native, _to_target(graph, target, threads, long=long), target, long)
    taken: dict[int, Any] = {}  # a tree of the paths yielded: the steps that were taken after each beginning

    def best(vertices: list[int], edges: list[int], lengths: list[Any], steps: list[int]) -> Any:
        """Return the best path of a part: along ``vertices``, then any step but ``steps``; as an entry of the heap, or None."""
        closed, refused = np.array(vertices[:-1], dtype=np.int64), np.array(steps, dtype=np.int64)
        reached, overflow, more, by, to = spur.find(vertices[-1], lengths[-1], closed, refused)
        if not reached:
            return (UNREACHABLE, (), (), (), 0) if overflow else None
        path = (*vertices, *more.tolist())
        return (
            lengths[-1] if not len(to) else to[-1].item(),
            path,
            (*edges, *by.tolist()),
            (
                *lengths,
                *to.tolist(),
            ),
            len(vertices) - 1,
        )

    zero = 0 if graph.is_integer else 0.0
    waiting = [first for first in [best([source], [], [zero], [])] if first is not None]
    while waiting:
        length, path, edges, lengths, left = heapq.heappop(waiting)
        if not path:  # longer than all others
            raise DistanceOverflowError("a path is longer than a 64-bit integer can say")
        yield length, path, edges
        known = taken
        for i in range(len(path) - 1):
            known = known.setdefault(path[i], {})
            known.setdefault(path[i + 1], {})
            if i >= left:
                other = best(list(path[: i + 1]), list(edges[:i]), list(lengths[: i + 1]), list(known))
                if other is not None:
                    heapq.heappush(waiting, other)

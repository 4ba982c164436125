"""Landmarks: distances from and to a few far vertices, by which :func:`steppe.route` goes straight for its target.

The search that uses them is in ``cpp/route/landmarks.hpp``; here they are chosen: each is the vertex furthest from all before
it, which puts them on the rim of a map, where they stand behind most targets (Goldberg and Harrelson 2005). All lie in
the largest strongly connected part that is found, and serve queries inside it. Sixteen landmarks cost sixteen searches, thirty-two in a
directed graph.

Distances here may be far longer than any that is asked for. Where one does not fit its type, there are no landmarks:
a bound must never be wrong, and a route whose own distance fits must not fail.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError
from ..machine import threads as _threads
from .account import VERTEX
from .preparation import Estimate, Made, Preparation, Unsuited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph
    from ..planning.facts import Facts

COUNT = _core.LANDMARKS
_MOST = 2**15 - 1
_PIECE = 1 << 20

PASSES = 2
"""What a landmark costs, in searches: one, and as long again to find the furthest vertex and to round the distances."""

EDGES_PER_THREAD = 300_000
"""Edges of a road network below which one more thread costs more than it brings."""

REASON = "it is not like a road network, most vertices do not reach each other, or a distance does not fit its type"


def suits(facts: Facts) -> str:
    """Return why such a graph has none, or nothing."""
    like_roads = facts.roadlike and facts.vertex == 4 and facts.weight > 0 and not facts.has_negative
    return "" if like_roads else REASON


def estimate(facts: Facts) -> Estimate:
    """Return what they cost."""
    lanes = COUNT * (1 if facts.symmetric or not facts.directed else 2)
    return Estimate(seconds(facts.vertices, lanes), 2 * lanes * facts.vertices)


def seconds(vertices: int, lanes: int) -> float:
    """Return the estimated seconds of so many searches and what is done with their distances."""
    return PASSES * lanes * vertices * VERTEX


def make(graph: Graph, limit: float, threads: int) -> Made:
    """Choose landmarks, and hand them to the core."""
    del limit
    sides = (graph,) if graph.is_symmetric else (graph, graph.reverse)
    marks = choose(graph, threads) if all(graph.weights is not None and x._native.suits_quads for x in sides) else None
    if marks is None:
        raise Unsuited(REASON)
    value = _core.Landmarks(marks.rows.ravel(), graph.num_vertices, marks.quantum, marks.slack, marks.one_sided)
    return Made(value, marks.rows.nbytes, detail={"landmarks": len(set(marks.vertices))})


@dataclass(frozen=True, eq=False)
class Landmarks:
    """What ``_core.Landmarks`` is made of.

    Attributes
    ----------
    rows : ndarray of int16
        For each vertex its distances in quanta, rounded down: from the landmarks, or, where ``one_sided``, those
        subtracted from the largest int16, and then those to the landmarks. -1 where a vertex is outside.
    quantum : float
        A power of two.
    slack : int
        Quanta by which a difference of two may be too large.
    one_sided : bool
        Whether distances depend on the direction.
    vertices : list of int
        The landmarks.
    """

    rows: npt.NDArray[np.int16]
    quantum: float
    slack: int
    one_sided: bool
    vertices: list[int]


def choose(graph: Graph, threads: int | None = None) -> Landmarks | None:
    """Return landmarks for ``graph``, or None where they would be of no use.

    That is where less than half of the vertices can reach each other, where distances in float32 are too uncertain, or
    where a distance does not fit its type.

    >>> import steppe as sp
    >>> marks = choose(sp.generate.grid(20, 30))
    >>> len(marks.vertices), marks.rows.shape
    (16, (600, 16))
    """
    both = not graph.is_symmetric
    try:
        part = _connected(graph, threads)
        if part is None:
            return None
        inside, nearest = part
        found: list[int] = []
        away: list[npt.NDArray[Any]] = []  # distances from the landmarks, then to them
        back: list[npt.NDArray[Any]] = []
        for _ in range(COUNT):
            found.append(_furthest(nearest, inside))
            away.append(_distances(graph, found[-1], threads))
            if both:
                back.append(_distances(graph.reverse, found[-1], threads))
            ways = away[-1] if not both else np.minimum(away[-1], back[-1])
            nearest = ways if len(found) == 1 else np.minimum(nearest, ways)
    except DistanceOverflowError:
        return None
    largest = max(_largest(x, inside) for x in away + back)
    if not 0 < largest < math.inf:
        return None
    quantum = _quantum(graph, largest)
    slack = _slack(graph, largest, quantum)
    if slack > _MOST // 8:
        return None
    rows = np.empty((graph.num_vertices, len(away + back)), dtype=np.int16)
    for piece in _pieces(graph.num_vertices):
        within = inside[piece]
        for i, x in enumerate(away + back):
            units = np.where(within, x[piece], 0)
            if graph.is_integer:
                units >>= int(quantum).bit_length() - 1
            else:
                units = units.astype(np.float64) / quantum  # a power of two: exact, or below 1
            whole = units.astype(np.int16)
            rows[piece, i] = _MOST - whole if both and i < COUNT else whole
        rows[piece][~within] = -1
    return Landmarks(rows, quantum, slack, both, found)


def _pieces(n: int) -> Iterator[slice]:
    """Cut n vertices into pieces so short that Ctrl-C is heard between two of them."""
    return (slice(at, at + _PIECE) for at in range(0, n, _PIECE))


def _quantum(graph: Graph, largest: float) -> float:
    """Return the smallest power of two that leaves at most 15 bits of the largest distance."""
    if graph.is_integer:
        return float(1 << max(0, int(largest).bit_length() - 15))
    least = float(np.finfo(_dtype(graph)).smallest_subnormal)
    return max(math.ldexp(1.0, math.frexp(largest)[1] - 15), least)


def _furthest(nearest: npt.NDArray[Any], inside: npt.NDArray[np.bool_]) -> int:
    """Return the vertex inside that is furthest, the first of those."""
    best, furthest = 0, -1
    for piece in _pieces(len(inside)):
        far = np.where(inside[piece], nearest[piece], -1)
        at = int(np.argmax(far))
        if far[at] > furthest:
            best, furthest = piece.start + at, far[at]
    return best


def _largest(distances: npt.NDArray[Any], inside: npt.NDArray[np.bool_]) -> int | float:
    """Return the largest distance to a vertex inside."""
    largest: int | float = 0
    for piece in _pieces(len(inside)):
        largest = max(largest, distances[piece].max(where=inside[piece], initial=0).item())
    return largest


def _distances(graph: Graph, vertex: int, threads: int | None) -> npt.NDArray[Any]:
    """Return the distances from one vertex. Sixteen or more searches will come, so rows are prepared where that can be."""
    graph.prepare(threads=threads)
    distances = np.empty(graph.num_vertices, dtype=_dtype(graph))
    question = _core.Question(
        np.array([vertex], dtype=np.int64),
        typical_weight=graph._typical_weight,
        max_weight=float(graph.max_weight),
        threads=min(_threads.resolve(threads), 1 + graph.num_edges // EDGES_PER_THREAD),
    )
    if _core.sssp("delta-stepping", graph._native, question, distances).overflow:
        raise DistanceOverflowError("a distance between landmarks does not fit in 64 bits")
    return distances


def _dtype(graph: Graph) -> np.dtype[Any]:
    return np.dtype(np.int64) if graph.is_integer or graph.weights is None else graph.weights.dtype


def _connected(graph: Graph, threads: int | None) -> tuple[npt.NDArray[np.bool_], npt.NDArray[Any]] | None:
    """Return the vertices that reach one of three and are reached by it, if they are most, and its distances to them."""
    n = graph.num_vertices
    for tried in {n // 2, n // 3, n - 1 - n // 4} if n else ():
        away = _distances(graph, tried, threads)
        inside = _reached(away)
        if not graph.is_symmetric:
            inside &= _reached(_distances(graph.reverse, tried, threads))
        if _may_overflow(graph) and not np.array_equal(inside, _linked(graph, tried)):
            return None  # a vertex at an infinite distance from here may lie on a path of finite length
        if 2 * int(np.count_nonzero(inside)) > n:
            return inside, away
    return None


def _linked(graph: Graph, vertex: int) -> npt.NDArray[np.bool_]:
    """Return who reaches a vertex and is reached by it, however long the ways are."""
    sides = (graph,) if graph.is_symmetric else (graph, graph.reverse)
    found = []
    for side in sides:
        hops = np.empty(side.num_vertices, dtype=np.int32)
        _core.bfs(side._native, None, _core.Question(np.array([vertex], dtype=np.int64)), hops)
        found.append(_reached(hops))
    return np.logical_and(found[0], found[-1])


def _may_overflow(graph: Graph) -> bool:
    """Whether a sum of weights may be infinite; a rounded sum is at most twice the true one."""
    if graph.is_integer:
        return False  # sssp raises
    most = float(np.finfo(_dtype(graph)).max)
    return float(graph.max_weight) > most / 4 / graph.num_vertices


def _reached(distances: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    limit = math.inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).max
    return np.asarray(distances != limit)


def _slack(graph: Graph, largest: float, quantum: float) -> int:
    """Return by how many quanta a bound may exceed what it bounds.

    Rounding down makes that one. A float sum of k weights is off by at most k half-units in the last place, relatively:
    so are the two distances of a bound, and the length of a path, which is at most twice the largest distance. Adding
    a label and a bound rounds once more. Together these doubts are less than k + 1 units in the last place of a path's
    length. Three times that are taken.
    """
    if graph.is_integer:
        return 1
    edges = min(graph.num_vertices, 2 * largest / graph.min_weight if graph.min_weight > 0 else math.inf)
    doubt = (edges + 8) * float(np.finfo(_dtype(graph)).eps)
    return 2 + math.ceil(6 * doubt * (largest / quantum)) if doubt < 0.01 else _MOST


LANDMARKS = Preparation(
    name="landmarks",
    serves=("route",),
    methods={"landmarks": "needed", "bidirectional": "instead"},
    suits=suits,
    estimate=estimate,
    make=make,
)

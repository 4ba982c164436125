"""Landmarks: distances from and to a few far vertices, by which :func:`steppe.route` goes straight for its target.

The search that uses them is in ``cpp/landmarks.hpp``; here they are chosen: each is the vertex furthest from all before
it, which puts them on the rim of a map, where they stand behind most targets (Goldberg and Harrelson 2005). All lie in
the largest strongly connected part that is found, and serve queries inside it.

Sixteen landmarks cost sixteen searches, thirty-two in a directed graph. ``route`` has them made when its queries on a
graph have cost twice that: if no more come, little is lost, and if many come, nearly all of them gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .sssp import sssp

if TYPE_CHECKING:
    from .graph import Graph

COUNT = 16
_MOST = 2**15 - 1


@dataclass(frozen=True, eq=False)
class Landmarks:
    """What ``_core.Router.use_landmarks`` takes.

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


def choose(graph: Graph) -> Landmarks | None:
    """Return landmarks for ``graph``, or None where they would be of no use.

    That is where less than half of the vertices can reach each other, or where distances in float32 are too uncertain.

    >>> import steppe as sp
    >>> marks = choose(sp.generate.grid(20, 30))
    >>> len(marks.vertices), marks.rows.shape
    (16, (600, 16))
    """
    part = _connected(graph)
    if part is None:
        return None
    inside, nearest = part
    both = not graph.is_symmetric
    found: list[int] = []
    away: list[npt.NDArray[Any]] = []  # distances from the landmarks, then to them
    back: list[npt.NDArray[Any]] = []
    for _ in range(COUNT):
        found.append(int(np.argmax(np.where(inside, nearest, -1))))
        away.append(_distances(graph, found[-1]))
        if both:
            back.append(_distances(graph.reverse, found[-1]))
        ways = away[-1] if not both else np.minimum(away[-1], back[-1])
        nearest = ways if len(found) == 1 else np.minimum(nearest, ways)
    largest = max(x[inside].max() for x in away + back).item()
    if not largest > 0:
        return None
    # The smallest power of two that leaves 15 bits of the largest distance.
    quantum = math.ldexp(1.0, math.frexp(largest / _MOST)[1])
    if graph.is_integer:
        quantum = max(quantum, 1.0)
    slack = _slack(graph, largest, quantum)
    if slack > _MOST // 8 or quantum * _MOST == math.inf:
        return None
    rows = np.empty((graph.num_vertices, len(away + back)), dtype=np.int16)
    for i, x in enumerate(away + back):
        units = np.where(inside, x, 0)
        units = (units >> int(math.log2(quantum)) if graph.is_integer else units // quantum).astype(np.int16)
        rows[:, i] = _MOST - units if both and i < COUNT else units
    rows[~inside] = -1
    return Landmarks(rows, quantum, slack, both, found)


def _distances(graph: Graph, vertex: int) -> npt.NDArray[Any]:
    return sssp(graph, graph.label(vertex), device="cpu").distances


def _connected(graph: Graph) -> tuple[npt.NDArray[np.bool_], npt.NDArray[Any]] | None:
    """Return the vertices that reach one of three and are reached by it, if they are most, and its distances to them."""
    n = graph.num_vertices
    for tried in {n // 2, n // 3, n - 1 - n // 4} if n else ():
        away = _distances(graph, tried)
        inside = _reached(away)
        if not graph.is_symmetric:
            inside &= _reached(_distances(graph.reverse, tried))
        if 2 * int(np.count_nonzero(inside)) > n:
            return inside, away
    return None


def _reached(distances: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    limit = math.inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).max
    return np.asarray(distances != limit)


def _slack(graph: Graph, largest: float, quantum: float) -> int:
    """Return by how many quanta a bound may exceed what it bounds.

    Rounding down makes that one. A float sum of k weights is off by at most k half-units in the last place, relatively;
    the two distances of a bound, the labels on the way and the bounds passed on from vertex to vertex are such sums,
    none larger than twice the largest distance. Their doubts add up to less than eight times that of the largest.
    """
    if graph.weights is None or graph.is_integer:
        return 1
    edges = min(graph.num_vertices, largest / graph.min_weight if graph.min_weight > 0 else math.inf)
    doubt = (edges + 8) * float(np.finfo(graph.weights.dtype).eps)
    return 2 + math.ceil(12 * doubt * largest / quantum) if doubt < 0.01 else _MOST

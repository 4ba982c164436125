"""Search and Answer: what a method is asked, and what it gives back, on the CPU and on every device.

Vertices are 0…n-1 here; labels belong to the public functions. A method is a function ``run(graph, search)`` (on a device
``run(device, graph, search)``) that returns an :class:`Answer` with the final distances: the dtype of
:func:`steppe.calls.verify.distance_dtype`, the sentinel where a vertex is not reached, nothing beyond ``search.bound``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..calls.verify import inclusive
from ..errors import GraphError
from ..machine import threads as _threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Search:
    """One question.

    Attributes
    ----------
    sources : ndarray of int64
        At least one vertex; distances are from the nearest.
    targets : ndarray of int64
        Vertices at which the search may stop when all are settled; empty: none.
    bound : int, float or None
        The inclusive cutoff in the type of the distances; None: none.
    delta : float or None
        Bucket width; None: chosen from the graph.
    record_paths : bool
        Whether predecessors are recorded during the search.
    threads : int
        Threads of the CPU it may use.
    progress : callable or None
        Called now and then with a count of edges relaxed so far; where edges come in parts, with a :class:`Streamed`.
    """

    sources: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    bound: int | float | None = None
    delta: float | None = None
    record_paths: bool = False
    threads: int = 1
    progress: Callable[[int], object] | None = None


class Streamed(int):
    """What `progress` is told of a search whose edges come in parts: edges relaxed so far, a plain number, and more.

    Attributes
    ----------
    parts, passes, bytes_copied : int
        As in :class:`~steppe.plan.explain.Explanation`, so far.

    Examples
    --------
    >>> told = Streamed(1200, parts=7, passes=2, bytes_copied=9600)
    >>> told + 1, told.passes
    (1201, 2)
    """

    parts: int
    passes: int
    bytes_copied: int

    def __new__(cls, relaxed: int, parts: int, passes: int, bytes_copied: int) -> Streamed:  # noqa: D102
        made = super().__new__(cls, relaxed)
        made.parts, made.passes, made.bytes_copied = parts, passes, bytes_copied
        return made


@dataclass(frozen=True)
class Answer:
    """What a method gives back: final arrays, and the fields of :class:`~steppe.plan.explain.Explanation` it knows."""

    distances: Array
    predecessors: Array | None = None
    explained: dict[str, Any] = field(default_factory=dict)


def make_search(
    graph: Graph,
    source: Any,
    dtype: np.dtype[Any],
    *,
    cutoff: float | None = None,
    targets: Any = None,
    delta: float | None = None,
    record_paths: bool = False,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Search:
    """Check a public call's options and turn labels into vertices."""
    if graph.num_vertices == 0:
        raise GraphError(f"vertex {source!r} is not in the graph: it has no vertices")
    if cutoff is not None and not cutoff >= 0:
        raise ValueError(f"cutoff must be a number and not negative: {cutoff!r}")
    if delta is not None and not (0 < delta < math.inf):
        raise ValueError(f"delta must be a positive number: {delta!r}")
    if targets is None:
        ends = np.empty(0, dtype=np.int64)
    else:
        ends = graph.indices_of(targets)
        if len(ends) == 0:
            raise ValueError("targets is empty: leave it out to search for every vertex")
    return Search(
        sources=np.array([graph.index(source)], dtype=np.int64),
        targets=ends,
        bound=None if cutoff is None else inclusive(cutoff, dtype),
        delta=delta,
        record_paths=record_paths,
        threads=_threads.resolve(threads, edges=graph.num_edges),
        progress=progress,
    )


def cut_at_targets(search: Search, answer: Answer) -> tuple[Search, Answer]:
    """Leave out what lies beyond the furthest target, so that the answer does not depend on how far the search went.

    When a target was not reached the search was complete, and nothing is cut.
    """
    if len(search.targets) == 0:
        return search, answer
    distances, predecessors = answer.distances, answer.predecessors
    sentinel = np.inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).max
    furthest = distances[search.targets].max()
    if furthest == sentinel:
        return search, answer
    beyond = distances > furthest
    distances[beyond] = sentinel
    if predecessors is not None:
        predecessors[beyond] = -1
    return replace(search, bound=furthest.item()), answer

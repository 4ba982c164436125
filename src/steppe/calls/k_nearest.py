"""The k nearest of several sources for every vertex, where each source may have an initial distance, and the proof of such an answer.

The search is ``cpp/matrix/nearest.hpp``. The proof looks at each edge once for every entry, that is, for every source of its tail: its head either
has an entry of that source, or k entries that come before. Entries of one source are a tree, so they are proven together as the distances of one
search: in a graph that has a vertex for each entry, and an edge wherever an entry leads to another of the same source.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..cpu import proof
from ..cpu.search import check_overflow
from ..errors import VerificationError
from ..graph.graph import Graph
from ..planning.call import Call
from ..planning.capabilities import name_edge, needs_no_negative
from ..planning.distance_types import distance_dtype, unreachable
from ..planning.explain import Explanation
from ..planning.question import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..planning.options import Options

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Found:
    """How an answer was found: the sources in the order given, each once, their initial distances, the cutoff; and what ``explain()`` says."""

    sources: npt.NDArray[np.int64]
    initial: Array
    bound: int | float | None
    explanation: Explanation


def find(
    graph: Graph,
    sources: npt.NDArray[np.int64],
    offsets: Any,
    k: int,
    options: Options,
) -> tuple[Array, npt.NDArray[np.int64], Found]:
    """Return distances and sources, a row of ``k`` for every vertex; a source that is given twice counts with its smaller offset."""
    begun = time.perf_counter()
    dtype = distance_dtype(graph)
    if graph.has_negative:
        raise name_edge(graph, needs_no_negative("nearest with offsets or k"))
    initial = np.zeros(len(sources), dtype=dtype) if offsets is None else _checked(offsets, len(sources), dtype)
    order = np.lexsort((np.arange(len(sources)), initial))
    kept = np.sort(order[np.unique(sources[order], return_index=True)[1]])
    sources, initial = sources[kept], np.ascontiguousarray(initial[kept])
    question = ask(graph, Call.NEAREST, sources, options)
    distances = np.empty((graph.num_vertices, k), dtype=dtype)
    numbers = np.empty((graph.num_vertices, k), dtype=np.int64)
    core = question.core(graph)
    check_overflow(_core.nearest_sources(graph._native, core, initial, k, distances.reshape(-1), numbers.reshape(-1)))
    reason = "several sources for a vertex, or initial distances: a search that settles vertices once for each source"
    explanation = Explanation(method="dijkstra", reason=reason, seconds=time.perf_counter() - begun)
    return (
        distances,
        np.where(numbers < 0, -1, sources[numbers]),
        Found(sources, initial, question.bound, explanation),
    )


def _checked(offsets: Any, count: int, dtype: np.dtype[Any]) -> Array:
    given = np.asarray(offsets)
    if given.shape != (count,):
        raise ValueError(f"offsets has shape {given.shape}, but there are {count:,} sources: one for each is wanted")
    if given.dtype.kind not in "iuf" or not (given >= 0).all() or (given.dtype.kind == "f" and np.isinf(given).any()):
        raise ValueError("offsets must be numbers, finite and not negative")
    with np.errstate(invalid="ignore", over="ignore"):
        initial = given.astype(dtype)
    if dtype.kind == "i" and (
        (initial != given).any() or (initial < 0).any() or (initial == np.iinfo(dtype).max).any()
    ):
        raise ValueError("distances of this graph are whole numbers of 64 bits: offsets must be, too")
    if dtype.kind == "f" and np.isinf(initial).any():
        raise ValueError(f"an offset does not fit in {dtype}")
    return initial


def check(graph: Graph, found: Found, distances: Array, source_index: Array, threads: int | None) -> None:
    """Prove an answer of :func:`find`, or raise :class:`VerificationError`."""
    n = graph.num_vertices
    entries = Entries(graph, found, distances.reshape(n, -1), source_index.reshape(n, -1))
    entries.check_rows()
    steps = [entries.from_sources(), *entries.along_edges()]
    tails, heads, weights = (np.concatenate(some) for some in zip(*steps, strict=True))
    k, root = entries.k, entries.k * n
    tree = Graph.from_edges(tails, heads, weights, num_vertices=root + 1)
    try:
        proof.check(
            tree, np.array([root]), np.append(entries.distances, np.zeros_like(distances, shape=1)), threads=threads
        )
    except VerificationError as error:
        vertex, entry = divmod(int(error.vertex), k)
        source, distance = graph.label(int(entries.sources[vertex, entry])), entries.distances[vertex, entry].item()
        entries.fail(np.array([vertex]), f"have a wrong distance: {distance} from {source!r}")


class Entries:
    """The rows of an answer: each has up to ``k`` entries, a distance and the rank of a source among those given."""

    def __init__(self, graph: Graph, found: Found, distances: Array, sources: npt.NDArray[np.int64]) -> None:
        self.graph, self.found, self.distances, self.sources = graph, found, distances, sources
        n, self.k = distances.shape
        self.none = len(found.sources)  # the rank of what is no source
        ranks = np.full(n + 1, self.none)
        ranks[found.sources] = np.arange(self.none)
        self.rank = ranks[np.where((sources < 0) | (sources >= n), n, sources)]
        self.there = self.rank < self.none
        self.far = unreachable(distances.dtype)
        self.bound = self.far if found.bound is None else found.bound

    def fail(self, vertices: npt.NDArray[np.int64], said: str) -> None:
        """Raise where there are such vertices."""
        if len(vertices):
            label = self.graph.label(int(vertices.min()))
            raise VerificationError(f"the sources of vertex {label!r} {said}", label)

    def check_rows(self) -> None:
        """Check that each row has sources that were given, each once, within the cutoff and in order."""
        d, rank, there = self.distances, self.rank, self.there
        rising = (d[:, :-1] < d[:, 1:]) | ((d[:, :-1] == d[:, 1:]) & (rank[:, :-1] < rank[:, 1:]))
        ordered = np.sort(rank, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] < self.none)
        for wrong, said in (
            ((d != self.far) != there, "do not fit their distances"),
            (there & (d > self.bound), "lie beyond the cutoff"),
            (there[:, 1:] & ~(there[:, :-1] & rising), "are not in order"),
            (twice, "have one of them twice"),
        ):
            self.fail(np.flatnonzero(wrong.any(axis=1)), said)

    def _leading_to(self, vertices: Any, distances: Any, ranks: Any) -> tuple[Any, Any]:
        """Return the entry of each vertex that is of the source with this rank, -1 for none; and where one is missing.

        None is missing where it lies beyond the cutoff, or ``k`` entries come before it: nearer ones, or as near and given earlier.
        """
        is_it = self.rank[vertices] == np.reshape(ranks, (-1, 1))
        at = np.where(is_it.any(axis=1), is_it.argmax(axis=1), -1)
        last, last_rank = self.distances[vertices, -1], self.rank[vertices, -1]
        is_full = (last < distances) | ((last == distances) & (last_rank < ranks))
        return at, (at < 0) & (distances <= self.bound) & ~((last_rank < self.none) & is_full)

    def from_sources(self) -> tuple[Array, Array, Array]:
        """Return an edge from the root to each source's own entry, as long as its initial distance."""
        v, initial = self.found.sources, self.found.initial
        at, missing = self._leading_to(v, initial, np.arange(self.none))
        self.fail(v[missing], "leave itself out")
        own = at >= 0
        self.fail(v[own][self.distances[v, at][own] > initial[own]], "have a wrong distance: it is nearer to itself")
        return np.full(int(own.sum()), self.k * len(self.rank)), (v * self.k + at)[own], initial[own]

    def along_edges(self) -> Iterator[tuple[Array, Array, Array]]:
        """Yield, for each column, an edge from every entry to those of the same source that the graph's edges lead to."""
        graph, k = self.graph, self.k
        tails = np.repeat(np.arange(len(self.rank)), graph.degrees)
        weights = np.ones(len(tails)) if graph.weights is None else graph.weights
        for i in range(k):
            e = np.flatnonzero(self.there[tails, i])
            tail, head, weight = tails[e], graph.indices[e].astype(np.int64), weights[e].astype(self.distances.dtype)
            with np.errstate(over="ignore"):
                sums = self.distances[tail, i] + weight
            if sums.dtype.kind == "i":
                sums[sums < 0] = self.far  # beyond 64 bits
            at, missing = self._leading_to(head, sums, self.rank[tail, i])
            if sums.dtype.kind == "f":
                missing &= sums < self.far  # what is infinite is no edge
            self.fail(head[missing], "leave out one that is as near")
            own = at >= 0
            yield (tail * k + i)[own], (head * k + at)[own], weight[own]

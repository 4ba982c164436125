"""Bellman-Ford on a device: frontier's rounds on keys with a sign, and a negative cycle where there is one.

A cycle appears in the predecessors (kernels/bellman_ford.c), which are recorded once the search has taken longer than most
searches take, and checked on the host whenever the number of rounds has doubled. The weights of a cycle are added up
exactly before it is reported: with floats, rounding alone may make a cycle of predecessors.

A path to a vertex within the cutoff may lead through vertices beyond it, so with negative weights the cutoff is applied at
the end.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from ...cpu import search
from ...errors import DistanceOverflowError, NegativeCycleError, SteppeError
from ...planning.question import Question
from ..keys import choices
from ..layout import Layout
from .frontier import LISTS, Rounds
from .work import BELOW, Work

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ...planning.question import Answer
    from ..device import Device

RECORD_FROM = 32  # rounds without predecessors

Array = npt.NDArray[Any]


def layout(n: int) -> Layout:
    """Return what Bellman-Ford takes beside frontier's arrays."""
    return Layout(("parents", n, np.int32, -1))


def run(device: Device, graph: Graph, question: Question) -> Answer:
    """Search from `question.sources` on a device, weights of any sign; see `steppe.planning.question`.

    Raises
    ------
    NegativeCycleError
        A cycle of negative length can be reached.
    DistanceOverflowError
        A distance does not fit in 64 bits.
    """
    with device.count() as counters:
        keys = choices(graph, signed=True)[0]
        inside = None if graph.has_negative else question.bound
        work = Work(device, graph, replace(question, bound=inside), keys, lists=LISTS)
        rounds = Rounds(work)
        program = work.program("bellman_ford")
        parents = layout(graph.num_vertices).allocate(device, work.spares).parents
        last = RECORD_FROM + graph.num_vertices + 1  # what still changes then changes for ever
        look_at = 2 * RECORD_FROM
        while True:
            for _ in range(min(rounds.batch.rounds, max(1, last - rounds.enqueued))):
                parity = rounds.enqueued % 2
                rounds.relax(parity)
                if rounds.enqueued >= RECORD_FROM:
                    device.launch(
                        program,
                        "parents",
                        rounds.batch.relaxing,
                        work.rows.indptr,
                        work.rows.indices,
                        work.weights,
                        work.dist,
                        work.predist,
                        *work.lists,
                        parents,
                        rounds.counts,
                        parity,
                        work.limit,
                    )
                rounds.commit(parity)
                rounds.enqueued += 1
            at_rest = rounds.read_state()
            if at_rest and not rounds.faults & BELOW:
                break
            if rounds.enqueued >= min(look_at, last) or rounds.faults & BELOW:
                look_at *= 2
                look_for_cycle(graph, device.download(parents))
                if rounds.faults & BELOW:
                    raise DistanceOverflowError("a distance falls below the range of 64 bits")
                if rounds.enqueued >= last:
                    refuse_endless(graph, question)
        edges, atomics = rounds.work_done()
        found = rounds.answer(counters, edges_relaxed=edges, edges_touched=edges, atomics=atomics)
        if question.bound is not None and question.result == "host":
            distances = found.distances
            distances[distances > question.bound] = np.inf if distances.dtype.kind == "f" else np.iinfo(np.int64).max
        return found


def look_for_cycle(graph: Graph, parents: Array) -> None:
    """Raise NegativeCycleError if the predecessors run in a circle of negative length."""
    for cycle in circles(parents):
        length = _length(graph, cycle)
        if length < 0:
            raise NegativeCycleError(
                f"a cycle of {len(cycle)} vertices has length {length}: there are no shortest paths",
                [graph.label(v) for v in cycle],
            )


def refuse_endless(graph: Graph, question: Question) -> NoReturn:
    """Raise for distances that still fall after as many rounds as a path has vertices at most.

    Then there is a cycle of negative length, or one that seems negative by rounding. The predecessors on the device did not show it: a vertex may
    have kept a predecessor older than its distance. So the CPU searches, which raises NegativeCycleError if there is one.
    """
    search.run(graph, Question(question.sources), "bellman-ford")
    raise SteppeError(
        "distances never come to rest on the device: rounding makes a cycle look negative whose length is not; "
        "use integer weights, or the CPU"
    )


def circles(parents: Array) -> list[list[int]]:
    """List the circles in an array of predecessors (-1: none), each in the order of its edges.

    Examples
    --------
    >>> circles(np.array([-1, 3, 1, 2, 0]))
    [[2, 3, 1]]
    """
    n = len(parents)
    # After 2^k >= n steps backwards one is at the end (n, a vertex that is its own predecessor) or in a circle.
    jump = np.append(np.where(parents < 0, n, parents), n)
    for _ in range(max(1, n.bit_length())):
        jump = jump[jump]
    found = []
    seen: set[int] = set()
    for v in np.unique(jump[jump < n]).tolist():
        if v not in seen:
            circle = [v]
            while (u := int(parents[circle[-1]])) != v:
                circle.append(u)
            seen.update(circle)
            found.append(circle[::-1])
    return found


def _length(graph: Graph, cycle: list[int]) -> int | float:
    """Add up a cycle's weights exactly, of parallel edges the least."""
    steps = []
    for u, v in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        row = slice(graph.indptr[u], graph.indptr[u + 1])
        steps.append(1 if graph.weights is None else graph.weights[row][graph.indices[row] == v].min().item())
    return sum(steps) if graph.is_integer else math.fsum(steps)

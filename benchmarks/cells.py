"""A cell of the table: one rival, one task, asked again and again; and how the cells of one graph are measured.

1. Every cell answers every source once and is checked against distances that steppe's ``verify`` has proven. A cell that is
   wrong is reported and never timed.
2. Then rounds: each round asks every source of every cell once, in an order that turns from round to round. So a change of
   the machine's mood hits all cells alike.
3. A slow cell takes part in fewer rounds (its budget of seconds), at least in two; steppe, SciPy and GAP always in all.

The clock sees the query and nothing else: not the building of graphs, not the conversion of answers. Wall time is
``perf_counter``, CPU time ``process_time`` (all threads). *Warm*: the graph was prepared before (``graph.prepare()`` where
there is one, and the queries of step 1). *Cold*: a graph made a moment ago from the same arrays, its first query.
"""

from __future__ import annotations

import gc
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import steppe as sp

from . import graphs, rivals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ALWAYS = ("steppe", "SciPy", "GAP")


@dataclass
class Cell:
    """One rival on one task."""

    rival: str
    task: str
    output: str
    threads: int
    state: str
    method: str
    note: str
    check: Callable[[int, Any, rivals.Array], None]
    ask: Callable[[int], Callable[[], Any]]  # outside the clock: returns what the clock sees
    timed: Callable[[int], tuple[float, float]] | None = None
    rounds: int = 0

    def describe(self) -> dict[str, Any]:
        """Return the fields that name the cell."""
        names = ("rival", "task", "output", "threads", "state", "method", "note")
        return {name: getattr(self, name) for name in names} | {"version": rivals.version(self.rival)}


def cells(
    graph: sp.Graph, task: str, output: str, threads: int, names: list[str], methods: list[str]
) -> Iterator[Cell]:
    """Yield the cells that exist for a question; steppe's once per method, and cold as well."""
    for name in names:
        if rivals.version(name) is None:
            continue
        if name != "steppe":
            query = rivals.RIVALS[name](graph, task, output, threads)
            if query is not None:
                yield _warm(name, task, output, threads, "", query)
            continue
        for method in methods:
            query = rivals.steppe(graph, task, output, threads, method=method)
            if query is None:
                continue
            yield _warm(name, task, output, threads, method, query)
            if method == "auto" and output == "distances":

                def ask(source: int, query_of: Callable[..., Any] = rivals.steppe) -> Callable[[], Any]:
                    own = query_of(graphs.fresh(graph), task, output, threads)
                    return lambda: own.run(source)

                yield Cell(name, task, output, threads, "cold", method, query.note, query.check, ask)


def _warm(name: str, task: str, output: str, threads: int, method: str, query: rivals.Query) -> Cell:
    def ask(source: int) -> Callable[[], Any]:
        return lambda: query.run(source)

    return Cell(name, task, output, threads, "warm", method, query.note, query.check, ask, query.timed)


def prepare(graph: sp.Graph) -> dict[str, float]:
    """Prepare a graph for many queries, where that is a thing; return what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    if hasattr(graph, "prepare"):
        graph.prepare()
    return {"prepare_cpu": time.process_time() - cpu, "prepare_wall": time.perf_counter() - wall}


def truths(graph: sp.Graph, task: str, sources: list[int]) -> dict[int, rivals.Array]:
    """Return proven distances from every source."""
    search = sp.sssp if task == "sssp" else sp.bfs
    proven = {source: search(graph, source).verify() for source in sources}
    return {source: rivals.as_floats(paths.distances, paths.unreachable) for source, paths in proven.items()}


def measure(cell: Cell, source: int) -> dict[str, Any]:
    """Ask once and return the times, and what steppe says of its work."""
    if cell.timed is not None:
        wall, cpu = cell.timed(source)
        return {"wall": None if np.isnan(wall) else wall, "cpu": None if np.isnan(cpu) else cpu}
    call = cell.ask(source)
    gc.disable()
    wall, cpu = time.perf_counter(), time.process_time()
    answer = call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    gc.enable()
    found: dict[str, Any] = {"wall": wall, "cpu": cpu}
    if isinstance(answer, sp.Paths):
        e = answer.explain()
        found |= {"ran": e.method, "delta": e.delta, "edges_touched": e.edges_touched, "edges_relaxed": e.edges_relaxed}
    return found


def run(
    table: list[Cell], truth: dict[str, dict[int, rivals.Array]], *, rounds: int, budget: float
) -> Iterator[dict[str, Any]]:
    """Check every cell, then measure in turn; yield one record per trial, or per failure."""
    right = []
    for cell in table:
        begun = time.perf_counter()
        try:
            for source, distances in truth[cell.task].items():
                cell.check(source, cell.ask(source)(), distances)
        except AssertionError as error:
            yield {"kind": "failure", **cell.describe(), "error": str(error)[:500]}
            continue
        each = max(time.perf_counter() - begun, 1e-9)
        cell.rounds = rounds if cell.rival in ALWAYS else max(min(2, rounds), min(rounds, int(budget / each)))
        right.append(cell)
    for trial in range(rounds):
        turn = trial * len(right) // max(rounds, 1)
        for source in truth[right[0].task] if right else ():
            for cell in right[turn:] + right[:turn]:
                if trial < cell.rounds:
                    load = round(os.getloadavg()[0], 2)
                    yield {
                        "kind": "trial",
                        **cell.describe(),
                        "source": source,
                        "trial": trial,
                        "load": load,
                        **measure(cell, source),
                    }

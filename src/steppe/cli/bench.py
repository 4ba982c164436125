"""``steppe bench``: how long the methods take on the user's own graph, and SciPy where it is installed.

Nothing is timed that has not been proved: every method's answer from every source passes :meth:`Paths.verify` first (which is also the
warm-up), and SciPy's must equal ours. Then the candidates take turns, source by source and round by round, so that whatever else the
computer does meets them all alike. For each source the least time counts, which says most about a method, and the median, which says more
about the day; both are then averaged over the sources.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from .. import bfs, gpu, sssp
from ..errors import GraphError
from ..machine import threads as _threads
from . import app as shared
from . import output
from .app import app, vertices
from .guard import Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
CPU = "auto, on the CPU"


@dataclass
class Candidate:
    """Something that is timed: ``search(source)``, source as 0…n-1. ``check(source)`` proves it: ours raises, theirs says what is wrong."""

    name: str
    threads: int
    search: Callable[[int], Any]
    check: Callable[[int], str]
    wrong: str = ""
    seconds: dict[int, list[float]] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """How often it was timed."""
        return sum(map(len, self.seconds.values()))

    @property
    def least(self) -> float:
        """Seconds: the least of each source, averaged."""
        return statistics.fmean(map(min, self.seconds.values()))

    @property
    def median(self) -> float:
        """Seconds: the median of each source, averaged."""
        return statistics.fmean(map(statistics.median, self.seconds.values()))

    def facts(self) -> dict[str, Any]:
        """Return what was measured, as numbers."""
        facts: dict[str, Any] = {"method": self.name, "threads": self.threads, "runs": self.runs}
        if self.wrong:
            return facts | {"wrong": self.wrong}
        return facts | {"least_seconds": self.least, "median_seconds": self.median}


@app.command()
def bench(
    *,
    file: shared.FileArgument,
    sources: Annotated[int, typer.Option(min=1, help="How many sources, drawn among the vertices with edges.")] = 3,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", "-s", metavar="LIST", help="These sources instead."),
        Names.LISTED,
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Rounds.")] = 5,
    budget: Annotated[float, typer.Option(help="Seconds for each candidate; it has one round at least.")] = 10.0,
    threads: shared.ThreadsOption = None,
    device: shared.DeviceOption = None,
    seed: Annotated[int, typer.Option(help="Names the sources drawn.")] = 0,
    reading: shared.Reading,
    as_json: shared.JsonOption = False,
) -> None:
    """Time our methods, and SciPy's where it is installed, on a graph of yours. Exit code 1 where a proof fails."""
    graph = reading.open(file)
    chosen = _draw(graph, sources, seed) if source is None else [graph.index(v) for v in vertices(graph, source)]
    candidates = _candidates(graph, device, _threads.resolve(threads))
    for candidate in candidates:
        problems = (candidate.check(s) for s in chosen)
        candidate.wrong = next((problem for problem in problems if problem), "")
    _take_turns([c for c in candidates if not c.wrong], chosen, repeat, budget)
    facts: dict[str, Any] = {"vertices": graph.num_vertices, "edges": graph.num_edges}
    facts["weights"] = "none" if graph.weights is None else str(graph.weights.dtype)
    facts["sources"] = [graph.label(s) for s in chosen]
    facts |= _winner(candidates)
    if as_json:
        output.show(facts | {"results": [c.facts() for c in candidates]}, as_json=True)
    else:
        output.show(facts, as_json=False)
        output.aligned(_table(graph, candidates))


def _draw(graph: Graph, count: int, seed: int) -> list[int]:
    """Return vertices that have edges; a source without any is answered at once and times nothing."""
    able = np.flatnonzero(graph.degrees)
    if not len(able):
        raise GraphError("the graph has no edges: there is nothing to time")
    drawn = np.random.default_rng(seed).choice(able, min(count, len(able)), replace=False)
    return [int(v) for v in drawn]


def _take_turns(candidates: list[Candidate], sources: list[int], repeat: int, budget: float) -> None:
    for turn in range(repeat):
        for s in sources:
            for candidate in candidates:
                if turn and sum(map(sum, candidate.seconds.values())) > budget:
                    continue
                begun = time.perf_counter()
                candidate.search(s)
                candidate.seconds.setdefault(s, []).append(time.perf_counter() - begun)


def _candidates(graph: Graph, device: str | None, threads: int) -> list[Candidate]:
    on_device = gpu.get_device(device) is not None
    teams = [1] if threads == 1 or on_device else [1, threads]
    found = [
        _ours(graph, method, device, team)
        for method in _methods(graph, on_device=on_device)
        for team in (teams if method in {"auto", "delta-stepping", "frontier", "bfs"} else [1])
    ]
    if on_device:  # and the same on the CPU, to say which wins
        cpu = _ours(graph, "auto", "cpu", threads)
        cpu.name = CPU
        found.append(cpu)
    if (theirs := _scipy(graph)) is not None:
        found.append(theirs)
    return found


def _winner(candidates: list[Candidate]) -> dict[str, str]:
    """Return which wins on this graph, the device or the CPU, where both were timed."""
    timed = [c for c in candidates if c.seconds and c.name in {"auto", CPU}]
    if len(timed) < 2 or CPU not in {c.name for c in timed}:
        return {}
    best = min(timed, key=lambda c: c.least)
    return {"wins": "the CPU" if best.name == CPU else "the device"}


def _methods(graph: Graph, *, on_device: bool) -> list[str]:
    if graph.has_negative:
        return ["bellman-ford", "bfs"]
    return ["auto", *([] if on_device else ["dijkstra"]), "delta-stepping", "frontier", "bfs"]


def _ours(graph: Graph, method: str, device: str | None, threads: int) -> Candidate:
    def search(source: int) -> Any:
        label = graph.label(source)
        if method == "bfs":
            return bfs(graph, label, device=device, threads=threads)
        return sssp(graph, label, method=method, device=device, threads=threads)

    def check(source: int) -> str:
        search(source).verify()  # raises VerificationError
        return ""

    return Candidate(method, threads, search, check)


def _scipy(graph: Graph) -> Candidate | None:
    """Return SciPy's search, with the graph in the form it likes best (float64 weights in rows), made outside the clock."""
    if graph.num_edges >= 1 << 31:
        return None
    try:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import bellman_ford, dijkstra
    except ImportError:
        return None
    n = graph.num_vertices
    parts = (
        (np.ones(graph.num_edges) if graph.weights is None else graph.weights.astype(np.float64)),
        graph.indices.copy(),
        graph.indptr.astype(np.int32),
    )
    matrix = csr_array(parts, shape=(n, n))
    method: Any = bellman_ford if graph.has_negative else dijkstra

    def search(source: int) -> Array:
        answer: Array = method(matrix, indices=source)
        return answer

    def check(source: int) -> str:
        ours = sssp(graph, graph.label(source))
        expected = np.where(ours.reachable, ours.distances.astype(np.float64), np.inf)
        same = np.allclose(search(source), expected, rtol=1e-5 if ours.distances.dtype == np.float32 else 1e-9)
        return "" if same else "its distances differ from the proven ones"

    return Candidate(f"SciPy {method.__name__.replace('_', '-')}", 1, search, check)


def _table(graph: Graph, candidates: list[Candidate]) -> list[list[str]]:
    """Return the table: times in milliseconds, edges of the whole graph per second, how much faster than SciPy."""
    theirs = next((c.least for c in candidates if c.name.startswith("SciPy") and c.seconds), None)
    rows = [["method", "threads", "runs", "least ms", "median ms", "M edges/s", *(["× SciPy"] if theirs else [])]]
    for c in candidates:
        if c.wrong:
            rows.append([c.name, str(c.threads), "0", c.wrong])
            continue
        numbers = [f"{1e3 * c.least:.2f}", f"{1e3 * c.median:.2f}", f"{graph.num_edges / c.least / 1e6:.1f}"]
        faster = [] if not theirs else ["" if c.name == "bfs" else f"{theirs / c.least:.1f}"]
        rows.append([c.name, str(c.threads), str(c.runs), *numbers, *faster])
    return rows

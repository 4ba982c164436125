"""``steppe tune``: measure on a device the sizes that suit it, and keep them for later searches."""

from __future__ import annotations

import math
import time
from typing import Annotated, Any

import numpy as np
import typer

from .. import Graph, generate, gpu, sssp
from ..errors import DeviceError, SteppeError
from ..gpu import tuning as kept
from . import app as shared
from . import output
from .app import app

CANDIDATES: dict[str, tuple[float, ...]] = {
    "narrow": (0, 256, 1024, 4096, 16384),
    "width": (4.0, 8.0, 16.0, 32.0),
    "block": (64, 128, 256, 512),
}

DEGREES = (4, 8, 16, 32, 64)
"""Edges a vertex of the graphs on which rounds are measured beside buckets."""

SIZES = 0.7
"""Share of the time for the candidates above; the rest is for rounds beside buckets."""

NEVER = 1 << 20
"""Edges a vertex that no graph has."""


@app.command()
def tune(
    device: Annotated[str, typer.Option(help="cuda, cuda:1, opencl or opencl:NAME.")],
    seconds: Annotated[
        float, typer.Option(min=1, help="Stop measuring after this long; what is best so far is kept.")
    ] = 60,
    scale: Annotated[int, typer.Option(min=6, max=24, help="Graphs of about 2^scale vertices.")] = 16,
    forget: Annotated[bool, typer.Option("--forget", help="Forget what was measured on this device.")] = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Measure which sizes suit a device, and keep them in the cache folder. Answers stay the same; every one measured is compared with the CPU's."""
    chosen = gpu.get_device(device)
    if chosen is None:
        raise DeviceError("the CPU has nothing to tune: give cuda or opencl")
    if forget:
        kept.store(chosen.info, {})
        chosen.tuning = {}
        output.show({"device": chosen.info.description, "forgotten": str(kept.path())}, as_json=as_json)
        return
    graphs = _graphs(scale)
    right = {name: sssp(graph, source, device="cpu").distances for name, (graph, source) in graphs.items()}
    begun = time.perf_counter()
    chosen.tuning = {}
    before = best = _measure(chosen, graphs, right, {})
    found: dict[str, float] = {}
    for name, values in CANDIDATES.items():
        for value in values:
            if time.perf_counter() > begun + SIZES * seconds:
                break
            taken = _measure(chosen, graphs, right, found | {name: value})
            if _mean(taken) < 0.98 * _mean(best):  # not for the noise of a day
                best, found = taken, found | {name: value}
    chosen.tuning = found
    times = _rounds_and_buckets(chosen, scale, begun + seconds)
    if len(times) == len(DEGREES):  # of a part of them nothing follows for the others
        found |= {"frontier_from": _threshold(times)}
        chosen.tuning = found
    kept.store(chosen.info, found)
    rows: list[dict[str, Any]] = [
        {
            "graph": name,
            "cpu_ms": round(_milliseconds(graph, source, right[name], "the CPU gives two answers", "cpu"), 2),
            "before_ms": round(before[name], 2),
            "ms": round(best[name], 2),
        }
        for name, (graph, source) in graphs.items()
    ]
    for row in rows:
        row["wins"] = "cpu" if row["cpu_ms"] <= row["ms"] else "device"
    facts: dict[str, Any] = {"device": chosen.info.description, "kept_in": str(kept.path()), **found}
    if as_json:
        output.show(facts | {"graphs": rows}, as_json=True)
    else:
        output.show(facts, as_json=False)
        output.aligned([list(rows[0]), *[[str(cell) for cell in row.values()] for row in rows]])


def _graphs(scale: int) -> dict[str, tuple[Graph, int]]:
    n = 1 << scale
    side = math.isqrt(n)
    made = {
        "road": generate.road(n, seed=1),
        "grid": generate.grid(side, side, weights=(1, 1000), seed=1),
        "random": generate.random(n, 16 * n, seed=1),
        "rmat": generate.rmat(scale, seed=1),
    }
    return {name: (graph, int(np.argmax(graph.degrees))) for name, graph in made.items()}


def _measure(
    device: gpu.Device, graphs: dict[str, Any], right: dict[str, Any], tuning: dict[str, float]
) -> dict[str, float]:
    """Return milliseconds for each graph; a wrong answer is an error."""
    device.tuning = dict(tuning)
    return {
        name: _milliseconds(graph, source, right[name], f"{name}: wrong distances with {tuning}", device.info.name)
        for name, (graph, source) in graphs.items()
    }


def _milliseconds(graph: Graph, source: int, right: Any, wrong: str, device: str, **options: Any) -> float:
    """Return the least milliseconds of two searches, after one that compiles; raise where distances are not the right ones."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        found = sssp(graph, source, device=device, **options)
        times.append(1e3 * (time.perf_counter() - begun))
        if not np.array_equal(found.distances, right):
            raise SteppeError(f"{wrong}: please report this")
    return min(times[1:])


def _rounds_and_buckets(device: gpu.Device, scale: int, until: float) -> dict[int, tuple[float, float]]:
    """Return milliseconds by rounds and by buckets, for each number of edges a vertex; a wrong answer is an error.

    There are three graphs of each: random, R-MAT, and a lattice, in which rounds relax edges over and over. All have about as many edges.
    """
    taken: dict[int, tuple[float, float]] = {}
    for degree in DEGREES:
        if time.perf_counter() > until:
            break
        n = max(2, 16 * 2**scale // degree)
        kinds = (
            generate.random(n, degree * n, seed=1),
            generate.rmat(n.bit_length() - 1, edge_factor=degree, directed=True, simple=False, seed=1),
            _lattice(n, degree),
        )
        graphs = {graph: int(np.argmax(graph.degrees)) for graph in kinds}
        both = []
        for method in ("frontier", "delta-stepping"):
            logs = 0.0
            for graph, source in graphs.items():
                right = sssp(graph, source, device="cpu").distances
                wrong = f"{degree} edges a vertex: wrong distances by {method}"
                taken_ms = _milliseconds(graph, source, right, wrong, device.info.name, method=method)
                logs += math.log(max(taken_ms, 1e-6))
            both.append(math.exp(logs / len(graphs)))
        taken[degree] = both[0], both[1]
    return taken


def _lattice(n: int, degree: int) -> Graph:
    """Return a square of vertices, each with edges to those around it, the nearest ones."""
    side, reach = math.isqrt(n), math.isqrt(degree)
    around = [(dy, dx) for dy in range(-reach, reach + 1) for dx in range(-reach, reach + 1) if (dy, dx) != (0, 0)]
    around.sort(key=lambda step: step[0] ** 2 + step[1] ** 2)
    y, x = np.divmod(np.arange(side * side), side)
    edges = []
    for dy, dx in around[:degree]:
        inside = (y + dy >= 0) & (y + dy < side) & (x + dx >= 0) & (x + dx < side)
        tails = np.flatnonzero(inside)
        edges.append((tails, tails + dy * side + dx))
    tails, heads = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    weights = np.random.default_rng(1).integers(1, 256, len(tails))
    return Graph.from_edges(tails, heads, weights, num_vertices=side * side)


def _threshold(taken: dict[int, tuple[float, float]]) -> int:
    """Return from how many edges a vertex rounds should be taken, so that the geometric mean of all times is least.

    Examples
    --------
    >>> _threshold({4: (9.0, 3.0), 8: (5.0, 4.0), 16: (2.0, 3.0), 32: (1.0, 3.0)})
    16
    >>> _threshold({4: (9.0, 3.0), 8: (5.0, 4.0)}) == NEVER
    True
    """

    def cost(threshold: int) -> float:
        return sum(math.log(rounds if degree >= threshold else buckets) for degree, (rounds, buckets) in taken.items())

    return min((NEVER, *sorted(taken, reverse=True)), key=cost)  # of equals the one that changes least


def _mean(taken: dict[str, float]) -> float:
    """Return the geometric mean, in which every graph counts alike."""
    return math.exp(sum(math.log(max(value, 1e-6)) for value in taken.values()) / len(taken))

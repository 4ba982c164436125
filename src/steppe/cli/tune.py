"""``steppe tune``: measure on a device the sizes that suit it, and keep them for later searches."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .. import generate, gpu, sssp
from ..errors import DeviceError, SteppeError
from ..gpu import tuning as kept
from . import app as shared
from . import output
from .app import app

if TYPE_CHECKING:
    from ..graph.graph import Graph

CANDIDATES: dict[str, tuple[float, ...]] = {
    "narrow": (0, 256, 1024, 4096, 16384),
    "width": (4.0, 8.0, 16.0, 32.0),
    "block": (64, 128, 256, 512),
}


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
    until = time.perf_counter() + seconds
    chosen.tuning = {}
    before = best = _measure(chosen, graphs, right, {})
    found: dict[str, float] = {}
    for name, values in CANDIDATES.items():
        for value in values:
            if time.perf_counter() > until:
                break
            taken = _measure(chosen, graphs, right, found | {name: value})
            if _mean(taken) < 0.98 * _mean(best):  # not for the noise of a day
                best, found = taken, found | {name: value}
    chosen.tuning = found
    kept.store(chosen.info, found)
    rows: list[dict[str, Any]] = [
        {
            "graph": name,
            "cpu_ms": round(_cpu(graph, source), 2),
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
    """Return milliseconds for each graph, the least of two after one that compiles; a wrong answer is an error."""
    device.tuning = dict(tuning)
    taken = {}
    for name, (graph, source) in graphs.items():
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            found = sssp(graph, source, device=device.info.name)
            times.append(1e3 * (time.perf_counter() - begun))
            if not np.array_equal(found.distances, right[name]):
                raise SteppeError(f"{name}: wrong distances with {tuning}: please report this")
        taken[name] = min(times[1:])
    return taken


def _mean(taken: dict[str, float]) -> float:
    """Return the geometric mean, in which every graph counts alike."""
    return math.exp(sum(math.log(max(value, 1e-6)) for value in taken.values()) / len(taken))


def _cpu(graph: Graph, source: int) -> float:
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        sssp(graph, source, device="cpu")
        times.append(1e3 * (time.perf_counter() - begun))
    return min(times)

"""The commands that search from one vertex, and the one that proves: ``sssp``, ``bfs``, ``verify``, ``devices``."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .. import bfs as _bfs
from .. import devices as _devices
from .. import sssp as _sssp
from ..cpu.proof import check
from ..errors import FormatError
from ..planning.progress import Bar
from . import app as shared
from . import output
from .app import app, vertex, vertices
from .guard import Names

if TYPE_CHECKING:
    from ..paths import Paths


@dataclasses.dataclass(frozen=True)
class Searching:
    """The options of commands that search from one vertex."""

    device: shared.DeviceOption = None
    cutoff: shared.CutoffOption = None
    target: shared.TargetsOption = None
    threads: shared.ThreadsOption = None
    record_paths: shared.RecordOption = False
    memory_limit: shared.MemoryOption = None
    verify: shared.VerifyOption = False


@app.command()
def sssp(
    *,
    file: shared.FileArgument,
    source: shared.SourceOption,
    method: Annotated[
        str, typer.Option(help="auto, dijkstra, delta-stepping, bellman-ford, frontier or bfs.", metavar="NAME")
    ] = "auto",
    delta: Annotated[Any, typer.Option(parser=shared.number, metavar="NUMBER", help="Bucket width.")] = None,
    searching: Searching,
    reading: shared.Reading,
    save: shared.OutputOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Find the shortest paths from one vertex to all others."""
    _search(_sssp, file, source, searching, reading, save, as_json, method=method, delta=delta)


@app.command()
def bfs(
    *,
    file: shared.FileArgument,
    source: shared.SourceOption,
    searching: Searching,
    reading: shared.Reading,
    save: shared.OutputOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Count the fewest edges from one vertex to all others; weights do not matter."""
    _search(_bfs, file, source, searching, reading, save, as_json)


@app.command()
def verify(
    *,
    file: shared.FileArgument,
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="What `sssp -o` or `bfs -o` saved: .npy or .npz."), Names.READ
    ],
    source: shared.SourceOption,
    cutoff: shared.CutoffOption = None,
    threads: shared.ThreadsOption = None,
    reading: shared.Reading,
    as_json: shared.JsonOption = False,
) -> None:
    """Prove that a saved answer is right, or say where it is wrong (exit code 1). Distances of type int32 count edges."""
    distances, predecessors = _answer(answer)
    graph = reading.open(file)
    start = time.perf_counter()
    check(
        graph,
        np.array([graph.index(vertex(graph, source))], dtype=np.int64),
        distances,
        predecessors=predecessors,
        bound=cutoff,
        hops=distances.dtype == np.int32,
        threads=threads,
    )
    proof = "distances" if predecessors is None else "distances and predecessors"
    facts = {"verified": True, "proven": proof, "vertices": len(distances), "seconds": time.perf_counter() - start}
    output.show(facts, as_json=as_json)


@app.command()
def devices(as_json: shared.JsonOption = False) -> None:
    """List the devices found and, for what is absent, why and what to install."""
    infos = _devices()
    if as_json:
        output.show({"devices": [dataclasses.asdict(info) for info in infos]}, as_json=True)
        return
    output.show({i.name: i.description if i.available else f"not available: {i.reason}" for i in infos}, as_json=False)


def _answer(file: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    if Path(file).suffix not in (".npy", ".npz") and Path(file).exists():
        raise FormatError("an answer is proved from .npy or .npz, as `steppe sssp … -o answer.npy` saves it", file=file)
    try:
        if Path(file).suffix == ".npz":
            with np.load(file, allow_pickle=False) as arrays:
                return arrays["distances"], arrays.get("predecessors")
        distances = np.load(file, allow_pickle=False)
    except (ValueError, KeyError, EOFError) as error:
        raise FormatError(f"not an answer saved as .npy or .npz ({error})", file=file) from None
    if not isinstance(distances, np.ndarray):
        raise FormatError("not a single array; an .npz answer must be called .npz", file=file)
    return distances, None


def _search(
    call: Any,
    file: str,
    source: str,
    searching: Searching,
    reading: shared.Reading,
    save: str | None,
    as_json: bool,
    **method: Any,
) -> None:
    """Search; then prove (before anything is saved or printed), save and print."""
    start = time.perf_counter()
    graph = reading.open(file)
    read_seconds = time.perf_counter() - start
    options = dataclasses.asdict(searching) | method
    verify, texts, record_paths = options.pop("verify"), options.pop("target"), searching.record_paths
    targets = vertices(graph, texts) if texts else None
    with Bar() as bar:
        paths: Paths = call(graph, vertex(graph, source), targets=targets, progress=bar, **options)
    how = paths.explain()
    facts: dict[str, Any] = {"vertices": graph.num_vertices, "edges": graph.num_edges, **output.summary(paths)}
    for label in targets or []:
        reached = bool(paths.reachable[graph.index(label)])
        facts[f"distance_to_{label}"] = paths.distance(label) if reached else ("unreachable" if not as_json else None)
    if verify:
        start = time.perf_counter()
        paths.verify()
        facts |= {"verified": True, "verify_seconds": round(time.perf_counter() - start, 4)}
    if save is not None:
        output.save(paths, save, predecessors=record_paths)
    facts |= {name: getattr(how, name) for name in ("method", "reason", "note", "device", "threads")}
    if how.parts:
        facts |= {"parts": how.parts, "passes": how.passes, "bytes_copied": how.bytes_copied}
        facts |= {"bytes_skipped": how.bytes_skipped, "peak_bytes": how.peak_bytes}
        facts["copy_share"] = round(how.copy_share, 4)
    facts |= {"read_seconds": round(read_seconds, 4), "seconds": round(how.seconds, 4)}
    if as_json:
        facts["explain"] = dataclasses.asdict(how)
    output.show(facts, as_json=as_json, error=save == "-")

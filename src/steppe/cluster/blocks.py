"""Rows of a matrix as tasks of a cluster, a block of sources each.

A graph that is mapped from a file is opened by every process of the cluster that gets a task, from the same file: nothing is sent. Any other graph
goes into Ray's store once, where the processes of a node share it. A process keeps the last graph that it had.

Blocks are yielded as they come, and the caller stores each (``files/matrix_folder.py``: in one step, with its digest). So a node that is lost
loses only the blocks that it had not finished, and Ray computes those elsewhere; a block is stored whole or not at all, however often it was
computed. Only as many blocks are under way as workers can have soon, so few blocks wait to be stored.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..cpu import many
from ..files import read
from ..graph.proof import FileRows
from ..planning.distance_types import distance_dtype
from .cpu_holders import cpu_holders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph
    from ..planning.question import Question
    from .engine import Ray

Array = npt.NDArray[Any]
AHEAD = 2
"""Blocks under way for each CPU: one that is computed and one that waits."""

_kept: dict[Any, Graph] = {}


def rows_of(
    engine: Ray, graph: Graph, question: Question, method: str, columns: Array | None, step: int
) -> Iterator[tuple[int, Array]]:
    """Yield (first row, rows) of all the question's sources, ``step`` at a time, in whatever order they are done."""
    ray = engine.connect()
    with cpu_holders.matrix():
        yield from _blocks(ray, engine, graph, question, method, columns, step)


def _blocks(
    ray: Any, engine: Ray, graph: Graph, question: Question, method: str, columns: Array | None, step: int
) -> Iterator[tuple[int, Array]]:
    file = _file_of(graph)
    shared = ray.put(graph) if file is None else None
    task = ray.remote(max_retries=-1, num_cpus=engine.cpus, scheduling_strategy="SPREAD")(_rows)
    sources, hear = question.sources, question.progress
    wanted = (question.bound, question.delta, method, columns)
    begins = iter(range(0, len(sources), step))
    cpus = engine.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    wanted_cpus = min(cpus, -(-len(sources) // step)) * engine.cpus
    cpu_holders.make_room(wanted_cpus, ray.available_resources().get("CPU", 0))
    done = 0
    under_way: dict[Any, int] = {}
    try:
        while True:
            while len(under_way) < AHEAD * cpus and (begin := next(begins, None)) is not None:
                ref = task.remote(shared, file, sources[begin : begin + step], *wanted, engine._trace)
                under_way[ref] = begin
            if not under_way:
                return
            (ref, *_), _ = ray.wait(list(under_way), num_returns=1)
            begin = under_way.pop(ref)
            try:
                rows = ray.get(ref)
            except ray.exceptions.RayTaskError as error:
                raise error.cause if isinstance(error.cause, Exception) else error from None
            done += len(rows)
            if hear is not None:
                hear(done)
            yield begin, rows
            del ref, rows
    finally:
        for ref in under_way:
            ray.cancel(ref, force=False)


def _file_of(graph: Graph) -> tuple[str, int, int] | None:
    """Return the file that a graph is mapped from, its size and time; None: there is none that others could open."""
    claim = graph._claim
    if not graph.is_mapped or not isinstance(claim, FileRows):
        return None
    path = Path(claim._file).resolve()
    found = path.stat()
    return str(path), found.st_size, found.st_mtime_ns


def _rows(
    graph: Graph | None,
    file: tuple[str, int, int] | None,
    sources: npt.NDArray[np.int64],
    bound: float | None,
    delta: float | None,
    method: str,
    columns: Array | None,
    trace: str | None,
) -> Array:
    """Compute a block: what a task does."""
    from ..planning.question import Question

    if file is not None:
        if file not in _kept:
            found = Path(file[0]).stat()
            if (found.st_size, found.st_mtime_ns) != file[1:]:
                raise OSError(
                    f"{file[0]} is another file here: a graph that is mapped must be the same for all workers"
                )
            _kept.clear()
            _kept[file] = read(file[0])
        graph = _kept[file]
    assert graph is not None  # noqa: S101 - a file or a graph
    if trace is not None:
        _note(trace, int(sources[0]), "begun")
    width = graph.num_vertices if columns is None else len(columns)
    into = np.empty((len(sources), width), dtype=distance_dtype(graph))
    if into.size:
        question = Question(sources=np.array(sources), bound=bound, delta=delta, threads=1)
        many.run(graph, question, method, None if columns is None else np.array(columns), into)
    if trace is not None:
        _note(trace, int(sources[0]), "done")
    return into


def _note(trace: str, first: int, what: str) -> None:
    import os

    import ray

    (Path(trace) / f"{first}-{what}-{ray.get_runtime_context().get_node_id()}-{os.getpid()}").touch()

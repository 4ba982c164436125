"""Reads one file and judges what happens: a graph that can be searched, or a FormatError that names the file; nothing else.

Limits for reading: ``64 x the file + 64 MiB`` of address space more than before (a failed allocation beyond that shows as MemoryError) and
a second of CPU time. Searches and writing may take what the graph needs.
"""

import os
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

import steppe as sp

try:
    import resource
except ImportError:
    resource = None

SECOND = 1.0
FACTOR, ROOM = 64, 64 << 20
SEARCHED = 1 << 16
"""Vertices up to which a graph is searched: a header may promise a million that have no edge."""


def _address_space():
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - once for each case
        return int(file.read().split(None, 1)[0]) * os.sysconf("SC_PAGE_SIZE")


class Limit:
    """Bounds the address space within ``with``; without a bound where the system has none to offer."""

    def __init__(self, size):
        self.size = size

    def __enter__(self):
        if resource is not None and Path("/proc/self/statm").exists():
            resource.setrlimit(
                resource.RLIMIT_AS, (_address_space() + FACTOR * self.size + ROOM, resource.RLIM_INFINITY)
            )

    def __exit__(self, *_):
        if resource is not None:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def judge(folder, file, *, directed=None, deep=True):
    """Return ``"graph"``, ``"refused"``, or in a longer sentence what is wrong."""
    path = Path(folder, file.name)
    path.write_bytes(file.data)
    if file.beside is not None:
        path.with_suffix(".v").write_bytes(file.beside)
    started = time.process_time()
    try:
        with Limit(len(file.data) + len(file.beside or b"")), warnings.catch_warnings():
            warnings.simplefilter("error")
            graph = sp.read(path, directed=directed)
    except sp.FormatError as error:
        if not error.file:
            return f"a FormatError without a file: {error}"
        graph = None
    except Exception as error:
        return f"read: {_words(error)}"
    spent = time.process_time() - started
    if spent > SECOND:
        return f"hang: {spent:.1f} s of CPU time to read {len(file.data)} bytes"
    if graph is None:
        return "refused"
    try:
        try:
            wrong = _search(graph)
        except sp.FormatError:  # the rows of a mapped file are looked at when they are first asked for
            return "refused"
        return wrong or (_round_trip(folder, graph, file.name) if deep else None) or "graph"
    except Exception as error:
        return f"graph: {_words(error)}"


def _words(error):
    """The error in a line, with the innermost place of steppe's that it went through."""
    steps = [s for s in traceback.extract_tb(error.__traceback__) if f"{os.sep}steppe{os.sep}" in s.filename]
    place = f" in {Path(steps[-1].filename).name}:{steps[-1].name}" if steps else ""
    return f"{type(error).__name__}{place}: {' '.join(str(error).split())[:150]}"


def _search(graph):
    n, m = graph.num_vertices, graph.num_edges
    if len(graph.indptr) != n + 1 or len(graph.indices) != m or (graph.weights is not None and len(graph.weights) != m):
        return "graph: its arrays do not fit its size"
    if graph.labels is not None and len(graph.labels) != n:
        return "graph: as many labels as vertices"
    repr(graph)
    if not n or n > SEARCHED:
        return None
    source = graph.label(0)
    for search in (sp.bfs, sp.sssp):
        try:
            paths = search(graph, source)
        except (sp.NegativeWeightError, sp.NegativeCycleError, sp.DistanceOverflowError):
            continue
        paths.verify()
        if paths.distance(source) != 0 or not paths.reachable[0]:
            return f"graph: {search.__name__} does not reach its source"
    return None


def _parts(graph):
    """Offsets, targets, weights and labels; edges of a vertex in the order of target and weight, for a format may keep no other."""
    weights = None if graph.weights is None else graph.weights + graph.weights.dtype.type(0)  # -0.0 is 0.0
    keys = (graph.indices, np.repeat(np.arange(graph.num_vertices), graph.degrees))
    order = np.lexsort(keys if weights is None else (weights, *keys))
    return graph.indptr, graph.indices[order], None if weights is None else weights[order], graph.labels


def _round_trip(folder, graph, name):
    """What was written must be read again, the same; a format may refuse a graph that it cannot keep."""
    for suffix in (
        ".steppe",
        Path(name.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz").removesuffix(".zst")).suffix,
    ):
        path = Path(folder, "again" + suffix)
        try:
            sp.write(graph, path)
        except sp.SteppeError:
            continue
        back = sp.read(path)
        for part, a, b in zip(("indptr", "indices", "weights", "labels"), _parts(graph), _parts(back), strict=True):
            if (a is None) != (b is None) or (a is not None and not np.array_equal(a, b)):
                return f"graph: {part} differ after writing {suffix} and reading it again"
        if back.directed != graph.directed:
            return f"graph: directed differs after writing {suffix} and reading it again"
    return None

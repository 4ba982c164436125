"""Asks steppe a question of the searches and compares: every bit of the answer, the proof, the tree; and damages answers to see them refused."""

import os
import shutil
from pathlib import Path

import numpy as np

import steppe as sp
from steppe.planning import blocks, plan
from steppe.prepared import packed

from . import expect, roundtrip
from .attempt import attempt, options_of
from .expect import array
from .look import Wrong, check_cycle, check_path, look, same

THRESHOLDS = {
    (module, name): getattr(module, name)
    for module, names in (
        (plan, ("EDGES_PER_THREAD", "SPARSE_EDGES_PER_THREAD")),
        (blocks, ("BLOCKS_FROM", "BLOCKS_DEGREE")),
    )
    for name in names
}
"""Sizes below which a search takes one thread, whatever it was given, and from which on it goes by blocks."""
COST = packed.searches


def set_eager(eager, blocks=False):
    """Let small searches use all the threads they are given and prepare soon, or go by blocks, where steppe has such thresholds."""
    for (module, name), value in THRESHOLDS.items():
        least = 1 if module is plan else 0  # a number of edges is divided by that
        setattr(module, name, least if (eager if module is plan else blocks) else value)
    packed.searches = (lambda facts: 1) if eager else COST  # the second search prepares
    os.environ["STEPPE_NUM_THREADS"] = "" if eager else "1"  # where none are given: all, or one, which is quicker here


def one(case, truth, graph, question, folder):
    """Ask one question; raise where the answer is not right."""
    call = question["call"]
    if call == "roundtrip":
        roundtrip.check(case, truth, graph, question, folder)
    elif call == "route":
        for _ in range(question["again"]):
            _route(case, truth, graph, question)
    elif call in ("distances", "all_pairs"):
        _matrix(case, truth, graph, question, folder)
    else:
        _search(case, truth, graph, question)


def _search(case, truth, graph, question):
    call = question["call"]
    hops = call == "bfs"
    starts = sorted(set(question["sources"])) if call == "nearest" else [question["source"]]
    expected = expect.searched(truth, question, starts, hops)
    given = options_of(question, "method", "device", "threads", "cutoff", "record_paths", "memory_limit", "delta")
    if "targets" in question:
        given["targets"] = case.named(question["targets"])
    if call == "nearest":
        function = lambda: sp.nearest(graph, case.named(question["sources"]), **given)  # noqa: E731
    else:
        function = lambda: getattr(sp, call)(graph, case.label(question["source"]), **given)  # noqa: E731
    try:
        answer, error = attempt(function, expected)
    except sp.DeviceMemoryError as full:
        if given.get("memory_limit") != 1000:
            raise
        if question.get("device") == "opencl":
            return
        if not full.needed > 1000:
            raise Wrong(f"refused 1000 bytes, but needs {full.needed}") from full
        given["memory_limit"] = full.needed  # what it says is enough must be enough
        answer, error = attempt(function, expected)
    if error:
        if error == "NegativeCycleError":
            check_cycle(case, truth, answer)
        return
    paths = answer.paths if call == "nearest" else answer
    row = expected.rows[0]
    same(answer.distances, array([row], np.int32 if hops else case.distance_dtype)[0], "distances")
    str(paths.explain())
    answer.verify(threads=question.get("threads"))
    if call == "nearest":
        tree = truth.tree(starts, row)
        roots = list(range(truth.n))
        for v in range(truth.n):
            while tree[roots[v]] >= 0:
                roots[v] = tree[roots[v]]
        right = np.array([v if d is not None else -1 for v, d in zip(roots, row, strict=True)])
        same(answer.source_index, right, "sources")
    look(case, truth, paths, question, starts, row, hops)


def _route(case, truth, graph, question):
    s, t = question["source"], question["target"]
    if truth.has_negative:
        expected = expect.Expected(must=("NegativeWeightError",))
    else:
        d = truth.distances([s])[t]
        over = case.is_integer and d is not None and d > expect.LARGEST
        expected = expect.Expected([[d]], must=("DistanceOverflowError",) if over else ())
    answer, error = attempt(lambda: sp.route(graph, case.label(s), case.label(t)), expected)
    if error:
        return
    answer.verify()
    right = d if d is not None else expect.UNREACHABLE if case.is_integer else float("inf")
    if answer.distance != right or type(answer.distance) is not type(right) or answer.reachable != (d is not None):
        raise Wrong(f"route: distance {answer.distance!r}, right is {right!r}")
    if d is not None:
        check_path(case, truth, answer.vertices.tolist(), t, [s], truth.distances([s]), False)


def _matrix(case, truth, graph, question, folder):
    call = question["call"]
    sources = range(truth.n) if call == "all_pairs" else question["sources"]
    expected = expect.matrix(truth, question, sources)
    given = options_of(question, "method", "device", "threads", "cutoff", "sparse", "dtype", "memory_limit")
    if question.get("out"):
        place = Path(folder, "out")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        given["out"] = place / "matrix.npy"
    if call == "all_pairs":
        function = lambda: sp.all_pairs(graph, **given)  # noqa: E731
    else:
        columns = None if "targets" not in question else case.named(question["targets"])
        function = lambda: sp.distances(graph, case.named(sources), columns, **given)  # noqa: E731
    answer, error = attempt(function, expected)
    if error:
        return None
    stored = question.get("dtype") or case.distance_dtype
    width = len(question["targets"]) if "targets" in question else truth.n
    right = array(expected.rows, stored).reshape(len(sources), width)
    if not question.get("sparse"):
        return same(np.asarray(answer), right, call)
    dense = np.full(right.shape, array([[None]], stored)[0, 0], dtype=answer.dtype)
    row = np.repeat(np.arange(right.shape[0]), np.diff(answer.indptr))
    dense[row, answer.indices] = answer.data
    same(dense, right, call)
    if answer.nnz != sum(d is not None for each in expected.rows for d in each):
        raise Wrong(f"{answer.nnz} entries are stored")
    return None

"""Check searches from many sources on a given device, by edge sweeps or by buckets, against the oracle.

Plain functions, as in words.py: they run in pytest on PoCL or a GPU, under Oclgrind and on the stand-in CUDA driver.
"""

from contextlib import contextmanager

import numpy as np

import answers
import graphs
import protocol
import steppe as sp
from steppe.gpu.loops import edge

TYPES = [None, *answers.TYPES]
METHOD = edge  # or many: all checks are for both


def matrix(n, edges, dtype, sources):
    """The right rows, by the oracle."""
    rows = [answers.truth(n, edges, dtype, [s]) for s in sources]
    return np.stack(rows) if rows else np.empty((0, n))


def undirected(n, edges, dtype):
    """The graph with both directions of every edge, as `from_edges(..., directed=False)` builds it."""
    u, v, w = zip(*edges, strict=True) if edges else ((), (), ())
    weights = None if dtype is None else np.array(w, dtype=dtype)
    graph = sp.Graph.from_edges(np.array(u, int), np.array(v, int), weights, num_vertices=n, directed=False)
    if dtype is not None and graph.weights.dtype != dtype:
        wide = graph.weights.astype(dtype)
        graph = sp.Graph._make(graph.indptr, graph.indices, wide, labels=None, directed=False)
    return graph


@contextmanager
def by(method):
    """Check this module's searches."""
    global METHOD  # noqa: PLW0603 - plain functions, for all executors
    METHOD = method
    try:
        yield
    finally:
        METHOD = edge


@contextmanager
def blocks(device, count):
    """Let the device start this many blocks at most: fewer than sources, so that each takes several."""
    before, device.max_groups = device.max_groups, count
    try:
        yield
    finally:
        device.max_groups = before


def check_named(device, dtype, names=None):
    """All pairs of every named graph, as it is and made undirected, bit for bit."""
    chosen = dict(graphs.NAMED)
    chosen |= graphs.FLOAT if dtype is not None and np.dtype(dtype).kind == "f" else {}
    for name, (n, edges) in chosen.items():
        if names is not None and name not in names:
            continue
        sources = np.arange(n)
        got, _ = METHOD.run(device, answers.graph_of(n, edges, dtype), sources)
        assert np.array_equal(got, matrix(n, edges, dtype, sources)), (name, dtype)
        both = edges + [(v, u, w) for u, v, w in edges]
        got, _ = METHOD.run(device, undirected(n, edges, dtype), sources)
        assert np.array_equal(got, matrix(n, both, dtype, sources)), (name, dtype, "undirected")


def check_slips(device):
    """The slips of document 004, one by one."""
    # The flag is raised anew for every source: one block takes them all.
    n, edges = graphs.grid(4, 5)
    graph = answers.graph_of(n, edges, np.int32)
    right = matrix(n, edges, np.int32, range(n))
    with blocks(device, 1):
        assert np.array_equal(METHOD.run(device, graph, np.arange(n))[0], right)
        # Each source has its own row: the same one twice, in any order.
        some = np.array([7, 3, 7, 0])
        assert np.array_equal(METHOD.run(device, graph, some)[0], right[some])
    # Both directions are relaxed only where the edge has both.
    path = [(0, 1, 2), (1, 2, 3)]
    far = sp.UNREACHABLE
    assert METHOD.run(device, answers.graph_of(3, path, np.int32), np.arange(3))[0].tolist() == [
        [0, 2, 5],
        [far, 0, 3],
        [far, far, 0],
    ]
    assert METHOD.run(device, undirected(3, path, np.int32), np.arange(3))[0].tolist() == [
        [0, 2, 5],
        [2, 0, 3],
        [5, 3, 0],
    ]
    # Infinity plus a weight does not come round to something small.
    heavy = answers.graph_of(3, [(1, 2, 2**31 - 1), (2, 1, 2**31 - 1)], np.int32)
    assert METHOD.run(device, heavy, np.array([0]))[0].tolist() == [[0, far, far]]


def check_overflow(device):
    """32 bits that do not suffice are noticed and done again in 64; 64 that do not are an error."""
    n = 6
    edges = [(v, v + 1, 2**31 - 1 - v) for v in range(n - 1)]
    graph = answers.graph_of(n, edges, np.int32)
    assert np.array_equal(METHOD.run(device, graph, np.arange(n))[0], matrix(n, edges, np.int32, range(n)))
    assert METHOD.run(device, graph, np.array([0]), bound=2**31 - 1)[0].tolist() == [
        [0, 2**31 - 1] + [sp.UNREACHABLE] * 4
    ]
    n, edges = graphs.HUGE["huge detour"]
    assert METHOD.run(device, answers.graph_of(n, edges, np.int64), np.array([0]))[0].tolist() == [[0, 2**62, 7]]
    too_far = answers.graph_of(3, [(0, 1, 2**62), (1, 2, 2**62)], np.int64)
    protocol.raises(sp.DistanceOverflowError, "from 0 to 2", METHOD.run, device, too_far, np.array([1, 0]))
    far = sp.UNREACHABLE
    assert METHOD.run(device, too_far, np.array([0]), bound=2**62)[0].tolist() == [[0, 2**62, far]]


def check_options(device):
    """Cutoff, columns, progress, counts; nothing asked and an empty graph."""
    n, edges = graphs.grid(5, 7)
    for dtype in (np.int64, np.float32):
        graph = answers.graph_of(n, edges, dtype)
        right = matrix(n, edges, dtype, range(n))
        far = np.inf if right.dtype.kind == "f" else sp.UNREACHABLE
        bound = np.sort(right[0])[n // 2].item()
        seen = []
        got, explained = METHOD.run(
            device, graph, np.arange(n), columns=np.array([4, 0, 4]), bound=bound, progress=seen.append
        )
        assert np.array_equal(got, np.where(right <= bound, right, far)[:, [4, 0, 4]])
        assert (seen[-1], sorted(seen)) == (n, seen)
        if METHOD is edge:
            assert explained["rounds"] >= n
            assert explained["edges_touched"] == explained["rounds"] * graph.num_edges
        assert explained["edges_relaxed"] <= explained["edges_touched"]
        assert explained["atomics"] >= n
        assert METHOD.run(device, graph, np.empty(0, np.int64))[0].shape == (0, n)
    empty = answers.graph_of(0, [], np.int32)
    assert METHOD.run(device, empty, np.empty(0, np.int64))[0].shape == (0, 0)


def check_small(device):
    """What fits an interpreter."""
    names = {"one vertex", "isolated source", "zero cycle", "parallel edges", "ties", "absorbed", "infinite weights"}
    for dtype in answers.TYPES:
        check_named(device, dtype, names)
    check_slips(device)
    check_overflow(device)

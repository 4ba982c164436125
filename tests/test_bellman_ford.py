"""Bellman-Ford: negative weights, negative cycles, overflow, rounding; against a ten-line oracle, SciPy and SPLIB."""

import csv
import gzip
import math
import os
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe import _core

DATA = Path(os.environ.get("STEPPE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "splib"
DONE, CYCLE, OVERFLOW = (
    _core.BellmanFordStatus.done,
    _core.BellmanFordStatus.negative_cycle,
    _core.BellmanFordStatus.overflow,
)
TYPES = ("int32", "int64", "float32", "float64")
INT_MAX = np.iinfo(np.int64).max


def graph(n, edges, dtype):
    u, v, w = zip(*edges, strict=True) if edges else ((), (), ())
    order = np.argsort(np.array(u, dtype=np.int64), kind="stable")
    indptr = np.searchsorted(np.array(u, dtype=np.int64)[order], np.arange(n + 1))
    g = sp.Graph.from_csr(indptr, np.array(v, dtype=np.int64)[order], np.array(w, dtype=dtype)[order])
    if g.weights.dtype != dtype:  # small int64 weights are stored as int32; here the type matters
        g = sp.Graph._make(g.indptr, g.indices, g.weights.astype(dtype), labels=None, directed=True)
    return g


def search(g, *sources, progress=None):
    weights = g.weights
    distances = np.empty(g.num_vertices, dtype=np.int64 if weights.dtype.kind == "i" else weights.dtype)
    predecessors = np.empty(g.num_vertices, dtype=g.indices.dtype)
    question = _core.Question(np.array(sources, dtype=np.int64), progress=progress)
    found = _core.bellman_ford(g._native, question, distances, predecessors)
    assert found.rounds >= (1 if sources else 0)
    assert found.edges_relaxed >= 0
    return found.status, found.cycle, distances, predecessors


def oracle(n, edges, sources):
    """Distances by n rounds over all edges, or None where a negative cycle can be reached."""
    d = [math.inf] * n
    for s in sources:
        d[s] = 0
    for _ in range(n + 1):
        before = list(d)
        for u, v, w in edges:
            d[v] = min(d[v], d[u] + w)
        if d == before:
            return d
    return None


def arc_weights(g):
    """The lightest weight of each pair of vertices."""
    lightest = {}
    u = np.repeat(np.arange(g.num_vertices), g.degrees)
    for a, b, w in zip(u.tolist(), g.indices.tolist(), g.weights.tolist(), strict=True):
        lightest[a, b] = min(w, lightest.get((a, b), w))
    return lightest


def check_cycle(g, cycle):
    weights = arc_weights(g)
    assert cycle
    assert len(set(cycle)) == len(cycle)
    assert math.fsum(weights[a, b] for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True)) < 0


def check_tree(g, sources, distances, predecessors):
    """Each reached vertex hangs from a source by tight edges; the oracle has checked the distances themselves."""
    weights, unreachable = arc_weights(g), INT_MAX if g.is_integer else math.inf
    for v in range(g.num_vertices):
        if distances[v] == unreachable:
            assert predecessors[v] == -1
            continue
        at, steps = v, 0
        while predecessors[at] >= 0:
            p = int(predecessors[at])
            length = np.asarray(weights[p, at]).astype(distances.dtype)
            assert distances[p] + length == distances[at]
            at, steps = p, steps + 1
            assert steps < g.num_vertices, "the predecessors form a cycle"
        assert at in sources
        assert distances[at] == 0


edges_strategy = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(-6, 40)), max_size=50),
        st.lists(st.integers(0, n - 1), min_size=1, max_size=3),
    )
)


@settings(max_examples=examples(400), deadline=None)
@given(edges_strategy, st.sampled_from(TYPES))
def test_against_the_oracle(case, dtype):
    n, edges, sources = case
    scale = 1 if dtype.startswith("int") else 0.125  # sums of eighths are exact
    edges = [(u, v, w * scale) for u, v, w in edges]
    g = graph(n, edges, dtype)
    status, cycle, distances, predecessors = search(g, *sources)
    expected = oracle(n, edges, sources)
    if expected is None:
        assert status == CYCLE
        check_cycle(g, cycle)
    else:
        assert status == DONE
        assert cycle == []
        unreachable = INT_MAX if g.is_integer else math.inf
        assert distances.tolist() == [unreachable if x == math.inf else x for x in expected]
        check_tree(g, sources, distances, predecessors)


@pytest.mark.parametrize("dtype", TYPES)
def test_small_cases(dtype):
    status, _, d, p = search(graph(3, [(0, 1, 4), (0, 2, 5), (2, 1, -3)], dtype), 0)
    assert (status, d.tolist(), p.tolist()) == (DONE, [0, 2, 5], [-1, 2, 0])
    assert search(graph(2, [(0, 0, -1)], dtype), 0)[:2] == (CYCLE, [0])
    assert search(graph(2, [(1, 1, -1)], dtype), 0)[0] == DONE  # cannot be reached
    status, cycle, _, _ = search(graph(5, [(0, 1, 1), (1, 2, 1), (2, 3, -4), (3, 1, 2), (3, 4, 1)], dtype), 0)
    assert status == CYCLE
    assert cycle in ([1, 2, 3], [2, 3, 1], [3, 1, 2])
    assert search(graph(3, [(0, 1, 2), (1, 2, -1), (2, 0, -1)], dtype), 0)[0] == DONE  # a cycle of length zero
    assert search(graph(2, [(0, 1, 3), (0, 1, -2), (0, 1, 5)], dtype), 0)[2].tolist() == [0, -2]
    # Several sources; one is better reached from another.
    assert search(graph(3, [(0, 1, -5), (1, 2, 1)], dtype), 0, 1, 0)[2].tolist() == [0, -5, -4]
    assert search(graph(0, [], dtype))[0] == DONE


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_infinite_weight_is_no_edge(dtype):
    status, _, d, p = search(graph(3, [(0, 1, math.inf), (0, 2, 1.0), (2, 1, math.inf), (2, 0, -0.5)], dtype), 0)
    assert (status, d.tolist(), p.tolist()) == (DONE, [0, math.inf, 1], [-1, -1, 0])


def test_integers_are_exact_or_refused():
    top = 2**62
    status, _, d, _ = search(graph(3, [(0, 1, top), (1, 2, top - 2)], "int64"), 0)
    assert (status, d.tolist()) == (DONE, [0, top, 2**63 - 2])
    assert search(graph(3, [(0, 1, top), (1, 2, top - 1)], "int64"), 0)[0] == OVERFLOW  # that number says unreachable
    assert search(graph(3, [(0, 1, top), (1, 2, top)], "int64"), 0)[0] == OVERFLOW
    assert search(graph(3, [(0, 1, -top), (1, 2, -top)], "int64"), 0)[2].tolist() == [0, -top, -(2**63)]
    assert search(graph(3, [(0, 1, -top), (1, 2, -top - 1)], "int64"), 0)[0] == OVERFLOW
    # A detour that does not fit is no reason to refuse: the vertex has a short path too, found later.
    g = graph(5, [(0, 1, top), (1, 2, top), (0, 3, 1), (3, 4, 1), (4, 2, 1)], "int64")
    status, _, d, _ = search(g, 0)
    assert (status, d[2]) == (DONE, 3)
    # The same where the distance of the vertex before it falls into the range later.
    g = graph(5, [(0, 1, top), (1, 2, top), (0, 3, 5), (3, 4, 5), (4, 1, -20)], "int64")
    status, _, d, _ = search(g, 0)
    assert (status, d[2]) == (DONE, top - 10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rounding_noise_is_no_negative_cycle(dtype):
    """Edges w = p(v) - p(u), rounded up: no cycle is negative, all are nearly zero, and rounded sums walk downwards."""
    rng = np.random.default_rng(3)
    refused = 0
    for trial in range(60):
        n = 3 + trial % 40
        potential = rng.uniform(-1, 1, n) * 10.0 ** rng.integers(-3, 4, n)
        ends = rng.integers(0, n, (6 * n, 2)).tolist() + [(v, (v + 1) % n) for v in range(n)]
        up = np.dtype(dtype).type(np.inf)
        edges = [(u, v, np.nextafter(up.dtype.type(potential[v] - potential[u]), up).item()) for u, v in ends]
        g = graph(n, edges, dtype)
        status, cycle, d, p = search(g, 0)
        assert (status, cycle) == (DONE, [])
        check_tree(g, [0], d, p)
        refused += (d[np.repeat(np.arange(n), g.degrees)] + g.weights < d[g.indices]).any()
        atol = 20 * n * np.finfo(dtype).eps * np.abs(potential).max()
        assert np.allclose(d, potential - potential[0], rtol=0, atol=atol)
    assert refused > 5, "no case has the rounding this test is about"


def test_a_cycle_that_only_rounding_makes_negative_is_refused():
    edges = [(0, 1, 0.1), (1, 2, 0.2), (2, 0, -0.3)]
    assert math.fsum(w for _, _, w in edges) > 0
    refused = 0
    for start in np.random.default_rng(1).uniform(0, 100, 200).tolist():
        g = graph(4, [(3, 0, start), *edges], "float64")
        status, cycle, d, p = search(g, 3)
        assert (status, cycle) == (DONE, [])
        check_tree(g, [3], d, p)
        refused += d[2] - 0.3 < d[0]
    assert refused > 5, "no case has the rounding this test is about"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_absorbed_gains_leave_no_vertex_without_its_tree(dtype):
    # 1 improves by a hair after 2 and 3 have hung from it; the hair is absorbed by 2's large label.
    big = 2.0**60
    edges = [(0, 1, 1.0), (1, 2, big), (2, 3, 1.0), (3, 4, -big), (0, 5, 0.25), (5, 6, 0.25), (6, 1, 0.25)]
    g = graph(7, edges, dtype)
    status, _, d, p = search(g, 0)
    assert status == DONE
    assert p[1] == 6
    check_tree(g, [0], d, p)


def test_against_scipy():
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import bellman_ford

    rng = np.random.default_rng(11)
    n, m = 300, 2500
    potential = rng.integers(-500, 500, n)
    u, v = rng.integers(0, n, (2, m))
    u, v = u[u != v], v[u != v]
    keys = np.unique(u * n + v)
    u, v = keys // n, keys % n
    w = rng.integers(1, 50, len(u)) + potential[v] - potential[u]
    w[w == 0] = 1  # an explicit zero is no edge in SciPy
    expected = bellman_ford(csr_array((w.astype(float), (u, v)), shape=(n, n)), indices=[0, 17])
    for s, row in zip((0, 17), expected, strict=True):
        for dtype in TYPES:
            status, _, d, _ = search(graph(n, list(zip(u.tolist(), v.tolist(), w.tolist(), strict=True)), dtype), s)
            assert status == DONE
            assert np.array_equal(np.where(d == (INT_MAX if "int" in dtype else np.inf), np.inf, d), row)


def test_long_acyclic_graphs_end_in_a_topological_pass():
    # Heaviest first: each vertex links to all that follow, the longest detour is the shortest path.
    n = 400
    edges = [(u, v, -((v - u) ** 0)) for u in range(n) for v in range(n - 1, u, -1)]
    shuffle = np.random.default_rng(0).permutation(n)
    g = graph(n, [(int(shuffle[u]), int(shuffle[v]), w) for u, v, w in edges], "int32")
    status, _, d, p = search(g, int(shuffle[0]))
    assert status == DONE
    assert d[shuffle].tolist() == [-v for v in range(n)]
    check_tree(g, [int(shuffle[0])], d, p)


def hard_instance():
    """A graph that keeps Bellman-Ford busy: a long path with shortcuts that come too early, and a cycle."""
    n = 60_000
    rng = np.random.default_rng(5)
    path = np.arange(n - 1)
    u = np.concatenate([path, rng.integers(0, n - 1, 4 * n), [n - 1]])
    v = np.concatenate([path + 1, np.empty(4 * n, dtype=np.int64), [0]])
    v[n - 1 : -1] = np.minimum(n - 1, u[n - 1 : -1] + rng.integers(2, 20_000, 4 * n))
    w = np.concatenate([np.full(n - 1, -1), np.full(4 * n, -1), [10 * n]])
    return sp.Graph.from_edges(u, v, w)


def test_interrupt_and_progress():
    g, seen = hard_instance(), []

    class StopError(Exception):
        pass

    def stop(done):
        seen.append(done)
        if len(seen) == 2:
            raise StopError

    with pytest.raises(StopError):
        search(g, 0, progress=stop)
    assert 0 < seen[0] < seen[1]

    timer = threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search(g, 0)


def read_splib(path):
    lines = gzip.decompress(path.read_bytes()).splitlines()
    count = next(int(line.split()[2]) for line in lines if line.startswith(b"p"))
    source = next(int(line.split()[1]) for line in lines if line.startswith(b"n"))
    arcs = np.fromstring(b" ".join(line[1:] for line in lines if line.startswith(b"a")), dtype=np.int64, sep=" ")
    u, v, w = arcs.reshape(-1, 3).T
    return sp.Graph.from_edges(u - 1, v - 1, w, num_vertices=count), source - 1


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} is absent (set STEPPE_DATA)")
def test_splib_sums():
    with (DATA / "expected.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 15
    for row in rows:
        g, source = read_splib(DATA / row["file"])
        assert (g.num_vertices, g.num_edges, source + 1) == (int(row["n"]), int(row["m"]), int(row["source"]))
        status, _, d, _ = search(g, source)
        assert status == DONE
        reached = d[d != INT_MAX]
        assert (len(reached), int(reached.sum())) == (int(row["reached"]), int(row["published_sum"])), row["file"]

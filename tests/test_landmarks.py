"""Landmarks: bounds that hold, and routes that are the same with them as without, bit for bit."""

import importlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe import generate, landmarks
from test_route import TYPES, check, check_rounding, graph, luxembourg, needs_data, oracle

routes = importlib.import_module("steppe.route")  # steppe.route is the function


def has_landmarks(g):
    return g.prepare(routes=True) is g and routes._router(g).has_landmarks


def bounds(marks, v, t):
    """The bound of cpp/landmarks.hpp, in the units of the weights."""
    apart = marks.rows[v].astype(int) - marks.rows[t].astype(int)
    most = max(0, apart.max()) if marks.one_sided else np.abs(apart).max()
    return max(0, int(most) - marks.slack) * marks.quantum


@st.composite
def roads(draw):
    """A ring of one-way or two-way streets with short cuts, dead ends and a part of its own."""
    n = draw(st.integers(6, 14))
    dtype = draw(st.sampled_from(TYPES[:-1]))
    if dtype.startswith("float"):
        tenths = st.integers(1, 60).map(lambda x: float(np.dtype(dtype).type(x) * np.dtype(dtype).type(0.1)))
        weight = tenths | st.sampled_from([0.0, 1e-6, 3e7])
    else:
        weight = st.integers(0, 9) | st.integers(10**5, 10**8)
    ring = [(i, (i + 1) % (n - 2), draw(weight)) for i in range(n - 2)]
    vertex = st.integers(0, n - 3)
    cuts = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=n // 2))
    ends = draw(st.lists(st.sampled_from([(0, n - 1, 2), (n - 1, 1, 3), (n - 2, 2, 0), (n - 1, n - 2, 1)]), max_size=2))
    return graph(n, ring + cuts + ends, dtype, directed=draw(st.booleans()))


@settings(max_examples=examples(300), deadline=None)
@given(roads())
def test_every_pair_against_the_oracle(g):
    g.prepare(routes=True)
    for s in range(g.num_vertices):
        expected = oracle(g, s)
        for t in range(g.num_vertices):
            check(sp.route(g, s, t), expected.get(t))


@settings(max_examples=examples(100), deadline=None)
@given(roads())
def test_bounds_hold(g):
    if (marks := landmarks.choose(g)) is None:
        return
    inside = np.flatnonzero(marks.rows[:, 0] >= 0)
    assert 2 * len(inside) > g.num_vertices
    for s in inside.tolist():
        distances = sp.sssp(g, s).distances
        for t in inside.tolist():
            assert bounds(marks, s, t) <= distances[t]


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_bounds_are_of_use(dtype):
    base = generate.road(4000, seed=3)
    g = sp.Graph.from_csr(base.indptr, base.indices, base.weights.astype(dtype), directed=False)
    marks = landmarks.choose(g)
    assert len(set(marks.vertices)) == landmarks.COUNT
    distances = sp.sssp(g, 7).distances
    share = [bounds(marks, 7, t) / distances[t] for t in range(100, 4000, 100)]
    assert 0.75 < np.mean(share) <= 1
    assert not marks.one_sided


@pytest.mark.parametrize("noise", [0.0, 0.1], ids=["undirected", "directed"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_are_those_of_a_forward_search(dtype, noise):
    def ready(g):
        assert has_landmarks(g)

    check_rounding(dtype, noise, ready)


def test_wrong_landmarks_are_noticed():
    """The tests above can fail: landmarks that promise too much give longer ways."""
    g = generate.road(3000, seed=2)
    marks = landmarks.choose(g)
    rows = np.random.default_rng(0).integers(0, 2**14, marks.rows.size).astype(np.int16)
    routes._router(g).use_landmarks(rows, g.num_vertices, marks.quantum, 1, False)
    distances = sp.sssp(g, 0).distances
    found = [sp.route(g, 0, t) for t in range(0, 3000, 50)]
    assert any(r.distance > distances[r.target] for r in found)
    for r in found:
        r.verify()  # real paths all the same


def test_landmarks_come_after_enough_queries():
    g = generate.road(2000, seed=5)
    pairs = np.random.default_rng(1).integers(0, g.num_vertices, (4000, 2)).tolist()
    before = [sp.route(g, s, t) for s, t in pairs[:40]]
    assert routes._router(g).takes_landmarks
    spent = 0
    for s, t in pairs:
        spent += sp.route(g, s, t).settled
        if routes._router(g).has_landmarks:
            break
    assert 31 * g.num_vertices < spent + sum(r.settled for r in before) < 33 * g.num_vertices
    after = [sp.route(g, s, t) for s, t in pairs[:40]]
    assert [r.distance for r in after] == [r.distance for r in before]
    assert sum(r.settled for r in after) < 0.4 * sum(r.settled for r in before)


def test_threads_query_while_landmarks_are_made():
    base = generate.grid(60, 60, seed=1)
    pairs = np.random.default_rng(0).integers(0, base.num_vertices, (600, 2)).tolist()
    expected = [sp.route(base, s, t).distance for s, t in pairs]
    weights = base.weights.copy()
    weights[0] += 1  # one street is longer one way: a directed graph
    for g in (base, sp.Graph.from_csr(base.indptr, base.indices, weights)):
        with ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(g.prepare, routes=True) for _ in range(3)]
            found = list(pool.map(lambda p, g=g: sp.route(g, *p), pairs))
            assert all(job.result() is g for job in jobs)
        assert routes._router(g).has_landmarks
        if g is base:
            assert [r.distance for r in found] == expected
        for r in found[::7]:
            assert r.distance == sp.sssp(g, r.source).distances[r.target]


def test_only_where_they_are_of_use():
    assert not has_landmarks(generate.rmat(8, 8))  # not like a road
    assert not has_landmarks(generate.grid(20, 20, weights=None))
    assert not has_landmarks(sp.Graph.from_edges([0, 2, 4], [1, 3, 5], [1, 1, 1], directed=False))  # nothing connected
    assert not has_landmarks(sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [1, 1, 1]))  # no way back
    assert not has_landmarks(sp.Graph.from_edges([0, 1], [1, 0], [0, 0]))  # no distances
    assert not has_landmarks(sp.Graph.from_edges([], [], [], num_vertices=0))
    long = sp.Graph.from_edges(range(99), range(1, 100), np.full(99, 2.0**-20, np.float32), directed=False)
    assert has_landmarks(long)
    uncertain = generate.grid(500, 500, weights="float32")
    uncertain = sp.Graph.from_csr(uncertain.indptr, uncertain.indices, uncertain.weights * (uncertain.weights > 0.1))
    assert landmarks._slack(uncertain, 1.0, 1e-4) > 2**12  # zero weights: a path may have any number of edges


def test_sums_beyond_32_bits():
    n = 40
    g = sp.Graph.from_edges(range(n - 1), range(1, n), np.full(n - 1, 2**31 - 1), directed=False)
    assert has_landmarks(g)
    for t in (0, 1, 2, 3, n - 1):
        check(sp.route(g, 0, t), t * (2**31 - 1))


def test_an_interrupt_leaves_the_graph_as_it_was(monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    g = generate.road(1000)
    with monkeypatch.context() as patch:
        patch.setattr(landmarks, "choose", interrupted)
        with pytest.raises(KeyboardInterrupt):
            g.prepare(routes=True)
    assert sp.route(g, 0, 5)
    assert has_landmarks(g)


def test_negative_weights_are_refused():
    with pytest.raises(sp.NegativeWeightError):
        graph(3, [(0, 1, -1), (1, 2, 1)]).prepare(routes=True)


@needs_data
@pytest.mark.parametrize("metric", ["geo_distance", "travel_time"])
def test_luxembourg_queries(metric):
    g, queries = luxembourg(metric)
    few = queries[:: 1000 // examples(100)]
    plain = sum(sp.route(g, s, t).settled for s, t, _ in few)
    assert has_landmarks(g)
    assert sum(sp.route(g, s, t).settled for s, t, _ in few) < plain / 3
    for s, t, expected in queries[: examples(1000)]:
        check(sp.route(g, s, t), expected)

"""Landmarks: bounds that hold, and routes that are the same with them as without, bit for bit."""

import faulthandler
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe import _core, generate
from steppe.cpu import routes
from steppe.prepared import landmarks
from steppe.prepared.preparation import Made
from test_route import TYPES, check, check_rounding, graph, luxembourg, needs_data, oracle


def has_landmarks(g):
    return g.prepare(routes=True) is g and "landmarks" in g.prepared


def give(g, marks, slack=None):
    """Let queries be led by these landmarks."""
    slack = marks.slack if slack is None else slack
    value = _core.Landmarks(marks.rows.ravel(), g.num_vertices, marks.quantum, slack, marks.one_sided)
    g.prepared.slot("landmarks").made = Made(value, marks.rows.nbytes)


def bounds(marks, v, t):
    """The bound of cpp/route/landmarks.hpp, in the units of the weights."""
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
    rows = np.random.default_rng(0).integers(0, 2**14, marks.rows.shape).astype(np.int16)
    give(g, replace(marks, rows=rows), slack=1)
    distances = sp.sssp(g, 0).distances
    found = [sp.route(g, 0, t) for t in range(0, 3000, 50)]
    assert any(r.distance > distances[r.target] for r in found)
    for r in found:
        r.verify()  # real paths all the same


def test_landmarks_come_after_enough_queries():
    g = generate.road(2000, seed=5)
    pairs = np.random.default_rng(1).integers(0, g.num_vertices, (4000, 2)).tolist()
    before = [sp.route(g, s, t) for s, t in pairs[:40]]
    assert routes.router_of(g).takes_landmarks
    spent = 0
    for s, t in pairs:
        spent += sp.route(g, s, t).settled
        if "landmarks" in g.prepared:
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
        assert "landmarks" in g.prepared
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


def test_first_queries_beyond_32_bits():
    """A label and a bound that fit in 32 bits, and a sum that does not: the search is done again, not ended."""
    g = generate.grid(20, 20, weights=(1, 2**29), seed=3)
    marks = landmarks.choose(g)
    beyond = 0
    for s in range(0, 400, 3):
        expected = sp.sssp(g, s).distances
        for t in range(0, 400, 7):
            g.derived.router = None  # a router that has once been wide remains so
            give(g, marks)
            assert sp.route(g, s, t).distance == expected[t]
            beyond += expected[t] > 2**31
    assert beyond > 1000


def test_distances_next_to_the_largest():
    top = 2**63 - 2
    for directed in (False, True):
        street = [(a, a + 1, 1) for a in range(20)] + [(20, 21, top - 20)]
        both = street + [(b, a, w) for a, b, w in street]
        g = graph(22, both if directed else street, "int64", directed=directed)
        assert has_landmarks(g)
        for s, t in ((0, 21), (21, 0), (1, 21), (0, 20)):
            check(sp.route(g, s, t), oracle(g, s)[t])
        assert sp.route(g, 0, 21).distance == top
    # One more vertex: its distances, and so the landmarks', do not fit. Those that are asked for do.
    g = graph(23, [*street, (21, 22, 1)], "int64", directed=False)
    assert not has_landmarks(g)
    assert (sp.route(g, 0, 21).distance, sp.route(g, 1, 22).distance, sp.route(g, 21, 22).distance) == (top, top, 1)
    with pytest.raises(sp.DistanceOverflowError):
        sp.route(g, 0, 22)


@pytest.mark.parametrize(
    "weight", [2**60, np.float64(1.7e308), np.float64(1e307), np.float32(3e38), np.float32(2e37), np.float64(5e-324)]
)
def test_queries_do_not_fail_with_their_landmarks(weight):
    """On a street of thirty, some distances are beyond the type. Landmarks come in the middle of a query."""
    g = sp.Graph.from_edges(range(30), range(1, 31), np.full(30, weight), directed=False)
    longest = 2**63 - 2 if g.is_integer else np.finfo(g.weights.dtype).max
    for t in range(31):
        g.forget("landmarks")
        g.derived.router = None
        g.prepared.slot("landmarks").spent = 1.0  # the next query has them made
        with np.errstate(over="ignore"):
            total = sum([weight] * t, start=0 * weight)
        if total > longest and g.is_integer:
            with pytest.raises(sp.DistanceOverflowError):
                sp.route(g, 0, t)
        else:
            check(sp.route(g, 0, t), total if total <= longest else None)
    assert g.prepare(routes=True) is g
    assert ("landmarks" in g.prepared) == (weight == 5e-324)


@pytest.fixture
def an_end():
    """Ends the process where a search does not: a loop in native code hears nobody."""
    faulthandler.dump_traceback_later(120, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.usefixtures("an_end")
def test_a_vertex_too_far_from_a_landmark_may_lie_on_a_path():
    """From the middle of the ring the far side is infinitely far, and yet on the way between its neighbours."""
    n = 24
    for dtype in ("float32", "float64"):
        weights = np.full(n, 1, dtype)
        weights[[0, 4]] = np.finfo(dtype).max * np.array([0.4, 0.3], dtype)  # the only ways to 1 … 4
        weights[[8, 16]] = np.finfo(dtype).max * np.array([0.9, 0.35], dtype)
        g = sp.Graph.from_edges(range(n), [(a + 1) % n for a in range(n)], weights, directed=False)
        g.prepare(routes=True)
        with np.errstate(over="ignore"):
            for s in range(n):
                expected = oracle(g, s)
                for t in range(n):
                    check(sp.route(g, s, t), expected.get(t))


def test_without_memory_for_landmarks_the_query_is_answered(monkeypatch):
    def full(*_):
        raise MemoryError

    g = generate.road(1000)
    routes.router_of(g)
    g.prepared.slot("landmarks").spent = 1.0
    with monkeypatch.context() as patch:
        patch.setattr(landmarks, "choose", full)
        assert sp.route(g, 0, 5)
        with pytest.raises(MemoryError):
            g.prepare(routes=True)
    assert has_landmarks(g)


def test_an_interrupt_leaves_the_graph_as_it_was(monkeypatch):
    def interrupted(*_):
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

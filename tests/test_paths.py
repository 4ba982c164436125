"""Paths: distances, the canonical tree, paths along it, and what Python may do with them."""

import pickle
import threading
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import steppe as sp
from answers import TYPES, array_of, graph_of, paths_of
from conftest import examples
from graphs import FLOAT, HUGE, NAMED, NEGATIVE
from steppe import _core
from steppe.paths import Paths
from steppe.planning.explain import Explanation


def labelled():
    g = sp.Graph.from_edges(["a", "a", "b", "x"], ["b", "c", "c", "y"], [5, 9, 3, 1], relabel=True)
    d = np.array([0, 5, 8, sp.UNREACHABLE, sp.UNREACHABLE])
    return Paths._make(g, np.array([0]), d, explanation=Explanation(method="oracle", reason="a test", seconds=0.5))


# The tree -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*TYPES, None, "hops"])
@pytest.mark.parametrize("name", NAMED)
def test_predecessors_are_those_of_the_definition(name, dtype):
    n, edges = NAMED[name]
    paths = paths_of(n, edges, dtype)
    plain = [(u, v, 1) for u, v, _ in edges] if dtype in (None, "hops") else edges
    assert paths.predecessors.tolist() == oracle.predecessors(n, plain, [0], oracle.dijkstra(n, plain, [0]))
    paths.verify()


@pytest.mark.parametrize("name", [*HUGE, *FLOAT])
def test_predecessors_at_the_edges_of_the_number_types(name):
    n, edges = (HUGE | FLOAT)[name]
    paths = paths_of(n, edges, np.int64 if name in HUGE else np.float64)
    assert paths.predecessors.tolist() == oracle.predecessors(n, edges, [0], oracle.dijkstra(n, edges, [0]))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NEGATIVE)
def test_predecessors_of_negative_weights(name, dtype):
    n, edges = NEGATIVE[name]
    right = oracle.bellman_ford(n, edges, [0])
    paths = paths_of(n, edges, dtype, distances=array_of(right, dtype))
    assert paths.predecessors.tolist() == oracle.predecessors(n, edges, [0], right)
    assert paths.verify() is paths


EDGES = st.integers(1, 10).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, 3)), max_size=40),
        st.lists(st.integers(0, n - 1), min_size=1, max_size=3),
    )
)


@settings(deadline=None, max_examples=examples(200))
@given(EDGES, st.sampled_from([*TYPES, None, "hops"]))
def test_predecessors_of_random_graphs(table, dtype):
    n, edges, sources = table
    paths = paths_of(n, edges, dtype, sources)
    plain = [(u, v, 1) for u, v, _ in edges] if dtype in (None, "hops") else edges
    right = oracle.dijkstra(n, plain, sources)
    assert paths.predecessors.tolist() == oracle.predecessors(n, plain, sources, right)
    paths.verify()
    for v in range(n):
        if right[v] == inf:
            with pytest.raises(sp.NoPathError):
                paths.path(v)
            continue
        way = paths.path(v).tolist()
        steps = [min(w for a, b, w in plain if (a, b) == step) for step in pairwise(way)]
        assert (way[0] in sources, way[-1], sum(steps)) == (True, v, right[v])


def wide_graph(kind):
    """Return graph and distances whose levels are wide enough for all threads."""
    rng = np.random.default_rng(3)
    n, m = 100_000, 600_000
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    w = {"ties": rng.integers(1, 3, m), "zeros": rng.integers(0, 2, m), "all zero": np.zeros(m, dtype=np.int64)}[kind]
    g = sp.Graph.from_edges(u, v, w, num_vertices=n)
    distances = np.full(n, sp.UNREACHABLE)
    distances[0] = 0
    while True:  # Bellman and Ford in three lines
        better = distances.copy()
        reached = distances[u] != sp.UNREACHABLE
        np.minimum.at(better, v[reached], (distances[u] + w)[reached])
        if np.array_equal(better, distances):
            return g, distances
        distances = better


@pytest.mark.parametrize("kind", ["ties", "zeros", "all zero"])
def test_parallel_and_sequential_trees_are_the_same(kind):
    g, distances = wide_graph(kind)
    trees = []
    for threads in (1, 2, 4):
        for width in (np.int32, np.int64):
            tree = np.empty(g.num_vertices, dtype=width)
            indices = g.indices.astype(width)
            rows, question = _core.Rows(g.indptr, indices, g.weights), _core.Question(np.array([0]), threads=threads)
            _core.canonical_predecessors(rows, question, distances, False, g.min_weight, tree)
            trees.append(tree)
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree, trees[0])
    paths = Paths._make(g, np.array([0]), distances, recorded=trees[0], explanation=Explanation(method="oracle"))
    for threads in (1, 2, 4):
        paths.verify(threads=threads)
        sp.verify(g, Paths._make(g, np.array([0]), distances, explanation=paths.explain()), threads=threads)


def test_uniform_weights_take_the_short_way_to_the_same_tree():
    g, _ = wide_graph("ties")
    distances = _hops(g)
    trees = []
    for uniform in (False, True):
        for threads in (1, 4):
            tree = np.empty(g.num_vertices, dtype=np.int32)
            rows, question = _core.Rows(g.indptr, g.indices, None), _core.Question(np.array([0]), threads=threads)
            _core.canonical_predecessors(rows, question, distances, uniform, 1, tree)
            trees.append(tree)
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree, trees[0])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", ["sorted", "unsorted", "directed", "parallel edges", "int64 ids"])
def test_levels_look_among_their_in_edges(kind, threads, vectors, monkeypatch):
    """Where the in-edges are at hand, hops find their tree from there: the same as from the out-edges."""
    monkeypatch.setattr(sp.paths._threads, "resolve", lambda *_, **__: threads)
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 900, (2, 4000))
    w = np.full(4000, 7)
    if kind == "sorted":
        order = np.lexsort((np.maximum(u, v), np.minimum(u, v)))
        u, v = np.minimum(u, v)[order], np.maximum(u, v)[order]
    if kind == "parallel edges":
        u, v, w = np.r_[u, u], np.r_[v, v], np.r_[w, w]
    g = sp.Graph.from_edges(u, v, w, num_vertices=1000, directed=kind == "directed")
    if kind == "int64 ids":
        g = sp.Graph._make(
            g.indptr, g.indices.astype(np.int64), g.weights, labels=None, directed=False, facts=(7, 7, 7.0)
        )
    if kind == "directed":
        assert g.reverse.has_sorted_rows
    else:
        rows = [g.indices[g.indptr[x] : g.indptr[x + 1]] for x in range(1000)]
        assert g.has_sorted_rows == all((np.diff(row) >= 0).all() for row in rows)
    for search in (sp.bfs, sp.sssp):
        for s in (0, 431, 950):
            paths = search(g, s)
            expected = np.full(1000, -1)
            for x in np.flatnonzero(paths.reachable).tolist():
                tails = g.reverse.indices[g.reverse.indptr[x] : g.reverse.indptr[x + 1]]
                length = 1 if search is sp.bfs else 7
                fit = tails[paths.distances[tails] == paths.distances[x] - length]
                expected[x] = fit.min() if len(fit) else -1
            np.testing.assert_array_equal(paths.predecessors, expected)
            paths.verify()


def test_ties_far_from_where_their_paths_meet():
    """Two long rails that meet only at the source: walking back from every tie would cost too much."""
    half = 10_000
    rails = [(0, 1), (0, 2), *((v, v + 2) for v in range(1, 2 * half - 2))]
    ties = [(v, v + 1) for v in range(2 * half - 200, 2 * half - 2, 2)]  # odd ends have two tight in-edges
    u, v = np.array(rails + ties).T
    g = sp.Graph.from_edges(u, v, np.full(len(u), 7), num_vertices=2 * half)
    distances = 7 * ((np.arange(2 * half) + 1) // 2)
    trees = []
    for uniform in (False, True):
        for threads in (1, 2):
            tree = np.empty(g.num_vertices, dtype=np.int32)
            question = _core.Question(np.array([0]), threads=threads)
            _core.canonical_predecessors(g._native, question, distances, uniform, 7, tree)
            trees.append(tree)
    assert (trees[0][[b for _, b in ties]] == [b - 2 for _, b in ties]).all()
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree, trees[0])


def _hops(g):
    u = np.repeat(np.arange(g.num_vertices), np.diff(g.indptr))
    distances = np.full(g.num_vertices, 2**31 - 1, dtype=np.int32)
    distances[0], level = 0, 0
    while (near := g.indices[distances[u] == level]).size and (distances[near] == 2**31 - 1).any():
        level += 1
        distances[near] = np.minimum(distances[near], level)
    return distances


def test_recorded_predecessors_are_kept_and_checked():
    n, edges = NAMED["ties"]
    own = np.array([-1, 0, 0, 0, 3, 0, 5, 4], dtype=np.int32)
    paths = paths_of(n, edges, np.int32, recorded=own)
    assert paths.verify().predecessors.tolist() == own.tolist()
    assert paths.path(7).tolist() == [0, 3, 4, 7]
    assert paths_of(n, edges, np.int32).path(7).tolist() == [0, 1, 4, 7], "the canonical one is another"
    bad = paths_of(n, edges, np.int32, recorded=np.array([-1, 0, 0, 0, 7, 0, 5, 4], dtype=np.int32))
    with pytest.raises(sp.VerificationError):
        bad.verify()
    with pytest.raises(sp.VerificationError, match="vertex 7 lead nowhere"):
        bad.path(7)
    for wild in (99, -5):
        own[4] = wild
        with pytest.raises(sp.VerificationError):
            paths_of(n, edges, np.int32, recorded=own).path(7)


# Distances and paths ------------------------------------------------------------------------------------------------


def test_answers_speak_in_labels():
    r = labelled()
    assert (r.source, r.sources.tolist(), len(r)) == ("a", ["a"], 5)
    assert (r.distance("c"), r.distance("x")) == (8, sp.UNREACHABLE)
    assert type(r.distance("c")) is int
    assert r.path("c").tolist() == ["a", "b", "c"]
    assert r.path("a").tolist() == ["a"]
    assert [p.tolist() for p in r.paths_to(["c", "x", "a", "b"])] == [["a", "b", "c"], [], ["a"], ["a", "b"]]
    assert r.to_dict() == {"a": 0, "b": 5, "c": 8}
    assert r.reachable.tolist() == [True, True, True, False, False]
    with pytest.raises(sp.NoPathError, match="no path from 'a' to 'x'"):
        r.path("x")
    for call in (r.path, r.distance, lambda v: r.paths_to([v])):
        with pytest.raises(sp.GraphError):
            call("nobody")


def test_path_lists():
    r = paths_of(*NAMED["grid"], np.float32)
    many = r.paths_to(np.arange(42))
    assert len(many) == 42
    for v, way in enumerate(many):
        assert way.tolist() == r.path(v).tolist()
    assert many[-1].tolist() == many[41].tolist()
    with pytest.raises(IndexError):
        many[42]
    assert len(r.paths_to([])) == 0
    many = r.paths_to(np.tile(np.arange(42), 1000))
    assert many.offsets[-1] == len(many.vertices) == 1000 * sum(len(r.path(v)) for v in range(42))


@pytest.mark.parametrize(
    ("dtype", "unreachable", "scalar"),
    [
        (np.int32, sp.UNREACHABLE, sp.UNREACHABLE),
        (np.float32, inf, inf),
        (np.float64, inf, inf),
        (None, sp.UNREACHABLE, sp.UNREACHABLE),
        ("hops", 2**31 - 1, sp.UNREACHABLE),
    ],
)
def test_what_stands_for_unreached(dtype, unreachable, scalar):
    r = paths_of(*NAMED["unreachable"], dtype)
    assert (r.unreachable, r.distances[5], r.distance(5), r.predecessors[5]) == (unreachable, unreachable, scalar, -1)
    assert not r.reachable[5]


def test_a_cutoff_is_said():
    r = paths_of(*NAMED["triangle"], np.int32, distances=np.array([0, 5, sp.UNREACHABLE]), bound=6)
    assert r.verify().predecessors.tolist() == [-1, 0, -1]
    with pytest.raises(sp.NoPathError, match="of length ≤ 6"):
        r.path(2)


# Python's protocols -------------------------------------------------------------------------------------------------


def test_arrays_are_read_only():
    r = labelled()
    for array in (r.distances, r.predecessors, r.reachable):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        Paths()


def test_numpy_and_dlpack_take_distances_without_a_copy():
    r = labelled()
    assert np.shares_memory(np.asarray(r), r.distances)
    assert np.asarray(r, dtype=np.float64).dtype == np.float64
    assert not np.shares_memory(np.array(r), r.distances)
    taken = np.from_dlpack(r)
    assert np.shares_memory(taken, r.distances) or np.lib.NumpyVersion(np.__version__) < "2.1.0"
    np.testing.assert_array_equal(taken, r.distances)


@pytest.mark.parametrize("recorded", [None, np.array([-1, 0, 0, 0, 2, 0, 5, 4], dtype=np.int32)])
def test_pickling(recorded):
    r = paths_of(*NAMED["ties"], np.int32, recorded=recorded, bound=50)
    tree = r.predecessors.tolist()
    copy = pickle.loads(pickle.dumps(r))  # noqa: S301
    assert copy.verify().predecessors.tolist() == tree
    assert copy.distances.tolist() == r.distances.tolist()
    assert (copy.bound, copy.hops, copy.explain()) == (50, False, r.explain())


def test_threads_share_one_answer():
    g, distances = wide_graph("ties")
    r = Paths._make(g, np.array([0]), distances, explanation=Explanation(method="oracle"))
    seen = []
    team = [threading.Thread(target=lambda: seen.append(r.predecessors)) for _ in range(6)]
    for t in team:
        t.start()
    for t in team:
        t.join()
    assert len(seen) == 6
    assert all(tree is seen[0] for tree in seen)


def test_repr_and_explain():
    r = labelled()
    assert repr(r) == "<Paths: from 'a', 3 of 5 reached, oracle on cpu, 0.500 s>"
    assert str(r.explain()).splitlines() == [
        "method   oracle",
        "reason   a test",
        "engine   cpu",
        "device   cpu",
        "threads  1",
        "seconds  0.500",
    ]
    text = str(Explanation(method="delta-stepping", delta=0.25, rounds=1234, bytes_copied=10**9, seconds=1))
    assert "delta         0.25\nrounds        1,234\nbytes copied  1,000,000,000\n" in text
    with pytest.raises(AttributeError):
        r.explain().method = "other"


def test_verify_returns_the_answer_and_takes_another_graph():
    n, edges = NAMED["triangle"]
    r = paths_of(n, edges, np.int32)
    assert sp.verify(r.graph, r) is r
    with pytest.raises(sp.VerificationError, match="improves"):
        sp.verify(graph_of(n, [*edges, (0, 2, 7)], np.int32), r)


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("family", ["grid", "rmat", "random", "ties"])
def test_a_prepared_graph_has_the_same_canonical_tree(family, dtype, threads, vectors, monkeypatch):
    """Found from few of the edges, in rows of four or from both sides: the tree is that of the plain rows."""
    monkeypatch.setenv("STEPPE_NUM_THREADS", threads)
    g = {
        "grid": lambda: sp.generate.grid(60, 70, seed=3),
        "rmat": lambda: sp.generate.rmat(11, 16, seed=3),
        "random": lambda: sp.generate.random(3000, 40_000, seed=3),
        "ties": lambda: sp.generate.random(3000, 40_000, seed=3, weights=(1, 4)),
    }[family]()
    weights = (g.weights / (7 if dtype[0] == "f" else 1)).astype(dtype)
    plain = sp.Graph.from_csr(g.indptr, g.indices, weights, directed=g.directed)
    ready = sp.Graph.from_csr(g.indptr, g.indices, weights, directed=g.directed).prepare()
    for options in ({}, {"cutoff": float(np.median(weights)) * 3}, {"targets": [17, 2000]}):
        expected = sp.sssp(plain, 5, method="dijkstra", **options)
        found = sp.sssp(ready, 5, method="delta-stepping", **options)
        np.testing.assert_array_equal(found.predecessors, expected.predecessors)
        found.verify()


def test_weights_lost_in_rounding_do_not_confuse_a_prepared_graph():
    """Every edge around the ring is tight and none rises: the tree must come from the search over tight edges."""
    u, v = [0, 1, 2, 3, 1], [1, 2, 3, 1, 4]
    w = np.array([2.0**60, 1.0, 1.0, 1.0, 1.0])
    found = sp.sssp(sp.Graph.from_edges(u, v, w).prepare(), 0, method="delta-stepping")
    assert found.predecessors.tolist() == [-1, 0, 1, 2, 1]

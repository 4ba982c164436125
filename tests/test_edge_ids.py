"""Edges as their owner knows them: ids are rows of what was given, attributes add up along the tree; the oracle is plain Python."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe.cpu import along

UNREACHABLE = sp.UNREACHABLE


@st.composite
def edges(draw, lowest=0):
    """Few vertices, many edges: parallel ones, loops and ties are the rule."""
    n = draw(st.integers(1, 8))
    vertex = st.integers(0, n - 1)
    rows = draw(st.lists(st.tuples(vertex, vertex, st.integers(lowest, 4)), max_size=40))
    return n, rows, draw(st.booleans())


def built(n, rows, directed, dtype):
    u, v, w = (np.array(x, dtype=np.int64) for x in (zip(*rows, strict=True) if rows else ((), (), ())))
    return sp.Graph.from_edges(u, v, w.astype(dtype), num_vertices=n, directed=directed)


def lightest(rows, directed, a, b):
    """The row that an edge a → b was given in: the least weight, then the first row."""
    ways = [(w, i) for i, (u, v, w) in enumerate(rows) if (u, v) == (a, b) or (not directed and (v, u) == (a, b))]
    return min(ways)[1]


@settings(max_examples=examples(120), deadline=None)
@given(edges(), st.sampled_from(["int32", "int64", "float32", "float64"]))
def test_ids_and_sums_along_are_those_of_the_rows_given(case, dtype):
    n, rows, directed = case
    g = built(n, rows, directed, dtype)
    assert sorted(g.edge_ids.tolist()) == sorted(
        i for i, (u, v, _) in enumerate(rows) for _ in range(1 if directed or u == v else 2)
    )
    stored = zip(np.repeat(np.arange(n), g.degrees).tolist(), g.indices.tolist(), g.edge_ids.tolist(), strict=True)
    for u, v, i in stored:
        assert (u, v) == rows[i][:2] or (not directed and (v, u) == rows[i][:2])
    metres = 7 * np.arange(len(rows)) - 20
    tolls = [0.1 * i for i in range(len(rows))]
    for answer in (sp.sssp(g, 0), sp.bfs(g, 0), sp.sssp(g, 0, record_paths=True), sp.sssp(g, 0, cutoff=3)):
        whole, parts = answer.along(metres), answer.along(tolls)
        assert whole.dtype == np.int64
        assert parts.dtype == np.float64
        for v in range(n):
            if not answer.reachable[v]:
                assert whole[v] == UNREACHABLE
                assert parts[v] == np.inf
                continue
            path = answer.path(v).tolist()
            ids = [lightest(rows, directed, a, b) for a, b in itertools.pairwise(path)]
            assert answer.edge_ids(v).tolist() == ids
            assert whole[v] == sum(metres[i] for i in ids)
            total = 0.0
            for i in ids:
                total += tolls[i]
            assert parts[v] == total
    for v in range(n):
        r = sp.route(g, 0, v)
        path = r.vertices.tolist()
        assert r.edge_ids.tolist() == [lightest(rows, directed, a, b) for a, b in itertools.pairwise(path)]
        assert r.along(metres) == sum(metres[i] for i in r.edge_ids)


@settings(max_examples=examples(60), deadline=None)
@given(edges())
def test_ids_of_the_reverse_and_of_names(case):
    n, rows, directed = case
    g = built(n, rows, directed, "int32")
    if rows:
        named = sp.Graph.from_edges(
            *([f"v{x}" for x in ends] for ends in list(zip(*rows, strict=True))[:2]), relabel=True
        )
        number = [int(x[1:]) for x in named.labels.tolist()]
        stored = zip(np.repeat(np.arange(len(number)), named.degrees), named.indices, named.edge_ids, strict=True)
        assert all((number[u], number[v]) == rows[i][:2] for u, v, i in stored)
    r = g.reverse
    for u, v, i in zip(np.repeat(np.arange(n), r.degrees), r.indices, r.edge_ids, strict=True):
        assert (v, u) == rows[i][:2] or (not directed and (u, v) == rows[i][:2])
        assert rows[i][2] in r.weights
    back = sp.sssp(r, 0)
    for v in np.flatnonzero(back.reachable):
        path = back.path(v).tolist()
        assert back.edge_ids(v).tolist() == [lightest(rows, directed, b, a) for a, b in itertools.pairwise(path)]


def test_negative_weights_and_a_path_of_many_edges():
    n = 70_000
    u = np.arange(n)[::-1].copy()
    g = sp.Graph.from_edges(u, u + 1, np.full(n, -1), num_vertices=n + 1)
    r = sp.sssp(g, 0)
    assert r.along(np.ones(n, dtype=np.int8)).tolist() == list(range(n + 1))
    assert r.edge_ids(n).tolist() == u.tolist()


def test_nothing_is_kept_where_positions_are_ids():
    g = sp.Graph.from_edges([0, 0, 1], [2, 1, 2], [1, 2, 3])
    assert g._known_origin.is_settled
    assert g.edge_ids.tolist() == [0, 1, 2]
    rows = sp.Graph.from_csr([0, 2, 3, 3], [2, 1, 2], [1, 2, 3])
    assert sp.route(rows, 0, 1).edge_ids.tolist() == [1]


def test_arrays_are_referred_to_and_let_go():
    u, v = np.array([1, 0, 0], dtype=np.int32), np.array([2, 1, 2], dtype=np.int32)
    g = sp.Graph.from_edges(u, v)
    sources, targets, base = g._known_origin._ends()
    assert sources[0] is u or sources[0].base is u or np.shares_memory(sources[0], u)
    assert base == 0
    del targets
    assert g.edge_ids.dtype == np.int32
    assert g._known_origin._ends is None
    with pytest.raises(ValueError, match="read-only"):
        g.edge_ids[0] = 1


@pytest.mark.parametrize("change", [(0, 0), (0, 2), (1, 5), (2, -7), (0, 2**31 - 1)])
def test_changed_arrays_are_noticed(change):
    u, v = np.array([1, 0, 2], dtype=np.int32), np.array([2, 1, 0], dtype=np.int32)
    g = sp.Graph.from_edges(u, v)
    u[change[0]] = change[1]
    with pytest.raises(sp.GraphError, match="were changed since"):
        _ = g.edge_ids
    u[:] = [1, 0, 2]
    assert g.edge_ids.tolist() == [1, 0, 2]  # nothing was kept of the failure


def test_who_does_not_know_says_so():
    g = sp.generate.grid(3, 3)
    for ask in (lambda: g.edge_ids, lambda: sp.route(g, 0, 8).edge_ids, lambda: sp.sssp(g, 0).edge_ids(8)):
        with pytest.raises(sp.GraphError, match="does not know which edges"):
            ask()
    with pytest.raises(sp.GraphError, match="no attribute 'metres'"):
        sp.sssp(sp.Graph.from_edges([0], [1]), 0).along("metres")
    with pytest.raises(sp.GraphError, match="2 values for 1 edges"):
        sp.sssp(sp.Graph.from_edges([0], [1]), 0).along([1, 2])
    forward = sp.Graph.from_edges([1, 0], [0, 1])
    back = forward.reverse
    del forward
    with pytest.raises(sp.GraphError, match="reverse of is gone"):
        _ = back.edge_ids


def test_sums_beyond_64_bits_are_an_error():
    g = sp.Graph.from_edges([0, 1], [1, 2])
    r = sp.sssp(g, 0)
    assert r.along([2**62, 2**62 - 2]).tolist() == [0, 2**62, 2**63 - 2]
    assert r.along([-(2**62), -(2**62)]).tolist() == [0, -(2**62), -(2**63)]
    for values in ([2**62, 2**62 - 1], [-(2**62), -(2**62) - 1]):
        with pytest.raises(sp.DistanceOverflowError, match="add up to more than 64 bits"):
            r.along(values)
    assert sp.route(g, 0, 2).along([2**62, 2**62]) == 2**63  # a number of Python's


def test_a_damaged_tree_is_told():
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 1], [1, 1, 1])
    reachable = np.ones(3, dtype=bool)
    with pytest.raises(sp.DistanceOverflowError, match="in a circle"):
        along.sums(g, np.array([-1, 2, 1], dtype=np.int32), reachable, [1, 1, 1], threads=1)
    with pytest.raises(sp.VerificationError, match="no edge leads to vertex 2"):
        along.sums(g, np.array([-1, 0, 0], dtype=np.int32), reachable, [1, 1, 1], threads=1)
    with pytest.raises(sp.VerificationError, match="no edge leads to vertex 2"):
        along.path_edges(g, np.array([0, 2]))


def test_one_vertex_no_edges():
    g = sp.Graph.from_edges([], [], num_vertices=1)
    r = sp.sssp(g, 0)
    assert r.edge_ids(0).tolist() == []
    assert r.along([]).tolist() == [0]
    assert sp.Graph.from_edges([], [], num_vertices=0).edge_ids.tolist() == []


def test_many_edges_on_all_threads():
    """Strips, chunks and polls: a graph of a million edges, against NumPy's stable sort."""
    rng = np.random.default_rng(1)
    n, m = 50_000, 1_000_000
    u, v, w = rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(1, 100, m)
    g = sp.Graph.from_edges(u, v, w, num_vertices=n)
    order = np.argsort(u, kind="stable")
    assert np.array_equal(g.edge_ids, order)
    assert np.array_equal(w[g.edge_ids], g.weights)
    r = sp.sssp(g, 0)
    assert np.array_equal(r.along(w), r.distances)
    assert np.array_equal(r.along(w.astype(np.float32)), np.where(r.reachable, r.distances, np.inf))


@pytest.mark.parametrize("again", [lambda g: pickle.loads(pickle.dumps(g)), copy.deepcopy])  # noqa: S301
def test_copies_keep_what_was_asked_for(again):
    g = sp.Graph.from_edges([1, 0], [0, 1], [3, 4], directed=False)
    with pytest.raises(sp.GraphError, match="pickle"):
        _ = again(g).edge_ids
    ids = g.edge_ids.tolist()
    assert again(g).edge_ids.tolist() == ids


def test_pickles_of_reverse_graphs():
    g = sp.Graph.from_edges([1, 0, 2], [0, 1, 1], [3, 4, 5])
    r = g.reverse
    with pytest.raises(sp.GraphError, match="pickle"):
        _ = pickle.loads(pickle.dumps(r)).edge_ids  # noqa: S301
    ids = r.edge_ids.tolist()
    assert pickle.loads(pickle.dumps(r)).edge_ids.tolist() == ids  # noqa: S301
    lost = sp.Graph.from_edges([1, 0, 2], [0, 1, 1], [3, 4, 5]).reverse  # its forward graph is gone
    assert pickle.loads(pickle.dumps(lost)).weights.tolist() == lost.weights.tolist()  # noqa: S301


@pytest.mark.parametrize(
    "state",
    [
        7,
        (2, None, {}, None),
        (1, np.array([0, 5, 0]), {}, None),
        (1, "ids", {}, None),
        (1, np.zeros(3), {}, None),
        (3, None, {"a": np.ones(2)}, None),
    ],
)
def test_pickles_of_anything(state):
    g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2])
    with pytest.raises(sp.GraphError, match="none of this graph"):
        g.__setstate__(state)


def test_many_names_on_all_threads():
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 30_000, (2, 100_000))
    u, v = (np.array([f"v{x}" for x in side]) for side in ends)
    g = sp.Graph.from_edges(u, v, relabel=True)
    assert np.array_equal(g.labels, np.unique(np.concatenate([u, v])))
    sources = np.repeat(np.arange(g.num_vertices), g.degrees)
    assert np.array_equal(g.labels[sources], u[g.edge_ids])
    assert np.array_equal(g.labels[g.indices], v[g.edge_ids])

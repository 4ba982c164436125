"""Contraction: rows of a graph like roads, swept for sixteen sources at once, are those of single searches; what is no road is searched."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import edge_checks
import graphs
import steppe as sp
from conftest import examples
from steppe import _core
from steppe.prepared.preparation import State
from test_floyd_warshall import VECTORS, vectors

FAR = sp.UNREACHABLE
TYPES = [t for t in edge_checks.TYPES if t is None or np.dtype(t).kind == "i"]


def road(n, dtype="int32", directed=True, seed=0):
    """A few hundred streets: a grid with holes, one-way streets and dead ends."""
    rng = np.random.default_rng(seed)
    place = np.arange(n * n).reshape(n, n)
    u = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel(), place[:, 1:].ravel()])
    v = np.concatenate([place[:, 1:].ravel(), place[1:].ravel(), place[:, :-1].ravel()])
    kept = rng.random(len(u)) < (0.7 if directed else 0.4)
    w = rng.integers(0, 50, kept.sum())
    return sp.Graph.from_edges(u[kept], v[kept], w.astype(dtype), num_vertices=n * n, directed=directed)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
@pytest.mark.parametrize("width", VECTORS)
def test_named_graphs(dtype, width):
    with vectors(width):
        for name, (n, edges) in graphs.NAMED.items():
            for threads in (1, 3):
                expected = edge_checks.matrix(n, edges, dtype, range(n))
                g = answers.graph_of(n, edges, dtype)
                assert np.array_equal(sp.all_pairs(g, method="contraction", device="cpu", threads=threads), expected), (
                    name
                )


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("width", VECTORS)
def test_every_row_is_that_of_a_search(dtype, directed, width):
    g = road(25, dtype, directed)
    rng = np.random.default_rng(1)
    sources, columns = rng.integers(0, 625, 37), rng.integers(0, 625, 20)
    expected = sp.distances(g, sources, method="dijkstra", device="cpu")
    assert (expected == FAR).any()
    with vectors(width):
        for threads in (1, 2, 3):
            got = sp.distances(g, sources, method="contraction", device="cpu", threads=threads)
            assert np.array_equal(got, expected)
        assert "contraction" in g.prepared
        some = sp.distances(g, sources, columns, method="contraction", device="cpu", threads=2)
        near = sp.distances(g, sources, columns, method="contraction", device="cpu", cutoff=300)
    assert np.array_equal(some, expected[:, columns])
    assert np.array_equal(near, np.where(some <= 300, some, FAR))


@given(
    edges=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2**31 - 1)), max_size=40),
    sources=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    columns=st.none() | st.lists(st.integers(0, 9), min_size=1, max_size=12),
    cutoff=st.none() | st.integers(0, 2**34),
    dtype=st.sampled_from(["int32", "int64"]),
    directed=st.booleans(),
    threads=st.integers(1, 3),
)
@settings(max_examples=examples(200), deadline=None)
def test_any_question(edges, sources, columns, cutoff, dtype, directed, threads):
    u, v, w = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    g = sp.Graph.from_edges(u, v, w.astype(dtype), num_vertices=10, directed=directed)
    asked = {"cutoff": cutoff, "threads": threads, "device": "cpu"}
    expected = sp.distances(g, sources, columns, method="dijkstra", **asked)
    assert np.array_equal(sp.distances(g, sources, columns, method="contraction", **asked), expected)
    assert "contraction" in g.prepared


@pytest.mark.parametrize("most", [2**31 - 3, 2**31 - 2, 2**31 - 1, 2**62 - 2**40, 2**62, 2**63 - 2])
def test_long_ways(most):
    """At the edges of 32 and 64 bits; where the longest way might not fit there is no contraction, and searches tell."""
    g = sp.Graph.from_edges([0, 1], [1, 2], np.array([most // 2, most - most // 2]))
    got = sp.distances(g, [0, 2, 1], method="contraction").tolist()
    assert got == [[0, most // 2, most], [FAR, FAR, 0], [FAR, 0, most - most // 2]]
    assert ("contraction" in g.prepared) == (most < 2**62)


def test_a_distance_that_does_not_fit_is_an_error():
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([2**62, 2**62, 2**62]))
    with pytest.raises(sp.DistanceOverflowError, match="from 0"):
        sp.distances(g, [3, 0], method="contraction")


def test_floats_and_negative_weights_are_refused():
    with pytest.raises(ValueError, match="only integers bear"):
        sp.distances(sp.Graph.from_edges([0], [1], [0.5]), [0], method="contraction")
    with pytest.raises(sp.NegativeWeightError, match="contraction needs non-negative weights"):
        sp.distances(sp.Graph.from_edges([0], [1], [-1]), [0], method="contraction")


def test_what_takes_too_much_work_is_given_up_and_not_tried_again():
    g = sp.generate.random(2000, 4000, seed=1)
    assert _core.contract(g._native, 1000) is None
    from steppe.prepared.making import make

    assert make(g, "contraction", limit=2e-6) is None
    assert g.prepared.slot("contraction").state == State("refused", limit=2e-6)
    assert make(g, "contraction", limit=7e-6) is None
    expected = sp.distances(g, range(50), method="dijkstra", device="cpu")
    matrix = np.empty_like(expected)
    from steppe.cpu import many
    from steppe.planning.call import Call
    from steppe.planning.question import ask

    many.run(g, ask(g, Call.DISTANCES, np.arange(50)), "contraction", None, matrix)  # by searches
    assert np.array_equal(matrix, expected)
    assert make(g, "contraction")


def test_a_star_is_no_square():
    """A hub of many dead ends: each look at its list counts as work."""
    n = 30_000
    g = sp.Graph.from_edges(np.zeros(n, int), np.arange(1, n + 1), np.arange(1, n + 1), directed=False)
    assert _core.contract(g._native, 10**6) is None


def test_the_plan():
    g = sp.generate.grid(150, 150, seed=1)
    few, many = (sp.plan(g, "distances", sources=rows, threads=2) for rows in (20, 20_000))
    assert few.method == "delta-stepping"
    assert many.method == "contraction"
    assert many.makes == many.uses == ("contraction",)
    assert 0 < many.making["contraction"].seconds < many.making["contraction"].limit < 1000
    assert "making" in str(many)
    with pytest.warns(DeprecationWarning, match="write Plan.making"):
        assert many.work_limit > 0
    with pytest.warns(DeprecationWarning, match="write Plan.makes"):
        assert many.prepares
    assert few.makes == few.uses == ("packed",)
    assert 0 < few.missing["contraction"] < many.making["contraction"].seconds + 1e-9
    assert many.estimates["contraction"] < many.estimates["delta-stepping"]
    assert sp.plan(g, "distances", sources=20_000, cutoff=9, threads=2).method == "delta-stepping"
    real = sp.Graph.from_csr(g.indptr, g.indices, g.weights.astype("float32"), directed=False)
    assert "contraction" not in sp.plan(real, "all_pairs", threads=2).estimates
    expected = sp.distances(g, range(5), method="dijkstra", device="cpu")
    assert np.array_equal(sp.distances(g, range(5), method="contraction", device="cpu"), expected)
    kept = sp.plan(g, "distances", sources=20, threads=2)  # it has been made: few rows gain by it, too
    assert kept.method == "contraction"
    assert (kept.makes, kept.uses) == ((), ("contraction",))


def test_the_plan_remembers_what_was_in_vain():
    g = sp.generate.grid(150, 150, seed=1)
    g.prepared.slot("contraction").limit = 1e9
    assert sp.plan(g, "all_pairs", threads=2).method == "delta-stepping"


def test_forms():
    g = road(22)
    n = g.num_vertices
    expected = sp.all_pairs(g, method="dijkstra", device="cpu")
    sources, targets = np.random.default_rng(0).integers(0, n, (2, 300))
    assert np.array_equal(
        sp.distances(g, sources, targets, pairs=True, method="contraction"), expected[sources, targets]
    )
    assert np.array_equal(
        sp.distances(g, sources, method="contraction", dtype="uint16")[7] % 65535, expected[sources[7]] % FAR
    )
    assert np.array_equal(
        np.concatenate([b.distances for b in sp.distance_blocks(g, method="contraction", rows=33)]), expected
    )
    reached = np.where(expected == FAR, 0, expected)
    assert np.array_equal(sp.all_pairs(g, reduce="sum", method="contraction"), reached.sum(axis=1))
    assert np.array_equal(sp.all_pairs(g, method="contraction", reverse=True), expected.T)
    both = sp.all_pairs(g, method="contraction", predecessors=True)
    assert np.array_equal(both.predecessors, sp.all_pairs(g, method="dijkstra", predecessors=True).predecessors)
    seen = []
    sp.distances(g, range(100), method="contraction", progress=lambda p: seen.append(p.done), threads=1)
    assert seen[-1] == 100

"""Floyd-Warshall in tiles: exact for integers, every other method's bits by the essential edges, near enough as it adds floats itself."""

from contextlib import contextmanager

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

FAR = sp.UNREACHABLE
VECTORS = ["avx512", "avx2", "none"]


@contextmanager
def vectors(wanted):
    """Let the products use these, or what the processor has of them."""
    before = _core.testing.use_min_plus_vectors(wanted)
    try:
        yield
    finally:
        _core.testing.use_min_plus_vectors(before)


def dense(n, dtype, *, seed=0, share=0.5, top=1000, parts=1):
    """A graph in which this share of all arcs exists, within `parts` parts that nothing joins."""
    rng = np.random.default_rng(seed)
    u, v = np.divmod(np.flatnonzero(rng.random(n * n) < share), n)
    inside = u % parts == v % parts
    u, v = u[inside], v[inside]
    w = rng.integers(0, top, len(u)) if np.dtype(dtype).kind == "i" else rng.random(len(u)) * top
    return sp.Graph.from_edges(u, v, w.astype(dtype), num_vertices=n)


@pytest.mark.parametrize("dtype", edge_checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
@pytest.mark.parametrize("width", VECTORS)
def test_named_graphs(dtype, width):
    chosen = dict(graphs.NAMED)
    floats = dtype is not None and np.dtype(dtype).kind == "f"
    chosen |= graphs.FLOAT if floats else {}
    with vectors(width):
        for name, (n, edges) in chosen.items():
            for threads in (1, 3):
                expected = edge_checks.matrix(n, edges, dtype, range(n))
                g = answers.graph_of(n, edges, dtype)
                got = sp.all_pairs(g, method="essential-edges", device="cpu", threads=threads)
                assert got.dtype == expected.dtype
                assert np.array_equal(got, expected), (name, threads)
                got = sp.all_pairs(g, method="floyd-warshall", device="cpu", threads=threads)
                assert np.allclose(got, expected, rtol=1e-6) if floats else np.array_equal(got, expected), name


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("n", [1, 95, 96, 97, 250])
@pytest.mark.parametrize("width", VECTORS)
def test_blocks_of_any_size(dtype, n, width):
    g = dense(n, dtype, seed=n, parts=1 + n % 3)
    expected = sp.all_pairs(g, method="dijkstra", device="cpu")
    with vectors(width):
        got = sp.all_pairs(g, method="essential-edges", device="cpu", threads=2)
        raw = sp.all_pairs(g, method="floyd-warshall", device="cpu", threads=2)
    assert np.array_equal(got, expected)
    if np.dtype(dtype).kind == "i":
        assert np.array_equal(raw, expected)
    else:
        reached = np.isfinite(expected)
        assert np.array_equal(np.isfinite(raw), reached)
        error = np.abs(raw[reached].astype(float) - expected[reached])
        assert (error <= n * np.finfo(dtype).eps * expected[reached]).all()


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 2**31 - 1)), max_size=40),
    sources=st.lists(st.integers(0, 7), max_size=9),
    targets=st.none() | st.lists(st.integers(0, 7), max_size=5),
    cutoff=st.none() | st.integers(0, 2**33),
    dtype=st.sampled_from([np.int32, np.int64]),
)
@settings(max_examples=examples(100), deadline=None)
def test_any_small_graph(edges, sources, targets, cutoff, dtype):
    g = answers.graph_of(8, edges, dtype)
    expected = edge_checks.matrix(8, edges, dtype, sources).reshape(len(sources), 8).astype(np.int64)
    expected = expected if cutoff is None else np.where(expected <= cutoff, expected, FAR)
    expected = expected if targets is None else expected[:, targets]
    got = sp.distances(g, sources, targets, cutoff=cutoff, method="floyd-warshall", device="cpu", threads=2)
    assert np.array_equal(got, expected)


@given(data=st.data(), dtype=st.sampled_from([np.float32, np.float64]))
@settings(max_examples=examples(60), deadline=None)
def test_essential_edges_give_every_methods_bits(data, dtype):
    """Weights from a few numbers whose sums round differently in different orders, ties, zeros, "no edge" and distant magnitudes."""
    numbers = [0.0, -0.0, 0.1, 0.2, 0.3, 1 / 3, 1e-7, 1e7, np.inf, 2.5]
    arcs = st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(numbers))
    edges = data.draw(st.lists(arcs, max_size=90))
    g = answers.graph_of(10, edges, dtype)
    expected = sp.all_pairs(g, method="dijkstra", device="cpu")
    assert np.array_equal(sp.all_pairs(g, method="essential-edges", device="cpu"), expected)
    cutoff = data.draw(st.sampled_from([0.0, 0.6, 2.5, 1e7]))
    expected[expected.astype(float) > cutoff] = np.inf
    assert np.array_equal(sp.all_pairs(g, method="essential-edges", device="cpu", cutoff=cutoff), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_points_in_a_plane_where_every_edge_is_essential(dtype):
    points = np.random.default_rng(3).random((120, 2))
    u, v = np.divmod(np.arange(120 * 120), 120)
    apart = np.hypot(*(points[u] - points[v]).T).astype(dtype)
    g = sp.Graph.from_edges(u[u != v], v[u != v], apart[u != v])
    assert np.array_equal(sp.all_pairs(g, method="essential-edges"), sp.all_pairs(g, method="dijkstra"))


def test_sums_beyond_32_bits_are_found_again_in_64():
    n, w = 300, 2**30
    g = sp.Graph.from_edges(np.arange(n - 1), np.arange(1, n), np.full(n - 1, w, dtype=np.int32))
    got = sp.all_pairs(g, method="floyd-warshall")
    ahead = np.arange(n)[None, :] - np.arange(n)[:, None]
    assert np.array_equal(got, np.where(ahead >= 0, ahead * w, FAR))
    assert sp.distances(g, [0], [2], method="floyd-warshall").tolist() == [[2 * w]]


def test_sums_beyond_64_bits_are_an_error_unless_nobody_asked_for_them():
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([2**62, 2**62, 1]))
    with pytest.raises(sp.DistanceOverflowError, match="from 0"):
        sp.all_pairs(g, method="floyd-warshall")
    assert sp.distances(g, [0], [1], method="floyd-warshall").tolist() == [[2**62]]
    with pytest.raises(sp.DistanceOverflowError, match="from 0"):
        sp.distances(g, [0], [3], method="floyd-warshall")
    assert sp.all_pairs(g, method="floyd-warshall", cutoff=2**62)[0].tolist() == [0, 2**62, FAR, FAR]
    for name, (n, edges) in graphs.HUGE.items():
        g = answers.graph_of(n, edges, np.int64)
        expected = edge_checks.matrix(n, edges, np.int64, range(n))
        assert np.array_equal(sp.all_pairs(g, method="floyd-warshall"), expected), name


@pytest.mark.parametrize("has", VECTORS)
def test_auto_takes_it_for_dense_graphs_and_says_what_it_expects(monkeypatch, has):
    monkeypatch.setattr(_core, "min_plus_vectors", lambda: has)  # the plan is made for this processor
    whole, real, sparse = dense(400, "int32"), dense(400, "float32"), sp.generate.grid(60, 60, seed=1)
    plan = sp.plan(whole, "all_pairs")
    assert plan.method == "floyd-warshall"
    assert plan.estimates["floyd-warshall"] < plan.estimates["delta-stepping"]
    assert "floyd-warshall" in str(plan)
    assert sp.plan(real, "all_pairs").method == "essential-edges"
    assert sp.plan(sparse, "all_pairs").method not in ("floyd-warshall", "essential-edges")
    assert sp.plan(whole, "distances", sources=3).method == "delta-stepping"
    assert sp.plan(whole, "all_pairs", memory_limit=100_000, out="x.npy").method == "delta-stepping"
    assert sp.plan(whole, "all_pairs", memory_limit=10_000_000, out="x.npy").method == "floyd-warshall"
    for g in (whole, real):
        assert np.array_equal(sp.all_pairs(g), sp.all_pairs(g, method="dijkstra"))


def test_other_forms(tmp_path):
    g = dense(130, "int32", share=0.8)
    expected = sp.all_pairs(g, method="dijkstra")
    written = sp.all_pairs(g, method="floyd-warshall", out=tmp_path / "d.npy", dtype="uint16")
    assert np.array_equal(written, expected)
    near = sp.all_pairs(g, method="floyd-warshall", cutoff=20, sparse=True)
    assert near.nnz == (expected <= 20).sum()
    labelled = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
    assert sp.distances(labelled, ["b", "a"], ["c"], method="floyd-warshall").tolist() == [[3], [8]]
    assert sp.all_pairs(sp.Graph.from_edges([], [], num_vertices=0), method="floyd-warshall").shape == (0, 0)
    with pytest.raises(sp.NegativeWeightError):
        sp.all_pairs(sp.Graph.from_edges([0], [1], [-1]), method="floyd-warshall")


def test_ctrl_c_is_heard():
    seen = []

    def stop(progress):
        seen.append(progress)
        raise KeyboardInterrupt

    g = dense(1500, "int32", share=1.0)
    with pytest.raises(KeyboardInterrupt):
        sp.all_pairs(g, method="floyd-warshall", progress=stop, threads=1)
    assert len(seen) == 1


@pytest.mark.parametrize("method", ["floyd-warshall", "essential-edges"])
def test_all_pairs_at_once_keep_to_the_limit(method):
    """One row is asked for, but the method would hold all: it is refused before anything is allocated."""
    g = sp.generate.grid(150, 150)
    with pytest.raises(sp.ResultSizeError, match="distances of all pairs") as full:
        sp.distances(g, [0], method=method, memory_limit=10**8)
    assert full.value.needed > full.value.free == 10**8


@pytest.mark.parametrize("method", ["floyd-warshall", "essential-edges"])
def test_a_sum_beyond_the_cutoff_is_no_overflow(method):
    g = sp.Graph.from_edges([0, 1], [1, 2], np.array([2**63 - 3, 2]))
    found = sp.all_pairs(g, cutoff=2**63 - 2, method=method)
    np.testing.assert_array_equal(found, sp.all_pairs(g, cutoff=2**63 - 2, method="dijkstra"))
    with pytest.raises(sp.DistanceOverflowError):
        sp.all_pairs(g, method=method)

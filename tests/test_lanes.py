"""Lanes: rows of sixteen sources at once have the bits of single searches, for every type, and leave to searches what they cannot tell."""

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
from test_floyd_warshall import VECTORS, vectors

FAR = sp.UNREACHABLE


def random_graph(n, m, dtype, seed=0, top=255):
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, m))
    w = rng.integers(0, top, m) if np.dtype(dtype).kind == "i" else rng.random(m) * top
    return sp.Graph.from_edges(u, v, w.astype(dtype), num_vertices=n)


def left_by_lanes(g, sources, columns=None):
    """The rows that lanes leave to searches."""
    width = g.num_vertices if columns is None else len(columns)
    out = np.empty(len(sources) * width, dtype=sp.distances(g, sources[:1]).dtype)
    question = _core.Question(np.asarray(sources, dtype=np.int64), max_weight=float(g.max_weight))
    return _core.lanes(g._native, g.reverse._native, question, columns, out).tolist()


@pytest.mark.parametrize("dtype", edge_checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
@pytest.mark.parametrize("width", VECTORS)
def test_named_graphs(dtype, width):
    floats = dtype is not None and np.dtype(dtype).kind == "f"
    chosen = dict(graphs.NAMED) | (graphs.FLOAT if floats else {})
    with vectors(width):
        for name, (n, edges) in chosen.items():
            for threads in (1, 3):
                expected = edge_checks.matrix(n, edges, dtype, range(n))
                got = sp.all_pairs(answers.graph_of(n, edges, dtype), method="batched", device="cpu", threads=threads)
                assert got.dtype == expected.dtype
                assert np.array_equal(got, expected), (name, threads)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("width", VECTORS)
@pytest.mark.parametrize(("n", "m", "count"), [(1, 0, 3), (7, 20, 7), (600, 3000, 49), (3000, 12_500, 37)])
def test_every_row_has_the_bits_of_a_search(dtype, width, n, m, count):
    g = random_graph(n, m, dtype, seed=n)
    sources = np.random.default_rng(1).integers(0, n, count)
    columns = np.random.default_rng(2).integers(0, n, 70)
    expected = sp.distances(g, sources, method="dijkstra", device="cpu")
    with vectors(width):
        for threads in (1, 2, 3):
            got = sp.distances(g, sources, method="batched", device="cpu", threads=threads)
            assert np.array_equal(got, expected)
        some = sp.distances(g, sources, columns, method="batched", device="cpu", threads=2)
    assert np.array_equal(some, expected[:, columns])
    assert left_by_lanes(g, sources) == []


@given(
    edges=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2**31 - 1)), max_size=40),
    sources=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    columns=st.none() | st.lists(st.integers(0, 9), min_size=1, max_size=12),
    cutoff=st.none() | st.integers(0, 2**32),
    dtype=st.sampled_from(["int32", "int64", "float32", "float64"]),
    directed=st.booleans(),
    threads=st.integers(1, 3),
)
@settings(max_examples=examples(150), deadline=None)
def test_any_question(edges, sources, columns, cutoff, dtype, directed, threads):
    u, v, w = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    g = sp.Graph.from_edges(u, v, w.astype(dtype), num_vertices=10, directed=directed)
    asked = {"cutoff": cutoff, "threads": threads, "device": "cpu"}
    expected = sp.distances(g, sources, columns, method="dijkstra", **asked)
    assert np.array_equal(sp.distances(g, sources, columns, method="batched", **asked), expected)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sums_at_the_edge_of_the_narrow_type_are_left_to_searches(dtype):
    most = 2**31 - 2 if dtype == "int32" else 2**63 - 2
    path = [most // 2, most - most // 2]
    fits = sp.Graph.from_edges([0, 1], [1, 2], np.array(path, dtype))
    assert sp.distances(fits, [0], method="batched").tolist() == [[0, path[0], most]]
    more = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([*path, 1], dtype))
    assert left_by_lanes(more, [3, 0]) == [0, 1]  # one batch
    if dtype == "int32":
        assert sp.distances(more, [0], method="batched").tolist() == [[0, path[0], most, most + 1]]
    else:
        with pytest.raises(sp.DistanceOverflowError, match="from 0"):
            sp.distances(more, [3, 0], method="batched")
        assert sp.distances(more, [3, 0], method="batched", cutoff=most).tolist() == [
            [FAR, FAR, FAR, 0],
            [0, path[0], most, FAR],
        ]


def test_where_paths_have_many_edges_searches_go_on():
    g = sp.generate.grid(60, 60, seed=1)
    sources = list(range(0, 3600, 40))
    left = left_by_lanes(g, sources)
    assert left == list(range(90))[90 - len(left) :]
    assert left  # far more than forty rounds
    path = sp.Graph.from_edges(np.arange(999), np.arange(1, 1000), np.ones(999, "float32"), directed=False)
    for graph, some in ((g, sources), (path, [0, 500, 999])):
        expected = sp.distances(graph, some, method="delta-stepping", device="cpu")
        assert np.array_equal(sp.distances(graph, some, method="batched", device="cpu", threads=2), expected)


def test_forms():
    g = random_graph(500, 3000, "int32", seed=5)
    expected = sp.all_pairs(g, method="dijkstra", device="cpu")
    sources, targets = np.random.default_rng(0).integers(0, 500, (2, 300))
    assert np.array_equal(sp.distances(g, sources, targets, pairs=True, method="batched"), expected[sources, targets])
    assert np.array_equal(
        sp.distances(g, sources, method="batched", dtype="uint16")[7], expected[sources[7]].astype("uint16")
    )
    assert np.array_equal(
        np.concatenate([b.distances for b in sp.distance_blocks(g, method="batched", rows=33)]), expected
    )
    assert np.array_equal(
        np.concatenate([b.distances for b in sp.distance_blocks(g, method="batched", memory_limit=40_000)]), expected
    )
    reached = np.where(expected == FAR, 0, expected)
    assert np.array_equal(sp.all_pairs(g, reduce="sum", method="batched"), reached.sum(axis=1))
    assert np.array_equal(sp.all_pairs(g, method="batched", reverse=True), expected.T)
    both = sp.all_pairs(g, method="batched", predecessors=True)
    assert np.array_equal(both.predecessors, sp.all_pairs(g, method="dijkstra", predecessors=True).predecessors)
    near = sp.all_pairs(g, method="batched", sparse=True, cutoff=90)
    assert np.array_equal(near.toarray(), np.where(expected <= 90, expected, 0))


@pytest.mark.parametrize("has", ["avx512", "avx2"])
def test_the_plan_takes_lanes_for_many_rows_of_a_graph_that_is_no_road(monkeypatch, has):
    monkeypatch.setattr(_core, "min_plus_vectors", lambda: has)  # the plan is made for this processor
    g = random_graph(20_000, 100_000, "int32")
    plan = sp.plan(g, "distances", sources=1000, threads=2)
    assert plan.method == "batched"
    assert plan.estimates["batched"] < plan.estimates["delta-stepping"]
    assert plan.bytes_needed > 1000 * 20_000 * 8 + 2 * 64 * 20_000
    assert "batched" in str(plan)
    assert sp.plan(g, "distances", sources=100, threads=2).method == "delta-stepping"
    assert sp.plan(g, "distances", sources=1000, cutoff=10, threads=2).method == "delta-stepping"
    roads = sp.generate.grid(150, 150)
    assert "batched" not in sp.plan(roads, "all_pairs", threads=2).estimates


def test_the_plan_leaves_lanes_out_on_a_processor_without_vectors(monkeypatch):
    monkeypatch.setattr(_core, "min_plus_vectors", lambda: "none")
    plan = sp.plan(random_graph(20_000, 100_000, "int32"), "distances", sources=1000, threads=2)
    assert plan.method == "delta-stepping"
    assert "batched" not in plan.estimates


def test_progress_counts_sources():
    g = random_graph(2000, 10_000, "int32")
    seen = []
    sp.distances(g, range(100), method="batched", progress=lambda p: seen.append(p.done), threads=1)
    assert seen[-1] == 100
    assert seen == sorted(seen)


def test_negative_weights_are_refused():
    g = sp.Graph.from_edges([0, 1], [1, 2], [1, -1])
    with pytest.raises(sp.NegativeWeightError, match="batched needs non-negative weights"):
        sp.distances(g, [0], method="batched")


@pytest.mark.parametrize("threads", [1, 2])
def test_a_call_can_be_interrupted(threads):
    g = random_graph(50_000, 250_000, "int32")

    def stop(progress):
        if progress.done < 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.distances(g, range(400), range(10), method="batched", progress=stop, threads=threads)

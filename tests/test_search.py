"""What every search understands: cutoff, targets, recorded paths, labels, unweighted graphs, progress."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

import graphs
import steppe as sp
from answers import TYPES, graph_of, truth
from steppe.planning import capabilities

METHODS = [*capabilities.WEIGHTED, "bfs"]


def run(method, g, source, **options):
    return sp.bfs(g, source, **options) if method == "bfs" else sp.sssp(g, source, method=method, **options)


def expected_of(method, n, edges, dtype):
    return truth(n, edges, "hops" if method == "bfs" else dtype)


@pytest.fixture(params=[1, 2, 4], autouse=True)
def threads(request, monkeypatch):
    """The default of every search here, really used however small the graph."""
    monkeypatch.setattr("steppe.planning.plan.EDGES_PER_THREAD", 0)
    monkeypatch.setattr("steppe.planning.plan.SPARSE_EDGES_PER_THREAD", 0)
    monkeypatch.setenv("STEPPE_NUM_THREADS", str(request.param))
    return request.param


def cut(distances, bound):
    """The array with everything beyond the bound unreached."""
    none = np.inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).max
    return np.where(distances > bound, none, distances).astype(distances.dtype)


# Cutoff -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["zero weights", "zero cycle", "grid", "star", "path", "ties", "parallel edges"])
def test_cutoff_is_inclusive(method, dtype, name):
    n, edges = graphs.NAMED[name]
    g = graph_of(n, edges, dtype)
    full = expected_of(method, n, edges, dtype)
    for bound in (0, 1, 2, 2.5, 5, 5.999, 17, 2**31, 1e30, math.inf):
        for record in (False, True):
            r = run(method, g, 0, cutoff=bound, record_paths=record)
            assert np.array_equal(r.distances, cut(full, bound)), bound
            r.verify()


@pytest.mark.parametrize("method", METHODS[:-1])
def test_cutoff_of_another_type(method):
    tenths = graph_of(*graphs.FLOAT["tenths"], np.float32)
    third = np.float32(0.1) + np.float32(0.2)
    assert float(third) > 0.3  # so a cutoff of 0.3 must leave it out
    assert sp.sssp(tenths, 0, method=method, cutoff=0.3).verify().distances.tolist()[2] == math.inf
    assert sp.sssp(tenths, 0, method=method, cutoff=float(third)).verify().distances[2] == third
    assert sp.sssp(tenths, 0, method=method, cutoff=1e300).verify().reachable.all()
    integers = sp.Graph.from_edges([0, 1], [1, 2], [3, 4])
    for bound, reached in [(6.99, 2), (7.0, 3), (np.float32(7), 3), (np.int8(6), 2), (2**80, 3), (10**400, 3)]:
        assert sp.sssp(integers, 0, method=method, cutoff=bound).verify().reachable.sum() == reached
    assert sp.sssp(tenths, 0, method=method, cutoff=10**400).verify().reachable.all()


# Targets ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("name", "dtype"), [*((n, d) for n in graphs.NAMED for d in TYPES), *((n, np.float32) for n in graphs.FLOAT)]
)
def test_nothing_beyond_the_furthest_target(method, dtype, name):
    n, edges = {**graphs.NAMED, **graphs.FLOAT}[name]
    edges = [e for e in edges if e[2] != math.inf] if method == "bfs" else edges
    g = graph_of(n, edges, dtype)
    full = expected_of(method, n, edges, dtype)
    for targets in ([0], [n - 1], [n // 2], [n - 1, 0, n // 2], [n // 3] * 3):
        far = full[targets].max()
        lost = far == (np.inf if full.dtype.kind == "f" else np.iinfo(full.dtype).max)
        r = run(method, g, 0, targets=targets)
        assert np.array_equal(r.distances, full if lost else cut(full, far)), targets
        r.verify()
        recorded = run(method, g, 0, targets=targets, record_paths=True).verify()
        assert np.array_equal(recorded.distances, r.distances)
        for t in targets:
            if recorded.reachable[t]:
                assert recorded.path(t)[-1] == t


@pytest.mark.parametrize("method", METHODS)
def test_a_near_target_saves_work(method):
    g = sp.generate.grid(120, 120, seed=3)
    r = run(method, g, 0, targets=[125])
    assert r.verify().reachable[125]
    if method in ("dijkstra", "delta-stepping", "bfs"):
        assert r.explain().edges_relaxed < g.num_edges / 10


@pytest.mark.parametrize("method", METHODS)
def test_targets_and_cutoff_together(method):
    g = graph_of(*graphs.NAMED["path"], np.int64)
    full = expected_of(method, *graphs.NAMED["path"], np.int64)
    for bound in (0, 5, 10, 1000):
        r = run(method, g, 0, targets=[4], cutoff=bound).verify()
        assert np.array_equal(r.distances, cut(full, min(bound, full[4] if full[4] <= bound else bound)))


# Labels, no weights, paths ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_searches_speak_in_labels(method):
    g = sp.Graph.from_edges(["x", "y", "z"], ["y", "z", "w"], [1, 1, 1], relabel=True)
    r = run(method, g, "x", targets=["z"], record_paths=True).verify()
    assert r.to_dict() == {"x": 0, "y": 1, "z": 2}
    assert r.path("z").tolist() == ["x", "y", "z"]
    assert (r.source, r.distance("y")) == ("x", 1)
    with pytest.raises(sp.NoPathError):
        r.path("w")
    with pytest.raises(sp.GraphError, match="'q'"):
        run(method, g, "q")
    with pytest.raises(sp.GraphError, match="'q'"):
        run(method, g, "x", targets=["q"])
    with pytest.raises(sp.GraphError, match="list"):
        run(method, g, "x", targets="yz")


@pytest.mark.parametrize("method", METHODS)
def test_an_unweighted_graph_counts_edges(method):
    g = sp.generate.rmat(9, 8, weights=None, seed=1)
    matrix = sparse.csr_array((np.ones(g.num_edges), g.indices, g.indptr), shape=(g.num_vertices,) * 2)
    expected = csgraph.dijkstra(matrix, indices=0, unweighted=True)
    r = run(method, g, 0).verify()
    assert r.distances.dtype == (np.int32 if method == "bfs" else np.int64)
    assert np.array_equal(np.where(r.reachable, r.distances, np.inf), expected)


@pytest.mark.parametrize("method", METHODS)
def test_canonical_and_recorded_trees(method):
    g = sp.generate.grid(30, 40, weights=(0, 4), seed=5)
    plain, recorded = run(method, g, 17), run(method, g, 17, record_paths=True)
    assert np.array_equal(plain.distances, recorded.distances)
    plain.predecessors  # noqa: B018 - built here, then proven
    assert plain.verify().predecessors[17] == recorded.verify().predecessors[17] == -1
    if method != "bfs":
        reference = sp.sssp(g, 17, method="dijkstra", threads=1)
        assert np.array_equal(plain.predecessors, reference.predecessors)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("record", [False, True])
def test_one_vertex_and_no_edges(method, record):
    one = run(method, sp.Graph.from_edges([], [], num_vertices=1), 0, record_paths=record).verify()
    assert one.distances.tolist() == [0]
    assert one.predecessors.tolist() == [-1]
    alone = run(method, sp.Graph.from_edges([], [], [], num_vertices=3), 1, record_paths=record, targets=[1]).verify()
    assert alone.reachable.tolist() == [False, True, False]
    with pytest.raises(sp.GraphError, match="no vertices"):
        run(method, sp.Graph.from_edges([], []), 0)


# Progress -----------------------------------------------------------------------------------------------------------


def slow_graph():
    """Takes a while by every method."""
    return sp.generate.random(40_000, 500_000, weights="float64", seed=1)


def _search_seconds(paths):
    """Without the packing of the graph, which has no progress to tell."""
    return paths.explain().seconds - paths.explain().prepare_seconds


@pytest.mark.parametrize("method", capabilities.WEIGHTED)
def test_progress(method):
    g, seen = slow_graph(), []
    r = run(method, g, 0, progress=seen.append)
    assert all(isinstance(x, sp.Progress) and x.done >= 0 and x.unit == "edges" for x in seen)
    assert {x.total for x in seen} <= {g.num_edges}
    assert seen or _search_seconds(r) < 0.1

    class Enough(Exception):  # noqa: N818
        pass

    def stop(_):
        raise Enough

    # A search that ends before the first call, 20 ms after its start, has nothing to raise; one that takes longer must.
    try:
        again = run(method, g, 0, progress=stop)
    except Enough:
        again = run(method, g, 0)
    else:
        assert _search_seconds(again) < 0.1
    assert np.array_equal(again.distances, r.distances)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 2])
def test_minus_zero_among_prepared_rows(dtype, threads):
    r = np.random.default_rng(0)
    n, m, hub = (
        10_000,
        20_000,
        6_000,
    )  # the hub lets the search finish by pull, which reads rows in the order of their weights
    u, v = np.concatenate([r.integers(0, n, m), np.full(hub, 7)]), r.integers(0, n, m)
    v = np.concatenate([v, r.integers(0, n, hub)])
    w = r.choice(np.array([0.0, -0.0, 0.5, 1.0, 2.0], dtype=np.float32), len(u)).astype(dtype)
    g = sp.Graph.from_edges(u, v, w, num_vertices=n, directed=False)
    want = sp.sssp(g, 0, method="dijkstra").distances
    got = sp.sssp(g.prepare(), 0, method="delta-stepping", threads=threads)
    assert got.explain().note == "finished by pull"
    np.testing.assert_array_equal(got.verify().distances, want)

"""Scans: rows of every layout and length, with vectors and without, give the oracle's distances."""

import numpy as np
import pytest

import oracle
import steppe as sp
from steppe import _core

DTYPES = ["int32", "int64", "float32", "float64"]


def _roads(seed, n=3000):
    """Few edges a vertex, a few of them with up to 40, parallel edges and loops among them: rows of four, with links."""
    rng = np.random.default_rng(seed)
    u = np.concatenate([np.repeat(np.arange(n), 2), np.repeat(rng.integers(0, n, 20), 37), np.arange(0, n, 7)])
    v = np.concatenate(
        [(np.repeat(np.arange(n), 2) + rng.integers(1, 50, 2 * n)) % n, rng.integers(0, n, 740), np.arange(0, n, 7)]
    )
    return u, v, rng.integers(0, 1000, len(u))


def _hubs(seed, n=3000):
    """Two vertices point at everything, more edges than a scan has room for; the others have about ten."""
    rng = np.random.default_rng(seed)
    u = np.concatenate([np.zeros(n, int), np.full(n, 5), rng.integers(0, n, 10 * n)])
    v = np.concatenate([np.arange(n), np.arange(n), rng.integers(0, n, 10 * n)])
    return u, v, rng.integers(0, 1000, len(u))


def _stubs(seed, n=3000):
    """Most rows are shorter than a cache line, so that they are not spread out; some are not."""
    rng = np.random.default_rng(seed)
    u = np.concatenate([rng.integers(0, n, 2 * n), rng.integers(0, n // 20, 10 * n)])
    v = rng.integers(0, n, len(u))
    return u, v, rng.integers(0, 1000, len(u))


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", [_roads, _hubs, _stubs])
def test_every_layout_gives_the_oracles_distances(make, dtype, threads, vectors, monkeypatch):
    monkeypatch.setattr("steppe.planning.plan.EDGES_PER_THREAD", 0)
    monkeypatch.setattr("steppe.planning.plan.SPARSE_EDGES_PER_THREAD", 0)
    u, v, w = make(1)
    w = (w / 1000 if dtype[0] == "f" else w).astype(dtype)
    g = sp.Graph.from_edges(u, v, w, num_vertices=3000)
    expected = np.array(oracle.dijkstra(3000, zip(u, v, w, strict=True), [3]))
    for prepared in (False, True):
        if prepared:
            assert g.prepare()._native.form == ("quads" if make is _roads else "packed")
        for record_paths in (False, True):
            paths = sp.sssp(g, 3, method="delta-stepping", threads=threads, record_paths=record_paths)
            distances = np.where(paths.reachable, paths.distances, np.inf)
            np.testing.assert_array_equal(distances, expected.astype(distances.dtype))
            assert paths.explain().threads == threads
            paths.verify()
            if record_paths:
                assert len(paths.path(int(np.flatnonzero(paths.reachable)[-1]))) > 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("most", [8, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", [_roads, _hubs, _stubs])
def test_every_layout_gives_the_canonical_tree(make, dtype, most, threads, vectors, monkeypatch):
    """The tree from prepared rows is the one from plain rows; small weights make many ties, large ones few."""
    monkeypatch.setattr(sp.paths._threads, "resolve", lambda *_, **__: threads)
    u, v, w = make(2)
    w = (1 + w % most).astype(dtype)
    for s in (3, 700, 2999):
        plain, g = (sp.Graph.from_edges(u, v, w, num_vertices=3001) for _ in range(2))
        expected = sp.sssp(plain, s, threads=1).predecessors
        paths = sp.sssp(g.prepare(), s, threads=1)
        np.testing.assert_array_equal(paths.predecessors, expected)
        assert "packed" not in plain.prepared
        assert paths.predecessors[3000] == paths.predecessors[s] == -1


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("share", [0.01, 0.05])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("make", [_roads, _hubs, _stubs])
def test_weights_that_are_lost_leave_the_tree_canonical(make, directed, share, threads, vectors, monkeypatch):
    """A few weights too small to count put both ends of their edges at one distance, in pairs, chains and rings."""
    monkeypatch.setattr(sp.paths._threads, "resolve", lambda *_, **__: threads)
    u, v, w = make(3, n=600)
    lost = np.random.default_rng(4).random(len(w)) < share
    w = np.where(lost, 1e-9, 1 + w % 50).astype(np.float32)
    level = 0
    for s in (3, 70, 599):
        plain, g = (sp.Graph.from_edges(u, v, w, num_vertices=601, directed=directed) for _ in range(2))
        paths = sp.sssp(g.prepare(), s, threads=1)
        tails = np.repeat(np.arange(601), g.degrees)
        edges = list(zip(tails.tolist(), g.indices.tolist(), g.weights, strict=True))
        expected = np.array(oracle.predecessors(601, edges, [s], list(paths.distances)))
        np.testing.assert_array_equal(paths.predecessors, expected)
        np.testing.assert_array_equal(sp.sssp(plain, s, threads=1).predecessors, expected)
        level += np.count_nonzero((expected >= 0) & (paths.distances == paths.distances[expected]))
        paths.verify()
    assert level > 0, "no weight was lost"


def test_a_row_is_counted_edge_by_edge(vectors):
    """What fills a record up is no edge, and a link is none either."""
    n = 50
    ring = np.arange(n)
    u = np.concatenate([ring, np.zeros(11, int)])
    v = np.concatenate([(ring + 1) % n, np.arange(2, 13)])
    g = sp.Graph.from_edges(u, v, np.full(len(u), 1000))
    g.prepare()
    assert g._native.form == "quads"
    assert sp.sssp(g, 0, method="delta-stepping", threads=1, delta=1).explain().edges_relaxed == g.num_edges


@pytest.mark.parametrize(
    ("degrees", "quads"),
    [
        ([4] * 100, True),
        ([5] * 100, False),
        ([3] * 90 + [13] * 10, False),
        ([3] * 97 + [13] * 3, True),
        ([1] * 400 + [257], False),
    ],
)
def test_rows_of_four_are_for_short_lists(degrees, quads):
    rng = np.random.default_rng(0)
    u = np.repeat(np.arange(len(degrees)), degrees)
    g = sp.Graph.from_edges(u, rng.integers(0, len(degrees), len(u)), np.ones(len(u), np.int32)).prepare()
    assert g._native.form == ("quads" if quads else "packed")


def test_cutoff_and_targets_hold_in_rows_of_four(vectors):
    u, v, w = _roads(2)
    g = sp.Graph.from_edges(u, v, w, num_vertices=3000).prepare()
    whole = sp.sssp(g, 3, method="dijkstra")
    bound = int(np.median(whole.distances[whole.reachable]))
    near = sp.sssp(g, 3, method="delta-stepping", cutoff=bound)
    np.testing.assert_array_equal(near.reachable, whole.reachable & (whole.distances <= bound))
    target = int(np.flatnonzero(whole.distances == whole.distances[whole.reachable].max())[0])
    assert sp.sssp(g, 3, method="delta-stepping", targets=[target]).distance(target) == whole.distance(target)


def test_distances_beyond_32_bits_are_exact_in_rows_of_four(vectors):
    n = 20_000
    g = sp.Graph.from_edges(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 2**31 - 1)).prepare()
    assert g._native.form == "quads"
    np.testing.assert_array_equal(sp.sssp(g, 0, method="delta-stepping").distances, np.arange(n) * (2**31 - 1))


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("grid", [True, False])
def test_a_search_whose_threads_are_held_up_ends_on_one(grid, dtype, prepared, monkeypatch):
    """Without patience the first thread that waits for another ends the sharing; what was filed must not be lost."""
    monkeypatch.setattr("steppe.planning.plan.EDGES_PER_THREAD", 0)
    monkeypatch.setattr("steppe.planning.plan.SPARSE_EDGES_PER_THREAD", 0)
    g = sp.generate.grid(500, 500, seed=1) if grid else sp.generate.rmat(14, 16, seed=1)
    g = sp.Graph.from_csr(g.indptr, g.indices, g.weights.astype(dtype))
    expected = sp.sssp(g, 3, method="dijkstra").distances
    if prepared:
        g.prepare()
    before = _core.testing.set_patience(0)
    notes = set()
    try:
        for k in range(200 if grid else 20):
            paths = sp.sssp(g, 3, method="delta-stepping", threads=4, delta=8, record_paths=k % 2 == 0)
            np.testing.assert_array_equal(paths.distances, expected)
            notes.add(paths.explain().note)
            if k > 4 and any("held up" in note for note in notes):
                break
    finally:
        _core.testing.set_patience(before)
    assert not grid or any("held up" in note for note in notes)  # a small R-MAT is pulled before anybody waits


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_route_along_rows_of_four_is_as_long_as_the_search_says(dtype, vectors):
    u, v, w = _roads(4)
    g = sp.Graph.from_edges(u, v, (w / 1000 if dtype[0] == "f" else w).astype(dtype), num_vertices=3000)
    rng = np.random.default_rng(5)
    for source in rng.integers(0, 3000, 6).tolist():
        paths = sp.sssp(g, source, method="dijkstra")
        for target in rng.integers(0, 3000, 30).tolist():
            found = sp.route(g, source, target)
            found.verify()
            assert found.distance == paths.distance(target)

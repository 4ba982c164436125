"""Generated graphs: a seed names one graph, and each family has the shape it promises."""

import os
import subprocess
import sys

import numpy as np
import pytest

import steppe as sp
from steppe import generate

FAMILIES = {
    "rmat": lambda **k: generate.rmat(14, 8, **k),
    "rmat, all edges": lambda **k: generate.rmat(14, 8, simple=False, **k),
    "random": lambda **k: generate.random(20_000, 150_000, **k),
    "grid": lambda **k: generate.grid(300, 400, **k),
    "small world": lambda **k: generate.small_world(50_000, 6, **k),
    "web": lambda **k: generate.web(30_000, **k),
}
ALL = FAMILIES | {
    "road": lambda **k: generate.road(150_000, **k),
    "time": lambda **k: generate.road(9999, metric="time", **k),
}


def same(a, b):
    return (
        np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.indices, b.indices)
        and (a.weights is b.weights or np.array_equal(a.weights, b.weights))
    )


def sources_of(g):
    return np.repeat(np.arange(g.num_vertices), g.degrees)


@pytest.mark.parametrize("family", ALL)
def test_a_seed_names_one_graph(family, monkeypatch):
    graph = ALL[family](seed=5)
    other = ALL[family](seed=6)
    assert not same(graph, other)
    for count in ("1", "2", "5"):
        monkeypatch.setenv("STEPPE_NUM_THREADS", count)
        assert same(graph, ALL[family](seed=5))


def test_the_same_graph_in_another_process():
    code = "import steppe as sp; g = sp.generate.rmat(8, seed=3); print(g.indices.sum(), g.weights @ (g.indices + 1))"
    env = os.environ | {"PYTHONHASHSEED": "7"}
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout
    g = generate.rmat(8, seed=3)
    assert printed.split() == [str(g.indices.sum()), str(g.weights @ (g.indices + 1))]


@pytest.mark.parametrize("family", FAMILIES)
def test_weights(family):
    make = FAMILIES[family]
    assert make(weights=None).weights is None
    g = make(weights=(3, 12))
    assert g.weights.dtype == np.int32
    assert set(np.unique(g.weights)) == set(range(3, 13))
    g = make(weights=(-(2**40), 2**40))
    assert g.weights.dtype == np.int64
    assert g.min_weight < -(2**39)
    assert g.max_weight > 2**39
    for dtype in ("float32", "float64"):
        g = make(weights=dtype)
        assert g.weights.dtype == dtype
        assert 0 < g.min_weight < 0.01
        assert 0.99 < g.max_weight <= 1
        if "rmat" not in family:  # there the lightest of many parallel edges stays
            assert abs(g.mean_weight - 0.5) < 0.02


def test_weights_over_the_whole_range():
    w = generate.random(2, 1000, weights=(-(2**63), 2**63 - 1)).weights
    assert w.min() < -(2**62)
    assert w.max() > 2**62
    assert len(np.unique(w)) == 1000
    assert set(generate.random(2, 100, weights=(7, 7)).weights) == {7}


@pytest.mark.parametrize("family", [k for k in ALL if k not in ("random", "web")])
def test_undirected_families_are_symmetric(family):
    g = ALL[family](seed=2)
    assert not g.directed
    directed = sp.Graph.from_csr(g.indptr, g.indices, g.weights)
    assert directed.is_symmetric


@pytest.mark.parametrize("family", [k for k in ALL if k != "rmat, all edges"])
def test_no_loops_and_where_promised_no_parallel_edges(family):
    g = ALL[family](seed=1)
    u = sources_of(g)
    assert (u != g.indices).all()
    if family != "random":
        keys = u * g.num_vertices + g.indices
        assert len(np.unique(keys)) == len(keys)


def test_simple_keeps_the_lightest_parallel_edge():
    raw = generate.rmat(9, 32, seed=4, simple=False, directed=True)
    lightest = {}
    for u, v, w in zip(sources_of(raw).tolist(), raw.indices.tolist(), raw.weights.tolist(), strict=True):
        if u != v:
            lightest[u, v] = min(w, lightest.get((u, v), w))
    g = generate.rmat(9, 32, seed=4, directed=True)
    kept = dict(zip(zip(sources_of(g).tolist(), g.indices.tolist(), strict=True), g.weights.tolist(), strict=True))
    assert kept == lightest


def test_rmat_has_graph500_quadrants_and_hubs():
    g = generate.rmat(16, 16, seed=1, simple=False)
    assert g.num_vertices == 2**16
    loops = 2 * 16 * 2**16 - g.num_edges
    assert 0 <= loops < 1000
    top = np.sort(g.degrees)[::-1]
    # The heaviest vertex is the all-left one: its expected degree is 2 m (A + B)^scale.
    assert top[0] == pytest.approx(2 * 16 * 2**16 * 0.76**16, rel=0.1)
    assert (g.degrees == 0).mean() > 0.1
    assert abs(int(np.argmax(g.degrees)) - 2**15) > 10  # scrambled: not vertex 0
    assert len({int(np.argmax(generate.rmat(10, seed=s).degrees)) for s in range(8)}) > 4


def test_random_degrees_are_poisson():
    g = generate.random(50_000, 800_000)
    assert g.num_edges == 800_000
    for degrees in (g.degrees, g.reverse.degrees):
        assert degrees.var() == pytest.approx(16, rel=0.05)
    assert generate.random(10, 1000, simple=True).num_edges == 90


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 7), (7, 1), (2, 2), (13, 5), (0, 4)])
def test_grid_edges(rows, columns):
    g = generate.grid(rows, columns)
    n = rows * columns
    assert g.num_vertices == n
    expected = set()
    for r in range(rows):
        for c in range(columns):
            expected |= {(r * columns + c, r * columns + c + 1)} if c + 1 < columns else set()
            expected |= {(r * columns + c, (r + 1) * columns + c)} if r + 1 < rows else set()
    arcs = set(zip(sources_of(g).tolist(), g.indices.tolist(), strict=True))
    assert arcs == expected | {(v, u) for u, v in expected}


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 99, 1000, 12_345])
def test_road_is_connected_for_every_n(n):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    for seed in range(3):
        g = generate.road(n, seed=seed, keep=0.0, diagonal=0.0)
        assert g.num_vertices == n
        if n:
            matrix = csr_array((np.ones(g.num_edges), g.indices, g.indptr), shape=(n, n))
            assert connected_components(matrix)[0] == 1


def test_road_looks_like_a_road():
    g = generate.road(250_000)
    assert 2.5 < g.num_edges / g.num_vertices < 3.7
    assert g.degrees.max() <= 6
    assert g.weights.dtype == np.int32
    assert 1 <= g.min_weight < 30
    assert 150 < g.max_weight < 300
    time = generate.road(250_000, metric="time")
    assert np.array_equal(time.indices, g.indices)
    assert (time.weights <= g.weights).all()
    assert (time.weights < g.weights // 2).mean() > 0.05  # main roads
    assert generate.road(40_000, keep=1.0).num_edges / 40_000 == pytest.approx(4, abs=0.1)


def test_small_world():
    ring = generate.small_world(100, 4, rewire=0.0)
    assert set(ring.degrees) == {4}
    assert set(ring.indices[ring.indptr[0] : ring.indptr[1]]) == {1, 2, 98, 99}
    g = generate.small_world(100_000, 10, rewire=0.2)
    distance = np.abs(sources_of(g) - g.indices)
    distance = np.minimum(distance, g.num_vertices - distance)
    assert (distance > 5).mean() == pytest.approx(0.2, abs=0.01)


def test_web():
    g = generate.web(100_000, 16.0)
    assert g.num_edges / g.num_vertices == pytest.approx(15, abs=2)
    assert g.degrees.max() > 500
    assert g.reverse.degrees.max() > 5000
    distance = np.abs(sources_of(g) - g.indices)
    assert 0.7 < (distance <= 4096).mean() < 0.95
    for n in (2, 3, 10):
        assert generate.web(n, 1.0).num_vertices == n


@pytest.mark.parametrize(
    "call",
    [
        lambda: generate.rmat(-1),
        lambda: generate.rmat(41),
        lambda: generate.rmat(4, -2),
        lambda: generate.rmat(4, weights=(5, 4)),
        lambda: generate.rmat(4, weights=(0, 2**63)),
        lambda: generate.rmat(4, weights="float16"),
        lambda: generate.random(1, 1),
        lambda: generate.random(-5, 1),
        lambda: generate.grid(2.5, 3),
        lambda: generate.road(10, keep=1.5),
        lambda: generate.road(10, metric="metres"),
        lambda: generate.small_world(10, 3),
        lambda: generate.small_world(10, 10),
        lambda: generate.small_world(10, 2, rewire=-0.1),
        lambda: generate.web(1),
        lambda: generate.web(10, 10),
        lambda: generate.web(10, 2, local=2),
    ],
)
def test_bad_arguments_are_refused(call):
    with pytest.raises(sp.GraphError):
        call()


def test_empty_and_tiny():
    assert generate.random(0, 0).num_vertices == 0
    assert generate.rmat(0).num_edges == 0
    assert generate.rmat(1, simple=False).num_vertices == 2
    assert generate.small_world(0, 0).num_vertices == 0
    assert generate.small_world(3, 2, rewire=0.0).num_edges == 6

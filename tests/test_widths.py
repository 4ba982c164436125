"""The width of buckets suits the weights, whatever they are: relaxations are counted, not seconds.

A search that relaxes no edge twice relaxes each edge once. Twice that is the most that is allowed here: on graphs like roads, power laws and
random ones, with weights from even to so skewed that the mean says nothing.
"""

from __future__ import annotations

import numpy as np
import pytest

import steppe as sp

WEIGHTS = {
    "uniform": lambda rng, m: rng.integers(1, 11, m),
    "lognormal 1": lambda rng, m: rng.lognormal(0, 1, m),
    "lognormal 2": lambda rng, m: rng.lognormal(0, 2, m),
    "lognormal 3": lambda rng, m: rng.lognormal(0, 3, m),
    "pareto 1": lambda rng, m: 1 + rng.pareto(1, m),
    "pareto 0.5": lambda rng, m: 1 + rng.pareto(0.5, m),
    "1 % closed": lambda rng, m: np.where(rng.random(m) < 0.01, 10**6, rng.integers(1, 11, m)),
    "0.1 % closed": lambda rng, m: np.where(rng.random(m) < 0.001, 10**9, rng.integers(1, 11, m)),
    "two scales": lambda rng, m: np.where(rng.random(m) < 0.5, 1, 10**5) * rng.integers(1, 11, m),
}
SHAPES = {
    "grid": lambda: sp.generate.grid(150, 150, weights=None),
    "rmat": lambda: sp.generate.rmat(13, 16, weights=None, seed=1),
    "random": lambda: sp.generate.random(30_000, 150_000, weights=None, seed=1),
}


@pytest.fixture(scope="module", params=SHAPES)
def shape(request):
    return SHAPES[request.param]()


def weighted(graph, kind, dtype=None):
    """The graph with weights of a kind, the same both ways where it is undirected."""
    u = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    v = graph.indices
    if not graph.directed:
        once = u <= v
        u, v = u[once], v[once]
    w = WEIGHTS[kind](np.random.default_rng(7), len(u))
    return sp.Graph.from_edges(u, v, w if dtype is None else w.astype(dtype), directed=graph.directed)


def hub(graph):
    return int(np.argmax(np.diff(graph.indptr)))


@pytest.mark.parametrize("kind", WEIGHTS)
def test_no_weights_make_a_search_relax_edges_again_and_again(shape, kind):
    g = weighted(shape, kind)
    exact = sp.sssp(g, hub(g), method="dijkstra").distances
    for options, most in (({"threads": 1}, 2), ({"threads": 2}, 3), ({"memory_limit": 1 << 30}, 4)):
        found = sp.sssp(g, hub(g), method="delta-stepping", **options)
        assert np.array_equal(found.distances, exact)
        assert found.explain().relaxations_per_edge <= most, (options, found.explain())
    g.prepare()
    warm = sp.sssp(g, hub(g), method="delta-stepping", threads=1)
    assert np.array_equal(warm.distances, exact)
    assert warm.explain().relaxations_per_edge <= 2


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_widths_that_change_on_the_way_keep_every_bit(dtype):
    """Starting far too wide and far too narrow, for every type; with a bound, with targets, with predecessors."""
    g = weighted(SHAPES["grid"](), "lognormal 2" if np.dtype(dtype).kind == "f" else "two scales", dtype)
    exact = sp.sssp(g, 0, method="dijkstra")
    far = int(np.argmax(exact.distances))
    core = g._native
    u, v, w = np.repeat(np.arange(g.num_vertices), np.diff(g.indptr)), g.indices, g.weights
    others = np.arange(1, g.num_vertices)  # all but the source are reached, over an edge that is tight
    for start in (2.0**-40, 1.0, 2.0**40):
        for threads in (1, 2):
            asked = sp._core.Question(
                np.array([0]), delta=start, typical_weight=1.0, max_weight=float(g.max_weight), threads=threads
            )
            distances = np.empty_like(exact.distances)
            predecessors = np.empty(g.num_vertices, g.indices.dtype)
            stats = sp._core.sssp("delta-stepping", core, asked, distances, predecessors)
            assert np.array_equal(distances, exact.distances)
            assert np.array_equal(np.unique(v[(predecessors[v] == u) & (distances[u] + w == distances[v])]), others)
            assert stats.width_changes > 0 or start == 1
    for options in ({"cutoff": exact.distances[far] / 2}, {"targets": [far]}, {"targets": [far // 2, 5]}):
        one, other = (sp.sssp(g, 0, method=m, **options).distances for m in ("dijkstra", "delta-stepping"))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_width_that_was_asked_for_stays(threads):
    g = weighted(SHAPES["grid"](), "1 % closed")
    found = sp.sssp(g, 0, method="delta-stepping", delta=1024, threads=threads).explain()
    assert (found.delta, found.width_changes) == (1024, 0)
    assert found.relaxations_per_edge > 2  # what it costs
    assert sp.sssp(g, 0, method="dijkstra").explain().width_changes == 0


def test_a_typical_weight_is_not_moved_by_a_few_huge_ones():
    even = weighted(SHAPES["grid"](), "uniform")
    skewed = weighted(SHAPES["grid"](), "0.1 % closed")
    assert skewed.mean_weight > 10_000 * even.mean_weight
    assert 0.5 < skewed._native.typical_weight / even._native.typical_weight < 2
    for graph in (even, skewed):
        assert 1 < graph._native.typical_weight <= 10
    few = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [0, 5, 5, 5])
    assert few._native.typical_weight == 10  # weights of 0 say nothing of the rest; twice the quarter's
    assert sp.Graph.from_edges([0, 1], [1, 2], [0, 0])._native.typical_weight == 0
    assert sp.Graph.from_edges([0, 1], [1, 2], [0.0, np.inf])._native.typical_weight == 0
    assert sp.Graph.from_edges([0, 1], [1, 2])._native.typical_weight == 1
    assert sp.Graph.from_edges([], [], num_vertices=3)._native.typical_weight == 0


def test_the_plan_and_a_search_that_is_given_no_width_have_the_same():
    """A fallback to delta-stepping comes without a width of the plan."""
    for shape, kind in (("grid", "1 % closed"), ("rmat", "uniform")):
        g = weighted(SHAPES[shape](), kind, np.float64)  # whole numbers have no width below 1
        planned = sp.plan(g, "sssp", method="delta-stepping", threads=1).delta
        asked = sp._core.Question(
            np.array([0]), typical_weight=g._typical_weight, max_weight=float(g.max_weight), fixed_delta=True
        )
        distances = np.empty(g.num_vertices)
        stats = sp._core.sssp("delta-stepping", g._native, asked, distances, None)
        assert stats.delta <= planned < 2 * stats.delta, (shape, planned)


def test_the_least_width_keeps_the_numbers_of_buckets_in_62_bits():
    heaviest, n = 1e9, 10**6
    least = sp._core.least_width(heaviest, n)
    assert heaviest * n / least <= 2**62 < heaviest * n / least * 1.01
    assert sp._core.bucket_width(1e-9, heaviest, n, 4 * n, 1) == least
    assert 0 < sp._core.least_width(0.0, n) <= sp._core.least_width(1.7e308, 2**31) < np.inf

"""sssp: tables by methods by types by threads by vertex width, bit for bit; overflow, negative weights, bad arguments."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

import graphs
import oracle
import steppe as sp
from answers import TYPES, graph_of, truth
from steppe.planning import capabilities
from steppe.planning.explain import Explanation

METHODS = capabilities.WEIGHTED
UNREACHABLE = sp.UNREACHABLE


@pytest.fixture(params=[1, 2, 4])
def threads(request, monkeypatch):
    """Threads that are really used, however small the graph."""
    monkeypatch.setattr("steppe.planning.plan.EDGES_PER_THREAD", 0)
    monkeypatch.setattr("steppe.planning.plan.SPARSE_EDGES_PER_THREAD", 0)
    return request.param


def wide(g):
    """The same graph with 64-bit vertices, as one of more than 2^31 would have."""
    return sp.Graph._make(g.indptr, g.indices.astype(np.int64), g.weights, labels=g._labels, directed=g.directed)


def check_tree(g, paths, recorded=None):
    """Every reached vertex hangs from its predecessor by a tight edge, and no path is longer than the graph."""
    d, p = paths.distances, paths.predecessors if recorded is None else recorded
    w = np.ones(g.num_edges, np.int32) if g.weights is None else g.weights
    for v in range(g.num_vertices):
        if p[v] < 0:
            assert d[v] == (0 if v == paths._sources[0] else paths.unreachable)
            continue
        row = slice(g.indptr[p[v]], g.indptr[p[v] + 1])
        assert (d[p[v]] + w[row][g.indices[row] == v] == d[v]).any()
    for v in np.flatnonzero(paths.reachable):
        assert len(paths.path(int(v))) <= g.num_vertices


TABLES = [(name, dtype) for name in graphs.NAMED for dtype in [None, *TYPES]]
TABLES += [(name, np.int64) for name in graphs.HUGE]
TABLES += [(name, dtype) for name in graphs.FLOAT for dtype in (np.float32, np.float64)]
ALL = {**graphs.NAMED, **graphs.HUGE, **graphs.FLOAT}


@pytest.mark.parametrize(
    ("name", "dtype"), TABLES, ids=lambda x: x if isinstance(x, str) else getattr(x, "__name__", x)
)
def test_tables(name, dtype, threads):
    n, edges = ALL[name]
    g = graph_of(n, edges, dtype)
    expected = truth(n, edges, dtype)
    if dtype is None:
        expected = np.where(expected == np.iinfo(expected.dtype).max, UNREACHABLE, expected.astype(np.int64))
    for method in [*METHODS, "auto"]:
        for graph in (g, wide(g)):
            for record in (False, True):
                r = sp.sssp(graph, 0, method=method, threads=threads, record_paths=record)
                assert r.distances.dtype == expected.dtype
                assert np.array_equal(r.distances, expected), method
                r.verify()
                if record:
                    check_tree(graph, r)


@pytest.mark.parametrize("name", graphs.NEGATIVE)
@pytest.mark.parametrize("dtype", TYPES)
def test_negative_tables(name, dtype):
    n, edges = graphs.NEGATIVE[name]
    g = graph_of(n, edges, dtype)
    expected = oracle.bellman_ford(n, edges, {0})
    for method in ("auto", "bellman-ford"):
        for record in (False, True):
            r = sp.sssp(g, 0, method=method, record_paths=record).verify()
            assert r.distances.tolist() == expected
    for method in ("dijkstra", "delta-stepping", "frontier"):
        with pytest.raises(sp.NegativeWeightError, match="bellman-ford") as caught:
            sp.sssp(g, 0, method=method)
        u, v, w = caught.value.edge
        assert w < 0
        assert (u, v, w) in edges


# Against SciPy ------------------------------------------------------------------------------------------------------

LARGE = {
    "grid": lambda w: sp.generate.grid(70, 90, weights=w, seed=1),
    "rmat": lambda w: sp.generate.rmat(11, 12, weights=w, seed=2),
    "random": lambda w: sp.generate.random(8_000, 60_000, weights=w, seed=3, simple=True),
    "sparse": lambda w: sp.generate.random(15_000, 18_000, weights=w, seed=4, simple=True),
    "small world": lambda w: sp.generate.small_world(6_000, 6, weights=w, seed=5),
}
WEIGHTS = {"ones": (1, 1), "bytes": (1, 255), "32 bits": (1, 2**31 - 1), "40 bits": (2**39, 2**40), "zeros": (0, 3)}


@pytest.mark.parametrize("shape", LARGE)
@pytest.mark.parametrize("weights", [*WEIGHTS, "float32", "float64"])
def test_large_graphs(shape, weights, threads):
    g = LARGE[shape](WEIGHTS.get(weights, weights))
    first = None
    for method in METHODS:
        r = sp.sssp(g, 7, method=method, threads=threads)
        first = r.verify() if first is None else first
        assert np.array_equal(r.distances, first.distances), method
    if weights not in ("float32", "zeros"):  # SciPy computes in float64, and drops edges of weight 0
        matrix = sparse.csr_array((g.weights.astype(float), g.indices, g.indptr), shape=(g.num_vertices,) * 2)
        expected = csgraph.dijkstra(matrix, indices=7)
        found = np.where(first.reachable, first.distances, np.inf)
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("shape", LARGE)
@pytest.mark.parametrize("weights", [(0, 9), "float32", "float64"])
def test_recorded_trees_of_large_graphs(shape, weights, threads):
    g = LARGE[shape](weights)
    expected = sp.sssp(g, 3, method="dijkstra").distances
    for graph in (g, wide(g)):
        for method in METHODS:
            r = sp.sssp(graph, 3, method=method, threads=threads, record_paths=True)
            assert np.array_equal(r.distances, expected)
            r.verify()


# Weights that are hard to sort into buckets -------------------------------------------------------------------------


def spread(dtype, low, high, seed=1, n=2_000, m=12_000):
    """Weights spread evenly over the orders of magnitude: a few huge ones among many small."""
    rng = np.random.default_rng(seed)
    w = np.exp(rng.uniform(math.log(low), math.log(high), m)).astype(dtype)
    return sp.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), w, num_vertices=n)


SPREADS = {
    "float64 1e-300…1e300": (np.float64, 1e-300, 1e300),
    "float32 1e-37…1e37": (np.float32, 1e-37, 1e37),
    "float32 subnormal": (np.float32, 1e-45, 1e-39),
    "float64 subnormal": (np.float64, 5e-324, 1e-310),
    "float64 largest": (np.float64, 1e306, 1.7e308),
    "int64 1…2^40": (np.int64, 1, 2**40),
    "int64 1…2^61": (np.int64, 1, 2**61),
    "int32 1…2^31": (np.int32, 1, 2**31 - 200),
}


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("delta", [None, 5e-324, 1e-9, 1.0, 3.7, 1e6, 1e300])
def test_any_range_of_weights_and_any_delta(name, delta, threads):
    g = spread(*SPREADS[name])
    if name == "int64 1…2^61":
        g = sp.Graph.from_csr(g.indptr, g.indices, g.weights // 64)
    expected = sp.sssp(g, 0, method="dijkstra").verify().distances
    r = sp.sssp(g, 0, method="delta-stepping", delta=delta, threads=threads)
    assert np.array_equal(r.distances, expected)
    assert r.explain().delta > 0


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value", [0, 1e-45, 1])
def test_weights_that_are_all_alike(dtype, value, threads):
    g = sp.generate.grid(20, 20, weights=None)
    g = graph_of(400, [(int(u), int(v), value) for u, v in zip(np.repeat(range(400), g.degrees), g.indices)], dtype)  # noqa: B905
    expected = sp.sssp(g, 0, method="dijkstra").verify().distances
    assert (expected < np.inf).all()
    for method in METHODS:
        assert np.array_equal(sp.sssp(g, 0, method=method, threads=threads).distances, expected)


def test_far_buckets_are_dealt_out_again():
    """A path of light edges that ends in one of weight 2^40, many times over: the ring of buckets turns often."""
    steps = 200
    w = np.where(np.arange(steps) % 10 == 9, 2**40, np.arange(steps) % 7)
    u = np.arange(steps)
    hops = np.concatenate([u, u]), np.concatenate([u + 1, (u * 17) % steps]), np.concatenate([w, np.full(steps, 2**39)])
    g = sp.Graph.from_edges(*hops)
    for delta in (1, 2, 1000, None):
        r = sp.sssp(g, 0, method="delta-stepping", delta=delta)
        assert np.array_equal(r.distances, sp.sssp(g, 0, method="dijkstra").distances)
        r.verify()


# Overflow -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_sums_of_32_bit_weights_are_exact(method, threads):
    w = np.full(10, 2**31 - 1, dtype=np.int32)
    for graph in (
        sp.Graph.from_edges(np.arange(10), np.arange(1, 11), w),
        wide(sp.Graph.from_edges(range(10), range(1, 11), w)),
    ):
        for record in (False, True):
            r = sp.sssp(graph, 0, method=method, threads=threads, record_paths=record).verify()
            assert r.distances.tolist() == [(2**31 - 1) * i for i in range(11)]
            assert r.predecessors.tolist() == list(range(-1, 10))


@pytest.mark.parametrize("method", METHODS)
def test_a_distance_beyond_64_bits_is_an_error_and_never_wraps(method, threads):
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [2**62, 2**62, 1])
    with pytest.raises(sp.DistanceOverflowError, match="64 bits"):
        sp.sssp(g, 0, method=method, threads=threads)
    assert sp.sssp(g, 1, method=method, threads=threads).distances.tolist() == [UNREACHABLE, 0, 2**62, 2**62 + 1]
    most = sp.Graph.from_edges([0, 1], [1, 2], [2**62, 2**62 - 2])
    assert sp.sssp(most, 0, method=method, threads=threads).verify().distance(2) == 2**63 - 2
    one_more = sp.Graph.from_edges([0, 1], [1, 2], [2**62, 2**62 - 1])
    with pytest.raises(sp.DistanceOverflowError):
        sp.sssp(one_more, 0, method=method, threads=threads)


@pytest.mark.parametrize("method", METHODS)
def test_a_sum_beyond_64_bits_is_no_error_where_nobody_needs_it(method, threads):
    detour = sp.Graph.from_edges([0, 1, 0], [1, 2, 2], [2**62, 2**62, 9])
    assert sp.sssp(detour, 0, method=method, threads=threads).verify().distances.tolist() == [0, 2**62, 9]
    chain = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [1, 2**62, 2**62])
    near = sp.sssp(chain, 0, method=method, threads=threads, targets=[1]).verify()
    assert near.distances.tolist() == [0, 1, UNREACHABLE, UNREACHABLE]
    short = sp.sssp(chain, 0, method=method, threads=threads, cutoff=2**62 + 1).verify()
    assert short.distances.tolist() == [0, 1, 2**62 + 1, UNREACHABLE]
    with pytest.raises(sp.DistanceOverflowError):
        sp.sssp(chain, 0, method=method, threads=threads, targets=[3])


@pytest.mark.parametrize("method", METHODS)
def test_a_float_sum_beyond_the_type_is_no_path(method, threads):
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [1e308, 1e308, 1.0])
    assert sp.sssp(g, 0, method=method, threads=threads).verify().distances.tolist() == [0, 1e308, math.inf, math.inf]


# Bellman-Ford -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
def test_a_negative_cycle_comes_back_as_labels_in_order(dtype):
    names = ["start", "a", "b", "c", "end"]
    u, v, w = [0, 1, 2, 3, 3], [1, 2, 3, 1, 4], np.array([1, 2, -7, 3, 1], dtype=dtype)
    g = sp.Graph.from_edges([names[i] for i in u], [names[i] for i in v], w, relabel=True)
    for method in ("auto", "bellman-ford"):
        with pytest.raises(sp.NegativeCycleError, match="negative cycle of 3") as caught:
            sp.sssp(g, "start", method=method)
        cycle = caught.value.cycle
        assert sorted(cycle) == ["a", "b", "c"]
        length = {(names[a], names[b]): x for a, b, x in zip(u, v, w.tolist(), strict=True)}
        assert sum(length[pair] for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True)) == -2
    assert sp.sssp(g, "end").to_dict() == {"end": 0}


def test_targets_cut_nothing_where_weights_are_negative():
    g = sp.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 1], [4, 6, 1, -5])
    r = sp.sssp(g, 0, targets=[1]).verify()
    assert r.distances.tolist() == [0, 1, 6, 2]
    assert r.bound is None
    assert r.path(1).tolist() == [0, 2, 1]


def test_cutoff_is_refused_where_weights_are_negative():
    g = sp.Graph.from_edges([0], [1], [-1])
    with pytest.raises(ValueError, match="cutoff"):
        sp.sssp(g, 0, cutoff=3)


def test_distances_below_the_range_are_an_error():
    g = sp.Graph.from_edges([0, 1], [1, 2], [-(2**63), -5])
    with pytest.raises(sp.DistanceOverflowError):
        sp.sssp(g, 0)


# Refused ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"method": "astar"}, ValueError, "auto, dijkstra, delta-stepping"),
        ({"method": None}, ValueError, "method"),
        ({"method": "bfs"}, ValueError, "method"),
        ({"delta": 0}, ValueError, "delta"),
        ({"delta": -1.0}, ValueError, "delta"),
        ({"delta": math.nan}, ValueError, "delta"),
        ({"delta": math.inf}, ValueError, "delta"),
        ({"cutoff": -1}, ValueError, "cutoff"),
        ({"cutoff": math.nan}, ValueError, "cutoff"),
        ({"targets": []}, ValueError, "targets"),
        ({"targets": [9]}, sp.GraphError, "vertex 9"),
        ({"targets": 1}, sp.GraphError, "list"),
        ({"targets": [[0], [1]]}, sp.GraphError, "one-dimensional"),
        ({"targets": [True, False]}, sp.GraphError, "integers"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": -2}, ValueError, "threads"),
        ({"threads": 1.5}, TypeError, "integer"),
        ({"device": "abacus"}, sp.SteppeError, "abacus"),
    ],
    ids=str,
)
def test_bad_arguments(options, error, words):
    g = sp.Graph.from_edges([0, 1], [1, 2], [1, 2])
    with pytest.raises(error, match=words):
        sp.sssp(g, 0, **options)


@pytest.mark.parametrize("source", [-1, 3, 1.0, None, "0"])
def test_a_source_that_is_not_in_the_graph(source):
    with pytest.raises(sp.GraphError, match="not in the graph"):
        sp.sssp(sp.Graph.from_edges([0, 1], [1, 2], [1, 2]), source)
    with pytest.raises(sp.GraphError, match="no vertices"):
        sp.sssp(sp.Graph.from_edges([], []), source)


def test_explain():
    g = sp.generate.grid(100, 100, seed=1)
    for method in METHODS:
        e = sp.sssp(g, 0, method=method).explain()
        assert isinstance(e, Explanation)
        assert (e.method, e.reason, e.device) == (method, "asked for", "cpu")
        assert e.rounds > 0
        assert e.edges_relaxed >= g.num_edges
        assert e.seconds > 0
        assert method in str(e)
    assert sp.sssp(g, 0, method="delta-stepping", delta=100).explain().delta == 64
    assert sp.sssp(g, 0, method="frontier", threads=1).explain().threads == 1
    assert sp.sssp(g, 0).explain().reason
    empty = sp.sssp(sp.Graph.from_edges([], [], num_vertices=1), 0).explain()
    assert empty.edges_relaxed == 0

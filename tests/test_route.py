"""Routes: exact distances and real paths, against a small oracle, SciPy, NetworkX and published answers."""

import csv
import gzip
import heapq
import math
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe import generate

DATA = Path(os.environ.get("STEPPE_DATA", Path(__file__).parents[2] / "shared" / "data"))
TYPES = ("int32", "int64", "float32", "float64", None)
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} is absent (set STEPPE_DATA)")


def graph(n, edges, dtype="int32", *, directed=True):
    u, v, w = (np.array(x) for x in zip(*edges, strict=True)) if edges else (np.empty(0, np.int64),) * 3
    weights = None if dtype is None else w.astype(dtype)
    g = sp.Graph.from_edges(u, v, weights, num_vertices=n, directed=directed)
    if dtype == "int64":  # small numbers are stored as int32; here the type matters
        facts = (g.min_weight, g.max_weight, g.mean_weight)
        wide = g.weights.astype(np.int64)
        g = sp.Graph._make(g.indptr, g.indices, wide, labels=None, directed=directed, facts=facts)
    return g


def oracle(g, source):
    """Forward Dijkstra in the type of the weights: a dictionary of distances."""
    distances, queue = {}, [(0, source)]
    while queue:
        d, u = heapq.heappop(queue)
        if u in distances:
            continue
        distances[u] = d
        for e in range(g.indptr[u], g.indptr[u + 1]):
            w = 1 if g.weights is None else g.weights[e]
            total = int(d) + int(w) if g.is_integer else g.weights.dtype.type(d) + w
            if total < math.inf:
                heapq.heappush(queue, (total, int(g.indices[e])))
    return distances


def check(r, expected):
    """The path is real and adds up to the distance, which is the oracle's, bit for bit."""
    r.verify()
    assert bool(r) == r.reachable == (expected is not None)
    if expected is None:
        assert r.distance in (np.iinfo(np.int64).max, math.inf)
        assert len(r.vertices) == len(r.edges) == 0
    else:
        assert r.distance == expected
        assert (r.vertices[0], r.vertices[-1]) == (r.source, r.target)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 12))
    dtype = draw(st.sampled_from(TYPES))
    if dtype in ("float32", "float64"):
        # Wide exponents and few values: sums are absorbed, tie and round in every way.
        weight = st.builds(
            lambda a, b: float(np.dtype(dtype).type(a * 10.0**b)),
            st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0]),
            st.integers(-7, 7),
        )
        weight |= st.just(math.inf)
    else:
        weight = st.integers(0, 9)
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=60))
    return graph(n, edges, dtype, directed=draw(st.booleans()))


@settings(max_examples=examples(400), deadline=None)
@given(graphs())
def test_every_pair_against_the_oracle(g):
    for s in range(g.num_vertices):
        expected = oracle(g, s)
        for t in range(g.num_vertices):
            check(sp.route(g, s, t), expected.get(t))


def check_rounding(dtype, noise=0.0, ready=lambda _: None):
    """On a grid of many nearly equal paths the sum from both ends is often another than the sum from one."""
    from_both_ends = 0
    for seed in range(4):
        base = generate.grid(14, 14, weights=(90, 110), seed=seed)
        more = np.random.default_rng(seed).random(base.num_edges) * noise
        weights = (base.weights.astype(dtype) * np.dtype(dtype).type(0.1) + more).astype(dtype)
        g = sp.Graph.from_csr(base.indptr, base.indices, weights, directed=noise > 0)
        ready(g)
        back = {t: oracle(g.reverse, t) for t in range(0, 196, 13)}
        for s in range(0, 196, 17):
            expected = oracle(g, s)
            for t in range(0, 196, 13):
                check(sp.route(g, s, t), expected[t])
                from_both_ends += expected[t] != back[t][s]
    assert from_both_ends > 50, "no case has the rounding this test is about"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_are_those_of_a_forward_search(dtype):
    check_rounding(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_small_cases(dtype):
    one = dtype is None
    g = graph(5, [(0, 1, 5), (0, 2, 9), (1, 2, 3), (2, 3, 0), (3, 3, 1), (0, 1, 4), (0, 1, 4)], dtype)
    r = sp.route(g, 0, 3)
    assert (r.distance, r.vertices.tolist()) == ((2, [0, 2, 3]) if one else (7, [0, 1, 2, 3]))
    r.verify()
    if not one:
        assert g.weights[r.edges[0]] == 4
        assert r.edges[0] == min(e for e in range(g.indptr[0], g.indptr[1]) if g.weights[e] == 4)
    same = sp.route(g, 3, 3)
    assert (same.distance, same.vertices.tolist(), same.edges.tolist(), bool(same)) == (0, [3], [], True)
    for a, b in ((3, 0), (0, 4), (4, 0)):
        assert not sp.route(g, a, b).reachable
    assert isinstance(r.distance, float if dtype and dtype.startswith("float") else int)
    with pytest.raises(FrozenInstanceError):
        r.distance = 3


def test_labels():
    g = sp.Graph.from_edges(["x", "y", "z"], ["y", "z", "w"], [2, 3, 4], relabel=True, directed=False)
    r = sp.route(g, "w", "x")
    assert (r.distance, r.vertices.tolist()) == (9, ["w", "z", "y", "x"])
    r.verify()
    with pytest.raises(sp.GraphError, match="nowhere"):
        sp.route(g, "x", "nowhere")


def test_negative_weights_are_refused_by_name():
    g = sp.Graph.from_edges(["a", "b"], ["b", "c"], [4, -2], relabel=True)
    for _ in range(2):
        with pytest.raises(sp.NegativeWeightError, match=r"'b' → 'c'.*bellman-ford") as caught:
            sp.route(g, "a", "b")
        assert caught.value.edge == ("b", "c", -2)


def test_integers_are_exact_or_refused():
    top = 2**62
    g = graph(6, [(0, 1, top), (1, 2, top - 2), (2, 3, 1), (3, 4, 1), (5, 0, 1)], "int64")
    assert sp.route(g, 0, 2).distance == 2**63 - 2
    for t in (3, 4):
        with pytest.raises(sp.DistanceOverflowError):
            sp.route(g, 0, t)
    assert not sp.route(g, 0, 5).reachable  # too long elsewhere, but here there is no path of any length
    # A longer way that does not fit, beside one that does.
    assert sp.route(graph(4, [(0, 1, top), (1, 2, top), (2, 3, top), (0, 3, 7)], "int64"), 0, 3).distance == 7
    # Beyond 32 bits with 32-bit weights, and below again.
    g = graph(4, [(0, 1, 2**31 - 1), (1, 2, 2**31 - 1), (2, 3, 2**31 - 1)])
    assert [sp.route(g, 0, t).distance for t in (1, 2, 3)] == [(2**31 - 1) * k for k in (1, 2, 3)]
    assert sp.route(g, 2, 3).distance == 2**31 - 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_that_are_infinite_from_one_end_only(dtype):
    """The largest float and 40 steps of a quarter of its last place: from the source on each is lost, from the end not."""
    top = np.finfo(dtype).max
    step = float(top) * np.finfo(dtype).eps / 8
    ends = [(0, v, top) for v in range(43, 60)]  # the search from the source waits, the other one goes all the way
    for hub in (ends, ends + [(0, v, math.inf) for v in range(60)]):  # in rows of four, and not
        street = [(0, 1, top)] + [(a, a + 1, step) for a in range(1, 41)] + hub
        g = graph(60, street, dtype)
        assert (sp.route(g, 0, 41).distance, sp.route(g, 0, 1).distance) == (top, top)
        sp.route(g, 0, 41).verify()
        assert not sp.route(g, 0, 42)
        assert not sp.route(graph(60, [*street, (41, 42, top)], dtype), 0, 42)


def test_verify_rejects_damage():
    g = graph(5, [(0, 1, 1), (1, 2, 2), (2, 3, 3), (0, 3, 9)], "float64")
    r = sp.route(g, 0, 3)
    r.verify()
    wrong = [
        replace(r, distance=5.5),
        replace(r, source=1),
        replace(r, target=2),
        replace(r, vertices=r.vertices[1:], edges=r.edges[1:]),
        replace(r, vertices=r.vertices[:-1], edges=r.edges[:-1]),
        replace(r, edges=r.edges[::-1].copy()),
        replace(r, edges=r.edges[:-1]),
        replace(r, vertices=np.array([0, 1, 4, 3])),
        replace(r, edges=r.edges + 100),
        replace(r, vertices=r.vertices[:0], edges=r.edges[:0]),
        replace(r, reachable=False),
    ]
    for damaged in wrong:
        with pytest.raises(sp.VerificationError):
            damaged.verify()
    nothing = sp.route(g, 3, 0)
    nothing.verify()
    with pytest.raises(sp.VerificationError):
        replace(nothing, distance=4.0).verify()


def test_against_networkx():
    import networkx as nx

    G = nx.gnm_random_graph(60, 150, seed=4, directed=True)
    rng = np.random.default_rng(0)
    for _, _, data in G.edges(data=True):
        data["weight"] = int(rng.integers(0, 20))
    G = nx.relabel_nodes(G, {i: f"v{i}" for i in G})
    g = sp.Graph.from_networkx(G)
    for s, lengths in nx.all_pairs_dijkstra_path_length(G):
        for t in G:
            check(sp.route(g, s, t), lengths.get(t))


@pytest.mark.parametrize("weights", [(1, 255), (1, 1_000_000), "float32", "float64", None])
@pytest.mark.parametrize(
    "make",
    [
        lambda w: generate.rmat(11, 8, weights=w),
        lambda w: generate.random(3000, 9000, weights=w),
        lambda w: generate.grid(50, 60, weights=w),
        lambda w: generate.web(3000, 6.0, weights=w),
    ],
    ids=["rmat", "random", "grid", "web"],
)
def test_families_against_the_oracle(make, weights):
    g = make(weights)
    rng = np.random.default_rng(2)
    for s in rng.integers(0, g.num_vertices, 3).tolist():
        expected = oracle(g, s)
        for t in rng.integers(0, g.num_vertices, 40).tolist():
            check(sp.route(g, s, t), expected.get(t))


def test_a_query_touches_what_it_settles():
    g = generate.road(200_000)
    u = np.repeat(np.arange(g.num_vertices), g.degrees)
    for e in range(0, g.num_edges, 20_011):
        assert sp.route(g, int(u[e]), int(g.indices[e])).settled < 200
    far = sp.route(g, 0, g.num_vertices - 1)
    assert far.settled > 10_000  # the count does count
    # No query may cost O(n): five thousand short ones on a graph of 200,000 vertices.
    start = time.process_time()
    for e in range(0, g.num_edges, g.num_edges // 5000):
        sp.route(g, int(u[e]), int(g.indices[e]))
    assert (time.process_time() - start) / 5000 < 200e-6


def test_threads_share_a_graph():
    g = generate.grid(80, 80, seed=1)
    pairs = np.random.default_rng(0).integers(0, g.num_vertices, (600, 2)).tolist()
    expected = [sp.route(g, s, t).distance for s, t in pairs]
    fresh = sp.Graph.from_csr(g.indptr, g.indices, g.weights)  # directed: the threads also race to build its reverse
    with ThreadPoolExecutor(8) as pool:
        routes = list(pool.map(lambda p: sp.route(fresh, *p), pairs * 3))
    assert [r.distance for r in routes] == expected * 3
    for r in routes[::37]:
        r.verify()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_interrupt():
    g = generate.road(3_000_000)
    sp.route(g, 0, 1)
    threading.Timer(0.02, lambda: signal.raise_signal(signal.SIGINT)).start()

    def forever():
        while True:
            sp.route(g, 0, 2_999_999)

    with pytest.raises(KeyboardInterrupt):
        forever()
    check(sp.route(g, 0, 0), 0)  # the next query starts clean


def luxembourg(metric):
    """The roads of Luxembourg, and a thousand pairs with their published distances, None where there is no path."""
    folder = DATA / "luxembourg"
    arrays = [np.fromfile(folder / f"{name}.u32", dtype="<u4") for name in ("first_out", "head", metric)]
    with (folder / "queries.csv").open() as file:
        rows = [tuple(int(row[name]) for name in ("source", "target", metric)) for row in csv.DictReader(file)]
    assert len(rows) == 1000
    return sp.Graph.from_csr(*arrays), [(s, t, None if d == 2**31 - 1 else d) for s, t, d in rows]


@needs_data
@pytest.mark.parametrize("metric", ["geo_distance", "travel_time"])
def test_luxembourg_queries(metric):
    g, queries = luxembourg(metric)
    for s, t, expected in queries[: examples(1000)]:
        check(sp.route(g, s, t), expected)


@needs_data
def test_new_york_against_scipy():
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    lines = gzip.decompress((DATA / "dimacs9" / "USA-road-d.NY.gr.gz").read_bytes()).splitlines()
    arcs = np.fromstring(b" ".join(line[1:] for line in lines if line.startswith(b"a")), dtype=np.int64, sep=" ")
    u, v, w = arcs.reshape(-1, 3).T - [[1], [1], [0]]
    g = sp.Graph.from_edges(u, v, w)
    # SciPy adds parallel arcs up: give it the shortest of each.
    order = np.lexsort((w, v, u))
    u, v, w = u[order], v[order], w[order]
    first = np.r_[True, (u[1:] != u[:-1]) | (v[1:] != v[:-1])]
    matrix = csr_array((w[first].astype(float), (u[first], v[first])), shape=(g.num_vertices,) * 2)
    rng = np.random.default_rng(9)
    for s in rng.integers(0, g.num_vertices, 10).tolist():
        expected = dijkstra(matrix, indices=s)
        for t in rng.integers(0, g.num_vertices, examples(100)).tolist():
            check(sp.route(g, s, t), expected[t])

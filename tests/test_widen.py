"""Narrow, widen, bound (cpp/search/widen.hpp): a bound is never taken for an overflow, nor an overflow for a bound, whoever searches."""

import itertools

import numpy as np
import pytest

import oracle
import steppe as sp

TOP = 2**31 - 1  # the largest int32, how people mark a closed road
LAST = 2**63 - 2  # the largest distance that fits
METHODS = ("auto", "dijkstra", "delta-stepping", "frontier", "bellman-ford")
PLACES = [(method, limit) for method in METHODS for limit in (None, 10**8) if method != "dijkstra" or limit is None]


def closed_road():
    """A grid one of whose first edges weighs as much as an int32 can: the search in 32 bits meets it at once."""
    g = sp.generate.grid(60, 60, seed=1)
    w = g.weights.copy()
    w[0] = TOP
    return g.indptr, g.indices, w


def heavy_random():
    """Distances beyond 32 bits for nearly every vertex; large enough for two threads."""
    g = sp.generate.random(5_000, 110_000, weights=(1, TOP), seed=1)
    return g.indptr, g.indices, g.weights


def heavy_grid():
    g = sp.generate.grid(70, 70, weights=(1, TOP), seed=2)
    return g.indptr, g.indices, g.weights


GRAPHS = {"closed road": closed_road, "heavy random": heavy_random, "heavy grid": heavy_grid}


def full(rows):
    """All distances, by plain Python numbers."""
    indptr, indices, weights = (x.tolist() for x in rows)
    n = len(indptr) - 1
    edges = [(u, indices[e], weights[e]) for u in range(n) for e in range(indptr[u], indptr[u + 1])]
    return np.array([sp.UNREACHABLE if d == float("inf") else d for d in oracle.dijkstra(n, edges, [0])])


@pytest.fixture(scope="module", params=GRAPHS, ids=lambda name: name.replace(" ", "-"))
def case(request):
    rows = GRAPHS[request.param]()
    return rows, full(rows)


def cutoffs(distances):
    """Bounds among the distances, at the edge of 32 bits, and at that of 64."""
    reached = np.sort(distances[distances != sp.UNREACHABLE])
    return [int(reached[len(reached) // k]) for k in (20, 3)] + [2**31 - 2, TOP, 2**32, LAST]


def cut(distances, bound):
    return np.where(distances <= bound, distances, sp.UNREACHABLE)


def test_cutoff_of_every_search(case):
    rows, distances = case
    for bound in cutoffs(distances):
        want = cut(distances, bound)
        for (method, limit), threads, record in itertools.product(PLACES, (1, 2), (False, True)):
            g = sp.Graph.from_csr(*rows)
            for _ in range(2):  # the second time on prepared rows
                r = sp.sssp(g, 0, cutoff=bound, method=method, threads=threads, record_paths=record, memory_limit=limit)
                np.testing.assert_array_equal(r.distances, want, err_msg=f"{bound} {method} {threads} {record} {limit}")
                r.verify()


def test_cutoff_of_many_and_nearest(case):
    rows, distances = case
    g = sp.Graph.from_csr(*rows)
    for bound in cutoffs(distances):
        want = cut(distances, bound)
        np.testing.assert_array_equal(sp.nearest(g, [0], cutoff=bound).distances, want)
        for method in ("auto", "dijkstra", "delta-stepping", "bellman-ford"):
            np.testing.assert_array_equal(sp.distances(g, [0], cutoff=bound, method=method)[0], want, err_msg=method)


def test_no_bound_means_again_and_wide(case):
    rows, distances = case
    for (method, limit), threads, record in itertools.product(PLACES, (1, 2), (False, True)):
        g = sp.Graph.from_csr(*rows)
        r = sp.sssp(g, 0, method=method, threads=threads, record_paths=record, memory_limit=limit)
        np.testing.assert_array_equal(r.verify().distances, distances)


def test_targets_among_heavy_edges(case):
    rows, distances = case
    g = sp.Graph.from_csr(*rows)
    target = int(np.argsort(distances)[len(distances) // 2])
    for method, limit in PLACES:
        r = sp.sssp(g, 0, targets=[target], method=method, memory_limit=limit).verify()
        np.testing.assert_array_equal(r.distances, cut(distances, distances[target]), err_msg=method)
    assert sp.distances(g, [0], [target]).tolist() == [[distances[target]]]


@pytest.mark.pocl
def test_cutoff_on_a_device(case, pocl):
    rows, distances = case
    g = sp.Graph.from_csr(*rows)
    for bound in cutoffs(distances)[1:]:
        for method in ("frontier", "delta-stepping", "bellman-ford"):
            r = sp.sssp(g, 0, cutoff=bound, method=method, device="opencl")
            np.testing.assert_array_equal(r.distances, cut(distances, bound), err_msg=f"{bound} {method}")


CHAIN = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [2**62, 2**62 - 2, 2**62])


ON_POCL = pytest.param("opencl", marks=pytest.mark.pocl)


@pytest.fixture
def device(request):
    """The device of a test: the CPU (None) or PoCL, where that is installed."""
    if request.param is not None:
        request.getfixturevalue("pocl")
    return request.param


@pytest.mark.parametrize("device", [None, ON_POCL], indirect=True)
@pytest.mark.parametrize("method", ["auto", "delta-stepping", "frontier", "bellman-ford"])
def test_the_last_distance(method, device):
    check_the_last_distance({"method": method, "device": device})


def test_the_last_distance_by_dijkstra():
    check_the_last_distance({"method": "dijkstra"})


def check_the_last_distance(ask):
    reached = [0, 2**62, LAST, sp.UNREACHABLE]
    nearer = [0, 2**62, sp.UNREACHABLE, sp.UNREACHABLE]
    assert sp.sssp(CHAIN, 0, cutoff=LAST, **ask).verify().distances.tolist() == reached
    assert sp.sssp(CHAIN, 0, cutoff=LAST - 1, **ask).verify().distances.tolist() == nearer
    assert sp.sssp(CHAIN, 0, targets=[2], **ask).verify().distances.tolist() == reached
    for options in ({}, {"cutoff": LAST + 1}, {"cutoff": float("inf")}, {"targets": [3]}, {"targets": [1, 3]}):
        with pytest.raises(sp.DistanceOverflowError):
            sp.sssp(CHAIN, 0, **options, **ask)


@pytest.mark.parametrize("method", ["auto", "dijkstra", "delta-stepping", "bellman-ford"])
def test_the_last_distance_in_a_matrix(method):
    assert sp.distances(CHAIN, [0], cutoff=LAST, method=method).tolist() == [[0, 2**62, LAST, sp.UNREACHABLE]]
    assert sp.distances(CHAIN, [0], [2, 0], method=method).tolist() == [[LAST, 0]]
    with pytest.raises(sp.DistanceOverflowError):
        sp.distances(CHAIN, [0], method=method)
    with pytest.raises(sp.DistanceOverflowError):
        sp.distances(CHAIN, [0], [3], method=method)


@pytest.mark.parametrize(
    ("method", "device"),
    [
        ("dijkstra", None),
        ("delta-stepping", None),
        ("bellman-ford", None),
        pytest.param("edge-sweep", "opencl", marks=pytest.mark.pocl),
    ],
    indirect=["device"],
)
def test_columns_are_all_that_a_matrix_is_asked_for(method, device):
    # 2 is too far, 3 out of reach: neither matters to the distance of the other.
    g = sp.Graph.from_edges([0, 1, 3], [1, 2, 0], [2**62, 2**62, 1])
    assert sp.distances(g, [0], [3, 1], method=method, device=device).tolist() == [[sp.UNREACHABLE, 2**62]]
    with pytest.raises(sp.DistanceOverflowError):
        sp.distances(g, [0], [2, 3], method=method, device=device)


@pytest.mark.pocl
def test_edge_sweeps_stop_at_the_columns(pocl):
    assert sp.distances(CHAIN, [0], [2, 0], method="edge-sweep", device="opencl").tolist() == [[LAST, 0]]
    assert sp.distances(CHAIN, [0], cutoff=LAST, method="edge-sweep", device="opencl").tolist() == [
        [0, 2**62, LAST, sp.UNREACHABLE]
    ]
    with pytest.raises(sp.DistanceOverflowError):
        sp.distances(CHAIN, [0], method="edge-sweep", device="opencl")


def test_a_detour_that_fits_is_no_overflow():
    g = sp.Graph.from_edges([0, 1, 0, 3], [1, 2, 3, 2], [2**62, TOP + 2**62, 2**62 + 1, 1])
    for method in METHODS:
        assert sp.sssp(g, 0, method=method).verify().distances.tolist() == [0, 2**62, 2**62 + 2, 2**62 + 1]


def test_bellman_ford_of_many_sources_keeps_the_cutoff():
    g = sp.Graph.from_edges([0, 1], [1, 2], [5, 5])
    assert sp.distances(g, [0], cutoff=5, method="bellman-ford").tolist() == [[0, 5, sp.UNREACHABLE]]
    h = sp.Graph.from_edges([0, 1], [1, 2], [0.5, 0.5])
    assert sp.distances(h, [0, 1], cutoff=0.5, method="bellman-ford").tolist() == [
        [0, 0.5, np.inf],
        [np.inf, 0, 0.5],
    ]

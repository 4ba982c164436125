"""distances, all_pairs, nearest: matrices on the CPU, in every form they can be had in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import edge_checks
import graphs
import oracle
import steppe as sp
from conftest import examples
from steppe.machine import memory
from steppe.planning import bytes as sizes

FAR = sp.UNREACHABLE
SIMPLE = sp.Graph.from_edges(["a", "a", "b", "d"], ["b", "c", "c", "a"], [5, 9, 3, 1], relabel=True)


@pytest.fixture(scope="module")
def graph():
    return sp.generate.random(300, 1200, weights=(0, 50), seed=4)


@pytest.fixture(scope="module")
def right(graph):
    return np.stack([sp.sssp(graph, s, method="dijkstra", device="cpu").distances for s in range(300)])


@pytest.mark.parametrize("method", ["dijkstra", "delta-stepping"])
@pytest.mark.parametrize("dtype", edge_checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
def test_named_graphs(method, dtype):
    chosen = dict(graphs.NAMED)
    chosen |= graphs.FLOAT if dtype is not None and np.dtype(dtype).kind == "f" else {}
    for name, (n, edges) in chosen.items():
        for threads in (1, 3):
            got = sp.all_pairs(answers.graph_of(n, edges, dtype), method=method, device="cpu", threads=threads)
            expected = edge_checks.matrix(n, edges, dtype, range(n))
            assert got.dtype == expected.dtype
            assert np.array_equal(got, expected), (name, threads)


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 2**31 - 1)), max_size=30),
    sources=st.lists(st.integers(0, 7), max_size=9),
    targets=st.none() | st.lists(st.integers(0, 7), max_size=5),
    cutoff=st.none() | st.integers(0, 2**33),
)
@settings(max_examples=examples(100), deadline=None)
def test_any_small_graph(edges, sources, targets, cutoff):
    g = answers.graph_of(8, edges, np.int32)
    expected = edge_checks.matrix(8, edges, np.int32, sources).reshape(len(sources), 8).astype(np.int64)
    expected = expected if cutoff is None else np.where(expected <= cutoff, expected, FAR)
    expected = expected if targets is None else expected[:, targets]
    for method in ("dijkstra", "delta-stepping"):
        got = sp.distances(g, sources, targets, cutoff=cutoff, method=method, device="cpu", threads=2)
        assert np.array_equal(got, expected)


def test_larger_graph_in_every_thread_count(graph, right):
    for threads in (1, 2, 7):
        assert np.array_equal(sp.all_pairs(graph, device="cpu", threads=threads), right)
    assert np.array_equal(sp.distances(graph, [5, 5, 299], [0, 7, 0], device="cpu"), right[[5, 5, 299]][:, [0, 7, 0]])


def test_labels():
    assert sp.distances(SIMPLE, ["a", "d"], ["c"]).tolist() == [[8], [9]]
    assert sp.distances(SIMPLE, ["c", "c"]).tolist() == [[FAR, FAR, 0, FAR]] * 2
    with pytest.raises(sp.GraphError, match="'x' is not in the graph"):
        sp.distances(SIMPLE, ["a"], ["x"])


def test_nothing_asked_and_empty_graph():
    assert sp.distances(SIMPLE, []).shape == (0, 4)
    assert sp.distances(SIMPLE, ["a"], []).shape == (1, 0)
    assert sp.all_pairs(sp.Graph.from_edges([], [])).shape == (0, 0)


def test_distances_beyond_32_bits_and_beyond_64():
    edges = [(v, v + 1, 2**31 - 1) for v in range(9)]
    for method in ("dijkstra", "delta-stepping"):
        got = sp.all_pairs(answers.graph_of(10, edges, np.int32), method=method)
        assert np.array_equal(got, edge_checks.matrix(10, edges, np.int32, range(10)))
        n, huge = graphs.HUGE["huge path"]
        assert sp.all_pairs(answers.graph_of(n, huge, np.int64), method=method)[0].tolist() == [
            0,
            2**62,
            2**63 - 2,
            2**63 - 2,
        ]
        too_far = answers.graph_of(3, [(0, 1, 2**62), (1, 2, 2**62)], np.int64)
        with pytest.raises(sp.DistanceOverflowError, match="from 0 does not fit"):
            sp.all_pairs(too_far, method=method)
        assert sp.all_pairs(too_far, method=method, cutoff=2**62)[0].tolist() == [0, 2**62, FAR]


def test_negative_weights():
    for n, edges in graphs.NEGATIVE.values():
        for dtype in answers.TYPES:
            g = answers.graph_of(n, edges, dtype)
            expected = np.stack([answers.array_of(oracle.bellman_ford(n, edges, [s]), dtype) for s in range(n)])
            assert np.array_equal(sp.all_pairs(g), expected)
            assert np.array_equal(sp.distances(g, [1], [0, 2]), expected[[1]][:, [0, 2]])
    with pytest.raises(sp.NegativeWeightError, match="2 → 1 weighs -3"):
        sp.all_pairs(answers.graph_of(*graphs.NEGATIVE["negative edge"], np.int32), method="dijkstra")
    with pytest.raises(sp.NegativeCycleError):
        sp.all_pairs(sp.Graph.from_edges([0, 1], [1, 0], [1, -2]))
    with pytest.raises(ValueError, match="cutoff has no meaning"):
        sp.all_pairs(sp.Graph.from_edges([0], [1], [-2]), cutoff=3)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"method": "floyd"}, "method must be one of auto, dijkstra"),
        ({"method": "edge-sweep", "device": "cpu"}, "runs on a device"),
        ({"cutoff": -1}, "cutoff must be"),
        ({"cutoff": float("nan")}, "cutoff must be"),
        ({"sparse": True}, "needs a cutoff"),
        ({"sparse": True, "cutoff": 1, "out": "x.npy"}, "do not go together"),
        ({"dtype": "complex64"}, "integers or floats"),
        ({"out": "x.csv"}, "name of a .npy file"),
        ({"threads": 0}, "from 1 to"),
    ],
)
def test_bad_options(options, part):
    with pytest.raises(ValueError, match=part):
        sp.distances(SIMPLE, ["a"], **options)


@pytest.mark.pocl
def test_method_must_suit_the_device(device):
    with pytest.raises(ValueError, match="runs on the CPU"):
        sp.distances(SIMPLE, ["a"], method="dijkstra", device=device.info.name)
    with pytest.raises(sp.NegativeWeightError, match="delta-stepping needs"):
        sp.all_pairs(sp.Graph.from_edges([0], [1], [-2]), device=device.info.name)
    assert sp.distances(SIMPLE, ["a", "d"], ["c"], device=device.info.name, dtype="float32").tolist() == [[8], [9]]


# Narrow types --------------------------------------------------------------------------------------------------------


def test_dtype_is_checked_for_loss():
    assert sp.all_pairs(SIMPLE, dtype="uint8")[0].tolist() == [0, 5, 8, 255]
    assert sp.all_pairs(SIMPLE, dtype="float32")[0].tolist() == [0, 5, 8, np.inf]
    edge = sp.Graph.from_edges([0, 1], [1, 2], [200, 55])
    with pytest.raises(sp.DistanceOverflowError, match="from 0 to 2 is 255 and cannot be stored as uint8"):
        sp.all_pairs(edge, dtype="uint8")  # 255 means unreachable
    assert sp.all_pairs(edge, dtype="uint8", cutoff=254)[0].tolist() == [0, 200, 255]
    with pytest.raises(sp.DistanceOverflowError, match="is -2 and cannot"):
        sp.all_pairs(sp.Graph.from_edges([0], [1], [-2]), dtype="uint64")
    whole, parts, large = (sp.Graph.from_edges([0], [1], [w]) for w in (3.0, 2.5, 1e300))
    assert sp.all_pairs(whole, dtype="int16").tolist() == [[0, 3], [32767, 0]]
    with pytest.raises(sp.DistanceOverflowError, match=r"is 2\.5 and cannot be stored as int16"):
        sp.all_pairs(parts, dtype="int16")
    for dtype in ("float32", "int64"):
        with pytest.raises(sp.DistanceOverflowError, match=r"is 1e\+300 and cannot"):
            sp.all_pairs(large, dtype=dtype)


def test_sparse(graph, right, monkeypatch):
    monkeypatch.setattr(sizes, "BLOCK", 300 * 8 * 20)
    got = sp.all_pairs(graph, cutoff=20, sparse=True, dtype="uint16")
    assert (got.shape, got.dtype, got.format) == ((300, 300), np.uint16, "csr")
    rows, columns = np.nonzero(right <= 20)
    assert np.array_equal(got.indptr, np.searchsorted(rows, np.arange(301)))
    assert np.array_equal(got.indices, columns)
    assert np.array_equal(got.data, right[rows, columns])  # zeros are stored
    assert sp.distances(SIMPLE, [], cutoff=1, sparse=True).shape == (0, 4)


# Files and sizes -----------------------------------------------------------------------------------------------------


def test_a_matrix_that_does_not_fit_is_refused_before_it_is_computed(monkeypatch):
    g = sp.Graph.from_edges([0], [1], num_vertices=10**6)
    with pytest.raises(sp.ResultSizeError, match=r"takes 8,000,000,000,000 bytes.*dtype=.*cutoff=.*out=") as caught:
        sp.all_pairs(g)
    assert caught.value.needed == 8 * 10**12
    assert isinstance(caught.value, MemoryError)
    monkeypatch.setattr(memory, "available", lambda: 100)
    monkeypatch.setattr(memory, "SMALL", 0)
    with pytest.raises(sp.ResultSizeError, match="100 are free"):
        sp.all_pairs(SIMPLE)
    assert sp.all_pairs(SIMPLE, dtype="uint8").nbytes == 16


def test_progress_and_its_errors(graph):
    told = []
    sp.all_pairs(graph, progress=told.append)
    assert told[-1] == sp.Progress(300, 300, "sources")

    class StopError(Exception):
        pass

    def stop(done):
        raise StopError

    with pytest.raises(StopError):
        sp.all_pairs(graph, progress=stop)


# Nearest -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", edge_checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
def test_nearest_against_the_rows_of_all_sources(dtype):
    for n, edges in graphs.NAMED.values():
        g = answers.graph_of(n, edges, dtype)
        sources = sorted({0, n // 2, n - 1})
        rows = edge_checks.matrix(n, edges, dtype, sources)
        got = sp.nearest(g, sources)
        assert np.array_equal(got.distances, rows.min(axis=0))
        for v, winner in enumerate(got.source_index.tolist()):
            far = rows[:, v].min() == got.paths.unreachable
            assert winner == -1 if far else rows[sources.index(winner), v] == rows[:, v].min()


def test_nearest_in_labels_and_within_a_cutoff():
    got = sp.nearest(SIMPLE, ["b", "d", "b"])
    assert [got.source(v) for v in "abcd"] == ["d", "b", "b", "d"]
    assert (got.distance("a"), got.distance("c")) == (1, 3)
    near = sp.nearest(SIMPLE, ["b", "d"], cutoff=2)
    assert near.source_index.tolist() == [3, 1, -1, 3]
    assert near.distance("c") == FAR
    with pytest.raises(sp.NoPathError, match="no source reaches 'c'"):
        near.source("c")
    near.paths.verify()
    with pytest.raises(ValueError, match="sources is empty"):
        sp.nearest(SIMPLE, [])
    with pytest.raises(ValueError, match="cutoff"):
        sp.nearest(SIMPLE, ["a"], cutoff=-3)
    assert sp.nearest(sp.Graph.from_edges([0, 1], [1, 2], [4, -3]), [0, 1]).distances.tolist() == [0, 0, -3]


@pytest.mark.parametrize("cutoff", [2**63 - 1, 1e300, float("inf")])
def test_sparse_with_a_cutoff_beyond_all_distances(cutoff):
    g = sp.Graph.from_edges([0], [1], [1])
    assert sp.distances(g, [0], cutoff=cutoff, sparse=True).toarray().tolist() == [[0, 1]]


def test_nearest_of_sources_that_others_reach_below_zero():
    g = sp.Graph.from_edges([0, 1], [1, 2], [-0.5, 0.25])
    r = sp.nearest(g, [1, 0])
    assert (r.distances.tolist(), r.source_index.tolist()) == ([0, -0.5, -0.25], [0, 0, 0])
    assert r.paths.verify().predecessors.tolist() == [-1, 0, 1]

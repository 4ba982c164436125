"""Skims: matrices of sums along the shortest paths are those of one search after the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples


def check(g, sources, targets, columns, **options):
    """Every row against Paths.along, of which test_edge_ids.py compares each sum with plain Python's."""
    made = sp.distances(g, sources, targets, along=columns, **options)
    if not (g.has_negative and "cutoff" in options):
        made.verify()
    plain = sp.distances(g, sources, targets, **options)
    assert np.array_equal(made.distances, plain)
    assert made.distances.dtype == plain.dtype
    ends = np.arange(g.num_vertices) if targets is None else g.indices_of(targets)
    method = "bellman-ford" if g.has_negative else "auto"
    for i, source in enumerate(sources):
        paths = sp.sssp(g, source, method=method, cutoff=options.get("cutoff"))
        for name, values in columns.items():
            sums = paths.along(values)[ends]
            assert made[name].dtype == sums.dtype
            assert np.array_equal(made[name][i], sums)
    return made


@settings(max_examples=examples(120), deadline=None)
@given(st.data())
def test_rows_are_those_of_single_searches(data):
    n, m = data.draw(st.integers(1, 8)), data.draw(st.integers(0, 40))
    ids = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    u, v = np.array(data.draw(ids), dtype=np.int64), np.array(data.draw(ids), dtype=np.int64)
    kind = data.draw(st.sampled_from([None, "int32", "int64", "float32", "float64"]))
    w = None if kind is None else np.array(data.draw(st.lists(st.integers(0, 5), min_size=m, max_size=m))).astype(kind)
    if kind == "int64":
        w = w + 2**40
    g = sp.Graph.from_edges(u, v, w, num_vertices=n, directed=data.draw(st.booleans()))
    if data.draw(st.booleans()):
        g.prepare()
    sources = data.draw(st.lists(st.integers(0, n - 1), max_size=4))
    targets = data.draw(st.none() | st.lists(st.integers(0, n - 1), max_size=4))
    columns = {"metres": np.arange(m) * 3 - 7, "toll": np.arange(m) * 0.1}
    cutoff = data.draw(st.sampled_from([None, 4]))
    check(g, sources, targets, columns, cutoff=cutoff, threads=data.draw(st.sampled_from([1, 2])))


def test_negative_weights():
    g = sp.Graph.from_edges([0, 1, 0, 3], [1, 2, 2, 0], [4, -3, 2, 0], num_vertices=5)
    made = check(g, [0, 3, 4], [2, 1, 4], {"a": [1, 2, 3, 4]})
    assert made["a"].tolist() == [[3, 1, sp.UNREACHABLE], [7, 5, sp.UNREACHABLE], [sp.UNREACHABLE, sp.UNREACHABLE, 0]]


@pytest.mark.parametrize("kind", ["int32", "float64"])
def test_stars_and_streets(kind):
    """A hub's row is swept once, not once for each of its children; a long street is followed to its end."""
    n = 3000
    hub = np.zeros(n, dtype=np.int64)
    g = sp.Graph.from_edges(hub, np.arange(1, n + 1), np.arange(n).astype(kind), directed=False)
    check(g, [0, 5, n], list(range(0, n, 7)), {"a": np.arange(n)[::-1].copy()})
    street = sp.Graph.from_edges(np.arange(n), np.arange(1, n + 1), np.ones(n, dtype=kind))
    made = check(street, [0, n // 2], [n, 0], {"a": np.ones(n)})
    assert made["a"].tolist() == [[n, 0], [n / 2, np.inf]]


def test_a_network_on_several_threads():
    g = sp.generate.road(4000, seed=2)
    u, v, w = g.edges()
    g = sp.Graph.from_edges(u, v, w, num_vertices=4000, directed=False)
    rng = np.random.default_rng(1)
    check(
        g,
        rng.choice(4000, 12),
        rng.choice(4000, 30),
        {"a": rng.integers(0, 9, len(u)), "b": rng.random(len(u))},
        threads=2,
    )


@pytest.mark.parametrize("what", ["distances", "metres", "predecessors"])
def test_the_proof_finds_one_wrong_entry(what):
    g = sp.Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], [5, 3, 9], relabel=True)
    asked = {"predecessors": True} if what == "predecessors" else {"along": {"metres": [500, 300, 100]}}
    made = sp.distances(g, ["c", "a", "b"], ["a", "c"], dtype="uint8" if what == "predecessors" else None, **asked)
    assert made.verify() is made
    wrong = made["metres"] if what == "metres" else getattr(made, what)
    wrong[1, 1] += 1
    with pytest.raises(sp.VerificationError, match=f"{what.rstrip('s')}.* of 'a' to 'c' is") as caught:
        made.verify()
    assert caught.value.vertex == "c"
    made.verify(sample=1)  # the first row


def test_all_pairs_take_attributes():
    g = sp.Graph.from_edges([0, 1, 0], [1, 2, 2], [4, 3, 9])
    made = sp.all_pairs(g, along={"a": [1, 2, 4]}).verify()
    assert made["a"].tolist() == [[0, 1, 3], [sp.UNREACHABLE, 0, 2], [sp.UNREACHABLE] * 2 + [0]]
    assert sp.all_pairs(g, unreachable=-1).tolist() == [[0, 4, 7], [-1, 0, 3], [-1, -1, 0]]


def test_the_proof_needs_no_distance_beyond_the_targets():
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], [5, 2**62, 2**62])
    assert sp.distances(g, [0], [1], along={"a": [1, 2, 3]}).verify()["a"].tolist() == [[1]]


def test_how_a_matrix_was_found():
    g = sp.generate.grid(20, 20, seed=1)
    made = sp.distances(g, [0, 7], predecessors=True, method="dijkstra", threads=1)
    told = made.explain()
    assert (told.method, told.threads, told.engine) == ("dijkstra", 1, "cpu")
    assert told.seconds > 0
    table = made.to_frame()
    assert table.columns.tolist() == ["source", "target", "distance", "predecessor"]
    assert table["predecessor"].isna().sum() == 2  # the sources
    assert sp.distances(g, [0], along=[]).explain().method == sp.plan(g, "distances", sources=1, pairs=True).method


def test_errors():
    g = sp.Graph.from_edges([0, 1], [1, 2], [1, 1])
    for options, error, message in [
        ({"along": "metres"}, ValueError, "list of attributes"),
        ({"along": ["metres"]}, sp.GraphError, "no attribute 'metres'"),
        ({"along": {"m": [1]}}, sp.GraphError, "1 values for 2 edges"),
        ({"along": [], "dtype": "int32"}, ValueError, "of their own types"),
        ({"along": [], "unreachable": -1}, ValueError, "without sparse, out, .* and along"),
        ({"along": [], "sparse": True, "cutoff": 3}, ValueError, "do not go together"),
        ({"along": {"m": [2**62, 2**62]}}, sp.DistanceOverflowError, "a sum along a path from 0"),
        ({"along": [], "memory_limit": 8}, sp.ResultSizeError, "bytes"),
    ]:
        with pytest.raises(error, match=message):
            sp.distances(g, [0], **options)
    with pytest.raises(sp.GraphError, match="does not know which edges"):
        sp.distances(sp.generate.grid(3, 3), [0], along={"a": [1]})


@pytest.mark.parametrize("method", ["auto", "floyd-warshall", "essential-edges", "dijkstra"])
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_dense_graphs(method, dtype):
    """Methods for all pairs at once leave no trees behind; sums are found all the same."""
    n = 160
    u, v = np.divmod(np.arange(n * n), n)
    w = np.random.default_rng(1).integers(1, 1000, n * n).astype(dtype)
    g = sp.Graph.from_edges(u, v, w)
    skims = sp.distances(g, range(n), along={"again": w}, method=method)
    np.testing.assert_array_equal(skims["again"], sp.all_pairs(g, method="dijkstra"))


def test_progress_counts_sources():
    g = sp.generate.grid(200, 200)
    u, v, w = g.edges()
    g = sp.Graph.from_edges(u, v, w)
    told = []
    sp.distances(g, range(40), [39_999], along={"a": w}, progress=told.append)
    assert told[-1].done == told[-1].total == 40

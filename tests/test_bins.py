"""Graphs far beyond the caches, searched in blocks: prepared rows, and sums that do not fit. (test_external.py has bins on every kind of graph.)"""

import numpy as np
import pytest

import steppe as sp
from steppe.cpu import external
from steppe.planning import blocks


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weights", [(1, 100), "float32", "float64"])
def test_bins_of_prepared_rows(monkeypatch, threads, directed, weights):
    """Bins are filled from packed rows, and the search is finished from the other side."""
    g = sp.generate.random(2000, 150_000, weights=weights, seed=8, directed=directed)
    expected = sp.sssp(g, 3, method="dijkstra").distances
    monkeypatch.setattr(blocks, "BLOCKS_FROM", 0)
    monkeypatch.setattr(external, "BIN_SHIFT", 8)
    g.prepare()
    assert sp.sssp(g, 3).verify().explain().engine == "external"
    narrow = float(np.median(expected)) / 20
    for paths in (False, True):
        answer = sp.sssp(g, 3, threads=threads, record_paths=paths, delta=narrow).verify()
        assert answer.distances.tobytes() == expected.tobytes()
        told = answer.explain()
        assert told.engine == "external"
        assert "finished by pull" in told.note
        assert told.edges_relaxed < told.edges_touched < g.num_edges
        assert told.parts == -(-2000 >> 8)
    cut = sp.sssp(g, 3, cutoff=float(np.median(expected)), threads=threads).verify()
    assert cut.explain().engine == "cpu"  # a bound: a short search, with or without blocks


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weights", [(0, 100), (1, 2**30), "float32", "float64"])
def test_bins_of_plain_rows_are_pulled_over(monkeypatch, threads, directed, weights):
    """A first search finishes from the other side where in-edges are at hand: the graph is undirected, or its reverse is known."""
    g = sp.generate.random(2000, 150_000, weights=weights, seed=8, directed=directed)
    expected = sp.sssp(g, 3, method="dijkstra").distances
    monkeypatch.setenv("STEPPE_PREPARE", "0")
    monkeypatch.setattr(blocks, "BLOCKS_FROM", 0)
    monkeypatch.setattr(external, "BIN_SHIFT", 8)
    narrow = max(float(np.median(expected)) / 20, 1e-6)
    if directed:
        assert "pull" not in sp.sssp(g, 3, threads=threads, delta=narrow).explain().note
        assert g.reverse.num_edges == g.num_edges
    for options in ({"delta": narrow}, {"delta": narrow, "record_paths": True}, {}):
        answer = sp.sssp(g, 3, threads=threads, **options).verify()
        assert answer.distances.tobytes() == expected.tobytes()
        told = answer.explain()
        assert told.engine == "external"
        if options:
            assert "finished by pull" in told.note
            assert told.edges_relaxed < g.num_edges


@pytest.mark.parametrize("weights", [np.array([2**31 - 1, 2**31 - 1, 5], np.int32), np.array([np.inf, 1.0, np.inf])])
def test_plain_rows_with_the_largest_weights(monkeypatch, weights):
    """Sums that outgrow 32 bits, and edges that are none, in rows that are pulled over."""
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 3000, (2, 60_000))
    light = rng.integers(1, 100, 60_000).astype(weights.dtype)
    light[rng.integers(0, 60_000, 3000)] = rng.choice(weights, 3000)
    g = sp.Graph.from_edges(u, v, light, directed=False)
    expected = sp.sssp(g, 3, method="dijkstra").distances
    monkeypatch.setenv("STEPPE_PREPARE", "0")
    monkeypatch.setattr(blocks, "BLOCKS_FROM", 0)
    monkeypatch.setattr(external, "BIN_SHIFT", 8)
    answer = sp.sssp(g, 3, delta=2.0).verify()
    assert answer.distances.tobytes() == expected.tobytes()
    assert answer.explain().engine == "external"


def test_bins_tell_of_sums_that_do_not_fit(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCKS_FROM", 0)
    monkeypatch.setattr(blocks, "BLOCKS_DEGREE", 0)
    wide = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([2**31 - 1, 2**31 - 1, 5], np.int32))
    answer = sp.sssp(wide, 0, method="delta-stepping")
    assert answer.explain().engine == "external"
    assert answer.distances.tolist() == [0, 2**31 - 1, 2**32 - 2, 2**32 + 3]
    with pytest.raises(sp.DistanceOverflowError):
        sp.sssp(sp.Graph.from_edges([0, 1], [1, 2], [2**62, 2**62]), 0, method="delta-stepping")

"""Hops from many sources at once: the rows and sums of single searches, for any number of sources, levels and vertices."""

import numpy as np
import pytest

import steppe as sp
from steppe import _core

FAR = sp.UNREACHABLE


def single(g, sources, cutoff=None):
    rows = np.stack([sp.bfs(g, s, cutoff=cutoff).distances for s in sources]).astype(np.int64)
    rows[rows == np.iinfo(np.int32).max] = FAR
    return rows


def unweighted(g):
    return sp.Graph.from_csr(g.indptr, g.indices, directed=g.directed)


GRAPHS = {
    "rmat": lambda: unweighted(sp.generate.rmat(10, seed=1)),
    "directed": lambda: unweighted(sp.generate.random(700, 2000, seed=2)),
    "thin": lambda: unweighted(sp.generate.random(500, 400, seed=3)),
    "grid": lambda: unweighted(sp.generate.grid(17, 23, seed=4)),
    "a path longer than a byte counts": lambda: sp.Graph.from_edges(np.arange(899), np.arange(1, 900), directed=False),
    "one way": lambda: sp.Graph.from_edges(np.arange(599), np.arange(1, 600)),
    "one vertex": lambda: sp.Graph.from_edges([], [], num_vertices=1),
    "loops and parallel edges": lambda: sp.Graph.from_edges([0, 0, 0, 1, 1], [0, 1, 1, 2, 1], num_vertices=9),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("count", [1, 31, 64, 65, 300, 1100])
def test_rows_and_sums(name, count):
    g = GRAPHS[name]()
    sources = np.random.default_rng(count).integers(0, g.num_vertices, count)
    expected = single(g, range(g.num_vertices))[sources]
    for threads in (1, 3):
        assert np.array_equal(sp.distances(g, sources, threads=threads), expected)
        reached = expected != FAR
        assert np.array_equal(sp.distances(g, sources, reduce="count", threads=threads), reached.sum(axis=1))
        sums = np.where(reached, expected, 0)
        assert np.array_equal(sp.distances(g, sources, reduce="sum", threads=threads), sums.sum(axis=1))
        assert np.array_equal(sp.eccentricity(g, sources, threads=threads), sums.max(axis=1))


@pytest.mark.parametrize("cutoff", [0, 1, 3, 254, 255, 256, 700])
def test_a_cutoff_and_columns(cutoff):
    g = GRAPHS["a path longer than a byte counts"]()
    sources, targets = np.arange(0, 900, 11), [5, 899, 5, 0, 450]
    expected = single(g, sources, cutoff)
    assert np.array_equal(sp.distances(g, sources, cutoff=cutoff), expected)
    assert np.array_equal(sp.distances(g, sources, targets, cutoff=cutoff), expected[:, targets])


def test_without_vectors():
    before = _core.testing.use_avx512(False)
    try:
        for name in ("rmat", "a path longer than a byte counts"):
            g = GRAPHS[name]()
            sources = np.arange(0, g.num_vertices, 2)
            assert np.array_equal(sp.distances(g, sources), single(g, sources))
    finally:
        _core.testing.use_avx512(before)


def test_ctrl_c_is_heard_and_progress_counts_sources():
    g = unweighted(sp.generate.rmat(15, seed=1))

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.eccentricity(g, progress=stop, threads=1)
    seen = []
    sp.eccentricity(g, range(2000), progress=seen.append)
    assert seen[-1].done == seen[-1].total == 2000

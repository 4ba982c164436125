"""Hops from many sources at once: the rows and sums of single searches, for any number of sources, levels and vertices."""

import numpy as np
import pytest

import steppe as sp
from steppe import _core
from steppe.cpu import hops

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


def by_bits(g, sources, dtype=np.int64, *, cutoff=None, columns=None, threads=2, in_edges=True):
    """Return rows by bits, whatever the graph is like; -1 and the rows, or the first entry that does not fit."""
    into = np.empty((len(sources), g.num_vertices if columns is None else len(columns)), dtype=dtype)
    question = _core.Question(np.asarray(sources, dtype=np.int64), bound=cutoff, threads=threads)
    chosen = None if columns is None else np.asarray(columns, dtype=np.int64)
    return _core.hop_rows(g._native, g.reverse._native if in_edges else None, question, chosen, into.reshape(-1)), into


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("count", [1, 31, 64, 65, 129, 300, 1100])
def test_rows_and_sums(name, count):
    g = GRAPHS[name]()
    sources = np.random.default_rng(count).integers(0, g.num_vertices, count)
    expected = single(g, range(g.num_vertices))[sources]
    columns = np.random.default_rng(7).integers(0, g.num_vertices, 700)
    for threads in (1, 3):
        assert np.array_equal(sp.distances(g, sources, threads=threads), expected)
        for in_edges in (False, True):
            assert np.array_equal(by_bits(g, sources, threads=threads, in_edges=in_edges)[1], expected)
        assert np.array_equal(by_bits(g, sources, columns=columns, threads=threads)[1], expected[:, columns])
        reached = expected != FAR
        assert np.array_equal(sp.distances(g, sources, reduce="count", threads=threads), reached.sum(axis=1))
        sums = np.where(reached, expected, 0)
        assert np.array_equal(sp.distances(g, sources, reduce="sum", threads=threads), sums.sum(axis=1))
        assert np.array_equal(sp.eccentricity(g, sources, threads=threads), sums.max(axis=1))
        told = np.empty((count, 3), dtype=np.int64)
        question = _core.Question(sources, threads=threads)
        _core.hop_sums(g._native, g.reverse._native, question, told.reshape(-1))
        assert np.array_equal(told, np.stack([sums.max(axis=1), sums.sum(axis=1), reached.sum(axis=1)], axis=1))


@pytest.mark.parametrize("cutoff", [0, 1, 3, 254, 255, 256, 700])
def test_a_cutoff_and_columns(cutoff):
    g = GRAPHS["a path longer than a byte counts"]()
    sources, targets = np.arange(0, 900, 11), [5, 899, 5, 0, 450]
    expected = single(g, sources, cutoff)
    assert np.array_equal(sp.distances(g, sources, cutoff=cutoff), expected)
    assert np.array_equal(sp.distances(g, sources, targets, cutoff=cutoff), expected[:, targets])
    assert np.array_equal(by_bits(g, sources, cutoff=cutoff)[1], expected)
    assert np.array_equal(by_bits(g, sources, cutoff=cutoff, columns=targets)[1], expected[:, targets])


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])
@pytest.mark.parametrize("name", ["rmat", "thin", "one way"])
def test_types(name, dtype):
    g, dtype = GRAPHS[name](), np.dtype(dtype)
    sources = np.arange(0, g.num_vertices, 2)
    expected, far = single(g, sources), np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    lost = (expected != FAR) & (expected >= far)
    bad, found = by_bits(g, sources, dtype)
    assert bad == (np.flatnonzero(lost)[0] if lost.any() else -1)
    right = np.where(expected == FAR, 0, expected).astype(dtype)
    right[expected == FAR] = far
    assert np.array_equal(found[~lost], right[~lost])
    assert by_bits(g, sources, dtype, columns=range(g.num_vertices))[0] == bad
    if bad < 0:
        assert np.array_equal(sp.distances(g, sources, dtype=dtype), right)
    elif name != "one way":
        with pytest.raises(sp.DistanceOverflowError, match="cannot be stored as"):
            sp.distances(g, sources, dtype=dtype)


def test_a_distance_that_does_not_fit_is_named():
    # A hub beside a path: one search finds two levels with a thousandth of the vertices, others have 300.
    leaves, path = np.arange(1, 300_001), np.arange(300_001, 300_301)
    u = np.concatenate([np.zeros(300_000, np.int64), [0], path[:-1]])
    v = np.concatenate([leaves, [300_001], path[1:]])
    g = sp.Graph.from_edges(u, v, directed=False)
    with pytest.raises(sp.DistanceOverflowError, match=r"from 1 to 300255 is 256 and cannot be stored as uint8"):
        sp.distances(g, [1] + [5] * 40, [300_253, 300_255, 7], dtype="uint8")
    assert sp.distances(g, [1] + [5] * 40, [300_253, 7], dtype="uint8")[0].tolist() == [254, 2]


def test_long_paths_are_searched_one_by_one(monkeypatch):
    shared = []
    monkeypatch.setattr(hops, "rows", lambda *a: shared.append(a))
    rmat, grid = GRAPHS["rmat"](), unweighted(sp.generate.grid(60, 60, seed=4))
    sources = np.arange(100)
    expected = single(grid, sources)
    assert np.array_equal(sp.distances(grid, sources), expected)
    assert grid._shape.levels > 30
    assert not shared
    sp.distances(grid, sources, cutoff=9)
    sp.distances(rmat, sources)
    assert 0 < rmat._shape.levels < 9
    assert len(shared) == 2


def test_without_vectors():
    before = _core.testing.use_avx512(False)
    try:
        for name in ("rmat", "a path longer than a byte counts"):
            g = GRAPHS[name]()
            for count in (64, 100, 200, 450):
                sources = np.arange(count) * g.num_vertices // count
                assert np.array_equal(by_bits(g, sources)[1], single(g, sources))
                assert np.array_equal(by_bits(g, sources, np.uint16)[1] == 65535, single(g, sources) == FAR)
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

"""The slips of the documents this project started from, as far as they concern the CPU: one regression each.

The documents are pseudo-code: 000 SSSP by rounds ("frontier" here), 002 delta-stepping, 003 atomics, BFS and SSSP with
stored paths, 004 all pairs. 001, graphs larger than a device, is tested with the devices.
"""

import numpy as np
import pytest

import steppe as sp
from steppe.planning import capabilities

METHODS = capabilities.WEIGHTED


@pytest.fixture(autouse=True)
def _threads_are_used(monkeypatch):
    """However small the graph."""
    monkeypatch.setattr("steppe.planning.plan.EDGES_PER_THREAD", 0)
    monkeypatch.setattr("steppe.planning.plan.SPARSE_EDGES_PER_THREAD", 0)


def hourglass(width, waists, dtype=np.int32):
    """One vertex, many, one, many, …: rounds of one vertex alternate with rounds that all threads share."""
    u, v = [], []
    for i in range(waists):
        waist, wide = i * (width + 1), np.arange(1, width + 1) + i * (width + 1)
        u += [np.full(width, waist), wide]
        v += [wide, np.full(width, waist + width + 1)]
    u, v = np.concatenate(u), np.concatenate(v)
    return sp.Graph.from_edges(u, v, ((u * 7 + v * 3) % 11).astype(dtype))


def test_000_a_vertex_that_did_not_change_does_not_stop_the_loop():
    n = 3_000
    g = sp.Graph.from_edges(np.arange(n), np.arange(1, n + 1), np.ones(n, dtype=np.int64) * 2)
    r = sp.sssp(g, 0, method="frontier", threads=2)
    assert np.array_equal(r.distances, 2 * np.arange(n + 1))


def test_000_only_what_changed_in_the_last_round_is_relaxed():
    n = 3_000
    g = sp.Graph.from_edges(np.arange(n), np.arange(1, n + 1), np.full(n, 2))
    e = sp.sssp(g, 0, method="frontier").explain()
    assert e.edges_relaxed == n  # not n for each of the n rounds
    assert n <= e.rounds <= n + 1


def test_000_predist_starts_as_dist():
    g = sp.Graph.from_edges([0, 0, 1], [0, 1, 0], [0, 3, 0])
    for record in (False, True):
        assert sp.sssp(g, 0, method="frontier", record_paths=record).verify().distances.tolist() == [0, 3]


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_000_no_thread_leaves_early_and_no_round_is_lost(threads):
    g = hourglass(2_000, 12)
    expected = sp.sssp(g, 0, method="dijkstra").distances
    for _ in range(10):
        r = sp.sssp(g, 0, method="frontier", threads=threads)
        assert np.array_equal(r.distances, expected)
        assert r.explain().rounds == 25


@pytest.mark.parametrize("method", ["frontier", "delta-stepping"])
def test_000_002_more_than_one_block_works(method):
    g = sp.generate.random(20_000, 400_000, seed=1)
    one, many = (sp.sssp(g, 0, method=method, threads=k) for k in (1, 4))
    assert (one.explain().threads, many.explain().threads) == (1, 4)
    assert np.array_equal(one.distances, many.distances)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("source", [0, 1, 499])
def test_002_the_source_is_in_the_first_bucket(threads, source):
    g = sp.generate.grid(20, 25, seed=2)
    r = sp.sssp(g, source, method="delta-stepping", threads=threads).verify()
    assert r.reachable.all()


@pytest.mark.parametrize("threads", [1, 4])
def test_002_empty_buckets_are_jumped_over(threads):
    g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [2**40, 1, 2**40, 2**40])
    r = sp.sssp(g, 0, method="delta-stepping", delta=1, threads=threads)
    assert r.distances.tolist() == [0, 2**40, 2**40 + 1, 2**41 + 1, 3 * 2**40 + 1]
    assert r.explain().rounds <= 6


def test_002_a_vertex_that_improves_leaves_its_old_bucket():
    n = 100
    u = np.concatenate([np.zeros(n, dtype=int), np.arange(n)])
    v = np.concatenate([np.arange(1, n + 1), np.arange(1, n + 1)])
    w = np.concatenate([np.arange(1, n + 1) * 50, np.ones(n, dtype=int)])
    e = sp.sssp(sp.Graph.from_edges(u, v, w), 0, method="delta-stepping", delta=1).explain()
    assert e.edges_relaxed == 2 * n  # every vertex once, from its last bucket


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_002_zero_weights_stay_in_the_bucket_that_is_being_emptied(threads, dtype):
    n = 500
    w = np.zeros(2 * n, dtype=dtype)
    w[n - 1] = 1
    g = sp.Graph.from_edges(np.tile(np.arange(n), 2), np.concatenate([np.arange(1, n + 1), np.roll(range(n), 1)]), w)
    r = sp.sssp(g, 0, method="delta-stepping", threads=threads).verify()
    assert r.distances.tolist() == [0] * n + [1]


@pytest.mark.parametrize("threads", [2, 8])
def test_003_levels_without_atomics_count_every_vertex_once(threads):
    """Hundreds of vertices find the same next ones at the same time."""
    k = 300
    layers = [np.arange(k) + i * k for i in range(4)]
    u = np.concatenate([np.repeat(a, k) for a in layers[:-1]])
    v = np.concatenate([np.tile(b, k) for b in layers[1:]])
    g = sp.Graph.from_edges(np.concatenate([np.full(k, 4 * k), u]), np.concatenate([layers[0], v]))
    for _ in range(20):
        r = sp.bfs(g, 4 * k, threads=threads)
        assert r.distances.tolist() == [1] * k + [2] * k + [3] * k + [4] * k + [0]
        assert r.explain().edges_touched == g.num_edges


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("method", ["frontier", "delta-stepping"])
def test_003_distance_and_predecessor_never_disagree(dtype, wide, method):
    """Many threads improve the same few vertices again and again."""
    k = 400
    weights = np.concatenate([np.arange(k), np.arange(k)[::-1] * 3 + (2**32 if dtype is np.int64 else 0)])
    u = np.concatenate([np.zeros(k, dtype=int), np.arange(1, k + 1)])
    v = np.concatenate([np.arange(1, k + 1), k + 1 + np.arange(k) % 3])
    u, v = np.concatenate([u, [k + 1, k + 2, k + 3]]), np.concatenate([v, [k + 4] * 3])
    g = sp.Graph.from_edges(u, v, np.concatenate([weights, [5, 4, 3]]).astype(dtype))
    if wide:
        g = sp.Graph._make(g.indptr, g.indices.astype(np.int64), g.weights, labels=None, directed=True)
    for _ in range(5):
        sp.sssp(g, 0, method=method, threads=8, record_paths=True).verify()
        sp.bfs(g, 0, threads=8, record_paths=True).verify()


@pytest.mark.parametrize("method", METHODS)
def test_004_the_next_source_starts_afresh(method):
    g = sp.generate.grid(8, 9, seed=4)
    first = [sp.sssp(g, s, method=method).verify().distances for s in range(72)]
    again = [sp.sssp(g, s, method=method).distances for s in reversed(range(72))][::-1]
    assert all(map(np.array_equal, first, again))
    assert all(d[s] == 0 and (np.delete(d, s) > 0).all() for s, d in enumerate(first))


@pytest.mark.parametrize("method", METHODS)
def test_004_edges_are_not_relaxed_backwards(method):
    g = sp.Graph.from_edges([1, 2, 0], [0, 1, 3], [1, 1, 1])
    assert sp.sssp(g, 0, method=method).verify().to_dict() == {0: 0, 3: 1}
    both = sp.Graph.from_edges([1, 2, 0], [0, 1, 3], [1, 1, 1], directed=False)
    assert sp.sssp(both, 0, method=method).verify().to_dict() == {0: 0, 1: 1, 2: 2, 3: 1}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_004_infinity_plus_a_weight_does_not_wrap(method, dtype):
    big = {np.int32: 2**31 - 1, np.int64: 2**62}.get(dtype, 1e38)
    g = sp.Graph.from_edges([1, 2, 3], [2, 3, 0], np.array([big] * 3, dtype=dtype))
    assert sp.sssp(g, 0, method=method, threads=2).verify().to_dict() == {0: 0}


@pytest.mark.parametrize("method", METHODS)
def test_all_what_the_documents_do_not_mention(method):
    with pytest.raises(sp.GraphError):
        sp.sssp(sp.Graph.from_edges([], []), 0, method=method)
    with pytest.raises(sp.GraphError):
        sp.sssp(sp.Graph.from_edges([0], [1], [1]), 2, method=method)
    with pytest.raises(sp.DistanceOverflowError):
        sp.sssp(sp.Graph.from_edges([0, 1], [1, 2], [2**62, 2**62]), 0, method=method)
    negative = sp.Graph.from_edges([0, 1], [1, 2], [5, -1])
    if method == "bellman-ford":
        assert sp.sssp(negative, 0, method=method).distances.tolist() == [0, 5, 4]
    else:
        with pytest.raises(sp.NegativeWeightError):
            sp.sssp(negative, 0, method=method)

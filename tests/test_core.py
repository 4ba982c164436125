"""The core's two nouns, Rows and Question: what they keep, what they share, and what they refuse."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import steppe as sp
from steppe import _core
from steppe.planning.facts import facts_of
from steppe.prepared import packed

SOURCE = np.array([0])


def roads(dtype=np.int32, *, directed=False):
    g = sp.generate.grid(20, 30, seed=3)
    return sp.Graph.from_csr(g.indptr, g.indices, g.weights.astype(dtype), directed=directed)


def dense(dtype=np.int32, *, directed=True):
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 300, (2, 5000))
    return sp.Graph.from_edges(u, v, rng.integers(1, 99, 5000).astype(dtype), num_vertices=300, directed=directed)


def test_forms_are_made_once_and_shared():
    g = dense()
    assert (g._native.form, g._native.is_prepared, g._native.prepared_bytes) == ("", False, 0)
    g.prepare()
    assert (g._native.form, g._native.is_prepared) == ("packed", True)
    both = g._native.prepared_bytes
    assert 2 * 8 * g.num_edges <= both < 4 * 8 * g.num_edges
    r = g.reverse
    assert 8 * g.num_edges <= r._native.prepared_bytes < both  # what g reads as in-edges are the out-edges of r
    assert not r._native.is_prepared  # which lacks the other direction
    r.prepare()
    assert r._native.prepared_bytes == both
    assert g._native is g._native
    symmetric = dense(directed=False).prepare()
    assert symmetric._native.prepared_bytes < 2 * 8 * symmetric.num_edges  # in-edges are the out-edges


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
@pytest.mark.parametrize("make", [roads, dense])
def test_the_plan_knows_what_preparing_takes(make, dtype):
    g = make(dtype, directed=False)
    estimate = packed.estimate(facts_of(g))
    planned = estimate.bytes + estimate.beside
    assert g.prepare()._native.prepared_bytes <= planned <= 2 * g._native.prepared_bytes


def test_forms_are_made_by_several_threads_at_once():
    """Whoever comes second lets go of what it made; searches meanwhile read what there is."""
    for _ in range(20):
        g = dense()
        rows, back = g._native, g.reverse._native
        expected = sp.sssp(g, 0, method="dijkstra").distances.tobytes()

        def work(i, rows=rows, back=back):
            out = np.empty(300, np.int64)
            (rows if i % 2 else back).prepare(back if i % 2 else rows, 1 + i % 3)
            _core.sssp("delta-stepping", rows, _core.Question(SOURCE), out)
            return out.tobytes()

        with ThreadPoolExecutor(6) as pool:
            assert set(pool.map(work, range(6))) == {expected}
        assert rows.prepared_bytes == back.prepared_bytes  # the same two, in another order


def test_routes_and_searches_share_rows_of_four():
    g = roads()
    assert g._native.suits_quads
    sp.route(g, 0, 599)
    made = g._native.prepared_bytes
    assert (g._native.form, made) == ("quads", 32 * g.num_vertices)
    g.prepare()
    assert g._native.prepared_bytes == made
    assert sp.sssp(g, 0).verify().distance(599) == sp.route(g, 0, 599).distance


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("make", [roads, dense])
@pytest.mark.parametrize("method", ["dijkstra", "delta-stepping"])
def test_many_sources_read_prepared_rows(make, dtype, method):
    g = make(dtype)
    if dtype == np.int64:  # small int64 weights are stored as int32; here the type matters
        g = sp.Graph._make(g.indptr, g.indices, g.weights.astype(dtype), labels=None, directed=g.directed)
    sources, targets = [0, 7, 7, 100], [5, 299, 0]
    plain = sp.distances(g, sources, method=method), sp.distances(g, sources, targets, method=method, cutoff=60)
    g.prepare()
    assert g._native.is_prepared
    prepared = sp.distances(g, sources, method=method), sp.distances(g, sources, targets, method=method, cutoff=60)
    for a, b in zip(plain, prepared, strict=True):
        assert a.tobytes() == b.tobytes()
    for row, s in zip(prepared[0], sources, strict=True):
        assert row.tobytes() == sp.sssp(g, s, method="frontier").distances.tobytes()


@pytest.mark.parametrize("prepared", [False, True])
def test_no_weights_are_ones(prepared):
    g = dense()
    bare, ones = sp.Graph.from_csr(g.indptr, g.indices), sp.Graph.from_csr(g.indptr, g.indices, np.ones(5000, np.int32))
    if prepared:
        bare.prepare(), ones.prepare()
    for method in ("dijkstra", "delta-stepping", "frontier", "bellman-ford"):
        assert sp.sssp(bare, 0, method=method).verify().distances.tobytes() == sp.sssp(ones, 0).distances.tobytes()
    assert "_ones" not in vars(bare)


def test_with_targets_one_thread_stops_at_the_exact_bucket(monkeypatch):
    monkeypatch.setattr("steppe.planning.plan.EDGES_PER_THREAD", 0)
    monkeypatch.setattr("steppe.planning.plan.SPARSE_EDGES_PER_THREAD", 0)
    g = dense()
    assert sp.sssp(g, 0, method="delta-stepping", threads=2).explain().threads == 2
    assert sp.sssp(g, 0, method="delta-stepping", threads=2, targets=[5]).explain().threads == 1


def test_a_bound_is_of_the_type_of_the_distances():
    g = dense()
    distances = np.empty(300, np.int64)
    stats = _core.sssp("dijkstra", g._native, _core.Question(SOURCE, bound=20), distances)
    assert distances[distances != sp.UNREACHABLE].max() == 20
    assert (stats.overflow, stats.threads, stats.note) == (False, 1, "")
    with pytest.raises(ValueError, match="whole"):
        _core.sssp("dijkstra", g._native, _core.Question(SOURCE, bound=20.0), distances)
    real = dense(np.float64)
    lengths = np.empty(300)
    _core.sssp("dijkstra", real._native, _core.Question(SOURCE, bound=20.0), lengths)
    assert np.array_equal(lengths < np.inf, distances != sp.UNREACHABLE)
    for wrong in ("far", 2**64):
        with pytest.raises(ValueError, match="bound"):
            _core.Question(SOURCE, bound=wrong)


def test_what_would_crash_is_refused():
    g, empty = dense(), np.empty(0, np.int64)
    question, out = _core.Question(SOURCE), np.empty(300, np.int64)
    for make in (
        lambda: _core.Rows(empty, g.indices, g.weights),
        lambda: _core.Rows(g.indptr, g.indices, g.weights[1:]),
        lambda: _core.Rows(g.indptr, g.indices.astype(np.int16), None),
        lambda: _core.Rows(g.indptr, g.indices, g.weights.astype(np.uint8)),
        lambda: _core.sssp("bfs", g._native, question, out),
        lambda: _core.sssp("dijkstra", g._native, question, out[1:].copy()),
        lambda: _core.sssp("dijkstra", g._native, question, out.astype(float)),
        lambda: _core.sssp("dijkstra", g._native, question, out, np.empty(300, np.int64)),
        lambda: _core.sssp("dijkstra", g._native, _core.Question(np.array([300])), out),
        lambda: _core.sssp("dijkstra", g._native, _core.Question(SOURCE, np.array([-1])), out),
        lambda: _core.many("dijkstra", g._native, question, np.array([300]), None, out[:1]),
        lambda: _core.many("dijkstra", g._native, question, np.array([3]), np.array([0, 2]), out[:1]),
        lambda: _core.many("dijkstra", g._native, question, np.array([3, 4]), np.array([1, 2]), out[:2]),
        lambda: _core.many("dijkstra", g._native, question, None, np.array([0, 2]), out[:2]),
        lambda: _core.floyd_warshall(g._native, question, np.array([-1]), out[:1], False),
        lambda: _core.floyd_warshall(g._native, question, None, out[:7], False),
        lambda: _core.bounded(g._native, question, None, np.empty(1, np.int64), False),
        lambda: _core.bounded(
            g._native, _core.Question(SOURCE, bound=5), np.array([300]), np.empty(1, np.int64), False
        ),
        lambda: _core.hop_rows(g._native, None, _core.Question(np.array([300])), None, out),
        lambda: _core.hop_rows(g._native, roads()._native, question, None, out),
        lambda: _core.hop_sums(g._native, None, question, out[:2]),
        lambda: _core.nearest_sources(g._native, question, None, 0, out[:0], out[:0]),
        lambda: _core.nearest_sources(g._native, question, np.zeros(2, np.int64), 1, out, np.empty(300, np.int64)),
        lambda: _core.bfs(g._native, None, _core.Question(np.array([300])), np.empty(300, np.int32)),
        lambda: _core.bellman_ford(g._native, _core.Question(np.array([-1])), out, np.empty(300, np.int32)),
        lambda: _core.verify(g._native, _core.Question(np.array([300])), out, None, False),
        lambda: _core.is_symmetric(g._native, dense(np.float32)._native, 1),
        lambda: _core.router(g._native, roads()._native, 1.0, 1.0, 1.0),
        lambda: _core.Rows(g.indptr, g.indices.astype(np.int64), g.weights).prepare(None, 1),
        lambda: _core.Budget(3, 1 << 20),
    ):
        with pytest.raises(ValueError, match=r".+"):
            make()


def test_rows_and_questions_keep_their_arrays():
    g = dense()
    rows = _core.Rows(g.indptr.copy(), g.indices.copy(), g.weights.copy())
    question = _core.Question(np.array([0]), np.array([299]))
    out = np.empty(300, np.int64)
    _core.sssp("delta-stepping", rows, question, out)
    assert out[299] == sp.sssp(g, 0).distance(299)


def test_switches_for_tests_are_apart():
    assert not {"use_avx512", "set_patience", "random_read_ns"} & set(dir(_core))
    before = _core.testing.set_patience(7)
    assert _core.testing.set_patience(before) == 7

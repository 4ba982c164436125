"""Vertices of 64 bits: graphs get them from 2^31 vertices on and only then; every call answers as with 32 bits, in its one plain form."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

import steppe as sp
import steppe.csgraph as ours
from steppe import _core
from steppe.graph.arrays import vertex_dtype
from steppe.planning.blocks import far_beyond_caches
from steppe.planning.facts import facts_of

WEIGHTS = [None, np.int32, np.int64, np.float32, np.float64]


def widened(g):
    """The same graph with 64-bit vertices, as one of more than 2^31 would have."""
    wide = g.indices.astype(np.int64)
    return sp.Graph._make(g.indptr, wide, g.weights, labels=g._labels, directed=g.directed, origin=g._origin)


def graph_of(dtype, *, directed=True, seed=3):
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, 300, (2, 1500))
    weights = None if dtype is None else rng.integers(0, 40, 1500).astype(dtype)
    if dtype is np.int64:
        weights[0] = 2**33
    return sp.Graph.from_edges(u, v, weights, num_vertices=300, directed=directed)


def test_only_huge_graphs_have_them():
    assert (vertex_dtype(2**31 - 1), vertex_dtype(2**31)) == (np.int32, np.int64)
    matrix = sparse.random_array((40, 40), density=0.2, rng=np.random.default_rng(1), format="csr")
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    assert matrix.indices.dtype == np.int64
    u, v = np.repeat(np.arange(40), np.diff(matrix.indptr)), matrix.indices.astype(np.int64)
    graphs = {
        "scipy": sp.Graph.from_scipy(matrix),
        "scipy, not copied": sp.Graph.from_scipy(matrix, copy=False),
        "rows": sp.Graph.from_csr(matrix.indptr, matrix.indices.astype(np.int64), matrix.data),
        "rows, not copied": sp.Graph.from_csr(matrix.indptr, matrix.indices.astype(np.int64), copy=False),
        "edges": sp.Graph.from_edges(u, v),
        "unsigned edges": sp.Graph.from_edges(u.astype(np.uint64), v.astype(np.uint64)),
        "labelled edges": sp.Graph.from_edges(u * 2**40, v * 2**40, relabel=True),
    }
    for name, g in graphs.items():
        assert g.indices.dtype == np.int32, name
        assert g.reverse.indices.dtype == np.int32, name
    assert np.array_equal(ours.dijkstra(matrix, indices=0), csgraph.dijkstra(matrix, indices=0))


@pytest.mark.parametrize("dtype", WEIGHTS)
@pytest.mark.parametrize("directed", [True, False])
def test_searches(dtype, directed):
    g = graph_of(dtype, directed=directed)
    w = widened(g)
    targets, cutoff = [5, 77], 60
    for options in (
        *({"method": method} for method in ("dijkstra", "delta-stepping", "frontier", "bellman-ford")),
        {"threads": 2, "method": "delta-stepping"},
        {"targets": targets},
        {"cutoff": cutoff},
        {"memory_limit": 10**7},
        {"memory_limit": 10**7, "method": "frontier", "threads": 2},
        {"memory_limit": 10**7, "record_paths": True},
    ):
        narrow, wide = sp.sssp(g, 9, **options), sp.sssp(w, 9, **options)
        assert np.array_equal(narrow.distances, wide.distances), options
        assert np.array_equal(narrow.predecessors, wide.predecessors), options
        assert wide.predecessors.dtype == np.int64
        if "targets" not in options:
            wide.verify()
    for threads in (1, 2):
        narrow, wide = sp.bfs(g, 4, threads=threads), sp.bfs(w, 4, threads=threads)
        assert np.array_equal(narrow.distances, wide.distances)
        assert np.array_equal(narrow.predecessors, wide.predecessors)
        wide.verify()
    found, wide = sp.nearest(g, [1, 2, 3]), sp.nearest(w, [1, 2, 3])
    assert np.array_equal(found.distances, wide.distances)
    there, wide = sp.route(g, 0, 250), sp.route(w, 0, 250)
    assert (there.distance, list(there.vertices)) == (wide.distance, list(wide.vertices))


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_matrices(dtype):
    g = graph_of(dtype)
    w = widened(g)
    sources = np.arange(0, 300, 4)
    methods = ["dijkstra", "delta-stepping", "batched"]
    methods += ["bfs"] if dtype is None else []
    methods += ["essential-edges"] if dtype in (np.float32, np.float64) else ["contraction", "floyd-warshall"]
    for method in methods:
        assert np.array_equal(*(sp.distances(x, sources, method=method) for x in (g, w))), method
    narrow, wide = (sp.distances(x, sources, cutoff=30, sparse=True) for x in (g, w))
    assert (narrow != wide).nnz == 0
    narrow, wide = (sp.distances(x, sources, predecessors=True) for x in (g, w))
    assert np.array_equal(narrow.predecessors, wide.predecessors)
    metres = np.random.default_rng(8).integers(0, 9, 1500)
    narrow, wide = (sp.distances(x, sources[:9], along={"metres": metres}) for x in (g, w))
    assert np.array_equal(narrow["metres"], wide["metres"])
    narrow, wide = (sp.nearest(x, [1, 2, 3, 4], k=2) for x in (g, w))
    assert np.array_equal(narrow.distances, wide.distances)


def test_negative_weights():
    rng = np.random.default_rng(4)
    g = sp.Graph.from_edges(np.arange(99), np.arange(1, 100), rng.integers(-9, 9, 99))
    w = widened(g)
    for options in ({}, {"memory_limit": 10**6}):
        assert np.array_equal(sp.sssp(g, 0, **options).distances, sp.sssp(w, 0, **options).distances)
    assert np.array_equal(sp.distances(g, [0, 5, 9]), sp.distances(w, [0, 5, 9]))


def test_they_are_told():
    g = widened(graph_of(np.int32))
    assert "plain form" in sp.sssp(g, 0).explain().note
    assert "plain form" in sp.plan(g, "distances").note
    assert "plain form" in sp.route(g, 0, 9).explain().note
    assert "plain form" not in sp.sssp(graph_of(np.int32), 0).explain().note
    facts = facts_of(g)
    object.__setattr__(facts, "vertices", 2**32)
    object.__setattr__(facts, "edges", 2**37)
    assert not far_beyond_caches(facts)


def test_parts_have_none():
    g = widened(graph_of(np.int32))
    with pytest.raises(ValueError, match="no form"):
        _core.part_search(g._native, 300, False, 40, 4, None, True)

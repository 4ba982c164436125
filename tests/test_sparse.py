"""sparse=True: the pairs within a cutoff, without a dense row, equal to what a dense matrix has there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import steppe as sp
from conftest import examples

FAR = sp.UNREACHABLE


def check(sparse, dense, far):
    """The same entries, in order, zeros among them."""
    reached = dense != far
    assert sparse.shape == dense.shape
    assert np.array_equal(np.diff(sparse.indptr), reached.sum(axis=1))
    assert np.array_equal(sparse.indices, np.nonzero(reached)[1])
    assert np.array_equal(sparse.data, dense[reached])
    assert sparse.data.dtype == dense.dtype


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 9)), max_size=30),
    sources=st.lists(st.integers(0, 7), max_size=9),
    targets=st.none() | st.lists(st.integers(0, 7), max_size=9),
    cutoff=st.integers(0, 30) | st.just(2**40),
    dtype=st.sampled_from([np.int32, np.int64, np.float32, np.float64, None]),
    method=st.sampled_from(["auto", "dijkstra", "delta-stepping", "bellman-ford", "floyd-warshall"]),
    prepared=st.booleans(),
)
@settings(max_examples=examples(150), deadline=None)
def test_any_small_graph(edges, sources, targets, cutoff, dtype, method, prepared):
    g = answers.graph_of(8, edges, dtype)
    if prepared:
        g.prepare()
    options = {"cutoff": cutoff, "method": method, "threads": 2, "device": "cpu"}
    dense = sp.distances(g, sources, targets, **options)
    check(sp.distances(g, sources, targets, sparse=True, **options), dense, FAR if g.is_integer else np.inf)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("make", ["grid", "rmat", "random"])
def test_rows_in_the_order_asked_for_whatever_the_order_of_the_searches(make, threads):
    g = {
        "grid": lambda: sp.generate.grid(40, 40, seed=1),
        "rmat": lambda: sp.generate.rmat(10, seed=2),
        "random": lambda: sp.generate.random(900, 4000, weights=(0, 60), seed=3),
    }[make]()
    sources = np.random.default_rng(1).integers(0, g.num_vertices, 700)
    cutoff = float(g.mean_weight) * 2
    dense = sp.distances(g, sources, cutoff=cutoff, threads=threads)
    far = FAR if g.is_integer else np.inf
    check(sp.distances(g, sources, cutoff=cutoff, sparse=True, threads=threads), dense, far)
    narrow = sp.distances(g, sources, cutoff=cutoff, sparse=True, threads=threads, dtype="uint16")
    assert narrow.data.dtype == np.uint16
    assert np.array_equal(narrow.data, dense[dense != far])


def test_a_bound_beyond_32_bits():
    g = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.full(3, 2**31 - 1, dtype=np.int32))
    near = sp.all_pairs(g, cutoff=2**32, sparse=True)
    assert near[[0], [2]] == 2 * (2**31 - 1)
    assert near.nnz == 9
    with pytest.raises(sp.DistanceOverflowError, match="0 to 1"):
        sp.all_pairs(g, cutoff=2**32, sparse=True, dtype="int32")


def test_progress_counts_sources_and_ctrl_c_is_heard():
    g = sp.generate.grid(100, 100, seed=1)
    seen = []
    sp.all_pairs(g, cutoff=300, sparse=True, progress=seen.append)
    assert seen[-1].done == seen[-1].total == 10_000

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.all_pairs(g, cutoff=900, sparse=True, progress=stop, threads=1)

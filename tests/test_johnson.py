"""Johnson's reweighting: the distances of one Bellman-Ford search for each source, and its errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import graphs
import oracle
import steppe as sp
from conftest import examples

TYPES = [np.int32, np.int64]


def turned_negative(seed, n=300, m=1500, dtype=np.int32):
    """A graph with many negative weights and no negative cycle: weights that are not negative, changed by potentials."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, m))
    h = rng.integers(-500, 500, n)
    return sp.Graph.from_edges(u, v, (rng.integers(0, 300, m) - h[u] + h[v]).astype(dtype), num_vertices=n)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("threads", [1, 3])
def test_the_same_as_bellman_ford(dtype, threads):
    for seed in range(3):
        g = turned_negative(seed, dtype=dtype)
        assert g.has_negative
        expected = sp.all_pairs(g, method="bellman-ford")
        plan = sp.plan(g, "all_pairs")
        assert plan.method == "johnson"
        assert np.array_equal(sp.all_pairs(g, threads=threads), expected)
        sources, targets = [7, 3, 7, 250], [1, 1, 299, 3]
        assert np.array_equal(sp.distances(g, sources, targets), expected[np.ix_(sources, targets)])
        assert np.array_equal(sp.distances(g, sources, targets, pairs=True), expected[sources, targets])
        assert np.array_equal(sp.distances(g, sources, reverse=True), expected[:, sources].T)
        sp.verify(g, sp.all_pairs(g), sample=20)


@pytest.mark.parametrize("dtype", TYPES)
def test_named_graphs(dtype):
    for name, (n, edges) in (graphs.NEGATIVE | graphs.NAMED).items():
        g = answers.graph_of(n, edges, dtype)
        expected = np.stack([answers.array_of(oracle.bellman_ford(n, edges, [s]), dtype) for s in range(n)])
        assert np.array_equal(sp.all_pairs(g, method="johnson"), expected), name


@given(edges=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(-3, 9)), max_size=20))
@settings(max_examples=examples(120), deadline=None)
def test_any_small_graph_also_with_negative_cycles(edges):
    g = answers.graph_of(7, edges, np.int64)
    for source in range(7):
        try:
            expected = sp.sssp(g, source, method="bellman-ford").distances
        except sp.NegativeCycleError:
            with pytest.raises(sp.NegativeCycleError):
                sp.distances(g, [source, source], method="johnson")
        else:
            assert np.array_equal(sp.distances(g, [source, source], method="johnson"), [expected, expected])


def test_sums_near_the_end_of_64_bits():
    big = 2**62
    g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 1], np.array([big, big - 5, 1 - big, 9]))
    expected = sp.all_pairs(g, method="bellman-ford")
    assert np.array_equal(sp.all_pairs(g), expected)
    low = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([-big, -big + 7, -3]))
    assert np.array_equal(sp.distances(low, [1, 2]), sp.distances(low, [1, 2], method="bellman-ford"))


def test_floats_keep_their_own_rounding():
    g = sp.Graph.from_edges([0, 1, 0], [1, 2, 2], [0.1, -0.3, 5.0])
    assert sp.plan(g, "all_pairs").method == "bellman-ford"
    with pytest.raises(ValueError, match="integers"):
        sp.all_pairs(g, method="johnson")
    with pytest.raises(ValueError, match="cutoff has no meaning"):
        sp.all_pairs(turned_negative(1), method="johnson", cutoff=3)

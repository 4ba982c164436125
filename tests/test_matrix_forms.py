"""Pairs, reductions, predecessors, blocks, reverse and the proof of matrices, each against the dense matrix or single searches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import steppe as sp
from conftest import examples

FAR = sp.UNREACHABLE
TYPES = [np.int32, np.int64, np.float32, np.float64, None]


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 9)), max_size=30),
    asked=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20),
    dtype=st.sampled_from(TYPES),
    method=st.sampled_from(["auto", "dijkstra", "delta-stepping", "bellman-ford", "floyd-warshall"]),
    cutoff=st.none() | st.integers(0, 30),
    reverse=st.booleans(),
)
@settings(max_examples=examples(150), deadline=None)
def test_pairs_and_reductions_of_any_small_graph(edges, asked, dtype, method, cutoff, reverse):
    g = answers.graph_of(8, edges, dtype)
    options = {"method": method, "cutoff": cutoff, "reverse": reverse, "device": "cpu", "threads": 2}
    sources, targets = [s for s, _ in asked], [t for _, t in asked]
    turned = sp.Graph.from_edges(g.indices, np.repeat(np.arange(8), np.diff(g.indptr)), g.weights, num_vertices=8)
    forward = {**options, "reverse": False}
    dense = sp.all_pairs(turned if reverse else g, **forward)
    assert np.array_equal(sp.all_pairs(g, **options), dense)
    got = sp.distances(g, sources, targets, pairs=True, **options)
    assert got.dtype == dense.dtype
    assert np.array_equal(got, dense[sources, targets])
    reached = dense != (FAR if g.is_integer else np.inf)
    zeros = np.where(reached, dense, 0)
    assert np.array_equal(sp.all_pairs(g, reduce="count", **options), reached.sum(axis=1))
    assert np.array_equal(sp.all_pairs(g, reduce="max", **options), zeros.max(axis=1))
    assert np.array_equal(sp.all_pairs(g, reduce="sum", **options), zeros.sum(axis=1))
    assert np.array_equal(sp.all_pairs(g, reduce=lambda rows: rows[:, 3], **options), dense[:, 3])
    if targets:
        got = sp.distances(g, sources, targets, reduce="max", **options)
        assert np.array_equal(got, zeros[np.ix_(sources, targets)].max(axis=1, initial=0))
    if cutoff is None:
        options.pop("cutoff")
        assert np.array_equal(sp.eccentricity(g, **options), zeros.max(axis=1))


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 9)), max_size=30),
    sources=st.lists(st.integers(0, 7), max_size=5),
    targets=st.none() | st.lists(st.integers(0, 7), max_size=5),
    dtype=st.sampled_from(TYPES),
    cutoff=st.none() | st.integers(0, 20),
)
@settings(max_examples=examples(80), deadline=None)
def test_predecessors_are_those_of_single_searches(edges, sources, targets, dtype, cutoff):
    g = answers.graph_of(8, edges, dtype)
    got = sp.distances(g, sources, targets, predecessors=True, cutoff=cutoff)
    assert isinstance(got, sp.DistanceMatrix)
    assert np.array_equal(got.distances, sp.distances(g, sources, targets, cutoff=cutoff))
    columns = np.arange(8) if targets is None else np.array(targets, dtype=int)
    for row, s in zip(got.predecessors, sources, strict=True):
        assert np.array_equal(row, sp.sssp(g, s, cutoff=cutoff).predecessors[columns])


def test_blocks():
    g = sp.generate.grid(30, 30, seed=2)
    dense = sp.all_pairs(g)
    seen = 0
    for first, sources, rows in sp.distance_blocks(g, rows=77):
        assert first == seen
        assert np.array_equal(sources, np.arange(first, first + len(rows)))
        assert np.array_equal(rows, dense[sources])
        seen += len(rows)
    assert seen == 900
    (block,) = sp.distance_blocks(g, [5, 3], [1, 2, 3], dtype="uint16", reverse=True)
    assert block.distances.dtype == np.uint16
    assert np.array_equal(block.distances, dense[np.ix_([1, 2, 3], [5, 3])].T)
    assert list(sp.distance_blocks(sp.Graph.from_edges([], [], num_vertices=0))) == []
    named = sp.Graph.from_edges(["a", "b"], ["b", "c"], [1, 2], relabel=True)
    assert [b.sources.tolist() for b in sp.distance_blocks(named, rows=2)] == [["a", "b"], ["c"]]
    with pytest.raises(ValueError, match="at least 1"):
        sp.distance_blocks(g, rows=0)
    with pytest.raises(sp.DistanceOverflowError, match="0 to "):
        list(sp.distance_blocks(g, dtype="uint8"))


def test_a_graph_of_words():
    g = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
    assert sp.distances(g, ["b", "a"], ["a", "c"], pairs=True, dtype="uint8").tolist() == [255, 8]
    assert sp.distances(g, ["c"], ["a"], reverse=True).tolist() == [[8]]
    assert sp.eccentricity(g, ["a", "c"]).tolist() == [8, 0]
    assert sp.eccentricity(g, ["a", "c"], reverse=True).tolist() == [0, 8]
    assert sp.distances(g, ["a"], ["c"], predecessors=True).predecessors.tolist() == [[1]]


def test_wrong_forms():
    g = sp.generate.grid(3, 3, seed=1)
    for options in ({"pairs": True, "reduce": "max"}, {"predecessors": True, "sparse": True, "cutoff": 3}):
        with pytest.raises(ValueError, match="do not go together"):
            sp.distances(g, [0], [1], **options)
    with pytest.raises(ValueError, match="3 sources and 2 targets"):
        sp.distances(g, [0, 1, 2], [0, 1], pairs=True)
    with pytest.raises(ValueError, match="1 sources and no targets"):
        sp.distances(g, [0], pairs=True)
    with pytest.raises(ValueError, match="max, sum, count"):
        sp.all_pairs(g, reduce="mean")
    with pytest.raises(ValueError, match="reduce= gives none"):
        sp.all_pairs(g, reduce="max", dtype="uint8")
    with pytest.raises(ValueError, match="for each"):
        sp.all_pairs(g, reduce=lambda rows: rows.max())
    with pytest.raises(sp.DistanceOverflowError, match="sum of the distances from 0"):
        sp.distances(sp.Graph.from_edges([0, 0], [1, 2], [2**62, 2**62]), [0], reduce="sum")


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_a_proof_of_matrices_finds_what_is_wrong(dtype):
    base = sp.generate.grid(9, 9, seed=3)
    g = sp.Graph.from_csr(base.indptr, base.indices, base.weights.astype(dtype), directed=False)
    right = sp.all_pairs(g)
    assert sp.verify(g, right) is right
    assert sp.verify(g, right[[4, 2]], sources=[4, 2]).shape == (2, 81)
    assert sp.verify(g, right[7], sources=[7]).shape == (81,)
    near = sp.all_pairs(g, cutoff=300)
    sp.verify(g, near, cutoff=300)
    with pytest.raises(sp.VerificationError, match="row"):
        sp.verify(g, near)
    for i, j, wrong in ((3, 3, 1), (80, 0, 0), (40, 2, right[40, 2] + 1), (5, 6, right[5, 6] - 1)):
        damaged = right.copy()
        damaged[i, j] = wrong
        with pytest.raises(sp.VerificationError, match=f"row {i}, from {i}:"):
            sp.verify(g, damaged)
    with pytest.raises(sp.VerificationError, match="row 0, from 1:"):
        sp.verify(g, right[:1], sources=[1])
    damaged = right.copy()
    damaged[1, 2] += 1
    assert sp.verify(g, damaged, sample=2) is damaged  # the first and the last row
    with pytest.raises(sp.VerificationError, match="no row for each"):
        sp.verify(g, right[:3])
    with pytest.raises(sp.VerificationError, match="asks for"):
        sp.verify(g, right[:, :5])
    with pytest.raises(ValueError, match="knows its sources"):
        sp.verify(g, sp.sssp(g, 0), sources=[0])

"""nearest(offsets=, k=, reverse=): against a row for each source."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import steppe as sp
from conftest import examples

FAR = sp.UNREACHABLE


def slowly(graph, sources, offsets, k, cutoff=None):
    """Every source's row, moved by its offset, sorted; a source given twice counts once."""
    dtype = sp.all_pairs(graph).dtype
    far = FAR if dtype.kind == "i" else np.inf
    distances = np.full((graph.num_vertices, k), far, dtype=dtype)
    winners = np.full((graph.num_vertices, k), -1)
    best = {}
    for s, o in zip(sources, offsets, strict=True):
        best[s] = min(o, best.get(s, o))
    rows = sp.distances(graph, sources)
    for v in range(graph.num_vertices):
        seen, found = set(), []
        for i, s in enumerate(sources):
            if s in seen or offsets[i] != best[s] or rows[i, v] == far:
                continue
            seen.add(s)
            d = rows[i, v] + dtype.type(offsets[i])
            if cutoff is None or d <= cutoff:
                found.append((d, i, s))
        for j, (d, _, s) in enumerate(sorted(found)[:k]):
            distances[v, j], winners[v, j] = d, s
    return distances, winners


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 5)), max_size=30),
    asked=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 6)), min_size=1, max_size=6),
    k=st.integers(1, 4),
    dtype=st.sampled_from([np.int32, np.int64, np.float64, None]),
    cutoff=st.none() | st.integers(0, 12),
)
@settings(max_examples=examples(150), deadline=None)
def test_any_small_graph(edges, asked, k, dtype, cutoff):
    g = answers.graph_of(8, edges, dtype)
    sources, offsets = [s for s, _ in asked], [o for _, o in asked]
    got = sp.nearest(g, sources, offsets=offsets, k=k, cutoff=cutoff).verify()
    distances, winners = slowly(g, sources, offsets, k, cutoff)
    assert got.distances.shape == got.source_index.shape == (8, k)[: 1 + (k > 1)]
    assert np.array_equal(got.distances.reshape(8, k), distances)
    assert np.array_equal(got.source_index.reshape(8, k), winners)
    if k > 1:
        got = sp.nearest(g, sources, k=k).verify()
        distances, winners = slowly(g, sources, [0] * len(sources), k)
        assert np.array_equal(got.distances, distances)
        assert np.array_equal(got.source_index, winners)


def test_one_without_offsets_is_the_other_answer():
    g = sp.generate.grid(12, 12, seed=1)
    sources = [3, 70, 143]
    first = sp.nearest(g, sources)
    same = sp.nearest(g, sources, offsets=[0, 0, 0])
    assert np.array_equal(same.distances, first.distances)
    several = sp.nearest(g, sources, k=2)
    assert np.array_equal(several.distances[:, 0], first.distances)
    for v in (0, 71, 143):
        assert first.distance(v) == same.distance(v) == several.distance(v)
        assert same.source(v) == several.source(v) == several.sources[v, 0]
    assert first.paths.verify().distance(3) == 0
    for answer in (same, several):
        told = answer.explain()
        assert (told.method, told.threads) == ("dijkstra", 1)
        assert told.seconds > 0
        with pytest.raises(AttributeError, match="no paths with k > 1"):
            _ = answer.paths
    table = several.to_frame()
    assert table["vertex"].tolist()[:4] == [0, 0, 1, 1]
    assert np.array_equal(table["distance"].to_numpy(), several.distances.reshape(-1))


@given(
    edges=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=3, max_size=20),
    asked=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=4),
    k=st.integers(1, 3),
    dtype=st.sampled_from([np.int32, np.int64, np.float32, np.float64, None]),
    cutoff=st.none() | st.integers(0, 6),
    place=st.integers(0, 17),
    other=st.tuples(st.integers(0, 8), st.integers(-1, 5)),
)
@settings(max_examples=examples(300), deadline=None)
def test_an_answer_with_one_other_entry_is_refused(edges, asked, k, dtype, cutoff, place, other):
    g = answers.graph_of(6, edges, dtype)
    right = sp.nearest(g, [s for s, _ in asked], offsets=[o for _, o in asked], k=k, cutoff=cutoff).verify()
    distances, sources = right.distances.copy(), right.source_index.copy()
    i = place % distances.size
    if (distances.flat[i], sources.flat[i]) == other:
        return
    distances.flat[i], sources.flat[i] = other
    with pytest.raises(sp.VerificationError, match="the sources of vertex"):
        replace(right, distances=distances, source_index=sources).verify()
    far = FAR if distances.dtype.kind == "i" else np.inf
    if right.source_index.max() >= 0:
        distances[:], sources[:] = far, -1  # nothing is left
        with pytest.raises(sp.VerificationError, match="leave itself out"):
            replace(right, distances=distances, source_index=sources).verify()


def test_the_proof_takes_circles_of_no_length_and_overflow():
    g = sp.Graph.from_edges([0, 1, 2, 3, 3], [1, 2, 1, 4, 0], [5, 0, 0, 1, 2])
    right = sp.nearest(g, [0, 3], k=2).verify()
    circle = right.distances.copy()
    circle[[1, 2], 0] = 4  # each holds the other, and neither is reached
    with pytest.raises(sp.VerificationError, match="wrong distance"):
        replace(right, distances=circle).verify()
    long = sp.Graph.from_edges([0, 1], [1, 2], [2**62, 2**62])
    sp.nearest(long, [0, 2], offsets=[5, 0]).verify()
    sp.nearest(long, [0], offsets=[5], cutoff=2**62 + 5).verify()
    loud = sp.Graph.from_edges([0, 0], [1, 2], [np.inf, 1.0])
    assert sp.nearest(loud, [0], k=2).verify().source_index[1].tolist() == [-1, -1]


def test_reverse_words_and_bad_questions():
    g = sp.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], [1, 2, 4], relabel=True)
    to = sp.nearest(g, ["d", "b"], reverse=True)
    assert to.distances.tolist() == [1, 0, 4, 0]
    assert to.sources.tolist() == ["b", "b", "d", "d"]
    two = sp.nearest(g, ["d", "b"], k=2, reverse=True)
    assert two.sources.tolist() == [["b", "d"], ["b", "d"], ["d", None], ["d", None]]
    for offsets, words in (
        ([1], "one for each"),
        ([-1, 0], "not negative"),
        ([0.5, 0], "whole"),
        ([2**63 - 1, 0], "whole"),
    ):
        with pytest.raises(ValueError, match=words):
            sp.nearest(g, ["d", "b"], offsets=offsets)
    with pytest.raises(ValueError, match="at least 1"):
        sp.nearest(g, ["a"], k=0)
    with pytest.raises(ValueError, match="do not apply"):
        sp.nearest(g, ["a"], k=2, method="dijkstra")
    with pytest.raises(sp.NegativeWeightError, match="weighs -1"):
        sp.nearest(sp.Graph.from_edges([0], [1], [-1]), [0], k=2)


def test_sums_beyond_64_bits():
    g = sp.Graph.from_edges([0, 1], [1, 2], [2**62, 2**62])
    with pytest.raises(sp.DistanceOverflowError):
        sp.nearest(g, [0], offsets=[5])
    assert sp.nearest(g, [0], offsets=[5], cutoff=2**62 + 5).distances.tolist() == [5, 2**62 + 5, FAR]
    assert sp.nearest(g, [0, 2], offsets=[5, 0]).distances.tolist() == [5, 2**62 + 5, 0]


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 3)), max_size=30),
    asked=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3)), min_size=1, max_size=6),
)
@settings(max_examples=examples(150), deadline=None)
def test_floats_go_to_the_first_source_along_exact_sums(edges, asked):
    """Each source in turn takes what edges lead to whose sums give the distances exactly, unless it has been taken."""
    sizes = [0.0, 1e-17, 0.1, 0.3]
    g = sp.Graph.from_edges(
        *([e[i] for e in edges] for i in range(2)), np.array([sizes[e[2]] for e in edges], dtype=float), num_vertices=8
    )
    sources, offsets = [s for s, _ in asked], [sizes[o] for _, o in asked]
    got = sp.nearest(g, sources, offsets=offsets)
    far = np.min([sp.distances(with_start(g, s, o), [8])[0, :8] for s, o in zip(sources, offsets, strict=True)], axis=0)
    assert np.array_equal(got.verify().distances, far)
    winners = np.full(8, -1)
    for s, o in zip(sources, offsets, strict=True):
        stack = [s] if far[s] == o and winners[s] < 0 else []
        winners[stack] = s
        while stack:
            u = stack.pop()
            for e in range(g.indptr[u], g.indptr[u + 1]):
                v = g.indices[e]
                if winners[v] < 0 and far[u] + g.weights[e] == far[v]:
                    winners[v] = s
                    stack.append(v)
    assert np.array_equal(got.source_index, winners)


def with_start(graph, source, offset):
    """Return the graph with one more vertex, from which an edge of this length leads to the source."""
    indptr = np.append(graph.indptr, graph.num_edges + 1)
    return sp.Graph.from_csr(indptr, np.append(graph.indices, source), np.append(graph.weights, offset))


def test_a_source_that_is_further_on_the_way_does_not_win_behind():
    g = sp.Graph.from_edges([0, 1, 2], [2, 2, 3], [1e-20, 0.0, 1.0])
    found = sp.nearest(g, [0, 1], offsets=[0.0, 0.0])
    assert found.source_index.tolist() == [0, 1, 1, 1]
    assert found.verify().distances.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert sp.nearest(g, [0, 1], k=2).source_index[3].tolist() == [0, 1]

"""nearest(offsets=, k=, reverse=): against a row for each source."""

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
    got = sp.nearest(g, sources, offsets=offsets, k=k, cutoff=cutoff)
    distances, winners = slowly(g, sources, offsets, k, cutoff)
    assert np.array_equal(got.distances, distances)
    assert np.array_equal(got.winners, winners)
    if k > 1:
        got = sp.nearest(g, sources, k=k)
        distances, winners = slowly(g, sources, [0] * len(sources), k)
        assert np.array_equal(got.distances, distances)
        assert np.array_equal(got.winners, winners)


def test_one_without_offsets_is_the_other_answer():
    g = sp.generate.grid(12, 12, seed=1)
    sources = [3, 70, 143]
    first = sp.nearest(g, sources)
    assert isinstance(first, sp.Nearest)
    same = sp.nearest(g, sources, offsets=[0, 0, 0])
    assert isinstance(same, sp.NearestSources)
    assert np.array_equal(same.distances[:, 0], first.distances)


def test_reverse_words_and_bad_questions():
    g = sp.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], [1, 2, 4], relabel=True)
    to = sp.nearest(g, ["d", "b"], reverse=True)
    assert to.distances.tolist() == [1, 0, 4, 0]
    assert to.winner_labels.tolist() == ["b", "b", "d", "d"]
    two = sp.nearest(g, ["d", "b"], k=2, reverse=True)
    assert two.winner_labels.tolist() == [["b", "d"], ["b", "d"], ["d", None], ["d", None]]
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
    assert sp.nearest(g, [0], offsets=[5], cutoff=2**62 + 5).distances[:, 0].tolist() == [5, 2**62 + 5, FAR]
    assert sp.nearest(g, [0, 2], offsets=[5, 0]).distances[:, 0].tolist() == [5, 2**62 + 5, 0]


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
    assert np.array_equal(got.distances[:, 0], far)
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
    assert np.array_equal(got.winners[:, 0], winners)


def with_start(graph, source, offset):
    """Return the graph with one more vertex, from which an edge of this length leads to the source."""
    indptr = np.append(graph.indptr, graph.num_edges + 1)
    return sp.Graph.from_csr(indptr, np.append(graph.indices, source), np.append(graph.weights, offset))


def test_a_source_that_is_further_on_the_way_does_not_win_behind():
    g = sp.Graph.from_edges([0, 1, 2], [2, 2, 3], [1e-20, 0.0, 1.0])
    found = sp.nearest(g, [0, 1], offsets=[0.0, 0.0])
    assert found.winners[:, 0].tolist() == [0, 1, 1, 1]
    assert found.distances[:, 0].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert sp.nearest(g, [0, 1], k=2).winners[3].tolist() == [0, 1]

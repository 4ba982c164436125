"""k_shortest_paths and all_shortest_paths beside all simple paths, listed in plain Python."""

import itertools
import math
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from simple_paths import simple_paths

EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), max_size=16)


def lengths(edges, directed):
    """{(u, v): the lightest edge}, as floats or integers."""
    lightest = {}
    for u, v, w in edges:
        for pair in ((u, v),) if directed else ((u, v), (v, u)):
            lightest[pair] = min(w, lightest.get(pair, w))
    return lightest


def graph(edges, directed, kind):
    u, v, w = (list(x) for x in zip(*edges, strict=True)) if edges else ([], [], [])
    return sp.Graph.from_edges(u, v, np.array(w, dtype=kind), num_vertices=6, directed=directed)


@settings(max_examples=150, deadline=None)
@given(EDGES, st.booleans(), st.sampled_from(["int32", "int64", "float32", "float64"]), st.integers(1, 30))
def test_paths_come_in_order_and_none_is_missing(edges, directed, kind, k):
    g = graph(edges, directed, kind)
    scale = 0.1 if kind == "float64" else 1  # a sum that is rounded
    if kind == "float64":
        g = sp.Graph.from_csr(g.indptr, g.indices, g.weights * scale, directed=directed)
    all_of_them = simple_paths({p: w * scale for p, w in lengths(edges, directed).items()}, 0, 5)
    routes = sp.k_shortest_paths(g, 0, 5, k)
    assert [r.distance for r in routes] == sorted(all_of_them.values())[:k]
    ways = [tuple(r.verify().vertices.tolist()) for r in routes]
    assert len(set(ways)) == len(ways)
    assert all(all_of_them[way] == r.distance for way, r in zip(ways, routes, strict=True))


@settings(max_examples=150, deadline=None)
@given(EDGES, st.booleans(), st.sampled_from(["int32", "float64"]))
def test_all_shortest_paths_and_their_number(edges, directed, kind):
    g = graph(edges, directed, kind)
    ways = simple_paths(lengths(edges, directed), 0, 5)
    best = [way for way, length in ways.items() if length == min(ways.values())]
    paths = sp.all_shortest_paths(g, 0, 5)
    assert sorted(tuple(path.tolist()) for path in paths) == sorted(best)
    assert paths.count == len(best)
    assert bool(paths) == bool(best)
    assert paths.distance == (min(ways.values()) if ways else np.inf if kind == "float64" else sp.UNREACHABLE)


def test_numbers_beyond_64_bits():
    links = [(i, j) for i in range(0, 200, 2) for j in (i + 1, i + 2)] + [(i, i + 1) for i in range(1, 200, 2)]
    u, v = zip(*links, strict=True)
    g = sp.Graph.from_edges(u, v, np.where(np.array(v) - np.array(u) == 2, 2, 1))
    assert sp.all_shortest_paths(g, 0, 200).count == 2**100
    assert len(list(itertools.islice(sp.all_shortest_paths(g, 0, 200), 5))) == 5


def test_labels_loops_and_ends():
    g = sp.Graph.from_edges("aabbz", "abbca", [0, 1, 0, 1, 1], relabel=True)
    assert [r.vertices.tolist() for r in sp.k_shortest_paths(g, "a", "c", 9)] == [["a", "b", "c"]]
    (alone,) = sp.k_shortest_paths(g, "a", "a", 3)
    assert (alone.distance, alone.vertices.tolist(), alone.edges.tolist()) == (0, ["a"], [])
    assert [p.tolist() for p in sp.all_shortest_paths(g, "a", "a")] == [["a"]]
    assert sp.all_shortest_paths(g, "a", "a").count == 1
    assert sp.k_shortest_paths(g, "c", "a", 2) == []
    assert sp.all_shortest_paths(g, "c", "a").count == 0
    with pytest.raises(ValueError, match="at least 1"):
        sp.k_shortest_paths(g, "a", "c", 0)
    with pytest.raises(sp.GraphError):
        sp.k_shortest_paths(g, "a", "q", 1)
    assert "yen" in str(sp.k_shortest_paths(g, "a", "c", 1)[0].explain())


def test_negative_weights():
    g = sp.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [2, 1, -2, -1])
    assert [p.tolist() for p in sp.all_shortest_paths(g, 0, 3)] == [[0, 1, 3], [0, 2, 3]]
    with pytest.raises(sp.NegativeWeightError):
        sp.k_shortest_paths(g, 0, 3, 2)


def test_lengths_near_the_end_of_64_bits():
    big = 2**62
    g = sp.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [1, big, 2, big + 5])
    assert [r.distance for r in sp.k_shortest_paths(g, 0, 3, 1)] == [3]
    with pytest.raises(sp.DistanceOverflowError):
        sp.k_shortest_paths(g, 0, 3, 2)


def test_what_does_not_fit_is_an_error_only_where_it_is_wanted():
    """Loops and edges that no path can use, and paths that come after those that are wanted, are none."""
    big = 2**62
    loop = sp.Graph.from_edges([2, 0, 2], [1, 2, 2], [0, big, 2**63 - 2])
    assert [r.distance for r in sp.k_shortest_paths(loop, 0, 1, 5)] == [big]
    # 3 and 4 are too far from the target, and nobody comes to 4; 0 -> 3 -> 1 is a path, too long.
    far = sp.Graph.from_edges([0, 4, 3, 0, 0, 2], [1, 3, 1, 2, 3, 1], [5, 7, 2**63 - 2, 3, 1, 4])
    assert [r.distance for r in sp.k_shortest_paths(far, 0, 1, 2)] == [5, 7]
    with pytest.raises(sp.DistanceOverflowError):
        sp.k_shortest_paths(far, 0, 1, 3)
    beyond = sp.Graph.from_edges([0, 1, 2], [3, 2, 3], [5, big, big])
    assert [r.distance for r in sp.k_shortest_paths(beyond, 0, 3, 2)] == [5]


@settings(max_examples=150, deadline=None)
@given(EDGES, st.integers(1, 12))
def test_integers_of_any_size(edges, k):
    """The k shortest paths, and an error exactly where one of them is too long."""
    sizes = {0: 0, 1: 2**61, 2: 2**62 - 1, 3: 2**63 - 2}
    edges = [(u, v, sizes[w]) for u, v, w in edges]
    want = sorted(simple_paths(lengths(edges, directed=True), 0, 5).values())[:k]
    g = graph(edges, True, "int64")
    if want and want[-1] >= sp.UNREACHABLE:
        with pytest.raises(sp.DistanceOverflowError):
            sp.k_shortest_paths(g, 0, 5, k)
    else:
        assert [r.distance for r in sp.k_shortest_paths(g, 0, 5, k)] == want


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_infinite_path_is_none(dtype):
    most = float(np.finfo(dtype).max)
    g = sp.Graph.from_edges([0, 0, 1], [2, 1, 2], np.array([1, most, most], dtype=dtype))
    assert [(r.distance, r.vertices.tolist()) for r in sp.k_shortest_paths(g, 0, 2, 5)] == [(1.0, [0, 2])]
    # Two small weights vanish one by one in the largest number, but not their sum: finite from the source on, not so from the target on.
    small = most * float(np.finfo(dtype).eps) / 6
    line = sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([most, small, small], dtype=dtype))
    assert sp.sssp(line, 0).distance(3) == most
    assert [r.distance for r in sp.k_shortest_paths(line, 0, 3, 2)] == [most]


def tied(n, more):
    """Return a graph of n vertices, each joined to each by edges of length 0, and some edges more."""
    pairs = [(u, v, 0) for u, v in itertools.permutations(range(n), 2)] + more
    return sp.Graph.from_edges(*(list(column) for column in zip(*pairs, strict=True)))


def test_edges_of_length_0_beside_the_path_are_not_tried_in_all_orders():
    """Sixty vertices hang from the target: their orders have eighty-two digits."""
    paths = sp.all_shortest_paths(tied(60, [(60, 0, 5)]), 60, 0)
    assert [path.tolist() for path in paths] == [[60, 0]]
    assert paths.count == 1
    # The same on the way to the target, and a way back into it that leads nowhere.
    between = sp.all_shortest_paths(tied(60, [(60, 0, 5), (0, 61, 1), (61, 62, 0), (62, 61, 0)]), 60, 61)
    assert [path.tolist() for path in between] == [[60, 0, 61]]
    assert between.count == 1


def test_counting_gives_up_where_ways_through_circles_are_too_many():
    many = sp.all_shortest_paths(tied(40, []), 0, 1)
    assert len(list(itertools.islice(many, 1000))) == 1000
    with pytest.raises(sp.SteppeError, match="too many"):
        _ = many.count
    some = sp.all_shortest_paths(tied(7, [(6, 7, 1), (7, 8, 0), (8, 7, 0), (8, 9, 0), (7, 9, 0)]), 0, 9)
    assert some.count == len(list(some)) == 2 * sum(math.perm(5, i) for i in range(6))


@settings(max_examples=150, deadline=None)
@given(EDGES, st.booleans())
def test_shortest_paths_are_those_of_tight_edges(edges, directed):
    """Where floats round, too: a path that is longer up to some vertex is none, whatever the sums behind it are."""
    g = graph(edges, directed, "float64")
    weights = np.array([0.0, 1e-17, 0.1, 0.3])[g.weights.astype(int)]
    g = sp.Graph.from_csr(g.indptr, g.indices, weights, directed=directed)
    far = sp.sssp(g, 0).distances
    u = np.repeat(np.arange(6), g.degrees)
    tight = {
        (a, b): 0
        for a, b, w in zip(u.tolist(), g.indices.tolist(), weights, strict=True)
        if far[a] + w == far[b] < np.inf
    }
    paths = sp.all_shortest_paths(g, 0, 5)
    assert sorted(tuple(path.tolist()) for path in paths) == sorted(simple_paths(tight, 0, 5))
    assert paths.count == len(simple_paths(tight, 0, 5))


def test_a_difference_that_a_later_sum_swallows():
    """0.1 + 0.2 is more than 0.3, but not once 1.0 is added: one shortest path, two of one length."""
    g = sp.Graph.from_edges([0, 0, 1, 2], [2, 1, 2, 3], [0.3, 0.1, 0.2, 1.0])
    assert [path.tolist() for path in sp.all_shortest_paths(g, 0, 3)] == [[0, 2, 3]]
    assert [r.distance for r in sp.k_shortest_paths(g, 0, 3, 5)] == [1.3, 1.3]
    G = nx.DiGraph()
    G.add_weighted_edges_from([(0, 2, 0.3), (0, 1, 0.1), (1, 2, 0.2), (2, 3, 1.0)])
    assert list(nx.all_shortest_paths(G, 0, 3, weight="weight")) == [[0, 2, 3]]


def test_a_larger_graph_beside_networkx():
    g = sp.generate.grid(12, 12, weights=(1, 4), seed=3)
    G = nx.Graph()
    u = np.repeat(np.arange(g.num_vertices), g.degrees)
    G.add_weighted_edges_from(zip(u.tolist(), g.indices.tolist(), g.weights.tolist(), strict=True))
    want = list(itertools.islice(nx.shortest_simple_paths(G, 0, 143, weight="weight"), 40))
    got = sp.k_shortest_paths(g, 0, 143, 40)
    assert [r.distance for r in got] == [nx.path_weight(G, path, "weight") for path in want]
    want = {tuple(path) for path in nx.all_shortest_paths(G, 0, 143, weight="weight")}
    paths = sp.all_shortest_paths(g, 0, 143)
    assert {tuple(path.tolist()) for path in paths} == want
    assert paths.count == len(want) < sys.maxsize

"""k_shortest_paths and all_shortest_paths beside all simple paths, listed in plain Python."""

import itertools
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

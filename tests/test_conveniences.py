"""What people write first: it works, or the message says what to write instead."""

import inspect
import tempfile
from pathlib import Path

import array_api_strict
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import rustworkx as rx
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import steppe as sp
from conftest import examples
from steppe.machine.memory import size_of

U, V, W = [2, 0, 1, 0, 3, 1], [3, 1, 2, 1, 3, 0], [4, 7, 1, 5, 9, 2]


@pytest.fixture(params=[True, False], ids=["directed", "undirected"])
def graph(request):
    return sp.Graph.from_edges([f"v{x}" for x in U], [f"v{x}" for x in V], W, relabel=True, directed=request.param)


def test_graphs_are_like_sets_of_vertices(graph):
    assert len(graph) == 4
    assert "v0" in graph
    assert "v9" not in graph
    assert 0 not in graph
    assert ["v0"] not in graph
    assert bool(sp.Graph.from_edges([], [], num_vertices=0))
    expected = ["v1", "v1"] if graph.directed else ["v1", "v1", "v1"]
    assert graph.neighbors("v0").tolist() == expected
    with pytest.raises(sp.GraphError, match="'x' is not in the graph"):
        graph.neighbors("x")


def test_edges_are_what_was_given(graph):
    a, b, w = graph.edges()
    ends = (lambda x, y: (x, y)) if graph.directed else (lambda x, y: tuple(sorted((x, y))))
    assert sorted((*ends(x, y), z) for x, y, z in zip(a.tolist(), b.tolist(), w.tolist(), strict=True)) == sorted(
        (*ends(f"v{x}", f"v{y}"), z) for x, y, z in zip(U, V, W, strict=True)
    )


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_changed_graphs_are_those_built_anew(data):
    n, m = data.draw(st.integers(1, 7)), data.draw(st.integers(0, 30))
    ids = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    u, v = np.array(data.draw(ids), dtype=np.int64), np.array(data.draw(ids), dtype=np.int64)
    w = np.array(data.draw(st.lists(st.integers(-3, 9), min_size=m, max_size=m)), dtype=np.int64)
    directed = data.draw(st.booleans())
    g = sp.Graph.from_edges(u, v, w, num_vertices=n, directed=directed)

    other = np.array(data.draw(st.lists(st.integers(0, 9), min_size=m, max_size=m)), dtype=np.float32)
    h, fresh = g.with_weights(other), sp.Graph.from_edges(u, v, other, num_vertices=n, directed=directed)
    assert np.shares_memory(h.indices, g.indices) or m == 0
    assert h.weights.tolist() == fresh.weights.tolist()
    assert (h.min_weight, h.max_weight, h.directed) == (fresh.min_weight, fresh.max_weight, directed)
    assert h.edge_ids.tolist() == g.edge_ids.tolist()
    assert g.with_weights(None).weights is None

    gone = np.array(sorted(data.draw(st.sets(st.integers(0, m - 1)) if m else st.just(set()))), dtype=np.int64)
    stay = np.setdiff1d(np.arange(m), gone)
    h, fresh = g.without_edges(gone), sp.Graph.from_edges(u[stay], v[stay], w[stay], num_vertices=n, directed=directed)
    for name in ("indptr", "indices", "weights"):
        assert getattr(h, name).tolist() == getattr(fresh, name).tolist()
    assert h.edge_ids.tolist() == stay[fresh.edge_ids].tolist()
    assert h.without_edges([]).edge_ids.tolist() == h.edge_ids.tolist()

    some = data.draw(st.sets(st.integers(0, n - 1)))
    h = g.subgraph(sorted(some, reverse=True))
    labels = list(range(len(some))) if h.labels is None else h.labels.tolist()
    assert labels == sorted(some)
    inside = [i for i in range(m) if {int(u[i]), int(v[i])} <= some]
    assert sorted(set(h.edge_ids.tolist())) == inside
    sources = np.repeat(np.arange(len(some)), h.degrees)
    for a, b, x, i in zip(sources, h.indices, h.weights, h.edge_ids, strict=True):
        assert {labels[a], labels[b]} == {int(u[i]), int(v[i])}
        assert x == w[i]
        assert not directed or (labels[a], labels[b]) == (u[i], v[i])


def test_closures_and_attributes_of_a_table():
    roads = pl.DataFrame({"a": [0, 1, 0], "b": [1, 2, 2], "min": [5, 5, 20], "km": [9, 9, 3]})
    g = sp.Graph.from_frame(roads, "a", "b", "min", attributes=["km"])
    assert sp.sssp(g.with_weights("km"), 0).distance(2) == 3
    closed = g.without_edges([1])
    assert sp.sssp(closed, 0).along("km").tolist() == [0, 9, 3]
    assert closed.attributes == ("km",)
    assert roads[sp.route(closed, 0, 2).edge_ids]["km"].to_list() == [3]
    assert g.subgraph([1, 2]).to_frame().to_dicts() == [{"source": 1, "target": 2, "weight": 5, "edge": 1, "km": 9}]


def test_changes_that_cannot_be():
    g = sp.Graph.from_edges(U, V, W)
    for call, message in [
        (lambda: g.without_edges([6]), "edge 6 is not in the graph: it was built from 6"),
        (lambda: g.without_edges([-1]), "edge -1 is not"),
        (lambda: g.without_edges([0.5]), "list of their ids"),
        (lambda: g.with_weights([1, 2]), "2 values for 6 edges"),
        (lambda: g.with_weights("km"), "no attribute 'km'"),
        (lambda: g.with_weights([1, 2, 3, 4, 5, np.nan]), r"weights\[5\] is nan"),
        (lambda: g.subgraph([9]), "vertex 9 is not in the graph"),
        (lambda: sp.Graph.from_csr([0, 1, 2], [1, 0], directed=False).with_weights([1, 2]), "no opposite"),
        (lambda: sp.generate.grid(2, 2).without_edges([0]), "does not know which edges"),
    ]:
        with pytest.raises(sp.GraphError, match=message):
            call()


def test_lent_rows_are_not_shared():
    indptr, indices = np.array([0, 1, 1]), np.array([1], dtype=np.int32)
    h = sp.Graph.from_csr(indptr, indices, copy=False).with_weights([7])
    indices[0] = 0
    assert h.indices.tolist() == [1]
    mine = np.array([7], dtype=np.int32)
    g = sp.Graph.from_csr([0, 1, 1], [1]).with_weights(mine)
    mine[0] = 8
    assert g.weights.tolist() == [7]


def test_several_sources_point_to_other_calls():
    g = sp.Graph.from_edges(U, V, W)
    for source in ([0, 1], np.array([0, 1]), {0}):
        for call in (sp.sssp, sp.bfs):
            with pytest.raises(sp.GraphError, match=r"distances\(graph, sources\).*nearest\(graph, sources\)"):
                call(g, source)


def test_to_one_point():
    g = sp.Graph.from_edges(U, V, W, num_vertices=5)
    for call in (sp.sssp, sp.bfs):
        there = call(g, 3, reverse=True)
        assert there.distances.tolist() == [
            call(g, v).distance(3) if call(g, v).reachable[3] else there.unreachable for v in range(5)
        ]
    assert sp.sssp(g, 3, reverse=True).edge_ids(0).tolist() == [0, 2, 3]


def test_unreachable_pairs():
    g = sp.Graph.from_edges([0, 1], [1, 0], [3, 4], num_vertices=3)
    m = sp.distances(g, [0, 1], unreachable=np.nan)
    assert m.dtype == np.float64
    assert np.nanmean(m) == 7 / 4
    assert sp.distances(g, [0], unreachable=-1).tolist() == [[0, 3, -1]]
    assert sp.distances(g.with_weights([0.5, 2.5]), [0], unreachable=-1).tolist() == [[0, 0.5, -1]]
    with pytest.raises(ValueError, match="dense matrices in memory"):
        sp.distances(g, [0], cutoff=3, sparse=True, unreachable=0)


@pytest.mark.parametrize(
    ("text", "size"), [("2GB", 2 * 10**9), ("1GiB", 2**30), ("3m", 3 * 2**20), ("10", 10), (" 5 kB ", 5000), ("7B", 7)]
)
def test_sizes_in_words(text, size):
    assert size_of(text) == size
    assert sp.plan(sp.Graph.from_edges(U, V, W), "distances", memory_limit=text).method


def test_sizes_that_are_none():
    g = sp.generate.grid(30, 30)
    for text in ("much", "2 XB", "-1GB", "", "GB"):
        with pytest.raises(ValueError, match='like "2GB"'):
            sp.sssp(g, 0, memory_limit=text)
    with pytest.raises(sp.ResultSizeError):
        sp.distances(g, range(900), memory_limit="1kB")
    assert sp.sssp(g, 0, memory_limit="1GB").distances.tolist() == sp.sssp(g, 0).distances.tolist()


CALLS_WITHIN = {
    "sssp": lambda g, **o: sp.sssp(g, 0, **o).distances,
    "bfs": lambda g, **o: sp.bfs(g, 0, **o).distances,
    "nearest": lambda g, **o: sp.nearest(g, [0, 9], **o).distances,
    "isochrones": lambda g, **o: sp.isochrones(g, 0, [9, 99], **o).bands,
    "distances": lambda g, **o: sp.distances(g, [0, 9], **o),
    "all_pairs": sp.all_pairs,
    "distance_blocks": lambda g, **o: np.concatenate([block.distances for block in sp.distance_blocks(g, **o)]),
    "eccentricity": sp.eccentricity,
    "plan": lambda g, **o: sp.plan(g, "all_pairs", **o).bytes_needed,
    "partition": lambda g, **o: sp.partition(g, Path(tempfile.mkdtemp(), "parts"), parts=2, **o).num_edges,
}


def test_every_limit_is_a_number_or_a_text():
    taking = {}
    for name in sp.__all__:
        if inspect.isfunction(getattr(sp, name)):
            parameters = inspect.signature(getattr(sp, name)).parameters
            if "memory_limit" in parameters:
                taking[name] = parameters["memory_limit"].annotation
    assert taking == dict.fromkeys(CALLS_WITHIN, "int | str | None")


@pytest.mark.parametrize("name", CALLS_WITHIN)
def test_a_limit_in_words_is_the_same_limit(name):
    g, call = sp.generate.grid(20, 20, seed=1), CALLS_WITHIN[name]
    assert np.array_equal(call(g, memory_limit="2 GB"), call(g, memory_limit=2 * 10**9))
    with pytest.raises(ValueError, match='like "2GB"'):
        call(g, memory_limit="much")


def test_what_is_no_graph_is_told_what_to_write():
    csr = scipy.sparse.csr_array([[0, 1], [1, 0]])
    cases = [
        (csr, r"Graph.from_scipy\(matrix\)"),
        (nx.Graph(), r"Graph.from_networkx\(graph\)"),
        (pd.DataFrame({"a": [1]}), r"Graph.from_frame\(table, source, target, weight\)"),
        (pl.DataFrame({"a": [1]}), r"Graph.from_frame\(table"),
        (igraph.Graph(), "Graph.from_igraph"),
        (rx.PyGraph(), "Graph.from_rustworkx"),
        ("roads.gr", r"steppe.read\(path\)"),
        (np.zeros((2, 5)), "Graph.from_edge_index"),
        (np.zeros((3, 3)), r"scipy.sparse.csr_array\(matrix\)"),
        ([(0, 1)], "Graph.from_edges"),
    ]
    for thing, message in cases:
        with pytest.raises(TypeError, match=message):
            sp.Graph(thing)
        for call in (
            sp.sssp,
            sp.bfs,
            lambda g, s: sp.route(g, s, s),
            lambda g, s: sp.distances(g, [s]),
            lambda g, s: sp.plan(g, "sssp"),
        ):
            with pytest.raises(TypeError, match=message):
                call(thing, 0)
    with pytest.raises(TypeError, match=r"from_edges, from_frame"):
        sp.Graph()


def test_verify_of_other_things():
    g = sp.Graph.from_edges(U, V, W)
    with pytest.raises(sp.VerificationError, match="float64"):
        sp.verify(g, np.zeros(4))
    row = sp.sssp(g, 0).distances
    assert sp.verify(g, row, sources=[0]) is row
    with pytest.raises(TypeError, match=r"answer.verify\(\)"):
        sp.verify(g, sp.route(g, 0, 1))
    with pytest.raises(TypeError, match=r"Graph.from_scipy"):
        sp.verify(scipy.sparse.csr_array([[0, 1], [1, 0]]), sp.sssp(g, 0))


def test_igraph():
    theirs = igraph.Graph(n=5, edges=list(zip(U, V, strict=True)), directed=True)
    theirs.es["weight"] = W
    g = sp.Graph.from_igraph(theirs)
    assert (g.num_vertices, g.directed, g.labels) == (5, True, None)
    assert np.array_equal(sp.distances(g, range(5), unreachable=np.inf), theirs.distances(weights="weight"))
    assert sp.sssp(g, 0).edge_ids(3).tolist() == theirs.get_shortest_paths(0, 3, weights="weight", output="epath")[0]
    theirs.vs["name"] = list("abcde")
    named = sp.Graph.from_igraph(theirs, weight=None)
    assert sp.bfs(named, "a").path("c").tolist() == ["a", "b", "c"]
    assert named.weights is None
    assert not sp.Graph.from_igraph(igraph.Graph.Ring(5)).directed
    assert sp.Graph.from_igraph(igraph.Graph()).num_vertices == 0


def test_rustworkx():
    for make, directed in ((rx.PyDiGraph, True), (rx.PyGraph, False)):
        theirs = make()
        theirs.add_nodes_from(range(6))
        theirs.add_edges_from(list(zip(U, V, W, strict=True)))
        g = sp.Graph.from_rustworkx(theirs)
        assert (g.num_vertices, g.directed, g.labels) == (6, directed, None)
        lengths = dict(rx.dijkstra_shortest_path_lengths(theirs, 0, float)) | {0: 0}
        assert sp.sssp(g, 0).to_dict() == lengths
        theirs.remove_node(4)
        theirs.remove_edge_from_index(3)
        h = sp.Graph.from_rustworkx(theirs, weight=lambda payload: payload * 2)
        assert h.labels.tolist() == [0, 1, 2, 3, 5]
        assert sp.sssp(h, 0).distance(1) == (14 if directed else 4)
        assert sp.sssp(h, 0).edge_ids(2).tolist() == ([1, 2] if directed else [5, 2])
        assert [theirs.get_edge_data_by_index(i) for i in h.edge_ids.tolist()] == [w // 2 for w in h.weights.tolist()]
    bare = rx.PyDiGraph()
    bare.add_nodes_from("ab")
    bare.add_edge(0, 1, None)
    assert sp.Graph.from_rustworkx(bare).weights is None
    assert sp.Graph.from_rustworkx(rx.PyGraph()).num_vertices == 0


class OnlyDLPack:
    """An array that nobody knows but by DLPack, as a tensor of another library is."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("wrap", [OnlyDLPack, array_api_strict.asarray])
def test_arrays_of_other_libraries(wrap):
    u, v, w = np.array(U), np.array(V), np.array(W, dtype=np.float32)
    g = sp.Graph.from_edges(wrap(u), wrap(v), wrap(w))
    h = sp.Graph.from_edges(u, v, w)
    assert g.weights.dtype == np.float32
    assert np.array_equal(g.indices, h.indices)
    assert np.shares_memory(g._known_origin._ends()[0][0], u) or wrap is not OnlyDLPack
    assert sp.sssp(g, 0).along(wrap(w)).tolist() == sp.sssp(h, 0).distances.tolist()
    index = wrap(np.array([U, V]))
    assert np.array_equal(sp.Graph.from_edge_index(index, wrap(w)).indices, h.indices)
    assert np.array_equal(sp.Graph.from_edges(wrap(u + 5), wrap(v + 5), relabel=True).labels, np.arange(5, 9))
    back = array_api_strict.from_dlpack(sp.sssp(g, 0))
    assert np.array_equal(np.from_dlpack(back), sp.sssp(g, 0).distances)


def test_an_edge_index_has_two_rows():
    for bad in (np.zeros((3, 2), dtype=int), np.zeros(4, dtype=int)):
        with pytest.raises(sp.GraphError, match="two rows"):
            sp.Graph.from_edge_index(bad)


class OldReader:
    """What a library before DLPack 1.0 asks for, which knows of no read-only arrays."""

    def __init__(self, array, **options):
        self.array, self.options = array, options

    def __dlpack__(self, **_):
        return self.array.__dlpack__(**self.options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_nobody_can_write_to_distances_by_dlpack():
    r = sp.sssp(sp.Graph.from_edges([0, 1], [1, 2], [5, 3]), 0)
    want = r.distances.tolist()
    for taken in (np.from_dlpack(r), np.from_dlpack(OldReader(r)), np.from_dlpack(OldReader(r, copy=True))):
        assert taken.tolist() == want
        if taken.flags.writeable:
            taken[:] = 99
    assert r.distances.tolist() == want
    with pytest.raises(BufferError, match="read-only"):
        r.__dlpack__(copy=False)
    for array in (r.graph.indptr, r.graph.indices, r.distances, r.predecessors):
        with pytest.raises(BufferError):
            array.__dlpack__()

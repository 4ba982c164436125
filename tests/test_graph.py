"""Graph: what goes in comes out as rows, in any type and order, and what is no graph is refused."""

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import steppe as sp
from steppe import _core

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


def arcs(g):
    """Every stored arc as (u, v, w) in vertices 0…n-1, sorted; w is None where there are no weights."""
    u = np.repeat(np.arange(g.num_vertices), g.degrees).tolist()
    w = [None] * g.num_edges if g.weights is None else g.weights.tolist()
    return sorted(zip(u, g.indices.tolist(), w, strict=True), key=repr)


def test_from_edges_in_any_order():
    g = sp.Graph.from_edges([2, 0, 1, 0], [0, 1, 2, 2], [7, 5, 3, 9])
    assert (g.num_vertices, g.num_edges, g.directed, g.labels) == (3, 4, True, None)
    assert g.indptr.tolist() == [0, 2, 3, 4]
    assert g.indices.tolist() == [1, 2, 2, 0]
    assert g.weights.tolist() == [5, 9, 3, 7]
    assert (g.indptr.dtype, g.indices.dtype, g.weights.dtype) == (np.int64, np.int32, np.int32)


def test_order_of_a_vertex_edges_is_that_of_the_input():
    g = sp.Graph.from_edges([1, 0, 0, 1, 0], [1, 3, 1, 0, 3], [1, 2, 3, 4, 5])
    assert g.indices.tolist() == [3, 1, 3, 1, 0]
    assert g.weights.tolist() == [2, 3, 5, 1, 4]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ids_of_every_integer_type(dtype):
    g = sp.Graph.from_edges(np.array([2, 0], dtype=dtype), np.array([0, 100], dtype=dtype), num_vertices=120)
    assert arcs(g) == [(0, 100, None), (2, 0, None)]
    assert g.index(dtype(100)) == 100
    assert g.indices_of(np.array([5, 2], dtype=dtype)).tolist() == [5, 2]
    rows = sp.Graph.from_csr(np.array([0, 1, 1], dtype=dtype), np.array([1], dtype=dtype))
    assert arcs(rows) == [(0, 1, None)]


@pytest.mark.parametrize("left", INTEGERS)
@pytest.mark.parametrize("right", [np.int64, np.uint64, np.int16])
def test_ids_of_two_types(left, right):
    g = sp.Graph.from_edges(np.array([3], dtype=left), np.array([1], dtype=right))
    assert arcs(g) == [(3, 1, None)]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_weights_keep_their_values(dtype):
    info = np.iinfo(dtype)
    values = [max(info.min, -(2**63)), 0, 1, min(info.max, 2**63 - 1)]
    g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], np.array(values, dtype=dtype))
    assert g.weights.tolist() == values
    assert g.weights.dtype == (np.int32 if info.min >= -(2**31) and info.max < 2**31 else np.int64)
    small = sp.Graph.from_edges([0], [1], np.array([100], dtype=dtype))
    assert small.weights.dtype == np.int32


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_weights_keep_their_values(dtype):
    values = np.array([0.1, 0.0, 60000.0, 6e-8], dtype=dtype)
    g = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], values)
    assert g.weights.dtype == (np.float64 if dtype is np.float64 else np.float32)
    assert np.array_equal(g.weights, values)


def test_bool_and_big_endian_and_strided_arrays():
    assert sp.Graph.from_edges([0], [1], np.array([True])).weights.tolist() == [1]
    wide = np.arange(20, dtype=">i8")
    g = sp.Graph.from_edges(wide[:10:2], wide[1:11:2].astype(">i4"), np.linspace(0, 1, 10)[::-2].astype(">f4"))
    assert g.indices.tolist() == [1, 3, 5, 7, 9]
    assert g.weights.tolist() == np.linspace(0, 1, 10)[::-2].astype(np.float32).tolist()


def test_undirected_stores_both_directions_and_loops_once():
    g = sp.Graph.from_edges([0, 1, 2, 1], [1, 1, 0, 0], [4, 5, 6, 7], directed=False)
    assert not g.directed
    assert arcs(g) == [(0, 1, 4), (0, 1, 7), (0, 2, 6), (1, 0, 4), (1, 0, 7), (1, 1, 5), (2, 0, 6)]
    assert g.reverse is g
    assert g.is_symmetric


def test_isolated_vertices_and_empty_graphs():
    assert sp.Graph.from_edges([0], [1], num_vertices=5).degrees.tolist() == [1, 0, 0, 0, 0]
    assert sp.Graph.from_edges([], [], num_vertices=3).num_vertices == 3
    for g in (
        sp.Graph.from_edges([], []),
        sp.Graph.from_edges([], [], [], relabel=True),
        sp.Graph.from_edges([], [], directed=False),
        sp.Graph.from_csr([0], []),
        sp.Graph.from_networkx(nx.Graph()),
    ):
        assert (g.num_vertices, g.num_edges) == (0, 0)
        assert g.reverse.num_vertices == 0
        assert g.is_symmetric


# Other libraries ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_from_scipy(name, kind):
    dense = np.array([[0, 2.5, 0, 0], [0, 0, 1.5, 0], [4, 0, 0.25, 0], [0, 0, 0, 0]])
    make = sparse.csr_matrix if kind == "matrix" else sparse.csr_array
    g = sp.Graph.from_scipy(make(dense).asformat(name))
    assert [a for a in arcs(g) if a[2]] == [(0, 1, 2.5), (1, 2, 1.5), (2, 0, 4.0), (2, 2, 0.25)]
    both = sp.Graph.from_scipy(make(dense).asformat(name), directed=False)
    assert [a for a in arcs(both) if a[2] and a[0] > a[1]] == [(1, 0, 2.5), (2, 0, 4.0), (2, 1, 1.5)]


def test_from_scipy_keeps_explicit_zeros_and_adds_duplicates():
    g = sp.Graph.from_scipy(sparse.coo_array(([0, 5, 7], ([0, 0, 0], [1, 2, 2])), shape=(3, 3)))
    assert arcs(g) == [(0, 1, 0), (0, 2, 12)]


@pytest.mark.parametrize(
    "matrix", [sparse.csr_array((2, 3)), sparse.coo_array(np.ones(3)), np.eye(3), sparse.csr_array(np.eye(2) * 1j), "?"]
)
def test_from_scipy_refuses(matrix):
    with pytest.raises(sp.GraphError):
        sp.Graph.from_scipy(matrix)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_from_networkx(kind):
    G = kind()
    G.add_nodes_from(["lonely", (1, 2)])
    G.add_weighted_edges_from([("a", "b", 3), ("b", "c", 4), ("a", "b", 2), ("c", "c", 1)])
    G.add_edge("c", (1, 2))
    g = sp.Graph.from_networkx(G)
    assert g.directed == G.is_directed()
    assert g.labels.tolist() == list(G)
    expected = nx.single_source_dijkstra_path_length(G, "a")
    assert sp.sssp(g, "a").to_dict() == expected
    hops = sp.Graph.from_networkx(G, weight=None)
    assert hops.weights is None
    assert sp.bfs(hops, "a").to_dict() == nx.single_source_shortest_path_length(G, "a")


def test_from_networkx_with_another_attribute_and_plain_nodes():
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, 2.5, "length")
    g = sp.Graph.from_networkx(G, weight="length")
    assert g.labels is None
    assert sp.sssp(g, 0).distances.tolist() == [0, 2.5, 5, 7.5]
    named = sp.Graph.from_networkx(nx.relabel_nodes(G, float))
    assert named.labels.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert named.index(2.0) == 2


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_from_networkx_with_a_function(kind):
    """As NetworkX asks it: ends and attributes; None hides an edge; it may depend on the direction."""
    G = kind([("a", "b", {"km": 3}), ("b", "c", {"km": 4}), ("a", "c", {"km": 1})])

    def km(data):
        return sum(d["km"] for d in data.values()) if G.is_multigraph() else data["km"]

    functions = {
        "twice": lambda u, v, data: 2 * km(data),
        "hidden": lambda u, v, data: None if km(data) == 1 else km(data),
        "uphill": lambda u, v, data: km(data) + 10 * (u < v),
        "one way": lambda u, v, data: km(data) if u < v else None,
    }
    for name, weight in functions.items():
        g = sp.Graph.from_networkx(G, weight=weight)
        assert g.directed == (G.is_directed() or name in ("uphill", "one way"))
        for source in G:
            expected = nx.single_source_dijkstra_path_length(G, source, weight=weight)
            assert sp.sssp(g, source).verify().to_dict() == expected
    with pytest.raises(sp.GraphError, match="weight must be"):
        sp.Graph.from_networkx(G, weight=3)


# Facts --------------------------------------------------------------------------------------------------------------


def test_facts():
    g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [5, -9, 3])
    assert (g.min_weight, g.max_weight, g.has_negative, g.is_integer) == (-9, 5, True, True)
    assert g.mean_weight == pytest.approx(-1 / 3)
    assert g.degrees.tolist() == [2, 1, 0]
    assert g.nbytes == 4 * 8 + 3 * 4 + 3 * 4
    plain = sp.Graph.from_edges([0], [1])
    assert (plain.min_weight, plain.max_weight, plain.mean_weight, plain.is_integer) == (1, 1, 1.0, True)
    assert repr(plain) == "<Graph: 2 vertices, 1 edges, directed, unweighted>"


def test_infinite_weights_have_no_part_in_the_facts():
    g = sp.Graph.from_edges([0, 0, 1], [1, 2, 2], [2.0, np.inf, 4.0])
    assert (g.min_weight, g.max_weight, g.mean_weight) == (2.0, 4.0, 3.0)
    none = sp.Graph.from_edges([0], [1], [np.inf])
    assert (none.min_weight, none.max_weight, none.mean_weight) == (0, 0, 0)
    assert sp.Graph.from_edges([0] * 4, [1] * 4, [1.5e308] * 4).mean_weight == 1.5e308


def test_reverse():
    g = sp.Graph.from_edges([0, 2, 0, 1], [1, 1, 1, 1], [5, 6, 7, 8], num_vertices=4)
    assert arcs(g.reverse) == [(1, 0, 5), (1, 0, 7), (1, 1, 8), (1, 2, 6)]
    assert g.reverse.indices.tolist() == [0, 0, 1, 2]
    assert g.reverse is g.reverse
    assert g.reverse.reverse is g
    assert g.reverse.max_weight == 8


def test_reverse_if_known_builds_nothing():
    g = sp.Graph.from_edges([0], [1])
    assert g._reverse_if_known() is None
    assert g.reverse is g._reverse_if_known()


@pytest.mark.parametrize(
    ("edges", "symmetric"),
    [
        ([(0, 1, 2), (1, 0, 2)], True),
        ([(0, 1, 2), (1, 0, 3)], False),
        ([(0, 1, 2)], False),
        ([(0, 0, 2)], True),
        ([(0, 1, 2), (0, 1, 3), (1, 0, 3), (1, 0, 2)], True),
        ([(0, 1, 2), (0, 1, 2), (1, 0, 2)], False),
        ([(0, 1, 1), (1, 2, 1), (2, 0, 1)], False),
    ],
)
def test_is_symmetric(edges, symmetric):
    u, v, w = zip(*edges, strict=True)
    for weights in (w, np.array(w, dtype=np.float32)):
        assert sp.Graph.from_edges(u, v, weights).is_symmetric is symmetric


# A graph does not change --------------------------------------------------------------------------------------------


def test_a_graph_cannot_be_changed():
    g = sp.Graph.from_edges([0, 1], [1, 0], [5, 6])
    for array in (g.indptr, g.indices, g.weights, g.degrees):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for name in ("weights", "num_vertices", "directed", "min_weight", "anything"):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(g, name, None)
    with pytest.raises(AttributeError, match="immutable"):
        del g.indices
    with pytest.raises(TypeError, match="from_edges"):
        sp.Graph()


def test_the_arrays_given_stay_the_callers():
    indptr, indices, weights = np.array([0, 1, 1]), np.array([1], dtype=np.int32), np.array([2.0])
    assert not np.shares_memory(sp.Graph.from_csr(indptr, indices, weights).weights, weights)
    assert np.shares_memory(sp.Graph.from_csr(indptr, indices, weights, copy=False).weights, weights)
    assert all(a.flags.writeable for a in (indptr, indices, weights))
    matrix = sparse.csr_array(np.eye(3))
    for copy_it in (True, False):
        assert np.shares_memory(sp.Graph.from_scipy(matrix, copy=copy_it).weights, matrix.data) is not copy_it
    matrix.data[0] = 5


@pytest.mark.parametrize("dtype", [None, np.int32, np.int64, np.float32, np.float64])
def test_pickle_and_copy(dtype):
    weights = None if dtype is None else np.array([2**40 if dtype is np.int64 else 3, 4], dtype=dtype)
    g = sp.Graph.from_edges([0, 2], [1, 0], weights, num_vertices=4)
    for other in (pickle.loads(pickle.dumps(g)), copy.copy(g), copy.deepcopy(g)):  # noqa: S301
        assert arcs(other) == arcs(g)
        assert repr(other) == repr(g)
        assert not other.indices.flags.writeable
        assert (other.mean_weight, other.directed) == (g.mean_weight, g.directed)


# Refused ------------------------------------------------------------------------------------------------------------

REFUSED = {
    "NaN": ({"weights": [1.0, np.nan]}, r"weights\[1\] is nan"),
    "-inf": ({"weights": [-np.inf, 1.0]}, r"weights\[0\] is -inf"),
    "float16 NaN": ({"weights": np.array([1, np.nan], dtype=np.float16)}, "nan"),
    "ragged targets": ({"targets": [1]}, "2 sources, 1 targets"),
    "ragged weights": ({"weights": [1, 2, 3]}, "3 weights"),
    "negative id": ({"targets": [1, -2]}, r"edge 1 is \(1, -2\)"),
    "id out of range": ({"num_vertices": 2}, r"edge 1 is \(1, 2\).* 2 vertices"),
    "2-D ids": ({"sources": [[0, 1]]}, "one-dimensional"),
    "2-D weights": ({"weights": [[1, 2]]}, "one-dimensional"),
    "scalar id": ({"sources": 0}, "one-dimensional"),
    "float ids": ({"sources": [0.0, 1.0]}, "integers, not float64"),
    "bool ids": ({"sources": [False, True]}, "integers, not bool"),
    "string ids": ({"sources": ["0", "1"]}, "relabel=True"),
    "object ids": ({"sources": [None, 1]}, "integers"),
    "string weights": ({"weights": ["1", "2"]}, "numbers"),
    "complex weights": ({"weights": [1j, 2]}, "numbers"),
    "None weights": ({"weights": [None, 2]}, "numbers"),
    "long weights": ({"weights": np.array([1, 2], dtype=np.longdouble)}, "precision"),
    "dates": ({"weights": np.array(["2020", "2021"], dtype="M8[Y]")}, "numbers"),
    "id beyond 2^63": ({"sources": np.array([0, 2**63], dtype=np.uint64)}, "beyond"),
    "huge id": ({"sources": [0, 2**40]}, "relabel=True"),
    "negative num_vertices": ({"num_vertices": -1}, "num_vertices"),
    "fractional num_vertices": ({"num_vertices": 2.5}, "num_vertices"),
    "num_vertices with labels": ({"num_vertices": 3, "relabel": True}, "num_vertices"),
    "NaN label": ({"sources": [1.5, np.nan], "relabel": True}, "NaN"),
    "list labels": ({"sources": [[1], [2, 3]], "relabel": True}, "hashable"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_from_edges_refuses(name):
    options, words = REFUSED[name]
    with pytest.raises(sp.GraphError, match=words):
        sp.Graph.from_edges(**{"sources": [0, 1], "targets": [1, 2], **options})


def test_weights_beyond_64_bits_are_refused():
    with pytest.raises(sp.DistanceOverflowError, match="18446744073709551615"):
        sp.Graph.from_edges([0], [1], np.array([2**64 - 1], dtype=np.uint64))


@pytest.mark.parametrize(
    ("indptr", "indices", "words"),
    [
        ([], [], "n \\+ 1"),
        ([0.0, 1.0], [0], "integers"),
        ([[0, 1]], [0], "one-dimensional"),
        ([1, 1], [0], "rise"),
        ([0, 2], [0], "rise"),
        ([0, 2, 1, 3], [0, 1, 2], "rise"),
        ([0, 1, 2], [0, 2], r"indices\[1\] is 2"),
        ([0, 1], [-1], r"indices\[0\] is -1"),
        ([0, 1], [[0]], "one-dimensional"),
    ],
)
def test_from_csr_refuses(indptr, indices, words):
    with pytest.raises(sp.GraphError, match=words):
        sp.Graph.from_csr(indptr, indices)


def test_from_csr_refuses_ragged_and_bad_weights():
    with pytest.raises(sp.GraphError, match="2 weights"):
        sp.Graph.from_csr([0, 1, 1], [1], [1, 2])
    with pytest.raises(sp.GraphError, match="nan"):
        sp.Graph.from_csr([0, 1, 1], [1], [np.nan])


# Large --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, None])
def test_large_graphs_are_those_of_scipy(dtype):
    rng = np.random.default_rng(1)
    n, m = 50_000, 400_000
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    w = None if dtype is None else rng.integers(2**40 if dtype is np.int64 else 1, 2**40 + 99, m).astype(dtype)
    g = sp.Graph.from_edges(u, v, w)
    numbers = np.arange(m) + 1  # SciPy adds up parallel entries, so it sorts distinct entries here
    order = sparse.coo_matrix((numbers, (u, np.arange(m))), shape=(g.num_vertices, m)).tocsr()
    places = order.data[np.lexsort((order.indices, np.repeat(np.arange(g.num_vertices), np.diff(order.indptr))))] - 1
    assert np.array_equal(g.indptr, order.indptr)
    assert np.array_equal(g.indices, v[places])
    assert w is None or np.array_equal(g.weights, w[places])


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("ids", [np.int32, np.int64])
def test_the_build_does_not_depend_on_threads(both, ids):
    rng = np.random.default_rng(2)
    n, m = 3_000, 300_000
    u, v = (rng.integers(0, n, m).astype(ids) for _ in range(2))
    w = rng.random(m).astype(np.float32)
    results = []
    for threads in (1, 2, 3, 8):
        _, largest, loops, bad, is_sorted = _core.edge_facts(u, v, n, threads)
        assert (largest, loops, bad, is_sorted) == (n - 1, int((u == v).sum()), -1, False)
        arcs = 2 * m - loops if both else m
        rows = np.empty(n + 1, dtype=np.int64), np.empty(arcs, dtype=np.int32), np.empty(arcs, dtype=np.float32)
        _core.build_csr(u, v, w, both, False, *rows, threads)
        turned = tuple(np.empty_like(a) for a in rows)
        _core.reverse_rows(_core.Rows(*rows), *turned, threads)
        results.append(rows + turned)
    for other in results[1:]:
        assert all(map(np.array_equal, other, results[0]))


def test_sorted_input_gives_the_same_graph():
    rng = np.random.default_rng(3)
    u, v = np.sort(rng.integers(0, 1_000, 20_000)), rng.integers(0, 1_000, 20_000)
    order = rng.permutation(20_000)
    a = sp.Graph.from_edges(u, v, v)
    b = sp.Graph.from_edges(u[order], v[order], v[order])
    assert np.array_equal(a.indptr, b.indptr)
    assert arcs(a) == arcs(b)

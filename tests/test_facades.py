"""Both facades beside SciPy and NetworkX: random calls of every function, then what is exact, what is declined, and that NetworkX then does it."""

import math
import random
import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as ss
from scipy.sparse import csgraph as theirs

from facade_cases import DISAGREEMENTS
from facade_networkx import answered
from steppe import csgraph as ours


@pytest.fixture(autouse=True)
def no_word_about_the_cache():
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("facade", DISAGREEMENTS)
def test_random_calls_agree(facade, part):
    answered.clear()
    for seed in range(2000):
        wrong = DISAGREEMENTS[facade](np.random.default_rng([part, seed]))
        assert wrong is None, f"seed [{part}, {seed}]: {wrong}"
    if facade == "networkx":  # and few calls with plain weights are declined
        assert answered[True, True] > 4 * answered[True, False]


def doubled(kind):
    """A matrix that stores an entry twice."""
    return ss.csr_array((np.array([2, 5], dtype=kind), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "i8", "u8", "f4", "f8", "?"])
def test_entries_stored_twice_count_as_in_scipy(kind):
    for name in ("dijkstra", "bellman_ford", "johnson", "floyd_warshall", "shortest_path"):
        got, want = (getattr(module, name)(doubled(kind)) for module in (ours, theirs))
        assert np.array_equal(got, want), name
    unsorted = ss.csr_array((np.ones(3, kind), np.array([2, 1, 2]), np.array([0, 2, 3, 3])), shape=(3, 3))
    assert np.array_equal(ours.breadth_first_order(unsorted, 0)[0], theirs.breadth_first_order(unsorted, 0)[0])


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_what_floyd_warshall_takes_for_no_edge(value):
    A = ss.csr_array((np.array([value, 2.0]), np.array([1, 2]), np.array([0, 1, 2, 2])), shape=(3, 3))
    M = np.ma.masked_array([[0, value, 3.0], [2, 0, 1], [1, 1, 0]], [[0, 0, 0], [0, 0, 1], [0, 0, 0]])
    for matrix in (A, M):
        for unweighted in (True, False):
            for directed in (True, False):
                options = {"unweighted": unweighted, "directed": directed, "return_predecessors": True}
                for got, want in zip(
                    *(m.floyd_warshall(matrix.copy(), **options) for m in (ours, theirs)), strict=True
                ):
                    assert np.array_equal(got, want, equal_nan=True)


def test_distances_of_predecessors_are_added_up_in_scipys_order():
    rng = np.random.default_rng(2)
    for n in (2, 5, 30):
        A = np.where(rng.random((n, n)) < 0.2, rng.random((n, n)), 0)
        A[np.arange(n - 1), np.arange(1, n)] = rng.random(n - 1)
        for directed in (True, False):
            _, before = ours.dijkstra(A, directed, return_predecessors=True)
            got, want = (m.construct_dist_matrix(A, before, directed) for m in (ours, theirs))
            assert np.array_equal(got, want)
    stored = ss.csr_array((np.array([3.0, np.nan]), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 2))
    before = np.array([[-9999, 0], [1, -9999]], dtype=np.int32)
    assert ours.construct_dist_matrix(stored, before, directed=False).tolist() == [[0, 3], [3, 0]]
    with pytest.raises(ValueError, match="circle"):
        ours.construct_dist_matrix(np.full((3, 3), 0.1), np.array([[-9999, 2, 1]] * 3, dtype=np.int32))


def test_what_scipy_warns_of_and_overwrites():
    for options in ({}, {"unweighted": True}):
        with pytest.warns(UserWarning, match="negative weights"):
            ours.dijkstra([[0, -1.0], [0, 0]], **options)
    assert ours.dijkstra([[0, 1.0], [0, 0]], limit=math.nan).tolist() == [[0, math.inf], [math.inf, 0]]
    for matrix in (np.ma.masked_array([[0, 1.0], [2, 0]], [[0, 0], [1, 0]]), np.array([[0, 1.0], [0, 0]])):
        found = ours.shortest_path(matrix, overwrite=True)
        assert type(found) is np.ndarray
        assert np.shares_memory(found, matrix)
    with pytest.raises(ValueError, match="-inf"):
        ours.bellman_ford(ss.csr_array(([-math.inf], ([0], [1])), shape=(2, 2)))


def of_weights(weights):
    G = nx.cycle_graph(len(weights))
    for (_, _, data), weight in zip(G.edges(data=True), weights, strict=True):
        data["weight"] = weight
    return G


SUMS = [("closeness_centrality", "distance"), ("harmonic_centrality", "distance"), ("wiener_index", "weight")]


@pytest.mark.parametrize(("name", "option"), [*SUMS, ("average_shortest_path_length", "weight")])
@pytest.mark.parametrize("weights", [[2**62] * 3, [2**61, 2**62, 2**60 + 1], [2**53 + 1] * 40])
def test_sums_beyond_64_bits_are_exact(name, option, weights):
    G = of_weights(weights)
    assert getattr(nx, name)(G, **{option: "weight"}, backend="steppe") == getattr(nx, name)(G, **{option: "weight"})


@pytest.mark.parametrize(("name", "option"), [*SUMS, ("average_shortest_path_length", "weight")])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_sums_of_floats_have_networkxs_bits(name, option, kind):
    rng = random.Random(5)  # noqa: S311
    G = kind(nx.gnp_random_graph(60, 0.2, seed=3))
    nx.set_edge_attributes(G, {edge: rng.random() for edge in G.edges}, "weight")
    assert getattr(nx, name)(G, **{option: "weight"}, backend="steppe") == getattr(nx, name)(G, **{option: "weight"})


def declined(call, G, *args, **options):
    G.__networkx_cache__.clear()  # NetworkX remembers that a graph could not be converted, and forgets why
    with pytest.raises(NotImplementedError) as caught:
        call(G, *args, **options, backend="steppe")
    return str(caught.value.__cause__)


def test_distances_that_do_not_fit_are_declined():
    for weight, reason in ((2**62, "64-bit|64 bits"), (1e308, "largest float"), (-(2**62), "64 bits|negative")):
        G = nx.DiGraph(nx.path_graph(5).edges)
        nx.set_edge_attributes(G, weight, "weight")
        calls = [
            (nx.bellman_ford_path_length, 0, 4),
            (nx.single_source_bellman_ford_path_length, 0),
            (nx.all_pairs_bellman_ford_path_length,),
            (nx.all_pairs_bellman_ford_path,),
            (nx.johnson,),
            (nx.goldberg_radzik, 0),
        ]
        if weight > 0:
            calls += [
                (nx.dijkstra_path, 0, 4),
                (nx.bidirectional_dijkstra, 0, 4),
                (nx.all_pairs_dijkstra,),
                (nx.all_pairs_dijkstra_path,),
                (nx.all_pairs_dijkstra_path_length,),
                (nx.multi_source_dijkstra, [0, 1]),
                (nx.voronoi_cells, [0]),
                (nx.all_pairs_all_shortest_paths, "weight"),
                (nx.astar_path_length, 0, 4),
            ]
        for call, *args in calls:
            assert any(word in declined(call, G, *args) for word in reason.split("|")), call
    mixed = of_weights([2**52, 2**52, 0.5, 2**52 + 1, 2**52])
    assert "integers among floats" in declined(nx.dijkstra_path_length, mixed, 0, 2)
    assert "integers among floats" in declined(nx.dijkstra_path_length, mixed, 0, 2, weight=lambda u, v, d: d["weight"])


def test_networkx_answers_what_is_declined():
    """By the fallback, also where the call returns a generator: it is declined before the first step."""
    G = nx.path_graph(600)
    nx.set_edge_attributes(G, 2**62, "weight")
    H = nx.DiGraph([(0, 1, {"weight": 2}), (1, 2, {"weight": -1}), *((i, i + 1) for i in range(2, 600))])
    for graph, name in (
        (G, "all_pairs_dijkstra_path_length"),
        (H, "all_pairs_dijkstra_path"),
        (H, "all_pairs_dijkstra"),
    ):
        want = next(iter(getattr(nx, name)(graph)))
        with nx.config(backend_priority=["steppe"]):
            assert next(iter(getattr(nx, name)(graph))) == want
    with nx.config(backend_priority=["steppe"]):
        assert nx.dijkstra_path_length(G, 0, 3) == 3 * 2**62
        assert nx.single_source_dijkstra_path_length(G, 0)[599] == 599 * 2**62


def test_errors_of_generators_come_when_they_are_asked_for():
    G = nx.path_graph(3)
    for call in (lambda **o: nx.bfs_edges(G, 9, **o), lambda **o: nx.single_source_all_shortest_paths(G, 9, **o)):
        for backend in ("networkx", "steppe"):
            steps = call(backend=backend)
            with pytest.raises(nx.NetworkXException, match="9"):
                next(steps)


def test_functions_that_differ_by_direction():
    def uphill(u, v, data):
        return 1 if u < v else 10

    for G in (nx.path_graph(4), nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 0)])):
        for call in (
            lambda G, **o: nx.closeness_centrality(G, distance=uphill, **o),
            lambda G, **o: nx.harmonic_centrality(G, distance=uphill, **o),
            lambda G, **o: nx.harmonic_centrality(G, nbunch=[0], distance=uphill, **o),
            lambda G, **o: nx.shortest_path_length(G, target=3, weight=uphill, **o),
            lambda G, **o: nx.dijkstra_path_length(G, 3, 0, weight=uphill, **o),
        ):
            assert call(G, backend="steppe") == call(G)


def test_what_functions_return_is_looked_at_as_attributes_are():
    G = nx.path_graph(4)
    for weight in (math.inf, math.nan, "a", 2**70):
        declined(nx.single_source_dijkstra_path_length, G, 0, weight=lambda u, v, d, w=weight: w if v == 2 else 1)
    hiding = [lambda u, v, d: None if v == 3 else 1]
    assert nx.single_source_dijkstra_path_length(G, 0, weight=hiding[0], backend="steppe") == {0: 0, 1: 1, 2: 2}
    assert "hides" in declined(
        nx.single_source_bellman_ford_path_length, G, 0, weight=hiding[0]
    )  # an error in NetworkX
    assert "raised" in declined(nx.dijkstra_path, G, 0, 3, weight=lambda u, v, d: d["nobody has it"])


@pytest.mark.parametrize("cutoff", [None, 0, 1, 2, 2.5, -1, -math.inf, math.inf, math.nan, 10**30])
def test_cutoffs_of_every_form(cutoff):
    G = nx.path_graph(6)
    calls = [
        lambda **o: nx.predecessor(G, 0, cutoff=cutoff, **o),
        lambda **o: list(nx.bfs_edges(G, 0, depth_limit=cutoff, **o)),
        lambda **o: nx.single_source_shortest_path_length(G, 0, cutoff=cutoff, **o),
        lambda **o: dict(nx.single_target_shortest_path(G, 0, cutoff=cutoff, **o)),
        lambda **o: nx.single_source_dijkstra_path_length(G, 0, cutoff=cutoff, **o),
        lambda **o: dict(nx.all_pairs_dijkstra_path_length(G, cutoff=cutoff, **o)),
    ]
    for call in calls:
        assert call(backend="steppe") == call()


def test_predecessors_have_the_order_in_which_edges_were_made():
    G = nx.DiGraph([(3, 0), (1, 0), (2, 0), (4, 3), (4, 2), (4, 1)])
    for call in (
        lambda **o: dict(nx.single_target_shortest_path(G, 0, **o)),
        lambda **o: nx.single_target_shortest_path_length(G, 0, **o),
        lambda **o: list(nx.bfs_edges(G, 0, reverse=True, **o)),
        lambda **o: dict(nx.shortest_path(G, target=0, **o)),
    ):
        got, want = call(backend="steppe"), call()
        assert got == want
        assert list(got) == list(want)
    kept = nx.utils.backends._load_backend("steppe").convert_from_nx(G)
    G.remove_edge(4, 1)
    with pytest.raises(NotImplementedError, match="changed"):
        kept.hops_back  # noqa: B018


def test_loops_circles_and_methods():
    G = nx.Graph([(0, 1), (0, 0)])
    got, want = (nx.floyd_warshall_predecessor_and_distance(G, backend=b) for b in ("steppe", "networkx"))
    assert got == want
    assert list(nx.all_shortest_paths(G, 0, 1, method="unweighted", backend="steppe")) == [[0, 1]]
    nx.set_edge_attributes(G, 0, "weight")
    assert "more than once" in declined(nx.all_shortest_paths, G, 0, 1, weight="weight")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "attribute" in declined(nx.floyd_warshall, G, weight=lambda u, v, d: 1)

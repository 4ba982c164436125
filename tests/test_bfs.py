"""bfs: hops from every side, with and without in-edges, with and without paths; against the oracle and SciPy."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

import graphs
import oracle
import steppe as sp
from answers import array_of, graph_of
from steppe.cpu import tree

NONE = np.iinfo(np.int32).max


def wide(g):
    """The same graph with 64-bit vertices."""
    return sp.Graph._make(g.indptr, g.indices.astype(np.int64), g.weights, labels=None, directed=g.directed)


def one_way(g):
    """The same arcs as a directed graph, of which the reverse is not known: every level goes top-down."""
    return sp.Graph.from_csr(g.indptr, g.indices, g.weights)


def by_scipy(g, source):
    matrix = sparse.csr_array((np.ones(g.num_edges), g.indices, g.indptr), shape=(g.num_vertices,) * 2)
    hops = csgraph.dijkstra(matrix, indices=source, unweighted=True)
    return np.where(np.isinf(hops), NONE, np.where(np.isinf(hops), 0, hops)).astype(np.int32)


@pytest.mark.parametrize("name", graphs.NAMED)
@pytest.mark.parametrize("known", [False, True])
def test_tables(name, known):
    n, edges = graphs.NAMED[name]
    for source in range(min(n, 4)):
        expected = array_of(oracle.hops(n, edges, [source]), "hops")
        for dtype in (None, np.int32, np.float64):
            g = graph_of(n, edges, dtype)
            for graph in (g, wide(g)):
                if known:
                    assert graph.reverse is not None
                for threads in (1, 2, 4):
                    for record in (False, True):
                        r = sp.bfs(graph, source, threads=threads, record_paths=record)
                        assert r.distances.dtype == np.int32
                        assert np.array_equal(r.distances, expected)
                        r.verify()


def test_weights_are_ignored():
    g = sp.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [-5, np.inf, 0, 7])
    assert sp.bfs(g, 0).verify().distances.tolist() == [0, 1, 1, 2]


# Large enough that levels are shared between threads (more than 2^15 edges) and that the search changes direction.
LARGE = {
    "rmat": lambda: sp.generate.rmat(13, 16, weights=None, seed=1),
    "random": lambda: sp.generate.random(20_000, 300_000, weights=None, seed=2, directed=False),
    "sparse": lambda: sp.generate.random(60_000, 70_000, weights=None, seed=3, directed=False),
    "grid": lambda: sp.generate.grid(200, 150, weights=None),
    "star": lambda: sp.Graph.from_edges(np.zeros(200_000, dtype=np.int32), np.arange(200_000), directed=False),
    "two stars": lambda: sp.Graph.from_edges(
        np.concatenate([np.zeros(70_001, np.int32), np.full(70_000, 70_001, np.int32)]),
        np.concatenate([np.arange(1, 70_002), np.arange(70_002, 140_002)]),
        directed=False,
    ),
    "complete": lambda: sp.Graph.from_edges(np.repeat(np.arange(300), 300), np.tile(np.arange(300), 300)),
}


@pytest.mark.parametrize("shape", LARGE)
def test_large_graphs_from_both_sides(shape):
    g = LARGE[shape]()
    plain = one_way(g)
    rng = np.random.default_rng(1)
    for source in [0, *rng.integers(0, g.num_vertices, 2).tolist()]:
        expected = by_scipy(g, source)
        for graph in (g, plain, wide(g)):
            for threads in (1, 2, 8):
                for record in (False, True):
                    r = sp.bfs(graph, source, threads=threads, record_paths=record)
                    assert np.array_equal(r.distances, expected)
                    if record or threads == 1:
                        r.verify()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_known_reverse_changes_the_direction_and_nothing_else(threads):
    g = sp.generate.rmat(13, 16, weights=None, seed=5, directed=True)
    down = sp.bfs(g, 1, threads=threads)
    assert g.reverse.num_edges == g.num_edges
    both = sp.bfs(g, 1, threads=threads, record_paths=True).verify()
    assert np.array_equal(down.distances, both.distances)
    assert both.explain().edges_touched < down.explain().edges_touched / 2
    assert both.explain().rounds == down.explain().rounds


@pytest.mark.parametrize("shape", ["rmat", "random", "grid"])
@pytest.mark.parametrize("threads", [1, 4])
def test_cutoff_and_targets_stop_at_a_level(shape, threads):
    g = LARGE[shape]()
    full = sp.bfs(g, 2, threads=1).distances
    for bound in (0, 1, 2, 3.9, 40):
        r = sp.bfs(g, 2, cutoff=bound, threads=threads, record_paths=True).verify()
        assert np.array_equal(r.distances, np.where(full <= bound, full, NONE))
    for target in (2, 17, 5_000):
        r = sp.bfs(g, 2, targets=[target], threads=threads, record_paths=True).verify()
        assert np.array_equal(r.distances, np.where(full <= full[target], full, NONE) if full[target] < NONE else full)


def test_explain():
    g = LARGE["random"]()
    e = sp.bfs(g, 0, threads=2).explain()
    assert (e.method, e.device, e.threads) == ("bfs", "cpu", 2)
    assert e.rounds >= int(sp.bfs(g, 0).distances[sp.bfs(g, 0).reachable].max())
    assert 0 < e.edges_touched < g.num_edges
    path = sp.bfs(graph_of(*graphs.NAMED["path"], None), 0, threads=4).explain()
    assert (path.threads, path.rounds) == (1, 50)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"cutoff": -1}, ValueError),
        ({"cutoff": float("nan")}, ValueError),
        ({"targets": []}, ValueError),
        ({"targets": [7]}, sp.GraphError),
        ({"targets": 1}, sp.GraphError),
        ({"threads": 0}, ValueError),
        ({"device": "abacus"}, sp.SteppeError),
    ],
    ids=str,
)
def test_bad_arguments(options, error):
    with pytest.raises(error):
        sp.bfs(sp.Graph.from_edges([0, 1], [1, 2]), 0, **options)


@pytest.mark.parametrize("source", [-1, 3, 0.0, None, "a", True])
def test_a_source_that_is_not_in_the_graph(source):
    with pytest.raises(sp.GraphError, match="not in the graph"):
        sp.bfs(sp.Graph.from_edges([0, 1], [1, 2]), source)


@pytest.mark.parametrize("record_paths", [False, True])
def test_many_narrow_levels(record_paths):
    """A strip: its queue goes back to the front of its memory several times."""
    g = sp.generate.grid(20, 12_000, weights=None)
    found = sp.bfs(g, 5, threads=1, record_paths=record_paths).verify()
    rows, columns = np.divmod(np.arange(g.num_vertices), 12_000)
    np.testing.assert_array_equal(found.distances, rows + abs(columns - 5))


def scattered(g, seed):
    """The same graph, its vertices called anything, and its rows in any order."""
    name = np.random.default_rng(seed).permutation(g.num_vertices)
    tails = np.repeat(np.arange(g.num_vertices), np.diff(g.indptr))
    order = np.random.default_rng(seed).permutation(g.num_edges)
    return sp.Graph.from_edges(name[tails][order], name[g.indices][order], num_vertices=g.num_vertices)


NARROW = {
    "grid": lambda: sp.generate.grid(200, 150, weights=None),
    "scattered": lambda: scattered(sp.generate.grid(200, 150, weights=None), 1),
    "ring": lambda: sp.Graph.from_edges(np.arange(5000), np.roll(np.arange(5000), 1), directed=False),
    "with loops, parallel edges and islands": lambda: sp.Graph.from_edges(
        np.concatenate([np.arange(4000), np.arange(4000), np.arange(0, 4000, 7)]),
        np.concatenate([np.arange(1, 4001), np.arange(1, 4001), np.arange(0, 4000, 7)]),
        num_vertices=6000,
    ),
}


@pytest.mark.parametrize("shape", NARROW)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("options", [{}, {"cutoff": 60}, {"targets": [2, 3, 70]}], ids=str)
def test_narrow_levels_make_the_canonical_tree(shape, threads, options):
    g = NARROW[shape]()
    for call in (sp.bfs, sp.sssp):
        r = call(g, 3, threads=threads, **options)
        assert r._canonical is not None
        right = tree.predecessors(g, np.array([3]), r.distances, hops=call is sp.bfs)
        assert np.array_equal(r.predecessors, right)
        assert not r.predecessors.flags.writeable
        r.verify()
        assert np.array_equal(call(g, 3, threads=threads, record_paths=True, **options).predecessors, right)
    assert np.array_equal(sp.bfs(wide(g), 3, threads=threads, **options).predecessors, right)
    far = sp.nearest(g, [3, 1, 4000], threads=threads).paths
    assert far._canonical is not None
    assert np.array_equal(far.predecessors, tree.predecessors(g, np.array([3, 1, 4000]), far.distances))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("record_paths", [False, True])
def test_levels_that_do_not_stay_narrow(threads, record_paths):
    """A long path to a star, and on from one of its ends: half a tree is none, and is not given out."""
    path, star = np.arange(2000), np.arange(2001, 30_000)
    g = sp.Graph.from_edges(
        np.concatenate([path, np.full(len(star), 2000), np.arange(30_000, 31_000)]),
        np.concatenate([path + 1, star, [29_999], np.arange(30_000, 30_999)], dtype=np.int64, casting="unsafe"),
        directed=False,
    )
    r = sp.bfs(g, 0, threads=threads, record_paths=record_paths).verify()
    assert r._canonical is None
    assert np.array_equal(r.distances, by_scipy(g, 0))
    assert np.array_equal(r.predecessors, tree.predecessors(g, np.array([0]), r.distances, hops=True))

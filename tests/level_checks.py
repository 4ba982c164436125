"""Check breadth-first search and canonical predecessors on a given device, against the oracle and the CPU core.

Plain functions, as in words.py: they run in pytest on PoCL or a GPU, under Oclgrind and on the stand-in CUDA driver.
"""

from contextlib import contextmanager

import numpy as np

import answers
import graphs
import oracle
import steppe as sp
from steppe.cpu.proof import check
from steppe.gpu.loops import bfs, predecessors
from steppe.paths import Paths
from steppe.planning.explain import Explanation
from steppe.planning.question import Question

UNREACHED = 2**31 - 1
FORMS = {
    "as it comes": {},
    "one launch a level": {"NARROW": 0},
    "tiny classes": {"NARROW": 0, "SMALL": 1, "MIDDLE": 3},
    "tiny classes in one block": {"SMALL": 1, "MIDDLE": 3},
    "bottom-up": {"NARROW": 0, "ALPHA": 10**9, "BETA": 10**9, "MIDDLE": 3, "SMALL": 1},
    "up and down": {"NARROW": 0, "ALPHA": 10**9, "BETA": 1},
}


@contextmanager
def form(name):
    """Force the search into one of its forms, whatever the graph."""
    before = {key: getattr(bfs, key) for key in FORMS[name]}
    try:
        for key, value in FORMS[name].items():
            setattr(bfs, key, value)
        yield
    finally:
        for key, value in before.items():
            setattr(bfs, key, value)


def search_of(sources=(0,), targets=(), **options):
    return Question(np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64), **options)


def layers(count=4, size=12):
    """Every vertex of a layer leads to every one of the next: many threads find the same vertex at once."""
    edges = [(0, 1 + v, 1) for v in range(size)]
    for k in range(count - 1):
        edges += [(1 + k * size + a, 1 + (k + 1) * size + b, 1) for a in range(size) for b in range(size)]
    return 1 + count * size, edges


def check_graph(device, graph, right, *, sources=(0,)):
    """Hops without and with recorded paths; the paths are proven."""
    for record in (False, True):
        answer = bfs.run(device, graph, search_of(sources, record_paths=record))
        assert answer.distances.dtype == np.int32
        assert np.array_equal(answer.distances, right), (record, answer.distances, right)
        assert (answer.predecessors is not None) == record
        check(graph, np.array(sources), answer.distances, predecessors=answer.predecessors, hops=True)


def check_named(device, names=None):
    """Every named graph, directed, and undirected with its in-edges at hand."""
    for name, (n, edges) in (graphs.NAMED | {"layers": layers()}).items():
        if names is not None and name not in names:
            continue
        graph = answers.graph_of(n, edges, np.int32)
        right = answers.array_of(oracle.hops(n, edges, [0]), "hops")
        check_graph(device, graph, right)
        assert graph.reverse is not None  # now bottom-up is possible
        check_graph(device, graph, right)
        both = edges + [(v, u, w) for u, v, w in edges]
        u, v, _ = zip(*edges, strict=True) if edges else ((), (), ())
        twice = sp.Graph.from_edges(np.array(u, int), np.array(v, int), num_vertices=n, directed=False)
        check_graph(device, twice, answers.array_of(oracle.hops(n, both, [0]), "hops"))


def check_options(device):
    """Cutoff, targets, several sources (one twice), progress and the counts of an explanation."""
    n, edges = graphs.grid(9, 11)
    graph = answers.graph_of(n, edges, np.int32)
    right = answers.array_of(oracle.hops(n, edges, [0]), "hops")
    for bound in (0, 1, 7, 1000):
        for record in (False, True):
            answer = bfs.run(device, graph, search_of(bound=bound, record_paths=record))
            assert np.array_equal(answer.distances, np.where(right <= bound, right, UNREACHED)), bound
    seen = []
    answer = bfs.run(device, graph, search_of(progress=seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == answer.explained["edges_touched"] == graph.num_edges
    assert answer.explained["rounds"] >= right.max()
    assert answer.explained["launches"] >= 1
    assert answer.explained["bytes_copied"] >= answer.distances.nbytes
    near = bfs.run(device, graph, search_of(targets=[1, 12]))
    assert (near.distances[[1, 12]] == right[[1, 12]]).all()
    check_graph(device, graph, answers.array_of(oracle.hops(n, edges, [5, 90]), "hops"), sources=(5, 90, 5))


def check_owner(device):
    """An entry that stands in the queue twice is expanded once; a count beyond the places makes the queue anew."""
    n, edges = graphs.grid(5, 6)
    graph = answers.graph_of(n, edges, np.int32)
    right = answers.array_of(oracle.hops(n, edges, [0]), "hops")
    for kind in ("narrow", "wide"):
        with form("as it comes" if kind == "narrow" else "one launch a level"):
            levels = bfs.Levels(device, graph, np.array([0]))
            device.upload(np.array([0, 0, 0], np.int32), into=levels.arrays[5])
            device.upload(np.array([3], np.uint32), into=levels.state)
            assert levels.run().touched == graph.num_edges
            assert np.array_equal(device.download(levels.distances), right)
            levels = bfs.Levels(device, graph, np.array([0]))
            device.upload(np.array([n + 3], np.uint32), into=levels.state)
            device.upload(np.array([n - 1], np.int32), into=levels.arrays[5])
            assert levels.read_state().over
            levels.run()
            assert np.array_equal(device.download(levels.distances), right)


def check_forms(device, names=None):
    for name in FORMS:
        with form(name):
            check_named(device, names)
            check_options(device)
    check_owner(device)


def check_tree(device, graph, sources, distances, *, hops=False):
    """Compare with the CPU's canonical tree, bit for bit."""
    explanation = Explanation(method="given")
    paths = Paths._make(graph, np.array(sources), distances, hops=hops, explanation=explanation)
    got = predecessors.run(device, graph, np.array(sources), distances, hops=hops)
    assert got.dtype == np.int32
    assert np.array_equal(got, paths.predecessors), (got, paths.predecessors)


def check_trees(device, names=None, types=(None, *answers.TYPES)):
    """Every named graph and type: zero cycles, absorbed floats, ties, negative weights; and hops."""
    for dtype in types:
        chosen = dict(graphs.NAMED)
        if dtype is not None:
            chosen |= graphs.NEGATIVE
            chosen |= graphs.FLOAT if np.dtype(dtype).kind == "f" else {}
            chosen |= graphs.HUGE if dtype == np.int64 else {}
        for name, (n, edges) in chosen.items():
            if names is not None and name not in names:
                continue
            graph = answers.graph_of(n, edges, dtype)
            if name in graphs.NEGATIVE:
                right = answers.array_of(oracle.bellman_ford(n, edges, [0]), dtype)
            else:
                right = answers.truth(n, edges, dtype)
            check_tree(device, graph, [0], right)
            check_tree(device, graph, [0], answers.array_of(oracle.hops(n, edges, [0]), "hops"), hops=True)


def check_small(device):
    """What fits an interpreter."""
    for name in ("as it comes", "tiny classes", "tiny classes in one block", "bottom-up"):
        with form(name):
            check_named(device, {"layers", "ties", "star", "zero cycle"})
    check_owner(device)
    check_trees(device, {"zero cycle", "ties", "absorbed"}, answers.TYPES)

"""Every public call of the core, on one small graph: what threads share (callers.py) and what failing allocations end (faults/).

A call takes a fresh graph and returns arrays and numbers that are the same whichever way it was done. ``small()`` makes the graphs
small calls share out among threads at all.
"""

import pickle
import tempfile
from pathlib import Path

import numpy as np

import steppe as sp
from steppe.planning import capabilities, plan

METHODS = capabilities.WEIGHTED


def small():
    """Let threads share even small graphs."""
    plan.EDGES_PER_THREAD = 0
    plan.SPARSE_EDGES_PER_THREAD = 0


def arrays(kind="random"):
    """Return the rows of the graph that calls are made on."""
    make = {
        "random": lambda: sp.generate.random(400, 2_400, seed=1),
        "road": lambda: sp.generate.road(700, seed=2),
        "large": lambda: sp.generate.random(12_000, 90_000, seed=3),
    }
    made = make[kind]()
    return made.indptr.copy(), made.indices.copy(), made.weights.copy()


def fresh(rows):
    """Return a graph that has built nothing yet."""
    indptr, indices, weights = rows
    return sp.Graph.from_csr(indptr.copy(), indices.copy(), weights.copy(), directed=True)


def _solve(**options):
    def call(graph):
        paths = sp.sssp(graph, 3, **options)
        return (paths.distances, paths.verify().predecessors if "record_paths" not in options else None)

    return call


def _twice(graph):
    """The second search prepares the graph; its tree and paths are built from the packed rows."""
    sp.sssp(graph, 3)
    paths = sp.sssp(graph, 4, threads=2)
    some = paths.paths_to([v for v in range(0, graph.num_vertices, 7) if paths.reachable[v]])
    return paths.distances, paths.predecessors, some.vertices, some.offsets


def _hops(**options):
    def call(graph):
        paths = sp.bfs(graph, 3, **options).verify()
        return (paths.distances,)

    return call


def _many(**options):
    return lambda graph: (sp.distances(graph, [0, 5, 9, 5], threads=2, **options),)


def _nearest(graph):
    found = sp.nearest(graph, [3, 90, 200], threads=2)
    return found.distances, found.source_index


def _route(graph):
    found = [sp.route(graph, 3, v) for v in range(0, graph.num_vertices, 31)]
    return ([r.distance if r.reachable else None for r in found],)


def _landmarks(graph):
    graph.prepare(routes=True)
    return _route(graph)


def _layout(graph):
    graph.prepare()
    r = graph.reverse
    return r.indptr, r.indices, r.weights, graph.is_symmetric, graph.has_sorted_rows


def _pickle(graph):
    other = pickle.loads(pickle.dumps(graph))  # noqa: S301 - our own bytes
    return other.indptr, other.indices, other.weights


def _file(suffix):
    def call(graph):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"graph{suffix}"
            sp.write(graph, path)
            read = sp.read(path)
            return read.indptr.copy(), read.indices.copy(), read.weights.copy()

    return call


def _external(**options):
    def call(graph):
        with tempfile.TemporaryDirectory() as folder:
            sp.write(graph, Path(folder) / "graph.steppe")
            mapped = sp.read(Path(folder) / "graph.steppe")
            return (sp.sssp(mapped, 3, device="cpu", memory_limit=1 << 20, **options).distances,)

    return call


def _generated(make):
    def call(graph):
        made = make()
        return made.indptr, made.indices, made.weights

    return call


def _undirected(graph):
    tails = np.repeat(np.arange(graph.num_vertices), graph.degrees)
    other = tails != graph.indices
    return sp.Graph.from_edges(
        tails[other],
        graph.indices[other],
        graph.weights[other],
        directed=False,
        num_vertices=graph.num_vertices,
    )


def _edges(graph):
    made = _undirected(graph)
    return made.indptr, made.indices, made.weights


def _labels(graph):
    names = np.array([f"v{i}" for i in range(graph.num_vertices)])
    tails = np.repeat(np.arange(graph.num_vertices), graph.degrees)
    made = sp.Graph.from_edges(names[tails], names[graph.indices], graph.weights, relabel=True)
    return (sp.sssp(made, "v3").to_dict(),)


CALLS = {
    **{f"sssp {m} {t}": _solve(method=m, threads=t) for m in METHODS for t in (1, 2)},
    **{f"sssp {m} {t} recorded": _solve(method=m, threads=t, record_paths=True) for m in METHODS for t in (1, 2)},
    "sssp cutoff": _solve(threads=2, cutoff=300),
    "sssp twice": _twice,
    "bfs 1": _hops(threads=1),
    "bfs 2": _hops(threads=2),
    "bfs recorded": _hops(threads=2, record_paths=True),
    **{f"distances {m}": _many(method=m) for m in ("dijkstra", "delta-stepping", "bellman-ford")},
    "distances to targets": _many(targets=[7, 8, 300]),
    "nearest": _nearest,
    "route": _route,
    "layout": _layout,
    "file .graph": lambda graph: _file(".graph")(_undirected(graph)),
    **{f"file {s}": _file(s) for s in (".gr", ".csv", ".wel", ".mtx", ".npz", ".wsg")},
    "external": _external(threads=2),
    "external recorded": _external(threads=1, record_paths=True),
    "random": _generated(lambda: sp.generate.random(200, 900, seed=4)),
    "rmat": _generated(lambda: sp.generate.rmat(7, 4, seed=4)),
    "grid": _generated(lambda: sp.generate.grid(12, 11, seed=4)),
    "road": _generated(lambda: sp.generate.road(200, seed=4)),
    "small world": _generated(lambda: sp.generate.small_world(200, 4, seed=4)),
    "web": _generated(lambda: sp.generate.web(200, seed=4)),
    "edges": _edges,
    "labels": _labels,
}

NO_CORE = {"pickle": _pickle, "file .steppe": _file(".steppe")}
"""Calls that Python and NumPy answer alone."""

ON_ROADS = {"road route": _route, "road landmarks": _landmarks, "road sssp": _twice}

ON_LARGE = {
    **{f"large sssp {m}": _solve(method=m, threads=3, record_paths=True) for m in ("delta-stepping", "frontier")},
    "large sssp": _twice,
    "large bfs": _hops(threads=3, record_paths=True),
    "large distances": _many(),
}
"""Large enough that threads share the work, and one of them runs out of memory while the others wait for it."""

KINDS = {"random": CALLS, "road": ON_ROADS, "large": ON_LARGE}


def same(a, b):
    """Whether two results are equal, down to the type of every array."""
    if isinstance(a, tuple | list) and not isinstance(a, np.ndarray):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)

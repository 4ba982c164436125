"""Other libraries, one function each, same signature.

``rival(graph, task, output, threads)`` returns a :class:`Query`, or None where the library has no such thing. ``task`` is
"sssp" or "bfs"; ``output`` is "distances", "predecessors" (distances and a tree) or "recorded" (steppe only).

Every rival gets its graph in the form it likes best, built once and outside the clock: float64 weights in rows for SciPy, an
undirected graph where both directions weigh the same, and so on. What comes back is turned into an array for checking,
outside the clock as well. Each is called as its documentation says, with one thread: none of these libraries searches from
one source with more.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

import steppe as sp

from . import gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Array = npt.NDArray[Any]


class Query(NamedTuple):
    """A question that can be asked again and again.

    ``run(source)`` is what the clock sees. ``check(source, answer, truth)`` compares its answer with the proven distances
    ``truth`` (float64, inf where unreached) and raises AssertionError. ``timed(source)``, where there is one, replaces the
    clock: it returns (wall, CPU) seconds, nan for unknown.
    ``note`` says what is asked, exactly.
    """

    run: Callable[[int], Any]
    check: Callable[[int, Any, Array], None]
    note: str
    timed: Callable[[int], tuple[float, float]] | None = None


_forms: dict[tuple[str, int], Any] = {}


def forget() -> None:
    """Drop every rival's graph."""
    _forms.clear()


def _form(name: str, graph: sp.Graph, build: Callable[[], Any]) -> Any:
    """Return the rival's own graph, built once. Kept with ``graph`` itself, so that its id stays its own."""
    key = (name, id(graph))
    if key not in _forms:
        _forms[key] = (build(), graph)
    return _forms[key][0]


def _edges(graph: sp.Graph) -> tuple[Array, Array, Array]:
    """Return the edges, each undirected one once."""
    u = np.repeat(np.arange(graph.num_vertices), graph.degrees)
    v, w = (
        graph.indices.astype(np.int64),
        np.ones(graph.num_edges, np.int32) if graph.weights is None else graph.weights,
    )
    if graph.directed:
        return u, v, w
    once = u <= v
    return u[once], v[once], w[once]


def as_floats(distances: Any, unreachable: float = np.inf) -> Array:
    """Return distances as float64, inf where unreached."""
    found = np.asarray(distances, dtype=np.float64)
    return np.where(found >= unreachable, np.inf, found)


def equal(found: Array, truth: Array) -> None:
    """Compare two arrays of distances: sums of float32 weights differ in their last bits where a library adds in float64."""
    assert np.array_equal(np.isinf(found), np.isinf(truth)), "another set of vertices is reached"
    np.testing.assert_allclose(found, truth, rtol=1e-5)


def _by(convert: Callable[[Any], Array]) -> Callable[[int, Any, Array], None]:
    return lambda _, answer, truth: equal(convert(answer), truth)


@contextmanager
def _default_threads(threads: int) -> Iterator[None]:
    before = os.environ.get("STEPPE_NUM_THREADS")
    os.environ["STEPPE_NUM_THREADS"] = str(threads)
    try:
        yield
    finally:
        if before is None:
            del os.environ["STEPPE_NUM_THREADS"]
        else:
            os.environ["STEPPE_NUM_THREADS"] = before


def steppe(graph: sp.Graph, task: str, output: str, threads: int, *, method: str = "auto") -> Query | None:
    options: dict[str, Any] = {"threads": threads, "record_paths": output == "recorded"}
    if task == "sssp":
        options["method"] = method
    elif method != "auto":
        return None
    search = sp.sssp if task == "sssp" else sp.bfs

    def run(source: int) -> sp.Paths:
        paths = search(graph, source, **options)
        if output == "predecessors":
            with _default_threads(threads):  # the canonical tree has no option of its own
                _ = paths.predecessors
        return paths

    def check(_: int, paths: sp.Paths, truth: Array) -> None:
        paths.verify()
        equal(as_floats(paths.distances, paths.unreachable), truth)

    tree = {"distances": "", "predecessors": ", canonical predecessors", "recorded": ", recorded predecessors"}[output]
    kind = (
        "int32 hops" if task == "bfs" else "int64 distances" if graph.is_integer else f"{graph.weights.dtype} distances"
    )
    return Query(run, check, kind + tree)


def scipy(graph: sp.Graph, task: str, output: str, threads: int) -> Query | None:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, dijkstra

    if threads > 1 or output == "recorded":
        return None
    n, rows = graph.num_vertices, graph.indptr.astype(np.int32)
    weights = np.ones(graph.num_edges, np.int32) if graph.weights is None else graph.weights
    matrix = _form(
        "scipy", graph, lambda: csr_array((weights.astype(np.float64), graph.indices.copy(), rows), shape=(n, n))
    )
    tree = output == "predecessors"
    if task == "sssp":
        return Query(
            lambda source: dijkstra(matrix, indices=source, return_predecessors=tree),
            _by(lambda answer: answer[0] if tree else answer),
            "dijkstra: float64 distances" + (", predecessors" if tree else ""),
        )

    def check(_: int, answer: Any, truth: Array) -> None:
        hops = truth[answer[0] if tree else answer]
        assert len(hops) == np.isfinite(truth).sum()
        assert (np.diff(hops) >= 0).all(), "not in the order of hops"

    return Query(
        lambda source: breadth_first_order(matrix, source, return_predecessors=tree),
        check,
        "breadth_first_order: the order, no hops" + (", predecessors" if tree else ""),
    )


def networkit(graph: sp.Graph, task: str, output: str, threads: int) -> Query | None:
    import networkit as nk

    if threads > 1 or output == "recorded":
        return None

    def build() -> Any:
        u, v, w = (np.ascontiguousarray(x) for x in _edges(graph))
        shape = (graph.num_vertices, graph.num_vertices)
        return nk.GraphFromCoo((w.astype(np.float64), (u, v)), n=shape[0], weighted=True, directed=graph.directed)

    nk.setNumberOfThreads(1)
    own, tree = _form("networkit", graph, build), output == "predecessors"
    algorithm = nk.distance.Dijkstra if task == "sssp" else nk.distance.BFS
    return Query(
        lambda source: algorithm(own, source, tree).run(),
        _by(lambda answer: as_floats(answer.getDistances(asarray=True), 1e300)),
        f"{algorithm.__name__}(storePaths={tree}): float64 distances; taking them out is not timed",
    )


def igraph(graph: sp.Graph, task: str, output: str, threads: int) -> Query | None:
    import igraph as ig

    if threads > 1 or output != "distances" or graph.num_edges > 40_000_000:
        return None

    def build() -> Any:
        u, v, w = _edges(graph)
        own = ig.Graph(n=graph.num_vertices, edges=np.column_stack([u, v]), directed=graph.directed)
        own.es["w"] = w.tolist()
        return own

    own = _form("igraph", graph, build)
    weights = "w" if task == "sssp" else None
    return Query(
        lambda source: own.distances(source=source, weights=weights, mode="out"),
        _by(lambda answer: as_floats(answer[0])),
        "distances(): a list of Python numbers",
    )


def rustworkx(graph: sp.Graph, task: str, output: str, threads: int) -> Query | None:
    import rustworkx as rx

    if threads > 1 or output != "distances" or task == "bfs" or graph.num_edges > 10_000_000:
        return None

    def build() -> Any:
        own = rx.PyDiGraph() if graph.directed else rx.PyGraph()
        own.add_nodes_from(range(graph.num_vertices))
        own.extend_from_weighted_edge_list(list(zip(*(x.tolist() for x in _edges(graph)), strict=True)))
        return own

    def convert(source: int, answer: Any, truth: Array) -> None:
        found = np.full(graph.num_vertices, np.inf)
        found[source] = 0
        found[np.fromiter(answer.keys(), np.int64)] = np.fromiter(answer.values(), np.float64)
        equal(found, truth)

    own = _form("rustworkx", graph, build)
    search = rx.digraph_dijkstra_shortest_path_lengths if graph.directed else rx.graph_dijkstra_shortest_path_lengths
    return Query(lambda source: search(own, source, float), convert, "dijkstra_shortest_path_lengths: a mapping")


def networkx(graph: sp.Graph, task: str, output: str, threads: int) -> Query | None:
    import networkx as nx

    if threads > 1 or output != "distances" or graph.num_edges > 600_000:
        return None

    def build() -> Any:
        own = nx.DiGraph() if graph.directed else nx.Graph()
        own.add_nodes_from(range(graph.num_vertices))
        u, v, w = _edges(graph)
        heavy_first = np.argsort(-w.astype(np.float64), kind="stable")  # the lightest of parallel edges must stay
        own.add_weighted_edges_from(zip(*(x[heavy_first].tolist() for x in (u, v, w)), strict=True))
        return own

    def check(_: int, answer: dict[int, float], truth: Array) -> None:
        found = np.full(graph.num_vertices, np.inf)
        found[list(answer.keys())] = list(answer.values())
        equal(found, truth)

    own = _form("networkx", graph, build)
    name = "single_source_dijkstra_path_length" if task == "sssp" else "single_source_shortest_path_length"
    return Query(lambda source: getattr(nx, name)(own, source), check, f"{name}: a dict")


def graph_tool(graph: sp.Graph, task: str, output: str, threads: int) -> Query | None:
    import graph_tool.all as gt

    if threads > 1 or output == "recorded":
        return None

    def build() -> Any:
        u, v, w = _edges(graph)
        own = gt.Graph(directed=graph.directed)
        own.add_vertex(graph.num_vertices)
        length = own.new_edge_property("double")
        own.add_edge_list(np.column_stack([u, v, w.astype(np.float64)]), eprops=[length])
        return own, length

    own, length = _form("graph-tool", graph, build)
    tree = output == "predecessors"
    return Query(
        lambda source: gt.shortest_distance(
            own, own.vertex(source), weights=length if task == "sssp" else None, pred_map=tree
        ),
        _by(lambda answer: as_floats((answer[0] if tree else answer).a, 1e300 if task == "sssp" else 2**31 - 1)),
        "shortest_distance()" + (" with pred_map" if tree else ""),
    )


def gap_suite(graph: sp.Graph, task: str, output: str, threads: int) -> Query | None:
    """GAP's reference programs, compiled by you: see :mod:`benchmarks.gap`."""
    if output != "distances" or not gap.has(graph, task, threads):
        return None
    program = _form(f"gap-{task}-{threads}", graph, lambda: gap.Program(graph, task, threads))
    return Query(program.answer, program.check, program.note, program.timed)


RIVALS: dict[str, Callable[[sp.Graph, str, str, int], Query | None]] = {
    "steppe": steppe,
    "GAP": gap_suite,
    "SciPy": scipy,
    "NetworKit": networkit,
    "igraph": igraph,
    "rustworkx": rustworkx,
    "NetworkX": networkx,
    "graph-tool": graph_tool,
}

_PACKAGES = {"SciPy": "scipy", "NetworKit": "networkit", "NetworkX": "networkx", "graph-tool": "graph_tool"}


def version(name: str) -> str | None:
    """Return a rival's version, or None where it is not installed."""
    if name == "GAP":
        return "from $STEPPE_GAP" if gap.FOLDER else None
    package = _PACKAGES.get(name, name)
    if importlib.util.find_spec(package) is None:
        return None
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return str(importlib.import_module(package).__version__)

"""Solvers: shortest_path, dijkstra, bellman_ford, johnson and floyd_warshall.

SciPy has a method for each name; here the graph decides what runs (:func:`steppe.plan`), and a name decides what SciPy lets it promise: which
weights it takes, which cycles it complains of, what it returns. Negative weights between many pairs are made to vanish first, by
Johnson's potentials (1977): one Bellman-Ford search from everywhere at once gives every vertex a height, and with w + h[u] - h[v] instead of w no
edge is negative while the shortest paths stay the same.
"""

from __future__ import annotations

import math
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph as _scipy
from scipy.sparse import issparse

from ..calls.distances import distances
from ..calls.engines import solve
from ..calls.nearest import nearest
from ..cpu import tree
from ..errors import NegativeCycleError as _Cycle
from ..graph.graph import Graph
from ..machine import threads as _threads
from ..planning.call import Call
from ..planning.distance_types import unreachable
from ..planning.options import Options
from .errors import NegativeCycleError
from .matrices import graph_of, kept_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = npt.NDArray[Any]

NONE = -9999
"""What stands in predecessor matrices where there is no predecessor."""

_NEGATIVE = (
    "Graph has negative weights: dijkstra will give inaccurate results if the graph contains negative cycles. "
    "Consider johnson or bellman_ford."
)


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Any:
    """Find the shortest paths of a graph: ``scipy.sparse.csgraph.shortest_path``, where the parameters are described.

    >>> shortest_path([[0, 5, 9], [0, 0, 3], [0, 0, 0]], indices=[0], return_predecessors=True)
    (array([[0., 5., 8.]]), array([[-9999,     0,     1]], dtype=int32))
    """
    if method == "auto":
        method = _method(csgraph, indices)
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    solvers = {"D": dijkstra, "BF": bellman_ford, "J": johnson}
    if method not in solvers:
        raise ValueError(f"unrecognized method '{method}'")
    return solvers[method](csgraph, directed, indices, return_predecessors, unweighted)


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """Find the shortest paths from some vertices: ``scipy.sparse.csgraph.dijkstra``, where the parameters are described.

    Negative weights are warned of, as in SciPy, and then answered rightly; a negative cycle, where SciPy's never returns, is an error.

    >>> dijkstra([[0, 5, 9], [0, 0, 3], [0, 0, 0]], indices=[0, 2], min_only=True, return_predecessors=True)
    (array([0., 5., 0.]), array([-9999,     0, -9999], dtype=int32), array([0, 0, 2], dtype=int32))
    """
    kept = kept_of(csgraph)
    graph = kept.graph(directed=directed, unweighted=unweighted)
    if kept.base.has_negative:  # also where weights do not count
        warnings.warn(_NEGATIVE, stacklevel=2)
    sources, shape = _sources(indices, graph.num_vertices)
    limit = _limit(limit)
    if math.isnan(limit):  # no distance is less, not even 0 along edges
        graph, limit = Graph.from_csr(np.zeros_like(graph.indptr), graph.indices[:0]), math.inf
    if min_only:
        return _nearest(graph, sources, limit, return_predecessors)
    return _shaped(shape, return_predecessors, *_rows(graph, sources, limit, return_predecessors))


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Find the shortest paths from some vertices, also where weights are negative: ``scipy.sparse.csgraph.bellman_ford``.

    >>> bellman_ford([[0, 5, 9], [0, 0, -3], [0, 0, 0]], indices=0)
    array([0., 5., 2.])
    """
    graph = graph_of(csgraph, directed=directed, unweighted=unweighted)
    sources, shape = _sources(indices, graph.num_vertices)
    return _shaped(shape, return_predecessors, *_rows(graph, sources, math.inf, return_predecessors))


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Find the shortest paths from many vertices, also where weights are negative: ``scipy.sparse.csgraph.johnson``.

    >>> johnson([[0, 5, 9], [0, 0, -3], [0, 0, 0]])[0]
    array([0., 5., 2.])
    """
    if unweighted:
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    graph = graph_of(csgraph, directed=directed, unweighted=False)
    sources, shape = _sources(indices, graph.num_vertices)
    return _shaped(shape, return_predecessors, *_any_sign(graph, sources, return_predecessors))


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """Find the shortest paths between all vertices: ``scipy.sparse.csgraph.floyd_warshall``.

    >>> floyd_warshall([[0, 5, 9], [0, 0, 3], [0, 0, 0]])[0]
    array([0., 5., 8.])
    """
    if (
        np.ma.isMaskedArray(csgraph) and np.isnan(csgraph.compressed()).any()
    ):  # NaN among unmasked entries: left to SciPy
        theirs: Any = _scipy.floyd_warshall
        return theirs(csgraph, directed, return_predecessors, unweighted, overwrite)
    graph = graph_of(csgraph, directed=directed, unweighted=unweighted, dense=True)
    if graph.has_negative:
        graph = _without_loops(graph)  # the way from a vertex to itself is 0 here, whatever stands on the diagonal
    sources, _ = _sources(None, graph.num_vertices)
    try:
        found, before = _any_sign(graph, sources, return_predecessors)
    except NegativeCycleError as error:
        message = f"Negative cycle in nodes {np.array(sorted(error.cycle))}"
        raise NegativeCycleError(message, error.cycle) from None
    if overwrite and isinstance(csgraph, np.ndarray) and csgraph.dtype == np.float64 and csgraph.flags.carray:
        found, computed = np.asarray(csgraph), found  # what a masked array or a matrix lies in
        found[...] = computed
    return (found, before) if return_predecessors else found


def reweighted(graph: Graph) -> tuple[Graph, Array]:
    """Return the graph with weights that are not negative and the same shortest paths, and Johnson's potentials."""
    everywhere = np.arange(graph.num_vertices, dtype=np.int64)
    with in_their_words():
        height = solve(graph, Call.SEARCH, everywhere, Options(device="cpu")).distances
    sources = np.repeat(everywhere, graph.degrees)
    weights = graph.weights + height[sources] - height[graph.indices]
    np.maximum(weights, 0, out=weights)  # rounding may have made a 0 less
    return Graph.from_csr(graph.indptr, graph.indices, weights, directed=True), height


@contextmanager
def in_their_words() -> Iterator[None]:
    """Raise a negative cycle as SciPy does."""
    try:
        yield
    except _Cycle as error:
        raise NegativeCycleError(f"Negative cycle detected on node {error.cycle[0]}", error.cycle) from None


def _rows(graph: Graph, sources: Array, limit: float, with_tree: bool) -> tuple[Array, Array | None]:
    """Return distances and, if wanted, predecessors, a row for each source. All matrices are computed here."""
    cutoff = None if limit == math.inf or graph.has_negative else limit
    with in_their_words():
        found = distances(graph, sources, cutoff=cutoff)
    if cutoff is None and limit != math.inf:
        found[found > limit] = np.inf
    before = None
    if with_tree:
        before = np.empty(found.shape, dtype=np.int32)
        for i, source in enumerate(sources.tolist()):
            root = np.array([source], dtype=np.int64)
            before[i] = tree.predecessors(graph, root, found[i], threads=_threads.resolve(None))
        before[before < 0] = NONE
    return _floats(found), before


def _any_sign(graph: Graph, sources: Array, with_tree: bool) -> tuple[Array, Array | None]:
    """Return the same by potentials where weights are negative: also a cycle that no source reaches is an error then."""
    if not graph.has_negative:
        return _rows(graph, sources, math.inf, with_tree)
    plain, height = reweighted(graph)
    found, before = _rows(plain, sources, math.inf, with_tree)
    found += height
    found -= height[sources][:, None]
    return found, before


def _nearest(graph: Graph, sources: Array, limit: float, with_tree: bool) -> Any:
    n = graph.num_vertices
    if len(sources) == 0:
        nowhere = np.full(n, NONE, dtype=np.int32)
        return (np.full(n, np.inf), nowhere, nowhere.copy()) if with_tree else np.full(n, np.inf)
    with in_their_words():
        cutoff = None if limit == math.inf or graph.has_negative else limit
        found = nearest(graph, sources, cutoff=cutoff)
    far = _floats(found.distances).copy()
    beyond = far > limit
    far[beyond] = np.inf
    if not with_tree:
        return far
    before, sources = found.paths.predecessors.astype(np.int32), found.source_index.astype(np.int32)
    for array in (before, sources):
        array[(array < 0) | beyond] = NONE
    return far, before, sources


def _floats(found: Array) -> Array:
    """Return distances as SciPy has them: float64, inf where there is no path."""
    if found.dtype == np.float64:
        return found
    result = found.astype(np.float64)
    result[found == unreachable(found.dtype)] = np.inf
    return result


def _shaped(shape: tuple[int, ...], with_tree: bool, found: Array, before: Array | None) -> Any:
    if with_tree:
        assert before is not None  # noqa: S101 - it was wanted
        return found.reshape(shape), before.reshape(shape)
    return found.reshape(shape)


def _sources(indices: Any, n: int) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]:
    """Return the sources, and the shape that the answer gets: that of ``indices``, and n."""
    if indices is None:
        return np.arange(n, dtype=np.int64), (n, n)
    asked = np.array(indices, dtype=np.int32)
    flat = asked.reshape(-1).astype(np.int64)
    flat[flat < 0] += n
    if ((flat < 0) | (flat >= n)).any():
        raise ValueError("indices out of range 0...N")
    return flat, (*asked.shape, n)


def _limit(limit: Any) -> float:
    if isinstance(limit, (str, bytes)):
        raise TypeError(f"must be real number, not {type(limit).__name__}")
    value = float(limit)
    if value < 0:
        raise ValueError("limit must be >= 0")
    return value


def _method(csgraph: Any, indices: Any) -> str:
    """Return the method that SciPy would take, as far as it makes a difference here: "FW" reads and overwrites a matrix in its own way."""
    if indices is not None:
        return "J"
    if issparse(csgraph):
        sparse: Any = csgraph
        if sparse.format not in ("csr", "csc", "lil"):
            return "J"
        count, csgraph = sparse.nnz, sparse
    elif np.ma.isMaskedArray(csgraph):
        count = csgraph.count()
    else:
        csgraph = np.asarray(csgraph)
        count = np.count_nonzero(csgraph[np.isfinite(csgraph)])
    return "FW" if csgraph.ndim == 2 and count >= csgraph.shape[0] ** 2 / 4 else "J"


def _without_loops(graph: Graph) -> Graph:
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees)
    weights = np.where(sources == graph.indices, np.inf, graph.weights)  # type: ignore[arg-type]
    return Graph.from_csr(graph.indptr, graph.indices, weights)

"""Graphs from nothing: families for tests, benchmarks and demonstrations.

Every number is a hash of the seed and the edge's own number, so a seed names one graph, whatever the number of threads.
``weights`` is a pair ``(low, high)`` for whole numbers in that range, ends included, ``"float32"`` or ``"float64"`` for
uniform numbers in (0, 1], or None. The two directions of an undirected edge weigh the same.

These are models, not data: :func:`rmat` and :func:`random` are the usual yardsticks, :func:`road` and :func:`web`
imitate a few properties that matter to a search (degrees, locality, diameter) and nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core, files
from .errors import GraphError
from .files import steppe_file
from .files.target import destination
from .graph.build import graph_of_edges
from .graph.coordinates import Coordinates, replace_coordinates
from .graph.graph import Graph
from .machine import threads

if TYPE_CHECKING:
    import os

Array = npt.NDArray[Any]
Weights = tuple[int, int] | Literal["float32", "float64"] | None


def rmat(
    scale: int,
    edge_factor: int = 16,
    *,
    weights: Weights = (1, 255),
    seed: int = 0,
    directed: bool = False,
    simple: bool = True,
) -> Graph:
    """Return an R-MAT (Kronecker) graph of ``2**scale`` vertices with Graph500's parameters A, B, C = .57, .19, .19.

    Parameters
    ----------
    scale : int
        Two to this power is the number of vertices; their ids are scrambled, so the hubs lie anywhere.
    edge_factor : int
        Edges drawn per vertex.
    weights : (int, int), "float32", "float64" or None
        See the module's text.
    seed : int
        Names the graph.
    directed : bool
        False stores both directions of every edge drawn.
    simple : bool
        True drops loops and all but the lightest of parallel edges (as the GAP benchmarks do; rows are then sorted by
        target); False keeps every edge drawn (as Graph500 does).

    Examples
    --------
    >>> import steppe as sp
    >>> sp.generate.rmat(10, seed=1).num_vertices
    1024
    """
    if not 0 <= scale <= 40:
        raise GraphError(f"scale must be 0…40, not {scale}")
    n = 1 << int(scale)
    u, v = _ends(n, _count("edge_factor", edge_factor) * n)
    _core.generate_rmat(scale, _seed(seed), u, v, threads.resolve(None))
    return _graph(n, u, v, _weights(weights, len(u), seed), directed=directed, simple=simple)


def random(
    n: int, m: int, *, weights: Weights = (1, 255), seed: int = 0, directed: bool = True, simple: bool = False
) -> Graph:
    """Return a random graph: ``m`` edges, both ends uniform among ``n`` vertices, no loops.

    Edges are drawn with replacement, so a few are parallel; ``simple=True`` keeps the lightest of those and has
    slightly fewer than ``m`` edges.

    Examples
    --------
    >>> import steppe as sp
    >>> sp.generate.random(100, 500, weights="float32", seed=7)
    <Graph: 100 vertices, 500 edges, directed, weights float32 0.00171685…0.997426>
    """
    n, m = _count("n", n), _count("m", m)
    if n < 2 and m:
        raise GraphError(f"{m} edges without loops need at least 2 vertices, not {n}")
    u, v = _ends(n, m)
    _core.generate_random(n, _seed(seed), u, v, threads.resolve(None))
    return _graph(n, u, v, _weights(weights, m, seed), directed=directed, simple=simple)


def grid(rows: int, columns: int, *, weights: Weights = (1, 255), seed: int = 0) -> Graph:
    """Return a rectangular grid: undirected, vertex ``r * columns + c`` linked to its neighbours in row and column.

    Its coordinates are (c, r), in a plane.

    Examples
    --------
    >>> import steppe as sp
    >>> sp.generate.grid(2, 3, weights=None)
    <Graph: 6 vertices, 14 edges, undirected, unweighted>
    """
    rows, columns = _count("rows", rows), _count("columns", columns)
    n = rows * columns
    u, v = _ends(n, max(0, 2 * n - rows - columns) if n else 0)
    if n:
        _core.generate_grid(rows, columns, u, v, threads.resolve(None))
    graph = _graph(n, u, v, _weights(weights, len(u), seed), directed=False, simple=False)
    return replace_coordinates(graph, Coordinates(n, lambda: _grid_places(n, columns), geographic=False))


def _grid_places(n: int, columns: int) -> Array:
    row, column = np.divmod(np.arange(n), max(columns, 1))
    return np.stack([column, row], axis=1).astype(np.float64)


def road(n: int, *, metric: str = "length", keep: float = 0.35, diagonal: float = 0.03, seed: int = 0) -> Graph:
    """Return a road-like network: undirected, connected, planar but for rounding, average degree about 2.9.

    A stand-in for a real road network: crossings about 100 m apart and moved at random, links missing, a few diagonals,
    and a main road on every 16th row and column. Coordinates are metres in a plane.
    It has a road's low degree, large diameter and locality of ids; it has
    no cities, rivers, motorways or one-way streets.

    Parameters
    ----------
    n : int
        Vertices (crossings), numbered row by row on a nearly square sheet.
    metric : {"length", "time"}
        Weights are int32: metres, or tenths of a second at 36 km/h (108 km/h on main roads).
    keep : float
        Every crossing has one sure link to the left or up; the other one of the two exists with this probability. The
        average degree is about ``2 * (1.06 + keep + diagonal)``.
    diagonal : float
        The probability of a diagonal street across a block.
    seed : int
        Names the graph.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.generate.road(10_000, seed=1)
    >>> 2.5 < g.num_edges / g.num_vertices < 3.7
    True
    """
    n, team = _count("n", n), threads.resolve(None)
    _share("keep", keep)
    _share("diagonal", diagonal)
    if metric not in ("length", "time"):
        raise GraphError(f"metric must be 'length' or 'time', not {metric!r}")
    offsets = np.zeros(n + 1, dtype=np.int64)
    _core.generate_road_counts(keep, diagonal, _seed(seed), offsets[1:], team)
    np.cumsum(offsets, out=offsets)
    u, v = _ends(n, int(offsets[-1]))
    w = np.empty(len(u), dtype=np.int32)
    _core.generate_road(keep, diagonal, metric == "time", _seed(seed), offsets, u, v, w, team)
    graph = _graph(n, u, v, w, directed=False, simple=False)
    return replace_coordinates(graph, Coordinates(n, lambda: _road_places(n, seed), geographic=False))


def _road_places(n: int, seed: int) -> Array:
    places = np.empty(2 * n)
    _core.generate_road_places(_seed(seed), places, threads.resolve(None))
    return places.reshape(-1, 2)


def small_world(n: int, degree: int = 8, *, rewire: float = 0.05, weights: Weights = (1, 255), seed: int = 0) -> Graph:
    """Return a small-world graph (Watts and Strogatz): a ring of near links, some of them moved to a random vertex.

    Parameters
    ----------
    n : int
        Vertices.
    degree : int
        The average degree, an even number smaller than ``n``. Parallel edges that rewiring makes are dropped, the
        lightest stays.
    rewire : float
        The share of links that are moved.
    weights, seed
        See the module's text.

    Examples
    --------
    >>> import steppe as sp
    >>> sp.generate.small_world(1000, 6, rewire=0.0).degrees.max()
    np.int64(6)
    """
    n = _count("n", n)
    _share("rewire", rewire)
    if degree < 0 or degree % 2 or (degree >= n and degree > 0):
        raise GraphError(f"degree must be even and smaller than n = {n}, not {degree}")
    u, v = _ends(n, n * (degree // 2))
    if len(u):
        _core.generate_small_world(n, degree // 2, rewire, _seed(seed), u, v, threads.resolve(None))
    return _graph(n, u, v, _weights(weights, len(u), seed), directed=False, simple=True)


def web(
    n: int,
    degree: float = 16.0,
    *,
    local: float = 0.8,
    weights: Weights = (1, 255),
    seed: int = 0,
    directed: bool = True,
) -> Graph:
    """Return a web-like graph: power laws in both degrees, most links near in the numbering.

    A stand-in for a crawl sorted by address. Out-degrees fall with exponent 2.7; a share ``local`` of the links goes to
    a page at most 4096 away, the others to pages of popularity 1/rank (in-degrees with exponent near 2). Loops are
    never made, parallel links are dropped.

    Parameters
    ----------
    n : int
        Pages, at least 2.
    degree : float
        The average number of links drawn per page.
    local : float
        The share of near links.
    weights, seed
        See the module's text.
    directed : bool
        False stores both directions of every link.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.generate.web(10_000, seed=1)
    >>> bool(g.reverse.degrees.max() > 20 * g.degrees.mean())
    True
    """
    n, team = _count("n", n), threads.resolve(None)
    if n < 2:
        raise GraphError(f"a web needs at least 2 pages, not {n}")
    if not 0 <= degree < n:
        raise GraphError(f"degree must be 0…n-1, not {degree}")
    _share("local", local)
    offsets = np.zeros(n + 1, dtype=np.int64)
    _core.generate_web_counts(degree, _seed(seed), offsets[1:], team)
    np.cumsum(offsets, out=offsets)
    u, v = _ends(n, int(offsets[-1]))
    _core.generate_web(local, _seed(seed), offsets, u, v, team)
    return _graph(n, u, v, _weights(weights, len(u), seed), directed=directed, simple=True)


def to_file(
    path: str | os.PathLike[str],
    family: str,
    first: int,
    second: int | None = None,
    *,
    weights: Weights = (1, 255),
    metric: str = "length",
    keep: float = 0.35,
    diagonal: float = 0.03,
    seed: int = 0,
) -> Graph:
    """Write a graph straight to a ``.steppe`` file, a piece at a time, and return it mapped: it may be larger than memory.

    Parameters
    ----------
    path : path
        A name that ends in ``.steppe``.
    family : {"random", "grid", "road"}
        "grid" and "road" are the graphs of :func:`grid` and :func:`road`. "random" has uniform targets, as :func:`random`,
        but out-degrees between 1 and twice their mean, so that every row's place is known beforehand.
    first, second : int
        Vertices and edges for "random", rows and columns for "grid", vertices for "road".
    weights, metric, keep, diagonal, seed
        As in the functions of these names.

    Examples
    --------
    >>> import steppe as sp, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "sheet.steppe")
    >>> sp.generate.to_file(file, "grid", 30, 40, seed=3)
    <Graph: 1,200 vertices, 4,660 edges, undirected, weights int32 1…255>
    """
    path = Path(path)
    if path.suffix != ".steppe":
        raise GraphError(f"a graph is written in pieces to a .steppe file, not to {path.name}")
    if family not in ("random", "grid", "road"):
        raise GraphError(f"family must be random, grid or road, not {family!r}")
    if (second is None) != (family == "road"):
        raise GraphError("random takes vertices and edges, grid rows and columns, road vertices alone")
    a, b = _count("the first number", first), _count("the second number", second or 0)
    if family == "random" and b < a:
        raise GraphError(f"every row has an edge or more: {a} vertices need as many edges, not {b}")
    if family == "random" and a < 2 and b:
        raise GraphError(f"{b} edges without loops need at least 2 vertices, not {a}")
    if metric not in ("length", "time"):
        raise GraphError(f"metric must be 'length' or 'time', not {metric!r}")
    _share("keep", keep)
    _share("diagonal", diagonal)
    n = a * b if family == "grid" else a
    low, high, dtype = (0, 0, np.dtype(np.int32)) if family == "road" else _weight_kind(weights)
    recipe = _core.Recipe(family, a, b, keep, diagonal, metric == "time", _seed(seed))
    team = threads.resolve(None)
    with destination(path, seek=True) as file:
        steppe_file.write_in_pieces(
            file,
            n,
            indices=np.dtype(np.int32 if n < 2**31 else np.int64),
            weights=dtype,
            directed=family == "random",
            degrees=lambda begin, out: recipe.degrees(begin, out, team),
            fill=lambda begin, offsets, u, w: recipe.fill(begin, offsets, u, w, low, high, team),
        )
    return files.read(path)


def _count(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise GraphError(f"{name} must be a whole number, not negative: {value!r}")
    return int(value)


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise GraphError(f"{name} must be between 0 and 1, not {value}")


def _seed(seed: int) -> int:
    return int(seed) & (2**64 - 1)


def _ends(n: int, m: int) -> tuple[Array, Array]:
    dtype = np.int32 if n < 2**31 else np.int64
    return np.empty(m, dtype=dtype), np.empty(m, dtype=dtype)


def _weight_kind(weights: Weights) -> tuple[int, int, np.dtype[Any] | None]:
    """Return the range (0, 0 for floats) and the type."""
    if weights is None:
        return 0, 0, None
    if isinstance(weights, str):
        if weights not in ("float32", "float64"):
            raise GraphError(f"weights must be (low, high), 'float32', 'float64' or None, not {weights!r}")
        return 0, 0, np.dtype(weights)
    low, high = (int(x) for x in weights)
    if not -(2**63) <= low <= high < 2**63:
        raise GraphError(f"weights must be a range (low, high) of 64-bit numbers, not {weights!r}")
    return low, high, np.dtype(np.int32 if low >= -(2**31) and high < 2**31 else np.int64)


def _weights(weights: Weights, m: int, seed: int) -> Array | None:
    low, high, dtype = _weight_kind(weights)
    if dtype is None:
        return None
    out = np.empty(m, dtype=dtype)
    _core.generate_weights(out, low, high, _seed(seed), threads.resolve(None))
    return out


def _graph(n: int, u: Array, v: Array, w: Array | None, *, directed: bool, simple: bool) -> Graph:
    graph = graph_of_edges(Graph, u, v, w, n, directed)
    if not simple:
        return graph
    # _build returns read-only arrays, but these were made a line ago and have no other reference yet.
    team = threads.resolve(None)
    indptr, indices, weights = graph.indptr, graph.indices, graph.weights
    for array in (indices, weights):
        if array is not None:
            array.flags.writeable = True
    rows = np.zeros(n + 1, dtype=np.int64)
    _core.simplify_rows(indptr, indices, weights, rows[1:], team)
    np.cumsum(rows, out=rows)
    columns = np.empty(int(rows[-1]), dtype=indices.dtype)
    values = None if weights is None else np.empty(len(columns), dtype=weights.dtype)
    _core.compact_rows(indptr, indices, weights, rows, columns, values, team)
    return Graph._make(rows, columns, values, labels=None, directed=directed)

"""The graphs that benchmarks run on: families in three sizes (two of them in a fourth) and weight types, made by seed and kept as ``.steppe`` files.

Sizes grow eightfold (the grid: about ninefold), so that a table of three shows how time per edge grows as a graph leaves the caches.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import steppe as sp

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
CACHE = Path(__file__).parent / "cache"
SIZES = ("small", "medium", "large")
GIANT = "giant"  # kron and er alone: 16 and 20 million vertices, where the distances do not fit any cache
WEIGHTS = ("int32", "float32", "float64")
SEED = 27491095  # one seed for all graphs and all sources


class Family(NamedTuple):
    """How to make a family's graphs: ``make(step, weights)`` with step 0, 1, 2 (3: giant); the range of integer weights; a line for the report."""

    make: Callable[[int, Any], sp.Graph]
    integers: tuple[int, int]
    about: str


FAMILIES = {
    "kron": Family(
        lambda step, w: sp.generate.rmat((14, 17, 20, 24)[step], 16, weights=w, seed=SEED),
        (1, 255),
        "R-MAT with Graph500's parameters, 16 edges drawn per vertex, undirected, parallel edges merged",
    ),
    "urand": Family(
        lambda step, w: sp.generate.random(
            2 ** (14 + 3 * step), 16 * 2 ** (14 + 3 * step), weights=w, seed=SEED, directed=False, simple=True
        ),
        (1, 255),
        "16 undirected edges per vertex between uniform ends",
    ),
    "er": Family(
        lambda step, w: sp.generate.random(
            (15_625, 125_000, 10**6, 20_000_000)[step],
            (250_000, 2_000_000, 16_000_000, 218_000_000)[step],
            weights=w,
            seed=SEED,
        ),
        (1, 255),
        "16 directed edges per vertex (giant: 11) between uniform ends",
    ),
    "grid": Family(
        lambda step, w: sp.generate.grid((160, 500, 1500)[step], (160, 500, 1500)[step], weights=w, seed=SEED),
        (1, 1000),
        "square grid, undirected: a road's degree and diameter",
    ),
    "web": Family(
        lambda step, w: sp.generate.web(2 ** (14 + 3 * step), weights=w, seed=SEED),
        (1, 255),
        "power laws in both degrees, near links, directed",
    ),
    "small-world": Family(
        lambda step, w: sp.generate.small_world(2 ** (14 + 3 * step), 16, weights=w, seed=SEED),
        (1, 255),
        "a ring with 5 % of its links moved, degree 16, undirected",
    ),
    "NY": Family(
        lambda _, w: _new_york(w),
        (0, 0),
        "roads of New York by length (DIMACS challenge 9), one size; only where the file is",
    ),
}


def data() -> Path:
    """Return the folder of real graphs: ``$STEPPE_DATA``, or ``../shared/data`` beside the clone."""
    return Path(os.environ.get("STEPPE_DATA", ROOT.parent / "shared" / "data"))


def _new_york(weights: Any) -> sp.Graph:
    g = sp.read(data() / "dimacs9" / "USA-road-d.NY.gr.gz")
    values = g.weights if isinstance(weights, tuple) else g.weights.astype(weights)
    # Both directions of every road are in the file, so nothing is lost by calling it undirected.
    assert g.is_symmetric
    return sp.Graph.from_csr(g.indptr, g.indices, values, directed=False)


def exists(family: str, size: str) -> bool:
    """Whether there is such a graph: New York has one size, ``large``, and needs its file; only two families have giants."""
    if size == GIANT:
        return family in ("kron", "er")
    return family != "NY" or (size == "large" and (data() / "dimacs9" / "USA-road-d.NY.gr.gz").exists())


def load(family: str, size: str, weights: str = "int32") -> sp.Graph:
    """Return a graph with its arrays in ordinary memory; it is made at the first call and kept in ``benchmarks/cache``."""
    path = CACHE / f"{family}-{size}-{weights}.steppe"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        kind = FAMILIES[family]
        made = kind.make((*SIZES, GIANT).index(size), kind.integers if weights == "int32" else weights)
        half = path.with_name(f"{path.stem}-{os.getpid()}.steppe")
        sp.write(made, half)
        half.replace(path)
    # Copied, not mapped: a file's small pages would slow down whoever reads them, which is not what is compared here.
    g = sp.read(path)
    return sp.Graph.from_csr(g.indptr.copy(), g.indices.copy(), g.weights.copy(), directed=g.directed)


def fresh(graph: sp.Graph) -> sp.Graph:
    """Return the same graph as if it had just been built: nothing prepared, nothing cached, arrays of its own."""
    return sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights, directed=graph.directed)


def pick_sources(graph: sp.Graph, count: int) -> list[int]:
    """Return ``count`` random vertices that have out-edges: the same for everybody."""
    rng = np.random.default_rng(SEED)
    sources: list[int] = []
    while len(sources) < count:
        vertex = int(rng.integers(graph.num_vertices))
        if graph.degrees[vertex] > 0:
            sources.append(vertex)
    return sources

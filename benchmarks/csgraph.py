"""steppe.csgraph.dijkstra beside SciPy's: a hundred sources on a grid, an R-MAT and a random graph; answers must be equal.

``python -m benchmarks.csgraph [repeats]`` prints seconds (the least of the repeats, taken in turn) and their ratio: of the first call, which
makes the graph, and of later ones, which compare the matrix with what was kept.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from scipy.sparse import csgraph as scipy_csgraph
from scipy.sparse import csr_array

import steppe as sp
from steppe import csgraph
from steppe.csgraph.matrices import kept_of

GRAPHS = {
    "grid": lambda: sp.generate.grid(150, 150, seed=1),
    "rmat": lambda: sp.generate.rmat(14, 8, seed=1),
    "random": lambda: sp.generate.random(20_000, 100_000, seed=1),
}


def seconds(call: Any) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def main(repeats: int) -> None:
    sources = range(100)
    for name, make in GRAPHS.items():
        g = make()
        weights = np.random.default_rng(0).random(g.num_edges)
        matrix = csr_array((weights, g.indices, g.indptr), shape=(g.num_vertices,) * 2)
        theirs, ours, first, kept = [], [], [], []
        for _ in range(repeats):
            spent, want = seconds(lambda matrix=matrix: scipy_csgraph.dijkstra(matrix, indices=sources))
            theirs.append(spent)
            spent, got = seconds(lambda matrix=matrix: csgraph.dijkstra(matrix, indices=sources))
            ours.append(spent)
            assert np.array_equal(want, got)
            fresh = matrix.copy()
            first.append(seconds(lambda matrix=fresh: csgraph.dijkstra(matrix, indices=sources))[0])
            kept.append(seconds(lambda matrix=matrix: kept_of(matrix))[0])
        print(
            f"{name:7} {g.num_vertices:,} vertices, {g.num_edges:,} edges: SciPy {min(theirs):.3f} s, steppe {min(ours):.4f} s "
            f"({min(theirs) / min(ours):.1f}×), the first time {min(first):.4f} s ({min(theirs) / min(first):.1f}×); "
            f"looking at the matrix {min(kept) * 1000:.2f} ms"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

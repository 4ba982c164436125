"""Building a graph from unsorted edges, beside SciPy's coo → csr.

Each side gets three arrays (int32 ends, int32 weights; uniform, unsorted) and makes rows of them:

- steppe: ``Graph.from_edges``: ids checked, rows built, least, largest and mean weight known; parallel edges kept; all cores.
- SciPy: ``coo_array(...).tocsr()``: parallel edges are added up; one core.

Runs are interleaved. Wall time is what a user waits for, CPU time what a busy machine cannot spoil.

    python -m benchmarks.build [--edges 16000000] [--vertices 1000000] [--rounds 7]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as ss

import steppe as sp

from .run import machine

if TYPE_CHECKING:
    from collections.abc import Callable


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line: JSON lines to standard output, a summary to standard error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=16_000_000)
    parser.add_argument("--vertices", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    n, m = options.vertices, options.edges
    rng = np.random.default_rng(1)
    u, v = (rng.integers(0, n, m, dtype=np.int32) for _ in range(2))
    w = rng.integers(1, 256, m, dtype=np.int32)

    sides: dict[str, Callable[[], Any]] = {
        "steppe": lambda: sp.Graph.from_edges(u, v, w, num_vertices=n),
        "SciPy": lambda: ss.coo_array((w, (u, v)), shape=(n, n)).tocsr(),
    }
    ours, theirs = (build() for build in sides.values())
    summed = ss.csr_array((ours.weights.copy(), ours.indices.copy(), ours.indptr.copy()), shape=(n, n))
    summed.sum_duplicates()
    assert (summed != theirs).nnz == 0, "the two graphs differ"
    del ours, theirs, summed

    common = machine() | {"kind": "build", "n": n, "m": m}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for trial in range(options.rounds):
        for name, build in sides.items():
            wall, cpu = time.perf_counter(), time.process_time()
            built = build()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            del built
            times[name].append((wall, cpu))
            print(json.dumps(common | {"rival": name, "trial": trial, "wall": wall, "cpu": cpu}))
    for name, trials in times.items():
        walls, cpus = zip(*trials, strict=True)
        print(
            f"{name:8} wall: best {min(walls):.3f} s, median {statistics.median(walls):.3f} s; CPU: best {min(cpus):.3f} s",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

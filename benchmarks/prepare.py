"""When preparing pays: k searches in a row, on every family, by three policies.

never      STEPPE_PREPARE=0
at once    Graph.prepare() before the first search
as planned what searches do by themselves: prepare when those so far have cost as much

Times are CPU seconds of one thread; sources are drawn by seed. A search and a preparation are measured alone (least of several), and the
sums for k = 1 … 1,000 follow from the search at which the plan prepared in a run that really made that many. Shown is the worst ratio of "as
planned" to the better of the other two, and the k it is at. An answer of each kind is verified first.

    python -m benchmarks.prepare [--sizes small,medium] [--families er,grid]
"""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

import numpy as np

import steppe as sp

from . import graphs

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 1000


def least(run: Callable[[], object], times: int = 5) -> float:
    """Return the least CPU time of several runs."""
    seconds = []
    for _ in range(times):
        begun = time.process_time()
        run()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def switch(graph: sp.Graph, sources: list[int]) -> int:
    """Return how many searches were made before the one that prepared; MOST where none did."""
    for k, source in enumerate(sources):
        if sp.sssp(graph, source, threads=1).explain().makes:
            return k
    return MOST


def measure(graph: sp.Graph) -> tuple[float, float, float, int]:
    """Return seconds of a plain search, a prepared one and a preparation, and the searches made before the plan prepared."""
    rng = np.random.default_rng(1)
    degrees = np.flatnonzero(np.diff(graph.indptr))
    sources = [int(s) for s in rng.choice(degrees, 60)]
    k = switch(graphs.fresh(graph), sources)
    os.environ["STEPPE_PREPARE"] = "0"
    plain, ready = graphs.fresh(graph), graphs.fresh(graph)
    sp.sssp(plain, sources[0], threads=1).verify()
    cold = np.mean([least(lambda s=s: sp.sssp(plain, s, threads=1), 3) for s in sources[:4]])
    begun = time.process_time()
    ready.prepare(threads=1)
    cost = time.process_time() - begun
    for _ in range(6):
        other = graphs.fresh(graph)
        cost = min(cost, least(lambda g=other: g.prepare(threads=1), 1))
    sp.sssp(ready, sources[0], threads=1).verify()
    warm = np.mean([least(lambda s=s: sp.sssp(ready, s, threads=1), 3) for s in sources[:4]])
    del os.environ["STEPPE_PREPARE"]
    return cold, warm, cost, k


def worst(cold: float, warm: float, cost: float, k: int) -> tuple[float, int]:
    """Return the worst ratio of the planned sum to the better of never and at once, and where it is."""
    many = np.arange(1, MOST + 1)
    planned = np.minimum(many, k) * cold + np.where(many > k, cost + (many - k) * warm, 0)
    best = np.minimum(many * cold, cost + many * warm)
    ratio = planned / best
    at = int(np.argmax(ratio))
    return float(ratio[at]), at + 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="small,medium")
    parser.add_argument("--families", default=",".join(graphs.FAMILIES))
    parser.add_argument("--weights", default="int32,float64")
    options = parser.parse_args()
    print(f"{'graph':34} {'cold ms':>9} {'warm ms':>9} {'prepare':>9} {'/cold':>6} {'at':>4} {'worst':>6} {'k':>5}")
    for family in options.families.split(","):
        for size in options.sizes.split(",") if family != "NY" else ["large"]:
            for weights in options.weights.split(","):
                if not graphs.exists(family, size):
                    continue
                graph = graphs.load(family, size, weights)
                cold, warm, cost, k = measure(graph)
                ratio, at = worst(cold, warm, cost, k)
                name = f"{family} {size} {weights}"
                print(
                    f"{name:34} {cold * 1e3:9.2f} {warm * 1e3:9.2f} {cost * 1e3:9.2f} {cost / cold:6.1f} {k:4} {ratio:6.2f} {at:5}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

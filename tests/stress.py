"""A program that makes threads meet in odd ways: more of them than processors, several searches at once, small work.

    python stress.py SECONDS SEED

Every answer is compared with one thread's. It says how many searches it did; a hang is for the caller's time-out to see.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import steppe as sp
from steppe.planning import plan


def shapes(rng):
    """Graphs of which the work spreads differently: wide and narrow frontiers, few and many buckets."""
    seed = int(rng.integers(2**31))
    yield sp.generate.random(int(rng.integers(2, 3_000)), int(rng.integers(1, 20_000)), seed=seed)
    yield sp.generate.random(2_000, 9_000, weights="float32", seed=seed)
    yield sp.generate.rmat(10, 8, weights=(0, 5), seed=seed)
    yield sp.generate.grid(40, int(rng.integers(1, 60)), weights=(1, 100_000), seed=seed)
    yield sp.generate.grid(3, 900, weights="float64", seed=seed)
    star = np.arange(1, 4_000)
    yield sp.Graph.from_edges(np.zeros(3_999, np.int32), star, star % 7, directed=False)
    chain = np.arange(600)
    weights = np.where(rng.random(600) < 0.1, 2**40, chain % 3)
    yield sp.Graph.from_edges(chain, chain + 1, weights, directed=False)


def check(graph, source, threads):
    expected = sp.sssp(graph, source, method="dijkstra", threads=1).distances
    hops = sp.bfs(graph, source, threads=1).distances
    for method in ("delta-stepping", "frontier"):
        for record in (False, True):
            paths = sp.sssp(graph, source, method=method, threads=threads, record_paths=record)
            assert np.array_equal(paths.distances, expected), (graph, source, method, threads)
            if record:
                paths.verify()
    narrow = sp.sssp(graph, source, method="delta-stepping", threads=threads, delta=1e-3)
    assert np.array_equal(narrow.distances, expected)
    assert np.array_equal(sp.bfs(graph, source, threads=threads, record_paths=True).verify().distances, hops)
    return 6


def main(seconds, seed):
    plan.EDGES_PER_THREAD = 0
    plan.SPARSE_EDGES_PER_THREAD = 0
    rng = np.random.default_rng(seed)
    end, done = time.monotonic() + seconds, 0
    with ThreadPoolExecutor(3) as callers:
        while time.monotonic() < end:
            jobs = []
            for graph in shapes(rng):
                source, threads = int(rng.integers(graph.num_vertices)), int(rng.choice([2, 3, 8, 17]))
                done += check(graph, source, threads)
                jobs += [callers.submit(check, graph, source, threads) for _ in range(3)]
            done += sum(job.result() for job in jobs)
    print(done)  # noqa: T201


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))

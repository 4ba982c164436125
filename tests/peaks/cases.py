"""A program that prints, for each case, the bytes that the plan says and the most that the heap had beyond what was there before; see heap.c.

LD_PRELOAD=heap.so python cases.py [CASE …]
"""

import ctypes
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

os.environ["STEPPE_PREPARE"] = "0"  # so that no search packs the rows of its graph

import steppe as sp
from steppe.machine import threads
from steppe.planning import blocks
from steppe.planning.facts import facts_of
from steppe.prepared import packed

threads.free = lambda: 2  # whatever else runs here: plans with two threads have two


@cache
def rows(kind):
    """Return the rows of a graph: offsets, heads, weights; and whether it is directed."""
    make = {
        "random": lambda: sp.generate.random(400_000, 3_200_000, seed=1),
        "road": lambda: sp.generate.grid(900, 800, seed=2),
        "small": lambda: sp.generate.random(30_000, 400_000, seed=3),
        "little road": lambda: sp.generate.grid(250, 200, seed=4),
        "dense": lambda: sp.generate.random(1_600, 600_000, seed=5),
    }
    made = make[kind]()
    return made.indptr, made.indices, made.weights, made.directed


def graph(kind, dtype="int32", *, directed=None, negative=False):
    """Return a graph that has nothing but its rows."""
    indptr, indices, weights, kept = rows(kind)
    if dtype is not None:
        weights = weights.astype(dtype)
        if dtype == "int64":
            weights = weights << 33
    if negative:
        potential = np.arange(len(indptr) - 1) % 7
        tails = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        weights = (weights + potential[tails] - potential[indices]).astype(weights.dtype)
    weights = None if dtype is None else weights
    return sp.Graph.from_csr(indptr, indices, weights, directed=kept if directed is None else directed)


BLOCKS_FROM = blocks.BLOCKS_FROM
TYPES = ("int32", "int64", "float32", "float64")
FORMS = [("int32", 1, False), ("int32", 2, True), ("int64", 1, True), ("float32", 1, True), ("float64", 2, False)]
if os.environ.get("STEPPE_TEST_ALL") == "1":
    FORMS = [(dtype, count, record) for dtype in TYPES for count in (1, 2) for record in (False, True)]
EVEN = np.arange(0, 30_000, 300)


def cases():
    """Yield a name, a function that makes the graph, the call and its options."""
    for kind in ("random", "road"):
        for method in ("dijkstra", "delta-stepping", "frontier"):
            for dtype, count, record in FORMS if kind == "random" else FORMS[:2]:
                yield (
                    f"{kind}, sssp {method} {dtype} {count}{' recorded' if record else ''}",
                    lambda kind=kind, dtype=dtype: graph(kind, dtype),
                    "sssp",
                    {"method": method, "threads": count, "record_paths": record},
                )
        for dtype in ("int32", "float64"):
            yield (
                f"{kind}, sssp bellman-ford {dtype}",
                lambda kind=kind, dtype=dtype: graph(kind, dtype, negative=True, directed=True),
                "sssp",
                {"threads": 1},
            )
        for count, record in ((1, False), (2, True)):
            for call in ("bfs", "sssp"):
                yield (
                    f"{kind}, {call} without weights {count}{' recorded' if record else ''}",
                    lambda kind=kind: graph(kind, None),
                    call,
                    {"threads": count, "record_paths": record},
                )
        yield f"{kind}, nearest", lambda kind=kind: graph(kind), "nearest", {"sources": [3, 90, 200], "threads": 1}
        yield f"{kind}, route", lambda kind=kind: graph(kind), "route", {}
    for method, count, record in (("delta-stepping", 1, False), ("delta-stepping", 2, True), ("frontier", 1, True)):
        yield (
            f"random, external {method} {count}{' recorded' if record else ''}",
            lambda: mapped("random"),
            "sssp",
            {"method": method, "threads": count, "record_paths": record, "memory_limit": 1 << 28},
        )
    for count in (1, 2):
        yield (
            f"random, external bfs {count}",
            lambda: mapped("random"),
            "bfs",
            {"threads": count, "memory_limit": 1 << 28},
        )
    yield (
        "random, external bellman-ford",
        lambda: mapped("random", negative=True, directed=True),
        "sssp",
        {"threads": 1, "memory_limit": 1 << 28},
    )
    for record in (False, True):
        for dtype in ("int32", "float64"):
            yield (
                f"random, in blocks {dtype}{' recorded' if record else ''}",
                lambda dtype=dtype: beyond_caches(dtype),
                "sssp",
                {"threads": 2, "record_paths": record},
            )
    for count in (1, 2):
        for method in ("dijkstra", "delta-stepping", "batched"):
            yield (
                f"small, distances {method} {count}",
                lambda: graph("small"),
                "distances",
                {"sources": EVEN, "method": method, "threads": count},
            )
        for kind in ("small", "little road"):
            yield (
                f"{kind}, distances bfs {count}",
                lambda kind=kind: graph(kind, None),
                "distances",
                {"sources": EVEN, "method": "bfs", "threads": count},
            )
            yield (
                f"{kind}, few distances bfs {count}",
                lambda kind=kind: graph(kind, None),
                "distances",
                {"sources": EVEN[:8], "method": "bfs", "threads": count},
            )
        yield (
            f"little road, distances contraction {count}",
            lambda: graph("little road"),
            "distances",
            {"sources": EVEN, "method": "contraction", "threads": count},
        )
        for method in ("floyd-warshall", "essential-edges"):
            for dtype in ("int32", "float64"):
                yield (
                    f"dense, distances {method} {dtype} {count}",
                    lambda dtype=dtype: graph("dense", dtype),
                    "all_pairs",
                    {"method": method, "threads": count},
                )
        yield (
            f"small, distances johnson {count}",
            lambda: graph("small", negative=True),
            "distances",
            {"sources": EVEN, "method": "johnson", "threads": count},
        )
    yield (
        "small, distances bellman-ford",
        lambda: graph("small", negative=True),
        "distances",
        {"sources": EVEN, "method": "bellman-ford"},
    )
    for more in (
        {"dtype": "float32"},
        {"reduce": "max"},
        {"predecessors": True},
        {"targets": EVEN},
        {"targets": EVEN, "predecessors": True},
    ):
        yield (
            f"small, distances with {' and '.join(more)}",
            lambda: graph("small"),
            "distances",
            {"sources": EVEN, "threads": 2, **more},
        )
    pairs = np.random.default_rng(1).integers(0, 30_000, (200_000, 2))
    pairs[:, 0] = EVEN[pairs[:, 0] % len(EVEN)]
    yield "small, distances of pairs", lambda: graph("small"), "distances", {"pairs": pairs, "threads": 2}
    for kind in ("random", "road"):
        for dtype in ("int32", "float64", None):
            yield f"{kind}, prepared {dtype}", lambda kind=kind, dtype=dtype: graph(kind, dtype), "prepare", {}


def beyond_caches(dtype):
    """Return a graph that is searched in blocks, though it is small."""
    blocks.BLOCKS_FROM, blocks.BLOCKS_DEGREE = 400_000, 8
    return graph("random", dtype)


def mapped(kind, **options):
    """Return a graph that lies in a file."""
    path = Path(FOLDER.name) / f"{kind}.steppe"
    sp.write(graph(kind, **options), path)
    return sp.read(path)


def plan_of(g, call, options):
    """Return the bytes that the plan says."""
    if call == "prepare":
        made = packed.estimate(facts_of(g))
        return made.bytes + made.beside
    if "pairs" in options:
        sources = np.unique(options["pairs"][:, 0])
        return sp.plan(g, call, sources=sources, targets=len(options["pairs"]), pairs=True, threads=2).bytes_needed
    return sp.plan(g, call, **options).bytes_needed


def carry_out(g, call, options):
    """Call, and return what it gives, so that it is not freed."""
    if call == "prepare":
        return g.prepare()
    if call == "route":
        return sp.route(g, 0, g.num_vertices - 1)
    if call in ("sssp", "bfs"):
        return getattr(sp, call)(g, 0, **options)
    if call == "nearest":
        return sp.nearest(g, options["sources"], threads=options["threads"])
    if "pairs" in options:
        return sp.distances(g, *options["pairs"].T, pairs=True, threads=2)
    return getattr(sp, call)(g, **options)


def main(wanted):
    heap = ctypes.CDLL(None)
    heap.heap_begin.restype = heap.heap_most.restype = ctypes.c_long
    for name, make, call, options in cases():
        if wanted and not any(part in name for part in wanted):
            continue
        g = make()
        said = plan_of(g, call, options)
        before = heap.heap_begin()
        kept = carry_out(g, call, options)
        blocks.BLOCKS_FROM = BLOCKS_FROM
        taken = heap.heap_most() - before
        if g.is_mapped:
            taken += g.indptr.nbytes  # pages of the file that every block reads
        print(f"{name}: {said} {taken}", flush=True)  # noqa: T201
        del kept


FOLDER = tempfile.TemporaryDirectory()
if __name__ == "__main__":
    main(sys.argv[1:])

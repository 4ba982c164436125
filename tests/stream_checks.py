"""Check streamed searches on a given device; plain functions, as in device_checks.py, for all executors."""

import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import answers
import device_checks as checks
import steppe as sp
from protocol import raises
from steppe.cpu.proof import check
from steppe.cpu.search import run as run_on_cpu
from steppe.gpu.loops import work
from steppe.gpu.stream import loop as stream
from steppe.gpu.stream import parts
from steppe.gpu.stream.passes import Passes

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.every_part import EveryPart

SCHEDULES = {"active": Passes, "every part": EveryPart}
METHODS = ("frontier", "delta-stepping", "bellman-ford", "bfs")


@contextmanager
def small_pieces():
    """Cut work into tiny pieces, so that small graphs have rows in several."""
    before = work.BLOCK, work.SMALL, work.CHUNK, parts.CHUNK
    work.BLOCK, work.SMALL, work.CHUNK, parts.CHUNK = 8, 2, 4, 4
    try:
        yield
    finally:
        work.BLOCK, work.SMALL, work.CHUNK, parts.CHUNK = before


def solve(device, method, graph, search, schedule="active", **options):
    """Search with the edges streamed, and prove what was recorded."""
    answer = stream.run(device, graph, search, method, **options, passes=SCHEDULES[schedule])
    hops = method == "bfs"
    assert answer.distances.dtype == (np.int32 if hops else checks.distance_dtype(graph))
    if answer.predecessors is not None:
        plain = sp.Graph.from_csr(graph.indptr, graph.indices) if hops else graph
        distances = answer.distances
        if hops:
            distances = distances.astype(np.int64)
            distances[answer.distances == np.iinfo(np.int32).max] = sp.UNREACHABLE
        check(plain, search.sources, distances, predecessors=answer.predecessors, bound=search.bound)
    return answer


def right(graph, method, source=0):
    """Return the CPU's distances."""
    if method == "bfs":
        return sp.bfs(graph, source, device="cpu").distances
    return run_on_cpu(graph, checks.search_of([source]), "bellman-ford" if graph.has_negative else "dijkstra").distances


def check_named(device, method, dtype, *, size=3, names=None, schedules=SCHEDULES):
    """Every named graph in parts of `size` edges, bit for bit; with and without recorded paths."""
    for name, graph, truth in checks.cases(dtype, negative=method == "bellman-ford"):
        if names is None or name in names:
            wanted = right(graph, method) if method == "bfs" else truth
            for schedule in schedules:
                search = checks.search_of(record_paths=schedule == "active")
                answer = solve(device, method, graph, search, schedule=schedule, part_size=size)
                assert np.array_equal(answer.distances, wanted), (name, dtype, schedule, answer.distances, wanted)


def check_options(device, method, dtype):
    """Cutoff, targets, several sources, progress, delta; a hub, whose row spans many parts."""
    graph = checks.random_graph(60, 300, dtype, seed=3, hub=40)
    everywhere = solve(device, method, graph, checks.search_of(), part_size=7).distances
    assert np.array_equal(everywhere, right(graph, method))
    far = np.inf if everywhere.dtype.kind == "f" else np.iinfo(everywhere.dtype).max
    some = np.sort(everywhere[everywhere != far])[20].item()
    within = solve(device, method, graph, checks.search_of(bound=some, record_paths=True), part_size=7).distances
    assert np.array_equal(within, np.where(everywhere > some, far, everywhere))
    near = np.argsort(everywhere, kind="stable")[5:8]
    stopped = solve(device, method, graph, checks.search_of(targets=near), part_size=7).distances
    assert np.array_equal(stopped[near], everywhere[near])
    seen = []
    answer = solve(
        device,
        method,
        graph,
        checks.search_of([5, 2, 5, 9], progress=lambda done, note: seen.append(done)),
        part_size=64,
    )
    both = np.minimum.reduce([right(graph, method, s) for s in (2, 5, 9)])
    assert np.array_equal(answer.distances, both)
    assert seen == sorted(seen)
    assert seen[-1] == answer.explained["edges_relaxed"]
    if method == "delta-stepping":
        for delta in (1e-9, 1, 64, 1e12):
            answer = solve(device, method, graph, checks.search_of(delta=delta), part_size=16)
            assert np.array_equal(answer.distances, everywhere)


def check_overflow(device):
    """32 bits that do not suffice are done again in 64; 64 that do not are an error."""
    edges = [(v, v + 1, 2**31 - 1 - v) for v in range(39)]
    graph = answers.graph_of(40, edges, np.int32)
    answer = solve(device, "frontier", graph, checks.search_of(record_paths=True), part_size=4)
    assert answer.distances.tolist() == [sum(e[2] for e in edges[:v]) for v in range(40)]
    too_far = answers.graph_of(4, [(0, 1, 2**62), (1, 2, 2**62), (2, 3, 2**62)], np.int64)
    for method in ("frontier", "bellman-ford"):
        raises(
            sp.DistanceOverflowError, "64 bits", stream.run, device, too_far, checks.search_of(), method, part_size=2
        )


def check_cycle(device, dtype, n=60):
    """A negative cycle is found, and is one."""
    ring = [(v, (v + 1) % n, 1) for v in range(n)]
    edges = [*ring, (n // 2, n // 4, n // 4 - n // 2 - 1)]
    bad = answers.graph_of(n, edges, dtype)
    weights = {(u, v): w for u, v, w in edges}
    for schedule in SCHEDULES:
        arguments = (device, "bellman-ford", bad, checks.search_of([3]), schedule)
        error = raises(sp.NegativeCycleError, "length -1", solve, *arguments, part_size=8)
        pairs = zip(error.cycle, error.cycle[1:] + error.cycle[:1], strict=True)
        assert sum(weights[pair] for pair in pairs) == -1


def check_small(device, dtype):
    """What fits an interpreter: rows over many parts, ties, zero weights, every method; gathered and whole."""
    with small_pieces():
        graph = checks.random_graph(30, 90, dtype, seed=5, hub=20, top=8)
        for method in METHODS:
            for size, record in ((7, False), (40, True)):
                search = checks.search_of(record_paths=record, delta=2)
                answer = solve(device, method, graph, search, part_size=size)
                assert np.array_equal(answer.distances, right(graph, method))
        solve(device, "bfs", graph, checks.search_of(targets=[3]), part_size=7, schedule="every part")
        if dtype is not None:
            check_cycle(device, dtype, 12)


def check_tiny(device, method, *, record=False):
    """One small graph with ties; what the seeded bugs of mutations.py are shown on."""
    with small_pieces():
        graph = checks.random_graph(24, 60, np.int32, seed=5, hub=12, top=8)
        for size in (7, 40):
            stream.run(device, graph, checks.search_of(record_paths=record, delta=1), method, part_size=size)


def check_limit(device_of, limit):
    """A graph whose edges do not fit `limit` is streamed within it; `device_of` makes the device."""
    graph = checks.random_graph(500, 8000, np.int32, seed=9, hub=3000)
    device = device_of(limit)
    for method in METHODS[:3]:
        answer = sp.sssp(graph, 0, method=method, device=device.info.name, memory_limit=limit)
        assert np.array_equal(answer.distances, right(graph, "frontier"))
        assert answer.explain().parts > 1
    hops = sp.bfs(graph, 0, device=device.info.name, memory_limit=limit)
    assert np.array_equal(hops.distances, right(graph, "bfs"))
    assert hops.explain().parts > 1
    assert device.memory.peak <= limit
    assert device.memory.used == 0

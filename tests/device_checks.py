"""Check the searches by rounds on a given device, against the oracle and the CPU core.

Plain functions, as in words.py: they run in pytest on PoCL or a GPU, under Oclgrind and on the stand-in CUDA driver.
"""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

import answers
import graphs
import oracle
import steppe as sp
from protocol import at_once, raises
from steppe.cpu.proof import check
from steppe.cpu.search import run as run_on_cpu
from steppe.gpu.loops import bellman_ford, delta_stepping, frontier, steps, work
from steppe.planning.distance_types import distance_dtype
from steppe.planning.question import Question, cut_at_targets

METHODS = {"frontier": frontier, "delta-stepping": delta_stepping, "bellman-ford": bellman_ford}
TYPES = [None, *answers.TYPES]


@contextmanager
def tiny(block=32, small=2, chunk=4):
    """Cut work into tiny pieces, so that small graphs have hubs."""
    before = work.BLOCK, work.SMALL, work.CHUNK, bellman_ford.RECORD_FROM
    work.BLOCK, work.SMALL, work.CHUNK, bellman_ford.RECORD_FROM = block, small, chunk, 2
    try:
        yield
    finally:
        work.BLOCK, work.SMALL, work.CHUNK, bellman_ford.RECORD_FROM = before


@contextmanager
def narrow(room, most=1024):
    """Let one block take on a frontier of so many entries, none for 0."""
    before = steps.NARROW, steps.MOST
    steps.NARROW, steps.MOST = {True: room, False: room}, most
    try:
        yield
    finally:
        steps.NARROW, steps.MOST = before


def search_of(sources=(0,), targets=(), **options):
    return Question(np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64), **options)


def solve(device, method, graph, search):
    """Search, and prove the answer: distances always, predecessors where there are some."""
    answer = METHODS[method].run(device, graph, search)
    assert answer.distances.dtype == distance_dtype(graph)
    bound = search.bound
    if len(search.targets):
        search, answer = cut_at_targets(search, answer)
        bound = search.bound
    if not (graph.has_negative and bound is not None):
        check(graph, search.sources, answer.distances, predecessors=answer.predecessors, bound=bound)
    reached = answer.distances[answer.distances != sp.UNREACHABLE]
    narrow = graph.weights is None or graph.weights.dtype.itemsize == 4
    narrow &= answer.distances.dtype.kind == "f" or reached.max() < 2**31 - 1
    if search.record_paths and narrow and method != "bellman-ford":
        assert answer.predecessors is not None
    elif search.record_paths:
        assert answer.predecessors is None
        assert "pass of their own" in answer.explained["note"]
    return answer


def cases(dtype, *, negative=False):
    """Name every graph that weights of this type can have, with its right distances."""
    chosen = dict(graphs.NAMED)
    if dtype is np.int64:
        chosen |= graphs.HUGE
    if dtype in (np.float32, np.float64):
        chosen |= graphs.FLOAT
    for name, (n, edges) in chosen.items():
        yield name, answers.graph_of(n, edges, dtype), answers.truth(n, edges, dtype)
    if negative and dtype is not None:
        for name, (n, edges) in graphs.NEGATIVE.items():
            right = answers.array_of(oracle.bellman_ford(n, edges, [0]), dtype)
            yield name, answers.graph_of(n, edges, dtype), right


def check_named(device, method, dtype, names=None):
    """Every named graph, bit for bit; with and without recorded paths."""
    for name, graph, right in cases(dtype, negative=method == "bellman-ford"):
        if names is None or name in names:
            for record in (False, True):
                answer = solve(device, method, graph, search_of(record_paths=record))
                assert np.array_equal(answer.distances, right), (name, dtype, record, answer.distances, right)


def random_graph(n, m, dtype, seed=0, hub=0, top=1000):
    """Random edges, zero weights and parallel edges among them; vertex 0 has `hub` more."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    u, v = np.concatenate([u, np.zeros(hub, np.int64)]), np.concatenate([v, rng.integers(0, n, hub)])
    w = rng.integers(0, top, len(u))
    if dtype is None:
        return sp.Graph.from_edges(u, v, num_vertices=n)
    weights = (w * 0.37).astype(dtype) if np.dtype(dtype).kind == "f" else w.astype(dtype)
    graph = sp.Graph.from_edges(u, v, weights, num_vertices=n)
    if graph.weights.dtype != dtype:  # int64 that fits has been narrowed
        wide = graph.weights.astype(dtype)
        graph = sp.Graph._make(graph.indptr, graph.indices, wide, labels=None, directed=True)
    return graph


def against_cpu(device, method, graph, search):
    """Compare with the CPU core, bit for bit."""
    answer = solve(device, method, graph, search)
    plain = replace(search, record_paths=False, threads=1, delta=None, targets=np.empty(0, np.int64), bound=None)
    right = run_on_cpu(graph, plain, "bellman-ford" if graph.has_negative else "delta-stepping").distances
    sentinel = np.inf if right.dtype.kind == "f" else sp.UNREACHABLE
    if search.bound is not None:
        right[right > search.bound] = sentinel
    if len(search.targets):  # one that is not reached cuts nothing off
        right[right > right[search.targets].max()] = sentinel
    assert np.array_equal(answer.distances, right)
    return answer


def check_options(device, method, dtype, n=60, m=300):
    """Cutoff, targets, delta, several sources, progress, and hubs; on a graph that is cut into tiny pieces."""
    graph = random_graph(n, m, dtype, seed=3, hub=40)
    everywhere = against_cpu(device, method, graph, search_of())
    distances = everywhere.distances
    sentinel = np.inf if distances.dtype.kind == "f" else sp.UNREACHABLE
    some = np.sort(distances[distances != sentinel])[len(distances) // 3].item()
    for record in (False, True):
        within = against_cpu(device, method, graph, search_of(bound=some, record_paths=record))
        assert (within.distances == some).any()  # inclusive
        assert (within.distances == sentinel).any()
        near = np.argsort(distances, kind="stable")[5:8]
        against_cpu(device, method, graph, search_of(targets=near, record_paths=record))
        against_cpu(device, method, graph, search_of([5, 2, 5, 9], record_paths=record))
    sparse = random_graph(n, 2 * n, dtype, seed=4)  # some vertices are not reached: with them as targets it never stops
    lost = int(np.argmax(against_cpu(device, method, sparse, search_of()).distances))
    for delta in (1, 16, None):
        for targets in ([lost], [int(np.argsort(distances)[-2])]):
            against_cpu(device, method, sparse, search_of(targets=targets, delta=delta))
            against_cpu(device, method, graph, search_of(targets=targets, delta=delta))
    seen = []
    against_cpu(device, method, graph, search_of(progress=seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == everywhere.explained["edges_relaxed"]
    if method == "delta-stepping":
        for delta in (1e-9, 1, 64, 1e12):
            answer = against_cpu(device, method, graph, search_of(delta=delta))
            assert answer.explained["delta"] <= max(1, delta)


def check_overflow(device, method):
    """32 bits that do not suffice are noticed and done again in 64; 64 that do not are an error."""
    n = 40
    edges = [(v, v + 1, 2**31 - 1 - v) for v in range(n - 1)]
    graph = answers.graph_of(n, edges, np.int32)
    answer = solve(device, method, graph, search_of(record_paths=True))
    assert answer.distances.tolist() == [sum(e[2] for e in edges[:v]) for v in range(n)]
    # Beyond the cutoff nothing overflows, so the first 32 bits suffice and paths are recorded.
    bounded = solve(device, method, graph, search_of(bound=2**31 - 2, record_paths=True))
    assert (bounded.distances != sp.UNREACHABLE).sum() == 1
    if method != "bellman-ford":
        assert bounded.predecessors is not None
    too_far = answers.graph_of(4, [(0, 1, 2**62), (1, 2, 2**62), (2, 3, 2**62)], np.int64)
    raises(sp.DistanceOverflowError, "64 bits", METHODS[method].run, device, too_far, search_of())
    small = solve(device, method, too_far, search_of(bound=2**62))
    assert small.distances.tolist() == [0, 2**62, sp.UNREACHABLE, sp.UNREACHABLE]


def check_cycle(device, dtype, n=120):
    """A negative cycle is found, and is one; the same graph with a cycle of length 0 in its place is solved."""
    ring = [(v, (v + 1) % n, 1) for v in range(n)]
    back = n // 2, n // 4, n // 4 - n // 2
    graph = answers.graph_of(n, [*ring, back, (n - 2, 1, -2)], dtype)
    right = answers.array_of(oracle.bellman_ford(n, [*ring, back, (n - 2, 1, -2)], [3]), dtype)
    assert np.array_equal(solve(device, "bellman-ford", graph, search_of([3])).distances, right)
    edges = [*ring, (back[0], back[1], back[2] - 1)]
    weights = {(u, v): w for u, v, w in edges}
    bad = answers.graph_of(n, edges, dtype)
    error = raises(sp.NegativeCycleError, "length -1", bellman_ford.run, device, bad, search_of([3]))
    pairs = zip(error.cycle, error.cycle[1:] + error.cycle[:1], strict=True)
    assert sum(weights[pair] for pair in pairs) == -1


def check_small(device, method, dtype):
    """What fits an interpreter: zero and parallel edges, hubs, ties, cutoff and stop; on all blocks, on one, and now so, now so."""
    for room in (0, 10, 4096) if dtype is np.int32 else (0, 4096):
        with narrow(room):
            _check_small(device, method, dtype, room)


def _check_small(device, method, dtype, room):
    with tiny():
        check_named(
            device, method, dtype, {"zero cycle", "parallel edges", "star", "ties", "absorbed", "negative edge"}
        )
        graph = random_graph(40, 120, dtype, seed=5, hub=20)
        against_cpu(device, method, graph, search_of(record_paths=True))
        against_cpu(device, method, graph, search_of([1, 2], targets=[3], bound=200))
        if method == "bellman-ford" and dtype is not None and room == 0:
            check_cycle(device, dtype, 16)


def check_tiny(device, method, *, record=False, hub=12, room=0):
    """One small graph with ties; what the seeded bugs of mutations.py are shown on."""
    with tiny(block=8), narrow(room, most=64):  # so that one which never comes to rest ends, too
        bellman_ford.RECORD_FROM = 0
        graph = random_graph(24, 60, np.int32, seed=5, hub=hub, top=8)
        METHODS[method].run(device, graph, search_of(record_paths=record, delta=1))


def check_replay(device, method):
    """The same bits, rounds and counts, whether the host repeats the launches, the driver does, or one block makes the steps."""
    for dtype in TYPES:
        for directed in (True, False):
            graph = road_like(dtype, directed)
            kept = [_forms(device, method, graph, search_of([7], record_paths=record)) for record in (False, True)]
            assert all(len({str(answer) for answer in answers.values()}) == 1 for answers in kept), kept


def road_like(dtype, directed, rows=14):
    """A grid whose search has a few hundred steps."""
    weights = {None: None, np.int32: (1, 1000), np.int64: (1, 1000)}.get(dtype, np.dtype(dtype or "i4").name)
    graph = sp.generate.grid(rows, rows, weights=weights, seed=3)
    w = None if graph.weights is None else graph.weights.astype(dtype)
    return sp.Graph._make(graph.indptr, graph.indices, w, labels=None, directed=directed)


def _forms(device, method, graph, search):
    answers = {}
    for name, room, recorded in (
        ("launches", 0, False),
        ("recorded", 0, True),
        ("narrow", 4096, True),
        ("mixed", 12, True),
    ):
        before = device._replay
        with narrow(room, most=7 if name == "mixed" else 1024):
            if not recorded:
                device._replay = lambda some, times, before=before: before(list(some), times)
            try:
                answer = METHODS[method].run(device, graph, search)
            finally:
                device.__dict__.pop("_replay", None)
        told = answer.explained
        bits = answer.distances.tobytes(), None if answer.predecessors is None else answer.predecessors.tobytes()
        answers[name] = (bits, *(told[key] for key in ("rounds", "edges_relaxed", "edges_touched")))
    return answers


def check_threads(device, method, count=4, searches=6):
    """Searches of several Python threads on one device, whose steps the driver repeats: each has its own right answer."""
    graphs = [road_like(dtype, True, rows=12) for dtype in (None, np.int32, np.float64)]
    sources = [5, 77, 140]
    right = [[run_on_cpu(graph, search_of([s], threads=1), "dijkstra").distances for s in sources] for graph in graphs]
    wrong = []

    def work(k):
        for r in range(searches):
            which, first = (k + r) % len(graphs), r % len(sources)
            try:
                answer = METHODS[method].run(device, graphs[which], search_of([sources[first]]))
                if not np.array_equal(answer.distances, right[which][first]):
                    wrong.append((k, r, answer.distances))
            except Exception as error:
                wrong.append((k, r, error))

    with narrow(0):
        at_once(count, work)
    assert wrong == []


def check_all(device, method):
    """Every type, on small graphs."""
    for dtype in TYPES:
        check_small(device, method, dtype)

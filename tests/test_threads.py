"""One graph, many users: Python threads, forked and spawned processes, and the thread count."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE, SANITIZER
from steppe.machine import threads


@pytest.fixture(scope="module")
def graph():
    """Large enough that every thread gets work: half a million edges."""
    return sp.generate.rmat(14, 16, seed=3)


def solve(graph, source, count=2):
    return sp.sssp(graph, source, threads=count).distances


def tree(graph, source):
    """Everything that is built on first use: reverse graph, predecessors, proof."""
    paths = sp.sssp(graph, source).verify()
    assert graph.reverse.num_edges == graph.num_edges
    return paths.predecessors


@pytest.mark.parametrize("method", ["delta-stepping", "frontier"])
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_thread_count_does_not_change_the_answer(graph, method, count):
    expected = sp.sssp(graph, 5, method="dijkstra", threads=1).distances
    paths = sp.sssp(graph, 5, method=method, threads=count)
    assert paths.explain().threads == count
    assert np.array_equal(paths.distances, expected)


@pytest.mark.parametrize("weights", [(1, 1000), "float64"])
@pytest.mark.parametrize("record", [False, True])
def test_roads_in_any_order_are_shared_by_all_threads(weights, record):
    """Numbers that follow places, and the same in random order."""
    roads = sp.generate.grid(25_000, 8, weights=weights, seed=3)
    order = np.random.default_rng(4).permutation(roads.num_vertices)
    sources = np.repeat(np.arange(roads.num_vertices), np.diff(roads.indptr))
    shuffled = sp.Graph.from_edges(order[sources], order[roads.indices], roads.weights, num_vertices=roads.num_vertices)
    right = sp.sssp(roads, 0, method="dijkstra").distances
    for graph, found_at in ((roads, np.arange(roads.num_vertices)), (shuffled, order)):
        paths = sp.sssp(graph, int(found_at[0]), method="delta-stepping", threads=2, record_paths=record)
        assert np.array_equal(paths.distances[found_at], right)
        assert paths.explain().threads == 2
        assert paths.explain().atomics > 0
        assert paths.explain().scheme == "independent threads"
        paths.verify()


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("options", [{}, {"cutoff": 400}, {"targets": [70_000]}])
def test_hops_on_roads_are_counted_by_all_threads(record, options):
    """Levels that are too narrow to deal out one by one; the tree is the canonical one whoever finds a vertex."""
    roads = sp.generate.grid(300, 400, seed=3)
    right = sp.bfs(roads, 133, threads=1, record_paths=record, **options)
    for count in (2, 3):
        found = sp.bfs(roads, 133, threads=count, record_paths=record, **options).verify()
        assert np.array_equal(found.distances, right.distances)
        assert np.array_equal(found.predecessors, right.predecessors)
        assert found.explain().rounds == right.explain().rounds
        if "targets" not in options:  # which end the search on the way: one thread finds them in order
            assert found.explain().threads == count
            assert found.explain().atomics > 0


@pytest.mark.parametrize("count", [1, 2])
def test_an_explanation_names_the_scheme_of_threads_and_the_form_of_rows(count):
    """What a search says of itself, by the shape of the graph, the number of threads, and whether the graph was prepared."""
    dense, roads = sp.generate.rmat(14, 16, seed=3), sp.generate.grid(400, 500, seed=3)
    for graph, scheme, form in (
        (dense, "bulk-synchronous", "packed"),
        (roads, "independent threads", "records of four"),
    ):
        for rows in ("csr", form):
            how = sp.sssp(graph, 5, method="delta-stepping", threads=count).explain()
            assert (how.scheme, how.rows) == ("one thread" if count == 1 else scheme, rows)
            assert f"{how.scheme}\n" in str(how)
            assert f"{rows}\n" in str(how)
            graph.prepare()
        how = sp.sssp(graph, 5, method="frontier", threads=count).explain()
        assert (how.scheme, how.rows) == ("one thread" if count == 1 else "bulk-synchronous", "csr")
        assert sp.sssp(graph, 5, method="dijkstra", threads=count).explain().scheme == "one thread"
    hops = sp.bfs(roads, 133, threads=count).explain()
    assert (hops.scheme, hops.rows) == ("narrow levels" if count == 1 else "shared levels", "csr")
    assert sp.bfs(sp.generate.rmat(16, 16, seed=3), 5, threads=count).explain().scheme == "narrow levels, then wide"


def test_python_threads_share_a_graph(graph):
    sources = list(range(64))
    expected = [solve(graph, s, 1) for s in sources]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda s: solve(graph, s), sources))
    assert all(map(np.array_equal, found, expected))


def test_what_is_built_on_first_use_is_built_once_for_all_threads():
    graph = sp.generate.random(20_000, 200_000, seed=1)
    with ThreadPoolExecutor(8) as pool:
        reverses = list(pool.map(lambda _: graph.reverse, range(32)))
        trees = list(pool.map(lambda _: tree(graph, 1), range(16)))
    assert all(r is reverses[0] for r in reverses)
    assert all(np.array_equal(t, trees[0]) for t in trees)


def test_threads_share_one_answer(graph):
    paths = sp.sssp(graph, 7)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: paths.predecessors, range(16)))
    assert all(f is found[0] for f in found)


@pytest.mark.parametrize("way", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_processes(graph, way):
    """A forked child has none of its parent's threads: the core must not wait for them."""
    if way not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {way} here")
    if way == "fork" and SANITIZER:
        pytest.skip("sanitizers do not follow a fork")
    expected = [solve(graph, s) for s in range(4)]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(way)) as pool:
        found = list(pool.map(solve, [graph] * 4, range(4), timeout=PATIENCE))
    assert all(map(np.array_equal, found, expected))


def test_the_environment_sets_the_thread_count(monkeypatch, graph):
    monkeypatch.setenv("STEPPE_NUM_THREADS", "3")
    assert threads.resolve(None) == 3
    assert threads.resolve(1) == 1
    assert sp.sssp(graph, 0, method="frontier").explain().threads == 3


@pytest.mark.parametrize(
    ("running", "expected"),
    [("1/90 1", 4), ("3/90 1", 4), ("5/90 1", 4), ("6/90 1", 3), ("40/90 1", 1), ("nonsense", 4)],
)
def test_a_large_search_leaves_busy_cpus_alone(monkeypatch, running, expected):
    """Of eight CPUs four are ours: as long as the others have room for what else is running, nothing is in our way."""
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(threads, "available", lambda: 4)
    monkeypatch.setattr(threads.Path, "read_text", lambda _: f"0.1 0.2 0.3 {running}")
    monkeypatch.delenv("STEPPE_NUM_THREADS", raising=False)
    assert threads.resolve(None, edges=threads.LARGE) == expected
    assert threads.resolve(None, edges=threads.LARGE - 1) == 4
    assert threads.resolve(2, edges=threads.LARGE) == min(2, expected)
    assert threads.resolve(2, edges=threads.LARGE - 1) == 2


@pytest.mark.parametrize(
    ("ours", "running", "expected"),
    [("12", [2], 2), ("1", [2, 1], 2), ("1", [2, 2], 1), ("12", [3, 4], 1)],
)
def test_own_threads_and_a_moment_of_others_are_not_in_the_way(monkeypatch, ours, running, expected):
    """Of two CPUs both are free while only threads of this process run, and when a second look finds nobody else."""

    def read(path):
        if path.name == "loadavg":
            return f"0.1 0.2 0.3 {running.pop(0)}/90 1"
        return f"7 (a) name) {'R' if path.parent.name in ours else 'S'} 1 1"

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(threads, "available", lambda: 2)
    monkeypatch.setattr(threads.Path, "glob", lambda self, _: [self / name / "stat" for name in "123"])
    monkeypatch.setattr(threads.Path, "read_text", read)
    assert threads.free() == expected
    assert not running  # looked at as often as needed, and no more


@pytest.mark.parametrize("text", ["many", "0", "-1", "1.5"])
def test_a_bad_thread_count_is_an_error(monkeypatch, graph, text):
    monkeypatch.setenv("STEPPE_NUM_THREADS", text)
    with pytest.raises(ValueError, match=r"threads|STEPPE_NUM_THREADS"):
        sp.sssp(graph, 0)


@pytest.mark.parametrize("count", [0, -1, 1025, 10**20])
def test_a_count_beyond_all_machines_is_an_error_of_every_call(monkeypatch, count):
    g = sp.generate.grid(9, 9, seed=1)
    calls = [
        lambda t: sp.sssp(g, 0, threads=t),
        lambda t: sp.bfs(g, 0, threads=t),
        lambda t: sp.nearest(g, [0, 5], threads=t),
        lambda t: sp.nearest(g, [0, 5], k=2, threads=t),
        lambda t: sp.distances(g, [0, 5], threads=t),
        lambda t: sp.distances(g, [0, 5], [1, 2], pairs=True, threads=t),
        lambda t: sp.all_pairs(g, threads=t),
        lambda t: list(sp.distance_blocks(g, [0, 5], threads=t)),
        lambda t: sp.eccentricity(g, threads=t),
        lambda t: sp.k_shortest_paths(g, 0, 5, 2, threads=t),
        lambda t: sp.all_shortest_paths(g, 0, 5, threads=t),
        lambda t: sp.sssp(g, 0).verify(threads=t),
        lambda t: sp.plan(g, "sssp", threads=t),
        lambda t: sp.generate.grid(9, 9).prepare(threads=t),
    ]
    for call in calls:
        call(2)
        with pytest.raises(ValueError, match="threads must be from 1 to 1,024"):
            call(count)
    monkeypatch.setenv("STEPPE_NUM_THREADS", str(count))
    with pytest.raises(ValueError, match="STEPPE_NUM_THREADS must be from 1 to 1,024"):
        sp.sssp(g, 0)


LITTLE = """
import resource, sys
import steppe as sp
g = sp.generate.random(2000, 12000, seed=1)
want = sp.distances(g, list(range(40)), threads=1, method="delta-stepping")
used = int(next(x for x in open("/proc/self/status") if x.startswith("VmSize")).split()[1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[1]) << 20),) * 2)
try:
    got = sp.distances(g, list(range(40)), threads=1000, method="delta-stepping")
    print("right" if (got == want).all() else "wrong")
except MemoryError:
    print("right")
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists() or SANITIZER is not None, reason="limits of Linux, and no sanitizer's memory"
)
@pytest.mark.parametrize("room", [4, 30, 60, 150, 400, 1000, 3000])
def test_a_search_goes_on_with_the_threads_that_there_is_memory_for(room):
    done = subprocess.run(
        [sys.executable, "-c", LITTLE, str(room)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "right"), done.stderr


def test_a_small_matrix_wakes_no_threads():
    small, large = sp.generate.random(40, 200, seed=1), sp.generate.random(2000, 20_000, seed=1)
    most = min(2, threads.available())
    assert sp.plan(small, "all_pairs").threads == 1
    assert sp.plan(small, "all_pairs", threads=2).threads == 2  # as asked
    assert sp.plan(large, "all_pairs").threads >= most


def test_small_calls_do_not_look_at_the_machine(monkeypatch):
    g = sp.generate.grid(9, 9, seed=1)
    calls = [lambda: sp.sssp(g, 0), lambda: sp.all_pairs(g), lambda: sp.distances(g, [0]), lambda: sp.route(g, 0, 5)]
    for call in calls:
        call()
    monkeypatch.setattr(threads.Path, "read_text", lambda self: pytest.fail(f"{self} was read"))
    for call in calls:
        call()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no CPU affinity")
def test_affinity_is_honoured():
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); from steppe.machine import threads; print(threads.available())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "1"

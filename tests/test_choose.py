"""choose_method, as a table: a graph's facts, and the method they ask for."""

import numpy as np
import pytest

import steppe as sp
from steppe.plan.choose import METHODS, TINY, choose_method


def path(weights, edges=10):
    return sp.Graph.from_edges(np.arange(edges), np.arange(1, edges + 1), weights)


CASES = {
    # graph, on the CPU, on a device
    "no weights": (path(None), "bfs", "bfs"),
    "no weights, large": (path(None, TINY), "bfs", "bfs"),
    "all ones": (path(np.ones(10, dtype=np.int64)), "bfs", "bfs"),
    "all ones, but floats": (path(np.ones(10)), "dijkstra", "delta-stepping"),
    "all twos": (path(np.full(10, 2)), "dijkstra", "delta-stepping"),
    "one negative": (path(np.arange(-1, 9)), "bellman-ford", "bellman-ford"),
    "one negative, large": (path(np.arange(-1.0, TINY - 1), TINY), "bellman-ford", "bellman-ford"),
    "tiny": (path(np.arange(TINY - 1), TINY - 1), "dijkstra", "delta-stepping"),
    "not tiny": (path(np.arange(TINY), TINY), "delta-stepping", "delta-stepping"),
    "floats, not tiny": (path(np.arange(TINY) + 0.5, TINY), "delta-stepping", "delta-stepping"),
    "zeros and ones": (path(np.arange(10) % 2), "dijkstra", "delta-stepping"),
    "no edges": (path([], 0), "dijkstra", "delta-stepping"),
    "only absent edges": (path(np.full(10, np.inf)), "dijkstra", "delta-stepping"),
}


@pytest.mark.parametrize("name", CASES)
def test_choices(name):
    graph, on_cpu, on_device = CASES[name]
    for expected, flag in ((on_cpu, False), (on_device, True)):
        choice = choose_method(graph, on_device=flag)
        assert choice.method == expected
        assert len(choice.reason) > 5
    if graph.num_vertices:
        paths = sp.sssp(graph, 0)
        assert (paths.explain().method, paths.explain().reason) == tuple(choose_method(graph))
        paths.verify()


@pytest.mark.parametrize("method", METHODS)
def test_a_method_asked_for_is_the_method_used(method):
    graph, _, _ = CASES["all twos"]
    explained = sp.sssp(graph, 0, method=method).explain()
    assert (explained.method, explained.reason) == (method, "asked for")

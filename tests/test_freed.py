"""A graph is gone, and its memory free, with the last reference: nothing waits for Python's collector of cycles."""

import gc
import weakref

import numpy as np
import pytest

import steppe as sp
from steppe.gpu.loops import bfs, edge, frontier
from steppe.planning.question import Search


def uses():
    yield "reverse", lambda g: (g.reverse, g.reverse.reverse, g.is_symmetric)
    yield "prepared", lambda g: sp.sssp(g.prepare(), 0).predecessors
    yield "routed", lambda g: (sp.route(g, 0, 5), g.prepare(routes=True), sp.route(g, 0, 7))
    yield "searched", lambda g: (sp.bfs(g, 0).predecessors, sp.sssp(g, 0).verify(), sp.distances(g, [0]))


@pytest.mark.parametrize("name", [name for name, _ in uses()])
@pytest.mark.parametrize("directed", [True, False])
def test_a_graph_is_gone_with_its_last_reference(name, directed):
    use = dict(uses())[name]
    gc.collect()
    gc.disable()
    try:
        graph = sp.generate.grid(12, 12)
        if directed:
            graph = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights)
        use(graph)
        graph.degrees  # noqa: B018 - kept with the graph
        gone = [weakref.ref(graph), weakref.ref(graph.reverse), weakref.ref(graph.indices)]
        del graph
        assert [x() for x in gone] == [None, None, None]
    finally:
        gc.enable()


def test_a_reverse_outlives_its_graph():
    reverse = sp.Graph.from_edges([0, 1], [1, 2], [3, 4]).reverse
    assert sp.sssp(reverse, 2).verify().distances.tolist() == [7, 4, 0]
    again = reverse.reverse
    assert sp.sssp(again, 0).distances.tolist() == [0, 3, 7]
    assert again is reverse.reverse
    assert again.reverse is reverse


@pytest.mark.pocl
@pytest.mark.parametrize("directed", [True, False])
def test_device_memory_is_free_with_the_graph(device, directed):
    gc.collect()
    gc.disable()
    try:
        before = device.memory.used
        graph = sp.generate.grid(12, 12)
        if directed:
            graph = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights)
        graph.reverse  # noqa: B018 - so that bfs takes it to the device, too
        search = Search(np.array([0]))
        bfs.run(device, graph, search), frontier.run(device, graph, search), edge.run(device, graph, np.array([0, 1]))
        assert device.memory.used > before
        gone = weakref.ref(graph)
        del graph
        assert (gone(), device.memory.used) == (None, before)
    finally:
        gc.enable()

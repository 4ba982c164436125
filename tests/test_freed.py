"""A graph is gone, and its memory free, with the last reference: nothing waits for Python's collector of cycles."""

import gc
import subprocess
import sys
import weakref
from contextlib import contextmanager

import numpy as np
import pytest

import standin
import steppe as sp
from conftest import PATIENCE, missing
from steppe.gpu import get_device
from steppe.gpu.loops import bfs, edge, frontier
from steppe.planning.question import Question


@contextmanager
def no_collector():
    """Nothing but the last reference frees anything."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def uses():
    yield "reverse", lambda g: (g.reverse, g.reverse.reverse, g.is_symmetric)
    yield "prepared", lambda g: sp.sssp(g.prepare(), 0).predecessors
    yield "routed", lambda g: (sp.route(g, 0, 5), g.prepare(routes=True), sp.route(g, 0, 7))
    yield "searched", lambda g: (sp.bfs(g, 0).predecessors, sp.sssp(g, 0).verify(), sp.distances(g, [0]))


@pytest.mark.parametrize("name", [name for name, _ in uses()])
@pytest.mark.parametrize("directed", [True, False])
def test_a_graph_is_gone_with_its_last_reference(name, directed):
    use = dict(uses())[name]
    with no_collector():
        graph = sp.generate.grid(12, 12)
        if directed:
            graph = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights)
        use(graph)
        graph.degrees  # noqa: B018 - kept with the graph
        gone = [weakref.ref(graph), weakref.ref(graph.reverse), weakref.ref(graph.indices)]
        del graph
        assert [x() for x in gone] == [None, None, None]


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
    with no_collector():
        before, kept = device.memory.used, device.memory.allocated
        graph = sp.generate.grid(12, 12)
        if directed:
            graph = sp.Graph.from_csr(graph.indptr, graph.indices, graph.weights)
        graph.reverse  # noqa: B018 - so that bfs takes it to the device, too
        search = Question(np.array([0]))
        bfs.run(device, graph, search), frontier.run(device, graph, search), edge.run(device, graph, np.array([0, 1]))
        assert device.memory.used > before
        gone = weakref.ref(graph)
        del graph
        assert (gone(), device.memory.allocated - kept, device.memory.used) == (None, 0, before)


@pytest.mark.pocl
@pytest.mark.parametrize("directed", [True, False])
def test_after_a_public_call_no_device_byte_is_left(device, directed):
    limit = 3_000_000
    small = get_device(device.info.name, memory_limit=limit)
    small.forget_graphs()
    with no_collector():
        g = sp.generate.grid(12, 12)
        if directed:
            g = sp.Graph.from_csr(g.indptr, g.indices, g.weights)
            g.reverse  # noqa: B018 - whose copy goes, too
        r = sp.bfs(g, 0, device=device.info.name, memory_limit=limit)
        assert small.memory.used > 0
        del g
        assert small.memory.used > 0  # the answer still has the graph
        del r
        assert small.memory.allocated == small.memory.used == 0
        r = sp.sssp(sp.generate.grid(12, 12), 0, device=device.info.name, memory_limit=limit)
        del r
        assert small.memory.allocated == small.memory.used == 0


@pytest.mark.pocl
def test_a_device_that_is_let_go_leaves_nothing_on_graphs(device):
    graph = sp.generate.grid(12, 12)
    small = get_device(device.info.name, memory_limit=3_000_001)
    frontier.run(small, graph, Question(np.array([0])))
    assert small.memory.used == graph.nbytes
    small.forget_graphs()
    assert small.memory.allocated == small.memory.used == 0
    assert np.array_equal(frontier.run(small, graph, Question(np.array([0]))).distances, sp.sssp(graph, 0).distances)


COLLECTED = """
import faulthandler, gc
faulthandler.dump_traceback_later(60, exit=True)
from steppe.errors import DeviceMemoryError
from steppe.gpu import get_device

device = get_device({name!r}, memory_limit=100_000)
device.alloc(10, "u4", fill=1)

class Ring:
    def __init__(self):
        self.me, self.buffer = self, device.alloc(7, "u4")

# The collector starts at the container that exceeds the threshold. With one container more each time it starts everywhere in turn:
# in the middle of an allocation, and of its refusal, too.
gc.set_threshold(60, 1000, 1000)
for many in range(60):
    for size in (100, 10**6):
        gc.collect()
        Ring()
        held = [[] for _ in range(many)]
        try:
            device.alloc(size, "u4")
        except DeviceMemoryError:
            pass
gc.collect()
assert device.memory.used == 0, device.memory.used
print("the end")
"""


@pytest.mark.pocl
def test_the_collector_may_free_buffers_in_the_middle_of_an_allocation(device):
    code = COLLECTED.format(name=device.info.name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.strip() == "the end", done.stderr


@pytest.mark.standin
def test_a_buffer_may_be_freed_while_contexts_change():
    """Whatever the collector frees meanwhile, and of whichever device, finds its own context current."""
    if reason := standin.absent():
        missing(reason)
    code = """
from cuda.bindings import driver
other = get_device("cuda:1")
seen = []

def freed(owner):
    with owner._current:
        assert int(driver.cuCtxGetCurrent()[1]) == int(owner._context)
        seen.append(owner)

for name in ("cuCtxPushCurrent", "cuCtxPopCurrent", "cuThreadExchangeStreamCaptureMode"):
    kept = getattr(driver, name)

    def call(*given):
        setattr(driver, name, kept)  # what is freed does not free more
        for owner in (device, other):
            freed(owner)
        result = kept(*given)
        for owner in (device, other):
            freed(owner)
        setattr(driver, name, call)
        return result

    for outer, inner in ((device, other), (other, device), (device, device)):
        setattr(driver, name, call)
        with outer._current:
            with inner._current:
                assert int(driver.cuCtxGetCurrent()[1]) == int(inner._context)
            assert int(driver.cuCtxGetCurrent()[1]) == int(outer._context)
        setattr(driver, name, kept)
        assert int(driver.cuCtxGetCurrent()[1]) == 0
assert len(seen) > 50
print("the end")
"""
    report = standin.run(code)
    assert (report.returncode, report.text.strip()) == (0, "the end"), report.text


@pytest.mark.standin
def test_a_buffer_that_is_freed_leaves_the_context_of_another_device_in_place():
    if reason := standin.absent():
        missing(reason)
    code = """
from cuda.bindings import driver
buffer = device.alloc(10, "u4", fill=1)
event, pinned = device.event(), device.staging(10, "u4")
device.finish()
driver.cuCtxSetCurrent(0)  # as another library, or another device, may have done
del buffer, event, pinned
assert int(driver.cuCtxGetCurrent()[1]) == 0
assert device.memory.used == 0
print("the end")
"""
    report = standin.run(code)
    assert (report.returncode, report.text.strip()) == (0, "the end"), report.text

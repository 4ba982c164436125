"""CUDA's rules of captures and graphs, as the stand-in driver has them."""

import pytest

from test_standin import _installed, succeed  # noqa: F401 - a fixture

pytestmark = pytest.mark.standin

CAPTURES = """
import threading
from cuda.bindings import driver
MODES = [getattr(driver.CUstreamCaptureMode, f"CU_STREAM_CAPTURE_MODE_{name}") for name in ("GLOBAL", "THREAD_LOCAL", "RELAXED")]

def code(result):
    return int(result[0])

def elsewhere(work):
    found = []
    def run():
        driver.cuCtxPushCurrent(device._context)
        found.append(work())
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]

driver.cuCtxPushCurrent(device._context)
stream, second = driver.cuStreamCreate(1)[1], driver.cuStreamCreate(1)[1]
cells = driver.cuMemAlloc(400)[1]

def total():
    import numpy as np
    into = np.zeros(100, np.uint32)
    assert code(driver.cuMemcpyDtoHAsync(into.ctypes.data, cells, 400, second)) == code(driver.cuStreamSynchronize(second)) == 0
    return int(into.sum())
"""


def test_a_capturing_stream_records_what_any_thread_enqueues():
    code = """
driver.cuMemsetD32Async(cells, 1, 100, second)
assert total() == 100
for mode in MODES:
    assert code(driver.cuStreamBeginCapture(stream, mode)) == 0
    assert code(driver.cuStreamBeginCapture(stream, mode)) == 401
    assert elsewhere(lambda: code(driver.cuMemsetD32Async(cells, 3, 100, stream))) == 0
    error, recorded = driver.cuStreamEndCapture(stream)
    assert int(error) == 0
    assert total() == 100  # nothing has run
    made = driver.cuGraphInstantiate(recorded, 0)[1]
    assert code(driver.cuGraphLaunch(made, stream)) == code(driver.cuStreamSynchronize(stream)) == 0
    assert total() == 300
    driver.cuMemsetD32Async(cells, 1, 100, second)
    assert total() == 100
"""
    succeed(CAPTURES + code)


def test_a_capture_forbids_what_cuda_forbids():
    code = """
event, outside = driver.cuEventCreate(0)[1], driver.cuEventCreate(0)[1]
driver.cuEventRecord(outside, second)
unsafe = (lambda: driver.cuMemAlloc(10), lambda: driver.cuMemHostAlloc(10, 0), lambda: driver.cuStreamSynchronize(second),
          lambda: driver.cuEventSynchronize(outside), lambda: driver.cuMemFree(driver.cuMemAlloc(10)[1] or 1))
conflicts = ((lambda: driver.cuStreamSynchronize(stream), 900), (driver.cuCtxSynchronize, 900),
             (lambda: driver.cuEventSynchronize(event), 907), (lambda: driver.cuStreamWaitEvent(stream, outside, 0), 905))

def during(mode, call, mine=MODES[0], where=lambda work: work()):
    def asked():
        before = driver.cuThreadExchangeStreamCaptureMode(mine)[1]
        try:
            return code(call())
        finally:
            driver.cuThreadExchangeStreamCaptureMode(before)
    assert code(driver.cuStreamBeginCapture(stream, mode)) == 0
    driver.cuEventRecord(event, stream)
    found = where(asked)
    later = code(driver.cuMemsetD32Async(cells, 3, 100, stream))
    ended = code(driver.cuStreamEndCapture(stream))
    assert later == ended == (901 if found else 0), (later, ended, found)
    return found

begun, local, relaxed = MODES
for call in unsafe:
    for mode in MODES:
        for mine in MODES:
            refused = mode != relaxed and mine != relaxed
            assert during(mode, call, mine) == 900 * refused, (mode, mine)
            refused = mode == begun and mine == begun
            assert during(mode, call, mine, elsewhere) == 900 * refused, (mode, mine)
for call, error in conflicts:
    for mode in MODES:
        assert during(mode, call, relaxed) == during(mode, call, relaxed, elsewhere) == error
for mode in MODES:  # ended by another thread, by another stream; joined by another stream
    driver.cuStreamBeginCapture(stream, mode)
    assert elsewhere(lambda: code(driver.cuStreamEndCapture(stream))) == (0 if mode == relaxed else 908)
    if mode != relaxed:
        assert code(driver.cuStreamEndCapture(stream)) == 0
    driver.cuStreamBeginCapture(stream, mode)
    driver.cuEventRecord(event, stream)
    assert code(driver.cuStreamWaitEvent(second, event, 0)) == 0
    assert code(driver.cuStreamEndCapture(stream)) == 904
assert total() >= 0
"""
    succeed(CAPTURES + code)


def test_nodes_of_a_graph_run_in_their_order_only():
    """A dependency that was forgotten is seen: the last node comes first."""
    code = """
import words
from steppe.gpu.recording import _node
program, out = device.program("fill"), device.alloc(1, "u8", fill=0)
launches = [device.prepare(program, "fill_u64", 1, out, 0, 1, value) for value in (1, 2, 3)]
for chained, last in ((True, 3), (False, 1)):
    graph, before = driver.cuGraphCreate(0)[1], []
    for one in launches:
        error, node = driver.cuGraphAddKernelNode(graph, before, len(before), _node(one))
        assert int(error) == 0
        before = [node] if chained else []
    made = driver.cuGraphInstantiate(graph, 0)[1]
    assert code(driver.cuGraphLaunch(made, device._stream)) == 0
    assert device.download(out).tolist() == [last]
"""
    succeed(CAPTURES + code)

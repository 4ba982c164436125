"""Recordings: launches that the CUDA driver keeps, made while other threads, the collector and other libraries use the same device."""

import pytest

from test_standin import _installed, succeed  # noqa: F401 - a fixture

pytestmark = pytest.mark.standin


# A recording that lets something else happen while it is made: `meddle` runs where the driver is given its launches.
MEDDLING = """
import gc, threading
import numpy as np
import words
from cuda.bindings import driver
from steppe.gpu.launches import Recording

class Meddling(Recording):
    def __iter__(self):
        for one in super().__iter__():
            if self.kept is None:
                meddle()
            yield one

def elsewhere(work):
    failed = []
    def run():
        try:
            work()
        except BaseException as error:
            failed.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]

program = device.program(words.KERNELS / "words.c")
cells, old = device.alloc(6, "u4", fill=0), device.alloc(600, "u4", fill=0)

def replayed(times=32):
    device.fill(cells, 0)
    made = Meddling([device.prepare(program, "atomics_u32", 100, cells, old, 100)])
    device.replay(made, times)
    device.replay(made, times)
    assert made.kept is not None
    found = device.download(cells)[1]
    assert found == 3 * 100 * 2 * times, (found, times)
"""


def test_what_other_threads_ask_for_is_done_at_once_and_once():
    code = """
mine = device.alloc(1000, "u4", fill=1)
done = []

def work():
    values = np.arange(1000, dtype=np.uint32) + len(done)
    device.upload(values, into=mine)
    assert np.array_equal(device.download(mine), values)
    device.fill(mine, 9, offset=3, count=2)
    device.finish(device.event())
    fresh = device.alloc(1000, "u4", fill=7)
    device.copy(mine, fresh)
    copied = device.upload_async(device.staging(1000, "u4"), fresh, after=device.event())
    device.wait(copied)
    assert device.download(mine)[3:5].tolist() == [9, 9]
    done.append(1)

def meddle():
    elsewhere(work)

replayed()
assert done
device.fill(mine, 5)
replayed()
assert (device.download(mine) != 5).any()
device.fill(mine, 5)
meddle = lambda: None
replayed()
assert (device.download(mine) == 5).all()  # nothing of it is in the graph
"""
    succeed(MEDDLING + code)


def test_the_collector_may_free_buffers_meanwhile():
    code = """
def meddle():
    class Ring: pass
    ring = Ring()
    ring.itself = ring
    ring.held = [device.alloc(1000, "u4", fill=1), device.staging(10, "u4"), device.event()]
    del ring
    gc.collect()

before = device.memory.used
replayed()
assert device.memory.used == before
"""
    succeed(MEDDLING + code)


def test_another_library_may_wait_for_the_whole_context_meanwhile():
    code = """
def work():
    driver.cuCtxPushCurrent(device._context)
    assert int(driver.cuCtxSynchronize()[0]) == 0
    driver.cuCtxPopCurrent()

def meddle():
    elsewhere(work)

replayed()
"""
    succeed(MEDDLING + code)


@pytest.mark.parametrize("mode", ["GLOBAL", "THREAD_LOCAL", "RELAXED"])
def test_another_library_may_capture_meanwhile(mode):
    """In its own thread or ours, in any mode: its capture stays valid and has nothing of ours, and its thread's mode stays."""
    code = f"""
import steppe as sp
import device_checks
from steppe.gpu.loops import steps
steps.NARROW = {{True: 0, False: 0}}
meddle = lambda: None
graph = device_checks.road_like(np.int32, True)
right = sp.sssp(graph, 7).distances
mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_{mode}

def search():
    replayed()
    for limit in (None, 30_000):
        assert np.array_equal(sp.sssp(graph, 7, device="cuda", memory_limit=limit).distances, right)
    gc.collect()

def there(error, *values):
    assert int(error) == 0, error
    return values[0] if values else None

there(*driver.cuCtxPushCurrent(device._context))
stream = there(*driver.cuStreamCreate(1))
for where in (elsewhere, lambda work: work()):
    there(*driver.cuStreamBeginCapture(stream, mode))
    where(search)
    recorded = there(*driver.cuStreamEndCapture(stream))
    made = there(*driver.cuGraphInstantiate(recorded, 0))
    there(*driver.cuGraphLaunch(made, stream))
was = there(*driver.cuThreadExchangeStreamCaptureMode(mode))
assert was == driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL, was
"""
    succeed(MEDDLING + code)


def test_searches_of_several_threads():
    code = """
import device_checks
device_checks.check_threads(device, "delta-stepping")
"""
    succeed(code, timeout=400)


def test_one_that_fails_leaves_no_graph(tmp_path):
    log = tmp_path / "log"
    code = """
from steppe.errors import DeviceError

def meddle():
    raise ValueError("in the middle")

def refused(kind, launches):
    try:
        device.replay(launches, 16)
    except kind:
        assert launches.kept is None
    else:
        raise SystemExit("not refused")

good = device.prepare(program, "atomics_u32", 100, cells, old, 100)
refused(ValueError, Meddling([good]))
refused(DeviceError, Recording([good, good.on(0)]))
meddle = lambda: None
replayed()
"""
    succeed(MEDDLING + code, STANDIN_LOG=log)
    lines = log.read_text().splitlines()
    assert "launch graph of 16" in lines
    assert lines.count("make graph") == lines.count("end graph")

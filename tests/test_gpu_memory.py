"""Memory of devices as drivers give it out: in pages, to several processes, and pinned on the host; on the stand-in driver."""

import itertools

import pytest

import standin
from conftest import missing

pytestmark = pytest.mark.standin

FEW = """
import logging, os
import numpy as np, steppe as sp

def reached_by_few(m, dtype=np.int32):
    "Edges for a hundred parts, of which the search wants a few: a vertex leads on to one of every hundred."
    rng = np.random.default_rng(3)
    n = 1000
    indptr = np.linspace(0, m, n + 1).astype(np.int64)
    tails = np.repeat(np.arange(n), np.diff(indptr))
    heads = np.where(tails % 100 == 0, (tails + 100) % n, tails)
    heads[indptr[:-1] + 5] = (np.arange(n) // 100 * 100 + 100) % n
    return sp.Graph.from_csr(indptr, heads.astype(np.int32), rng.integers(1, 9, m).astype(dtype))
"""


def test_no_streamed_search_fails_where_the_driver_rounds_up_and_loads_code(tmp_path):
    """60 devices of any size: allocations take whole pages of 2 MB, a module takes 8 MB, and 128 MB may be pinned in all."""
    if reason := standin.absent():
        missing(reason)
    code = """
graph = reached_by_few(6_000_000)
right = sp.sssp(graph, 0, device="cpu").distances
rng = np.random.default_rng(7)
log, streamed = [], 0
logging.getLogger("steppe").addHandler(type("Kept", (logging.Handler,), {"emit": lambda self, record: log.append(record)})())
for turn, size in enumerate(rng.integers(40 << 20, 62 << 20, 60).tolist()):
    os.environ["STANDIN_MEMORY"] = str(size)
    device.forget_graphs()
    answer = sp.sssp(graph, 0, device="cuda", method="delta-stepping" if turn % 2 else "frontier")
    assert np.array_equal(answer.distances, right)
    streamed += answer.explain().engine == "streamed"
assert streamed == 60, streamed
assert any("smaller parts" in str(record.msg) for record in log)
print("end")
"""
    log = tmp_path / "log"
    settings = {"STANDIN_PAGE": 2 << 20, "STANDIN_MODULE": 8 << 20, "STANDIN_PINNED": 128 << 20, "STANDIN_LOG": log}
    report = standin.run(FEW + code, memory=60 << 20, timeout=400, **settings)
    assert report.returncode == 0, report.text
    assert "end" in report.text
    pinned = [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("pin ")]
    assert 0 < max(pinned) <= 128 << 20


def test_memory_that_another_process_takes_between_two_calls(tmp_path):
    if reason := standin.absent():
        missing(reason)
    others = tmp_path / "others"
    others.write_text("0")
    code = f"""
from pathlib import Path
others = Path({str(others)!r})
graph = reached_by_few(600_000)
right = sp.sssp(graph, 0, device="cpu").distances
engines = []
for taken in (0, 16_000_000, 17_000_000, 0):
    others.write_text(str(taken))
    device.forget_graphs()
    answer = sp.sssp(graph, 0, device="cuda")
    assert np.array_equal(answer.distances, right)
    engines.append(answer.explain().engine)
assert engines == ["device", "streamed", "streamed", "device"], engines
print("end")
"""
    report = standin.run(FEW + code, memory=20_000_000, STANDIN_OTHERS=others)
    assert report.returncode == 0, report.text
    assert "end" in report.text


def test_a_part_is_copied_while_the_device_works_on_the_one_before(tmp_path):
    """As the stand-in's log has it: between the launch on a part and the next wait for the device, copies from both pinned buffers in turn."""
    if reason := standin.absent():
        missing(reason)
    code = """
import numpy as np, stream_checks as s
from steppe.gpu.stream import loop, pinned, slots
pinned.CHUNK = 4096
slots.Slots.is_gather_better = lambda *_: False
graph = s.checks.random_graph(1000, 40_000, np.int32, seed=4)
small = get_device("cuda:0", memory_limit=150_000)
answer = loop.run(small, graph, s.checks.search_of(), "frontier", part_size=2500)
assert np.array_equal(answer.distances, s.right(graph, "frontier"))
assert answer.explained["parts"] > 8, answer.explained
"""
    log = tmp_path / "log"
    report = standin.run(code, STANDIN_LOG=log)
    assert report.returncode == 0, report.text
    busy, inside, outside, buffers = False, 0, 0, []
    for line in log.read_text().splitlines():
        words = line.split()
        if line.startswith("launch relax"):
            busy = True
        elif line.startswith("wait stream"):
            busy = False
        elif line.startswith("copy from pinned"):
            buffers.append(words[3])
            inside, outside = inside + busy, outside + (not busy)
    assert len(set(buffers)) == 2
    assert all(one != other for one, other in itertools.pairwise(buffers))
    assert inside > 2 * outside > 0, (inside, outside)

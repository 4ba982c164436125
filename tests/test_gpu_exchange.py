"""Arrays from and to other libraries: DLPack and ``__cuda_array_interface__``."""

import numpy as np
import pytest

import exchange_checks as checks
import standin
import steppe as sp
from conftest import missing


@pytest.mark.pocl
@pytest.mark.parametrize(
    "check", [checks.check_round_trip, checks.check_capsules, checks.check_copies, checks.check_refusals]
)
def test_arrays_stay_on_the_device(device, check):
    check(device)


@pytest.mark.standin
def test_cuda_and_no_copy_through_the_host(tmp_path):
    if reason := standin.absent():
        missing(reason)
    code = """
import exchange_checks as c
other = get_device("cuda:1")
c.check_capsules(device); c.check_copies(device); c.check_refusals(device); c.check_two(device, other)
for each in (device, other):
    c.check_cuda(each)
"""
    report = standin.run(code)
    assert report.returncode == 0, report.text
    log = tmp_path / "log"
    once = """
import exchange_checks as c, steppe as sp
arrays, host = c.rows_on(device, c.np.int32)
print("ready", flush=True)
from pathlib import Path
before = len(Path({log!r}).read_text().splitlines())
graph = sp.Graph.from_csr(*arrays)
paths = sp.sssp(graph, 5, device="cuda", result="device")
out = c.exchange.borrow(paths, device, "paths")
lines = Path({log!r}).read_text().splitlines()[before:]
copies = [int(line.split()[3]) for line in lines if line.startswith("copy to")]
assert copies and sum(copies) < 24_000 < min(host.weights.nbytes, 8 * host.num_vertices), copies  # looks, a sample of weights
assert c.np.array_equal(device.download(out), sp.sssp(host, 5).distances)
"""
    report = standin.run(once.format(log=str(log)), STANDIN_LOG=log)
    assert report.returncode == 0, report.text


class Producer:
    """Speaks DLPack for the host, and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_on_the_host_by_dlpack():
    u, v, w = np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([5, 3, 9])
    graph = sp.Graph.from_edges(Producer(u), Producer(v), Producer(w))
    assert sp.sssp(graph, 0).distances.tolist() == [0, 5, 8]
    assert np.from_dlpack(sp.sssp(graph, 0)).tolist() == [0, 5, 8]

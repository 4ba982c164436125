"""Reading a mapped graph piece by piece: gathering pieces, and letting go of pages behind one."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import steppe as sp
from conftest import PATIENCE
from steppe import _core


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
@pytest.mark.parametrize("threads", [1, 2])
def test_gather(dtype, threads):
    rng = np.random.default_rng(1)
    array = rng.permutation(100_000).astype(dtype)
    lengths = rng.integers(0, 30, 9000)
    places = rng.integers(0, len(array) - 30, 9000)
    starts = np.cumsum(lengths) - lengths
    out = np.full(lengths.sum(), -1, dtype)
    _core.gather(array, places, starts, out, threads)
    pieces = [array[place : place + length] for place, length in zip(places, lengths, strict=True)]
    assert np.array_equal(out, np.concatenate(pieces))


def test_gather_checks_its_pieces():
    array, out = np.arange(10, dtype=np.int32), np.empty(4, np.int32)
    places, starts = np.array([0, 8]), np.array([0, 2])
    _core.gather(array, places, starts, out, 1)
    assert out.tolist() == [0, 1, 8, 9]
    for bad in ([0, 9], [-1, 8], [9, 0]):
        with pytest.raises(ValueError, match="out of range"):
            _core.gather(array, np.array(bad), starts, out, 1)
    for bad in ([0, 5], [3, 2], [-1, 2]):
        with pytest.raises(ValueError, match="out of range"):
            _core.gather(array, places, np.array(bad), out, 1)
    with pytest.raises(ValueError, match="sizes"):
        _core.gather(array, places, np.array([0]), out, 1)
    with pytest.raises(ValueError, match="types"):
        _core.gather(array, places, starts, out.astype(np.int64), 1)


def test_pages_that_were_let_go_come_back(tmp_path):
    np.arange(1 << 21, dtype=np.int32).tofile(tmp_path / "numbers")
    numbers = np.memmap(tmp_path / "numbers", np.int32, "r")
    before = int(numbers.sum(dtype=np.int64))
    _core.release(numbers, 0, len(numbers))
    _core.release(numbers[1000:-1000], 77, 1 << 20)
    assert int(numbers.sum(dtype=np.int64)) == before
    for first, last in ((-1, 5), (5, 4), (0, len(numbers) + 1)):
        with pytest.raises(ValueError, match="out of range"):
            _core.release(numbers, first, last)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("threads", [1, 2])
def test_verify_leaves_no_file_behind(tmp_path, threads):
    """The proof reads 48 MB of edges, and in the end has mapped less than half of them."""
    path = tmp_path / "g.steppe"
    sp.generate.to_file(path, "random", 300_000, 6_000_000, seed=3)
    code = f"""
import steppe as sp
def mapped():
    return next(int(x.split()[1]) for x in open("/proc/self/status") if x.startswith("RssFile")) * 1024
g = sp.read({str(path)!r})
paths = sp.sssp(g, 0, memory_limit=20_000_000)
before = mapped()
paths.verify(threads={threads})
print(mapped() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE, capture_output=True, text=True)
    assert int(done.stdout) < 24_000_000

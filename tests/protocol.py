"""Check the device protocol on a given device; plain functions, as in words.py."""

import threading

import numpy as np
import pytest

import words
from steppe.errors import DeviceError, DeviceMemoryError
from steppe.gpu import get_device
from steppe.gpu.launches import Recording


def raises(kind, part, function, *args, **options):
    """Assert that a call raises `kind` with `part` in its message."""
    with pytest.raises(kind) as caught:
        function(*args, **options)
    assert part in str(caught.value)
    return caught.value


def check_arrays(device):
    """Up, down, fill; with offsets; of every type; empty."""
    rng = np.random.default_rng(0)
    for dtype in ("u1", "i4", "u4", "i8", "u8", "f4", "f8"):
        values = rng.integers(0, 200, 1001).astype(dtype)
        buffer = device.upload(values)
        assert np.array_equal(device.download(buffer), values)
        assert np.array_equal(device.download(buffer, 10, 5), values[10:15])
        device.upload(values[:3], into=buffer, offset=998)
        device.fill(buffer, 7, offset=1, count=2)
        expected = values.copy()
        expected[998:] = values[:3]
        expected[1:3] = 7
        assert np.array_equal(device.download(buffer), expected)
        top = np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else np.inf
        device.fill(buffer, top)
        assert (device.download(buffer) == top).all()
        odd = (1 << 40) + 5 if np.dtype(dtype).itemsize == 8 else 99
        device.fill(buffer, odd, offset=3)
        assert np.array_equal(device.download(buffer), np.array([top] * 3 + [odd] * 998, dtype))
        assert device.download(device.upload(np.empty(0, dtype))).size == 0
    buffer = device.alloc(10, "u4")
    raises(IndexError, "elements 5 to 11 of a buffer of 10", device.download, buffer, 5, 6)
    raises(TypeError, "holds uint32, not int32", device.upload, np.zeros(3, "i4"), buffer)
    strided = np.arange(20, dtype="u4")[::2]
    assert np.array_equal(device.download(device.upload(strided)), strided)


def check_launch(device):
    """Arguments are checked against the signature; the number of threads is free."""
    program = device.program("fill")
    cells = device.alloc(1000, "u8", fill=1)
    for threads in (1, 7, 1000, 10**7):
        device.fill(cells, 1)
        device.launch(program, "fill_u64", threads, cells, 10, 900, 2**64 - 1)
        assert device.download(cells).tolist() == [1] * 10 + [2**64 - 1] * 900 + [1] * 90
    device.launch(program, "fill_u64", 0, cells, 0, 1000, 5)
    assert device.download(cells)[0] == 1
    raises(TypeError, "takes 4 arguments, not 3", device.launch, program, "fill_u64", 1, cells, 0, 1)
    raises(TypeError, "buffer of uint64", device.launch, program, "fill_u64", 1, device.alloc(3, "i8"), 0, 1, 1)
    raises(TypeError, "buffer of uint64", device.launch, program, "fill_u64", 1, np.zeros(3, "u8"), 0, 1, 1)
    raises(TypeError, "value", device.launch, program, "fill_u64", 1, cells, 0, 1, -1)
    raises(TypeError, "count", device.launch, program, "fill_u64", 1, cells, 0, 1.5, 1)
    raises(TypeError, "first", device.launch, program, "fill_u64", 1, cells, 2**63, 1, 1)
    raises(KeyError, "none", device.launch, program, "none", 1)
    freed = device.alloc(3, "u8")
    freed.free()
    raises(ValueError, "freed", device.launch, program, "fill_u64", 1, freed, 0, 1, 1)
    assert device.program("fill") is program


def check_budget(name):
    """The byte budget: what is counted, refused and given back."""
    device = get_device(name, memory_limit=10_000)
    assert get_device(name, memory_limit=10_000) is device
    assert get_device(name) is not device
    start = device.memory.used
    with device.count() as counters:
        a = device.alloc(1000, "u4")
        b = device.alloc(500, "u8")
        assert device.memory.used == start + 8000
        error = raises(DeviceMemoryError, "4,000 bytes needed, 2,000 of 10,000 free", device.alloc, 1000, "u4")
        assert (error.needed, error.free) == (4000, 2000)
        a.free()
        a.free()
        assert device.memory.used == start + 4000
        del b
        assert device.memory.used == start
        device.upload(np.zeros(100, "u1"))
    assert counters.peak_bytes == start + 8000
    assert device.memory.peak >= start + 8000
    assert (counters.bytes_up, counters.bytes_down, counters.launches) == (100, 0, 0)


def check_streaming(device, parts=6, size=5000):
    """Stream parts through two buffers while the part before computes: the pattern of graphs larger than the device."""
    rng = np.random.default_rng(5)
    data = rng.integers(0, 2**60, (parts, size)).astype(np.uint64)
    staging = [device.staging(size, np.uint64) for _ in range(2)]
    buffers = [device.alloc(size, np.uint64) for _ in range(2)]
    total = device.alloc(parts * size, np.uint64, fill=0)
    program = device.program(words.KERNELS / "words.c")
    free_again = [device.event(), device.event()]
    copied = [None, None]
    out = []
    for k in range(parts):
        side = k % 2
        if copied[side] is not None:
            device.finish(copied[side])  # the staging array may be written again
        staging[side][:] = data[k]
        copied[side] = device.upload_async(staging[side], buffers[side], after=free_again[side])
        device.wait(copied[side])
        device.launch(program, "read_u64", size, buffers[side], total, size)
        free_again[side] = device.event()
        out.append(device.download(total, 0, size))
    device.finish()
    assert np.array_equal(np.stack(out), data)


def check_threads(device, count=4):
    """Several Python threads on one device: each gets its own answers and its own counters, from launches and recordings."""
    program, adding = device.program("fill"), device.program(words.KERNELS / "words.c")
    wrong = []

    def launched(k):
        with device.count() as counters:
            cells = device.alloc(10_000, "u8", fill=0)
            for r in range(10):
                device.launch(program, "fill_u64", 10_000, cells, 0, 10_000, 100 * k + r)
                if not (device.download(cells) == 100 * k + r).all():
                    wrong.append((k, r))
        if counters.launches != 10:
            wrong.append((k, counters))

    def recorded(k):
        for r in range(10):
            cells, old = device.alloc(6, "u4", fill=0), device.alloc(600, "u4", fill=0)
            made = Recording([device.prepare(adding, "atomics_u32", 100, cells, old, 100)] * 2)
            device.replay(made, 16 * (r % 2 + 1))  # twice 16 launches of a hundred additions of 3, once or twice
            if device.download(cells)[1] != 2 * 16 * 100 * 3 * (r % 2 + 1):
                wrong.append((k, r, "recorded"))

    def work(k):
        try:
            launched(k)
            recorded(k)
        except Exception as error:
            wrong.append((k, error))

    at_once(count, work)
    assert wrong == []


def at_once(count, work):
    """Call ``work(k)`` in a thread for each k, all at once."""
    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def check_all(device):
    """Every check above."""
    check_arrays(device)
    check_launch(device)
    check_budget(device.info.name)
    check_streaming(device)
    check_threads(device)
    raises(DeviceError, "no device is called", get_device, "gpu")

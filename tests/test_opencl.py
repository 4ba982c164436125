"""OpenCL's host code: what the errors of a driver become."""

import numpy as np
import pytest

from steppe.errors import DeviceError, DeviceMemoryError


@pytest.mark.pocl
@pytest.mark.parametrize(
    "call", ["copy to", "copy from", "fill", "async", "event", "wait", "finish", "prepare", "launch", "alloc"]
)
@pytest.mark.parametrize(
    "status", ["MEM_OBJECT_ALLOCATION_FAILURE", "OUT_OF_RESOURCES", "OUT_OF_HOST_MEMORY", "INVALID_CONTEXT"]
)
@pytest.mark.parametrize("dead", [False, True])
def test_every_error_of_the_driver_is_one_of_ours(pocl, monkeypatch, call, status, dead):
    """OUT_OF_RESOURCES may be lack of memory or a kernel that failed: after that the queue does nothing more."""
    from steppe.gpu import opencl

    _, handle = opencl.choose("pocl")
    mine = opencl.OpenCL(pocl.info, handle)
    cells, event = mine.alloc(10, "u8", fill=1), mine.event()
    program = mine.program("fill") if call in ("launch", "prepare") else None
    host = np.zeros(10, "u8")
    record = opencl.cl._cl._ErrorRecord(msg="", code=getattr(opencl.cl.status_code, status), routine="the driver")
    kind = opencl.cl.LogicError if status == "INVALID_CONTEXT" else opencl.cl.MemoryError
    error = kind(record)

    def refuse(*_, **__):
        raise error

    names = {"fill": "enqueue_fill_buffer", "event": "enqueue_marker", "wait": "enqueue_barrier", "alloc": "Buffer"}
    names |= {"launch": "enqueue_nd_range_kernel", "prepare": "Kernel"}
    calls = {
        "copy to": lambda: mine.upload(host, into=cells),
        "copy from": lambda: mine.download(cells),
        "fill": lambda: mine.fill(cells, 1),
        "async": lambda: mine.upload_async(host, cells),
        "event": mine.event,
        "wait": lambda: mine.wait(event),
        "finish": mine.finish,
        "prepare": lambda: mine.prepare(program, "fill_u64", 1, cells, 0, 1, 1),
        "launch": lambda: mine.launch(program, "fill_u64", 1, cells, 0, 1, 1),
        "alloc": lambda: mine.alloc(10, "u8"),
    }
    if call == "finish" or dead:
        monkeypatch.setattr(mine, "_queue", type("Queue", (), {"finish": refuse})())
    if call != "finish":
        monkeypatch.setattr(opencl.cl, names.get(call, "enqueue_copy"), refuse)
    first_use = call in ("copy to", "fill", "async", "alloc")
    lack = status.startswith(("MEM", "OUT_OF_HOST")) or (status == "OUT_OF_RESOURCES" and first_use and not dead)
    with pytest.raises(DeviceMemoryError if lack else DeviceError) as caught:
        calls[call]()
    assert caught.value.__cause__ is error
    assert isinstance(caught.value, DeviceMemoryError) is lack
    assert ("process is restarted" in str(caught.value)) is (status == "OUT_OF_RESOURCES" and not lack)
    monkeypatch.undo()

"""Contexts of the CUDA driver: which one is current, and errors of its calls."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, nvrtc

from ..errors import DeviceError, DeviceMemoryError

if TYPE_CHECKING:
    from .memory import Handle


_LOST = frozenset({214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})
"""Errors after which every call fails: a kernel's fault or time limit, broken memory or links, a destroyed context."""


def check(result: tuple[Any, ...]) -> Handle:
    """Return what a call of the driver or of NVRTC gave, or raise DeviceError."""
    if result[0]:
        raise _failure(result[0])
    return result[1] if len(result) == 2 else result[1:]


def is_lost(error: Handle) -> bool:
    """Whether no later call of this process can succeed after an error of the driver."""
    return int(error) in _LOST


def _failure(error: Handle) -> DeviceError:
    if isinstance(error, nvrtc.nvrtcResult):
        text = nvrtc.nvrtcGetErrorString(error)[1]
        return DeviceError(f"NVRTC: {text.decode() if isinstance(text, bytes) else text}")
    text = driver.cuGetErrorString(error)[1]
    msg = f"CUDA: {text.decode() if isinstance(text, bytes) else text or error}"
    if error == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
        return DeviceMemoryError(msg, needed=0, free=0)
    if is_lost(error):
        msg += "; no later call of this process to the GPU can succeed, of whichever library: restart the process"
    return DeviceError(msg)


class Current:
    """Makes a context current inside a ``with`` block, and afterwards the one before again; inside its own block it does nothing.

    Another library may be capturing a stream (PyTorch's graphs, in the mode that is CUDA's default, forbid all threads to allocate, and
    one call that does makes the capture invalid). Nothing here is captured by another library, so inside the block the thread's mode is
    RELAXED, in which the driver allows all calls.

    The garbage collector may call a finalizer at any moment, also between another device's entry and its calls. Hence each
    thread has a list of the contexts it has entered: only its last entry is known to be current, and none while contexts change.
    """

    def __init__(self, context: Handle) -> None:
        self.context = context

    def __enter__(self) -> None:
        entered = _entered()
        if entered and entered[-1][0] is self.context:
            entered.append((self.context, None))
            return
        entered.append(_UNKNOWN)
        try:
            check(driver.cuCtxPushCurrent(self.context))
            mode = check(driver.cuThreadExchangeStreamCaptureMode(_RELAXED))
        except BaseException:
            entered.pop()
            raise
        entered[-1] = (self.context, mode)

    def __exit__(self, *_: object) -> None:
        entered = _entered()
        mode = entered[-1][1]
        try:
            if mode is not None:
                entered[-1] = _UNKNOWN
                check(driver.cuThreadExchangeStreamCaptureMode(mode))
                check(driver.cuCtxPopCurrent())
        finally:
            entered.pop()


_RELAXED = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
_UNKNOWN = (None, None)
_thread = threading.local()


def _entered() -> list[tuple[Handle, Handle]]:
    """Return what this thread has entered: contexts, and the mode before where an entry has changed something."""
    try:
        entered: list[tuple[Handle, Handle]] = _thread.entered
    except AttributeError:
        entered = _thread.entered = []
    return entered

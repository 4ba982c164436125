"""Contexts of the CUDA driver: which one is current, and what its calls say went wrong."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, nvrtc

from ..errors import DeviceError, DeviceMemoryError

if TYPE_CHECKING:
    from .memory import Handle


def check(result: tuple[Any, ...]) -> Handle:
    """Return what a call of the driver or of NVRTC gave, or raise DeviceError."""
    error, *values = result
    if int(error) != 0:
        if isinstance(error, nvrtc.nvrtcResult):
            text = nvrtc.nvrtcGetErrorString(error)[1]
            msg = f"NVRTC: {text.decode() if isinstance(text, bytes) else text}"
            raise DeviceError(msg)
        text = driver.cuGetErrorString(error)[1]
        msg = f"CUDA: {text.decode() if isinstance(text, bytes) else text or error}"
        raise (
            DeviceMemoryError(msg, needed=0, free=0)
            if error == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
            else DeviceError(msg)
        )
    return values[0] if len(values) == 1 else tuple(values)


class Current:
    """Makes a context current inside a ``with`` block, and afterwards the one before again; inside its own block it does nothing.

    The garbage collector may call a finalizer at any moment, also between another device's entry and its calls. Hence a list for each
    thread of what has been entered: only its last entry is known to be current.
    """

    def __init__(self, context: Handle) -> None:
        self.context = context

    def __enter__(self) -> None:
        entered = _entered()
        if not entered or entered[-1] is not self.context:
            check(driver.cuCtxPushCurrent(self.context))
        entered.append(self.context)

    def __exit__(self, *_: object) -> None:
        entered = _entered()
        entered.pop()
        if not entered or entered[-1] is not self.context:
            check(driver.cuCtxPopCurrent())


_thread = threading.local()


def _entered() -> list[Handle]:
    try:
        entered: list[Handle] = _thread.entered
    except AttributeError:
        entered = _thread.entered = []
    return entered

"""Recording: launches that CUDA keeps as a graph, so that the host enqueues many of them by one call.

A launch costs the host some microseconds, and a search on a road network has thousands of them, each of which takes a GPU no longer than
that. All control is in device memory (kernels/delta_stepping.c), so a batch of steps is the same launches over and over: recorded once for
a search, replayed as often as it takes.
"""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, NamedTuple

from cuda.bindings import driver

from .contexts import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from .contexts import Current
    from .memory import Handle

REPEATED = 16
"""Repetitions in a graph: of relax and commit for either parity, 32 steps."""


class Bound(NamedTuple):
    """A kernel with its arguments: the driver reads them from `address`, as long as somebody holds `cells`."""

    function: Handle
    address: int
    cells: object


class Graph:
    """What `issue` enqueues on a stream, recorded instead of run. It does not keep the launches' buffers: a `Recording` does."""

    def __init__(self, current: Current, stream: Handle, issue: Callable[[], None]) -> None:
        check(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
        try:
            issue()
        finally:
            recorded = check(driver.cuStreamEndCapture(stream))
        try:
            self.handle = check(driver.cuGraphInstantiate(recorded, 0))
        finally:
            check(driver.cuGraphDestroy(recorded))
        weakref.finalize(self, _end, current, self.handle, os.getpid()).atexit = False


def _end(current: Current, handle: Handle, process: int) -> None:
    if process == os.getpid():
        with current:
            driver.cuGraphExecDestroy(handle)

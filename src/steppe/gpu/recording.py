"""Recording: launches that CUDA keeps as a graph, so that the host enqueues many of them by one call.

A launch costs the host some microseconds, and a search on a road network has thousands of them, each of which takes a GPU no longer than that
(estimates). All control is in device memory (kernels/delta_stepping.c), so a batch of steps is the same launches over and over: recorded once for a
search, replayed as often as it takes.
"""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, NamedTuple

from cuda.bindings import driver

from .contexts import check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .contexts import Current
    from .launches import Launch
    from .memory import Handle

REPEATED = 16
"""Repetitions in a graph: of relax and commit for either parity, 32 steps."""


class Bound(NamedTuple):
    """A kernel with its arguments: the driver reads them from `address`, as long as `cells` exists."""

    function: Handle
    address: int
    cells: object


class Graph:
    """Launches, one after the other and all of them `times` over, as a graph of the driver. A `Recording` keeps their buffers.

    It is built node by node. Capturing a stream would record what any thread enqueues there meanwhile, and would forbid others to free
    memory or to wait for the context.
    """

    def __init__(self, current: Current, launches: Iterable[Launch], times: int) -> None:
        recorded = check(driver.cuGraphCreate(0))
        try:
            nodes = [_node(one) for one in launches]
            last: list[Handle] = []
            for node in nodes * times:
                last = [check(driver.cuGraphAddKernelNode(recorded, last, len(last), node))]
            self.handle = check(driver.cuGraphInstantiate(recorded, 0))
        finally:
            driver.cuGraphDestroy(recorded)
        weakref.finalize(self, _end, current, self.handle, os.getpid()).atexit = False


def _node(launch: Launch) -> Handle:
    """Return a launch as the driver's graphs take it: they copy its arguments when a node is added."""
    node = driver.CUDA_KERNEL_NODE_PARAMS()
    node.func, node.kernelParams = launch.bound.function, launch.bound.address
    node.gridDimX, node.blockDimX = launch.groups, launch.program.block
    node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1
    return node


def _end(current: Current, handle: Handle, process: int) -> None:
    if process == os.getpid():
        with current:
            driver.cuGraphExecDestroy(handle)

"""Which devices there are, and how one is chosen by its name.

A device is named "cpu", "cuda", "cuda:1", "opencl", "opencl:NAME" (a part of the device's or platform's name) or "auto"
(the first real GPU, else the CPU). No driver is touched before a device is needed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
from typing import TYPE_CHECKING, Any

from ..errors import DeviceError
from ..machine import locks
from .device import Device, DeviceInfo, forked

if TYPE_CHECKING:
    from ..graph.graph import Graph

_PACKAGES = {"cuda": "cuda.bindings", "opencl": "pyopencl"}
_default: str | None = None
_devices: dict[tuple[str, int | None], Device] = {}
_lock = locks.make()
_processes: dict[str, int] = {}  # which process started the driver of a kind

LIMITED = 4
"""Device objects with a ``memory_limit`` that are kept; the one not used for longest goes, with what it keeps of graphs."""


def devices() -> list[DeviceInfo]:
    """List the CPU and every device found; for a kind that is absent, an entry that says why and what to install.

    Examples
    --------
    >>> devices()[0].name
    'cpu'
    """
    units = os.cpu_count() or 1
    found = [DeviceInfo("cpu", "cpu", f"{platform.machine()}, {units} hardware threads", units=units)]
    for kind in _PACKAGES:
        try:
            found += [info for info, _ in _driver(kind).find()]
        except DeviceError as error:
            found.append(DeviceInfo(kind, kind, "", available=False, reason=str(error)))
    return found


def get_device(name: str | None = None, *, memory_limit: int | None = None) -> Device | None:
    """Return the device called `name`, or None for the CPU, which needs no device object.

    Asking twice gives the same object, so that what has been uploaded and compiled for it is found again.

    Parameters
    ----------
    name
        "cpu", "auto", "cuda", "cuda:1", "opencl" or "opencl:NAME"; None for the default device.
    memory_limit
        Bytes that may be allocated on it; None for all it has. Each limit is a device object of its own, and the last
        few of them are kept.

    Raises
    ------
    DeviceError
        The driver, the extra or the device is missing; the message says which, and what to install. Or this is the
        forked child of a process that has used a device: start it with the method "spawn".

    Examples
    --------
    >>> get_device("cpu") is None
    True
    """
    name = default_device() if name is None else name
    kind, _, rest = name.partition(":")
    if kind == "cpu":
        return None
    if kind == "auto":
        gpu = next((info for info in devices() if info.is_gpu), None)
        return None if gpu is None else get_device(gpu.name, memory_limit=memory_limit)
    if kind not in _PACKAGES:
        raise DeviceError(f"no device is called {name!r}: use cpu, auto, cuda, cuda:1, opencl or opencl:NAME")
    if memory_limit is not None and memory_limit < 0:
        raise DeviceError(f"memory_limit is {memory_limit}: it cannot be negative")
    with _lock:
        info, handle = _driver(kind).choose(rest)
        key = (info.name, memory_limit)
        device = _devices.pop(key, None) or _driver(kind).DEVICE(info, handle, memory_limit)
        device.look_at_memory()
        _devices[key] = device  # the last used is last
        limited = [held for held in _devices if held[1] is not None]
        for held in limited[:-LIMITED]:
            _devices.pop(held).forget_graphs()
        return device


def holder(graph: Graph) -> str | None:
    """Return the name of a GPU that has the graph's rows; None where there is none.

    Examples
    --------
    >>> import steppe as sp
    >>> holder(sp.Graph.from_edges([0], [1])) is None
    True
    """
    with _lock:
        held = [device for (_, limit), device in _devices.items() if limit is None and device.info.is_gpu]
    return next((device.info.name for device in held if graph in device.copies and not device.is_forked()), None)


def cuda_number_at(address: int) -> int:
    """Return the number of the CUDA device that has the memory at an address."""
    return int(_driver("cuda").number_at(address))


def set_default_device(name: str | None) -> None:
    """Set the device used where none is given; None for what STEPPE_DEVICE says, or the CPU.

    Examples
    --------
    >>> set_default_device("cpu")
    >>> default_device()
    'cpu'
    >>> set_default_device(None)
    """
    global _default  # noqa: PLW0603 - a process has one default device
    if name is not None:
        get_device(name)  # an absent device is an error here, not at the first call
    _default = name


def default_device() -> str:
    """Return the name of the default device."""
    return _default or os.environ.get("STEPPE_DEVICE") or "cpu"


def _driver(kind: str) -> Any:
    """Return the module of a kind of devices: ``find``, ``choose`` and the class ``DEVICE``; DeviceError where its package is not installed."""
    if _processes.setdefault(kind, os.getpid()) != os.getpid():
        raise DeviceError(forked(kind))
    try:
        present = importlib.util.find_spec(_PACKAGES[kind]) is not None
    except ModuleNotFoundError:  # the parent package is absent
        present = False
    if not present:
        raise DeviceError(f"{_PACKAGES[kind]} is not installed: pip install 'steppe[{kind}]'")
    return importlib.import_module(f".{kind}", __package__)

"""Launches: compiled kernels, and kernels with their arguments, ready to be enqueued."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .memory import Buffer

if TYPE_CHECKING:
    from .device import Device
    from .memory import Handle
    from .source import Parameter, Source


class Program:
    """A compiled kernel file."""

    def __init__(self, source: Source, block: int, module: Handle) -> None:
        self.source, self.block, self.module = source, block, module
        self.names = source.names
        self.functions: dict[str, Any] = {}


@dataclass(frozen=True)
class Launch:
    """A kernel with its arguments, ready to be enqueued; it keeps its buffers."""

    program: Program
    kernel: str
    groups: int
    bound: Handle
    args: tuple[object, ...]

    def on(self, threads: int) -> Launch:
        """Return the same launch on another number of threads."""
        buffer = next(arg for arg in self.args if isinstance(arg, Buffer))
        return replace(self, groups=buffer.device._groups(self.program, threads))


class Recording(tuple[Launch, ...]):
    """Launches that are replayed so often that the driver may keep them, many repetitions as one (`kept`: its own handle)."""

    kept: Handle = None


def argument(device: Device, kernel: str, parameter: Parameter, value: object) -> Handle:
    """Return what the driver takes for a parameter: a buffer's handle, or a number that the parameter's type can hold."""
    if parameter.pointer:
        if not isinstance(value, Buffer) or value.dtype != parameter.dtype or value.device is not device:
            msg = f"{kernel}: {parameter.name} is a buffer of {parameter.dtype} on {device.info.name}, not {value!r}"
            raise TypeError(msg)
        if value.handle is None:
            raise ValueError(f"{kernel}: {parameter.name} has been freed")
        return value.handle
    if type(value) is int and parameter.low <= value <= parameter.high:
        return value
    try:
        number = np.array(value, dtype=parameter.dtype)[()]
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{kernel}: {parameter.name} is one {parameter.dtype}, not {value!r}") from error
    if parameter.dtype.kind in "iu" and number != value:  # a float is rounded to the parameter's type
        raise TypeError(f"{kernel}: {parameter.name} is {parameter.dtype} and cannot hold {value!r}")
    return number.item()

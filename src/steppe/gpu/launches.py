"""Launches: compiled kernels, and kernels with their arguments, ready to be enqueued."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .memory import Buffer

if TYPE_CHECKING:
    from .memory import Handle
    from .source import Source


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

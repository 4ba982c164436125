"""What can go wrong, as one tree.

.. code-block:: text

    SteppeError
     ├── GraphError (ValueError)             arrays that do not make a graph, a vertex that is not in it
     │    └── FormatError                    a file that cannot be read: has .file, .line
     ├── NegativeWeightError (ValueError)    a negative weight where the method takes none: has .edge
     ├── NegativeCycleError (ValueError)     no shortest path exists: has .cycle
     ├── NoPathError (LookupError)           Paths.path() of a vertex that was not reached
     ├── DistanceOverflowError (OverflowError)  a distance does not fit in 64 bits
     ├── ResultSizeError (MemoryError)       a result that does not fit in memory or on the disk: has .needed, .free
     ├── StoreError (ValueError)             a matrix on the disk that may not be continued or replaced
     ├── VerificationError (AssertionError)  an answer that is not a shortest-path answer: has .vertex
     └── DeviceError (RuntimeError)          a device that is not there or cannot do it
          └── DeviceMemoryError (MemoryError)  has .needed, .free, in bytes
               └── MemoryLimitError          the memory_limit of a search on the CPU is too small
"""

from __future__ import annotations

from typing import Any


class SteppeError(Exception):
    """The root of every error steppe raises on purpose."""


class GraphError(SteppeError, ValueError):
    """The arrays given do not make a graph, or a vertex is not in the graph."""


class FormatError(GraphError):
    """A file is malformed, truncated or not of the format it claims to be.

    Attributes
    ----------
    file : str
        The file's name, ``"<stdin>"`` for standard input, ``"<mapped file>"`` where native code met it.
    line : int or None
        The line, counted from 1; None for binary formats.
    """

    def __init__(self, message: str, *, file: str = "<mapped file>", line: int | None = None) -> None:
        super().__init__(f"{file}{'' if line is None else f':{line}'}: {message}")
        self.message = message
        self.file = file
        self.line = line

    def __reduce__(self) -> Any:
        return _rebuild_format_error, (self.message, self.file, self.line)


def _rebuild_format_error(message: str, file: str, line: int | None) -> FormatError:
    return FormatError(message, file=file, line=line)


class NegativeWeightError(SteppeError, ValueError):
    """A method that needs non-negative weights met a negative one.

    Attributes
    ----------
    edge : tuple
        ``(source label, target label, weight)`` of one such edge; None where only facts of the graph are known.
    """

    def __init__(self, message: str, edge: tuple[Any, Any, Any] | None = None) -> None:
        super().__init__(message, edge)
        self.edge = edge

    def __str__(self) -> str:
        return str(self.args[0])


class NegativeCycleError(SteppeError, ValueError):
    """A cycle of negative length can be reached from the source, so there is no shortest path.

    Attributes
    ----------
    cycle : list
        The cycle's vertices in order, as labels; the last one leads back to the first.
    """

    def __init__(self, message: str, cycle: list[Any]) -> None:
        super().__init__(message, cycle)
        self.cycle = cycle

    def __str__(self) -> str:
        return str(self.args[0])


class NoPathError(SteppeError, LookupError):
    """There is no path to the vertex asked for."""


class DistanceOverflowError(SteppeError, OverflowError):
    """A distance does not fit in a 64-bit integer, or in the type asked for; nothing was wrapped."""


class StoreError(SteppeError, ValueError):
    """A file or folder for a matrix (``out=``) is there already: steppe did not write it, it is finished, or it answers another question."""


class VerificationError(SteppeError, AssertionError):
    """An answer failed the proof.

    Attributes
    ----------
    vertex : object
        The label of the vertex at which it failed.
    """

    def __init__(self, message: str, vertex: Any = None) -> None:
        super().__init__(message, vertex)
        self.vertex = vertex

    def __str__(self) -> str:
        return str(self.args[0])


class _BytesError(SteppeError, MemoryError):
    """Something needs more bytes than there are.

    Attributes
    ----------
    needed, free : int
        Bytes.
    """

    def __init__(self, message: str, *, needed: int, free: int) -> None:
        super().__init__(message)
        self.needed = needed
        self.free = free

    def __reduce__(self) -> Any:
        return _rebuild_bytes_error, (type(self), str(self), self.needed, self.free)


def _rebuild_bytes_error(kind: type[_BytesError], message: str, needed: int, free: int) -> _BytesError:
    return kind(message, needed=needed, free=free)


class ResultSizeError(_BytesError):
    """A result would not fit in memory, or on the disk; nothing was computed.

    Attributes
    ----------
    needed, free : int
        Bytes.
    """


class DeviceError(SteppeError, RuntimeError):
    """A device was asked for that is not there, or that cannot do what was asked."""


class DeviceMemoryError(DeviceError, _BytesError):
    """The device (or its ``memory_limit``) is too small even for streaming.

    Attributes
    ----------
    needed, free : int
        Bytes.
    """


class MemoryLimitError(DeviceMemoryError):
    """The ``memory_limit`` of a search on the CPU is too small.

    It is a :class:`DeviceMemoryError` because such searches raised that before this class existed.

    Attributes
    ----------
    needed, free : int
        Bytes.
    """

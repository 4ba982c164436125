"""The device protocol: every method of a device that a host loop calls, on one page.

    program(file, ...)                       compile kernels/file.c for these types (cached)
    alloc(size, dtype), upload(array)        make a Buffer; counted against the byte budget
    download(buffer), fill(buffer, value)
    launch(program, kernel, threads, *args)  enqueue; arguments are checked against the kernel's signature
    prepare(...), replay(launches, times)    the same in two steps: checked once, enqueued as often as wanted
    finish()                                 wait until all is done
    staging(size, dtype)                     host array that copies fast (pinned on CUDA)
    upload_async(array, into, after=event)   copy on the second queue; gives an Event
    event(), wait(event), finish(event)      mark the first queue; make it wait; make the host wait
    memory, count()                          budget used / peak / free; counters for explain()

Two queues, each in order: the first computes, the second copies. They meet only by events, so a host loop can stream
parts of a graph through two staging buffers while the part before computes. The budget (`memory_limit`) makes a large
device behave like a small one: every allocation is counted, and one that does not fit raises DeviceMemoryError before
the driver is called. No driver survives a fork: the child gets DeviceError from everything here. A subclass (cuda.py,
opencl.py) supplies the methods with a leading underscore, and decides nothing else.
"""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DeviceError, DeviceMemoryError
from . import downloads, tuning
from . import source as _source
from .launches import Launch, Program, argument
from .memory import Buffer, Handle, Memory, without_reserve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

    from ..graph.graph import Graph
    from .rows import Copies
    from .source import Source
    from .spares import Spares


def forked(name: str) -> str:
    """Say why a forked child cannot use what its parent has opened."""
    return (
        f"{name}: a forked process cannot use the driver that its parent has started; start the process with the "
        'method "spawn" (multiprocessing.get_context("spawn")), or fork before the first use of a device'
    )


@dataclass(frozen=True)
class DeviceInfo:
    """What is known of a device. `name` is what `get_device` takes; an absent one says why in `reason`."""

    name: str
    kind: str
    description: str
    available: bool = True
    reason: str = ""
    is_gpu: bool = False
    memory: int = 0
    largest_allocation: int = 0
    units: int = 1
    max_block: int = 1
    has_f64: bool = True
    has_atomic_64: bool = True


@dataclass(eq=False)
class Counters:
    """What a device did while the counters were open; see `Device.count`."""

    launches: int = 0
    bytes_up: int = 0
    bytes_down: int = 0
    compile_seconds: float = 0.0
    peak_bytes: int = 0


class Device(ABC):
    """A device with its byte budget, its two queues and its compiled programs."""

    target: _source.Target
    extra_defines: dict[str, object]

    def __init__(self, info: DeviceInfo, memory_limit: int | None) -> None:
        self.info = info
        self.memory_limit = memory_limit
        self.memory = Memory(0)
        self.extra_defines = {}
        self.max_groups = 32 * info.units
        self.tuning = tuning.load(info)
        self._programs: dict[object, Program] = {}
        self._lock = threading.RLock()
        self._open = threading.local()
        self._downloads = downloads.Downloads()
        self._process = os.getpid()
        self.copies: weakref.WeakKeyDictionary[Graph, Copies] = weakref.WeakKeyDictionary()
        """What is kept on this device of each graph, as long as the graph lives (rows.py)."""

    def look_at_memory(self) -> None:
        """Set the budget by what the driver has free now: other processes may have changed it since the last call."""
        free = self._free_memory()
        most = self.info.memory if free is None else min(free + self.memory.allocated, self.info.memory)
        room = without_reserve(most)
        self.memory.limit = room if self.memory_limit is None else min(self.memory_limit, room)

    def forget_graphs(self) -> None:
        """Free what is kept of all graphs. A search that is using it goes on; the memory is freed after it."""
        self.copies = weakref.WeakKeyDictionary()

    def give_back_spares(self) -> int:
        """Free the memory that is kept for later searches; return how many bytes that was."""
        kept = [self.copies.get(graph) for reference in self.copies.keyrefs() if (graph := reference()) is not None]
        return sum(one.spares.give_back() for one in kept if one is not None and one.spares is not None)

    def is_forked(self) -> bool:
        """Whether this process is a child of the one that opened the device."""
        return self._process != os.getpid()

    def _ready(self) -> None:
        if self.is_forked():
            raise DeviceError(forked(self.info.name))

    # Programs and launches

    def program(
        self,
        file: str | Path,
        *,
        weight: str | None = None,
        dist: str | None = None,
        signed: bool = False,
        block: int = 256,
        **defines: object,
    ) -> Program:
        """Compile a kernel file for these types, or take it from the cache; see `source.make`."""
        self._ready()
        block = min(block, self.info.max_block)
        wanted = (_source.KERNELS, file, weight, dist, signed, block, tuple(sorted(defines.items())))
        with self._lock:
            if wanted not in self._programs:
                start = time.perf_counter()
                types = {"weight": weight, "dist": dist, "signed": signed}
                self._programs[wanted] = self._build(file, types, block, self.extra_defines | defines)
                for counters in self._counters():
                    counters.compile_seconds += time.perf_counter() - start
            return self._programs[wanted]

    def _build(self, file: str | Path, types: dict[str, Any], block: int, defines: dict[str, object]) -> Program:
        made = _source.make(file, target=self.target, **types, block=block, defines=defines)
        if made.needs_f64 and not self.info.has_f64:
            raise DeviceError(f"{self.info.name} has no 64-bit floats (cl_khr_fp64): use float32 weights or the CPU")
        if made.needs_atomic_64 and not self.info.has_atomic_64:
            raise DeviceError(
                f"{self.info.name} has no 64-bit atomics (cl_khr_int64_extended_atomics): use 32-bit weights "
                "without record_paths, or the CPU"
            )
        module = self._compile(made)
        most = self._most_threads(module, made.kernels)
        if most < block:  # a power of two, as blocks are everywhere
            return self._build(file, types, 1 << (max(most, 1).bit_length() - 1), defines)
        return Program(made, block, module)

    def prepare(self, program: Program, kernel: str, threads: int, *args: object) -> Launch:
        """Check and pack the arguments of a launch once, for any number of replays.

        Numbers are converted to the parameter's type; buffers must have it.
        """
        self._ready()
        parameters = program.source.kernels[kernel]
        if len(parameters) != len(args):
            raise TypeError(f"{program.source.name}.{kernel} takes {len(parameters)} arguments, not {len(args)}")
        values = [argument(self, kernel, p, a) for p, a in zip(parameters, args, strict=True)]
        with self._lock:
            bound = self._bind(program, kernel, values)
        return Launch(program, kernel, self._groups(program, threads), bound, args)

    def _groups(self, program: Program, threads: int) -> int:
        return min(-(-threads // program.block), self.max_groups)

    def replay(self, launches: Sequence[Launch], times: int = 1) -> None:
        """Enqueue prepared launches, one after the other and all of them `times` over; a `Recording` is kept by the driver."""
        self._ready()
        with self._lock:
            issued = self._replay(launches, times)
        for counters in self._counters():
            counters.launches += issued

    def launch(self, program: Program, kernel: str, threads: int, *args: object) -> None:
        """Enqueue a kernel on at least one thread and about `threads`; kernels stride, so any number is right.

        `threads` of 0 does nothing.
        """
        if threads > 0:
            self.replay([self.prepare(program, kernel, threads, *args)])

    # Memory

    def alloc(self, size: int, dtype: DTypeLike, fill: object = None, spares: Spares | None = None) -> Buffer:
        """Make a buffer of `size` elements, every cell `fill` unless that is None; from `spares` if there is one, and it goes back there."""
        self._ready()
        kind = np.dtype(dtype)
        nbytes = size * kind.itemsize
        largest = self.info.largest_allocation or nbytes
        if nbytes > largest:
            msg = f"{self.info.name}: {nbytes:,} bytes needed in one piece, the device gives at most {largest:,}"
            raise DeviceMemoryError(msg, needed=nbytes, free=largest)
        handle = None if spares is None else spares.take(nbytes)
        if handle is None:
            handle = self._allocate(nbytes)
        for counters in self._counters():
            counters.peak_bytes = max(counters.peak_bytes, self.memory.used)
        buffer = Buffer(self, size, kind, handle, spares=spares)
        if fill is not None:
            self.fill(buffer, fill)
        return buffer

    def _allocate(self, nbytes: int) -> Handle:
        try:
            self.memory.take(nbytes, self.info.name)
        except DeviceMemoryError:
            gc.collect()  # frees buffers in cycles of dead objects
            self.give_back_spares()
            self.memory.take(nbytes, self.info.name)
        try:
            return self._alloc(max(nbytes, 8))
        except BaseException as error:
            self.memory.give(nbytes)
            if isinstance(error, DeviceMemoryError):
                if self.give_back_spares():
                    return self._allocate(nbytes)
                self.memory.room = self.memory.used + min(error.free, max(nbytes - 1, 0))
            raise

    def upload(self, array: NDArray[Any], into: Buffer | None = None, offset: int = 0) -> Buffer:
        """Copy a host array into a new buffer, or into a given one from element `offset` on; done on return."""
        array = np.ascontiguousarray(array)
        if into is None:
            into = self.alloc(array.size, array.dtype)
        self._inside(into, offset, array.size, array.dtype)
        if array.size:
            self._write(into.handle, offset * into.dtype.itemsize, array)
        for counters in self._counters():
            counters.bytes_up += array.nbytes
        return into

    def download(self, buffer: Buffer, offset: int = 0, count: int | None = None) -> NDArray[Any]:
        """Copy `count` elements (all) from `offset` on to a new host array, after everything enqueued so far."""
        count = buffer.size - offset if count is None else count
        self._inside(buffer, offset, count, buffer.dtype)
        array = np.empty(count, buffer.dtype)
        if count:
            place = buffer.handle, offset * buffer.dtype.itemsize
            pinned = self.info.is_gpu and array.nbytes >= downloads.FROM and self._downloads.read(self, array, *place)
            if not pinned:
                self._read(array, *place)
        for counters in self._counters():
            counters.bytes_down += array.nbytes
        return array

    def copy(self, source: Buffer, into: Buffer) -> None:
        """Copy a whole buffer into another one of the same type and size, on the device."""
        self._inside(into, 0, source.size, source.dtype)
        if source.size:
            self._copy(source, into)

    def fill(self, buffer: Buffer, value: object, offset: int = 0, count: int | None = None) -> None:
        """Write `value` into `count` elements (all) from `offset` on."""
        count = buffer.size - offset if count is None else count
        self._inside(buffer, offset, count, buffer.dtype)
        if count:
            self._fill(buffer, np.array(value, dtype=buffer.dtype), offset, count)

    def _inside(self, buffer: Buffer, offset: int, count: int, dtype: np.dtype[Any]) -> None:
        self._ready()
        if dtype != buffer.dtype:
            raise TypeError(f"the buffer holds {buffer.dtype}, not {dtype}")
        if offset < 0 or count < 0 or offset + count > buffer.size:
            raise IndexError(f"elements {offset} to {offset + count} of a buffer of {buffer.size}")

    # The second queue

    def upload_async(self, array: NDArray[Any], into: Buffer, *, offset: int = 0, after: Handle = None) -> Handle:
        """Copy on the second queue, after event `after`; gives the event of its end.

        Until then the array (best one from `staging`) must not change.
        """
        if not array.flags.c_contiguous:
            raise ValueError("an asynchronous copy takes a contiguous array")
        self._inside(into, offset, array.size, array.dtype)
        for counters in self._counters():
            counters.bytes_up += array.nbytes
        return self._write_async(into.handle, offset * into.dtype.itemsize, array, after)

    # Counters

    @contextmanager
    def count(self) -> Iterator[Counters]:
        """Count what this thread does on the device inside the `with` block."""
        counters = Counters(peak_bytes=self.memory.used)
        self._counters().append(counters)
        try:
            yield counters
        finally:
            self._counters().remove(counters)

    def _counters(self) -> list[Counters]:
        if not hasattr(self._open, "counters"):
            self._open.counters = []
        opened: list[Counters] = self._open.counters
        return opened

    # What a target supplies

    @abstractmethod
    def finish(self, event: Handle = None) -> None:
        """Wait on the host until everything enqueued (or `event`) is done."""

    @abstractmethod
    def staging(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return a host array from which asynchronous copies are fast."""

    @abstractmethod
    def event(self) -> Handle:
        """Mark the end of what has been enqueued on the first queue."""

    @abstractmethod
    def wait(self, event: Handle) -> None:
        """Let everything enqueued on the first queue from now on wait for `event`."""

    # For arrays of other libraries (exchange.py)

    @abstractmethod
    def exchanged(self) -> tuple[int, int]:
        """Return kind and number of this device in DLPack."""

    @abstractmethod
    def address_of(self, buffer: Buffer) -> int:
        """Return what another library takes as the address of a buffer."""

    @abstractmethod
    def foreign(self, address: int) -> Handle:
        """Return the handle of memory that another library has."""

    @abstractmethod
    def stream_number(self) -> int | None:
        """Return DLPack's number of the first queue, for which an owner makes its array ready; None where queues have no numbers."""

    @abstractmethod
    def wait_for_stream(self, stream: int) -> None:
        """Wait until another library's stream is done."""

    @abstractmethod
    def _free_memory(self) -> int | None:
        """Return the bytes that the driver has free; None where it does not report them."""

    @abstractmethod
    def _compile(self, source: Source) -> Handle: ...
    @abstractmethod
    def _most_threads(self, module: Handle, kernels: Iterable[str]) -> int: ...
    @abstractmethod
    def _bind(self, program: Program, kernel: str, values: list[Any]) -> Handle: ...
    @abstractmethod
    def _replay(self, launches: Sequence[Launch], times: int) -> int: ...
    @abstractmethod
    def _alloc(self, nbytes: int) -> Handle: ...
    @abstractmethod
    def _free(self, handle: Handle) -> None: ...
    @abstractmethod
    def _write(self, handle: Handle, offset: int, array: NDArray[Any]) -> None: ...
    @abstractmethod
    def _read(self, array: NDArray[Any], handle: Handle, offset: int) -> None: ...
    @abstractmethod
    def _read_async(self, array: NDArray[Any], handle: Handle, offset: int) -> Handle: ...
    @abstractmethod
    def _fill(self, buffer: Buffer, value: NDArray[Any], offset: int, count: int) -> None: ...
    @abstractmethod
    def _copy(self, source: Buffer, into: Buffer) -> None: ...
    @abstractmethod
    def _write_async(self, handle: Handle, offset: int, array: NDArray[Any], after: Handle) -> Handle: ...

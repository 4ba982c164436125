"""The device protocol on PyOpenCL: GPUs of any maker, and CPUs through PoCL.

Text is built as OpenCL C 1.2, which every driver has (Apple's ends there). Compiled kernels are cached by the drivers
themselves. Oclgrind, the interpreter that detects races, is a platform like any other, except that it is taken only
by its name, and that it gets CHECK (see LOAD in DIALECT.md) and no optimiser, which would hide races.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
import warnings
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl

from ..errors import DeviceError, DeviceMemoryError
from ..machine import memory
from . import exchange
from .device import Device, DeviceInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import DTypeLike, NDArray

    from .launches import Launch, Program
    from .memory import Buffer, Handle
    from .source import Source

OPTIONS = ("-cl-std=CL1.2", "-w")
_NO_MEMORY = (
    cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE,
    cl.status_code.OUT_OF_HOST_MEMORY,
    cl.status_code.INVALID_BUFFER_SIZE,  # more than the device gives in one piece
)
_NO_RESOURCES = cl.status_code.OUT_OF_RESOURCES
_contexts: dict[Any, Any] = {}
_contexts_lock = threading.Lock()
_building = threading.Lock()
_flaws: dict[Any, str] = {}

UNKNOWN_PROCESSOR = (
    'PoCL\'s compiler does not know this processor: it calls it "generic", and builds no kernel for that name. Install PoCL 5 or newer and set '
    'POCL_LLVM_CPU_NAME to a processor with the same instructions ("haswell" with AVX2, "skylake-avx512" with AVX-512), or install another OpenCL '
    'driver. device="cpu" needs neither'
)
"""What a user can do where `_flaw` or a build finds a processor that LLVM calls "generic"."""


def find() -> list[tuple[DeviceInfo, Any]]:
    """List every OpenCL device as (facts, handle): GPUs first, Oclgrind after all others, what cannot build kernels last."""
    try:
        platforms = cl.get_platforms()
    except cl.LogicError as error:
        raise DeviceError(
            "no OpenCL driver is installed: install the GPU's driver, or PoCL for the CPU (pip install pyopencl[pocl])"
        ) from error
    found = []
    for platform in platforms:
        try:
            handles = platform.get_devices()
        except cl.RuntimeError:  # a platform without devices
            continue
        found += [(_facts(platform, handle), handle) for handle in handles]
    if not found:
        raise DeviceError("the OpenCL drivers report no device")
    found.sort(key=lambda pair: (not pair[0].available, _is_oclgrind(pair[1]), not pair[0].is_gpu))
    seen: dict[str, int] = {}
    for k, (info, handle) in enumerate(found):  # the second of two equal GPUs is called NAME#2
        seen[info.name] = seen.get(info.name, 0) + 1
        if seen[info.name] > 1:
            found[k] = replace(info, name=f"{info.name}#{seen[info.name]}"), handle
    return found


def choose(name: str) -> tuple[DeviceInfo, Any]:
    """Take the first device, the one of that number or very name, or the first whose platform or device name contains `name`."""
    found = find()
    for info, handle in found:
        if info.name == f"opencl:{name}":
            return _usable(info, handle)
    if name.isdigit():
        if int(name) < len(found):
            return _usable(*found[int(name)])
        raise DeviceError(f"there is no OpenCL device {name}: {len(found)} were found, counted from 0")
    for info, handle in found:
        if name.lower() in info.description.lower() if name else not _is_oclgrind(handle):
            return _usable(info, handle)
    names = "; ".join(info.description for info, _ in found)
    msg = f"no OpenCL device is called {name!r}; there are: {names}" if name else f"no OpenCL device but {names}"
    raise DeviceError(msg)


def _usable(info: DeviceInfo, handle: Handle) -> tuple[DeviceInfo, Any]:
    if not info.available:
        raise DeviceError(f"{info.name}: {info.reason}")
    return info, handle


def _is_oclgrind(handle: Handle) -> bool:
    return "oclgrind" in handle.platform.name.lower()


def _flaw(handle: Handle) -> str:
    """Return why no kernel can be built for the device, else nothing. Only PoCL on an unknown processor builds one as a test."""
    if "Portable Computing Language" not in handle.platform.name or not handle.version.strip().endswith("-generic"):
        return ""
    with _building:
        if handle not in _flaws:
            _flaws[handle] = ""
            try:
                cl.Program(cl.Context([handle]), "kernel void nothing() {}").build(cache_dir=False)
            except cl.RuntimeError as error:
                _flaws[handle] = UNKNOWN_PROCESSOR if "unknown target CPU" in str(error) else str(error)
        return _flaws[handle]


def _facts(platform: Handle, handle: Handle) -> DeviceInfo:
    extensions = handle.extensions.split()
    flaw = _flaw(handle)
    return DeviceInfo(
        name=f"opencl:{handle.name.strip()}",
        kind="opencl",
        description=f"{handle.name.strip()} ({platform.name}, {platform.version.strip()})",
        available=not flaw,
        reason=flaw,
        is_gpu=bool(handle.type & cl.device_type.GPU) and not _is_oclgrind(handle),
        memory=handle.global_mem_size,
        largest_allocation=handle.max_mem_alloc_size,
        units=handle.max_compute_units,
        max_block=handle.max_work_group_size,
        has_f64="cl_khr_fp64" in extensions,
        has_atomic_64="cl_khr_int64_extended_atomics" in extensions,
    )


class OpenCL(Device):
    """An OpenCL device."""

    target = "opencl"

    def __init__(self, info: DeviceInfo, handle: Handle, memory_limit: int | None = None) -> None:
        super().__init__(info, memory_limit)
        try:
            importlib.import_module("pyopencl.invoker")  # opens PyOpenCL's cache
        except OSError as error:
            ways = "set XDG_CACHE_HOME to a folder that can be written, or PYOPENCL_NO_CACHE=1"
            raise DeviceError(f"PyOpenCL cannot write its cache ({error}): {ways}, before Python starts") from error
        self._handle = handle
        with _contexts_lock:
            if handle not in _contexts:
                _contexts[handle] = cl.Context([handle])
            self._context = _contexts[handle]
        self._queue = cl.CommandQueue(self._context)
        self._copies = cl.CommandQueue(self._context)
        flags = {"HAS_F64": info.has_f64, "HAS_ATOMIC_64": info.has_atomic_64, "CHECK": _is_oclgrind(handle)}
        self.look_at_memory()
        self._options = [*OPTIONS, "-cl-opt-disable"] if _is_oclgrind(handle) else [*OPTIONS]
        self.extra_defines = {name: 1 for name, present in flags.items() if present}

    def exchanged(self) -> tuple[int, int]:  # noqa: D102
        return exchange.OPENCL, [handle for _, handle in find()].index(self._handle)

    def address_of(self, buffer: Buffer) -> int:  # noqa: D102
        return int(buffer.handle.int_ptr)

    def foreign(self, address: int) -> Handle:  # noqa: D102
        return cl.Buffer.from_int_ptr(address, retain=True)

    def stream_number(self) -> None:  # noqa: D102
        return None

    def wait_for_stream(self, stream: int) -> None:  # noqa: D102
        raise DeviceError(f"{self.info.name} has no stream {stream}: streams are CUDA's")

    def _free_memory(self) -> int | None:
        """Ask AMD's extension; of a CPU the host's free memory. Other drivers report only the total."""
        if not self.info.is_gpu:
            return memory.available()
        if "cl_amd_device_attribute_query" in self._handle.extensions:
            with contextlib.suppress(cl.Error, AttributeError):
                return 1024 * int(self._handle.global_free_memory_amd[0])
        return None

    @contextmanager
    def _telling(self, doing: str, nbytes: int = 0, *, first_use: bool = False) -> Iterator[None]:
        """Turn the driver's errors into ours. Many drivers allocate at the first use, so that anything may run out of memory.

        OUT_OF_RESOURCES is no proof of that: NVIDIA's driver returns it for a kernel that failed, and for every call after it. It counts as lack
        of memory only where memory may be used for the first time, and the queue still works.
        """
        try:
            yield
        except cl.Error as error:
            if error.code in _NO_MEMORY or (error.code == _NO_RESOURCES and first_use and self._is_alive()):
                raise self._out_of_memory(nbytes) from error
            msg = f"{self.info.name} cannot {doing}: {error}"
            if error.code == _NO_RESOURCES:
                msg += (
                    "; a kernel may have failed or been ended for its time (NVIDIA's driver tells it so; then nothing works until "
                    "the process is restarted), or it needs more registers or memory than there are"
                )
            raise DeviceError(msg) from error

    def _is_alive(self) -> bool:
        """Whether the queue still works: after a kernel's failure it does not."""
        try:
            self._queue.finish()
        except cl.Error:
            return False
        return True

    def finish(self, event: Handle = None) -> None:  # noqa: D102
        with self._telling("finish what was enqueued"):
            if event is None:
                self._copies.finish()
                self._queue.finish()
            else:
                event.wait()

    def staging(self, size: int, dtype: DTypeLike) -> NDArray[Any]:  # noqa: D102
        # Memory that the driver allocates for the host is pinned wherever there is such a thing; it stays mapped.
        kind = np.dtype(dtype)
        if size == 0:
            return np.empty(0, kind)
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.ALLOC_HOST_PTR
        with self._telling("allocate host memory", size * kind.itemsize, first_use=True):
            memory = cl.Buffer(self._context, flags, size * kind.itemsize)
            mode = cl.map_flags.READ | cl.map_flags.WRITE
            array, _ = cl.enqueue_map_buffer(self._copies, memory, mode, 0, (size,), kind)
        found: NDArray[Any] = array
        return found

    def event(self) -> Handle:  # noqa: D102
        with self._telling("mark its queue"):
            mark = cl.enqueue_marker(self._queue)
            self._queue.flush()
            return mark

    def wait(self, event: Handle) -> None:  # noqa: D102
        with self._telling("wait for a copy"):
            cl.enqueue_barrier(self._queue, wait_for=[event])

    def _compile(self, source: Source) -> Handle:
        try:
            with _building, warnings.catch_warnings():
                # Some drivers write a line after every build, which PyOpenCL reports as a warning.
                warnings.simplefilter("ignore", cl.CompilerWarning)
                return cl.Program(self._context, source.text).build(self._options, cache_dir=False)
        except cl.Error as error:
            cause = UNKNOWN_PROCESSOR if "unknown target CPU" in str(error) else error
            raise DeviceError(f"{self.info.name} cannot compile {source.name}.c:\n{cause}") from error

    def _most_threads(self, module: Handle, kernels: Iterable[str]) -> int:
        """Ask how many threads a block of every kernel may have: one that needs many registers may have fewer than the device's most."""
        asked = cl.kernel_work_group_info.WORK_GROUP_SIZE
        with self._telling("load kernels"):
            limits = [cl.Kernel(module, name).get_work_group_info(asked, self._handle) for name in kernels]
        return int(min(limits, default=self.info.max_block))

    def _bind(self, program: Program, kernel: str, values: list[Any]) -> Handle:
        with self._telling(f"prepare {kernel}"):
            made = cl.Kernel(program.module, kernel)
            # With known types PyOpenCL packs a number in 0.2 microseconds instead of 12 (PoCL, November 2026; the machine was not noted).
            made.set_scalar_arg_dtypes([None if p.pointer else p.dtype for p in program.source.kernels[kernel]])
            made.set_args(*values)
        return made

    def _replay(self, launches: Sequence[Launch], times: int) -> int:
        queue, enqueue = self._queue, cl.enqueue_nd_range_kernel
        calls = [(one.bound, (one.groups * one.program.block,), (one.program.block,)) for one in launches]
        doing = ", ".join(f"{one.kernel} with {one.groups} blocks of {one.program.block}" for one in launches)
        with self._telling(f"run {doing}"):
            for _ in range(times):
                for bound, size, block in calls:
                    enqueue(queue, bound, size, block)
        return times * len(calls)

    def _alloc(self, nbytes: int) -> Handle:
        with self._telling(f"allocate {nbytes:,} bytes", nbytes, first_use=True):
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, nbytes)

    def _free(self, handle: Handle) -> None:
        handle.release()

    def _write(self, handle: Handle, offset: int, array: NDArray[Any]) -> None:
        with self._telling("copy to its memory", array.nbytes, first_use=True):
            cl.enqueue_copy(self._queue, handle, array, dst_offset=offset, is_blocking=True)

    def _read(self, array: NDArray[Any], handle: Handle, offset: int) -> None:
        with self._telling("copy from its memory", array.nbytes):
            cl.enqueue_copy(self._queue, array, handle, src_offset=offset, is_blocking=True)

    def _read_async(self, array: NDArray[Any], handle: Handle, offset: int) -> Handle:
        with self._telling("copy from its memory", array.nbytes):
            done = cl.enqueue_copy(self._queue, array, handle, src_offset=offset, is_blocking=False)
            self._queue.flush()
            return done

    def _copy(self, source: Buffer, into: Buffer) -> None:
        with self._telling("copy within its memory", source.nbytes, first_use=True):
            cl.enqueue_copy(self._queue, into.handle, source.handle, byte_count=source.nbytes)

    def _fill(self, buffer: Buffer, value: NDArray[Any], offset: int, count: int) -> None:
        size = buffer.dtype.itemsize
        with self._telling("fill its memory", buffer.nbytes, first_use=True):
            cl.enqueue_fill_buffer(self._queue, buffer.handle, value, offset * size, count * size)

    def _write_async(self, handle: Handle, offset: int, array: NDArray[Any], after: Handle) -> Handle:
        waits = None if after is None else [after]
        with self._telling("copy to its memory", array.nbytes, first_use=True):
            done = cl.enqueue_copy(self._copies, handle, array, dst_offset=offset, is_blocking=False, wait_for=waits)
            self._copies.flush()
            return done

    def _out_of_memory(self, nbytes: int) -> DeviceMemoryError:
        free = max(self.memory.free, 0)
        msg = f"{self.info.name}: the driver has no room for {nbytes:,} bytes (free by our own count: {free:,})"
        return DeviceMemoryError(msg, needed=nbytes, free=free)


DEVICE = OpenCL

"""The device protocol on the CUDA driver API (cuda-bindings) and NVRTC: no toolkit, no compiler, no CuPy.

NVRTC turns the text into machine code for the GPU at hand; the result is kept on disk (images.py) under a name made of
text, options, architecture and NVRTC's version, with the text beside it. A GPU newer than NVRTC gets PTX, which the
driver finishes. Each module carries its name in `steppe_program`, so that a profiler's user (or the tests' stand-in
driver) can find the text it came from.

The driver's current context belongs to the thread, which may have another library's there (PyTorch on another device). So every method
pushes our context and pops it again, which costs about a microsecond (an estimate); several launches that are replayed do it once.
"""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from cuda.bindings import driver, nvrtc

from ..errors import DeviceError, DeviceMemoryError
from . import exchange, images
from .contexts import Current, check, is_lost
from .device import Device, DeviceInfo
from .launches import Launch, Program, Recording
from .recording import REPEATED, Bound, Graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import DTypeLike, NDArray

    from .memory import Buffer, Handle
    from .source import Source

EXTRAS = (12,)  # major versions that have an extra of their own
OPTIONS = ("-std=c++17", "--fmad=false")
_A = driver.CUdevice_attribute
_ORDINAL = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_CTYPES = {
    "uint8": ctypes.c_uint8,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}


def find() -> list[tuple[DeviceInfo, int]]:
    """List the CUDA devices as (facts, number), or raise DeviceError that says what is missing."""
    try:
        check(driver.cuInit(0))
        count = check(driver.cuDeviceGetCount())
    except DeviceError as error:
        raise DeviceError(f"the NVIDIA driver reports no usable GPU ({error})") from error
    except (RuntimeError, OSError) as error:
        msg = "no NVIDIA driver (libcuda) is installed: install the driver of the GPU; steppe needs no CUDA toolkit"
        raise DeviceError(msg) from error
    if count == 0:
        raise DeviceError("the NVIDIA driver reports no GPU")
    return [(_facts(index), index) for index in range(count)]


def choose(rest: str) -> tuple[DeviceInfo, int]:
    """Take device `rest` (a number; "" for 0), and find out now whether kernels can be compiled for it."""
    found = find()
    if rest and not rest.isdecimal():
        raise DeviceError(f"CUDA devices are numbered: cuda, cuda:0 … cuda:{len(found) - 1}, not cuda:{rest}")
    index = int(rest or 0)
    if index >= len(found):
        msg = f"there is no cuda:{index}; there are {len(found)}: {'; '.join(f.description for f, _ in found)}"
        raise DeviceError(msg)
    _architecture(index)
    _check_versions()
    return found[index]


def number_at(address: int) -> int:
    """Return the number of the device that has the memory at an address."""
    find()  # or an error that says what is missing
    error, number = driver.cuPointerGetAttribute(_ORDINAL, address)
    if error:
        raise DeviceError(f"the CUDA driver knows no memory at {address:#x}")
    return int(number)


def _check_versions() -> None:
    """Refuse an NVRTC whose machine code the driver cannot load: one of a later major version; within one, all fit together."""
    version = int(check(driver.cuDriverGetVersion()))
    compiles = check(nvrtc.nvrtcVersion())
    if compiles[0] > version // 1000:
        older = version // 1000
        way_out = f"pip install 'steppe[cuda{older}]'" if older in EXTRAS else "update the driver"
        raise DeviceError(
            f"NVRTC {compiles[0]}.{compiles[1]} compiles for a newer driver than this one: the driver is for CUDA "
            f"{older}.{version % 1000 // 10}: {way_out}"
        )


def _attribute(attribute: Handle, index: int) -> int:
    return int(check(driver.cuDeviceGetAttribute(attribute, check(driver.cuDeviceGet(index)))))


def _facts(index: int) -> DeviceInfo:
    device = check(driver.cuDeviceGet(index))
    name = check(driver.cuDeviceGetName(128, device)).split(b"\0")[0].decode()
    major = _attribute(_A.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, index)
    minor = _attribute(_A.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, index)
    version = check(driver.cuDriverGetVersion())
    return DeviceInfo(
        name=f"cuda:{index}",
        kind="cuda",
        description=f"{name} (compute {major}.{minor}, driver for CUDA {version // 1000}.{version % 1000 // 10})",
        is_gpu=True,
        memory=int(check(driver.cuDeviceTotalMem(device))),
        units=_attribute(_A.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, index),
        max_block=_attribute(_A.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, index),
    )


def _architecture(index: int) -> str:
    """Return NVRTC's -arch for a device: sm_NN gives machine code, compute_NN gives PTX for a GPU newer than NVRTC."""
    major = _attribute(_A.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, index)
    mine = 10 * major + _attribute(_A.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, index)
    try:
        known = list(check(nvrtc.nvrtcGetSupportedArchs()))
    except (RuntimeError, OSError) as error:
        if isinstance(error, DeviceError):
            raise
        msg = "NVRTC, which compiles the kernels, is not installed: pip install 'steppe[cuda]' (or 'steppe[cuda12]')"
        raise DeviceError(msg) from error
    if mine in known:
        return f"sm_{mine}"
    older = [arch for arch in known if arch < mine]
    if not older:
        oldest = min(known) / 10
        raise DeviceError(
            f"this NVRTC compiles for compute {oldest} and newer, the GPU has {mine / 10}: pip install 'steppe[cuda12]'"
        )
    return f"compute_{max(older)}"


def compile_text(text: str, name: str, architecture: str) -> bytes:
    """Compile CUDA text for an architecture; needs NVRTC but no driver."""
    program = check(nvrtc.nvrtcCreateProgram(text.encode(), f"{name}.cu".encode(), 0, [], []))
    try:
        options = [option.encode() for option in (*OPTIONS, f"-arch={architecture}")]
        result = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if int(result[0]) != 0:
            log = b" " * check(nvrtc.nvrtcGetProgramLogSize(program))
            check(nvrtc.nvrtcGetProgramLog(program, log))
            msg = f"NVRTC cannot compile {name}.c for {architecture}:\n{log.decode(errors='replace').rstrip(chr(0))}"
            raise DeviceError(msg)
        machine_code = architecture.startswith("sm_")
        size = check((nvrtc.nvrtcGetCUBINSize if machine_code else nvrtc.nvrtcGetPTXSize)(program))
        image: bytes = b" " * size
        check((nvrtc.nvrtcGetCUBIN if machine_code else nvrtc.nvrtcGetPTX)(program, image))
        return image
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def cached_image(source: Source, architecture: str, *, afresh: bool = False) -> bytes:
    """Return the compiled image of a source, from disk if it is there and can be trusted."""
    key = source.key(OPTIONS, architecture, check(nvrtc.nvrtcVersion()))
    kept = None if afresh else images.load(key)
    if kept is not None:
        return kept
    text = f'{source.text}\nextern "C" __device__ char steppe_program[] = "steppe_program:{key}";\n'
    image = compile_text(text, source.name, architecture)
    images.store(key, image, text)
    return image


class _Event:
    """An event of the driver; keeps the host array of its copy alive."""

    def __init__(self, device: Cuda, stream: Handle, array: NDArray[Any] | None = None) -> None:
        self.handle = check(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
        check(driver.cuEventRecord(self.handle, stream))
        self.device, self.array = device, array

    def __del__(self) -> None:
        if not sys.is_finalizing() and hasattr(self, "device") and not self.device.is_forked():
            with self.device._current:
                if self.array is not None:  # a copy may still read it; if it has failed, it does not
                    driver.cuEventSynchronize(self.handle)
                driver.cuEventDestroy(self.handle)


class Cuda(Device):
    """A CUDA device."""

    target = "cuda"

    def __init__(self, info: DeviceInfo, index: int, memory_limit: int | None = None) -> None:
        self._index = index
        self._arch = _architecture(index)
        self._context = check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(index))))
        self._current = Current(self._context)
        with self._current:
            super().__init__(info, memory_limit)
            flag = driver.CUstream_flags.CU_STREAM_NON_BLOCKING
            self._stream = check(driver.cuStreamCreate(flag))
            self._copies = check(driver.cuStreamCreate(flag))
        self.look_at_memory()
        streams = (self._stream, self._copies)
        weakref.finalize(self, _end_streams, self._current, streams, os.getpid()).atexit = False

    def exchanged(self) -> tuple[int, int]:  # noqa: D102
        return exchange.CUDA, self._index

    def address_of(self, buffer: Buffer) -> int:  # noqa: D102
        return int(buffer.handle)

    def foreign(self, address: int) -> int:  # noqa: D102
        return address

    def stream_number(self) -> int:  # noqa: D102
        return int(self._stream)

    def wait_for_stream(self, stream: int) -> None:  # noqa: D102
        with self._current:  # 1 and 2 are CUDA's names of the default streams, which the driver takes as they are
            check(driver.cuStreamSynchronize(stream))

    def _free_memory(self) -> int:
        with self._current:
            return int(check(driver.cuMemGetInfo())[0])

    def finish(self, event: Handle = None) -> None:  # noqa: D102
        with self._current:
            if event is None:
                check(driver.cuStreamSynchronize(self._copies))
                check(driver.cuStreamSynchronize(self._stream))
            else:
                check(driver.cuEventSynchronize(event.handle))

    def staging(self, size: int, dtype: DTypeLike) -> NDArray[Any]:  # noqa: D102
        with self._current:
            nbytes = size * np.dtype(dtype).itemsize
            address = int(check(driver.cuMemHostAlloc(max(nbytes, 8), 0)))
            memory = (ctypes.c_char * max(nbytes, 8)).from_address(address)
            weakref.finalize(memory, _free_host, self._current, address, os.getpid()).atexit = False
            return np.ndarray((size,), np.dtype(dtype), buffer=memoryview(memory))

    def event(self) -> _Event:  # noqa: D102
        with self._current:
            return _Event(self, self._stream)

    def wait(self, event: Handle) -> None:  # noqa: D102
        with self._current:
            check(driver.cuStreamWaitEvent(self._stream, event.handle, 0))

    def _compile(self, source: Source) -> Handle:
        with self._current:
            try:
                return check(driver.cuModuleLoadData(cached_image(source, self._arch)))
            except DeviceMemoryError:
                raise
            except DeviceError:  # the file may be damaged: compile afresh, once
                return check(driver.cuModuleLoadData(cached_image(source, self._arch, afresh=True)))

    def _most_threads(self, module: Handle, kernels: Iterable[str]) -> int:
        asked = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        with self._current:
            made = [check(driver.cuModuleGetFunction(module, name.encode())) for name in kernels]
            return min((int(check(driver.cuFuncGetAttribute(asked, one))) for one in made), default=self.info.max_block)

    def _bind(self, program: Program, kernel: str, values: list[Any]) -> Bound:
        if kernel not in program.functions:
            with self._current:
                function = check(driver.cuModuleGetFunction(program.module, kernel.encode()))
            kinds = [ctypes.c_void_p if p.pointer else _CTYPES[p.dtype.name] for p in program.source.kernels[kernel]]
            program.functions[kernel] = function, kinds
        function, kinds = program.functions[kernel]
        cells = [kind(value) for kind, value in zip(kinds, values, strict=True)]
        addresses = (ctypes.c_void_p * len(cells))(*map(ctypes.addressof, cells))
        return Bound(function, ctypes.addressof(addresses), (cells, addresses))

    def _replay(self, launches: Sequence[Launch], times: int) -> int:
        with self._current:
            if isinstance(launches, Recording) and times % REPEATED == 0:
                if launches.kept is None:
                    launches.kept = Graph(self._current, launches, REPEATED)
                for _ in range(times // REPEATED):
                    check(driver.cuGraphLaunch(launches.kept.handle, self._stream))
                return times // REPEATED
            self._issue(launches, times)
        return times * len(launches)

    def _issue(self, launches: Sequence[Launch], times: int) -> None:
        stream, enqueue = self._stream, driver.cuLaunchKernel
        calls = [(one.bound.function, one.groups, one.program.block, one.bound.address) for one in launches]
        for _ in range(times):
            for function, groups, block, address in calls:
                error = enqueue(function, groups, 1, 1, block, 1, 1, 0, stream, address, 0)
                if error[0]:
                    check(error)

    def _alloc(self, nbytes: int) -> int:
        with self._current:
            try:
                return int(check(driver.cuMemAlloc(nbytes)))
            except DeviceMemoryError as error:
                free = int(check(driver.cuMemGetInfo())[0])
                msg = f"{self.info.name}: {nbytes:,} bytes needed, the driver has {free:,} free"
                raise DeviceMemoryError(msg, needed=nbytes, free=free) from error

    def _free(self, handle: int) -> None:
        with self._current:
            done = driver.cuMemFree(handle)
            if not is_lost(done[0]):  # then the memory is lost with the context, and an earlier call has raised
                check(done)

    def _write(self, handle: int, offset: int, array: NDArray[Any]) -> None:
        with self._current:
            check(driver.cuMemcpyHtoDAsync(handle + offset, array.ctypes.data, array.nbytes, self._stream))
            check(driver.cuStreamSynchronize(self._stream))

    def _read(self, array: NDArray[Any], handle: int, offset: int) -> None:
        with self._current:
            check(driver.cuMemcpyDtoHAsync(array.ctypes.data, handle + offset, array.nbytes, self._stream))
            check(driver.cuStreamSynchronize(self._stream))

    def _read_async(self, array: NDArray[Any], handle: int, offset: int) -> _Event:
        with self._current:
            check(driver.cuMemcpyDtoHAsync(array.ctypes.data, handle + offset, array.nbytes, self._stream))
            return _Event(self, self._stream, array)

    def _copy(self, source: Buffer, into: Buffer) -> None:
        with self._current:
            check(driver.cuMemcpyDtoDAsync(into.handle, source.handle, source.nbytes, self._stream))

    def _fill(self, buffer: Buffer, value: NDArray[Any], offset: int, count: int) -> None:
        with self._current:
            size = buffer.dtype.itemsize
            address = buffer.handle + offset * size
            if size == 1:
                check(driver.cuMemsetD8Async(address, int(value.view(np.uint8)), count, self._stream))
            elif size == 4:
                check(driver.cuMemsetD32Async(address, int(value.view(np.uint32)), count, self._stream))
            else:
                low, high = (int(half) for half in value.reshape(1).view(np.uint32))
                if low == high:
                    check(driver.cuMemsetD32Async(address, low, 2 * count, self._stream))
                else:
                    program = self.program("fill")
                    values = [buffer.handle, offset, count, int(value.view(np.uint64))]
                    bound = self._bind(program, "fill_u64", values)
                    self._issue([Launch(program, "fill_u64", self._groups(program, count), bound, ())], 1)

    def _write_async(self, handle: int, offset: int, array: NDArray[Any], after: Handle) -> _Event:
        with self._current:
            if after is not None:
                check(driver.cuStreamWaitEvent(self._copies, after.handle, 0))
            check(driver.cuMemcpyHtoDAsync(handle + offset, array.ctypes.data, array.nbytes, self._copies))
            return _Event(self, self._copies, array)


def _free_host(current: Current, address: int, process: int) -> None:
    if process == os.getpid():
        with current:
            driver.cuMemFreeHost(address)


def _end_streams(current: Current, streams: tuple[Handle, ...], process: int) -> None:
    if process == os.getpid():
        with current:
            for stream in streams:
                driver.cuStreamDestroy(stream)


DEVICE = Cuda

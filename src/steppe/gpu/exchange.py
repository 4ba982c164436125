"""Exchange: arrays on devices to and from other libraries, without a copy, by DLPack and ``__cuda_array_interface__``.

DLPack is a C structure in a Python capsule: address, device, shape, type, and a function that the borrower calls when it is done.
CuPy, PyTorch, JAX, cuDF's columns and others support it. An array that we lend is complete before it is lent, so the borrower's stream has
nothing to wait for; the owner of an array that we borrow makes it ready for our stream.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DeviceError
from .choose import cuda_number_at
from .memory import Buffer

if TYPE_CHECKING:
    from .device import Device

CPU, CUDA, CUDA_HOST, OPENCL, CUDA_MANAGED = 1, 2, 3, 4, 13
"""Kinds of devices in DLPack; memory of the two last and of CUDA_HOST can be read by CUDA."""
_KINDS = {"i": 0, "u": 1, "f": 2}


class _Tensor(Structure):
    _fields_ = (
        ("data", c_void_p),
        ("device_kind", c_int32),
        ("device_number", c_int32),
        ("ndim", c_int32),
        ("kind", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("offset", c_uint64),
    )


class _Managed(Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("context", c_void_p), ("deleter", _Deleter))

_api = ctypes.pythonapi
_api.PyCapsule_New.restype, _api.PyCapsule_New.argtypes = py_object, (c_void_p, c_char_p, c_void_p)
_api.PyCapsule_GetPointer.restype, _api.PyCapsule_GetPointer.argtypes = c_void_p, (py_object, c_char_p)
_api.PyCapsule_IsValid.restype, _api.PyCapsule_IsValid.argtypes = c_int32, (py_object, c_char_p)
_api.PyCapsule_SetName.restype, _api.PyCapsule_SetName.argtypes = c_int32, (py_object, c_char_p)
_valid = ctypes.PYFUNCTYPE(c_int32, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))
_NEW, _USED = b"dltensor", b"used_dltensor"

_lent: dict[int, tuple[Any, ...]] = {}  # what borrowers still hold, by address of its structure


@_Deleter  # type: ignore[untyped-decorator]
def _give_back(managed: Any) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


@ctypes.CFUNCTYPE(None, c_void_p)  # type: ignore[untyped-decorator]
def _unused(capsule: int) -> None:
    """Free an array whose capsule was never used."""
    # By the bare address: the capsule is about to go, and must not be given new references.
    if _valid(capsule, _NEW):
        _lent.pop(_pointer(capsule, _NEW), None)


class DeviceArray:
    """An array on a device that other libraries can take without a copy; ``numpy.asarray`` copies it to the host.

    Examples
    --------
    It is what :func:`steppe.sssp` with ``result="device"`` holds: ``torch.from_dlpack(paths)``, ``cupy.asarray(paths)``.
    """

    def __init__(self, buffer: Buffer) -> None:
        buffer.give_out()
        self.buffer = buffer
        self.shape, self.dtype = (buffer.size,), buffer.dtype

    def __len__(self) -> int:
        return self.buffer.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("an array on a device cannot be read by the host without a copy")
        return self.buffer.device.download(self.buffer).astype(dtype or self.dtype, copy=False)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.buffer.device.exchanged()

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return the capsule. All is finished, so the borrower's stream has nothing to wait for.

        Parameters
        ----------
        stream, max_version
            Of no effect: nothing is left to wait for, and every borrower knows DLPack's first version.
        dl_device
            Where the array is wanted: on its own device, the default, or on the host (``(1, 0)``), which is a copy.
        copy
            True: an array of the borrower's own. False: this very memory, or BufferError.
        """
        del stream, max_version
        buffer, device = self.buffer, self.buffer.device
        kind, number = device.exchanged()
        wanted = (kind, number) if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
        if wanted == (CPU, 0) and copy is not False:
            return self.__array__().__dlpack__()
        if wanted != (kind, number):
            raise BufferError(f"the array lies on {device.info.name}: DLPack gives it there, or as a copy on the host")
        if copy:
            buffer = device.alloc(self.buffer.size, self.dtype)
            device.copy(self.buffer, buffer)
        count = c_int64(buffer.size)
        device.finish()
        managed = _Managed()
        tensor = managed.tensor
        tensor.data, tensor.device_kind, tensor.device_number = device.address_of(buffer), kind, number
        tensor.ndim, tensor.kind, tensor.bits, tensor.lanes = 1, _KINDS[self.dtype.kind], 8 * self.dtype.itemsize, 1
        tensor.shape = ctypes.pointer(count)
        managed.deleter = _give_back
        _lent[ctypes.addressof(managed)] = managed, buffer, count
        return _api.PyCapsule_New(ctypes.addressof(managed), _NEW, ctypes.cast(_unused, c_void_p))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        device = self.buffer.device
        if device.exchanged()[0] != CUDA:
            raise AttributeError(f"{device.info.name} is no CUDA device")
        device.finish()
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (device.address_of(self.buffer), False),
            "version": 3,
            "strides": None,
            "stream": None,
        }

    def __repr__(self) -> str:
        return f"DeviceArray({self.buffer.size}, {self.dtype}, {self.buffer.device.info.name})"


class _Owner:
    """The owner of a borrowed buffer's memory; its deleter is called with the last reference."""

    def __init__(self, address: int, given: object) -> None:
        self.address, self.given = address, given

    def __del__(self) -> None:
        managed = _Managed.from_address(self.address)
        if managed.deleter:
            managed.deleter(ctypes.pointer(managed))


def place_of(array: Any) -> tuple[int, int] | None:
    """Return kind and number of the device an array of another library lies on; None for the host, or for what is no such array.

    Examples
    --------
    >>> place_of(np.arange(3)) is None
    True
    """
    if isinstance(array, np.ndarray):
        return None
    if hasattr(array, "__dlpack_device__"):
        kind, number = array.__dlpack_device__()
        return (
            (CUDA, int(number)) if kind in (CUDA, CUDA_MANAGED) else (OPENCL, int(number)) if kind == OPENCL else None
        )
    facts = getattr(array, "__cuda_array_interface__", None)
    if facts is None:
        return None
    # The interface does not have the device; the driver finds it by the address. An empty array has none.
    return CUDA, cuda_number_at(int(facts["data"][0])) if is_somewhere(array) else 0


def is_somewhere(array: Any) -> bool:
    """Whether an array has a device of its own: an empty one without DLPack has none, and counts as lying where the others do.

    Examples
    --------
    >>> is_somewhere(np.empty(0))
    True
    """
    facts = None if hasattr(array, "__dlpack_device__") else getattr(array, "__cuda_array_interface__", None)
    return facts is None or bool(0 not in facts["shape"] and facts["data"][0])


def borrow(array: Any, device: Device, name: str) -> Buffer:
    """Take an array of another library as a buffer of this device: no copy, and its owner keeps it as long as the buffer is used."""
    if hasattr(array, "__dlpack__"):
        return _by_dlpack(array, device, name)
    facts = array.__cuda_array_interface__
    if facts.get("mask") is not None:
        raise DeviceError(f"{name} has a mask: some of its values are missing; fill them in, or drop them, first")
    if facts.get("stream") not in (None, 0):
        device.wait_for_stream(int(facts["stream"]))
    dtype = np.dtype(facts["typestr"])
    strides = facts.get("strides")
    _check(name, facts["shape"], strides is None or tuple(strides) == (dtype.itemsize,))
    return Buffer(device, int(facts["shape"][0]), dtype, device.foreign(int(facts["data"][0])), owner=array)


def _by_dlpack(array: Any, device: Device, name: str) -> Buffer:
    capsule = array.__dlpack__(stream=device.stream_number())
    if not _api.PyCapsule_IsValid(capsule, _NEW):
        raise DeviceError(f"{name}: its capsule is no DLPack tensor of the first version, or has been used")
    address = _api.PyCapsule_GetPointer(capsule, _NEW)
    _api.PyCapsule_SetName(capsule, _USED)
    owner = _Owner(address, array)
    tensor = _Managed.from_address(address).tensor
    shape = [tensor.shape[k] for k in range(tensor.ndim)]
    _check(name, shape, not tensor.strides or tensor.strides[0] == 1 or shape == [0])
    kinds = {number: letter for letter, number in _KINDS.items()}
    if tensor.kind not in kinds or tensor.lanes != 1 or tensor.bits not in (32, 64):
        raise DeviceError(f"{name}: steppe takes integers and floats of 32 and 64 bits from a device")
    dtype = np.dtype(f"{kinds[tensor.kind]}{tensor.bits // 8}")
    if tensor.offset:
        raise DeviceError(f"{name}: a part of another array; make a contiguous copy of it first")
    return Buffer(device, shape[0], dtype, device.foreign(tensor.data or 0), owner=owner)


def _check(name: str, shape: Any, contiguous: bool) -> None:
    if len(shape) != 1 or not contiguous:
        raise DeviceError(f"{name} must be a contiguous array of one dimension, not of shape {tuple(shape)}")

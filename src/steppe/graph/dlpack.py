"""DLPack: arrays of other libraries on the host, looked at where they lie."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

_CPU = 1  # DLPack's number of the host


def on_host(values: Any) -> Any:
    """Return an array of a library that is known by DLPack alone as one of NumPy's, without a copy; anything else as it is.

    >>> on_host([1, 2]), on_host(np.arange(2)).tolist()
    ([1, 2], [0, 1])
    """
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack_device__"):
        return values
    if values.__dlpack_device__()[0] != _CPU:
        return values
    try:
        return np.from_dlpack(values)
    except (
        TypeError,
        BufferError,
        RuntimeError,
    ):  # a type that DLPack has none for, or a tensor that wants its gradient
        return values


def lent(array: Any, max_version: tuple[int, int] | None, copy: bool | None, options: dict[str, Any]) -> Any:
    """Return the capsule of a read-only array of NumPy: its own memory for a reader that knows of read-only arrays, else a copy.

    >>> fixed = np.arange(3)
    >>> fixed.flags.writeable = False
    >>> type(lent(fixed, None, None, {})).__name__
    'PyCapsule'
    """
    if max_version is not None and max_version >= (1, 0):
        with contextlib.suppress(TypeError, BufferError):  # from a NumPy before 2.1
            return array.__dlpack__(max_version=max_version, copy=copy, **options)
    if copy is False:
        raise BufferError("these distances are read-only, and only DLPack 1.0 can say so: take a copy")
    return array.copy().__dlpack__(**options)

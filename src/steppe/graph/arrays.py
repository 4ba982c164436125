"""Arrays as a graph stores them: vertex ids and weights of any type in, a few types out, no value changed."""

from __future__ import annotations

import mmap
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import DistanceOverflowError, GraphError
from . import dlpack
from .labels import as_labels

Array = npt.NDArray[Any]


class Foreign(Protocol):
    """Arrays of other libraries that lie on a device; `steppe.gpu` knows how to take them."""

    def is_on_device(self, array: Any) -> bool:
        """Whether it is such an array."""

    def to_host(self, array: Any) -> Any:
        """Return it as an array of NumPy."""

    def graph_of(self, cls: Any, indptr: Any, indices: Any, weights: Any, *, labels: Any, directed: bool) -> Any:
        """Return a graph of rows that stay there."""


foreign: list[Foreign] = []
"""Who takes arrays on devices: one, once `steppe.gpu` is there."""


def on_device(array: Any) -> bool:
    """Whether an array of another library lies on a device.

    >>> on_device(np.arange(3))
    False
    """
    known = isinstance(array, (np.ndarray, list, tuple, range)) or not foreign
    return not known and foreign[0].is_on_device(array)


def on_host(array: Any) -> Any:
    """Return an array, copied to the host if it lies on a device; one of another library's on the host as one of NumPy, where it lies."""
    return foreign[0].to_host(array) if on_device(array) else dlpack.on_host(array)


def vertex_dtype(n: int) -> type[np.int32 | np.int64]:
    """Return the type of vertices: int32 while it can hold them."""
    return np.int32 if n < 2**31 else np.int64


def vertex_count(n: object) -> int:
    """Return a number of vertices as given by a caller."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise GraphError(f"num_vertices must be a whole number, not {n!r}")
    if not 0 <= n < 2**62:
        raise GraphError(f"num_vertices must be at least 0 and less than 2^62, not {n}")
    return int(n)


def is_mapped(array: Array) -> bool:
    """Tell whether an array is a view of a file mapped for reading. A writable mapping may hold changes the file has not.

    >>> is_mapped(np.arange(3))
    False
    """
    base: Any = array
    while base is not None and not isinstance(base, mmap.mmap):
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return base is not None and memoryview(base).readonly


def read_only(array: Array) -> Array:
    """Return a view that cannot be written to; whoever gave the array may still write to theirs."""
    view = array.view()
    view.flags.writeable = False
    return view


def owned(array: Array, given: object) -> Array:
    """Return what was made of a caller's array, copied if it may still be theirs.

    >>> a = np.arange(3)
    >>> owned(a, a) is a, np.shares_memory(owned(a[1:], a), a), owned(a, [0, 1, 2]) is a
    (False, False, True)
    """
    if isinstance(given, (list, tuple, range)) or not np.may_share_memory(array, np.asarray(given)):
        return array
    return array.copy()


def ids(values: npt.ArrayLike, name: str) -> Array:
    """Return vertex ids as int32 or int64 without changing any."""
    array = np.asarray(on_host(values))
    if array.ndim != 1:
        raise GraphError(f"{name} must be one-dimensional, not of shape {array.shape}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise GraphError(f"{name} must be integers, not {array.dtype} (use relabel=True for other labels)")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise GraphError(f"{name} holds an id beyond 2^63")
    narrow = array.dtype.itemsize < 4 or array.dtype == np.int32
    return np.ascontiguousarray(array, dtype=np.int32 if narrow else np.int64)


def stored_weights(weights: npt.ArrayLike) -> Array:
    """Return weights as int32, int64, float32 or float64 without changing any value."""
    w = np.asarray(on_host(weights))
    if w.ndim != 1:
        raise GraphError(f"weights must be one-dimensional, not of shape {w.shape}")
    kind, size = w.dtype.kind, w.dtype.itemsize
    if kind == "f":
        if size > 8:
            raise GraphError(f"weights of type {w.dtype} would lose precision; use float64")
        return np.ascontiguousarray(w, dtype=np.float64 if size == 8 else np.float32)
    if kind not in "iub":
        raise GraphError(f"weights must be numbers, not {w.dtype}")
    if size < 4 or w.dtype == np.int32 or not w.size:
        return np.ascontiguousarray(w, dtype=np.int32)
    low, high = int(w.min()), int(w.max())
    if high > np.iinfo(np.int64).max:
        raise DistanceOverflowError(f"weight {high} does not fit in a 64-bit signed distance")
    narrow = low >= -(2**31) and high < 2**31
    return np.ascontiguousarray(w, dtype=np.int32 if narrow else np.int64)


def label_array(values: npt.ArrayLike, name: str) -> Array:
    """Return labels as a one-dimensional array without changing any; NaN, which equals nothing, is refused."""
    array = as_labels(on_host(values))
    if array.ndim != 1:
        raise GraphError(f"{name} must be one-dimensional, not of shape {array.shape}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int32)
    if bool((array != array).any()):  # noqa: PLR0124 - NaN, among objects too
        raise GraphError(f"{name} holds NaN")
    return array

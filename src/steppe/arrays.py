"""Arrays that callers give, as the types a graph stores: nothing is rounded, wrapped or guessed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import DistanceOverflowError, GraphError

Array = npt.NDArray[Any]


def vertex_dtype(n: int) -> type[np.int32 | np.int64]:
    """Return the type that vertices of a graph of ``n`` are stored in."""
    return np.int32 if n < 2**31 else np.int64


def ids(values: npt.ArrayLike, name: str, relabel: bool) -> Array:
    """Return vertex ids as int32 or int64, or as they are where they become labels."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise GraphError(f"{name} must be one-dimensional, not of shape {array.shape}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int32)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise GraphError(f"{name} holds NaN")
    if relabel:
        return array
    if array.dtype.kind not in "iu":
        raise GraphError(f"{name} must be integers, not {array.dtype} (use relabel=True for other labels)")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise GraphError(f"{name} holds an id beyond 2^63")
    narrow = array.dtype.itemsize < 4 or array.dtype == np.int32
    return np.ascontiguousarray(array, dtype=np.int32 if narrow else np.int64)


def stored_weights(weights: npt.ArrayLike) -> Array:
    """Return weights as int32, int64, float32 or float64 without changing any value."""
    w = np.asarray(weights)
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

"""Stored: distances in the type that a caller asked for, or an error that names the pair whose distance it cannot hold.

Also what a caller wants to stand for "no path", and the type that has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DistanceOverflowError
from ..planning.distance_types import unreachable

if TYPE_CHECKING:
    from collections.abc import Callable

Array = npt.NDArray[Any]


NATIVE = {np.dtype(name) for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")}
"""What the core stores distances in, by all threads in one pass (``cpp/matrix/stored.hpp``); NumPy does the rest."""


def stored(
    values: Array, dtype: np.dtype[Any], name: Callable[[int], str], *, threads: int = 1, into: Array | None = None
) -> Array:
    """Return the distances in another type; ``name(i)`` says of entry ``i`` (of the flat array) which pair it belongs to.

    ``into``: an array of that type and shape to fill.

    >>> stored(np.array([3, 2**63 - 1]), np.dtype(np.uint8), str).tolist()
    [3, 255]
    """
    if dtype == values.dtype and into is None:
        return values
    result = np.empty(values.shape, dtype=dtype) if into is None else into
    if dtype == values.dtype:
        result[...] = values
        return result
    if dtype in NATIVE and values.flags.c_contiguous and result.flags.c_contiguous:
        bad = _core.store(values.reshape(-1), result.reshape(-1), threads)
    else:
        bad = _store(values, result)
    if bad >= 0:
        raise DistanceOverflowError(
            f"the distance from {name(bad)} is {values.reshape(-1)[bad].item()} and cannot be stored as {dtype}"
        )
    return result


def _store(values: Array, result: Array) -> int:
    """Fill ``result`` as the core does; return the first entry that does not fit, or -1."""
    unreached = values == unreachable(values.dtype)
    dtype = result.dtype
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            result[...] = values.astype(dtype)
        bad = np.isinf(result) & ~unreached
        result[unreached] = np.inf
    else:
        limits = np.iinfo(dtype)
        with np.errstate(invalid="ignore"):
            result[...] = values.astype(dtype)
        # The largest value means "unreachable", so no distance may take it.
        bad = ~unreached & ((values < limits.min) | (values >= limits.max) | (result != values))
        result[unreached] = limits.max
    return int(np.flatnonzero(bad)[0]) if bad.any() else -1


def type_with(dtype: np.dtype[Any], value: Any) -> np.dtype[Any]:
    """Return the type of a matrix of distances in which ``value`` stands for "no path": this one, or float64 where it does not have the value.

    >>> type_with(np.dtype(np.int64), -1), type_with(np.dtype(np.uint16), -1), type_with(np.dtype(np.int64), np.nan)
    (dtype('int64'), dtype('float64'), dtype('float64'))
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"unreachable must be a number, not {value!r}") from None
    except OverflowError:
        raise ValueError(f"unreachable must be a number that a type of distances has, not {value!r}") from None
    if not np.isfinite(number):
        has = dtype.kind == "f"
    elif dtype.kind == "f":
        has = abs(number) <= float(np.finfo(dtype).max)
    else:
        has = number.is_integer() and np.iinfo(dtype).min <= int(value) <= np.iinfo(dtype).max
    return dtype if has else np.dtype(np.float64)


def with_unreachable(matrix: Array, value: float) -> Array:
    """Return a matrix of distances in which ``value`` stands for "no path", in the type that :func:`type_with` says.

    >>> with_unreachable(np.array([[1, 2**63 - 1]]), np.nan).tolist()
    [[1.0, nan]]
    >>> with_unreachable(np.array([[1, 2**63 - 1]]), -1).tolist()
    [[1, -1]]
    """
    lost = matrix == unreachable(matrix.dtype)
    matrix = matrix.astype(type_with(matrix.dtype, value), copy=False)
    matrix[lost] = float(value) if matrix.dtype.kind == "f" else int(value)
    return matrix

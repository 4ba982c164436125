"""Stored: distances in the type that a caller asked for, or an error that names the pair whose distance it cannot hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DistanceOverflowError
from ..planning.distance_types import unreachable

if TYPE_CHECKING:
    from collections.abc import Callable

Array = npt.NDArray[Any]


def stored(values: Array, dtype: np.dtype[Any], name: Callable[[int], str]) -> Array:
    """Return the distances in another type; ``name(i)`` says of entry ``i`` (of the flat array) which pair it belongs to.

    >>> stored(np.array([3, 2**63 - 1]), np.dtype(np.uint8), str).tolist()
    [3, 255]
    """
    if dtype == values.dtype:
        return values
    unreached = values == unreachable(values.dtype)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            result = values.astype(dtype)
        bad = np.isinf(result) & ~unreached
        result[unreached] = np.inf
    else:
        limits = np.iinfo(dtype)
        with np.errstate(invalid="ignore"):
            result = values.astype(dtype)
        # The largest value means "unreachable", so no distance may take it.
        bad = ~unreached & ((values < limits.min) | (values >= limits.max) | (result != values))
        result[unreached] = limits.max
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise DistanceOverflowError(
            f"the distance from {name(i)} is {values.reshape(-1)[i].item()} and cannot be stored as {dtype}"
        )
    return result

"""Distance types: in which numbers distances are told, and what stands for "there is no path".

Integer weights, or none, give int64, which is exact; floats give the weights' own type; hops are int32.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ..graph.graph import Graph

Array = npt.NDArray[Any]

_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


class Unreachable(int):
    """The largest int64, which stands for "there is no path"; compared with an array of narrower integers, the largest of those.

    Hops are int32 and a matrix may be stored in 16 bits: each type has its own largest value, and users should not have to know which.

    Examples
    --------
    >>> import steppe as sp
    >>> sp.bfs(sp.Graph.from_edges([0], [1], num_vertices=3), 0).distances == sp.UNREACHABLE
    array([False, False,  True])
    >>> sp.UNREACHABLE == 2**63 - 1
    True
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        others = [x.dtype for x in inputs if isinstance(x, (np.ndarray, np.generic))]
        meant = int(self)
        if ufunc in _COMPARISONS and others and others[0].kind in "iu":
            meant = int(np.iinfo(others[0]).max)
        plain = [meant if isinstance(x, Unreachable) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __reduce__(self) -> str:
        return "UNREACHABLE"


UNREACHABLE = Unreachable(np.iinfo(np.int64).max)
"""The distance of an unreached vertex where distances are integers, of whatever width."""

HOPS = np.dtype(np.int32)
"""The type of hops."""

NO_HOPS = int(np.iinfo(np.int32).max)
"""The hops of an unreached vertex."""


def unreachable(dtype: np.dtype[Any]) -> int | float:
    """Return what an array of distances holds for an unreached vertex: ``inf``, or the largest integer of its type.

    >>> unreachable(np.dtype(np.int32)), unreachable(np.dtype(np.float32))
    (2147483647, inf)
    """
    return math.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)


def lengths_of_hops(hops: Array) -> npt.NDArray[np.int64]:
    """Return hops as distances of a graph whose edges all have length 1."""
    distances = hops.astype(np.int64)
    distances[hops == NO_HOPS] = UNREACHABLE
    return distances


def distance_dtype(graph: Graph, *, hops: bool = False) -> np.dtype[Any]:
    """Return the type of distances: int32 hops, int64 for integer weights or none, else that of the weights."""
    if hops:
        return np.dtype(np.int32)
    weights = graph._rows[2]  # its type only
    return np.dtype(np.int64) if graph.is_integer or weights is None else weights.dtype


def inclusive(bound: int | float, dtype: np.dtype[Any]) -> int | float | None:
    """Return the largest distance of this type that is ≤ ``bound``; None where it lies beyond all that the type can hold.

    The largest distance itself is a bound: what lies further away counts as unreached, while without a bound it does not fit.

    >>> inclusive(7.5, np.dtype(np.int64)), inclusive(math.inf, np.dtype(np.int64))
    (7, None)
    >>> inclusive(2**63 - 2, np.dtype(np.int64)) == 2**63 - 2
    True
    """
    if bound != bound:  # noqa: PLR0124
        raise ValueError("a cutoff must be a number, not NaN")
    if bound == math.inf or (dtype.kind == "f" and bound > float(np.finfo(dtype).max)):
        return None
    if dtype.kind == "i":
        largest = int(np.iinfo(dtype).max) - 1
        return None if bound > largest else max(math.floor(bound), -largest)
    nearest = dtype.type(bound)
    if float(nearest) > bound:  # as Python numbers: NumPy would round the bound first
        nearest = np.nextafter(nearest, dtype.type(-np.inf))
    return float(nearest)

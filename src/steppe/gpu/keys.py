"""Keys: distances as the kernels hold them, unsigned integers that sort as the distances do.

One atomic MIN on integers then serves every type (``TO_KEY`` in kernels/prelude.h). This file says which build of the
kernels a graph takes, and turns the host's numbers into keys and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from . import source

if TYPE_CHECKING:
    from ..graph.graph import Graph

Array = npt.NDArray[Any]

_INFINITY: Final = {
    ("u32", False): 0xFFFFFFFF,
    ("u64", False): 0xFFFFFFFFFFFFFFFF,
    ("f32", False): 0x7F800000,
    ("f64", False): 0x7FF0000000000000,
    ("i64", True): 0xFFFFFFFFFFFFFFFF,
    ("f32", True): 0xFF800000,
    ("f64", True): 0xFFF0000000000000,
}


@dataclass(frozen=True)
class Keys:
    """One build of the kernels: the types of weights and distances, and whether distances may be negative."""

    weight: str
    dist: str
    signed: bool = False

    @property
    def build(self) -> dict[str, Any]:
        """The arguments of `Device.program` that choose this build."""
        return {"weight": self.weight, "dist": self.dist, "signed": self.signed}

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the keys."""
        return source.TYPES[source.key_type(self.dist)]

    @property
    def public(self) -> np.dtype[Any]:
        """Type of the distances as users see them."""
        return source.TYPES[self.dist] if self.dist[0] == "f" else np.dtype(np.int64)

    @property
    def infinity(self) -> int:
        """The key of "unreachable"."""
        return _INFINITY[self.dist, self.signed]

    @property
    def zero(self) -> int:
        """The key of distance 0."""
        return 1 << (8 * self.dtype.itemsize - 1) if self.signed else 0

    @property
    def largest(self) -> int | float:
        """The largest distance that may be stored (DIST_MAX)."""
        return {"u32": 2**31 - 2, "u64": 2**63 - 2, "i64": 2**63 - 2}.get(self.dist, float("inf"))

    def limit(self, bound: int | float | None) -> int | float:
        """Return the largest distance a search with this cutoff stores."""
        return self.largest if bound is None else min(self.largest, bound)

    def add(self, key: int, step: float) -> int:
        """Return the key of a distance a `step` further, or the last before "unreachable"; without a sign only.

        Examples
        --------
        >>> Keys("i32", "u32").add(5, 3.0)
        8
        """
        if self.dist[0] == "u":
            return min(key + int(step), self.infinity - 1)
        with np.errstate(over="ignore"):
            further = np.array(key, self.dtype).view(source.TYPES[self.dist]) + source.TYPES[self.dist].type(step)
        return min(int(further.view(self.dtype)), self.infinity - 1)

    def distances(self, keys: Array) -> Array:
        """Turn keys into distances as users see them: int64, float32 or float64.

        Examples
        --------
        >>> Keys("i32", "u32").distances(np.array([7, 0xFFFFFFFF], np.uint32)).tolist()
        [7, 9223372036854775807]
        """
        if self.dist == "u32":
            wide = keys.astype(np.int64)
            wide[keys == self.infinity] = np.iinfo(np.int64).max
            return wide
        if self.dist == "u64":
            return np.minimum(keys, np.uint64(np.iinfo(np.int64).max)).view(np.int64)
        if not self.signed:
            return keys.view(source.TYPES[self.dist])
        top = self.dtype.type(self.zero)
        if self.dist == "i64":
            flip = np.full_like(keys, top)
        else:
            flip = np.where(keys >= top, top, self.dtype.type(np.iinfo(self.dtype).max))
        values: Array = keys ^ flip
        return values.view(source.TYPES[self.dist])


def choices(graph: Graph, *, signed: bool = False) -> list[Keys]:
    """List the builds that can serve a graph, the cheapest first; the next is for when distances outgrow it."""
    weights = graph._rows[2]  # its type only: the weights themselves may lie on a device
    return choices_of(None if weights is None else weights.dtype, signed=signed)


def choices_of(weights: npt.DTypeLike | None, *, signed: bool = False) -> list[Keys]:
    """List the builds that can serve weights of this type; None: every edge weighs 1.

    Examples
    --------
    >>> [keys.dist for keys in choices_of("int32")]
    ['u32', 'u64']
    """
    weight = "i32" if weights is None else source.type_name(weights)
    if weight[0] == "f":
        return [Keys(weight, weight, signed)]
    if signed:
        return [Keys(weight, "i64", True)]
    return [Keys("i32", "u32"), Keys("i32", "u64")] if weight == "i32" else [Keys("i64", "u64")]

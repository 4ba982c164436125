"""Searches on a device that does not hold the edges: one loop for all methods, and the parts, slots and passes it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

__all__ = ["bytes_needed"]


def bytes_needed(
    method: str,
    *,
    n: int,
    m: int,
    weights: DTypeLike | None,
    groups: int,
    record_paths: bool = False,
    sources: int = 1,
    targets: int = 0,
    wide: bool = False,
    indptr: NDArray[np.int64] | None = None,
) -> tuple[int, int]:
    """Return the least bytes in which a search can be streamed, and those with which no edge is copied twice.

    No device is needed to know; the arguments are those of :func:`steppe.gpu.loops.bytes_needed`. With the graph's `indptr` both numbers
    are exact; without it they may be up to 16 bytes a vertex too high.

    Examples
    --------
    >>> least, wished = bytes_needed("bfs", n=100, m=100_000, weights=None, groups=64)
    >>> 0 < least < 20_000, 400_000 < wished < 500_000
    (True, True)
    """
    from ..keys import choices_of
    from ..loops.work import is_recorded
    from .parts import least_and_wished
    from .passes import layout

    signed = method == "bellman-ford"
    weights = None if method == "bfs" else weights
    keys = choices_of(weights, signed=signed)[-1 if wide else 0]
    recorded = is_recorded(keys, record_paths, has_atomic_64=True)
    ends = {"sources": sources, "targets": targets}
    fixed = layout(n, keys, recorded=recorded, groups=groups, parents=signed, **ends).nbytes
    least, wished = least_and_wished(n, m, keys, weights, indptr)
    return fixed + least, fixed + wished

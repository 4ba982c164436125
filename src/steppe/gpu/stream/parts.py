"""Parts: how a graph's edges are cut so that some of them fit a device beside the vertices (kernels/stream.c).

Parts are of equal size, so the part of an edge is one division, and a vertex's row may span several. The room for
edges is divided into slots of one part each. Few large parts cost fewer launches; many small ones follow the search more closely,
and leave more of the room to parts that stay: two slots are always in use for streaming, one copied to and one computed on. Hence
sixteen slots, eight where parts are not large, fewer where they would become too small to be worth a launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...errors import DeviceMemoryError
from .. import source
from ..layout import Layout
from ..loops.work import CHUNK

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ..keys import Keys
    from ..memory import Memory

SLOTS = (16, 8, 6, 4, 3, 2)
LARGE = 1 << 18  # edges of a part from which there are more than eight slots
WORTHWHILE = 1 << 14  # edges of a part that are worth a launch
MOST = 4096  # parts
LEAST = 64  # edges of a part


@dataclass(frozen=True)
class Parts:
    """Edges 0…m-1 in `count` parts of `size`, the last one shorter; `slots` of them fit the device at a time."""

    indptr: npt.NDArray[np.int64]
    size: int
    slots: int

    @property
    def edges(self) -> int:
        """Number of all edges."""
        return int(self.indptr[-1])

    @property
    def count(self) -> int:
        """Number of parts."""
        return -(-self.edges // self.size)

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """First edge of every part, and the end."""
        return np.minimum(np.arange(self.count + 1, dtype=np.int64) * self.size, self.edges)

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """The first vertex with an edge in each part."""
        return np.searchsorted(self.indptr, self.bounds[:-1], side="right") - 1

    @cached_property
    def beyond(self) -> npt.NDArray[np.int64]:
        """One more than the last vertex with an edge in each part."""
        return np.searchsorted(self.indptr, self.bounds[1:], side="left")

    @cached_property
    def capacity(self) -> int:
        """Entries of the work list that suffice for any part: one per row, and one more per CHUNK edges."""
        rows = int(np.minimum(self.beyond - self.first, self.size).max(initial=0))
        return rows + self.size // CHUNK + 1

    def layout(self, keys: Keys, weights: npt.DTypeLike | None) -> Layout:
        """Return the arrays that depend on the parts."""
        return layout(len(self.indptr) - 1, self.count, self.capacity, self.size, self.slots, keys, weights)


def layout(
    n: int, count: int, capacity: int, size: int, slots: int, keys: Keys, weights: npt.DTypeLike | None
) -> Layout:
    """Return the arrays for `count` parts of `size` edges, `slots` of which are there at a time."""
    arrays = Layout(
        ("marks", n + count, np.uint32, 0),
        ("state", source.names("stream.c").OF_PARTS + 2 * count, np.uint32, 0),
        ("least", count + 1, keys.dtype, keys.infinity),
        ("vertices", capacity, np.int32),  # the work list
        ("places", capacity, np.int64),
        ("lengths", capacity, np.uint32),
        ("indices", size, np.int32, None, slots if count else 0),
    )
    if weights is None:
        return arrays + Layout(("no_weights", 1, np.int32))
    return arrays + Layout(("weights", size, weights, None, slots if count else 0))


def sizes(edges: int) -> list[int]:
    """List the sizes a part may have, largest first: each about a twentieth less than the one before.

    Examples
    --------
    >>> sizes(200)
    [200, 100, 67, 64]
    """
    least = max(min(LEAST, edges), -(-edges // MOST), 1)
    found, count = [max(edges, 1)], 1
    while found[-1] > least:
        count = max(count + 1, count * 21 // 20)
        found.append(max(-(-edges // count), least))
    return found


def most_pieces(n: int, size: int) -> int:
    """Return how many entries of the work list a part of `size` edges can need at most, whatever the degrees."""
    return min(n, size) + size // CHUNK + 1


def least_and_wished(
    n: int, m: int, keys: Keys, weights: npt.DTypeLike | None, indptr: npt.NDArray[np.int64] | None = None
) -> tuple[int, int]:
    """Return the bytes for the smallest parts that will do, and for so many that all edges are there.

    Without `indptr` degrees are not known, and each part is taken to have as many rows as it may.
    """
    least, wished = [], []
    for size in sizes(m):
        capacity = most_pieces(n, size) if indptr is None else Parts(indptr, size, 1).capacity
        slots, count = slots_for(m, size), -(-m // size)
        least.append(layout(n, count, capacity, size, slots[-1], keys, weights).nbytes)
        if slots[0] * size >= m:
            wished.append(layout(n, count, capacity, size, slots[0], keys, weights).nbytes)
    return min(least), min(wished)


def slots_for(m: int, size: int) -> list[int]:
    """List how many slots there may be for parts of `size` edges, the most first."""
    most = max(1, -(-m // size))
    return sorted({min(slots, most) for slots in SLOTS if slots <= 8 or size >= LARGE}, reverse=True)


def cut(
    graph: Graph,
    memory: Memory,
    *,
    free: int,
    fixed: int,
    keys: Keys,
    weights: npt.DTypeLike | None,
    device: str,
    wanted: int | None = None,
) -> Parts:
    """Choose the parts for `free` bytes, of which `fixed` go to what does not depend on the parts.

    `wanted` is the size to take; without it there is a choice.

    Raises
    ------
    DeviceMemoryError
        Nothing fits: ``needed`` is the least that would do.
    """
    best: Parts | None = None
    smallest = None
    for size in sizes(graph.num_edges) if wanted is None else [wanted]:
        for slots in slots_for(graph.num_edges, size):
            parts = Parts(graph.indptr, size, slots)
            needed = fixed + parts.layout(keys, weights).nbytes
            smallest = needed if smallest is None else min(smallest, needed)
            if needed <= free:
                if best is None or (size >= WORTHWHILE and _worth(parts) > _worth(best)):
                    best = parts
                break
    if best is None:
        limit = memory.used + (smallest or 0)
        raise DeviceMemoryError(
            f"{device}: the vertices and two parts of the edges need {smallest:,} bytes, {free:,} of "
            f"{memory.limit:,} are free; the smallest memory_limit that would do is {limit:,}",
            needed=smallest or 0,
            free=free,
        )
    return best


def _worth(parts: Parts) -> float:
    """Count the edges in slots that can stay."""
    return min(parts.slots * parts.size, parts.edges) * (1 - 1 / parts.slots)

"""Parts: how a graph's edges are cut so that some of them fit a device beside the vertices (kernels/stream.c).

Parts are of equal size, so the part of an edge is one division, and a vertex's row may span several. The room for
edges is divided into slots of one part each. Few large parts cost fewer launches; many small ones follow the search more closely,
and leave more of the room to parts that stay: two slots are always in passage, one copied to and one computed on. Hence
sixteen slots, eight where parts are not large, fewer where they would become too small to be worth a launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...errors import DeviceMemoryError
from ..loops.work import CHUNK

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ..memory import Memory

SLOTS = (16, 8, 6, 4, 3, 2)
LARGE = 1 << 18  # edges of a part from which there are more than eight slots
WORTHWHILE = 1 << 14  # edges of a part that are worth a launch
MOST = 4096  # parts
LEAST = 64  # edges of a part
PIECE = 16  # bytes of an entry of the work list: vertex, place, length


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

    def nbytes(self, edge: int, key: int) -> int:
        """Bytes on the device, with edges of `edge` and distances of `key` bytes; what vertices take apart from marks is not in it."""
        marks = 4 * (len(self.indptr) - 1 + self.count)
        told = 4 * (8 + 2 * self.count) + key * (self.count + 1)
        return marks + told + PIECE * self.capacity + self.slots * self.size * edge


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


def cut(
    graph: Graph, memory: Memory, *, free: int, fixed: int, edge: int, key: int, device: str, wanted: int | None = None
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
        most = max(1, -(-graph.num_edges // size))
        for slots in sorted({min(slots, most) for slots in SLOTS if slots <= 8 or size >= LARGE}, reverse=True):
            parts = Parts(graph.indptr, size, slots)
            needed = fixed + parts.nbytes(edge, key)
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
    """Count the edges in slots that need not be in passage."""
    return min(parts.slots * parts.size, parts.edges) * (1 - 1 / parts.slots)

"""Raster: line segments onto the cells of a grid, all at once in NumPy.

Every segment is sampled at steps of half a cell, which touches all cells it passes but for corners. A million short segments take a fraction of a
second: that is how large graphs are drawn, and how polygons are made of reached roads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = npt.NDArray[Any]
SAMPLES = 1 << 22
"""Samples at a time: what bounds the memory."""


@dataclass(frozen=True)
class Grid:
    """Cells of one size, ``width`` × ``height``, the first with its lower left corner at ``left``, ``bottom``."""

    left: float
    bottom: float
    cell: tuple[float, float]
    width: int
    height: int

    @classmethod
    def over(cls, x: Array, y: Array, cell: tuple[float, float], margin: int = 0) -> Grid:
        """Return the grid that holds these points, and ``margin`` cells around them."""
        left, bottom = float(np.min(x)) - margin * cell[0], float(np.min(y)) - margin * cell[1]
        width = int((float(np.max(x)) - left) / cell[0]) + 1 + margin
        height = int((float(np.max(y)) - bottom) / cell[1]) + 1 + margin
        return cls(left, bottom, cell, width, height)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top."""
        right, top = self.left + self.width * self.cell[0], self.bottom + self.height * self.cell[1]
        return self.left, right, self.bottom, top

    def samples(self, segments: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Yield, for some segments at a time, the cells of their samples, the segment each is of, and how far along it lies, 0…1.

        ``segments`` has four rows: x and y of one end, x and y of the other.
        """
        x0, y0, x1, y1 = segments
        across = np.hypot((x1 - x0) / self.cell[0], (y1 - y0) / self.cell[1])
        counts = np.ceil(2 * across).astype(np.int64) + 1
        ends = np.cumsum(counts)
        begin = 0
        while begin < len(counts):
            before = ends[begin] - counts[begin]
            end = max(begin + 1, int(np.searchsorted(ends, before + SAMPLES, side="right")))
            some = counts[begin:end]
            which = np.repeat(np.arange(begin, end), some)
            step = np.arange(len(which)) - np.repeat(ends[begin:end] - some - before, some)
            along = step / np.maximum(counts[which] - 1, 1)
            column = ((x0[which] + along * (x1 - x0)[which] - self.left) / self.cell[0]).astype(np.int64)
            row = ((y0[which] + along * (y1 - y0)[which] - self.bottom) / self.cell[1]).astype(np.int64)
            yield np.clip(row, 0, self.height - 1) * self.width + np.clip(column, 0, self.width - 1), which, along
            begin = end

    def counted(self, segments: Array) -> Array:
        """Return how many samples each cell has, as rows from the bottom up."""
        total = np.zeros(self.width * self.height, dtype=np.int64)
        for cells, _, _ in self.samples(segments):
            total += np.bincount(cells, minlength=len(total))
        return total.reshape(self.height, self.width)

    def least(self, segments: Array, first: Array, last: Array) -> Array:
        """Return the least value in each cell, NaN where there is none; values change evenly from ``first`` to ``last`` along a segment."""
        found = np.full(self.width * self.height, np.inf)
        for cells, which, along in self.samples(segments):
            np.minimum.at(found, cells, first[which] + along * (last - first)[which])
        found[np.isinf(found)] = np.nan
        return found.reshape(self.height, self.width)

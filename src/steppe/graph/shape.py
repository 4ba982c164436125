"""Shape: what depends on a graph's edges only, not on their weights. Graphs that differ in weights share it; it leads back to none of them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..prepared.kept import Slot
    from .arrays import Array


class Shape:
    """The edges of a graph, whatever they weigh.

    Attributes
    ----------
    degrees, has_sorted_rows, levels
        See :class:`~steppe.Graph`; ``levels``: how many levels breadth-first searches have (``cpu/hops.py``). None: not looked at.
    prepared : dict
        Preparations that depend on the edges only.
    rows : tuple
        Offsets and targets, of a shape that was made by turning another round.
    """

    __slots__ = ("__weakref__", "_positions", "_turned", "degrees", "has_sorted_rows", "levels", "prepared", "rows")

    def __init__(self, *rows: Array) -> None:
        self.rows: Any = rows
        self.degrees: npt.NDArray[np.int64] | None = None
        self.has_sorted_rows: bool | None = None
        self.levels: int | None = None
        self.prepared: dict[str, Slot] = {}
        self._turned: weakref.ref[Shape] | None = None
        self._positions: Array | None = None

    def turned(self) -> Shape | None:
        """Return the shape of the reverse, as long as some graph has it."""
        return None if self._turned is None else self._turned()

    def turn(self, indptr: Array, indices: Array) -> Shape:
        """Return the shape of the reverse, made of its rows."""
        made = Shape(indptr, indices)
        self._turned = weakref.ref(made)
        return made

    def positions_in(self, indptr: Array, indices: Array, threads: int) -> Array:
        """Return where each edge of this shape, which was made by turning those rows round, stands in them."""
        if self._positions is None:
            ids = np.arange(len(indices), dtype=np.int32 if len(indices) < 2**31 else np.int64)
            order = np.empty_like(ids)
            rows = _core.Rows(indptr, indices, ids)
            _core.reverse_rows(rows, np.empty_like(indptr), np.empty_like(indices), order, threads)
            self._positions = order
        return self._positions

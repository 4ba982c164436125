"""Part: one part of a graph, as it lies in its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import verified

if TYPE_CHECKING:
    import mmap
    from pathlib import Path

    from ..graph.graph import Graph

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Part:
    """One part of a graph, as it lies in its files.

    Attributes
    ----------
    number : int
        Which part.
    graph : Graph
        Its rows: vertices of its own, then ghosts, which have no edges here.
    own : int
        How many vertices are its own.
    first : int
        The place of the first of them.
    ghosts : ndarray of int64
        The places of the ghosts, rising.
    renumbered : ndarray or None
        The numbers of its own vertices, mapped; None: they are their places.
    files : tuple
        What its arrays lie in: (path, bytes) of each.
    """

    number: int
    graph: Graph
    own: int
    first: int
    ghosts: npt.NDArray[np.int64]
    renumbered: Array | None
    files: tuple[tuple[Path, bytes | mmap.mmap], ...] = ()

    def check_unchanged(self) -> None:
        """Raise :class:`~steppe.FormatError` if one of its files was written to or truncated since it was opened."""
        for path, data in self.files:
            verified.check_unchanged(data, path)

    @property
    def numbers(self) -> Array:
        """The numbers of its own vertices in the whole graph, rising."""
        return np.arange(self.first, self.first + self.own) if self.renumbered is None else self.renumbered

    def number_of(self, own: int) -> int:
        """Return the number of one of its own vertices."""
        return self.first + own if self.renumbered is None else int(self.renumbered[own])

    def __repr__(self) -> str:
        edges = self.graph.num_edges
        return f"<Part {self.number}: {self.own:,} vertices, {edges:,} edges, {len(self.ghosts):,} ghosts>"

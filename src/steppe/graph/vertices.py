"""Vertices: how a graph's users name its vertices, and what they are inside, 0…n-1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import GraphError

if TYPE_CHECKING:
    from .arrays import Array
    from .labels import Labels


class Vertices:
    """The part of a :class:`~steppe.Graph` that translates between labels and 0…n-1."""

    num_vertices: int
    indptr: npt.NDArray[np.int64]
    indices: Array
    _labels: Labels | None

    @property
    def labels(self) -> Array | None:
        """The label of every vertex, or None where labels are simply 0…n-1."""
        return None if self._labels is None else self._labels.array

    def __len__(self) -> int:
        return self.num_vertices

    def __bool__(self) -> bool:
        return True  # a graph without vertices is one

    def __contains__(self, label: Any) -> bool:
        try:
            self.index(label)
        except GraphError:
            return False
        return True

    def neighbors(self, label: Any) -> Array:
        """Return the labels of the vertices that edges lead to from this one, in the order of the rows; twice where there are two edges.

        >>> import steppe as sp
        >>> g = sp.Graph.from_edges(["a", "a"], ["b", "c"], relabel=True)
        >>> g.neighbors("a").tolist(), len(g), "b" in g, "x" in g
        (['b', 'c'], 3, True, False)
        """
        at = self.index(label)
        return self.labels_of(self.indices[self.indptr[at] : self.indptr[at + 1]])

    def _labels_or_none(self, vertices: Array) -> Array:
        """Return the labels of vertices as Python objects, None where there is -1.

        >>> import steppe as sp
        >>> sp.Graph.from_edges([10], [20], relabel=True)._labels_or_none(np.array([1, -1])).tolist()
        [20, None]
        """
        labels = np.full(len(vertices), None, dtype=object)
        there = vertices >= 0
        labels[there] = self.labels_of(vertices[there]).tolist()
        return labels

    def index(self, label: Any) -> int:
        """Return the vertex 0…n-1 that has this label.

        >>> import steppe as sp
        >>> sp.Graph.from_edges([10], [20], relabel=True).index(20)
        1
        """
        if self._labels is not None:
            return self._labels.index(label)
        whole = isinstance(label, (int, np.integer)) and not isinstance(label, bool)
        if not whole or not 0 <= label < self.num_vertices:
            raise GraphError(f"vertex {label!r} is not in the graph: its vertices are 0…{self.num_vertices - 1}")
        return int(label)

    def indices_of(self, labels: Any) -> npt.NDArray[np.int64]:
        """Return the vertices that have these labels, as an array."""
        if self._labels is not None:
            return self._labels.indices(labels)
        array = np.asarray(labels)
        if array.size == 0:
            return np.empty(0, dtype=np.int64)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise GraphError("vertices must be given as a one-dimensional list of integers")
        bad = (array < 0) | (array >= self.num_vertices)
        if bad.any():
            raise GraphError(f"vertex {array[bad][0]} is not in the graph: it has {self.num_vertices} vertices")
        return array.astype(np.int64)

    def label(self, index: int) -> Any:
        """Return the label of vertex ``index``."""
        return int(index) if self._labels is None else self._labels.take(np.array([index])).tolist()[0]

    def labels_of(self, indices: Array) -> Array:
        """Return the labels of these vertices."""
        return indices if self._labels is None else self._labels.take(indices)

"""Labels: the names by which a graph's users know its vertices.

Inside, vertices are 0…n-1. Files, frames and NetworkX graphs number or name them otherwise (from 1, with gaps, beyond 2^31, by strings, by
any hashable object). :class:`Labels` translates both ways. Integer ids in one unbroken range, the most common case, cost nothing: only the
first id is kept.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


class Labels:
    """The labels of ``n`` vertices.

    Parameters
    ----------
    values : array or range
        The label of each vertex, no two alike. A ``range`` of step 1 is kept as such.

    Examples
    --------
    >>> labels = Labels(np.array([10, 30, 20]))
    >>> labels.index(30), labels.array.tolist()
    (1, [10, 30, 20])
    >>> Labels(range(1, 4)).index(3)
    2
    """

    def __init__(self, values: npt.NDArray[Any] | range) -> None:
        if not isinstance(values, range):
            if values.ndim != 1:
                raise GraphError("labels must be a one-dimensional array")
            if values.dtype.kind in "iu" and len(values) and _is_run(values):
                values = range(int(values[0]), int(values[0]) + len(values))
            else:
                values = values.view()
                values.flags.writeable = False
        self.values = values

    @classmethod
    def of_objects(cls, objects: Iterable[Hashable]) -> Self:
        """Return labels that may be any hashable objects (tuples included), as NetworkX has them."""
        items = list(objects)
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return cls(array)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def array(self) -> npt.NDArray[Any]:
        """All labels, one per vertex."""
        if isinstance(self.values, range):
            array = np.arange(self.values.start, self.values.stop, dtype=np.int64)
            array.flags.writeable = False
            return array
        return self.values

    @cached_property
    def _places(self) -> dict[Any, int]:
        places = {label: i for i, label in enumerate(self.array.tolist())}
        if len(places) != len(self):
            raise GraphError("labels are not unique")
        return places

    @cached_property
    def _sorted(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        order = np.argsort(self.array, kind="stable")
        return self.array[order], order

    def index(self, label: Any) -> int:
        """Return the vertex that has this label."""
        if isinstance(label, np.generic):
            label = label.item()
        if isinstance(self.values, range):
            if isinstance(label, int) and not isinstance(label, bool) and label in self.values:
                return label - self.values.start
        elif self.values.dtype.kind in "iu":
            if isinstance(label, int) and not isinstance(label, bool):
                values, order = self._sorted
                place = int(np.searchsorted(values, label)) if _fits(label, values.dtype) else len(values)
                if place < len(values) and values[place] == label:
                    return int(order[place])
        else:
            try:
                return self._places[label]
            except (KeyError, TypeError):
                pass
        raise GraphError(f"vertex {label!r} is not in the graph")

    def indices(self, labels: Any) -> npt.NDArray[np.int64]:
        """Return the vertices that have these labels, as an array."""
        if isinstance(self.values, range) or self.values.dtype.kind in "iu":
            wanted = np.asarray(labels)
            if wanted.dtype.kind in "iu" and wanted.ndim == 1:
                if isinstance(self.values, range):
                    result = wanted.astype(np.int64) - self.values.start
                    bad = (result < 0) | (result >= len(self))
                else:
                    values, order = self._sorted
                    place = np.searchsorted(values, wanted)
                    place[place == len(values)] = 0
                    bad = values[place] != wanted if len(values) else np.ones(len(wanted), dtype=bool)
                    result = order[place] if len(values) else place
                if bad.any():
                    raise GraphError(f"vertex {wanted[bad][0].item()!r} is not in the graph")
                return result
        return np.array([self.index(label) for label in labels], dtype=np.int64)

    def take(self, indices: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the labels of these vertices."""
        if isinstance(self.values, range):
            return indices.astype(np.int64) + self.values.start
        taken: npt.NDArray[Any] = self.values[indices]
        return taken


def _is_run(values: npt.NDArray[Any]) -> bool:
    return bool(values[-1] - values[0] == len(values) - 1) and bool((values[1:] - values[:-1] == 1).all())


def _fits(label: int, dtype: np.dtype[Any]) -> bool:
    info = np.iinfo(dtype)
    return bool(info.min <= label <= info.max)

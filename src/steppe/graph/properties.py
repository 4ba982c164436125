"""Properties: what is plain to see from a graph's rows, or found in one pass over them and kept."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .. import _core
from ..machine import locks
from ..machine import threads as _threads
from .arrays import is_mapped, read_only

if TYPE_CHECKING:
    from .derived import Derived
    from .graph import Graph
    from .proof import Rows


@locks.opened_in_child
class Properties:
    """The part of a :class:`~steppe.Graph` that tells what its edges are like."""

    min_weight: int | float
    indptr: npt.NDArray[np.int64]
    derived: Derived
    _rows: Rows
    _lock: locks.Lock

    if TYPE_CHECKING:

        @property
        def _native(self) -> _core.Rows: ...
        @property
        def reverse(self) -> Graph: ...  # noqa: D102

    @property
    def has_negative(self) -> bool:
        """Whether any weight is negative."""
        return bool(self.min_weight < 0)

    @property
    def is_integer(self) -> bool:
        """Whether distances are integers: integer weights, or none."""
        weights = self._rows[2]
        return weights is None or weights.dtype.kind == "i"

    @cached_property
    def is_mapped(self) -> bool:
        """Whether the edges lie in a file that is mapped for reading: the kernel may then drop and read them again."""
        _, indices, weights = self._rows
        return is_mapped(indices) and (weights is None or is_mapped(weights))

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """The out-degree of every vertex."""
        return read_only(np.diff(self.indptr))

    @property
    def is_symmetric(self) -> bool:
        """Whether every edge has an opposite of the same weight."""
        with self._lock:
            if self.derived.symmetric is None:
                core, r = self._native, self.reverse  # proven, also where the graph is its own reverse
                self.derived.symmetric = r is self or _core.is_symmetric(core, r._native, _threads.resolve(None))
            return self.derived.symmetric

    @cached_property
    def has_sorted_rows(self) -> bool:
        """Whether the targets of every vertex are in rising order."""
        return _core.rows_are_sorted(self._native, _threads.resolve(None))

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return sum(array.nbytes for array in self._rows if array is not None)

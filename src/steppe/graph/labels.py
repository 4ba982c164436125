"""Labels: the names by which a graph's users know its vertices.

Inside, vertices are 0…n-1. Files, frames and NetworkX graphs number or name them otherwise (from 1, with gaps, beyond 2^31, by strings, by
any hashable object). :class:`Labels` translates both ways. Integer ids in one unbroken range, the most common case, cost nothing: only the
first id is kept.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from ..machine import locks, threads

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

Ids = npt.NDArray[Any]  # int32 or int64
KEY = secrets.randbits(64)  # of the hash of names: no list of them can have been made to fit it


@locks.opened_in_child
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
        if isinstance(values, range):
            if values.step != 1:
                raise GraphError(f"labels in a range must follow each other, not {values}")
        else:
            if not isinstance(values, np.ndarray) or values.ndim != 1:
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
        return cls(np.fromiter(items, dtype=object, count=len(items)))

    def __reduce__(self) -> Any:
        return type(self), (self.values,)

    def check(self) -> Self:
        """Return the labels themselves if no two are alike and none is NaN, which equals nothing."""
        if not isinstance(self.values, range):
            if self.values.dtype.kind not in "iu":
                if bool((self.values != self.values).any()):
                    raise GraphError("labels hold NaN")
                _ = self._places
            elif bool((self._sorted[0][1:] == self._sorted[0][:-1]).any()):
                raise GraphError("labels are not unique")
        return self

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
        try:
            places = {label: i for i, label in enumerate(self.array.tolist())}
        except TypeError as error:
            raise GraphError(f"labels must be hashable: {error}") from None
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
                place = len(values)
                if _fits(label, values.dtype):  # in the labels' own type: int64 and uint64 meet in float64 only
                    place = int(np.searchsorted(values, values.dtype.type(label)))
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
        if isinstance(labels, (str, bytes)) or not hasattr(labels, "__iter__"):
            raise GraphError(f"vertices must be given as a list of labels, not {labels!r}")
        if isinstance(self.values, range) or self.values.dtype.kind in "iu":
            wanted = np.asarray(labels)
            wanted = _signed(wanted) if wanted.dtype.kind == "u" and wanted.ndim == 1 else wanted
            same = isinstance(self.values, range) or np.result_type(wanted, self.values).kind in "iu"
            if wanted.dtype.kind in "iu" and wanted.ndim == 1 and same and not self._too_wide(wanted):
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

    def _too_wide(self, wanted: npt.NDArray[Any]) -> bool:
        """Return whether some of these ids are beyond 2^63 and the labels are a range, which is counted in int64."""
        return isinstance(self.values, range) and wanted.dtype == np.uint64

    def take(self, indices: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the labels of these vertices."""
        if isinstance(self.values, range):
            return indices.astype(np.int64) + self.values.start
        taken: npt.NDArray[Any] = self.values[indices]
        return taken


def as_labels(values: npt.ArrayLike | Iterable[Hashable]) -> npt.NDArray[Any]:
    """Return labels as an array that changes none of them: of objects where NumPy has no common type.

    >>> as_labels([1, "a"]).tolist(), as_labels([(1, 2), (3, 4)]).tolist(), as_labels(["x", "y"]).dtype.kind
    ([1, 'a'], [(1, 2), (3, 4)], 'U')
    """
    if hasattr(values, "__array__"):
        return np.asarray(values)
    items = list(cast("Iterable[Hashable]", values))
    if items and all(isinstance(item, str) for item in items):
        return string_array(cast("list[str]", items))
    try:
        array = np.asarray(items)
        if array.ndim == 1 and array.tolist() == items:
            return array
    except (ValueError, OverflowError):  # ragged, or an integer of more than 64 bits
        pass
    return np.fromiter(items, dtype=object, count=len(items))


_WIDEST = 1 << 20  # letters of a string in an array of fixed width: NumPy has none of 2^29


def string_array(items: list[str]) -> npt.NDArray[Any]:
    """Return strings as an array: of fixed width, unless one long string would make that many times as large as they are.

    >>> string_array(["Ulm", "Bonn"]).dtype.kind, string_array(["x" * 10_000, *"abcdefgh"]).dtype.kind
    ('U', 'O')
    """
    text = "".join(items)
    width, total = max(map(len, items), default=1), len(text)
    nul = "\0" in text and any(item.endswith("\0") for item in items)  # which NumPy would cut off
    if nul or len(items) * width > 4 * total + 1024 or width > _WIDEST:
        return np.fromiter(items, dtype=object, count=len(items))
    return np.array(items, dtype=f"U{max(width, 1)}")


def relabel(sources: npt.NDArray[Any], targets: npt.NDArray[Any]) -> tuple[Labels, Ids, Ids]:
    """Return labels made of the ids that appear, sorted, and both ends of the edges as 0…n-1.

    >>> labels, u, v = relabel(np.array([30, 10]), np.array([10, 20]))
    >>> labels.array.tolist(), u.tolist(), v.tolist()
    ([10, 20, 30], [2, 0], [0, 1])
    """
    kinds, count = {sources.dtype.kind, targets.dtype.kind}, len(sources)
    if kinds <= {"i", "u"}:
        sources, targets = _signed(sources), _signed(targets)
    common = np.result_type(sources, targets) if len(kinds) == 1 or kinds <= {"i", "u"} else np.dtype(object)
    if common.kind == "f" and kinds <= {"i", "u"}:  # int64 and ids beyond 2^63
        common = np.dtype(object)
    if common.kind in "iu" and common != np.uint64 and count:
        u, v = sources.astype(common), targets.astype(common)
        return renumber(u, v, int(min(u.min(), v.min())), int(max(u.max(), v.max())))
    if common.kind == "U" and count:
        return _rename(sources.astype(common), targets.astype(common))
    ids = np.concatenate([sources.astype(common), targets.astype(common)])
    if common.kind != "O":
        values, places = np.unique(ids, return_inverse=True)
        return Labels(values), places[:count].astype(np.int64), places[count:].astype(np.int64)
    try:
        numbers: dict[Any, int] = {}
        places = np.array([numbers.setdefault(label, len(numbers)) for label in ids.tolist()], dtype=np.int64)
    except TypeError as error:
        raise GraphError(f"labels must be hashable: {error}") from None
    names = list(numbers)
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # strings among numbers: in the order of their appearance
        order = list(range(len(names)))
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    places = rank[places]
    return Labels.of_objects(names[i] for i in order), places[:count], places[count:]


def renumber(u: npt.NDArray[Any], v: npt.NDArray[Any], low: int, high: int) -> tuple[Labels, Ids, Ids]:
    """Return what :func:`relabel` does of integers between ``low`` and ``high``, by all threads; the arrays are used up.

    >>> labels, u, v = renumber(np.array([-30, 10]), np.array([10, 20]), -30, 20)
    >>> labels.array.tolist(), u.tolist(), v.tolist()
    ([-30, 10, 20], [0, 1], [1, 2])
    """
    kind = u.dtype
    if high - low >= 2**62:
        values, places = np.unique(np.concatenate([u, v]), return_inverse=True)
        return Labels(values), places[: len(u)].astype(np.int64), places[len(u) :].astype(np.int64)
    shift = min(low, 0)  # the core counts from 0
    if shift or kind not in (np.int32, np.int64):
        u, v = u.astype(np.int64) - shift, v.astype(np.int64) - shift
    none = np.empty(0, dtype=np.int64)
    first, count, values = _core.relabel(u, v, none, low - shift, high - shift, threads.resolve(None))
    if values is None:
        return Labels(range(first + shift, first + shift + count)), u, v
    return Labels((values + shift).astype(kind)), u, v


def _rename(u: npt.NDArray[Any], v: npt.NDArray[Any]) -> tuple[Labels, Ids, Ids]:
    """Return what :func:`relabel` does of strings of one width: the core numbers them by their bytes, and what is different is sorted here."""
    width = max(u.dtype.itemsize, 1)
    first, second = (_core.Names(np.ascontiguousarray(x).view(np.uint8).reshape(len(x), width)) for x in (u, v))
    a, b = np.empty(len(u), dtype=np.int64), np.empty(len(v), dtype=np.int64)
    rows = _core.number_names(first, second, a, b, KEY, threads.resolve(None))
    values = np.where(rows < len(u), u[np.minimum(rows, len(u) - 1)], v[np.maximum(rows - len(u), 0)])
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return Labels(values[order]), rank[a], rank[b]


def _signed(ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return unsigned ids as int64 where they fit."""
    return ids.astype(np.int64) if ids.dtype != np.uint64 or not ids.size or ids.max() < 2**63 else ids


def _is_run(values: npt.NDArray[Any]) -> bool:
    """Return whether integers rise by 1; not where they are beyond 2^63: runs are counted in int64."""
    if int(values[-1]) >= 2**63:
        return False
    return int(values[-1]) - int(values[0]) == len(values) - 1 and bool((values[1:] - values[:-1] == 1).all())


def _fits(label: int, dtype: np.dtype[Any]) -> bool:
    info = np.iinfo(dtype)
    return bool(info.min <= label <= info.max)

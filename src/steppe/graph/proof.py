"""Proof: rows that others made are looked at before native code runs over them.

Searches trust the rows they read, so somebody has to have looked. Rows that steppe builds need no look, and arrays that are copied get
theirs when the graph is made. Two kinds of rows cannot be treated like that, and prove themselves when they are asked for:

- :class:`FileRows`, of a ``.steppe`` file: a file of gigabytes opens in milliseconds and is read once, by all threads, when rows are
  first wanted (``cpp/rows/prove.hpp``); what the file says of its weights and directions is compared on the way. A process remembers files
  that it has proven. While a file is mapped, its size and time are compared each time.
- :class:`LentRows`, of a caller who kept the right to them (``copy=False``): each call that takes the offsets, which every native call
  does, has the rows proven again.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import RowFault
from ..errors import FormatError, GraphError
from ..machine import locks, memory, threads
from .arrays import Array, read_only

if TYPE_CHECKING:
    from .labels import Labels

Facts = tuple[int | float, int | float, float]
"""Smallest, largest and mean weight."""

Rows = tuple[npt.NDArray[np.int64], Array, Array | None]
"""Offsets, targets and weights, in the types that are stored."""

_KEY = secrets.randbits(64)  # of the numbers by which opposite edges cancel: no file can have been made to fit it


def prove(rows: Rows, *, directed: bool, mapped: bool = False) -> Facts:
    """Return the facts of rows in the stored types; raise GraphError where they are none.

    Offsets rise from 0 to the number of edges, targets are vertices, weights are numbers, and unless ``directed`` every edge has an
    opposite of the same weight.
    """
    indptr, indices, weights = rows
    fault, place, low, high, mean = _core.prove_rows(
        _core.Rows(*rows, mapped), not directed, _KEY, threads.resolve(None)
    )
    if fault == RowFault.offset:
        raise GraphError(
            f"indptr must rise from 0 to len(indices) = {len(indices)}; indptr[{place}] is {indptr[place]}"
        )
    if fault == RowFault.target:
        raise GraphError(f"indices[{place}] is {indices[place]}: vertex ids must be 0…{len(indptr) - 2}")
    if fault == RowFault.weight and weights is not None:
        raise GraphError(f"weights[{place}] is {weights[place]}: weights must be numbers (+inf means no edge)")
    if fault == RowFault.one_way:
        raise GraphError("the graph is said to be undirected, but some edge has no opposite of the same weight")
    return (1, 1, 1.0) if weights is None else (low, high, mean)


def agree(claimed: Facts, found: Facts) -> bool:
    """Tell whether facts are those of the weights.

    A mean must be one that weights in this range can have, no more: it chooses the width of buckets, and that of undirected edges is not
    that of their arcs, where loops count once.

    >>> agree((1, 5, 3.0), (1, 5, 2.5)), agree((1, 5, 3.0), (0, 5, 3.0)), agree((1, 5, float("nan")), (1, 5, 3.0))
    (True, False, False)
    >>> agree((1, 10**400, 3.0), (1, 5, 3.0))
    False
    """
    low, high, mean = claimed
    if (low, high) != found[:2]:
        return False
    slack = 1e-6 * max(abs(low), abs(high))  # of rounding
    return bool(low - slack <= mean <= high + slack)


class Claim(Protocol):
    """Rows that prove themselves when they are asked for."""

    settled: bool
    """Nothing can change any more: whoever asked may keep what it got."""

    def rows(self, *, offsets: bool) -> Rows:
        """Return the rows; ``offsets``: those are what was asked for."""


class Mapped(Protocol):
    """What is known of a mapped file, see :class:`steppe.files.mapped.Mapping`."""

    identity: tuple[int, ...]

    def change(self) -> str | None:
        """Return what happened to the file since it was mapped."""


class FileRows:
    """The rows of a file, with what it claims of them."""

    _known: set[tuple[Any, ...]] = set()  # noqa: RUF012 - files proven by this process, by identity

    def __init__(
        self, rows: Rows, *, file: str, directed: bool, facts: Facts, labels: Labels | None, mapping: Mapped | None
    ) -> None:
        self.settled = False
        self._rows = (read_only(rows[0]), read_only(rows[1]), None if rows[2] is None else read_only(rows[2]))
        self._file, self._directed, self._facts = file, directed, facts
        self._labels, self._mapping = labels, mapping
        self._proven = False
        self._lock = locks.make()

    def rows(self, *, offsets: bool) -> Rows:
        """Return the rows, proven; FormatError where the file is wrong or was changed."""
        del offsets  # all the same here
        self._check_unchanged()
        if not self._proven:
            with self._lock:
                if not self._proven:
                    self._prove()
        return self._rows

    def _check_unchanged(self) -> None:
        happened = None if self._mapping is None else self._mapping.change()
        if happened is not None:
            raise FormatError(f"the file {happened} since it was opened: read it again", file=self._file)

    def _prove(self) -> None:
        mapping = self._mapping
        if mapping is not None:
            # Offsets are few; in memory of our own they stay as they were proven, and the file's need not be in memory as well.
            theirs = self._rows[0]
            self._rows = (read_only(np.array(theirs)), *self._rows[1:])
            _core.release(theirs, 0, len(theirs))
        key = None if mapping is None else (*mapping.identity, self._directed, self._facts)
        try:
            if key is None or key not in self._known:
                # Pages that a search will want again stay, unless the file is no small part of what memory is free.
                free = memory.available()
                large = free is None or 8 * sum(x.nbytes for x in self._rows if x is not None) > free
                found = prove(self._rows, directed=self._directed, mapped=mapping is not None and large)
                if not agree(self._facts, found):
                    raise GraphError(f"the weights have minimum, maximum and mean {found}, not {self._facts}")
                if self._labels is not None:
                    self._labels.check()
            elif bool((self._rows[0][1:] < self._rows[0][:-1]).any()) or self._rows[0][-1] != len(self._rows[1]):
                raise GraphError("indptr must rise")  # the copy was made after the file was proven
        except GraphError as error:
            raise FormatError(str(error), file=self._file) from error
        self._check_unchanged()
        # A file written a moment ago may be written to again without a change of its time.
        if key is not None and mapping is not None and time.time_ns() - max(mapping.identity[3:]) > 2 * 10**9:
            if len(self._known) > 4096:
                self._known.clear()
            self._known.add(key)
        self._proven, self.settled = True, mapping is None


class LentRows:
    """The rows of a caller who may change them, though it was promised not to."""

    settled = False

    def __init__(self, rows: Rows, facts: Facts) -> None:
        self._rows = (read_only(rows[0]), read_only(rows[1]), None if rows[2] is None else read_only(rows[2]))
        self._facts = facts

    def rows(self, *, offsets: bool) -> Rows:
        """Return the rows; proven anew if the offsets are asked for, with weights in the range they had."""
        if offsets:
            try:
                low, high, _ = prove(self._rows, directed=True)
            except GraphError as error:
                raise GraphError(f"arrays lent with copy=False were changed: {error}") from error
            if low < self._facts[0] or high > self._facts[1]:
                was = f"{self._facts[0]}…{self._facts[1]}"
                raise GraphError(f"arrays lent with copy=False were changed: weights {low}…{high}, which were {was}")
        return self._rows


class Row:
    """One of the arrays of a graph whose rows have to be asked for; other graphs have theirs in place of this."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __get__(self, graph: object, owner: type) -> Any:
        if graph is None:
            return self
        claim: Claim = vars(graph)["_claim"]
        rows = claim.rows(offsets=self.place == 0)
        if claim.settled:
            vars(graph).update(zip(("indptr", "indices", "weights"), rows, strict=True))
        return rows[self.place]

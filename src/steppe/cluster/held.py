"""Held: one part in the memory of a worker, and the state of one search in it."""

from __future__ import annotations

import contextlib
import hashlib
import stat
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..files.target import destination

if TYPE_CHECKING:
    from pathlib import Path

    from ..files.part import Part
    from .asked import Asked

Array = npt.NDArray[Any]
NO_TAIL = np.iinfo(np.int64).max
PIECE = 1 << 16
"""Ghosts whose places are read at a time."""


class Ends:
    """Where a part's ghosts are at home: which of them belong to which part, and what they are called there.

    A part may have several times as many ghosts as vertices. So what they are called is not kept, but read from the mapped file when it is told.
    """

    def __init__(self, part: Part, starts: npt.NDArray[np.int64]) -> None:
        self.part, self.ghosts, self.starts = part, np.asarray(part.ghosts), starts
        self.bounds = np.searchsorted(self.ghosts, starts)
        sizes = np.diff(starts)
        self.dtype = np.dtype(np.int32 if len(sizes) == 0 or sizes.max() < 2**31 else np.int64)

    @cached_property
    def lightest(self) -> Array:
        """The first weight of each own row, which is the least where rows are sorted."""
        indptr, _, weights = self.part.graph._rows
        assert weights is not None  # noqa: S101 - rows without weights are not sorted
        first, last = indptr[: self.part.own], indptr[1 : self.part.own + 1]
        none = np.inf if weights.dtype.kind == "f" else np.iinfo(weights.dtype).max
        least: Array = np.full(self.part.own, none, dtype=weights.dtype)
        for begin in range(0, self.part.own, PIECE):
            some = slice(begin, begin + PIECE)
            has = np.flatnonzero(first[some] < last[some])
            least[some][has] = weights[first[some][has]]
        return least

    def names(self, part: int, ghosts: Array) -> Array:
        """Return what ghosts that are at home in a part are called there; written over ``ghosts`` where the types are the same."""
        names = ghosts if ghosts.dtype == self.dtype else np.empty(len(ghosts), dtype=self.dtype)
        for begin in range(0, len(ghosts), PIECE):
            some = slice(begin, begin + PIECE)
            np.subtract(self.ghosts[ghosts[some]], self.starts[part], out=names[some], casting="unsafe")
        return names


def _unreached(values: Array) -> int | float:
    return np.inf if values.dtype.kind == "f" else int(np.iinfo(values.dtype).max)


def public(values: Array, *, hops: bool) -> Array:
    """Return values of a search as users see them, in memory of their own."""
    if values.dtype.kind == "f":
        return values.copy()
    dtype = np.int32 if hops else np.int64
    found = values.astype(dtype)
    found[values == np.iinfo(values.dtype).max] = np.iinfo(dtype).max
    return found


class Held:
    """The state of one question in one part."""

    def __init__(self, part: Part, ends: Ends, asked: Asked) -> None:
        self.part, self.ends, self.asked = part, ends, asked
        self.core = part.graph._native
        self.search = _core.part_search(
            self.core, part.own, asked.hops, asked.longest, asked.width, asked.bound, asked.narrow
        )
        self.sources = self._own(asked.sources)
        self.targets = None if asked.targets is None else self._own(asked.targets)
        self.bound = asked.bound
        self.distances: Array | None = None
        self.tree: _core.Part | None = None
        self.tails: npt.NDArray[np.int64] | None = None
        self.hung: npt.NDArray[np.uint8] | None = None
        self.remote: list[Array] = []
        self.has_pulled = False
        if asked.checkpoint is not None:
            self._restore()
        self._plant(self.search)

    def _own(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        first, own = self.part.first, self.part.own
        return places[(places >= first) & (places < first + own)] - first

    def furthest(self) -> int | float:
        """Return the value of the furthest target in this part, -1: there is none."""
        if self.targets is None or len(self.targets) == 0:
            return -1
        values = self.search.values()
        most = values[self.targets].max()
        return np.inf if most == _unreached(values) else most.item()

    def _plant(self, field: _core.Part) -> None:
        values = np.zeros(len(self.sources), dtype=field.values().dtype)
        field.offer(self.sources, values)

    # The tree and the proof -----------------------------------------------------------------------------------------

    def finish(self, furthest: int | float | None) -> None:
        """Take the values for distances: no copy, and in the narrow type that they were searched in; ``public`` is for users.

        ``furthest``: of all targets, where the search was ended because they have their distances.
        """
        self.bound = self.asked.bound
        if furthest is not None:
            self.search.cut(furthest)
            self.bound = furthest
        self.search.rest()
        self.distances = self.search.values()
        self.tree = self.tails = self.hung = None

    def plant_tree(self) -> None:
        """Begin to count the edges of canonical paths, at the sources."""
        assert self.distances is not None  # noqa: S101 - asked for after finish()
        self.tree = _core.part_tree(self.core, self.part.own, self.distances, self.asked.hops)
        self._plant(self.tree)

    def find_tails(self) -> npt.NDArray[np.int64]:
        """Return for own vertices and ghosts the smallest vertex of this part that may stand before them."""
        assert self.distances is not None and self.tree is not None  # noqa: S101, PT018
        tails = np.full(self.part.graph.num_vertices, NO_TAIL)
        numbers = np.ascontiguousarray(self.part.numbers, dtype=np.int64)
        levels = self.tree.values()
        _core.part_tails(self.core, self.part.own, self.distances, self.asked.hops, levels, numbers, tails)
        return tails

    def prove(self) -> tuple[Any, int, int]:
        """Return what is wrong with own vertices and their edges; notes which vertices hang from nearer ones."""
        assert self.distances is not None  # noqa: S101
        self.hung = np.zeros(len(self.distances), dtype=np.uint8)
        self.hung[self.sources] = 1
        asked = self.asked
        return _core.part_proof(self.core, self.part.own, self.distances, asked.hops, self.bound, self.hung)

    # Checkpoints ----------------------------------------------------------------------------------------------------

    def _file(self) -> Path:
        assert self.asked.checkpoint is not None  # noqa: S101
        return self.asked.checkpoint / f"part-{self.part.number:06}.values"

    def save(self) -> None:
        """Keep all values. Any mixture of old and new ones will do: each is the length of some path."""
        data = self.search.values().view(np.uint8)
        with destination(self._file()) as file:
            file.write(self.asked.key + hashlib.blake2b(data, digest_size=16).digest())
            file.write(data)

    def _restore(self) -> None:
        """Take the values of a checkpoint, if it is whole and of this question, and they can be lengths of paths."""
        values = self.search.values()
        with contextlib.suppress(FileNotFoundError):
            there = self._file().stat()
            if not stat.S_ISREG(there.st_mode) or there.st_size != 32 + values.nbytes:
                return
            kept = self._file().read_bytes()
            data = kept[32:]
            whole = kept[16:32] == hashlib.blake2b(data, digest_size=16).digest()
            if not whole or kept[:16] != self.asked.key or len(data) != values.nbytes:
                return
            found = np.frombuffer(data, dtype=values.dtype)
            if bool((found >= 0).all()):  # no NaN either
                values[:] = found
                self.search.wake()

    def drop(self) -> None:
        """Remove the checkpoint."""
        self._file().unlink(missing_ok=True)

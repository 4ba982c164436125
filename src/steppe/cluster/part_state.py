"""PartState: the state of one search in one part; GhostOwners: the parts that own a part's ghosts."""

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
    from .question import WorkerQuestion

Array = npt.NDArray[Any]
NO_TAIL = np.iinfo(np.int64).max
PIECE = 1 << 16
"""Entries that are read from a mapped file at a time."""


class GhostOwners:
    """The owners of a part's ghosts: the range of ghosts that each part owns, and their indices there.

    A part may have several times as many ghosts as vertices. So their indices are not kept, but read from the mapped file for each message.
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
        least: Array = np.full(self.part.own, unreached(weights), dtype=weights.dtype)
        for begin in range(0, self.part.own, PIECE):
            some = slice(begin, begin + PIECE)
            has = np.flatnonzero(first[some] < last[some])
            least[some][has] = weights[first[some][has]]
        return least

    def local_indices(self, part: int, ghosts: Array) -> Array:
        """Return the indices of ghosts in the part that owns them; overwrites ``ghosts`` where the types are the same."""
        indices = ghosts if ghosts.dtype == self.dtype else np.empty(len(ghosts), dtype=self.dtype)
        for begin in range(0, len(ghosts), PIECE):
            some = slice(begin, begin + PIECE)
            np.subtract(self.ghosts[ghosts[some]], self.starts[part], out=indices[some], casting="unsafe")
        return indices


def unreached(values: Array) -> int | float:
    """Return what stands for an unreached vertex among such values: infinity, or the largest integer."""
    return np.inf if values.dtype.kind == "f" else int(np.iinfo(values.dtype).max)


def public(values: Array, *, hops: bool) -> Array:
    """Return values of a search as users see them, in memory of their own."""
    if values.dtype.kind == "f":
        return values.copy()
    dtype = np.int32 if hops else np.int64
    found = values.astype(dtype)
    found[values == np.iinfo(values.dtype).max] = np.iinfo(dtype).max
    return found


class PartState:
    """The state of one question in one part."""

    def __init__(self, part: Part, ghost_owners: GhostOwners, question: WorkerQuestion) -> None:
        self.part, self.ghost_owners, self.question = part, ghost_owners, question
        self.core = part.graph._native
        self.search = _core.part_search(
            self.core, part.own, question.hops, question.longest, question.width, question.bound, question.narrow
        )
        self.sources = self._own(question.sources)
        self.targets = None if question.targets is None else self._own(question.targets)
        self.bound = question.bound
        self.distances: Array = np.empty(0)  # all four: found after the search, empty until then
        self.tree: _core.Part | None = None
        self.tails, self.supported = np.empty(0, np.int64), np.empty(0, np.uint8)
        self.remote: list[Array] = []
        self.has_pulled = False
        if question.checkpoint is not None:
            self._restore()
        self._offer_sources(self.search)

    def _own(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        first, own = self.part.first, self.part.own
        return places[(places >= first) & (places < first + own)] - first

    def furthest(self) -> int | float:
        """Return the value of the furthest target in this part, -1: there is none."""
        if self.targets is None or len(self.targets) == 0:
            return -1
        values = self.search.values()
        most = values[self.targets].max()
        return np.inf if most == unreached(values) else most.item()

    def _offer_sources(self, field: _core.Part) -> None:
        values = np.zeros(len(self.sources), dtype=field.values().dtype)
        field.offer(self.sources, values)

    # The tree and the proof -----------------------------------------------------------------------------------------

    def finish(self, furthest: int | float | None) -> None:
        """Take the values as distances, without a copy and in the type of the search (``public`` converts them for users).

        ``furthest``: the distance of the furthest target, where the search ended because all targets have their distances.
        """
        self.bound = self.question.bound
        if furthest is not None:
            self.search.cut(furthest)
            self.bound = furthest
        self.search.rest()
        self.distances = self.search.values()
        self.tree, self.tails, self.supported = None, np.empty(0, np.int64), np.empty(0, np.uint8)

    def begin_tree(self) -> None:
        """Begin to count the edges of canonical paths, at the sources."""
        self.tree = _core.part_tree(self.core, self.part.own, self.distances, self.question.hops)
        self._offer_sources(self.tree)

    def find_tails(self) -> npt.NDArray[np.int64]:
        """Return for own vertices and ghosts the smallest vertex of this part that can be their predecessor."""
        assert self.tree is not None  # noqa: S101 - begin_tree() was called
        tails = np.full(self.part.graph.num_vertices, NO_TAIL)
        numbers = np.ascontiguousarray(self.part.numbers, dtype=np.int64)
        levels = self.tree.values()
        _core.part_tails(self.core, self.part.own, self.distances, self.question.hops, levels, numbers, tails)
        return tails

    def prove(self) -> tuple[Any, int, int]:
        """Return the first fault of own vertices and their edges; note which vertices are supported by a tight edge from a nearer one."""
        self.supported = np.zeros(len(self.distances), dtype=np.uint8)
        self.supported[self.sources] = 1
        own, hops = self.part.own, self.question.hops
        return _core.part_proof(self.core, own, self.distances, hops, self.bound, self.supported)

    # Checkpoints ----------------------------------------------------------------------------------------------------

    def _file(self) -> Path:
        assert self.question.checkpoint is not None  # noqa: S101
        return self.question.checkpoint / f"part-{self.part.number:06}.values"

    def save(self) -> None:
        """Save all values. A mixture of old and new ones is right, too: each is the length of some path."""
        data = self.search.values().view(np.uint8)
        with destination(self._file()) as file:
            file.write(self.question.key + hashlib.blake2b(data, digest_size=16).digest())
            file.write(data)

    def _restore(self) -> None:
        """Read the values of a checkpoint, if it is whole, of this question, and they can be lengths of paths."""
        values = self.search.values()
        with contextlib.suppress(FileNotFoundError):
            there = self._file().stat()
            if not stat.S_ISREG(there.st_mode) or there.st_size != 32 + values.nbytes:
                return
            kept = self._file().read_bytes()
            data = kept[32:]
            whole = kept[16:32] == hashlib.blake2b(data, digest_size=16).digest()
            if not whole or kept[:16] != self.question.key or len(data) != values.nbytes:
                return
            found = np.frombuffer(data, dtype=values.dtype)
            if bool((found >= 0).all()):  # no NaN either
                values[:] = found
                self.search.wake()

    def drop(self) -> None:
        """Remove the checkpoint."""
        self._file().unlink(missing_ok=True)

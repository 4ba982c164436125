"""partition(): a graph cut into parts on the disk, written piece by piece.

Each part is written in two passes over its rows: the first marks the vertices of other parts that they lead to, the second writes the rows with
those numbered in rising order; a mark's rank is the count of the marks before it, kept for every 64. So what is held is a byte for each vertex,
the offsets of one part and one piece of its edges, whatever the graph's size (:func:`bytes_needed`).

The folder grows under another name and gets its own in one step, the manifest written last and everything brought to the disk before. A process
that dies leaves a folder of drafts, which the next call removes.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError, ResultSizeError
from ..graph.arrays import vertex_dtype
from ..machine.memory import size_of
from . import file_system, steppe_file
from .manifest import MOST_PARTS, NAME, VERSION, file_names, seal
from .npz import plain_labels
from .partitioned import PartitionedGraph, open_partitioned
from .verified import digest_of_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
PIECE = 1 << 20
"""Edges at a time."""

PARTS = 64
"""Parts where nobody says how many, and vertices are not fewer."""

SPARSE = _core.SPARSE
"""Edges a vertex below which rows stay as they are: such graphs have no moment at which most of the search is left to do at once."""

_DRAFT = re.compile(r"\..*\.steppe-[0-9a-f]{16}\.parts", re.DOTALL)
_LOCK = ".lock"


def bytes_needed(n: int, parts: int, *, renumbered: bool, largest: int = 0) -> int:
    """Return the memory that partitioning takes: marks, the offsets of a part, a piece of its edges, and the order of the vertices.

    >>> bytes_needed(10**9, 64, renumbered=False) >> 20
    1526
    """
    vertex = np.dtype(vertex_dtype(n)).itemsize
    part = 8 * (largest or 2 * -(-n // max(1, parts)))
    order = n * (2 * vertex + 1) if renumbered else 0
    return n + n // 4 + part + order + 96 * PIECE


def write(
    graph: Graph,
    folder: Path,
    *,
    parts: int | None,
    by: str | Array,
    memory_limit: int | str | None,
    tell: Callable[[int, str], object] | None,
) -> PartitionedGraph:
    """Write the folder; see :func:`steppe.partition`."""
    n = graph.num_vertices
    parts = _counted(parts, n)
    limit = size_of(memory_limit)
    needed = bytes_needed(n, parts, renumbered=not isinstance(by, str) or by != "range")
    if limit is not None and needed > limit:
        raise ResultSizeError(
            f"partitioning {n:,} vertices takes {needed:,} bytes, and memory_limit is {limit:,}",
            needed=needed,
            free=limit,
        )
    folder = Path(os.path.realpath(folder))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} is there already: remove it, or give another name")
    file_system.remove_dead(folder.parent, _DRAFT, _LOCK)
    draft = folder.with_name(f".{folder.name[:40]}.steppe-{secrets.token_hex(8)}.parts")
    draft.mkdir()
    fd = os.open(draft / _LOCK, os.O_WRONLY | os.O_CREAT | os.O_EXCL | file_system.CAREFUL, 0o666)
    try:
        file_system.lock(fd)
        manifest = _Writer(graph, draft, parts, by, tell).run()
        (draft / NAME).write_bytes(json.dumps({"manifest": manifest, "digest": seal(manifest)}, indent=1).encode())
        (draft / _LOCK).unlink()
        for name in (*manifest["files"], NAME):
            _sync(draft / name)
        file_system.sync_folder(draft)
        draft.rename(folder)
        file_system.sync_folder(folder.parent)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    finally:
        os.close(fd)
    return open_partitioned(folder)


def _counted(parts: int | None, n: int) -> int:
    """Return how many parts a graph of n vertices is cut into.

    >>> _counted(None, 1000), _counted(None, 3), _counted(2, 3), _counted(1, 0)
    (64, 3, 2, 1)
    """
    most = max(1, min(n, MOST_PARTS))
    if parts is None:
        return min(PARTS, most)
    if isinstance(parts, bool) or not isinstance(parts, (int, np.integer)):
        raise TypeError(f"parts must be an integer, not {parts!r}")
    if not 1 <= parts <= most:
        least = "at least 1" if parts < 1 else f"at most {most:,}"
        why = f": no more than vertices, and no more than {MOST_PARTS:,}" if parts > most else ""
        raise ValueError(f"parts must be {least}, not {parts:,}{why}")
    return int(parts)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


class _Writer:
    """One partition, being written to ``folder``."""

    def __init__(
        self, graph: Graph, folder: Path, parts: int, by: str | Array, tell: Callable[[int, str], object] | None
    ) -> None:
        self.graph, self.folder, self.parts, self.tell = graph, folder, parts, tell
        self.indptr, self.indices, self.weights = graph.indptr, graph.indices, graph.weights
        self.n = graph.num_vertices
        self.files: dict[str, dict[str, Any]] = {}
        self.by = by if isinstance(by, str) else "array"
        self.order: Array | None = None  # the vertex at each place; None: places are numbers
        if self.by == "range":
            self.starts = _ranges(self.indptr, parts)
        elif self.by == "locality":
            order = np.empty(self.n, dtype=self.indices.dtype)
            if self.n:
                _core.order_by_place(graph._native, not graph.directed, order)
            self._deal(_ranges(np.concatenate([[0], np.cumsum(np.diff(self.indptr)[order])]), parts), order)
        elif self.by == "array":
            self._deal_owners(np.asarray(by))
        else:
            raise ValueError(f'by must be "range", "locality" or an array with the part of each vertex, not {by!r}')
        # A search of a graph with many edges a vertex ends by looking from vertices that were not reached yet to their neighbours, the nearest
        # first: where edges lead both ways, and rows are sorted.
        weighted = self.weights is not None and graph.min_weight >= 0
        self.sorts = weighted and not graph.directed and graph.num_edges >= SPARSE * self.n
        self.bits = np.zeros(-(-self.n // 64) + 1, dtype=np.uint64)
        self.done = 0

    def _deal_owners(self, owners: Array) -> None:
        if owners.shape != (self.n,) or owners.dtype.kind not in "iu":
            raise GraphError(f"by must have a part for each of {self.n:,} vertices, as integers")
        if self.n and (owners.min() < 0 or owners.max() >= self.parts):
            raise GraphError(f"by must hold numbers of parts, 0…{self.parts - 1}")
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=self.parts))]).astype(np.int64)
        self._deal(starts, np.argsort(owners, kind="stable").astype(self.indices.dtype))

    def _deal(self, starts: npt.NDArray[np.int64], order: Array) -> None:
        """Take an order of the vertices: within a part they stay in the order of their numbers."""
        self.starts, self.order = starts, order
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            order[first:last].sort()

    def run(self) -> dict[str, Any]:
        """Write all files but the manifest; return that."""
        if self.order is not None:
            places = (
                np.lib.format.open_memmap(
                    self.folder / "places.npy", mode="w+", dtype=self.indices.dtype, shape=(self.n,)
                )
                if self.n
                else np.empty(0, dtype=self.indices.dtype)
            )
            places[self.order] = np.arange(self.n, dtype=self.indices.dtype)
            self.places = places
            self._save("places.npy", places, written=self.n > 0)
            self._save("numbers.npy", self.order.astype(np.int64, copy=False))
        labels: int | str | None = None
        if self.graph._labels is not None:
            if isinstance(self.graph._labels.values, range):
                labels = self.graph._labels.values.start
            else:
                labels = "array"
                self._save("labels.npy", plain_labels(self.graph))
        parts = [self._part(number) for number in range(self.parts)]
        graph = self.graph
        facts = None if self.weights is None else [graph.min_weight, graph.max_weight, graph.mean_weight]
        sampled = graph._native.typical_weight if self.n else 1.0
        return {
            "version": VERSION,
            "vertices": self.n,
            "edges": graph.num_edges,
            "directed": graph.directed,
            "by": self.by,
            "sorted": self.sorts,
            "weights": facts,
            "dtype": None if self.weights is None else self.weights.dtype.str,
            "typical_weight": float(min(sampled, graph.mean_weight) if sampled > 0 else max(0.0, graph.mean_weight)),
            "labels": labels,
            "starts": self.starts.tolist(),
            "parts": parts,
            "files": self.files,
        }

    def _save(self, name: str, array: Array, *, written: bool = False) -> None:
        path = self.folder / name
        if written:
            array.flush()  # type: ignore[attr-defined]
        else:
            np.save(path, array)
        self._enter(name, len(array))

    def _enter(self, name: str, count: int) -> None:
        path = self.folder / name
        self.files[name] = {"bytes": path.stat().st_size, "count": count, "digest": digest_of_file(path)}

    def _part(self, number: int) -> dict[str, Any]:
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        own = last - first
        degrees = np.empty(own, dtype=np.int64)
        marks = np.zeros(self.n, dtype=bool)
        cut = 0
        for begin, rows in self._pieces(first, last):
            edges, at = self._edges(rows)
            degrees[begin : begin + len(rows)] = np.diff(at)
            places = self._places(self.indices[edges])
            outside = places[(places < first) | (places >= last)]
            cut += len(outside)
            marks[outside] = True
        self.bits.view(np.uint8)[: -(-self.n // 8)] = np.packbits(marks, bitorder="little")
        del marks
        before = np.concatenate([[0], np.cumsum(np.bitwise_count(self.bits), dtype=np.int64)])
        ghosts = self._ghosts(int(before[-1]))
        rows_name, name = file_names(number)
        np.save(self.folder / name, ghosts)
        self._enter(name, len(ghosts))
        held = own + len(ghosts)
        if held >= 2**31:
            raise GraphError(
                f"part {number} would hold {held:,} vertices, ghosts among them, and at most 2^31 - 1 fit: take more parts"
            )

        def fill(begin: int, offsets: Array, indices: Array, weights: Array | None) -> None:
            rows = self._vertices(first + begin, min(last, first + begin + len(offsets) - 1))
            at = 0
            for _, some in _chunks(rows, self.indptr):
                edges, offsets = self._edges(some)
                places = self._places(self.indices[edges])
                inside = (places >= first) & (places < last)
                rank = before[places >> 6] + np.bitwise_count(
                    self.bits[places >> 6] & ((np.uint64(1) << (places & 63).astype(np.uint64)) - np.uint64(1))
                )
                indices[at : at + len(places)] = np.where(inside, places - first, own + rank)
                if weights is not None and self.weights is not None:
                    weights[at : at + len(places)] = self.weights[edges]
                    if self.sorts:
                        _core.sort_rows(offsets, indices[at : at + len(places)], weights[at : at + len(places)])
                at += len(places)
                self._tell(len(places))

        def count(begin: int, out: Array) -> None:
            some = degrees[begin : begin + len(out)]
            out[: len(some)] = some
            out[len(some) :] = 0  # ghosts

        with (self.folder / rows_name).open("wb") as file:
            steppe_file.write_in_pieces(
                file,
                held,
                indices=np.dtype(np.int32),
                weights=None if self.weights is None else self.weights.dtype,
                directed=True,
                degrees=count,
                fill=fill,
            )
        edges = int(degrees.sum())
        self._enter(rows_name, edges)
        return {"vertices": own, "edges": edges, "ghosts": len(ghosts), "cut": cut}

    def _ghosts(self, count: int) -> npt.NDArray[np.int64]:
        """Return the places that are marked, rising."""
        ghosts = np.empty(count, dtype=np.int64)
        at, words = 0, max(1, PIECE // 64)
        for begin in range(0, len(self.bits), words):
            some = self.bits[begin : begin + words]
            found = np.flatnonzero(np.unpackbits(some.view(np.uint8), bitorder="little"))
            ghosts[at : at + len(found)] = found + begin * 64
            at += len(found)
        return ghosts

    def _tell(self, edges: int) -> None:
        self.done += edges
        if self.tell is not None:
            self.tell(self.done, "")

    def _vertices(self, first: int, last: int) -> npt.NDArray[np.int64]:
        """Return the vertices at these places."""
        return np.arange(first, last) if self.order is None else self.order[first:last].astype(np.int64)

    def _places(self, vertices: Array) -> npt.NDArray[np.int64]:
        return vertices.astype(np.int64) if self.order is None else self.places[vertices].astype(np.int64)

    def _pieces(self, first: int, last: int) -> Any:
        """Yield (rows before, vertices) of a part, in pieces of about so many edges."""
        for begin in range(first, last, PIECE):
            for at, rows in _chunks(self._vertices(begin, min(last, begin + PIECE)), self.indptr):
                yield begin - first + at, rows

    def _edges(self, rows: npt.NDArray[np.int64]) -> tuple[Any, npt.NDArray[np.int64]]:
        """Return which edges these vertices have, one after another, and where those of each begin."""
        begin, end = self.indptr[rows], self.indptr[rows + 1]
        at = np.concatenate([[0], np.cumsum(end - begin)])
        if self.order is None:
            return slice(int(begin[0]), int(end[-1])), at
        return np.arange(int(at[-1])) + np.repeat(begin - at[:-1], end - begin), at


def _chunks(rows: npt.NDArray[np.int64], indptr: Array) -> Any:
    """Yield (rows before, rows) with about PIECE edges each."""
    ends = np.cumsum(indptr[rows + 1] - indptr[rows])
    begin = 0
    while begin < len(rows):
        done = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + PIECE, side="right")))
        yield begin, rows[begin:end]
        begin = end


def _ranges(offsets: Array, parts: int) -> npt.NDArray[np.int64]:
    """Return where parts begin, so that vertices and edges together are about equally many in each.

    >>> _ranges(np.array([0, 4, 8, 8, 8, 8]), 2).tolist()
    [0, 2, 5]
    """
    n = len(offsets) - 1
    total = int(offsets[-1]) + n
    wanted = np.array([total * p // parts for p in range(1, parts)], dtype=np.int64)
    starts = np.zeros(parts + 1, dtype=np.int64)
    starts[-1] = n
    low, high = np.zeros(parts - 1, dtype=np.int64), np.full(parts - 1, n, dtype=np.int64)
    while (low < high).any():  # the offsets may lie in a file: a few looks at them, no copy
        middle = (low + high) // 2
        below = offsets[middle] + middle < wanted
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    starts[1:-1] = low
    return starts

"""PartitionedGraph: a graph that nobody holds as a whole, in a folder of parts.

.. code-block:: text

    manifest.json      what there is: counts, facts of the weights, the digest of every file. Written last: a folder without it is no graph
    part-000000.steppe the rows of one part, a file like any other ``.steppe`` file (:mod:`steppe.files.steppe_file`)
    ghosts-000000.npy  the vertices of other parts that its edges lead to, by their places, rising
    numbers.npy        the vertex at each place, places.npy the place of each vertex: only where these are not the same
    labels.npy         the label of each vertex, where there are some that are not simply numbers in a row

Vertices are numbered 0…n-1, as in the graph that was partitioned. Their *places* are 0…n-1 too, dealt out part by part: part ``p`` has the places
``starts[p]…starts[p + 1] - 1``. Within a part's file a vertex has its place minus ``starts[p]``; behind those come the ghosts, as vertices
without edges. So a part is a graph by itself, its numbers are small ones, and a search in it needs no table to find a ghost.

All of it is checked before it is used. The manifest is checked when the folder is opened (:mod:`steppe.files.manifest`); every file is compared
with its digest when a process first reads it (:mod:`steppe.files.verified`); and because whoever writes files can write digests, too, what
they hold is proven before the first search: ghosts rise and are others', numbers and places are each other's inverse, and of rows what
:meth:`PartitionedGraph.prove` says.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import FormatError, GraphError
from ..graph.arrays import vertex_dtype
from ..graph.labels import Labels
from ..graph.vertices import Vertices
from ..machine import locks, threads
from . import manifest as _manifest
from . import mapped, steppe_file, verified
from .manifest import seal
from .part import Part
from .source import Source
from .verified import digest_of_file

if TYPE_CHECKING:
    import mmap
    import os
    from collections.abc import Iterable

__all__ = [
    "PartitionedGraph",
    "digest_of_file",
    "open_partitioned",
    "reopen",
    "seal",
]  # two are for who writes such folders
Array = npt.NDArray[Any]
_PIECE = 1 << 20
"""Entries that are looked at at a time."""


@locks.opened_in_child
class PartitionedGraph(Vertices):
    """A graph in a folder of parts: what :func:`steppe.partition` writes and :func:`steppe.open_partitioned` opens.

    Searches take it as they take a :class:`~steppe.Graph`; ``engine="ray"`` gives each worker some of its parts, and without an engine the parts
    are searched in turn by this process. Only the manifest is read when it is opened; files are compared with their digests when they are first
    read.

    Attributes
    ----------
    folder : Path
        Where it lies.
    num_vertices, num_edges : int
        As of the graph that was partitioned; edges are stored arcs.
    num_parts : int
        How many parts.
    directed : bool
        False when the graph was built from undirected edges.
    min_weight, max_weight, mean_weight : number
        Of the edges that exist; all 1 where there are no weights.
    num_cut, num_ghosts : int
        Edges that lead from one part to another; vertices of other parts that they lead to, counted in each part.
    is_sorted : bool
        Whether the rows of parts are sorted by weight, by which a search may be finished; see :func:`steppe.partition`.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any], digest: str) -> None:
        self.folder, self.digest = folder, digest
        self.num_vertices: int = manifest["vertices"]
        self.num_edges: int = manifest["edges"]
        self.directed: bool = manifest["directed"]
        self.by: str = manifest["by"]
        facts: tuple[Any, Any, float] = manifest["weights"] or (1, 1, 1.0)
        self.min_weight, self.max_weight, self.mean_weight = facts
        self.typical_weight: float = manifest["typical_weight"]
        self.weight_dtype = None if manifest["dtype"] is None else np.dtype(manifest["dtype"])
        self.starts = np.array(manifest["starts"], dtype=np.int64)
        self._parts: list[dict[str, Any]] = manifest["parts"]
        self._files: dict[str, dict[str, Any]] = manifest["files"]
        self._first_label = manifest["labels"]
        self.is_renumbered = self.by != "range"
        self.is_sorted: bool = manifest.get("sorted", False)  # folders of before that was written have it not
        self._arrays: dict[str, tuple[bytes | mmap.mmap, Array]] = {}
        self._mirrors: dict[tuple[int, int], tuple[int, int, int, tuple[int, ...]]] = {}

    @property
    def num_parts(self) -> int:
        """How many parts there are."""
        return len(self._parts)

    @property
    def num_cut(self) -> int:
        """Edges that lead from one part to another."""
        return sum(part["cut"] for part in self._parts)

    @property
    def num_ghosts(self) -> int:
        """Vertices of other parts that edges lead to, counted in each part."""
        return sum(part["ghosts"] for part in self._parts)

    @property
    def is_integer(self) -> bool:
        """Whether distances are integers: integer weights, or none."""
        return self.weight_dtype is None or self.weight_dtype.kind == "i"

    @property
    def has_negative(self) -> bool:
        """Whether any weight is negative."""
        return bool(self.min_weight < 0)

    def distance_dtype(self, *, hops: bool = False) -> np.dtype[Any]:
        """Return the type of distances, as for a graph in memory."""
        if hops:
            return np.dtype(np.int32)
        return np.dtype(np.int64) if self.is_integer or self.weight_dtype is None else self.weight_dtype

    @cached_property
    def _labels(self) -> Labels | None:  # type: ignore[override]
        if self._first_label is None:
            return None
        if self._first_label != "array":
            return Labels(range(self._first_label, self._first_label + self.num_vertices))
        values = self._array("labels.npy")
        try:
            if values.dtype.kind == "U" and values.size and values.view(np.uint32).max() > 0x10FFFF:
                raise GraphError("labels hold what is no character")
            return Labels(values).check()
        except GraphError as error:
            raise FormatError(str(error), file=str(self.folder / "labels.npy")) from None

    def part(self, number: int) -> Part:
        """Return one part, its rows mapped, after its files were compared with their digests.

        Raises
        ------
        FormatError
            A file is missing or damaged; it is named.
        """
        if not 0 <= number < self.num_parts:
            raise IndexError(f"part {number} of {self.num_parts}")
        name = _manifest.file_names(number)[0]
        path, data = self.folder / name, verified.contents(self.folder / name, self._files[name])
        graph = steppe_file.graph_of(Source.holding(path, data), data if isinstance(data, mapped.Mapping) else None)
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        facts = self._parts[number]
        known = (facts["edges"], last - first + facts["ghosts"], True)
        weights = graph._rows[2]
        right = (None if weights is None else weights.dtype) == self.weight_dtype
        if (graph.num_edges, graph.num_vertices, graph.directed) != known or graph._labels is not None or not right:
            raise FormatError("this is not the part that the manifest tells of", file=str(path))
        renumbered = self.numbers_at(first, last) if self.is_renumbered else None
        ghosts, others = self._ghosts(number)
        return Part(number, graph, last - first, first, ghosts, renumbered, ((path, data), others))

    def _ghosts(self, number: int) -> tuple[npt.NDArray[np.int64], tuple[Path, bytes | mmap.mmap]]:
        """Return the ghosts of a part, and the file they lie in; they rise, and are vertices of other parts."""
        name = _manifest.file_names(number)[1]
        path, data = self.folder / name, verified.contents(self.folder / name, self._files[name])
        ghosts = verified.array(data, path, self._files[name]["count"])
        first, last = self.starts[number : number + 2].tolist()
        before = -1
        for begin in range(0, len(ghosts), _PIECE):
            some = ghosts[begin : begin + _PIECE]
            fine = ghosts.dtype == np.int64 and some[0] > before and bool((some[1:] > some[:-1]).all())
            before = int(some[-1])
            if not fine or before >= self.num_vertices or ((some >= first) & (some < last)).any():
                raise FormatError("ghosts must rise, and be vertices of other parts", file=str(path))
        return ghosts, (path, data)

    def prove(self, part: Part, key: int) -> int:
        """Prove what a part's rows claim, and return the sum of its arcs by a secret key, see :meth:`check_balance`.

        Offsets rise, targets are vertices or ghosts, weights are numbers in the range that the manifest tells, ghosts have no edges, as many
        edges are cut as is said, and rows are sorted where they are said to be.

        Raises
        ------
        FormatError
            It is not so.
        """
        graph, path = part.graph, part.files[0][0]
        rows = graph._native  # proven, with the range that the file tells
        indptr, _, weights = graph._rows
        if indptr[part.own] != graph.num_edges:
            raise FormatError("ghosts must have no edges", file=str(path))
        low, high = (graph.min_weight, graph.max_weight) if weights is not None else (1, 1)
        inside = self.min_weight <= low and high <= self.max_weight
        if not inside and weights is not None and bool((weights < np.inf).any()):
            told = f"{self.min_weight}…{self.max_weight}"
            raise FormatError(f"weights {low}…{high} are not those that the manifest tells: {told}", file=str(path))
        unsorted, cut, total = _core.part_facts(
            rows, part.own, part.first, part.ghosts, key & (2**64 - 1), threads.resolve(None)
        )
        if cut != self._parts[part.number]["cut"]:
            raise FormatError(f"{cut} edges lead to ghosts, and the manifest tells of another count", file=str(path))
        if self.is_sorted and unsorted >= 0:
            raise FormatError(f"the edges of vertex {unsorted} are not sorted by weight", file=str(path))
        part.check_unchanged()
        return int(total)

    def check_balance(self, sums: Iterable[int]) -> None:
        """Compare the sums of all parts: that of an undirected graph is 0, because the two directions of every edge cancel.

        Raises
        ------
        FormatError
            Some edge has no opposite of the same weight.
        """
        if not self.directed and sum(sums) % 2**64:
            raise FormatError(
                "the graph is said to be undirected, but some edge has no opposite of the same weight",
                file=str(self.folder),
            )

    def check(self) -> None:
        """Compare every file with its digest, and prove all of them; :class:`~steppe.FormatError` names the first that is wrong."""
        key = secrets.randbits(64)
        _ = self._labels, self._order
        self.check_balance([self.prove(self.part(number), key) for number in range(self.num_parts)])
        self.check_unchanged()

    def check_unchanged(self) -> None:
        """Raise :class:`~steppe.FormatError` if numbers, places or labels were written to or truncated since they were opened."""
        for name, (data, _) in list(self._arrays.items()):
            verified.check_unchanged(data, self.folder / name)

    def _array(self, name: str) -> Array:
        """Return an array with an entry for each vertex, mapped."""
        if name not in self._arrays:
            path, entry = self.folder / name, self._files[name]
            data = verified.contents(path, entry)
            self._arrays[name] = data, verified.array(data, path, entry["count"])
        return self._arrays[name][1]

    @cached_property
    def _order(self) -> tuple[Array, Array] | None:
        """Numbers and places, proven to be each other's inverse; None where they are the same."""
        if not self.is_renumbered:
            return None
        numbers, places, n = self._array("numbers.npy"), self._array("places.npy"), self.num_vertices
        fine = numbers.dtype == np.int64 and places.dtype == vertex_dtype(n)
        for begin in range(0, n if fine else 0, _PIECE):
            # With one of the piece before: where numbers do not rise a part begins.
            some = numbers[max(0, begin - 1) : begin + _PIECE]
            at = np.arange(max(0, begin - 1), max(0, begin - 1) + len(some))
            fine = fine and some.min() >= 0 and some.max() < n and np.array_equal(places[some], at)
            fine = fine and bool(np.isin(at[1:][some[1:] < some[:-1]], self.starts).all())
        if not fine:
            raise FormatError(
                "numbers and places must be each other's inverse, and rise in each part",
                file=str(self.folder / "numbers.npy"),
            )
        self.check_unchanged()
        return numbers, places

    def places_of(self, vertices: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return where vertices 0…n-1 lie."""
        return vertices if self._order is None else self._order[1][vertices].astype(np.int64)

    def numbers_at(self, first: int, last: int) -> Any:
        """Return the vertices at these places: a slice where they are the places themselves."""
        return slice(first, last) if self._order is None else self._order[0][first:last]

    def owners_of(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the parts that places belong to."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def mirrored(self, part: int, of: int) -> tuple[int, npt.NDArray[np.int64]]:
        """Return which ghosts of a part are at home in another: the number of the first, and where they lie there, rising.

        They are read, not mapped: what is another worker's would count for this one's memory as long as it lives. The file is compared with its
        digest when it is first asked for; from then on it must be the same one.
        """
        name = _manifest.file_names(part)[1]
        path = self.folder / name
        if (part, of) not in self._mirrors:
            before = _identity(path)
            ghosts, (_, data) = self._ghosts(part)
            first, last = np.searchsorted(ghosts, self.starts[of : of + 2]).tolist()
            begin = len(data) - ghosts.nbytes + first * 8
            self._mirrors[part, of] = (first, last - first, begin, before)
            del ghosts, data
        first, count, begin, known = self._mirrors[part, of]
        if count == 0:
            return first, np.empty(0, dtype=np.int64)
        found = np.fromfile(path, dtype=np.int64, count=count, offset=begin) if _identity(path) == known else None
        if found is None or len(found) != count or _identity(path) != known:
            raise FormatError("the file was written to, or replaced, since it was first read", file=str(path))
        found -= self.starts[of]
        return first, found

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = "unweighted"
        if self.weight_dtype is not None:
            weights = f"weights {self.weight_dtype} {self.min_weight:g}…{self.max_weight:g}"
        cut = self.num_cut / max(1, self.num_edges)
        return (
            f"<PartitionedGraph: {self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}, {weights}, "
            f"{self.num_parts} parts by {self.by}, {cut:.1%} of the edges cut>"
        )

    def __reduce__(self) -> Any:
        return reopen, (str(self.folder), self.digest)


def _identity(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError as error:
        raise FormatError(f"a file of the partition is missing: {error.strerror}", file=str(path)) from None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def open_partitioned(folder: str | os.PathLike[str]) -> PartitionedGraph:
    """Open a graph that :func:`steppe.partition` wrote; only its manifest is read.

    Raises
    ------
    FormatError
        There is no manifest, or it is damaged.

    Examples
    --------
    >>> import steppe as sp, tempfile, pathlib
    >>> folder = sp.partition(sp.generate.grid(4, 4, seed=1), pathlib.Path(tempfile.mkdtemp(), "grid"), parts=2).folder
    >>> g = sp.open_partitioned(folder)
    >>> g
    <PartitionedGraph: 16 vertices, 48 edges, undirected, weights int32 2…245, 2 parts by range, 16.7% of the edges cut>
    >>> g.part(0)
    <Part 0: 8 vertices, 24 edges, 4 ghosts>
    """
    place = Path(folder).resolve()
    return PartitionedGraph(place, *_manifest.read(place))


def reopen(folder: str, digest: str) -> PartitionedGraph:
    """Open a graph again: in another process, or for a worker. FormatError where another one has been put there."""
    graph = open_partitioned(folder)
    if graph.digest != digest:
        raise FormatError("another partition lies here now: open it again", file=str(graph.folder))
    return graph

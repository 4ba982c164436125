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
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from ..graph.labels import Labels
from ..graph.vertices import Vertices
from . import steppe_file
from .source import Source

if TYPE_CHECKING:
    import os

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
MANIFEST, VERSION = "manifest.json", 1
_PIECE = 8 << 20


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
    """

    number: int
    graph: Graph
    own: int
    first: int
    ghosts: npt.NDArray[np.int64]
    renumbered: Array | None

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


class PartitionedGraph(Vertices):
    """A graph in a folder of parts: what :func:`steppe.partition` writes and :func:`steppe.open_partitioned` opens.

    Searches take it as they take a :class:`~steppe.Graph`; ``engine="ray"`` gives each worker some of its parts, and without an engine the parts
    are searched in turn by this process. Only the manifest is read when it is opened.

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
        self.is_renumbered = "places.npy" in self._files
        self.is_sorted: bool = manifest.get("sorted", False)  # folders of before that was written have it not

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
        if self._first_label == "array":
            return Labels(self._load("labels.npy"))
        return Labels(range(self._first_label, self._first_label + self.num_vertices))

    def part(self, number: int, *, check: bool = False) -> Part:
        """Return one part, its rows mapped; ``check``: after its files were compared with their digests.

        Raises
        ------
        FormatError
            A file is missing or damaged; it is named.
        """
        if not 0 <= number < self.num_parts:
            raise IndexError(f"part {number} of {self.num_parts}")
        facts = self._parts[number]
        rows, ghosts = f"part-{number:06}.steppe", f"ghosts-{number:06}.npy"
        if check:
            for name in (rows, ghosts, *(["numbers.npy", "places.npy"] if self.is_renumbered else [])):
                self._check(name)
        source = Source(self._file(rows))
        graph = steppe_file.read(source, directed=None)
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        known = (facts["edges"], last - first + facts["ghosts"])
        weights = graph._rows[2]
        right = (None if weights is None else weights.dtype) == self.weight_dtype
        if (graph.num_edges, graph.num_vertices) != known or not right:
            raise FormatError("this is not the part that the manifest tells of", file=str(self.folder / rows))
        renumbered = self.numbers_at(first, last) if self.is_renumbered else None
        return Part(number, graph, last - first, first, self._load(ghosts), renumbered)

    def check(self) -> None:
        """Compare every file with its digest, and prove the rows of every part; :class:`~steppe.FormatError` names the first that is wrong."""
        for name in self._files:
            self._check(name)
        for number in range(self.num_parts):
            _ = self.part(number).graph.core

    def places_of(self, vertices: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return where vertices 0…n-1 lie."""
        return self._load("places.npy")[vertices].astype(np.int64) if self.is_renumbered else vertices

    def numbers_at(self, first: int, last: int) -> Any:
        """Return the vertices at these places: a slice where they are the places themselves."""
        return self._load("numbers.npy")[first:last] if self.is_renumbered else slice(first, last)

    def owners_of(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the parts that places belong to."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def mirrored(self, part: int, of: int) -> tuple[int, npt.NDArray[np.int64]]:
        """Return which ghosts of a part are at home in another: the number of the first, and where they lie there, rising.

        They are read, not mapped: what is another worker's would count for this one's memory as long as it lives.
        """
        ghosts = self._load(f"ghosts-{part:06}.npy")
        first, last = np.searchsorted(ghosts, self.starts[of : of + 2]).tolist()
        if first == last:
            return first, np.empty(0, dtype=np.int64)
        name = self._file(f"ghosts-{part:06}.npy")
        at = ghosts.offset + first * ghosts.itemsize  # type: ignore[attr-defined]
        found = np.fromfile(name, dtype=ghosts.dtype, count=last - first, offset=at)
        found -= self.starts[of]
        return first, found

    def _file(self, name: str) -> Path:
        path, size = self.folder / name, self._files[name]["bytes"]
        try:
            found = path.stat().st_size
        except OSError as error:
            raise FormatError(f"a file of the partition is missing: {error.strerror}", file=str(path)) from None
        if found != size:
            raise FormatError(f"expected {size} bytes, found {found}: the file is damaged", file=str(path))
        return path

    def _check(self, name: str) -> None:
        if digest_of_file(self._file(name)) != self._files[name]["digest"]:
            raise FormatError(
                "the file is damaged: its digest does not match the manifest", file=str(self.folder / name)
            )

    def _load(self, name: str) -> Array:
        path = self._file(name)
        try:
            array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError as error:
            if self._files[name]["count"] == 0:
                array = np.load(path, allow_pickle=False)
            else:
                raise FormatError(f"the file is damaged: {error}", file=str(path)) from None
        if array.shape != (self._files[name]["count"],):
            raise FormatError("the file is damaged: it has another shape", file=str(path))
        return array

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
        return open_partitioned, (str(self.folder),)


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
    path = place / MANIFEST
    try:
        words = path.read_bytes()
    except OSError as error:
        problem = f"a partitioned graph is a folder with a manifest: {error.strerror}"
        raise FormatError(problem, file=str(path)) from None
    try:
        sealed = json.loads(words)
        manifest, digest = sealed["manifest"], sealed["digest"]
        if digest != seal(manifest):
            raise ValueError("its digest does not match")
        if manifest["version"] != VERSION:
            raise FormatError(
                f"version {manifest['version']} of the format; this release reads {VERSION}", file=str(path)
            )
        return PartitionedGraph(place, manifest, digest)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"the manifest is damaged: {error}", file=str(path)) from None


def seal(manifest: dict[str, Any]) -> str:
    """Return the digest of a manifest."""
    return hashlib.blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()


def digest_of_file(path: Path) -> str:
    """Return the digest of a file, read in pieces."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()

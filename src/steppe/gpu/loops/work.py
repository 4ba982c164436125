"""Work: the device arrays that every search by rounds has, and how many rounds are enqueued before the host reads the counts.

Distances are held twice, committed and tentative (document 000's dist and predist); with recorded paths the tentative
one shares a 64-bit cell with its predecessor (document 003). Work lists are filed by degree, see kernels/relax.h.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import DistanceOverflowError
from ...planning.question import Answer
from .. import source
from ..adopt import is_on_device
from ..exchange import DeviceArray
from ..layout import Layout
from ..memory import Buffer
from ..rows import rows, spares

if TYPE_CHECKING:
    from ...graph.graph import Graph
    from ...planning.question import Question
    from ..device import Counters, Device
    from ..keys import Keys
    from ..launches import Program

Array = npt.NDArray[Any]

BLOCK = 256
EDGES_AT_A_TIME = 1 << 24  # of a graph whose edges may be more than memory holds
_NAMES = source.names("relax.h")
SMALL, CHUNK, TEAM = _NAMES.SMALL, _NAMES.CHUNK, _NAMES.TEAM
ABOVE, BELOW = _NAMES.ABOVE, _NAMES.BELOW


def chunks_of(degrees: Array) -> int:
    """Count the chunks of vertices with these degrees."""
    large = degrees[degrees > SMALL]
    return int((-(-large // CHUNK)).sum())


_counted: weakref.WeakKeyDictionary[Graph, dict[tuple[int, int], int]] = weakref.WeakKeyDictionary()


def chunks_of_graph(graph: Graph) -> int:
    """Count the chunks of all vertices of a graph, once."""
    known = _counted.setdefault(graph, {})
    if (SMALL, CHUNK) not in known:
        there = is_on_device(graph)  # then only the device knows its degrees
        most = most_chunks(graph.num_vertices, graph.num_edges)
        known[SMALL, CHUNK] = most if there else chunks_of(graph.degrees)
    return known[SMALL, CHUNK]


def most_chunks(n: int, m: int) -> int:
    """Return how many chunks n vertices with m edges can have at most."""
    return min(n, m // (SMALL + 1)) + m // CHUNK


def is_recorded(keys: Keys, record_paths: bool, has_atomic_64: bool) -> bool:
    """Whether predecessors are recorded on the way: distance and predecessor have to fit one atomic."""
    return record_paths and not keys.signed and keys.dtype.itemsize == 4 and has_atomic_64


def layout(n: int, keys: Keys, *, recorded: bool, lists: int, chunks: int, weighted: bool) -> Layout:
    """Return the arrays that every search by rounds has."""
    nothing = keys.infinity << 32 | 0xFFFFFFFF if recorded else 0
    return Layout(
        ("no_weights", 0 if weighted else 1, np.int32),
        ("dist", n, keys.dtype, keys.infinity),
        ("predist", 1 if recorded else n, keys.dtype, keys.infinity),
        ("cells", n if recorded else 1, np.uint64, nothing),
        ("small", lists * n, np.int32),
        ("chunk_vertex", lists * chunks, np.int32),
        ("chunk_number", lists * chunks, np.uint32),
        ("touched", n, np.int32),
    )


class Work:
    """The arrays of one search on a device, with the sources placed and everything else unreached.

    `copies`: of the graph there are so many, and a source in each; see MANY in kernels/relax.h.
    """

    def __init__(
        self, device: Device, graph: Graph, question: Question, keys: Keys, *, lists: int, copies: int | None = None
    ) -> None:
        self.device, self.graph, self.question, self.keys, self.copies = device, graph, question, keys, copies
        self.recorded = is_recorded(keys, question.record_paths, device.info.has_atomic_64)
        self.rows = rows(device, graph)
        self.vertices = graph.num_vertices * (copies or 1)
        if copies is None:
            self.sources = np.unique(question.sources).astype(np.int32)
        else:
            self.sources = (np.arange(copies) * graph.num_vertices + question.sources).astype(np.int32)
        self.capacity = chunks_of_graph(graph) * (copies or 1)
        table = layout(
            self.vertices,
            keys,
            recorded=self.recorded,
            lists=lists,
            chunks=self.capacity,
            weighted=self.rows.weights is not None,
        )
        # Those of many searches at once are large, and made once for all of them: not worth keeping.
        self.spares = spares(device, graph) if copies is None else None
        arrays = table.allocate(device, self.spares)
        self.dist, self.predist, self.cells = arrays.dist, arrays.predist, arrays.cells
        self.small, self.chunk_vertex, self.chunk_number = arrays.small, arrays.chunk_vertex, arrays.chunk_number
        self.touched = arrays.touched
        self.weights = arrays.no_weights if self.rows.weights is None else self.rows.weights
        device.upload(self.sources, into=self.touched)
        if self.recorded:
            self._place(self.cells, keys.zero << 32 | 0xFFFFFFFF)
        else:
            self._place(self.predist, keys.zero)
        self._place(self.dist, keys.zero)

    def _place(self, buffer: Buffer, value: int) -> None:
        kernel = "scatter_u32" if buffer.dtype.itemsize == 4 else "scatter_u64"
        count = len(self.sources)
        self.device.launch(self.device.program("fill"), kernel, count, buffer, self.touched, count, value)

    def program(self, file: str) -> Program:
        """Compile a kernel file for this search."""
        defines: dict[str, Any] = {"SMALL": SMALL, "CHUNK": CHUNK}
        if self.recorded:
            defines["RECORD"] = 1
        if self.rows.weights is None:
            defines["UNWEIGHTED"] = 1
        if self.copies is not None:
            defines["MANY"] = 1
        block = int(self.device.tuning.get("block", BLOCK))
        return self.device.program(file, block=block, **self.keys.build, **defines)

    @property
    def lists(self) -> tuple[Any, ...]:
        """The work lists as kernels take them."""
        return self.small, self.chunk_vertex, self.chunk_number, self.vertices, self.capacity

    @property
    def limit(self) -> int | float:
        """The largest distance that is stored."""
        return self.keys.limit(self.question.bound)

    def outgrown(self, faults: int) -> bool:
        """Whether a sum has left the type and mattered: beyond the cutoff it does not."""
        bound = self.question.bound
        return bool(faults & BELOW) or (bool(faults & ABOVE) and (bound is None or bound > self.keys.largest))

    def distances(self) -> Any:
        """Return the distances as users see them, made so on the device: there, if that is where they are wanted, or downloaded."""
        public = self._public()
        return DeviceArray(public) if self.question.result == "device" else self.device.download(public)

    def _public(self) -> Buffer:
        keys, n = self.keys, self.vertices
        if keys.dist[0] == "f" and not keys.signed:  # the bits are the same
            return Buffer(self.device, n, keys.public, self.dist.handle, owner=self.dist)
        if self.question.result == "device":
            self.small.free()  # which makes room: the search is over
            public = self.device.alloc(n, keys.public)
        else:  # in the place of the lists, which are two or more of 32 bits for a vertex
            public = Buffer(self.device, n, keys.public, self.small.handle, owner=self.small)
        kernel = "public_floats" if keys.dist[0] == "f" else "public_integers"
        self.device.launch(self.device.program("answer", **keys.build), kernel, n, self.dist, n, public)
        return public

    def predecessors(self) -> Array | None:
        """Download the recorded predecessors; None where none were recorded."""
        if not self.recorded:
            return None
        return (self.device.download(self.cells) & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)


def overflow(graph: Graph, targets: Array, distances: Array) -> None:
    """Raise where a distance did not fit its 64 bits: some vertex is unreached although an edge leads to it.

    Sums beyond the type were passed over; that matters only where no other way led to the vertex, and not beyond `targets` that were
    all reached (is_lost in cpp/search/widen.hpp).
    """
    unreached = distances == np.iinfo(np.int64).max
    if len(targets) and not unreached[targets].any():
        return
    for begin in range(0, graph.num_edges, EDGES_AT_A_TIME):
        end = min(begin + EDGES_AT_A_TIME, graph.num_edges)
        first, beyond = np.searchsorted(graph.indptr, begin, "right") - 1, np.searchsorted(graph.indptr, end)
        rows: Array = np.clip(graph.indptr[first : beyond + 1], begin, end)
        heads = graph.indices[begin:end]
        lost = np.repeat(~unreached[first:beyond], np.diff(rows)) & unreached[heads]
        if lost.any():
            label = graph.label(int(heads[np.argmax(lost)]))
            raise DistanceOverflowError(f"the distance of vertex {label!r} does not fit in 64 bits")


def wide(cells: list[int], at: int) -> int:
    """Read a number of two words (ADD_WIDE in kernels/prelude.h)."""
    return cells[at] + (cells[at + 1] << 32)


def described(counters: Counters) -> dict[str, Any]:
    """Return what the device counted as the fields of an explanation."""
    return {
        "launches": counters.launches,
        "bytes_copied": counters.bytes_up + counters.bytes_down,
        "peak_bytes": counters.peak_bytes,
        "compile_seconds": counters.compile_seconds,
    }


def answer(
    distances: Array,
    predecessors: Array | None,
    counters: Counters,
    question: Question,
    **explained: Any,
) -> Answer:
    """Put an answer together, with what the device counted."""
    explained |= described(counters)
    if question.record_paths and predecessors is None:
        explained["note"] = "distance and predecessor do not fit one atomic: predecessors in a pass of their own"
    return Answer(distances, predecessors, explained)

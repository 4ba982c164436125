"""Binary graphs of other projects: the GAP benchmark's .sg and .wsg (read and written), Galois' .gr (read).

GAP: a byte "directed", the numbers of arcs and vertices (int64), offsets (int64, n + 1), targets (int32) or in .wsg
pairs of target and weight (int32 each), and for directed graphs the same again for the reverse. Galois: version, bytes
of an edge's data, vertices, arcs (uint64), the end of each vertex's list (uint64), targets (uint32 in version 1, uint64
in 2), padding to eight bytes, the weights. Both are little-endian.
"""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING

import numpy as np

from ..errors import GraphError
from ..graph.graph import Graph
from . import text
from .format import Format

if TYPE_CHECKING:
    from .format import ReadOptions
    from .source import Source
    from .text import Array

_HEAD = struct.Struct("<?qq")


def read(source: Source, options: ReadOptions) -> Graph:
    """Read ``.sg`` or ``.wsg``."""
    data, width = source.data, 8 if options.suffix == ".wsg" else 4
    if len(data) < _HEAD.size or data[0] > 1:
        raise source.error("expected the header of a GAP graph")
    one_way, m, n = _HEAD.unpack(data[: _HEAD.size])
    size = _HEAD.size + (1 + one_way) * (8 * (n + 1) + width * m)
    if n < 0 or m < 0 or len(data) != size:
        raise source.error(f"expected {size} bytes for {n} vertices and {m} arcs, found {len(data)}")
    offsets = np.frombuffer(data, "<i8", n + 1, _HEAD.size).astype(np.int64)
    targets = np.frombuffer(data, "<i4", m * width // 4, _HEAD.size + 8 * (n + 1)).astype(np.int32)
    weights = None
    if width == 8:
        targets, weights = targets[::2].copy(), targets[1::2].copy()
    return text.redirected(_checked(source, offsets, targets, weights, one_way), options.directed)


def _checked(source: Source, offsets: Array, targets: Array, weights: Array | None, directed: bool) -> Graph:
    try:
        graph = Graph.from_csr(offsets, targets, weights, directed=directed)
    except GraphError as error:
        raise source.error(str(error)) from error
    if not directed:
        sources = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), graph.degrees)
        text.check_both_ways(sources, graph.indices, weights, lambda what, entry: source.error(f"{what}: edge {entry}"))
    return graph


def write(graph: Graph, file: IO[bytes], suffix: str) -> None:
    """Write ``.sg`` or ``.wsg``."""
    weighted = suffix == ".wsg"
    if weighted != (graph.weights is not None):
        raise GraphError("a .wsg file has weights and a .sg file has none; this graph is for the other one")
    if graph.labels is not None or graph.num_vertices >= 2**31:
        raise GraphError("GAP graphs number their vertices 0…n-1 below 2^31 and keep no labels")
    if graph.weights is not None and graph.weights.dtype != np.int32:
        raise GraphError(f"GAP weights are int32, not {graph.weights.dtype}")
    file.write(_HEAD.pack(graph.directed, graph.num_edges, graph.num_vertices))
    for g in (graph, graph.reverse) if graph.directed else (graph,):
        file.write(g.indptr.astype("<i8").data)
        ends = g.indices if g.weights is None else np.column_stack([g.indices, g.weights])
        file.write(ends.astype("<i4").data)


def is_galois(head: bytes) -> bool:
    """Tell a Galois binary from a DIMACS text by its first word, the version."""
    return head[:8] in (struct.pack("<Q", 1), struct.pack("<Q", 2))


def read_galois(source: Source, options: ReadOptions) -> Graph:
    """Read Galois' binary ``.gr``, unweighted or with int32 weights."""
    data = source.data
    if len(data) < 32:
        raise source.error("expected the 32 bytes of a Galois header")
    version, width, n, m = struct.unpack("<QQQQ", data[:32])
    wide = 8 if version == 2 else 4
    padded = (wide * m + 7) // 8 * 8
    size = 32 + 8 * n + padded + width * m
    # The padding of a last odd edge is left out by some writers.
    if width not in (0, 4) or len(data) not in (size, 32 + 8 * n + wide * m + width * m):
        raise source.error(
            f"expected {size} bytes for {n} vertices and {m} arcs of {width} (0 or 4) bytes, found {len(data)}"
        )
    ends = np.frombuffer(data, "<u8", n, 32).astype(np.int64)
    targets = np.frombuffer(data, "<u8" if version == 2 else "<u4", m, 32 + 8 * n).astype(np.int64)
    weights = np.frombuffer(data, "<i4", m, len(data) - 4 * m).astype(np.int32) if width else None
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), ends])
    return text.redirected(_checked(source, offsets, targets, weights, True), options.directed)


FORMAT = Format("GAP binary", (".sg", ".wsg"), read, write)

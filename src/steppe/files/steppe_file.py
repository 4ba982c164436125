"""Our own file: a graph as it lies in memory, opened by mapping it, in milliseconds whatever its size.

.. code-block:: text

    0     magic     8 bytes   93 "STEPPE" 0a
    8     version   uint32    1
    12    length    uint32    bytes of the description
    16    checksum  uint32    CRC-32 of the description
    20    description         JSON, then zeros up to 4096 (or the next multiple of it)
    …     sections            each at a multiple of 64 bytes, zeros between: indptr, indices, weights, labels

The description has ``vertices, edges, directed, weights`` (their min, max, mean, or null), ``labels`` (null, a first
number, or "array"), ``bytes`` (the file's size) and for every section its ``offset``, ``count``, ``dtype`` (NumPy's
notation, little-endian) and ``crc32``. A file that is too short or too long or whose description is damaged is refused.
The sections' checksums are only compared by :func:`check`: it reads everything.

Sections lie one after another and their places follow from the counts alone (:func:`plan`), so a file can be written
piece by piece by a program that never holds the whole graph.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError
from ..graph import Graph
from ..labels import Labels
from . import text
from .npz import plain_labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from .source import Source

MAGIC = b"\x93STEPPE\n"
VERSION = 1
_HEAD = struct.Struct("<8sIII")
_PAGE, _ALIGN = 4096, 64


def plan(arrays: dict[str, tuple[int, np.dtype[Any]]]) -> tuple[dict[str, dict[str, Any]], int]:
    """Return where sections of these counts and types go, and the size of the file."""
    sections, end = {}, _PAGE
    for name, (count, dtype) in arrays.items():
        offset = -(-end // _ALIGN) * _ALIGN
        sections[name] = {"offset": offset, "count": count, "dtype": dtype.newbyteorder("<").str, "crc32": 0}
        end = offset + count * dtype.itemsize
    return sections, end


def header(description: dict[str, Any]) -> bytes:
    """Return the first page of a file."""
    words = json.dumps(description, separators=(",", ":")).encode()
    if _HEAD.size + len(words) > _PAGE:
        raise GraphError("the description does not fit in the first page")
    return (_HEAD.pack(MAGIC, VERSION, len(words), zlib.crc32(words)) + words).ljust(_PAGE, b"\0")


def write(graph: Graph, file: IO[bytes]) -> None:
    """Write a ``.steppe`` file."""
    arrays: dict[str, text.Array] = {"indptr": graph.indptr, "indices": graph.indices}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    labels: int | str | None = None
    if graph._labels is not None:
        if isinstance(graph._labels.values, range):
            labels = graph._labels.values.start
        else:
            labels, arrays["labels"] = "array", plain_labels(graph)
    sections, size = plan({name: (len(array), array.dtype) for name, array in arrays.items()})
    arrays = {name: np.ascontiguousarray(array, dtype=sections[name]["dtype"]) for name, array in arrays.items()}
    for name, array in arrays.items():
        sections[name]["crc32"] = zlib.crc32(_bytes(array))
    facts = None if graph.weights is None else [graph.min_weight, graph.max_weight, graph.mean_weight]
    description = {
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "weights": facts,
        "labels": labels,
        "bytes": size,
        "sections": sections,
    }
    file.write(header(description))
    at = _PAGE
    for name, array in arrays.items():
        file.write(bytes(sections[name]["offset"] - at))
        file.write(_bytes(array))
        at = sections[name]["offset"] + array.nbytes


def write_in_pieces(
    file: IO[bytes],
    n: int,
    *,
    indices: np.dtype[Any],
    weights: np.dtype[Any] | None,
    directed: bool,
    degrees: Callable[[int, text.Array], None],
    fill: Callable[[int, text.Array, text.Array, text.Array | None], None],
    piece: int = 1 << 18,
) -> None:
    """Write a graph that never exists as a whole, from functions that make its rows in order.

    Parameters
    ----------
    file : binary file
        It must be able to seek: the targets and the weights of a piece go to two places.
    n : int
        Vertices.
    indices, weights : dtype
        What the sections hold; ``weights`` None for a graph without.
    degrees : callable
        ``degrees(begin, out)`` writes the degrees of the ``len(out)`` vertices from ``begin``.
    fill : callable
        ``fill(begin, offsets, indices, weights)`` writes the rows of these vertices, whose edges have the numbers
        ``offsets[0]…offsets[-1]``.
    piece : int
        Vertices at a time; about so many edges, too, where rows are long.
    """
    count = np.empty(n + 1, dtype="<i8")
    count[0] = 0
    for begin in range(0, n, piece):
        degrees(begin, count[begin + 1 : min(n, begin + piece) + 1])
    np.cumsum(count, out=count)
    m = int(count[-1])
    counts = {"indptr": (n + 1, count.dtype), "indices": (m, indices)}
    if weights is not None:
        counts["weights"] = (m, weights)
    sections, size = plan(counts)
    file.seek(sections["indptr"]["offset"])
    file.write(_bytes(count))
    sections["indptr"]["crc32"] = zlib.crc32(_bytes(count))
    at = {name: section["offset"] for name, section in sections.items()}
    low, high, total = np.inf, -np.inf, 0.0
    begin = 0
    while begin < n:
        # At least one row, and no more edges than pieces have vertices unless that one row is longer.
        end = int(np.searchsorted(count, count[begin] + 4 * piece, side="right")) - 1
        end = min(max(end, begin + 1), begin + piece, n)
        edges = int(count[end] - count[begin])
        made: dict[str, text.Array] = {"indices": np.empty(edges, dtype=indices)}
        if weights is not None:
            made["weights"] = np.empty(edges, dtype=weights)
        fill(begin, count[begin : end + 1], made["indices"], made.get("weights"))
        for name, array in made.items():
            file.seek(at[name])
            file.write(_bytes(np.ascontiguousarray(array, dtype=sections[name]["dtype"])))
            sections[name]["crc32"] = zlib.crc32(_bytes(array), sections[name]["crc32"])
            at[name] += array.nbytes
        if weights is not None and edges:
            low, high = min(low, made["weights"].min().item()), max(high, made["weights"].max().item())
            total += float(made["weights"].sum(dtype=np.float64))
        begin = end
    facts = None if weights is None else [low, high, total / m] if m else [0, 0, 0.0]
    file.truncate(size)
    file.seek(0)
    description = {"vertices": n, "edges": m, "directed": directed, "weights": facts, "labels": None, "bytes": size}
    file.write(header(description | {"sections": sections}))


def _bytes(array: text.Array) -> memoryview:
    return array.view(np.uint8).data if array.size else memoryview(b"")


def _describe(source: Source) -> dict[str, Any]:
    data = source.data
    if len(data) < _PAGE:
        raise source.error(f"expected a first page of {_PAGE} bytes, found {len(data)}: the file is truncated")
    magic, version, length, checksum = _HEAD.unpack(data[: _HEAD.size])
    if magic != MAGIC:
        raise source.error("expected the magic number of a .steppe file")
    if version != VERSION:
        raise source.error(f"version {version} of the format; this release of steppe reads version {VERSION}")
    words = data[_HEAD.size : _HEAD.size + length]
    if length > _PAGE - _HEAD.size or zlib.crc32(words) != checksum:
        raise source.error("the header is damaged: its checksum does not match")
    description: dict[str, Any] = json.loads(words)
    if description["bytes"] != len(data):
        raise source.error(
            f"expected {description['bytes']} bytes, found {len(data)}: the file is truncated or was added to"
        )
    return description


def _section(source: Source, description: dict[str, Any], name: str) -> text.Array | None:
    section = description["sections"].get(name)
    if section is None:
        return None
    if not section["count"]:
        return np.empty(0, dtype=section["dtype"])
    return np.frombuffer(source.data, section["dtype"], section["count"], section["offset"])


def read(source: Source, *, directed: bool | None) -> Graph:
    """Map a ``.steppe`` file."""
    description = _describe(source)
    indptr, indices, weights, labels = (
        _section(source, description, s) for s in ("indptr", "indices", "weights", "labels")
    )
    n, m = description["vertices"], description["edges"]
    if (
        indptr is None
        or indices is None
        or len(indptr) != n + 1
        or len(indices) != m
        or indptr[0] != 0
        or indptr[-1] != m
    ):
        raise source.error(f"the rows do not belong to {n} vertices and {m} edges")
    named = None
    if description["labels"] is not None:
        first = description["labels"]
        named = Labels(labels) if labels is not None else Labels(range(first, first + n))
    facts = None if description["weights"] is None else tuple(description["weights"])
    graph = Graph._make(indptr, indices, weights, labels=named, directed=description["directed"], facts=facts)
    return text.redirected(graph, directed)


def check(source: Source) -> None:
    """Read all of a ``.steppe`` file and compare the checksums of its sections."""
    description = _describe(source)
    for name, section in description["sections"].items():
        array = _section(source, description, name)
        if array is not None and zlib.crc32(_bytes(array)) != section["crc32"]:
            raise source.error(f"the section {name} is damaged: its checksum does not match")

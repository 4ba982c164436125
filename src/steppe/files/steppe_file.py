"""Our own file: a graph as it lies in memory, opened by mapping it, in milliseconds whatever its size.

.. code-block:: text

    0     magic     8 bytes   93 "STEPPE" 0a
    8     version   uint32    1; 2 where there are coordinates
    12    length    uint32    bytes of the description
    16    checksum  uint32    CRC-32 of the description
    20    description         JSON, then zeros up to 4096 (or the next multiple of it)
    …     sections            each at a multiple of 64 bytes, zeros between: indptr, indices, weights, labels, coordinates

The description has ``vertices, edges, directed, weights`` (their min, max, mean, or null), ``labels`` (null, a first
number, or "array"), ``bytes`` (the file's size) and for every section its ``offset``, ``count``, ``dtype`` (NumPy's
notation, little-endian) and ``crc32``. A file that is too short or too long or whose description is damaged, or says
anything that cannot be, is refused. What the sections hold is looked at when a search first asks for the rows
(:class:`steppe.graph.proof.FileRows`): offsets, targets, weights, and whether they are what the description says. Their
checksums are only compared by :func:`check`, which reads everything at once.

Coordinates are x and y of every vertex in turn, float64; ``geographic`` says whether they are longitude and latitude. Only a file that has them
is of version 2: releases that know version 1 alone say so, and read all others.

Sections lie one after another and their places follow from the counts alone (:func:`plan`), so a file can be written
piece by piece by a program that never holds the whole graph.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError
from ..graph.arrays import vertex_dtype
from ..graph.coordinates import Coordinates
from ..graph.graph import Graph
from ..graph.labels import Labels
from ..graph.proof import FileRows
from . import mapped, text
from .format import Format, ReadOptions
from .npz import plain_labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from .source import Source

MAGIC = b"\x93STEPPE\n"
VERSION, PLACED = 1, 2
_HEAD = struct.Struct("<8sIII")
_PAGE, _ALIGN = 4096, 64
_ORDER = ("indptr", "indices", "weights", "labels", "coordinates")


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
    version = PLACED if "coordinates" in description["sections"] else VERSION
    return (_HEAD.pack(MAGIC, version, len(words), zlib.crc32(words)) + words).ljust(_PAGE, b"\0")


def write(graph: Graph, file: IO[bytes], _suffix: str) -> None:
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
    if graph.coordinates is not None:
        arrays["coordinates"] = graph.coordinates.reshape(-1)
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
    if graph.coordinates is not None:
        description["geographic"] = graph.is_geographic
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
    low, high, total, finite = np.inf, -np.inf, 0.0, 0
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
        if weights is not None:
            there = made["weights"] if weights.kind == "i" else made["weights"][made["weights"] < np.inf]
            if there.size:  # a weight of +inf is no edge
                low, high = min(low, there.min().item()), max(high, there.max().item())
                total += float(there.sum(dtype=np.float64))
                finite += there.size
        begin = end
    facts = None if weights is None else [low, high, total / finite] if finite else [0, 0, 0.0]
    file.truncate(size)
    file.seek(0)
    description = {"vertices": n, "edges": m, "directed": directed, "weights": facts, "labels": None, "bytes": size}
    file.write(header(description | {"sections": sections}))


def _bytes(array: text.Array) -> memoryview:
    return array.view(np.uint8).data if array.size else memoryview(b"")


def _describe(source: Source) -> dict[str, Any]:
    """Return the description; it has been read with suspicion, and every number in it can be used."""
    data = source.data
    if len(data) < _PAGE:
        raise source.error(f"expected a first page of {_PAGE} bytes, found {len(data)}: the file is truncated")
    magic, version, length, checksum = _HEAD.unpack(data[: _HEAD.size])
    if magic != MAGIC:
        raise source.error("expected the magic number of a .steppe file")
    if version not in (VERSION, PLACED):
        raise source.error(f"version {version} of the format; this release of steppe reads versions 1 and 2")
    words = data[_HEAD.size : _HEAD.size + length]
    if length > _PAGE - _HEAD.size or zlib.crc32(words) != checksum:
        raise source.error("the header is damaged: its checksum does not match")
    try:
        description: dict[str, Any] = json.loads(words)
        _check_description(description)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, _WrongError) as error:
        raise source.error(f"the header makes no sense: {error}") from error
    if description["bytes"] != len(data):
        raise source.error(
            f"expected {description['bytes']} bytes, found {len(data)}: the file is truncated or was added to"
        )
    return description


class _WrongError(Exception):
    """What is wrong with a description."""


def _expect(condition: object, what: str) -> None:
    if not condition:
        raise _WrongError(what)


def _check_description(d: dict[str, Any]) -> None:
    n, m, sections, facts, labels = (d[key] for key in ("vertices", "edges", "sections", "weights", "labels"))
    numbers = (n, m, d["bytes"], *(s[key] for s in sections.values() for key in ("offset", "count", "crc32")))
    _expect(all(type(k) is int and 0 <= k < 2**62 for k in numbers), "counts must be numbers")
    _expect(type(d["directed"]) is bool, "directed must be true or false")
    named = labels == "array"
    wanted = (
        {"indptr": n + 1, "indices": m} | ({} if facts is None else {"weights": m}) | ({"labels": n} if named else {})
    )
    if "coordinates" in sections:
        wanted["coordinates"] = 2 * n
        _expect(type(d["geographic"]) is bool, "geographic must be true or false")
        _expect(sections["coordinates"]["dtype"] == "<f8", "the type of the coordinates")
    _expect({name: s["count"] for name, s in sections.items()} == wanted, f"the sections of {n} vertices and {m} edges")
    types = {name: np.dtype(s["dtype"]) for name, s in sections.items()}
    _expect(types["indptr"] == np.int64 and types["indices"] == vertex_dtype(n), "the types of the rows")
    if facts is not None:
        _expect(types["weights"].str in ("<i4", "<i8", "<f4", "<f8"), "the type of the weights")
        whole = types["weights"].kind == "i"
        fine = [
            type(x) in ((int,) if whole and i < 2 else (int, float)) and abs(x) < np.inf for i, x in enumerate(facts)
        ]
        _expect(len(fine) == 3 and all(fine) and facts[0] <= facts[1], "the range of the weights")
    if named:
        _expect(types["labels"].kind in "biufSUmM" and types["labels"].itemsize, "the type of the labels")
    else:
        _expect(labels is None or (type(labels) is int and -(2**63) <= labels <= 2**63 - n), "the first label")
    places, size = plan({name: (s["count"], types[name]) for name, s in sections.items()})
    _expect(list(sections) == [name for name in _ORDER if name in sections], "an order")
    _expect(all(s["offset"] == places[name]["offset"] for name, s in sections.items()), "the places of the sections")
    _expect(d["bytes"] == size, "the size of the file")


def _section(source: Source, description: dict[str, Any], name: str) -> text.Array | None:
    section = description["sections"].get(name)
    if section is None:
        return None
    if not section["count"]:
        return np.empty(0, dtype=section["dtype"])
    return np.frombuffer(source.data, section["dtype"], section["count"], section["offset"])


def _labels(source: Source, description: dict[str, Any]) -> Labels | None:
    """Return the labels; that no two are alike is seen when the rows are proven."""
    first, n = description["labels"], description["vertices"]
    if first is None:
        return None
    values = _section(source, description, "labels")
    if values is None:
        return Labels(range(first, first + n))
    if values.dtype.kind == "U" and values.size and values.view(np.uint32).max() > 0x10FFFF:
        raise source.error("the labels are damaged: they hold what is no character")
    if values.dtype.kind in "fmM" and bool((values != values).any()):  # noqa: PLR0124
        raise source.error("a label is NaN")
    return Labels(values)


def _places(source: Source, description: dict[str, Any], mapping: mapped.Mapping | None) -> Coordinates | None:
    """Return the coordinates; they are copied from the file, and looked at, when first asked for."""
    values = _section(source, description, "coordinates")
    if values is None:
        return None

    def copied() -> text.Array:
        copy = values.reshape(-1, 2).copy()
        if mapping is not None and (change := mapping.change()):
            raise source.error(f"the file {change} after it was opened")
        if np.isinf(copy).any():
            raise source.error("the coordinates are damaged: one is infinite")
        return copy

    return Coordinates(description["vertices"], copied, geographic=description["geographic"])


def _opened(source: Source) -> tuple[Source, mapped.Mapping | None]:
    """Return the file read, or mapped under guard."""
    if source.path is None or not source.path.is_file():
        return source, None
    with source.path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:  # a packed one
            return source, None
    source.data = mapped.open_bytes(source.path)
    return source, source.data if isinstance(source.data, mapped.Mapping) else None


def read(source: Source, options: ReadOptions) -> Graph:
    """Open a ``.steppe`` file; a large one is mapped, and its rows are read when they are asked for."""
    source, mapping = _opened(source)
    return text.redirected(graph_of(source, mapping), options.directed)


def graph_of(source: Source, mapping: mapped.Mapping | None) -> Graph:
    """Return the graph that a file's bytes hold; ``mapping``: the same bytes, where they are mapped."""
    description = _describe(source)
    indptr, indices, weights = (_section(source, description, name) for name in ("indptr", "indices", "weights"))
    assert indptr is not None  # noqa: S101 - a description without has been refused
    assert indices is not None  # noqa: S101
    labels = _labels(source, description)
    facts = (1, 1, 1.0) if weights is None else tuple(description["weights"])
    one_way = description["directed"]
    claim = FileRows(
        (indptr, indices, weights), file=source.name, directed=one_way, facts=facts, labels=labels, mapping=mapping
    )
    places = _places(source, description, mapping)
    return Graph._make(
        indptr, indices, weights, labels=labels, directed=one_way, facts=facts, claim=claim, coordinates=places
    )


def check(source: Source) -> None:
    """Read all of a ``.steppe`` file, compare the checksums of its sections and prove its rows."""
    graph = read(source, ReadOptions())
    description = _describe(source)
    for name, section in description["sections"].items():
        array = _section(source, description, name)
        if array is not None and zlib.crc32(_bytes(array)) != section["crc32"]:
            raise source.error(f"the section {name} is damaged: its checksum does not match")
    _ = graph.indptr, graph.coordinates


FORMAT = Format("steppe", (".steppe",), read, write, magic={".steppe": re.escape(MAGIC)})

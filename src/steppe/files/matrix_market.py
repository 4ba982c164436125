"""Matrix Market: a square matrix as a graph, entry (i, j) an edge i → j.

Fields ``real``, ``double``, ``integer``, ``unsigned-integer`` and ``pattern`` are read; ``complex`` is refused. A
``symmetric`` matrix is an undirected graph; a ``skew-symmetric`` one has every listed edge and its opposite with the
weight negated. In ``array`` (dense) files a zero is "no edge"; in ``coordinate`` files every entry is an edge, explicit
zeros too. Vertices are numbered from 1. The type comment that SuiteSparse:GraphBLAS adds (``%%GraphBLAS type float``)
is checked, and honoured where it says that integers in the file mean floats.
"""

from __future__ import annotations

from array import array
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from .._core import WeightKind
from . import text
from .format import Format
from .text import Array, Note

if TYPE_CHECKING:
    from ..errors import FormatError
    from ..graph.graph import Graph
    from .format import ReadOptions
    from .source import Source

_FIELDS = {
    "pattern": WeightKind.none,
    "real": WeightKind.real,
    "double": WeightKind.real,
    "integer": WeightKind.integer,
    "unsigned": WeightKind.integer,
    "unsigned-integer": WeightKind.integer,
}
_GRAPHBLAS = {f"{u}int{bits}{t}" for u in ("", "u") for bits in (8, 16, 32, 64) for t in ("", "_t")} | {"bool"}
_FLOATS = {"float": WeightKind.real32, "fp32": WeightKind.real32, "double": WeightKind.real, "fp64": WeightKind.real}


def read(source: Source, options: ReadOptions) -> Graph:
    """Read an ``.mtx`` file."""
    layout, weights, symmetry = _read_banner(source)
    note, counts, begin, line = _read_size(source, layout)
    graphblas = note[1]
    if graphblas in _FLOATS and weights in (WeightKind.integer, WeightKind.real):
        weights = _FLOATS[graphblas]
    remark = note[0]
    weights = remark.kind(weights)
    remark.undirected = remark.undirected and symmetry == "general"  # the banner says it for the others
    rows, columns = counts[:2]
    if rows != columns:
        raise source.error(f"expected a square matrix, found {rows} by {columns}", line)
    w: Array | None
    one_way = symmetry != "symmetric" and not remark.undirected
    if layout == "array":
        source.allow(rows, text.VERTEX_BYTES, "rows", line)
        u, v, w = _read_array(source, (begin, line), rows, weights, symmetry)
    else:
        kinds = text.line_kinds(comments="%")
        u, v, w = text.parse_edges(source, begin, line + 1, kinds, weights=weights, low=1, high=rows)
        if len(u) != counts[2]:
            raise source.error(f"the size line promises {counts[2]} entries, the file has {len(u)}", line)
        source.allow(rows, text.VERTEX_BYTES, "rows", line, listed=2 * len(u))
        text.shift(u, v, 1)
        if symmetry == "skew-symmetric":
            u, v, w = _with_negated(source, (u, v, w), begin, line)
    first = 1 if remark.first is None else remark.first

    def complain(what: str, entry: int) -> FormatError:
        if layout == "array":  # its entries are not lines
            return source.error(what)
        return source.error(what, text.line_of(source, begin, line, "%", entry % max(1, counts[2])))

    return text.build(
        u,
        v,
        remark.stored(w, complain),
        rows,
        text.numbered(first, rows),
        directed=one_way if options.directed is None else options.directed,
        note=remark,
        complain=complain,
    )


def _read_banner(source: Source) -> tuple[str, WeightKind, str]:
    expected = "expected '%%MatrixMarket matrix coordinate|array FIELD SYMMETRY'"
    _, _, text_of_banner = next(source.lines(), (0, 0, ""))  # a byte order mark may be all there is
    banner = text_of_banner.split()
    if len(banner) != 5 or banner[0].lower() != "%%matrixmarket":
        raise source.error(expected, 1)
    kind, layout, field, symmetry = (word.lower() for word in banner[1:])
    if kind != "matrix" or layout not in ("coordinate", "array"):
        raise source.error(f"{expected}, found {kind[:80]!r} {layout[:80]!r}", 1)
    if field == "complex":
        raise source.error("complex numbers are no edge weights", 1)
    if field not in _FIELDS:
        raise source.error(f"expected a field of {', '.join(_FIELDS)}; found {field[:80]!r}", 1)
    if symmetry == "hermitian":
        raise source.error(f"hermitian is a symmetry of complex matrices, and this one is {field}", 1)
    if symmetry not in ("general", "symmetric", "skew-symmetric"):
        raise source.error(f"expected general, symmetric or skew-symmetric; found {symmetry[:80]!r}", 1)
    if field == "pattern" and (layout == "array" or symmetry == "skew-symmetric"):
        raise source.error(f"a pattern has no values and cannot be {layout} {symmetry}", 1)
    return layout, _FIELDS[field], symmetry


def _read_size(source: Source, layout: str) -> tuple[tuple[Note, str], list[int], int, int]:
    """Return (note, GraphBLAS type), the counts, the offset behind the size line, and its number."""
    note, graphblas = Note(), ""
    for offset, line, content in source.lines():
        if content.startswith("%"):
            words = content.split()
            if words[0].lower() == "%%graphblas" and len(words) >= 3 and words[1] == "type":
                graphblas = words[2].lower()
                if graphblas not in _GRAPHBLAS and graphblas not in _FLOATS:
                    raise source.error(f"unknown GraphBLAS type {words[2][:80]!r}", line)
            note.read(content)
        elif content:
            words = content.split()
            wanted = ["ROWS", "COLUMNS"] + ["ENTRIES"] * (layout == "coordinate")
            if len(words) != len(wanted) or not all(word.isascii() and word.isdigit() for word in words):
                raise source.error(f"expected '{' '.join(wanted)}', found {content[:80]!r}", line)
            counts = [count for count in map(text.whole, words) if count is not None]
            if len(counts) != len(words):
                raise source.error("the counts are beyond 2^62", line)
            end = source.data.find(b"\n", offset)
            return (note, graphblas), counts, len(source.data) if end < 0 else end + 1, line
    raise source.error("expected a line with the size of the matrix, found the end of the file")


def _with_negated(
    source: Source, edges: tuple[Array, Array, Array | None], begin: int, line: int
) -> tuple[Array, Array, Array]:
    u, v, w = edges
    assert w is not None  # noqa: S101 - a pattern was refused
    wrong = (u == v) | (np.isinf(w) if w.dtype.kind == "f" else False)
    if wrong.any():
        place = text.line_of(source, begin, line, "%", int(np.argmax(wrong)))
        raise source.error(
            "a skew-symmetric matrix has no diagonal and no infinite entry (its opposite would be -inf)", place
        )
    if w.dtype.kind == "i" and len(w) and w.min() == np.iinfo(w.dtype).min:
        if w.dtype == np.int64:
            place = text.line_of(source, begin, line, "%", int(np.argmin(w)))
            raise source.error("the negated weight does not fit in 64 bits", place)
        w = w.astype(np.int64)
    return np.concatenate([u, v]), np.concatenate([v, u]), np.concatenate([w, -w])


def _read_array(
    source: Source, place: tuple[int, int], n: int, weights: WeightKind, symmetry: str
) -> tuple[Array, Array, Array]:
    """Read a dense matrix column by column; a symmetric one has its lower triangle alone."""
    begin, size_line = place
    whole = weights == WeightKind.integer
    values: array[Any] = array("q" if whole else "d")
    for offset, line, content in source.lines():
        if offset < begin or content.startswith("%"):
            continue
        try:
            if "_" in content or not content.isascii():  # Python's idea of a number, not the format's
                raise ValueError
            values.extend(map(int if whole else float, content.split()))
        except (ValueError, OverflowError):
            bad = next((word for word in content.split() if _number(word, whole) is None), content)
            raise source.error(f"expected a number, found {bad[:80]!r}", line) from None
        if "n" in content.lower() and any(_number(word, whole) is None for word in content.split()):
            raise source.error(f"expected numbers (or +inf, no edge), found {content[:80]!r}", line)
    start = {"general": -n, "symmetric": 0, "skew-symmetric": 1}[symmetry]
    expected = {"general": n * n, "symmetric": n * (n + 1) // 2, "skew-symmetric": n * (n - 1) // 2}[symmetry]
    if len(values) != expected:
        raise source.error(
            f"expected {expected} values for a {symmetry} {n} by {n} matrix, found {len(values)}", size_line
        )
    column, row = np.nonzero(np.triu(np.ones((n, n), dtype=bool), start))
    w: Array = np.array(values)
    if weights == WeightKind.real32:
        with np.errstate(over="ignore"):
            w, exact = w.astype(np.float32), w
        if bool((np.isinf(w) & np.isfinite(exact)).any()):
            raise source.error("a value does not fit in float32", size_line)
    elif whole and bool((w == w.astype(np.int32)).all()):
        w = w.astype(np.int32)
    edge = w != 0
    u, v, w = row[edge], column[edge], w[edge]
    return _with_negated(source, (u, v, w), begin, size_line) if symmetry == "skew-symmetric" else (u, v, w)


def _number(word: str, whole: bool) -> int | float | None:
    """Return a value, or None for what cannot be one."""
    try:
        value = int(word) if whole else float(word)
    except ValueError:
        return None
    fits = -(2**63) <= value < 2**63 if whole else value > float("-inf")  # nor NaN
    return value if fits and word.isascii() and "_" not in word else None


def write(graph: Graph, file: IO[bytes], suffix: str) -> None:
    """Write a coordinate file; of an undirected graph the lower triangle."""
    first = text.first_number(graph, suffix)
    note = text.weights_note(graph)
    note.first = None if first == 1 else first
    field = "pattern" if graph.weights is None else "integer" if graph.is_integer else "real"
    entries = graph.num_edges
    if not graph.directed:
        sources = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), graph.degrees)
        entries = int((sources >= graph.indices).sum())
    symmetry = "general" if graph.directed else "symmetric"
    file.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n".encode())
    if str(note):
        file.write(f"% {note}\n".encode())
    file.write(f"{graph.num_vertices} {graph.num_vertices} {entries}\n".encode())
    text.write_edges(graph, file, lower=not graph.directed, first=1, weights=graph.weights)


FORMAT = Format(
    "Matrix Market",
    (".mtx",),
    read,
    write,
    aliases=dict.fromkeys((".mm", ".matrixmarket"), ".mtx"),
    magic={".mtx": rb"(?i)%%matrixmarket"},
)

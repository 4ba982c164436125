"""Edge lists: one edge per line, ``source target`` or ``source target weight``.

SNAP, GAP (.el, .wel), CSV and TSV, and most home-made files. Columns are parted by blanks, tabs, commas or semicolons;
lines that start with ``#``, ``%`` or ``//`` are comments; in .csv and .tsv a first line may name the columns (``heading.py``), and ids may be names
as well, or further columns wanted (``table.py``). All lines must have as many columns as the first.

The LDBC Graphalytics benchmark keeps a graph in two such files, ``x.e`` and ``x.v``; the second lists the vertices,
isolated ones too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

import numpy as np

from .._core import WeightKind
from ..errors import GraphError
from . import heading, names, table, text
from .column_choice import ColumnChoice
from .heading import Heading
from .source import split_suffix
from .target import unfinished
from .text import Array, Note

if TYPE_CHECKING:
    from pathlib import Path

    from ..errors import FormatError
    from ..graph.graph import Graph
    from ..graph.labels import Labels
    from .source import Source

_COMMENTS = "#%/"
TABLES = (".csv", ".tsv")
_COLUMNS = {".el": (2,), ".wel": (3,)}


@dataclass
class _Head:
    """What stands before the first line of data."""

    note: Note = field(default_factory=Note)
    heading: Heading | None = None
    part: str = ""  # what parts the columns of a table's first line; a blank: anything that may
    begin: int = 0  # of the first line of data, and its number, text and columns
    line: int = 1
    content: str = ""
    columns: int = 0


def _read_head(source: Source, format: str, directed: bool | None, wanted: ColumnChoice) -> _Head:  # noqa: A002
    head = _Head(begin=len(source.data))
    for offset, number, content in source.lines():
        if content.startswith(("#", "%", "//")):
            head.note.read(content)
        elif content:
            if format in TABLES and head.heading is None and not head.part:
                head.part, words = _words(content, format)
                if len(words) > table.MOST_COLUMNS:
                    raise source.error(f"expected at most {table.MOST_COLUMNS} columns", number)
                if _is_heading(words, wanted):
                    head.heading = heading.read(source, words, number, directed, wanted)
                    continue
            head.begin, head.line, head.content = offset, number, content
            head.columns = len(text.FIELDS.split(content, table.MOST_COLUMNS))
            break
    return head


def _is_heading(words: list[str], wanted: ColumnChoice) -> bool:
    if wanted.names:
        return True
    if any(map(table.is_number, words)):
        return False
    counted = wanted.source is not None or wanted.target is not None
    return not counted or {"s", "t"} <= set(map(heading.role, words))


def _words(content: str, format: str) -> tuple[str, list[str]]:  # noqa: A002
    """Return what parts the columns of a first line, and what is in them."""
    part = table.separator(content, format)
    found = table.fields(content, part) if part in content else None
    if found is None:
        return " ", text.FIELDS.split(content, table.MOST_COLUMNS)
    return part, [one.text for one in found]


def read(source: Source, *, format: str, directed: bool | None, wanted: ColumnChoice | None = None) -> Graph:  # noqa: A002
    """Read an edge list; with ``format=".e"``, also the vertex file beside it."""
    wanted = wanted or ColumnChoice()
    if format not in TABLES:
        wanted.refuse(format)
    head = _read_head(source, format, directed, wanted)
    if head.columns and format in TABLES and (found := _as_table(source, head, wanted, directed)) is not None:
        return found
    note, title, columns = head.note, head.heading, ""
    if title is None:
        allowed = _COLUMNS.get(format, (2, 3))
        if head.columns and head.columns not in allowed:
            several = " or ".join(map(str, allowed))
            raise source.error(
                f"expected {several} columns (source, target{', weight' * (3 in allowed)}), found {head.columns}",
                head.line,
            )
        weighted = head.columns == 3 or (head.columns == 0 and note.dtype is not None)
    else:
        weighted, columns = title.weighted, "" if title.is_plain else title.columns
    weights = note.kind(WeightKind.number) if weighted else WeightKind.none
    kinds = text.line_kinds(comments=_COMMENTS)
    low = note.first or 0
    high = text.ANY_ID if note.vertices is None else low + note.vertices - 1
    place = (source, head.begin, head.line)
    u, v, w = text.parse_edges(
        *place, kinds, weights=weights, low=low, high=high, columns=columns, part=head.part or " "
    )

    def complain(what: str, entry: int) -> FormatError:
        return source.error(what, text.line_of(*place, _COMMENTS, entry))

    w = note.stored(w, complain)
    if format == ".e" and source.path is not None and unfinished(source.path).exists():
        raise source.error(
            "this file and its vertices (.v) were being replaced when the program died: write them again"
        )
    if format == ".e" and (vertices := source.beside(".v")) is not None:
        n, labels = _with_vertices(source, (u, v), _read_vertices(vertices), head.begin, head.line)
        if directed is None and not note.undirected:
            directed = _ldbc_directed(source)
    elif note.vertices is not None:
        source.allow(note.vertices, text.VERTEX_BYTES, "vertices of a note", listed=2 * len(u))
        text.shift(u, v, low)
        n, labels = note.vertices, text.numbered(low, note.vertices)
    else:
        n, labels = text.relabelled(u, v)
    directed = not note.undirected if directed is None else directed
    return text.build(u, v, w, n, labels, directed=directed, note=note, complain=complain)


def _as_table(source: Source, head: _Head, wanted: ColumnChoice, directed: bool | None) -> Graph | None:
    """Return the graph of a table that has names, or of which more is wanted; None where the parser of edges can do it, which is faster."""
    found = table.fields(head.content, head.part) if head.part != " " else None
    count = head.columns if found is None else len(found)
    if head.heading is None and not wanted.is_default:
        head.heading = heading.without_names(source, count, head.line, wanted)
    title = head.heading
    places = (0, 1) if title is None else title.places[:2]
    named = found is not None and len(found) > max(places) and any(found[at].is_name for at in places)
    more = wanted.missing != "error" or wanted.decimal is not None or (title is not None and bool(title.attributes))
    if not named and not more and head.part not in ";|":
        return None
    if title is None:
        if count not in (2, 3):
            raise source.error(f"expected 2 or 3 columns (source, target, weight), found {count}", head.line)
        title = Heading("stw"[:count])
    return table.read(
        source,
        part=head.part,
        begin=head.begin,
        line=head.line,
        named=named,
        heading=title,
        wanted=wanted,
        directed=directed,
        note=head.note,
    )


def _read_vertices(source: Source) -> Array:
    numbers, lengths = text.parse_rows(source, source.start, 1, text.line_kinds(comments=_COMMENTS))
    if len(lengths) and lengths.max() > 1:
        bad = int(np.argmax(lengths > 1))
        line = text.line_of(source, source.start, 1, _COMMENTS, int((lengths[:bad] > 0).sum()))
        raise source.error("expected one vertex id a line", line)
    nothing = np.empty(0, dtype=np.int64)
    if text.relabelled(nothing, nothing, numbers)[0] != len(numbers):
        again = np.ones(len(numbers), dtype=bool)
        again[np.unique(numbers, return_index=True)[1]] = False
        entry = int(np.argmax(again))
        line = text.line_of(source, source.start, 1, _COMMENTS, entry)
        raise source.error(f"the vertex {numbers[entry]} is listed twice", line)
    return numbers


def _with_vertices(
    source: Source, ends: tuple[Array, Array], vertices: Array, begin: int, line: int
) -> tuple[int, Labels | None]:
    u, v = ends
    n, labels = text.relabelled(u, v, vertices)
    if n != len(vertices):
        listed = np.zeros(n, dtype=bool)
        listed[vertices if labels is None else labels.indices(vertices)] = True
        stranger = int(np.argmin(listed[u] & listed[v]))
        place = text.line_of(source, begin, line, _COMMENTS, stranger)
        raise source.error("an edge's vertex is not in the vertex file (.v)", place)
    return n, labels


def _ldbc_directed(source: Source) -> bool:
    """Return what the benchmark's properties file says, if it lies beside."""
    properties = source.beside(".properties")
    for _, _, content in properties.lines() if properties is not None else ():
        key, _, value = content.partition("=")
        if key.strip().endswith(".directed"):
            return value.strip().lower() != "false"
    return True


def write(graph: Graph, file: IO[bytes], format: str, vertices: IO[bytes] | None = None) -> None:  # noqa: A002
    """Write an edge list, both directions of an undirected edge; the vertices of an ``.e`` file go to a file of their own."""
    if format == ".el" and graph.weights is not None:
        raise GraphError("an .el file has no weights; write .wel")
    if format == ".wel" and graph.weights is None:
        raise GraphError("a .wel file has weights, and this graph has none; write .el")
    note = text.weights_note(graph)
    note.undirected = not graph.directed
    if format in TABLES and graph.labels is not None and graph.labels.dtype.kind in "UO":
        _refuse_isolated(graph, format)
        names.write(graph, file, format, note)
        return
    first, labels = text.integer_labels(graph, format)
    if vertices is not None:
        _write_vertices(graph, vertices)
    elif len(_isolated(graph)):
        if labels is not None:
            _refuse_isolated(graph, format)
        note.vertices, note.first = graph.num_vertices, first or None
    elif not graph.num_vertices:
        note.vertices = 0
    separator = {".csv": ",", ".tsv": "\t"}.get(format, " ")
    if str(note) or not graph.num_edges:
        file.write(f"# {str(note) or 'no edges'}\n".encode())
    if format in TABLES:
        heading = ["source", "target"] + ["weight"] * (graph.weights is not None)
        file.write(separator.join(heading).encode() + b"\n")
    text.write_edges(graph, file, separator=separator, first=first, labels=labels, weights=graph.weights)


def _refuse_isolated(graph: Graph, format: str) -> None:  # noqa: A002
    for v in _isolated(graph)[:1].tolist():
        raise GraphError(
            f"vertex {graph.label(v)} has no edge and would be lost in {format}; write .e (with .v) or .steppe"
        )


def _isolated(graph: Graph) -> Array:
    touched = graph.degrees > 0
    touched[graph.indices] = True
    return np.flatnonzero(~touched)


def vertex_file(path: Path) -> Path:
    """Return the name of the vertices' file beside an ``.e`` file, packed alike.

    >>> from pathlib import Path
    >>> vertex_file(Path("x.e.gz")).name
    'x.v.gz'
    """
    suffix, packing = split_suffix(path)
    if suffix == ".v":
        raise GraphError("a .v file has the vertices of the .e file beside it: write the .e file")
    name = path.name[: len(path.name) - len(packing) - len(suffix)]
    return path.with_name(name + ".v" + packing)


def _write_vertices(graph: Graph, file: IO[bytes]) -> None:
    labels = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    file.write(b"".join(b"%d\n" % label for label in labels.tolist()) or b"# no vertices\n")

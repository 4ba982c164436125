"""Tables in text: ``.csv`` and ``.tsv`` files whose ids are names, or of which more than source, target and weight is options.

A table has numbers or names for ids, never both; its first line of data decides. Names are what is in quotes and what is no number. So a
number without quotes among names is refused (it may be one bad line in a table of numbers), and a word among numbers is refused, too.
Quotes are doubled within quotes, as everywhere; a name lies within one line. ``cpp/text/columns.hpp`` parses; what comes out are the columns that
:meth:`Graph.from_frame <steppe.Graph.from_frame>` takes, so that names are numbered by the same code, and edges know their ids and attributes.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _core
from ..errors import GraphError
from ..graph.columns import Column
from ..graph.frame import ends_of_columns, graph_of_columns
from ..graph.graph import Graph
from ..machine import threads
from . import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors import FormatError
    from .edge_list import Head
    from .format import ReadOptions
    from .heading import Heading
    from .source import Source
    from .text import Array, Note

# It takes a time in proportion to the word: no two parts of the pattern may share out the same characters.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

MOST_COLUMNS = 1000
"""More are refused: a line of a million separators is no table, and a million objects are."""


class Field(NamedTuple):
    """One field of a line."""

    text: str
    quoted: bool

    @property
    def is_name(self) -> bool:
        """Whether this can only be a name."""
        return self.quoted or _NUMBER.fullmatch(self.text) is None


def separator(line: str, suffix: str) -> str:
    """Return what parts the columns of a table with this line.

    Of several characters that may, a comma is the last choice where it stands between digits: ``1;2;3,5`` has a decimal comma.

    >>> [separator(line, ".csv") for line in ("a,b", "a;b", "a|b|3", "1;2;3,5", "Rye, NY;Ulm", "a b")]
    [',', ';', '|', ';', ',', ',']
    """
    if suffix == ".tsv":
        return "\t"
    bare = re.sub(r'"[^"]*"', "", line)
    if "," in bare and re.search(r"(?<![0-9]),|,(?![0-9])", bare):
        return ","
    return next((part for part in ";|\t" if part in bare), ",")


def fields(line: str, part: str) -> list[Field] | None:
    """Return the fields of a line, no more than one above MOST_COLUMNS; None where quotes do not match.

    >>> fields('Ulm, "Rye, NY" ,7', ",")
    [Field(text='Ulm', quoted=False), Field(text='Rye, NY', quoted=True), Field(text='7', quoted=False)]
    """
    if '"' not in line:
        return [Field(text.strip(" "), quoted=False) for text in line.split(part, MOST_COLUMNS)]
    found, at, size = [], 0, len(line)
    while True:
        while at < size and line[at] == " ":
            at += 1
        if at < size and line[at] == '"':
            pieces, quoted = [], True
            while True:
                end = line.find('"', at + 1)
                if end < 0:
                    return None
                pieces.append(line[at + 1 : end])
                at = end + 1
                if at == size or line[at] != '"':
                    break
            text = '"'.join(pieces)
            while at < size and line[at] == " ":
                at += 1
        else:
            end = line.find(part, at)
            end = size if end < 0 else end
            text, quoted = line[at:end].rstrip(" "), False
            if '"' in text:
                return None
            at = end
        found.append(Field(text, quoted))
        if at == size or len(found) > MOST_COLUMNS:
            return found
        if line[at] != part:
            return None
        at += 1


def is_number(word: str) -> bool:
    """Return whether a word is a number, infinite or none: what can stand for a weight, and names no column."""
    return bool(_NUMBER.fullmatch(word)) or word.lower().lstrip("+-") in ("inf", "infinity", "nan")


def read(head: Head, title: Heading, options: ReadOptions, *, named: bool) -> Graph:
    """Read a table of which ``head`` was read; ``named``: its ids are names."""
    source, begin, line, part, note = head.source, head.begin, head.line, head.part, head.note
    directed, letters = options.directed, ["-"] * len(title.columns)
    for _, at in title.attributes:
        letters[at] = "w"
    places = title.places
    for at, letter in zip(places, ("n" if named else "i",) * 2 + ("w",), strict=False):
        if letters[at] != "-" and letter != "w":
            raise source.error("an end of an edge cannot be an attribute, too", line)
        letters[at] = letter

    def parsed(decimal: str) -> _core.TextTable:
        return _core.TextTable(
            source.array[begin:], "".join(letters), part, decimal, options.missing == "drop", threads.resolve(None)
        )

    table = parsed(options.decimal or ".")
    if table.fault is not None and options.decimal is None and part == ";":
        other = parsed(",")  # as spreadsheets write where a comma is the decimal point
        table = other if other.fault is None or other.fault[2] > table.fault[2] else table
    _raise(source, begin, line, table.fault, part)

    source_column, target_column = (_column(table, at, named=named) for at in places[:2])
    weight = _column(table, places[2]) if len(places) > 2 else None
    if note.vertices is not None and not named:
        raise source.error(
            "a note counts vertices, which this way of reading does not: read the file without further options"
        )
    own = directed is not True and note.undirected
    if own or (weight is not None and (note.dtype is not None or note.unweighted)):
        if title.attributes or options.missing == "drop":
            raise source.error(
                "a file with a note of steppe's has no further columns to choose from, and misses nothing"
            )
        ends = ends_of_columns(source_column, target_column)
        w = None if weight is None else note.stored(_narrowed(weight.array(), note, head.complain), head.complain)
        u, v = (np.concatenate(x) if x else np.empty(0, np.int32) for x in (ends.sources, ends.targets))
        text.shift(u, v, ends.base)
        directed = not note.undirected if directed is None else directed
        return text.build(u, v, w, ends.count, ends.labels, directed=directed, note=note, complain=head.complain)
    return graph_of_columns(
        Graph,
        source_column,
        target_column,
        weight,
        {name: _column(table, at) for name, at in title.attributes},
        directed=directed is not False,
        missing=options.missing,
        quick=True,
    )


def _column(table: _core.TextTable, at: int, *, named: bool = False) -> Column:
    holes = table.missing(at).view(np.bool_)
    missing = holes if len(holes) and holes.any() else None
    if named:
        return Column(at, table.rows, names=table.names(at), missing=missing)
    return Column(at, table.rows, [table.numbers(at)], missing=missing)


def _narrowed(w: Array, note: Note, complain: Callable[[str, int], FormatError]) -> Array:
    """Return weights as the other text formats have them: int32, int64 if one needs it, float64 if one is not whole; float32 by a note."""
    if note.dtype == "float32":
        with np.errstate(over="ignore"):
            single = w.astype(np.float32)
        lost = np.isinf(single) & np.isfinite(w)
        if lost.any():
            raise complain("a weight does not fit in float32", int(np.argmax(lost)))
        return single
    if note.dtype == "float64" or w.dtype.kind == "f":
        return w.astype(np.float64, copy=False)
    narrow = w.astype(np.int32)
    return narrow if np.array_equal(narrow, w) else w


def _raise(source: Source, begin: int, line: int, fault: tuple[str, bool, int, int] | None, part: str) -> None:
    if fault is None:
        return
    what, _, offset, line_from_0 = fault
    rest = source.data[begin + offset : begin + offset + 80].split(b"\n")[0].decode("utf-8", "replace").strip()
    if what.endswith("nothing"):
        what += ': missing="drop" leaves such lines out'
    else:
        token = rest if "closing quote" in what or part == " " else rest.split(part)[0].strip()
        what += f", found {token!r}" if rest else ", found the end of the line"
    raise source.error(what, line + line_from_0)


def write(graph: Graph, file: IO[bytes], suffix: str, note: Note) -> None:
    """Write a table whose labels are names, all of them in quotes: whatever they look like, they come back as names."""
    labels = [] if graph.labels is None else graph.labels.tolist()
    for label in labels:
        if not isinstance(label, str) or not label or re.search(r"[\r\n\0\ud800-\udfff\ufffd]", label):
            raise GraphError(f"{suffix} files cannot keep the label {label!r}; write a .steppe file")
    quoted = ['"' + label.replace('"', '""') + '"' for label in labels]
    part = "," if suffix == ".csv" else "\t"
    if str(note):
        file.write(f"# {note}\n".encode())
    file.write((part.join(["source", "target"] + ["weight"] * (graph.weights is not None)) + "\n").encode())
    for u, name in enumerate(quoted):
        begin, end = int(graph.indptr[u]), int(graph.indptr[u + 1])
        lines = [[name, quoted[v]] for v in graph.indices[begin:end].tolist()]
        if graph.weights is not None:
            for line, weight in zip(lines, graph.weights[begin:end].tolist(), strict=True):
                line.append(repr(weight))
        file.write("".join(part.join(line) + "\n" for line in lines).encode())

"""Edge lists: one edge per line, ``source target`` or ``source target weight``.

SNAP, GAP (.el, .wel), CSV and TSV, and most home-made files. Columns are parted by blanks, tabs, commas or semicolons;
lines that start with ``#``, ``%`` or ``//`` are comments; in .csv and .tsv a first line may name the columns (``heading.py``), and ids may be names
as well, or further columns wanted (``table.py``). All lines must have as many columns as the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING

from .._core import WeightKind
from ..errors import GraphError
from . import heading, table, text
from .format import COLUMNS, PLAIN, Format, ReadOptions
from .heading import Heading
from .text import Note

if TYPE_CHECKING:
    from ..errors import FormatError
    from ..graph.graph import Graph
    from ..graph.labels import Labels
    from .source import Source

COMMENTS = "#%/"
_TABLES = (".csv", ".tsv")
_COUNTS = {".el": (2,), ".wel": (3,)}


@dataclass
class Head:
    """What stands before the first line of data."""

    source: Source
    begin: int  # of the first line of data, and its number, text and columns
    line: int = 1
    content: str = ""
    columns: int = 0
    note: Note = field(default_factory=Note)
    heading: Heading | None = None
    part: str = ""  # what parts the columns of a table's first line; a blank: anything that may

    def complain(self, what: str, entry: int) -> FormatError:
        """Return the error to raise about a line of data."""
        return self.source.error(what, text.line_of(self.source, self.begin, self.line, COMMENTS, entry))


def read_head(source: Source, options: ReadOptions) -> Head:
    """Read up to the first line of data."""
    head = Head(source, len(source.data))
    for offset, number, content in source.lines():
        if content.startswith(("#", "%", "//")):
            head.note.read(content)
        elif content:
            if options.suffix in _TABLES and head.heading is None and not head.part:
                head.part, words = _words(content, options.suffix)
                if len(words) > table.MOST_COLUMNS:
                    raise source.error(f"expected at most {table.MOST_COLUMNS} columns", number)
                if _is_heading(words, options):
                    head.heading = heading.read(source, words, number, options)
                    continue
            head.begin, head.line, head.content = offset, number, content
            head.columns = len(text.FIELDS.split(content, table.MOST_COLUMNS))
            break
    return head


def _is_heading(words: list[str], options: ReadOptions) -> bool:
    if options.names:
        return True
    if any(map(table.is_number, words)):
        return False
    counted = options.source is not None or options.target is not None
    return not counted or {"s", "t"} <= set(map(heading.role, words))


def _words(content: str, suffix: str) -> tuple[str, list[str]]:
    """Return what parts the columns of a first line, and what is in them."""
    part = table.separator(content, suffix)
    found = table.fields(content, part) if part in content else None
    if found is None:
        return " ", text.FIELDS.split(content, table.MOST_COLUMNS)
    return part, [one.text for one in found]


def read(source: Source, options: ReadOptions) -> Graph:
    """Read an edge list or a table."""
    if options.suffix == ".txt" and options.chooses_columns:
        options = replace(options, suffix=".csv")
    head = read_head(source, options)
    if head.columns and options.suffix in _TABLES and (found := _as_table(head, options)) is not None:
        return found
    edges = Edges(head, options.suffix)
    return edges.build(*edges.numbered(), directed=options.directed)


class Edges:
    """The edges of a list, parsed."""

    def __init__(self, head: Head, suffix: str) -> None:
        self.source, self.note, self.complain = head.source, head.note, head.complain
        title, columns = head.heading, ""
        if title is None:
            allowed = _COUNTS.get(suffix, (2, 3))
            if head.columns and head.columns not in allowed:
                several = " or ".join(map(str, allowed))
                raise head.source.error(
                    f"expected {several} columns (source, target{', weight' * (3 in allowed)}), found {head.columns}",
                    head.line,
                )
            weighted = head.columns == 3 or (head.columns == 0 and self.note.dtype is not None)
        else:
            weighted, columns = title.weighted, "" if title.is_plain else title.columns
        self.low = self.note.first or 0
        self.u, self.v, w = text.parse_edges(
            head.source,
            head.begin,
            head.line,
            text.line_kinds(comments=COMMENTS),
            weights=self.note.kind(WeightKind.number) if weighted else WeightKind.none,
            low=self.low,
            high=text.ANY_ID if self.note.vertices is None else self.low + self.note.vertices - 1,
            columns=columns,
            part=head.part or " ",
        )
        self.weights = self.note.stored(w, self.complain)

    def numbered(self) -> tuple[int, Labels | None]:
        """Make the ids numbers from 0; return how many vertices there are, and their labels."""
        count = self.note.vertices
        if count is None:
            return text.relabelled(self.u, self.v)
        self.source.allow(count, text.VERTEX_BYTES, "vertices of a note", listed=2 * len(self.u))
        text.shift(self.u, self.v, self.low)
        return count, text.numbered(self.low, count)

    def build(self, count: int, labels: Labels | None, *, directed: bool | None) -> Graph:
        """Build the graph."""
        return text.build(
            self.u,
            self.v,
            self.weights,
            count,
            labels,
            directed=not self.note.undirected if directed is None else directed,
            note=self.note,
            complain=self.complain,
        )


def _as_table(head: Head, options: ReadOptions) -> Graph | None:
    """Return the graph of a table that has names, or of which more is wanted; None where the parser of edges can do it, which is faster."""
    found = table.fields(head.content, head.part) if head.part != " " else None
    count = head.columns if found is None else len(found)
    if head.heading is None and options.chooses_columns:
        head.heading = heading.without_names(head.source, count, head.line, options)
    title = head.heading
    places = (0, 1) if title is None else title.places[:2]
    named = found is not None and len(found) > max(places) and any(found[at].is_name for at in places)
    more = options.missing != "error" or options.decimal is not None or (title is not None and bool(title.attributes))
    if not named and not more and head.part not in ";|":
        return None
    if title is None:
        if count not in (2, 3):
            raise head.source.error(f"expected 2 or 3 columns (source, target, weight), found {count}", head.line)
        title = Heading("stw"[:count])
    return table.read(head, title, options, named=named)


def write(graph: Graph, file: IO[bytes], suffix: str, *, listed: bool = False) -> None:
    """Write an edge list or a table, both directions of an undirected edge; ``listed``: another file has the vertices."""
    if suffix == ".el" and graph.weights is not None:
        raise GraphError("an .el file has no weights; write .wel")
    if suffix == ".wel" and graph.weights is None:
        raise GraphError("a .wel file has weights, and this graph has none; write .el")
    note = text.weights_note(graph)
    note.undirected = not graph.directed
    if suffix in _TABLES and graph.labels is not None and graph.labels.dtype.kind in "UO":
        _refuse_isolated(graph, suffix)
        table.write(graph, file, suffix, note)
        return
    first, labels = text.integer_labels(graph, suffix)
    if not listed and len(text.isolated(graph)):
        if labels is not None:
            _refuse_isolated(graph, suffix)
        note.vertices, note.first = graph.num_vertices, first or None
    elif not listed and not graph.num_vertices:
        note.vertices = 0
    separator = {".csv": ",", ".tsv": "\t"}.get(suffix, " ")
    if str(note) or not graph.num_edges:
        file.write(f"# {str(note) or 'no edges'}\n".encode())
    if suffix in _TABLES:
        heading = ["source", "target"] + ["weight"] * (graph.weights is not None)
        file.write(separator.join(heading).encode() + b"\n")
    text.write_edges(graph, file, separator=separator, first=first, labels=labels, weights=graph.weights)


def _refuse_isolated(graph: Graph, suffix: str) -> None:
    for v in text.isolated(graph)[:1].tolist():
        raise GraphError(
            f"vertex {graph.label(v)} has no edge and would be lost in {suffix}; write .e (with .v) or .steppe"
        )


GAP = Format("GAP edge lists", (".el", ".wel"), read, write)
TABLE = Format(
    "text and tables",
    (".txt", ".csv", ".tsv"),
    read,
    write,
    aliases={
        **dict.fromkeys((".tgf", ".edges", ".edgelist", ".snap"), ".txt"),
        ".tab": ".tsv",
        ".psv": ".csv",
    },
    looks={".txt": r"\d+[\s,;]+\d+", ".csv": r"\w+([,;|]\w+)+\Z"},
    takes=(*PLAIN, *COLUMNS),
)

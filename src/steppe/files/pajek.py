"""Pajek: ``*Vertices n``, a line for each vertex that has a label, then ``*Arcs`` (one way), ``*Edges`` (both ways), lists or a matrix.

Vertices are numbered 1…n in the file. Their labels become the graph's where every vertex has one and no two are alike; otherwise the numbers do.
The two numbers that may follow a label are taken as x and y where every vertex has them and they are not all alike (NetworkX writes 0 0 for each);
of what else may follow (z, shapes), and of what follows a weight (colours), nothing is read. Relations (``*Arcs :2 "name"``) are added up.
Edges without a weight weigh 1 where others have one. Section names may be in any case.
"""

from __future__ import annotations

import math
from array import array
from typing import IO, TYPE_CHECKING

import numpy as np

from ..graph.coordinates import Coordinates, replace_coordinates
from ..graph.graph import Graph
from . import edge_rows, text
from .format import Format

if TYPE_CHECKING:
    from ..graph.labels import Labels
    from .format import ReadOptions
    from .source import Source

_SECTIONS = ("arcs", "edges", "arcslist", "edgeslist", "matrix")


def _word(rest: str) -> tuple[str, str, str]:
    """Split a label without quotes from what follows, as if it had them."""
    label, *more = rest.split(maxsplit=1)
    return label, '"', more[0] if more else ""


class _Reader:
    """What was read so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.note = text.Note()
        self.n: int | None = None
        self.line = 1  # of *Vertices
        self.names: dict[int, str] = {}
        self.places: dict[int, tuple[float, float]] = {}
        self.u, self.v = array("q"), array("q")
        self.weights: list[int | float] = []
        self.both = bytearray()
        self.weighted = False
        self.row = 0  # of a matrix

    def section(self, content: str, line: int) -> str:
        word, _, rest = content[1:].partition(" ")
        name = word.strip().lower()
        if name == "vertices":
            counts = rest.split()
            if self.n is not None:
                raise self.source.error("expected one *Vertices", line)
            self.n = text.whole(counts[0]) if counts else None
            if self.n is None:
                raise self.source.error("expected *Vertices and their number", line)
            self.line = line
        elif name not in _SECTIONS and name != "network":
            raise self.source.error(
                f"expected *Vertices, *Arcs, *Edges or a list of them, found {content[:40]!r}", line
            )
        elif self.n is None and name != "network":
            raise self.source.error("expected *Vertices first", line)
        return name

    def vertex(self, word: str, line: int) -> int:
        number = text.whole(word)
        if number is None or not 1 <= number <= (self.n or 0):
            raise self.source.error(f"expected a vertex of 1…{self.n}, found {word[:80]!r}", line)
        return number - 1

    def name(self, content: str, line: int) -> None:
        number, _, rest = content.partition(" ")
        at = self.vertex(number.strip(), line)
        rest = rest.strip()
        if not rest:
            return
        label, closed, more = rest[1:].partition('"') if rest[0] == '"' else _word(rest)
        if not closed:
            raise self.source.error("expected a closing quote", line)
        if at in self.names:
            raise self.source.error(f"vertex {at + 1} is listed twice", line)
        if "\ufffd" in label or "\0" in label:
            raise self.source.error("expected text in UTF-8 without NUL characters", line)
        self.names[at] = label
        place = [edge_rows.number(word) for word in more.split()[:2]]
        if len(place) == 2 and all(value is not None and math.isfinite(value) for value in place):
            self.places[at] = (float(place[0] or 0), float(place[1] or 0))

    def coordinates(self) -> Coordinates | None:
        """Return where the vertices are, if that is told of all."""
        if len(self.places) != self.n or len(set(self.places.values())) < 2:
            return None
        return Coordinates.checked([self.places[at] for at in range(self.n)], geographic=False)

    def edge(self, content: str, line: int, *, both: bool) -> None:
        words = content.split()
        if len(words) < 2:
            raise self.source.error("expected two vertices and perhaps a weight", line)
        weight = edge_rows.number(words[2]) if len(words) > 2 else 1
        if weight is None:
            raise self.source.error(f"expected a weight (a number), found {words[2][:80]!r}", line)
        self.weighted |= len(words) > 2
        self.add(self.vertex(words[0], line), self.vertex(words[1], line), weight, both=both)

    def neighbours(self, content: str, line: int, *, both: bool) -> None:
        first, *others = (self.vertex(word, line) for word in content.split())
        for other in others:
            self.add(first, other, 1, both=both)

    def entries(self, content: str, line: int) -> None:
        words = content.split()
        if len(words) != self.n or self.row >= self.n:
            raise self.source.error(f"expected {self.n} rows of {self.n} numbers", line)
        self.weighted = True
        for at, word in enumerate(words):
            weight = edge_rows.number(word)
            if weight is None:
                raise self.source.error(f"expected a number, found {word[:80]!r}", line)
            if weight != 0:
                self.add(self.row, at, weight, both=False)
        self.row += 1

    def add(self, u: int, v: int, weight: int | float, *, both: bool) -> None:
        self.u.append(u)
        self.v.append(v)
        self.weights.append(weight)
        self.both.append(both)


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a ``.net`` file."""
    got, section, last = _Reader(source), "", 1
    for _, line, content in source.lines():
        last = line
        if content.startswith("%"):
            got.note.read(content)
        elif content.startswith("*"):
            if section == "matrix" and got.row != got.n:
                raise source.error(f"expected {got.n} rows of a matrix, found {got.row}", line)
            section = got.section(content, line)
        elif content:
            if section == "vertices":
                got.name(content, line)
            elif section in ("arcs", "edges"):
                got.edge(content, line, both=section == "edges")
            elif section in ("arcslist", "edgeslist"):
                got.neighbours(content, line, both=section == "edgeslist")
            elif section == "matrix":
                got.entries(content, line)
            else:
                raise source.error("expected *Vertices and their number first", line)
    if got.n is None:
        raise source.error("expected *Vertices and their number", last)
    if section == "matrix" and got.row != got.n:
        raise source.error(f"expected {got.n} rows of a matrix, found {got.row}", last)
    source.allow(got.n, text.VERTEX_BYTES, "vertices", got.line, listed=len(got.names) + 2 * len(got.u))
    names = list(got.names.values())
    labels: Labels | None = text.numbered(1, got.n)
    if got.n and len(names) == got.n == len(set(names)):
        labels = edge_rows.labels_of([got.names[at] for at in range(got.n)])
    weighted = got.weighted or got.note.dtype is not None
    weights = edge_rows.stored(got.weights, got.note, source.error) if weighted else None
    graph = edge_rows.build(
        (np.frombuffer(got.u, dtype=np.int64), np.frombuffer(got.v, dtype=np.int64)),
        weights,
        got.n,
        labels,
        both=np.frombuffer(got.both, dtype=np.uint8).astype(np.bool_),
        undirected=got.note.undirected,
        directed=options.directed,
        attributes={},
    )
    places = got.coordinates()
    return graph if places is None else replace_coordinates(graph, places)


def write(graph: Graph, file: IO[bytes], suffix: str) -> None:
    """Write ``*Vertices`` with labels, then ``*Arcs``, or ``*Edges`` of an undirected graph, each once."""
    labels = edge_rows.kept_labels(
        graph,
        suffix,
        lambda label: bool(label) and label == label.strip() and not any(c in label for c in '"\r\n\0\ufffd'),
    )
    note = text.weights_note(graph)
    note.undirected = not graph.directed and not graph.num_edges
    if str(note):
        file.write(f"% {note}\n".encode())
    file.write(f"*Vertices {graph.num_vertices}\n".encode())
    if labels != list(range(1, graph.num_vertices + 1)):
        file.write("".join(f'{at} "{label}"\n' for at, label in enumerate(labels, 1)).encode())
    file.write(b"*Arcs\n" if graph.directed else b"*Edges\n")
    plain = Graph._make(graph.indptr, graph.indices, graph.weights, labels=None, directed=graph.directed)
    text.write_edges(plain, file, first=1, weights=graph.weights, lower=not graph.directed)


FORMAT = Format(
    "Pajek", (".net",), read, write, aliases={".pajek": ".net"}, looks={".net": r"(?i)\*(vertices|network)\b"}
)

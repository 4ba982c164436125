"""DIMACS: the challenges' formats for shortest paths (``p sp``), colouring (``p edge``), tree width (``p tw``), places.

.. code-block:: text

    c a comment                  anywhere
    p sp 4 3                     vertices and arcs; may be missing
    a 1 2 803                    one arc and its length

Vertices are numbered from 1 and those without arcs count. Without a ``p`` line the ids that appear decide, as in an
edge list. The ``t`` (title) and ``n`` (source) lines of the SPLIB generators are skipped. ``p tw`` and ``p td`` have
bare ``u v`` lines, ``p edge`` and ``p col`` have ``e u v`` lines: these graphs are undirected. An undirected graph
written as ``p sp`` lists both arcs of every edge.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

import numpy as np

from .._core import WeightKind
from ..graph.coordinates import Coordinates
from . import gap, text
from .format import Format
from .text import Array, Note

if TYPE_CHECKING:
    from ..errors import FormatError
    from ..graph.graph import Graph
    from .format import ReadOptions
    from .source import Source

_SKIPPED = "ctn"
_LETTERS = {"sp": "a", "edge": "e", "col": "e", "tw": "", "td": ""}


@dataclass
class _Head:
    """What stands before the first line of data."""

    kind: str = ""
    vertices: int = -1
    edges: int = -1
    line: int = 0  # of the p line
    begin: int = 0  # the first line of data
    first: int = 1
    fields: list[str] = field(default_factory=list)
    note: Note = field(default_factory=Note)


def _read_head(source: Source) -> _Head:
    head = _Head(begin=len(source.data))
    for offset, number, content in source.lines():
        if not content:
            continue
        word = content.split(None, 1)[0]
        if word == "c":
            head.note.read(content)
        elif word == "p":
            _read_problem(source, head, content.split(), number)
        elif word[0] == "c" or word in ("t", "n"):
            continue
        else:
            head.begin, head.first, head.fields = offset, number, text.FIELDS.split(content, 8)
            break
    return head


def _read_problem(source: Source, head: _Head, words: list[str], line: int) -> None:
    if head.kind:
        raise source.error("a second p line", line)
    head.kind = words[1] if len(words) > 1 else ""
    counts = words[2:]
    if head.kind == "aux":  # p aux sp co 264346
        counts = [*words[4:], "0"] if len(words) == 5 else []
    elif head.kind not in _LETTERS:
        raise source.error(f"expected a problem of kind sp, edge, col, tw or td, found {head.kind[:80]!r}", line)
    numbers = [text.whole(count) for count in counts]
    if len(counts) != 2 or not all(count.isascii() and count.isdigit() for count in counts):
        raise source.error(f"expected 'p {head.kind} VERTICES EDGES', found {' '.join(words)[:80]!r}", line)
    if numbers[0] is None or numbers[1] is None:
        raise source.error("the counts of the p line are beyond 2^62", line)
    head.vertices, head.edges, head.line = numbers[0], numbers[1], line


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a ``.gr`` file."""
    directed = options.directed
    if gap.is_galois(source.data[:8]):
        return gap.read_galois(source, options)
    head = _read_head(source)
    if head.kind == "aux" or (head.fields and head.fields[0] == "v"):
        raise source.error("this is a file of coordinates, not a graph; use steppe.files.read_coordinates", head.first)
    if not head.kind and not head.fields:
        raise source.error("expected a p line or arcs (a SOURCE TARGET LENGTH)")
    letter = _LETTERS.get(head.kind, "e" if head.fields[:1] == ["e"] else "a")
    # Arcs have a length, always; edges may.
    weighted = letter == "a" or (letter == "e" and len(head.fields) == 4)
    weights = head.note.kind(WeightKind.number) if weighted else WeightKind.none
    skipped = _SKIPPED if letter else "c"
    kinds = text.line_kinds(comments=skipped, letter=letter, only="" if letter else "0123456789-")

    def complain(what: str, entry: int) -> FormatError:
        return source.error(what, text.line_of(source, head.begin, head.first, skipped, entry))

    if not head.kind:
        u, v, w = text.parse_edges(source, head.begin, head.first, kinds, weights=weights)
        n, labels = text.relabelled(u, v)
        return text.build(u, v, w, n, labels, directed=letter != "e" if directed is None else directed)
    first = 1 if head.note.first is None else head.note.first
    u, v, w = text.parse_edges(source, head.begin, head.first, kinds, weights=weights, low=1, high=head.vertices)
    if len(u) != head.edges:
        raise source.error(
            f"the p line promises {head.edges} {'arcs' if letter == 'a' else 'edges'}, the file has {len(u)}", head.line
        )
    source.allow(head.vertices, text.VERTEX_BYTES, "vertices", head.line, listed=2 * len(u))
    text.shift(u, v, 1)
    one_way = head.kind == "sp" and not head.note.undirected
    labels = text.numbered(first, head.vertices)
    return text.build(
        u,
        v,
        head.note.stored(w, complain),
        head.vertices,
        labels,
        directed=one_way if directed is None else directed,
        note=head.note,
        complain=complain,
    )


def read_coordinates(source: Source) -> Array:
    """Read a ``.co`` file: an array of (x, y), one row for each vertex in the order of the graph's file."""
    head = _read_head(source)
    if head.kind != "aux":
        raise source.error("expected a line 'p aux sp co VERTICES'", head.line or None)
    vertex, xy = _parse_points(source, head)
    if len(vertex) != head.vertices or len(np.unique(vertex)) != len(vertex):
        raise source.error(f"expected one v line for each of {head.vertices} vertices, found {len(vertex)}", head.line)
    points = np.empty_like(xy)
    points[vertex - 1] = xy
    return points


def coordinates_for(graph: Graph, source: Source) -> Coordinates:
    """Read a ``.co`` file as a graph's coordinates: degrees, where all numbers can be millionths of one."""
    points = read_coordinates(source)
    if len(points) != graph.num_vertices:
        raise source.error(f"expected the places of {graph.num_vertices} vertices, found {len(points)}")
    degrees = points.dtype.kind == "i" and bool((np.abs(points) <= (180_000_000, 90_000_000)).all())
    return Coordinates.checked(points / 1e6 if degrees else points, degrees)


_PLAIN = re.compile(rb"(?:v \d{1,18} -?\d{1,15} -?\d{1,15}\r?\n)*")


def _parse_points(source: Source, head: _Head) -> tuple[Array, Array]:
    """Parse the ``v ID X Y`` lines: all at once where they are as plain as the challenge's, one by one where they are not, or wrong."""
    body = bytes(source.data[head.begin :])
    if _PLAIN.fullmatch(body):
        numbers = np.fromstring(body.replace(b"v", b" "), dtype=np.int64, sep=" ").reshape(-1, 3)
        if len(numbers) and numbers[:, 0].min() >= 1 and numbers[:, 0].max() <= head.vertices:
            return numbers[:, 0].copy(), numbers[:, 1:].copy()
    vertex, points = [], []
    for offset, number, content in source.lines():
        if offset < head.begin or not content or content[0] in _SKIPPED:
            continue
        try:
            letter, a, x, y = content.split()
            place = text.whole(a) or 0
            point = (float(x), float(y))
            if (
                not content.isascii()
                or "_" in content
                or letter != "v"
                or not 1 <= place <= head.vertices
                or not all(map(math.isfinite, point))
            ):
                raise ValueError
        except ValueError:
            raise source.error(
                f"expected 'v ID X Y' with an id of 1…{head.vertices}, found {content[:80]!r}", number
            ) from None
        vertex.append(place)
        points.append(point)
    xy = np.array(points, dtype=np.float64).reshape(-1, 2)
    with np.errstate(invalid="ignore"):
        rounded = xy.astype(np.int64)
    return np.array(vertex, dtype=np.int64), rounded if bool((rounded == xy).all()) else xy


def write(graph: Graph, file: IO[bytes], suffix: str) -> None:
    """Write ``p sp``; unweighted edges get length 1."""
    first = text.first_number(graph, suffix)
    note = text.weights_note(graph)
    note.undirected, note.first, note.unweighted = (
        not graph.directed,
        None if first == 1 else first,
        graph.weights is None,
    )
    if str(note):
        file.write(f"c {note}\n".encode())
    file.write(f"p sp {graph.num_vertices} {graph.num_edges}\n".encode())
    weights = np.ones(graph.num_edges, dtype=np.int32) if graph.weights is None else graph.weights
    text.write_edges(graph, file, prefix="a ", first=1, weights=weights)


FORMAT = Format(
    "DIMACS",
    (".gr",),
    read,
    write,
    aliases=dict.fromkeys((".dimacs", ".max", ".col"), ".gr"),
    looks={".gr": r"[cptnaev]($|\s)"},
)
COORDINATES = Format("DIMACS coordinates", (".co",), read)

"""What the text formats share: calls of the native parser with exact complaints, the numbering of ids, the note.

The note is a comment, ``steppe: vertices=9 undirected``, that :func:`steppe.write` leaves where a format has no word
for something the graph has (an isolated vertex in an edge list, vertices from 0 in a format that counts from 1, float32
weights). Other programs skip it; :func:`steppe.read` honours it, so what was written comes back the same. It is a claim
like any other: lines that say something else are refused, never altered to fit.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import Line, WeightKind
from ..errors import GraphError
from ..graph.build import graph_of_edges, with_opposites
from ..graph.coordinates import replace_coordinates
from ..graph.graph import Graph
from ..graph.labels import Labels
from ..machine import threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors import FormatError
    from .source import Source

Array = np.ndarray[Any, np.dtype[Any]]

ANY_ID = 2**63 - 1
VERTEX_BYTES = 24  # that building a graph takes for a vertex without edges
FIELDS = re.compile(r"[ \t]*[,;][ \t]*|[ \t]+")


def whole(word: str) -> int | None:
    """Return the number that a word of ASCII digits is; None for anything else, and from 2^62 on.

    >>> whole("007"), whole("-1"), whole("²"), whole("9" * 5000)
    (7, None, None, None)
    """
    digits = word.lstrip("0") or "0"
    if not (word.isascii() and word.isdigit()) or len(digits) > 19:
        return None
    return number if (number := int(digits)) < 2**62 else None


def line_kinds(*, comments: str = "", letter: str = "", only: str = "") -> bytes:
    """Return the table from a line's first character to its kind.

    ``letter``: data lines start with it. ``only``: any other first character is bad. The comment ``/`` means ``//``.
    """
    kinds = bytearray(256)
    if letter or only:
        kinds = bytearray([Line.bad] * 256)
        for c in only:
            kinds[ord(c)] = 0
    if letter:
        kinds[ord(letter)] = Line.letter
    for c in comments:
        kinds[ord(c)] = Line.slash if c == "/" else Line.comment
    kinds[ord("\n")] = kinds[ord("\r")] = Line.empty
    return bytes(kinds)


@dataclass
class Note:
    """What a ``steppe:`` comment says."""

    vertices: int | None = None
    first: int | None = None
    undirected: bool = False
    directed: bool = False
    unweighted: bool = False
    attributes: bool = False  # GraphML: all keys of edges but the weight are attributes
    dtype: str | None = None

    def read(self, comment: str) -> None:
        """Take in a comment line, if it is a note."""
        _, found, text = comment.partition("steppe:")
        for word in text.split() if found else ():
            key, _, value = word.partition("=")
            if key in ("vertices", "first") and (number := whole(value)) is not None:
                setattr(self, key, number)
            elif key in ("undirected", "directed", "unweighted", "attributes") and not value:
                setattr(self, key, True)
            elif key == "dtype" and value in ("int32", "int64", "float32", "float64"):
                self.dtype = value

    def __str__(self) -> str:
        words = [f"{k}={v}" for k, v in vars(self).items() if v is not None and not isinstance(v, bool)]
        words += [k for k, v in vars(self).items() if v is True]
        return "steppe: " + " ".join(words) if words else ""

    def kind(self, weights: WeightKind) -> WeightKind:
        """Return the kind of weights to parse, where the format alone says ``weights``."""
        if self.dtype is None or weights not in (WeightKind.number, WeightKind.real):
            return weights
        if self.dtype in ("float32", "float64"):
            return WeightKind.real32 if self.dtype == "float32" else WeightKind.real
        return WeightKind.integer if weights == WeightKind.number else weights

    def stored(self, w: Array | None, complain: Callable[[str, int], FormatError]) -> Array | None:
        """Return weights in the type the note names; raise ``complain(what, entry)`` where one does not fit."""
        if w is None:
            return None
        if self.unweighted:
            if len(w) and bool((w != 1).any()):
                raise complain("a note says that the graph has no weights, but one is not 1", int(np.argmax(w != 1)))
            return None
        if self.dtype is None or w.dtype == self.dtype:
            return w
        with np.errstate(all="ignore"):
            stored = w.astype(self.dtype)
            changed = (stored != w) | (stored.astype(w.dtype) != w)
        if changed.any():
            raise complain(f"a note says that weights are {self.dtype}, but this one is not", int(np.argmax(changed)))
        return stored


def weights_note(graph: Graph) -> Note:
    """Return a note with the weight type, where reading would not find it by itself."""
    if graph.weights is None:
        return Note()
    kind = str(graph.weights.dtype)
    return Note(dtype=kind if kind in ("int64", "float32") or not graph.num_edges else None)


def parse_edges(
    source: Source,
    begin: int,
    line: int,
    kinds: bytes,
    *,
    weights: WeightKind,
    low: int = 0,
    high: int = ANY_ID,
    columns: str = "",
    part: str = " ",
) -> tuple[Array, Array, Array | None]:
    """Parse all lines from offset ``begin``, which is in line ``line``; ``columns`` says what they hold if not source, target, weight."""
    team = threads.resolve(None)
    fault, u, v, w = _core.text_edges(source.array[begin:], kinds, weights, low, high, columns, part, team)
    _raise(source, begin, line, fault, (low, high))
    return u, v, w


def parse_rows(source: Source, begin: int, line: int, kinds: bytes) -> tuple[Array, Array]:
    """Parse lines of whole numbers; return all numbers, and how many each line has."""
    fault, numbers, lengths = _core.text_rows(source.array[begin:], kinds, threads.resolve(None))
    _raise(source, begin, line, fault, (0, ANY_ID))
    return numbers, lengths


def _raise(
    source: Source, begin: int, line: int, fault: tuple[str, bool, int, int] | None, bounds: tuple[int, int]
) -> None:
    if fault is None:
        return
    what, is_range, offset, line_from_0 = fault
    at = begin + offset
    rest = source.data[at : at + 80].split(b"\n")[0].decode("utf-8", "replace")
    token = (re.split(r"[\s,;]", rest, maxsplit=1) if rest.strip() else ["the end of the line"])[0]
    if not token:
        token = rest.strip()[:30]
    if is_range and not what.endswith("negative"):
        what = f"expected a vertex id of {bounds[0]}…{bounds[1]}"
    raise source.error(f"{what}, found {token if token.startswith('the end') else repr(token)}", line + line_from_0)


def line_of(source: Source, begin: int, line: int, comments: str, entry: int) -> int:
    """Return the number of the line that holds entry ``entry``, counted from 0, from offset ``begin`` in ``line``."""
    for offset, number, text in source.lines():
        if offset >= begin and text and text[0] not in comments:
            if entry == 0:
                return number
            entry -= 1
    return line


def relabelled(u: Array, v: Array, others: Array | None = None) -> tuple[int, Labels | None]:
    """Renumber ids in place as 0…n-1 in their order; return n and the labels, None where they are 0…n-1."""
    team = threads.resolve(None)
    others = np.empty(0, dtype=np.int64) if others is None else others
    low, high, _, _, _ = _core.edge_facts(u, v, ANY_ID, team)
    if len(others):
        low, high = min(low, int(others.min())), max(high, int(others.max()))
    first, count, labels = _core.relabel(u, v, others, low, max(low, high), team)
    if labels is not None:
        return count, Labels(labels)
    return count, None if first == 0 else Labels(range(first, first + count))


def numbered(first: int, n: int) -> Labels | None:
    """Return the labels of vertices numbered from ``first``, both below 2^62."""
    return None if first == 0 else Labels(range(first, first + n))


def shift(u: Array, v: Array, first: int) -> None:
    """Make ids that count from ``first`` count from 0, in place."""
    if first and len(u):  # where there is no edge, `first` may be beyond the ids' type
        np.subtract(u, first, out=u)
        np.subtract(v, first, out=v)


def build(
    u: Array,
    v: Array,
    w: Array | None,
    n: int,
    labels: Labels | None,
    *,
    directed: bool,
    note: Note | None = None,
    complain: Callable[[str, int], FormatError] | None = None,
) -> Graph:
    """Build the graph; an undirected note says that both directions of every edge are listed, which is checked."""
    if note is not None and note.undirected and not directed:
        if complain is not None:
            check_both_ways(u, v, w, complain)
        graph = graph_of_edges(Graph, u, v, w, n, True, labels)
        return redirected(graph, False, both=True)
    return graph_of_edges(Graph, u, v, w, n, directed, labels)


def check_both_ways(u: Array, v: Array, w: Array | None, complain: Callable[[str, int], FormatError]) -> None:
    """Raise ``complain(what, entry)`` where an edge of an undirected graph has no opposite of the same weight."""
    if u.dtype != v.dtype:
        u, v = u.astype(np.int64), v.astype(np.int64)
    weights = None if w is None else np.ascontiguousarray(w)
    if _core.both_ways(
        np.ascontiguousarray(u), np.ascontiguousarray(v), weights, secrets.randbits(63), threads.resolve(None)
    ):
        return
    # Which one? Every distinct arc gets a number, and is counted among the arcs and among their opposites.
    columns = [np.concatenate([u, v]), np.concatenate([v, u])] + ([] if w is None else [np.tile(w, 2)])
    arcs = np.zeros(2 * len(u), dtype=np.int64)
    for column in columns:  # fewer than 2^31 different numbers each, so that two of them make one
        value = np.unique(column, return_inverse=True)[1].reshape(-1)
        arcs = np.unique(arcs * (int(value.max()) + 1) + value, return_inverse=True)[1].reshape(-1)
    size = int(arcs.max()) + 1
    here, back = np.bincount(arcs[: len(u)], minlength=size), np.bincount(arcs[len(u) :], minlength=size)
    lonely = (here > back)[arcs[: len(u)]]
    raise complain("the graph is undirected, but this edge has no opposite of the same weight", int(np.argmax(lonely)))


def redirected(graph: Graph, directed: bool | None, *, both: bool = False) -> Graph:
    """Return the graph as ``directed`` says. Made undirected, it gets all opposites, unless ``both`` are there."""
    if directed is None or directed == graph.directed:
        return graph
    if not directed and not both:
        made = with_opposites(graph)
    else:
        rows = (graph.indptr, graph.indices, graph.weights)
        made = Graph._make(*rows, labels=graph._labels, directed=directed, facts=graph._facts)
    return made if graph._coordinates is None else replace_coordinates(made, graph._coordinates)


def integer_labels(graph: Graph, kind: str) -> tuple[int, Array | None]:
    """Return the number of vertex 0, or every vertex's number; refuse labels that are no numbers."""
    if graph._labels is None:
        return 0, None
    values = graph._labels.values
    if isinstance(values, range):
        if values.start >= 0:
            return values.start, None
    elif values.dtype.kind in "iu" and (not len(values) or (values.min() >= 0 and values.max() <= ANY_ID)):
        return 0, np.ascontiguousarray(values, dtype=np.int64)
    raise GraphError(f"{kind} files number their vertices and cannot keep these labels; write a .steppe file")


def first_number(graph: Graph, kind: str) -> int:
    """Return the number of vertex 0 for formats whose vertices are numbered without gaps."""
    first, labels = integer_labels(graph, kind)
    if labels is not None:
        raise GraphError(
            f"{kind} files number their vertices without gaps and cannot keep these labels; write .steppe, .npz or .e, "
            "or drop the labels: Graph.from_csr(g.indptr, g.indices, g.weights)"
        )
    return first


def isolated(graph: Graph) -> Array:
    """Return the vertices without edges."""
    touched = graph.degrees > 0
    touched[graph.indices] = True
    return np.flatnonzero(~touched)


def write_edges(
    graph: Graph,
    file: IO[bytes],
    *,
    prefix: str = "",
    separator: str = " ",
    rows: bool = False,
    lower: bool = False,
    first: int = 0,
    labels: Array | None = None,
    weights: Array | None = None,
) -> None:
    """Print edges, a few million at a time."""
    core = _core.Rows(graph.indptr, graph.indices, weights, graph.is_mapped)
    style = _core.LineStyle(prefix, separator, rows, lower, first, labels)
    step, begin = 1 << 22, 0
    while begin < graph.num_vertices:
        end = int(np.searchsorted(graph.indptr, graph.indptr[begin] + step, side="right")) - 1
        end = min(max(end, begin + 1), begin + step, graph.num_vertices)
        parts = _core.print_edges(core, begin, end, style, threads.resolve(None))
        for part in parts:
            file.write(part)
        begin = end

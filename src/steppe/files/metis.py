"""METIS .graph: a line of counts, then for every vertex a line of its neighbours, from 1.

The counts are ``VERTICES EDGES [FMT [NCON]]``; FMT has up to three digits that say whether there are vertex sizes,
vertex weights and edge weights. Sizes and weights of vertices are read over. Every edge stands in both lists, so EDGES
is half the number of neighbours, and the lists must agree: that is checked. Files whose neighbours number just EDGES
are written by some programs (GAP's tools) for directed graphs and read as such; the same programs write FMT 100 without
vertex sizes, which is read too.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import numpy as np

from ..errors import GraphError
from ..graph.build import graph_of_edges
from ..graph.graph import Graph
from . import text
from .format import Format
from .text import Array, Note

if TYPE_CHECKING:
    from ..errors import FormatError
    from .format import ReadOptions
    from .source import Source


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a ``.graph`` file."""
    directed = options.directed
    note = Note()
    for offset, line, content in source.lines():  # noqa: B007 - used below
        if content.startswith("%"):
            note.read(content)
        elif content:
            words = content.split()
            break
    else:
        raise source.error("expected a line 'VERTICES EDGES [FMT [NCON]]', found the end of the file")
    if not 2 <= len(words) <= 4 or not all(word.isascii() and word.isdigit() for word in words):
        raise source.error(f"expected 'VERTICES EDGES [FMT [NCON]]', found {content[:80]!r}", line)
    n, m, ncon = (text.whole(words[at]) if at < len(words) else 0 for at in (0, 1, 3))
    if n is None or m is None or ncon is None:
        raise source.error("the counts are beyond 2^62", line)
    fmt = words[2].rjust(3, "0") if len(words) > 2 else "000"
    if len(fmt) != 3 or set(fmt) - set("01"):
        raise source.error(f"expected a FMT of up to three digits 0 or 1, found {words[2][:80]!r}", line)
    ncon = ncon if len(words) > 3 else int(fmt[1])
    if ncon and fmt[1] == "0":
        raise source.error(f"NCON is {ncon}, but FMT {words[2]} has no vertex weights", line)
    end = source.data.find(b"\n", offset)
    begin = len(source.data) if end < 0 else end + 1
    numbers, lengths = text.parse_rows(source, begin, line + 1, text.line_kinds(comments="%"))
    if len(lengths) > n and lengths[n:].any():
        raise source.error(f"expected {n} lines of neighbours, found more", _row_line(source, begin, n))
    lengths = lengths[:n]
    missing = n - len(lengths)
    source.allow(missing, 2 * text.VERTEX_BYTES, "vertices without a line", line)
    lengths = np.concatenate([lengths, np.zeros(missing, dtype=np.int64)])
    extra = int(fmt[0]) + ncon
    if fmt == "100" and len(numbers) in (m, 2 * m) and len(numbers) != 2 * m + n:
        extra = 0  # no vertex sizes, whatever FMT says
    u, v, w = _edges(source, (numbers, lengths, missing), extra, fmt[2] == "1", begin)
    if len(u) not in ((m, 2 * m) if not missing else (2 * m,)):
        raise source.error(
            f"the first line promises {m} edges: {2 * m} neighbours (or {m}, one way); the file has {len(u)}", line
        )
    bad = (v < 1) | (v > n)
    if bad.any():
        k = int(np.argmax(bad))
        raise source.error(f"expected a neighbour of 1…{n}, found {v[k]}", _row_line(source, begin, int(u[k])))

    def complain(what: str, entry: int) -> FormatError:
        return source.error(what, _row_line(source, begin, int(u[entry])))

    def disagree(_: str, entry: int) -> FormatError:
        what = f"the list of vertex {u[entry] + 1} disagrees with its neighbours' lists: an edge must be in both, alike"
        return complain(what, entry)

    both = len(u) == 2 * m and not note.directed
    first = 1 if note.first is None else note.first
    v, w = v - 1, note.stored(_narrow(w), complain)
    if both and directed is not True:
        text.check_both_ways(u, v, w, disagree)
    graph = graph_of_edges(Graph, u, v, w, n, True, text.numbered(first, n))
    return (
        text.redirected(graph, False, both=True) if both and directed is not True else text.redirected(graph, directed)
    )


def _edges(
    source: Source, rows: tuple[Array, Array, int], extra: int, weighted: bool, begin: int
) -> tuple[Array, Array, Array | None]:
    numbers, lengths, missing = rows
    short = lengths < extra
    uneven = ((lengths - extra) & 1 == 1) & weighted
    wrong = short | uneven
    if wrong.any():
        row = int(np.argmax(wrong))
        if row >= len(lengths) - missing:
            raise source.error(f"expected {len(lengths)} lines of neighbours, found {len(lengths) - missing}")
        what = f"{extra} sizes and weights of the vertex" if short[row] else "neighbours, each with a weight"
        raise source.error(f"expected {what}, found {lengths[row]} numbers", _row_line(source, begin, row))
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    if extra and len(lengths):
        keep = np.ones(len(numbers), dtype=bool)
        for k in range(extra):
            keep[starts + k] = False
        numbers, lengths = numbers[keep], lengths - extra
    u = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths // (1 + weighted))
    return (u, numbers[::2], numbers[1::2]) if weighted else (u, numbers, None)


def _narrow(w: Array | None) -> Array | None:
    fits = w is not None and (not len(w) or w.max() < 2**31)
    return np.ascontiguousarray(w, dtype=np.int32 if fits else np.int64) if w is not None else None


def _row_line(source: Source, begin: int, row: int) -> int:
    """Return the number of the line of vertex ``row``: comments do not count, empty lines do."""
    last = 1
    for offset, number, content in source.lines():
        last = number
        if offset >= begin and not content.startswith("%"):
            if row == 0:
                return number
            row -= 1
    return last


def write(graph: Graph, file: IO[bytes], suffix: str) -> None:
    """Write a ``.graph`` file."""
    first = text.first_number(graph, suffix)
    if graph.weights is not None and (graph.weights.dtype.kind == "f" or graph.has_negative):
        raise GraphError("METIS edge weights are whole numbers, not negative")
    sources = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), graph.degrees)
    if bool((sources == graph.indices).any()):
        raise GraphError("METIS graphs have no loops")
    if graph.directed and not graph.is_symmetric:
        raise GraphError("METIS graphs are undirected, and this graph is not symmetric")
    note = text.weights_note(graph)
    note.first, note.directed = None if first == 1 else first, graph.directed
    if str(note):
        file.write(f"% {note}\n".encode())
    fmt = " 1" if graph.weights is not None else ""
    file.write(f"{graph.num_vertices} {graph.num_edges // 2}{fmt}\n".encode())
    text.write_edges(graph, file, rows=True, first=1, weights=graph.weights)


FORMAT = Format("METIS", (".graph",), read, write, aliases={".metis": ".graph"})

"""LDBC Graphalytics: an edge list ``x.e`` and beside it ``x.v``, which lists the vertices, isolated ones too.

A file ``x.properties`` may lie there as well, and say that the graph is undirected.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import numpy as np

from . import edge_list, text
from .edge_list import COMMENTS, Edges
from .format import Format
from .target import unfinished

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..graph.labels import Labels
    from .format import ReadOptions
    from .source import Source
    from .text import Array


def read(source: Source, options: ReadOptions) -> Graph:
    """Read an edge list, and the vertex file beside it if there is one."""
    edges = Edges(edge_list.read_head(source, options), options.suffix)
    if source.path is not None and unfinished(source.path).exists():
        raise source.error(
            "this file and its vertices (.v) were being replaced when the program died: write them again"
        )
    vertices = source.beside(".v")
    if vertices is None:
        return edges.build(*edges.numbered(), directed=options.directed)
    count, labels = _with_vertices(edges, _read_vertices(vertices))
    directed = options.directed
    if directed is None and not edges.note.undirected:
        directed = _is_directed(source)
    return edges.build(count, labels, directed=directed)


def _read_vertices(source: Source) -> Array:
    numbers, lengths = text.parse_rows(source, source.start, 1, text.line_kinds(comments=COMMENTS))
    if len(lengths) and lengths.max() > 1:
        bad = int(np.argmax(lengths > 1))
        line = text.line_of(source, source.start, 1, COMMENTS, int((lengths[:bad] > 0).sum()))
        raise source.error("expected one vertex id a line", line)
    nothing = np.empty(0, dtype=np.int64)
    if text.relabelled(nothing, nothing, numbers)[0] != len(numbers):
        again = np.ones(len(numbers), dtype=bool)
        again[np.unique(numbers, return_index=True)[1]] = False
        entry = int(np.argmax(again))
        line = text.line_of(source, source.start, 1, COMMENTS, entry)
        raise source.error(f"the vertex {numbers[entry]} is listed twice", line)
    return numbers


def _with_vertices(edges: Edges, vertices: Array) -> tuple[int, Labels | None]:
    """Make the ends of the edges numbers of the vertices that are listed."""
    n, labels = text.relabelled(edges.u, edges.v, vertices)
    if n != len(vertices):
        listed = np.zeros(n, dtype=bool)
        listed[vertices if labels is None else labels.indices(vertices)] = True
        unlisted = int(np.argmin(listed[edges.u] & listed[edges.v]))
        raise edges.complain("an edge's vertex is not in the vertex file (.v)", unlisted)
    return n, labels


def _is_directed(source: Source) -> bool:
    """Return what the benchmark's properties file says, if it lies beside."""
    properties = source.beside(".properties")
    for _, _, content in properties.lines() if properties is not None else ():
        key, _, value = content.partition("=")
        if key.strip().endswith(".directed"):
            return value.strip().lower() != "false"
    return True


def write(graph: Graph, file: IO[bytes], suffix: str, vertices: IO[bytes]) -> None:
    """Write the edges, both directions of an undirected one, and the vertices to a file of their own."""
    edge_list.write(graph, file, suffix, listed=True)
    labels = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    vertices.write(b"".join(b"%d\n" % label for label in labels.tolist()) or b"# no vertices\n")


FORMAT = Format("LDBC Graphalytics", (".e",), read, write, beside=(".v", ".properties"))

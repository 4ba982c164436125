"""Adjacency lists: lines of ``vertex neighbour neighbour …`` with any ids (LDBC, NetworkX adjlist)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..graph.build import graph_of_edges
from ..graph.graph import Graph
from . import text
from .format import Format

if TYPE_CHECKING:
    from .format import ReadOptions
    from .source import Source


def read(source: Source, options: ReadOptions) -> Graph:
    """Read an ``.adj`` file."""
    numbers, lengths = text.parse_rows(source, source.start, 1, text.line_kinds(comments="#%/"))
    lengths = lengths[lengths > 0]
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    keep = np.ones(len(numbers), dtype=bool)
    keep[starts] = False
    vertices = numbers[starts]
    u, v = np.repeat(vertices, lengths - 1), numbers[keep]
    n, labels = text.relabelled(u, v, vertices)
    return graph_of_edges(Graph, u, v, None, n, options.directed is not False, labels)


FORMAT = Format("adjacency lists", (".adj",), read, aliases=dict.fromkeys((".adjlist", ".adjacency"), ".adj"))

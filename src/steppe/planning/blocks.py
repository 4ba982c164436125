"""Blocks: which graphs in memory are searched block by block, as if they lay in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .facts import Facts

BLOCKS_FROM, BLOCKS_DEGREE = 5_000_000, 10
"""Vertices, and edges of each, from which a graph is searched in blocks, as if it lay in a file: random reads then stay
within a block. Intel Xeon, November 2026: random graphs of 8 M vertices and 88 M edges 3.06 -> 1.91 s, 20 M and 218 M: 9.0 -> 4.9
(bins then made them 1.5 times as quick on one thread and twice on two); but a grid of 9 M 0.59 -> 0.84."""


def far_beyond_caches(facts: Facts) -> bool:
    """Whether blocks are the quicker way to search.

    Packing the rows makes them 1.4 to 2 times as quick, but takes as long as several searches and as much memory as the graph again or twice
    that: it is left to :meth:`steppe.Graph.prepare`.
    """
    return facts.vertices >= BLOCKS_FROM and facts.degree >= BLOCKS_DEGREE

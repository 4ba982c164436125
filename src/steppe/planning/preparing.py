"""Preparing: whether a graph's rows should be laid out for many searches now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import bytes as _bytes

if TYPE_CHECKING:
    from .facts import Facts, Machine
    from .plan import Request

CACHED = 500_000
"""Edges below which a graph stays in the caches while it is searched."""

BLOCKS_FROM, BLOCKS_DEGREE = 5_000_000, 10
"""Vertices, and edges of each, from which a graph is searched in blocks, as if it lay in a file: random reads then stay
within a block. Intel Xeon, November 2026: random graphs of 8 M vertices and 88 M edges 3.06 -> 1.91 s, 20 M and 218 M: 9.0 -> 4.9
(bins then made them 1.5 times as quick on one thread and twice on two); but a grid of 9 M 0.59 -> 0.84."""


def far_beyond_caches(facts: Facts) -> bool:
    """Whether blocks are the quicker way to search.

    Preparing makes them 1.4 to 2 times as quick, but takes as long as several searches and as much memory as the graph again or twice that:
    it is left to :meth:`steppe.Graph.prepare`.
    """
    return facts.vertices >= BLOCKS_FROM and facts.degree >= BLOCKS_DEGREE


def pays(facts: Facts, request: Request, machine: Machine) -> bool:
    """Whether the graph should be prepared now."""
    if facts.prepared or not facts.can_prepare or not machine.may_prepare or far_beyond_caches(facts):
        return False
    if machine.memory is not None and 2 * _bytes.total(_bytes.preparation(facts)) > machine.memory:
        return False
    coming = request.rows if request.columns else 0
    return facts.spent + coming * facts.edges >= preparation_cost(facts) * facts.edges


def preparation_cost(facts: Facts) -> float:
    """Return what preparing costs, in searches that read every edge once.

    Measured by ``benchmarks/prepare.py`` on one thread, 2 M edges and more: records of four (grid, New York) 0.2 to 0.4. Sorted rows,
    undirected: int32 kron 0.8 to 1.3, urand 0.5, small-world 0.8; float32 kron 2.7; 64 bits 2.6 to 2.9, 1.0, 0.9. Directed, where in-edges are
    built, too: er 1.5 to 3.9, web 1.6 to 2.0; 64 bits 1.9 to 3.4, 1.9 to 2.9.
    In the caches a plain search is so quick that it is 1.4 to 2.2; floats 1.6 to 4.8; directed 3.1 to 4.9; 64 bits 4.9 to 7.4.
    The sum of k searches is then at most twice that of the better of never preparing and preparing at once, whatever k.
    """
    if facts.roadlike:
        return 0.5
    builds = facts.directed and not facts.reverse_known
    long = facts.weight == 8 or not facts.is_integer  # to sort: many weights, or wide ones
    if facts.edges < CACHED:
        if builds:
            return 6.0 if long else 4.5
        return 3.5 if long else 2.2
    if builds:
        return 2.8 if long else 2.0
    return 2.4 if long else 1.0

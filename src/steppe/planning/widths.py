"""Widths: how wide the buckets of a search are on the CPU."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .facts import Facts
    from .plan import Plan

TINY = 8_000
"""Edges below which a heap beats buckets, whose set-up costs as much as the whole search."""

EXACT_BUCKETS = 4096
"""Integer weights up to which Dijkstra's order comes from buckets of width 1, without a heap (from TINY edges on)."""

SPARSE = 8
"""Edges a vertex that are few."""


def width_of(plan: Plan, facts: Facts, wanted: float | None, *, many: bool) -> float | None:
    """Return the width of buckets on the CPU.

    A narrow bucket wastes no relaxations, a wide one gives a scan something to look ahead in. On one core work counts more where lists are
    long: a sixteenth of the distance that separates neighbours in a sorted list. On short lists half a weight. (New York's roads: 256 3.9
    ms, 512 3.6, 1024 3.5, 4096 3.7; a grid: 64 47.7, 128 48.5, 512 55; RMAT: 1 is best.) The more threads, the wider. (Two threads, RMAT of
    scale 20 with float weights: a half 85 ms, a sixteenth 60.) Blocks want wide ones, because each bucket is a sweep over the edges.
    """
    typical, degree, largest = facts.typical_weight, facts.degree, float(facts.max_weight)
    if plan.method == "dijkstra":
        exact = facts.edges >= TINY and facts.is_integer and facts.max_weight <= EXACT_BUCKETS
        return 1.0 if exact and not many else None
    if plan.method != "delta-stepping":
        return None
    least = largest * facts.vertices * 2.0**-62  # a path over all vertices still has a bucket that fits in 62 bits
    if wanted is not None:
        return wanted if plan.engine == "external" else max(float(wanted), least)
    if plan.engine == "external":
        return typical * (16 if degree < 4.5 else 0.5)
    if plan.threads > 1 and not many:
        width = typical / 2 if degree < SPARSE else typical / degree * min(0.5, plan.threads / 32)
    else:
        width = typical / 2 if degree < SPARSE else typical / degree / 16
    return max(width, least, sys.float_info.min)

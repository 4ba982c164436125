"""Widths: how wide the buckets of a search are."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .facts import Facts
    from .plan import Plan

TINY = 8_000
"""Edges below which a heap beats buckets, whose set-up costs as much as the whole search."""

EXACT_BUCKETS = 4096
"""Integer weights up to which Dijkstra's order comes from buckets of width 1, without a heap (from TINY edges on)."""

SPARSE = _core.SPARSE
"""Edges a vertex below which rows are short, as the core has it."""

SUPERSTEP_WIDTHS = 64, 0.5
"""Typical weights that a superstep goes beyond the least distance that waits anywhere, where vertices have few edges, and where they have many.

Within a part narrow buckets keep the order, so a wide superstep costs few relaxations and saves messages. (Counts, the same on any machine. Grid of
500², two parts: 4 weights 173 supersteps and 1.05 relaxations an edge, 16 56 and 1.06, 64 18 and 1.07, 256 6 and 1.08; RMAT of scale 20: a half 22
and 1.29, 4 10 and 1.30, in the same time; random, 12 edges a vertex, four parts: a tenth 86 and 1.01, a half 33 and 1.02, 1 26 and 1.10, 4 24 and
4.69.)"""


def between_parts(facts: Facts, wanted: float | None) -> float:
    """Return how far a superstep goes, in a graph of parts."""
    if wanted is not None:
        return wanted
    return max(facts.typical_weight, sys.float_info.min) * SUPERSTEP_WIDTHS[facts.degree >= SPARSE]


def bucket_width(facts: Facts, *, threads: int) -> float:
    """Return the width that suits a graph whose edges lie in memory (``cpp/search/width.hpp`` says why)."""
    return _core.bucket_width(facts.typical_weight, float(facts.max_weight), facts.vertices, facts.edges, threads)


def within_part(facts: Facts, *, hops: bool) -> float:
    """Return the width of buckets within a part, where one thread searches."""
    if hops:
        return 1.0
    return bucket_width(facts, threads=1)


DEVICE_WIDTH = 8.0
"""The width of buckets on a device, in typical weight / degree, the mean step between a vertex's edges sorted by weight.

A narrow bucket relaxes few edges twice; a wide one needs fewer steps, each of which costs two launches. Edges relaxed / m (and rounds), counts that
do not depend on the machine:

    width        1             8             16            32            no buckets
    RMAT 17      1.00 (223)    1.11 (46)     1.27 (28)     1.60 (19)     2.3 (10)
    random 17    1.00 (246)    1.01 (68)     1.06 (47)     1.35 (36)     4.8 (26)
    grid 500²    1.00 (10812)  1.04 (2908)   1.18 (1905)   1.37 (1561)   24.6 (1059)
"""


def on_device(facts: Facts, wanted: float | None, measured: float | None = None) -> float:
    """Return the width of buckets on a device: a power of two near `wanted`, or near what suits the graph (and the device, if it was measured)."""
    if (
        wanted is None and facts.min_weight == facts.max_weight
    ):  # no edge is ever relaxed twice in rounds of equal steps
        wanted = 2.0**30
    if wanted is None:
        wanted = (DEVICE_WIDTH if measured is None else measured) * facts.typical_weight / max(1.0, facts.degree)
    if not wanted > 0:
        return 1.0
    low, high = (0, 62) if facts.is_integer else (-126, 126) if facts.weight == 4 else (-1022, 1022)
    return math.ldexp(1.0, min(max(math.frexp(wanted)[1] - 1, low), high))


def width_of(plan: Plan, facts: Facts, wanted: float | None, *, many: bool) -> float | None:
    """Return the width of buckets on the CPU.

    Blocks (the engine "external") want wide buckets, because each is a sweep over the edges.

    With bins (of a graph in memory) a sweep is cheaper. Hubs reach most of a graph at nearly the same distance, so that all of
    it would lie in one or two buckets: the width shrinks with a power of the crowding. (RMAT of scale 24: 54 takes 14.7 s, 16 10.1, 8 6.1, 4
    4.8, 2 4.6, and the rule gives 2.2; scale 23: 2.9, and 4 and 2 are the best. Random and web graphs keep theirs.) Where in-edges are at hand a
    fourth of it, for integers perhaps less than 1, which is one distance a round: the sooner it is seen that a pull pays. (RMAT of scale 24,
    first search: with 1 34 % of the edges are pushed before, with less 4 %. A random graph of 218 M edges, prepared: 2.7 -> 2.5 s. Two cores of a
    Xeon, November 2026.)
    """
    typical, degree, largest = facts.typical_weight, facts.degree, float(facts.max_weight)
    if plan.method == "dijkstra":
        exact = facts.edges >= TINY and facts.is_integer and facts.max_weight <= EXACT_BUCKETS
        return 1.0 if exact and not many else None
    if plan.method != "delta-stepping":
        return None
    least = _core.least_width(largest, facts.vertices)
    if wanted is not None:
        return wanted if plan.engine == "external" else max(float(wanted), least)
    if plan.engine == "external":
        width = typical * (16 if degree < 4.5 else 0.5)
        if not plan.bins:
            return width
        return width / math.pow(facts.crowding, 0.6) / (4 if facts.has("packed") or facts.has("reverse") else 1)
    if plan.threads > 1 and not many:
        return bucket_width(facts, threads=plan.threads)
    return bucket_width(facts, threads=1)

"""Costs: the seconds that the methods of a matrix would take, as far as can be told from facts.

The figures behind them were measured by ``benchmarks/matrix.py``. They need not be right, only right enough that the better method wins
where it matters: a factor of two between two methods is never far from where they are equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from . import bytes as _bytes

if TYPE_CHECKING:
    from .facts import Facts, Machine
    from .plan import Request

EDGE, VERTEX = 1.3e-9, 20e-9
"""Seconds of a search for each edge and vertex, on one thread and prepared rows: a complete graph of 1,500, a random one of 20,000."""

PRODUCTS = {"avx512": 80e9, "avx2": 40e9, "none": 5e9}
"""Sums and minima a second of one thread, in 32 bits; in 64 bits half."""

EFFICIENCY = 0.7
"""What Floyd-Warshall reaches of that on 1,500 vertices."""


LINE, LINE_OUTSIDE = 1.3e-9, 3.5e-9
"""Seconds of lanes for each edge and round, on one thread: lines in the second cache (20,000 vertices), and outside it (262,144)."""

ROUNDS = 12
"""Rounds over all edges after which lanes are expected to be done: random graphs of 20,000 to 262,144 vertices take 10 to 13, small worlds 6 to 8."""

LANES_FROM, CACHED_LINES = 128, 1 << 15
"""Rows from which lanes are in question: they find out that paths have many edges by trying. And lines that stay in the second cache."""


CONTRACTED, SWEPT, ANCESTORS = 1e-6, 2.5e-9, 60
"""Seconds of contracting for each vertex, and of a row for each place of a sweep, written out; places above each of some hundred targets."""

SHARE, LOOK = 1 / 3, 2e-9
"""Of the time that searches would take, what a contraction may take before it is given up; seconds of a look at an arc."""


def contraction_limit(facts: Facts, rows: int, threads: int) -> int:
    """Return how many looks at an arc a contraction is worth for so many rows."""
    return int(rows * _search(facts.edges, facts.vertices) / max(1, threads) * SHARE / LOOK)


def lanes(facts: Facts) -> int:
    """Return how many sources share a look at an edge: those whose distances fill 64 bytes."""
    return 16 if facts.weight <= 4 else 8


def estimates(facts: Facts, request: Request, machine: Machine) -> dict[str, float]:
    """Return the seconds of each method that ``auto`` may take for a matrix, in order of preference where they are equal.

    >>> from steppe.planning.facts import Facts, Machine
    >>> from steppe.planning.call import Call
    >>> from steppe.planning.plan import Request
    >>> complete = Facts(vertices=1500, edges=1500**2)
    >>> costs = estimates(complete, Request(call=Call.ALL_PAIRS, rows=1500, columns=1500), Machine(threads=2))
    >>> min(costs, key=costs.get)
    'floyd-warshall'
    >>> rows = Request(call=Call.DISTANCES, rows=1000, columns=20_000)
    >>> costs = estimates(Facts(vertices=20_000, edges=100_000), rows, Machine(threads=2))
    >>> min(costs, key=costs.get)
    'batched'
    """
    threads = max(1, machine.threads)
    n, rows, limit = facts.vertices, request.rows, request.options.memory_limit
    costs = {"delta-stepping": rows * _search(facts.edges, n) / threads}
    if facts.has_negative or facts.all_ones or request.options.bounded or n == 0:
        return costs
    if _contracts(facts, request):
        making = 0.0 if facts.contracted else n * CONTRACTED
        worth = contraction_limit(facts, rows, threads) > 4 * facts.contraction_tried
        swept = min(n, request.columns * ANCESTORS) * SWEPT * (1 if facts.weight <= 4 else 2)
        fits = _bytes.fits(_bytes.contraction(facts, threads=threads), limit)
        if fits and (facts.contracted or (worth and making <= costs["delta-stepping"] * SHARE)):
            costs["contraction"] = making + rows * swept / threads
    shared = rows >= LANES_FROM and _bytes.fits(_bytes.lanes(facts, threads=threads), limit)
    if shared and not (facts.roadlike or facts.is_mapped or request.may_stop or machine.vectors == "none"):
        line = LINE if n <= CACHED_LINES else LINE_OUTSIDE
        costs["batched"] = rows * ROUNDS * facts.edges * line / lanes(facts) / threads
    rate = PRODUCTS[machine.vectors] / (1 if facts.weight <= 4 else 2) * EFFICIENCY
    closed = 2 * n**3 / rate / threads + 10e-9 * n * n / threads
    if facts.is_integer:
        costs["floyd-warshall"] = closed
    else:
        costs["essential-edges"] = closed + rows * _search(2 * n * math.log(n + 1), n) / threads
    return costs


def _contracts(facts: Facts, request: Request) -> bool:
    """Whether a contraction is in question: where floats would be added in another order, or vertices need 64 bits, there is none."""
    return facts.roadlike and facts.is_integer and facts.vertex == 4 and not (facts.is_mapped or request.may_stop)


def _search(edges: float, vertices: int) -> float:
    return edges * EDGE + vertices * VERTEX

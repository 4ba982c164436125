"""Costs: the seconds that the methods of a matrix would take, as far as can be told from facts.

The figures behind them were measured by ``benchmarks/matrix.py``. They need not be right, only right enough that the better method wins
where it matters: a factor of two between two methods is never far from where they are equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..prepared.account import offer, search_seconds
from ..prepared.contraction import CONTRACTION, row_seconds
from ..prepared.reverse import in_edges
from . import bytes as _bytes

if TYPE_CHECKING:
    from .facts import Facts, Machine
    from .request import Request

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


def coming(facts: Facts, request: Request, threads: int, *, packed: bool = True) -> float:
    """Return the seconds that searches for all rows of a matrix would take; 0 where that is not what is asked for."""
    if not request.columns:
        return 0.0
    return request.rows * search_seconds(facts.edges, facts.vertices, packed=packed) / threads


def lanes(facts: Facts) -> int:
    """Return how many sources share a look at an edge: those whose distances fill 64 bytes."""
    return 16 if facts.weight <= 4 else 8


def estimates(facts: Facts, request: Request, machine: Machine) -> dict[str, float]:
    """Return the seconds of each method that ``auto`` may take for a matrix, in order of preference where they are equal.

    >>> from steppe.planning.facts import Facts, Machine
    >>> from steppe.planning.call import Call
    >>> from steppe.planning.request import Request
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
    costs = {"delta-stepping": coming(facts, request, threads)}
    if facts.has_negative or facts.all_ones or request.options.bounded or n == 0:
        return costs
    if not (CONTRACTION.suits(facts) or request.may_stop):
        lines = _bytes.total(_bytes.contraction(facts, threads=threads))
        state, making = facts.state("contraction"), CONTRACTION.estimate(facts).seconds
        fits = limit is None or lines <= limit
        left = None if limit is None else limit - lines
        if state.status == "made" and fits:
            costs["contraction"] = rows * row_seconds(facts, request.columns) / threads
        elif fits and offer(CONTRACTION, facts, machine, costs["delta-stepping"], left):
            earned = max(0.0, making - state.spent)  # what was spent without it has paid for it
            costs["contraction"] = earned + rows * row_seconds(facts, request.columns) / threads
    shared = rows >= LANES_FROM and (
        limit is None or _bytes.total(_bytes.lanes(facts, threads=threads)) + in_edges(facts) <= limit
    )
    if shared and not (facts.roadlike or facts.is_mapped or request.may_stop or machine.vectors == "none"):
        line = LINE if n <= CACHED_LINES else LINE_OUTSIDE
        costs["batched"] = rows * ROUNDS * facts.edges * line / lanes(facts) / threads
    rate = PRODUCTS[machine.vectors] / (1 if facts.weight <= 4 else 2) * EFFICIENCY
    closed = 2 * n**3 / rate / threads + 10e-9 * n * n / threads
    if facts.is_integer:
        costs["floyd-warshall"] = closed
    else:
        costs["essential-edges"] = closed + rows * search_seconds(2 * n * math.log(n + 1), n) / threads
    return costs

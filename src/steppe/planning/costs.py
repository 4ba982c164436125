"""Costs: the seconds that the methods of a matrix would take, as far as can be told from facts.

The figures behind them were measured by ``benchmarks/matrix.py``. They need not be right, only right enough that the better method wins
where it matters: a factor of two between two methods is never far from where they are equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .facts import Facts, Machine
    from .plan import Wishes

EDGE, VERTEX = 1.3e-9, 20e-9
"""Seconds of a search for each edge and vertex, on one thread and prepared rows: a complete graph of 1,500, a random one of 20,000."""

PRODUCTS = {"avx512": 80e9, "avx2": 40e9, "none": 5e9}
"""Sums and minima a second of one thread, in 32 bits; in 64 bits half."""

EFFICIENCY = 0.7
"""What Floyd-Warshall reaches of that on 1,500 vertices."""


def estimates(facts: Facts, wishes: Wishes, machine: Machine) -> dict[str, float]:
    """Return the seconds of each method that ``auto`` may take for a matrix, in order of preference where they are equal.

    >>> from steppe.planning.facts import Facts, Machine
    >>> from steppe.planning.plan import Wishes
    >>> complete = Facts(vertices=1500, edges=1500**2)
    >>> costs = estimates(complete, Wishes(rows=1500, columns=1500), Machine(threads=2))
    >>> min(costs, key=costs.get)
    'floyd-warshall'
    """
    threads = max(1, machine.threads)
    n, rows = facts.vertices, wishes.rows
    costs = {"delta-stepping": rows * _search(facts.edges, n) / threads}
    if facts.has_negative or facts.all_ones or wishes.bounded or n == 0:
        return costs
    rate = PRODUCTS[machine.vectors] / (1 if facts.weight <= 4 else 2) * EFFICIENCY
    closed = 2 * n**3 / rate / threads + 10e-9 * n * n / threads
    if facts.is_integer:
        costs["floyd-warshall"] = closed
    else:
        costs["essential"] = closed + rows * _search(2 * n * math.log(n + 1), n) / threads
    return costs


def _search(edges: float, vertices: int) -> float:
    return edges * EDGE + vertices * VERTEX

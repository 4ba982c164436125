"""Account: when a preparation pays.

Nobody knows how many calls will come. The rule for that is the one for renting or buying skis: make it when what was spent without it reaches
what it costs. All calls together then take at most twice as long as the better of making it at once and never, however many come.

The unit is seconds as estimated from work (edges read, vertices settled), not as measured: what is made then does not depend on what else the
machine is doing. The rows of a matrix are known to come, and count as spent at once; where the estimate may be far too low, a third of them
does, and the maker gives up there.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..graph.graph import Graph
    from ..planning.facts import Facts, Machine
    from ..planning.plan import Plan
    from .preparation import Estimate, Preparation

EDGE, VERTEX = 1.3e-9, 20e-9
"""Seconds of a search for each edge and vertex, on one thread and prepared rows: a complete graph of 1,500, a random one of 20,000."""

PLAIN = 2.5
"""How many times as long a search takes on rows that are not packed: 1.8 (random, 900,000 edges) to 4 (R-MAT of scale 16);
2.0 and 2.1 on roads and a grid (an EPYC, 2 cores, one thread, November 2026)."""

SHARE = 1 / 3
"""Of the time that coming rows would take, what making something for them may take before it is given up."""

AGAIN = 4
"""What was refused at a limit is tried again when there is so many times as much."""

KEEPS = {"yes": True, "1": True, "true": True, "": True, "0": False, "no": False, "false": False}


def search_seconds(edges: float, vertices: float, *, packed: bool = True) -> float:
    """Return the estimated seconds of a search that reads so many edges and settles so many vertices."""
    return (edges * EDGE + vertices * VERTEX) * (1 if packed else PLAIN)


def offer(
    preparation: Preparation, facts: Facts, machine: Machine, coming: float = 0.0, memory_limit: int | None = None
) -> Estimate | None:
    """Return what a preparation would cost if it is worth that now, with the limit for its maker; else None.

    ``coming``: estimated seconds of the rows that this call would search for without it.
    """
    state = facts.state(preparation.name)
    if state.status == "unsuited" or not machine.may_prepare or preparation.suits(facts):
        return None
    estimate = preparation.estimate(facts)
    budget = state.spent + coming * (SHARE if preparation.limited else 1)
    if budget < max(estimate.seconds, AGAIN * state.limit):
        return None
    needed = estimate.bytes + estimate.beside
    if machine.memory is not None and 2 * needed > machine.memory:
        return None
    if memory_limit is not None and needed > memory_limit:
        return None
    return replace(estimate, limit=budget) if preparation.limited else estimate


def due(preparation: Preparation, facts: Facts) -> float:
    """Return the estimated seconds that are still to be spent without a preparation before it is made."""
    state = facts.state(preparation.name)
    return max(0.0, preparation.estimate(facts).seconds - state.spent, AGAIN * state.limit - state.spent)


def spend(graph: Graph, names: Iterable[str], seconds: float) -> None:
    """Count what a call took, in estimated seconds, for the preparations that it went without; two threads at once may lose a count."""
    for name in names:
        graph.prepared.slot(name).spent += seconds


def spend_rows(graph: Graph, plan: Plan, rows: int) -> None:
    """Count the rows of a matrix that are about to be found, for the preparations that its plan goes without."""
    seconds = search_seconds(graph.num_edges, graph.num_vertices, packed="packed" in plan.uses)
    spend(graph, plan.missing, rows * seconds / plan.threads)


def may_prepare() -> bool:
    """Whether ``STEPPE_PREPARE`` leaves it to searches to have something made."""
    text = os.environ.get("STEPPE_PREPARE", "").lower()
    if text not in KEEPS:
        raise ValueError(f"STEPPE_PREPARE must be 0 or 1, not {text!r}")
    return KEEPS[text]

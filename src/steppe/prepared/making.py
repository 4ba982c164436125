"""Making: preparations are made here and dropped here, whoever asks.

Only one thread makes a preparation of a graph. Others go on without it, unless they need it: then they wait. A maker that ends by an error, for want
of memory or by Ctrl-C leaves the preparation absent and the graph as it was.
"""

from __future__ import annotations

import logging
import math
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import NegativeWeightError
from ..machine import threads as _threads
from .account import AGAIN
from .preparation import Unsuited
from .registry import PREPARATIONS, preparation

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.plan import Plan
    from .preparation import Made

log = logging.getLogger("steppe")


def make(
    graph: Graph, name: str, *, limit: float = math.inf, threads: int | None = None, wait: bool = True
) -> Made | None:
    """Return a preparation of a graph; it is made, and what it requires before it, unless it is there.

    None: the maker gave up at the limit, or has given up at nearly as much before, the graph does not suit, or another thread is making it
    and ``wait`` is False.
    """
    slot = graph.prepared.slot(name)
    if slot.made is not None:
        return slot.made
    if not slot.lock.acquire(blocking=wait):
        return None
    try:
        if slot.made is None and not slot.reason and limit >= AGAIN * slot.limit:
            slot.maker, slot.spent = os.getpid(), 0.0  # if it comes to nothing, it has to be earned again
            try:
                slot.made = _made(graph, name, limit, _threads.resolve(threads))
                slot.limit = 0.0 if slot.made else limit
            except Unsuited as why:
                slot.reason = str(why)
            finally:
                slot.maker = 0
        return slot.made
    finally:
        slot.lock.release()


def _made(graph: Graph, name: str, limit: float, threads: int) -> Made | None:
    known = preparation(name)
    for other in known.requires:
        if make(graph, other, limit=limit, threads=threads) is None:
            return None
    begun = time.perf_counter()
    made = known.make(graph, limit, threads)
    return None if made is None else replace(made, seconds=time.perf_counter() - begun)


def forget(graph: Graph, name: str | None = None) -> None:
    """Drop a preparation and all that requires it; None: all."""
    gone = {preparation(name).name} if name else {known.name for known in PREPARATIONS}
    for known in PREPARATIONS:  # each behind what it requires
        if gone.intersection(known.requires):
            gone.add(known.name)
    for known in reversed(PREPARATIONS):
        if known.name in gone:
            slot = graph.prepared.slot(known.name)
            slot.made, slot.reason, slot.limit, slot.spent = None, "", 0.0, 0.0
            known.drop(graph)


def make_named(graph: Graph, names: tuple[str, ...], *, routes: bool, threads: int | None) -> None:
    """Do what :meth:`Graph.prepare` says."""
    if routes and graph.has_negative:
        raise NegativeWeightError('routes need non-negative weights; use sssp(graph, source, method="bellman-ford")')
    for name in (*(names or ("packed",)), *(("landmarks",) if routes else ())):
        make(graph, name, threads=threads)


def ready(graph: Graph, plan: Plan, threads: int | None = None) -> Plan:
    """Make what the plan says is made first; return the plan as it will be carried out: without what came to nothing, with a note of that."""
    notes, making, missing = [], {}, dict(plan.missing)
    for name, estimate in plan.making.items():
        needed = preparation(name).methods.get(plan.method) == "needed"
        try:
            made = make(graph, name, limit=estimate.limit, threads=threads, wait=needed)
            if made is None and needed and graph.can_prepare:  # searches take the method's place, for many rows
                make(graph, "packed", threads=threads)
            why = graph.prepared.slot(name).reason or "it was given up, or another thread is making it"
        except Exception as error:
            log.warning("%s could not be made: %r", name, error)
            made, why = None, repr(error)
        if made is None:
            notes.append(f"without {name}: {why}")
            missing[name] = estimate.seconds
        else:
            making[name] = estimate
    if not notes:
        return plan
    uses = tuple(name for name in plan.uses if name in graph.prepared)
    note = "; ".join(filter(None, (plan.note, *notes)))
    return replace(plan, uses=uses, making=making, missing=missing, note=note)

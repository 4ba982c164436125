"""Preparing: which preparations a plan uses, which are made first, and which would help."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..prepared.account import due, offer
from ..prepared.registry import serving
from . import costs
from .blocks import far_beyond_caches

if TYPE_CHECKING:
    from ..prepared.preparation import Estimate, Preparation
    from .facts import Facts, Machine
    from .plan import Plan
    from .request import Request


def with_preparations(plan: Plan, facts: Facts, request: Request, machine: Machine) -> Plan:
    """Return the plan with the preparations that its method takes, those that are made first because they pay, and those that would help."""
    serving_it = serving(request.call.value, plan.method)
    if plan.engine != "cpu" or not serving_it:
        return plan
    making: dict[str, Estimate] = {}
    missing: dict[str, float] = {}
    uses = []
    for known, role in serving_it:
        status = facts.state(known.name).status
        if status == "unsuited":
            continue
        if status == "made":
            uses += [known.name] if role != "instead" else []
        elif role == "needed" or (role != "used" and not known.suits(facts)):
            estimate = _estimate(known, role, facts, request, machine)
            if estimate is None:
                missing[known.name] = due(known, facts)
            else:
                making[known.name] = estimate
                uses.append(known.name)
    note = plan.note
    if making:
        why = "many rows will be searched for" if request.columns else "searches so far have cost as much"
        note = "; ".join(filter(None, (f"{' and '.join(making)} made first: {why}", note)))
    return replace(plan, uses=tuple(uses), making=making, missing=missing, note=note)


def _estimate(known: Preparation, role: str, facts: Facts, request: Request, machine: Machine) -> Estimate | None:
    """Return what a preparation that is to be made will cost, with a limit unless it was asked for; None: it is not to be made now."""
    if role == "instead" or (role == "earned" and far_beyond_caches(facts)):
        return None
    if role == "needed" and not (known.limited and request.options.method == "auto"):
        return known.estimate(facts)
    # A maker that heeds a limit runs on one thread, and is compared with the best searches; others share their work, as searches do.
    threads = max(1, machine.threads) if known.limited else 1
    coming = costs.coming(facts, request, threads, packed=known.limited)
    return offer(known, facts, machine, coming, request.options.memory_limit)

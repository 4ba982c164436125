"""Derived: what is known of a graph beside its rows, kept with the graph until it goes. What was prepared is in ``Graph.prepared``.

One typed field for each thing, all made lazily under the graph's lock. Nothing in here leads back to the graph by a strong reference, so that
a graph and all that was derived from it are free with its last one. What a graph has on a device belongs to that device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import weakref

    from .. import _core
    from ..planning.facts import Facts
    from ..planning.plan import Plan
    from .graph import Graph


@dataclass(slots=True)
class Derived:
    """What is known of a graph beside its rows.

    Attributes
    ----------
    reverse_of : weak reference or None
        The graph that this one is the reverse of.
    typical_weight : float or None
        See :class:`steppe.planning.facts.Facts`; None: not looked at.
    symmetric : bool or None
        Whether every edge has an opposite of the same weight; None: not looked at.
    core : Rows or None
        The rows as the native core knows them, with what they are packed as.
    copy : Graph or None
        Rows of our own, where those of the graph are only lent.
    router : Router or None
        What queries for single paths share: both directions of the rows, and workspaces.
    facts, plan
        The facts last told to a plan, and the last plan with what it was made for: most calls are like the one before.
    """

    reverse_of: weakref.ref[Graph] | None = None
    typical_weight: float | None = None
    symmetric: bool | None = None
    core: _core.Rows | None = None
    copy: Graph | None = None
    router: _core.Router | None = None
    facts: Facts | None = None
    plan: tuple[Any, Plan] | None = None

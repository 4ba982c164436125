"""Derived: what has been computed from a graph's rows, kept with the graph until it goes.

One typed field for each thing, all made lazily under the graph's lock. Nothing in here leads back to the graph by a strong reference, so that
a graph and all that was derived from it are free with its last one. What a graph has on a device belongs to that device.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .. import _core
    from ..planning.facts import Facts
    from ..planning.plan import Plan
    from .graph import Graph


@dataclass(frozen=True)
class Cost:
    """What something cost to make."""

    seconds: float
    bytes: int


@dataclass(slots=True)
class Derived:
    """What is known of a graph beside its rows.

    Attributes
    ----------
    reverse : Graph or weak reference or None
        The graph with every edge turned round; a weak reference where this graph is itself the reverse of another.
    typical_weight : float or None
        See :class:`steppe.planning.facts.Facts`; None: not looked at.
    symmetric : bool or None
        Whether every edge has an opposite of the same weight; None: not looked at.
    levels : int or None
        How many levels breadth-first searches have (``cpu/hops.py``); None: not looked at.
    core : Rows or None
        The rows as the native core knows them, with what they are prepared as.
    copy : Graph or None
        Rows of our own, where those of the graph are only lent.
    reweighted : Reweighted or None
        The graph with weights that are not negative, and what they were changed by (``cpu/johnson.py``).
    contraction, contraction_tried
        The graph with its vertices taken out in order (``cpu/contraction.py``); how much work that was given up after, if it was.
    router, landmarks
        What :func:`steppe.route` keeps; whether landmarks have been made (or are being made).
    spent_on_searches, spent_on_routes : float
        Edges read by searches without prepared rows; vertices settled by routes without landmarks.
    costs : dict
        What each of these took to make.
    facts, plan
        The facts last told to a plan, and the last plan with what it was made for: most calls are like the one before.
    """

    reverse: Graph | weakref.ref[Graph] | None = None
    typical_weight: float | None = None
    symmetric: bool | None = None
    levels: int | None = None
    core: _core.Rows | None = None
    copy: Graph | None = None
    reweighted: Any = None
    contraction: _core.Contraction | None = None
    contraction_tried: int = 0
    router: _core.Router | None = None
    landmarks: bool = False
    spent_on_searches: int = 0
    spent_on_routes: float = 0
    costs: dict[str, Cost] = field(default_factory=dict)
    facts: Facts | None = None
    plan: tuple[Any, Plan] | None = None

    def spend(self, edges: int) -> None:
        """Count the edges that a search has read without prepared rows; two threads at once may lose one of their counts."""
        self.spent_on_searches += edges

    @property
    def prepared(self) -> bool:
        """Whether rows are laid out for many searches."""
        return self.core is not None and self.core.is_prepared

    def known_reverse(self) -> Graph | None:
        """Return the reverse graph if there is one."""
        return self.reverse() if isinstance(self.reverse, weakref.ref) else self.reverse

"""Preparation: something made from a graph that makes later calls cheaper and never changes an answer.

Each module beside this one describes one in one :class:`Preparation`, and ``registry.py`` lists them. A preparation goes through these states:

    absent → making → made | refused (it would take longer than the limit) | unsuited (this graph has none)

It is made because a plan says so (``making.ready``), because ``Graph.prepare`` names it, or because an engine cannot go on without it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..graph.graph import Graph
    from ..planning.facts import Facts

Role = Literal["used", "needed", "earned", "instead"]
"""What a preparation is to a method of a call:

used     the method takes it where it is there, and never has it made
needed   the method does not run without it
earned   the method runs without it, and has it made when it pays (``account.py``)
instead  another method would take it and be quicker: the time of this one counts towards it
"""


class Unsuited(Exception):  # noqa: N818 - it tells of a graph, not of an error
    """Raised by a maker: this graph has no such thing, however long one looks for it."""


class State(NamedTuple):
    """What a plan knows of a preparation.

    Attributes
    ----------
    status : {"absent", "made", "refused", "unsuited"}
        Whether there is one. To a plan, one that is being made is absent.
    spent : float
        Estimated seconds of the calls so far that went without it.
    limit : float
        Seconds that it was refused at.
    reason : str
        Why it does not suit.
    """

    status: str = "absent"
    spent: float = 0.0
    limit: float = 0.0
    reason: str = ""


ABSENT, MADE = State(), State("made")


@dataclass(frozen=True)
class Estimate:
    """What a preparation would cost.

    Attributes
    ----------
    seconds : float
        To make it, on one thread.
    bytes : int
        That it keeps.
    beside : int
        Bytes that its maker takes meanwhile, beside what is kept.
    limit : float
        Seconds after which its maker gives up.
    """

    seconds: float
    bytes: int
    beside: int = 0
    limit: float = math.inf

    def __str__(self) -> str:
        most = "" if math.isinf(self.limit) else f" of at most {self.limit:.2g}"
        return f"{self.seconds:.2g}{most} s, {self.bytes:,} bytes"


@dataclass(frozen=True)
class Made:
    """A preparation that has been made.

    Attributes
    ----------
    value : object
        What engines take.
    bytes : int
        That it keeps, beside the graph.
    seconds : float
        That it took.
    detail : mapping
        More about it, for people.
    """

    value: Any = field(repr=False)
    bytes: int
    seconds: float = 0.0
    detail: Mapping[str, object] = field(default_factory=dict)


def _nothing(graph: Graph) -> None:
    del graph


@dataclass(frozen=True)
class Preparation:
    """How one preparation is chosen, made and dropped.

    Attributes
    ----------
    name : str
        What plans and people call it.
    serves : tuple of str
        The calls that it can make cheaper.
    methods : mapping
        The methods of these calls that it means something to, and what (:data:`Role`).
    suits : callable
        Takes facts; returns "" or the reason why such a graph has none. What only a look at the rows can tell is left to ``make``.
    estimate : callable
        Takes facts; returns an :class:`Estimate`.
    make : callable
        Takes a graph, a limit in estimated seconds and threads; returns what was made, or None where the limit was reached. It may raise
        :class:`Unsuited`.
    drop : callable
        Takes a graph; lets go of what lies elsewhere than in ``Made.value``.
    requires : tuple of str
        What must be there before it is made, and as long as it is kept.
    limited : bool
        Whether ``make`` heeds its limit: its estimate may be far too low.
    level : {"weights", "shape"}
        What it depends on. One that depends on the edges only belongs to the graph's shape, which graphs with other weights share.
    """

    name: str
    serves: tuple[str, ...]
    methods: Mapping[str, Role]
    suits: Callable[[Facts], str]
    estimate: Callable[[Facts], Estimate]
    make: Callable[[Graph, float, int], Made | None]
    drop: Callable[[Graph], None] = _nothing
    requires: tuple[str, ...] = ()
    limited: bool = False
    level: Literal["weights", "shape"] = "weights"

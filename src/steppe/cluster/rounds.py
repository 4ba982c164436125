"""Rounds: one question, asked of a crew of workers in supersteps until nothing changes any more, whatever becomes of the workers.

A superstep goes from the least value that waits anywhere to ``delta`` beyond it: every worker relaxes all that lies below, again and again until it
finds no more by itself, and only then tells others what it has found for their vertices. So a superstep costs one message for each pair of workers
that have something to say, and there are as many supersteps as shortest paths cross from part to part, about, not as many as there are buckets.

A worker may die, hang or be replaced between any two supersteps. Its values are lost, and so are messages on their way. Then a new worker
begins from nothing (or from a checkpoint), and *all* workers tell the best that they ever found for vertices of others. That is enough: every
value is the length of some path, only smaller ones are taken, and nothing ends before all agree. A new worker alone is not enough: what others
told its predecessor they would never tell again, and a quarter of the answer would silently be wrong.

Where most of a search would be left to do at once, it is finished by pulling (``partition/waves.hpp``). That takes two supersteps: all tell others
the values of their ghosts, then all look from their own vertices to the nearest neighbours; and again, while that is less work than to relax
what fell. A worker that is lost after that has read what nobody told it, so those who are left relax all that they have again.

What comes after the distances (the tree, the proof) begins again from the distances when a worker is lost on the way.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import DistanceOverflowError
from ..planning.distance_types import UNREACHABLE
from .asked import WorkersLostError
from .worker import GHOSTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..planning.progress import Tell
    from .asked import Asked
    from .crew import Crew, Outbox

Result = TypeVar("Result")
AFTER_PULL = 8
"""Times as far that a superstep goes after a pull: next to nothing is left to fall, and what does is soon told."""
_numbers = itertools.count()


def next_number() -> int:
    """Return the number of a new question."""
    return next(_numbers)


class Rounds:
    """One question and how far it has come.

    Attributes
    ----------
    counts : dict
        Supersteps, messages (vertices told), their bytes, restarts of workers, edges relaxed, and seconds: of the busiest worker of each
        superstep, and altogether.
    resends : bool
        False leaves out what makes restarts safe: for the test that shows that it is needed.
    """

    def __init__(self, crew: Crew, asked: Asked, tell: Tell | None = None, *, restarts: int = 100) -> None:
        self.crew, self.asked, self.tell, self.restarts = crew, asked, tell, restarts
        self.workers = max(crew.homes) + 1
        self.resends = True
        self.before_step: Callable[[int], object] | None = None
        self.inbox: Outbox = self._none()
        self.low: Any = None
        self.step = "advance"
        self.bound = asked.bound
        self.furthest: int | float | None = None
        self.has_begun = self.is_settled = self.has_tree = self.has_pulled = False
        self.counts: dict[str, Any] = {
            "supersteps": 0,
            "messages": 0,
            "message_bytes": 0,
            "restarts": 0,
            "edges_relaxed": 0,
        }
        self.busy = self.spent = 0.0

    def _none(self) -> Outbox:
        return [[] for _ in range(self.workers)]

    def steadily(self, phase: Callable[[], Result]) -> Result:
        """Return what a phase returns that needs final distances; begin again where workers are lost."""
        with self.crew.at_work():
            return self._steadily(phase)

    def _steadily(self, phase: Callable[[], Result]) -> Result:
        while True:
            try:
                self._settle()
                return phase()
            except WorkersLostError as error:
                lost = error
            while True:
                try:
                    self._recover(lost)
                    break
                except WorkersLostError as error:  # more of them, meanwhile
                    lost = WorkersLostError(lost.dead | error.dead, lost.forgetful | error.forgetful)

    def _settle(self) -> None:
        if self.is_settled:
            return
        number = self.asked.number
        if not self.has_begun:
            self.low = _least(self.crew.ask("begin", self.asked))
            self.has_begun = True
        outgrown = self._spread("search", self.asked.delta)
        if outgrown and self.asked.narrow:
            self.asked = replace(self.asked, narrow=False)
            self.has_begun = self.has_pulled = False
            self.inbox, self.step = self._none(), "advance"
            self._settle()
            return
        self.crew.ask("finish", number, self.furthest)
        self.bound = self.asked.bound if self.furthest is None else self.furthest
        if outgrown and self.furthest is None:
            self.refresh("distances")
            faults = [report["fault"] for report in self.crew.exchange("prove", self._none(), number)[0]]
            if any(fault is not None and fault["kind"] == "unreached" for fault in faults):
                raise DistanceOverflowError(f"a distance exceeds {UNREACHABLE - 1}, the largest that fits in 64 bits")
        self.is_settled = True

    def _recover(self, lost: WorkersLostError) -> None:
        """Replace workers, and have everybody tell again what they know."""
        self.is_settled = self.has_tree = self.has_pulled = False
        self.counts["restarts"] += len(lost.dead)
        if self.counts["restarts"] > self.restarts:
            raise RuntimeError(f"workers were lost {self.restarts} times: giving up") from lost
        if lost.dead:
            self.crew.revive(lost.dead)
            lost.forgetful |= lost.dead
            lost.dead = set()
        again = self.crew.ask("begin", self.asked, only=sorted(lost.forgetful) if self.has_begun else None)
        self.has_begun = True
        self.inbox, self.low, self.step = self._none(), _least(again), "advance"
        if self.resends:
            reports, self.inbox = self.crew.exchange("resend", self._none(), self.asked.number)
            self._count(reports)
            self.low = self._unless_settled(reports)

    def _spread(self, field: str, delta: float) -> bool:
        """Go on until no value falls any more; return whether a sum outgrew its type."""
        outgrown = False
        inbox, low = (self.inbox, self.low) if field == "search" else (self._none(), self._plant())
        while low is not None:
            if self.before_step is not None:
                self.before_step(self.counts["supersteps"])
            begun = time.perf_counter()
            far = delta * (AFTER_PULL if self.has_pulled and field == "search" else 1)
            limit = low + (far if isinstance(low, float) else int(far))
            most = 2**31 - 2 if field == "tree" or self.asked.hops or self.asked.narrow else 2**63 - 2
            limit = limit if isinstance(low, float) else min(limit, most)
            reports, inbox = self._superstep(field, inbox, low, limit)
            self.counts["supersteps"] += 1
            self._count(reports)
            self.spent += time.perf_counter() - begun
            self.busy += max(report["seconds"] for report in reports)
            outgrown = any(report["outgrown"] for report in reports)
            if field != "search":
                low = _least(reports)
            elif outgrown and self.asked.narrow:
                low = None
            else:
                low = self._unless_settled(reports)
            if field == "search":
                self.inbox, self.low, self.step = inbox, low, self._next_step(reports)
            if self.tell is not None:
                self.tell(self.counts["edges_relaxed"], f"superstep {self.counts['supersteps']:,}")
        return outgrown

    def _unless_settled(self, reports: list[dict[str, Any]]) -> Any:
        """Return the least value that waits; None also where all targets have their distances: whatever lies beyond is not asked for."""
        low = _least(reports)
        if self.asked.targets is None:
            return low
        furthest = max(report["furthest"] for report in reports)
        self.furthest = furthest if furthest < float("inf") and (low is None or furthest < low) else None
        return low if self.furthest is None else None

    def _superstep(self, field: str, inbox: Outbox, low: Any, limit: Any) -> tuple[list[dict[str, Any]], Outbox]:
        number = self.asked.number
        if field == "search" and self.step == "mirror":
            return self.crew.exchange("mirror", inbox, number)
        if field == "search" and self.step == "pull":
            self.has_pulled = True
            return self.crew.exchange("pull", inbox, number, low)
        return self.crew.exchange("advance", inbox, number, field, limit)

    def _next_step(self, reports: list[dict[str, Any]]) -> str:
        """Return what the next superstep of the search is."""
        if self.step == "mirror":
            return "pull"
        outlooks = [outlook for report in reports for outlook in report.get("outlook", ())]
        pull, push = sum(outlook[0] for outlook in outlooks), sum(outlook[1] for outlook in outlooks)
        return "mirror" if (1 if self.step == "pull" else 2) * pull < push else "advance"

    def _plant(self) -> Any:
        return _least(self.crew.ask("plant_tree", self.asked.number))

    def _count(self, reports: list[dict[str, Any]]) -> None:
        for report in reports:
            self.counts["messages"] += sum(report["sent"])
            self.counts["message_bytes"] += report["bytes"]
            self.counts["edges_relaxed"] += report["relaxed"]

    def refresh(self, field: str) -> None:
        """Give every ghost what is final where it is at home."""
        number, first, more = self.asked.number, 0, True
        while more:
            reports, inbox = self.crew.exchange("request", self._none(), number, first)
            _, inbox = self.crew.exchange("reply", inbox, number, field)
            self.crew.ask("accept", number, field, inbox=inbox)
            first, more = first + GHOSTS, any(report["more"] for report in reports)

    # Phases ---------------------------------------------------------------------------------------------------------

    def grow_tree(self) -> None:
        """Find the canonical tree: hops along tight edges first, then the smallest vertex that is one hop nearer."""
        if self.has_tree:
            return
        self.refresh("distances")
        self._spread("tree", 2**31)
        self.refresh("tree")
        _, inbox = self.crew.exchange("tails", self._none(), self.asked.number)
        self.crew.ask("take_tails", self.asked.number, inbox=inbox)
        self.has_tree = True

    def prove(self) -> dict[str, Any] | None:
        """Return what is wrong with the distances, None: they are proven. ``proof/verify.hpp`` says what is asked."""
        number = self.asked.number
        self.refresh("distances")
        reports, inbox = self.crew.exchange("prove", self._none(), number)
        for report in reports:
            if report["fault"] is not None:
                fault: dict[str, Any] = report["fault"]
                return fault
        if sum(self.crew.ask("hang", number, inbox=inbox)) == 0:
            return None
        # Edges of length 0, or lost in rounding: those vertices must be reached along tight edges.
        self._spread("tree", 2**31)
        loose = [vertex for vertex in self.crew.ask("loose", number) if vertex is not None]
        return {"kind": "not_hung", "vertex": loose[0]} if loose else None


def _least(reports: list[dict[str, Any]]) -> Any:
    return min((report["low"] for report in reports if report["low"] is not None), default=None)

"""Rounds: one question, answered by all workers in supersteps until no value falls any more, also where workers are lost.

A superstep goes from the least value that waits in any part to ``delta`` beyond it: every worker relaxes everything below that limit, again and again
until nothing changes in its own parts, and only then sends others the values of their vertices. So a superstep costs one message for each pair of
workers with something to send, and there are about as many supersteps as shortest paths cross from part to part, not as many as there are buckets.

A worker may die, hang or be replaced between any two supersteps. Its values are lost, and so are messages to it. Then a new worker begins from
nothing (or from a checkpoint), and *all* workers send again the least values that they ever found for vertices of others. That is enough: every
value is the length of some path, only smaller ones are taken, and nothing ends before all agree. A new worker alone is not enough: what others sent
to the lost one they would never send again. A test does without, and gets wrong distances.

Where most of a search would be left to do at once, it is finished by pulling (``partition/part_search.hpp``). That takes two supersteps: all send
others the values of their ghosts, then all read the edges of their own vertices, the lightest first; and again, while that is less work than to
relax what fell. A worker that is lost after that has read values that were never sent to it, so the others relax all that they have again.

What comes after the distances (the tree, the proof) begins again from the distances when a worker is lost on the way.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import DistanceOverflowError
from ..planning.distance_types import UNREACHABLE
from .question import WorkersLostError
from .worker import GHOSTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..planning.progress import Tell
    from .question import WorkerQuestion
    from .workers import Outbox, Workers

Result = TypeVar("Result")
AFTER_PULL = 8
"""How many times further a superstep goes after a pull: little is left to fall, and few values are left to send."""
_numbers = itertools.count()


def next_number() -> int:
    """Return the number of a new question."""
    return next(_numbers)


class Rounds:
    """One question and how far it has come.

    Attributes
    ----------
    counts : dict
        Supersteps, messages (values sent), their bytes, restarts of workers, edges relaxed.
    resends : bool
        False leaves out the sending again that makes restarts safe: for the test that shows that it is needed.
    """

    def __init__(
        self, workers: Workers, question: WorkerQuestion, tell: Tell | None = None, *, restarts: int = 100
    ) -> None:
        self.workers, self.question, self.tell, self.restarts = workers, question, tell, restarts
        self.worker_count = max(workers.worker_of_part) + 1
        self.resends = True
        self.before_step: Callable[[int], object] | None = None
        self.inbox: Outbox = self._none()
        self.low: Any = None
        self.step = "advance"
        self.bound = question.bound
        self.furthest: int | float | None = None
        self.has_begun = self.has_distances = self.has_tree = self.has_pulled = False
        self.counts: dict[str, Any] = dict.fromkeys(
            ("supersteps", "messages", "message_bytes", "restarts", "edges_relaxed"), 0
        )
        self.busy = self.spent = 0.0

    def _none(self) -> Outbox:
        return [[] for _ in range(self.worker_count)]

    def run(self, phase: Callable[[], Result]) -> Result:
        """Run a phase that needs final distances and return its result; begin again where workers are lost."""
        lost: WorkersLostError | None = None
        with self.workers.reserved():
            while True:
                try:
                    if lost is not None:
                        self._replace_lost(lost)
                        lost = None
                    self._find_distances()
                    return phase()
                except WorkersLostError as error:  # perhaps more of them, while others were replaced
                    dead, without_state = (lost.dead, lost.without_state) if lost else (set(), set())
                    lost = WorkersLostError(dead | error.dead, without_state | error.without_state)

    def _find_distances(self) -> None:
        if self.has_distances:
            return
        question_id = self.question.id
        if not self.has_begun:
            self.low = _least(self.workers.call("begin", self.question))
            self.has_begun = True
        outgrown = self._run_supersteps("search", self.question.delta)
        if outgrown and self.question.narrow:
            self.question = replace(self.question, narrow=False)
            self.has_begun = self.has_pulled = False
            self.inbox, self.step = self._none(), "advance"
            self._find_distances()
            return
        self.workers.call("finish", question_id, self.furthest)
        self.bound = self.question.bound if self.furthest is None else self.furthest
        if outgrown and self.furthest is None:
            self.refresh("distances")
            faults = [report["fault"] for report in self.workers.exchange("prove", self._none(), question_id)[0]]
            if any(fault is not None and fault["kind"] == "unreached" for fault in faults):
                raise DistanceOverflowError(f"a distance exceeds {UNREACHABLE - 1}, the largest that fits in 64 bits")
        self.has_distances = True

    def _replace_lost(self, lost: WorkersLostError) -> None:
        """Replace workers, and have all workers send again the least values that they found."""
        self.has_distances = self.has_tree = self.has_pulled = False
        self.counts["restarts"] += len(lost.dead)
        if self.counts["restarts"] > self.restarts:
            raise RuntimeError(f"workers were lost {self.restarts} times: giving up") from lost
        if lost.dead:
            self.workers.replace(lost.dead)
            lost.without_state |= lost.dead
            lost.dead = set()
        again = self.workers.call("begin", self.question, only=sorted(lost.without_state) if self.has_begun else None)
        self.has_begun = True
        self.inbox, self.low, self.step = self._none(), _least(again), "advance"
        if self.resends:
            reports, self.inbox = self.workers.exchange("resend", self._none(), self.question.id)
            self._count(reports)
            self.low = self._low_unless_final(reports)

    def _run_supersteps(self, field: str, delta: float) -> bool:
        """Run supersteps until no value falls any more; return whether a sum overflowed its type."""
        outgrown = False
        inbox, low = (
            (self.inbox, self.low)
            if field == "search"
            else (
                self._none(),
                _least(self.workers.call("begin_tree", self.question.id)),
            )
        )
        while low is not None:
            if self.before_step is not None:
                self.before_step(self.counts["supersteps"])
            begun = time.perf_counter()
            far = delta * (AFTER_PULL if self.has_pulled and field == "search" else 1)
            limit = low + (far if isinstance(low, float) else int(far))
            most = 2**31 - 2 if field == "tree" or self.question.hops or self.question.narrow else 2**63 - 2
            limit = limit if isinstance(low, float) else min(limit, most)
            reports, inbox = self._superstep(field, inbox, low, limit)
            self.counts["supersteps"] += 1
            self._count(reports)
            self.spent += time.perf_counter() - begun
            self.busy += max(report["seconds"] for report in reports)
            outgrown = any(report["outgrown"] for report in reports)
            if field != "search":
                low = _least(reports)
            elif outgrown and self.question.narrow:
                low = None
            else:
                low = self._low_unless_final(reports)
            if field == "search":
                self.inbox, self.low, self.step = inbox, low, self._next_step(reports)
            if self.tell is not None:
                self.tell(self.counts["edges_relaxed"], f"superstep {self.counts['supersteps']:,}")
        return outgrown

    def _low_unless_final(self, reports: list[dict[str, Any]]) -> Any:
        """Return the least value that waits; None also where all targets have their distances."""
        low = _least(reports)
        if self.question.targets is None:
            return low
        furthest = max(report["furthest"] for report in reports)
        self.furthest = furthest if furthest < float("inf") and (low is None or furthest < low) else None
        return low if self.furthest is None else None

    def _superstep(self, field: str, inbox: Outbox, low: Any, limit: Any) -> tuple[list[dict[str, Any]], Outbox]:
        question_id = self.question.id
        if field == "search" and self.step == "mirror":
            return self.workers.exchange("mirror", inbox, question_id)
        if field == "search" and self.step == "pull":
            self.has_pulled = True
            return self.workers.exchange("pull", inbox, question_id, low)
        return self.workers.exchange("advance", inbox, question_id, field, limit)

    def _next_step(self, reports: list[dict[str, Any]]) -> str:
        """Return the method of the next superstep of the search."""
        if self.step == "mirror":
            return "pull"
        outlooks = [outlook for report in reports for outlook in report.get("outlook", ())]
        pull, push = sum(outlook[0] for outlook in outlooks), sum(outlook[1] for outlook in outlooks)
        return "mirror" if (1 if self.step == "pull" else 2) * pull < push else "advance"

    def _count(self, reports: list[dict[str, Any]]) -> None:
        for report in reports:
            self.counts["messages"] += sum(report["sent"])
            self.counts["message_bytes"] += report["bytes"]
            self.counts["edges_relaxed"] += report["relaxed"]

    def refresh(self, field: str) -> None:
        """Give every ghost the final value that its owner has."""
        question_id, first, more = self.question.id, 0, True
        while more:
            reports, inbox = self.workers.exchange("request", self._none(), question_id, first)
            _, inbox = self.workers.exchange("reply", inbox, question_id, field)
            self.workers.call("accept", question_id, field, inbox=inbox)
            first, more = first + GHOSTS, any(report["more"] for report in reports)

    # Phases ---------------------------------------------------------------------------------------------------------

    def grow_tree(self) -> None:
        """Find the canonical tree: hops along tight edges first, then the smallest vertex that is one hop nearer."""
        if self.has_tree:
            return
        self.refresh("distances")
        self._run_supersteps("tree", 2**31)
        self.refresh("tree")
        _, inbox = self.workers.exchange("tails", self._none(), self.question.id)
        self.workers.call("take_tails", self.question.id, inbox=inbox)
        self.has_tree = True

    def prove(self) -> dict[str, Any] | None:
        """Return what is wrong with the distances, None: they are proven. ``proof/verify.hpp`` has the conditions."""
        question_id = self.question.id
        self.refresh("distances")
        reports, inbox = self.workers.exchange("prove", self._none(), question_id)
        for report in reports:
            if report["fault"] is not None:
                fault: dict[str, Any] = report["fault"]
                return fault
        if sum(self.workers.call("count_unsupported", question_id, inbox=inbox)) == 0:
            return None
        # Edges of length 0, or lost in rounding: those vertices must be reached along tight edges.
        self._run_supersteps("tree", 2**31)
        unsupported = [vertex for vertex in self.workers.call("unsupported", question_id) if vertex is not None]
        return {"kind": "not_hung", "vertex": unsupported[0]} if unsupported else None


def _least(reports: list[dict[str, Any]]) -> Any:
    return min((report["low"] for report in reports if report["low"] is not None), default=None)

"""Spreading: the parts of a worker, and values in them that fall until none does, told from worker to worker.

Every method's first argument is the number of a question. Those that send answer with a report and a message for each worker; a message is a list
of (part, vertices, values). Between parts of one worker nothing is sent: they go on until none has anything for another below the limit.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .asked import GHOST, ForgottenError
from .held import Ends, Held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..files.partitioned import PartitionedGraph
    from .asked import Asked, Message

Array = npt.NDArray[Any]
LOOK, ALL = 1 << 15, 2**63 - 1
"""Edges that a part relaxes at least before it is seen whether the search is better finished by pulling; as many as there are.

Fewer would take less time than a message."""


class Spreading:
    """The parts that ``homes`` gives to worker ``number``.

    Parameters
    ----------
    graph : PartitionedGraph
        Opened for this worker.
    number : int
        Which worker this is.
    homes : list of int
        The worker of every part.
    key : int
        By which the arcs of all parts are added up, see :meth:`~steppe.PartitionedGraph.check_balance`; the same for all workers.

    Attributes
    ----------
    balance : int
        The sum of these parts' arcs.
    """

    def __init__(self, graph: PartitionedGraph, number: int, homes: Sequence[int], key: int) -> None:
        self.graph = graph
        self.number, self.homes, self.count = number, list(homes), max(homes) + 1
        mine = [part for part, home in enumerate(homes) if home == number]
        self.parts = {part: graph.part(part) for part in mine}
        self.balance = sum(graph.prove(part, key) for part in self.parts.values())
        self.ends = {number: Ends(part, self.graph.starts) for number, part in self.parts.items()}
        self.questions: dict[int, dict[int, Held]] = {}
        self.saved: dict[int, float] = {}

    def pid(self) -> int:
        """Return the number of this process."""
        return os.getpid()

    def begin(self, asked: Asked) -> dict[str, Any]:
        """Take a question: from the beginning, or from its checkpoint."""
        self.questions[asked.number] = {
            number: Held(part, self.ends[number], asked) for number, part in self.parts.items()
        }
        self.saved[asked.number] = time.monotonic()
        return self._report(asked.number, "search", 0, 0.0, self._nothing())

    def forget(self, question: int) -> None:
        """Let go of a question."""
        self.questions.pop(question, None)
        self.saved.pop(question, None)

    def _held(self, question: int) -> dict[int, Held]:
        """Return the state of a question; FormatError where a file was written to since it was opened: what was read is no answer."""
        for part in self.parts.values():
            part.check_unchanged()
        self.graph.check_unchanged()
        try:
            return self.questions[question]
        except KeyError:
            raise ForgottenError(question) from None

    def _nothing(self) -> list[Message]:
        return [[] for _ in range(self.count)]

    # Values that fall -----------------------------------------------------------------------------------------------

    def advance(self, question: int, field: str, limit: Any, *inbox: Message) -> tuple[Any, ...]:
        """Take what others found, relax everything up to the limit, tell others.

        Where the search may be finished by pulling, not all of it at once: when it pays most of the edges have not been relaxed yet.
        """
        begun = time.perf_counter()
        held, relaxed = self._held(question), 0
        self._take(held, field, inbox)
        asked = next(iter(held.values())).asked if held else None
        looks = field == "search" and asked is not None and asked.pulls and not any(s.has_pulled for s in held.values())
        while True:
            for state in held.values():
                most = max(LOOK, state.part.graph.num_edges // 24) if looks else ALL
                relaxed += getattr(state, field).advance(limit, most)
            if not self._pass_on(held, field) or looks:
                break
        out = self._nothing()
        for state in held.values():
            if state.remote:
                ghosts = state.remote[0] if len(state.remote) == 1 else np.unique(np.concatenate(state.remote))
                state.remote = []
                self._address(state, ghosts, getattr(state, field).values()[state.part.own :][ghosts], out)
                del ghosts
        keeps = asked is not None and asked.checkpoint is not None and field == "search"
        if keeps and asked is not None and time.monotonic() - self.saved[question] >= asked.every:
            for state in held.values():
                state.save()
            self.saved[question] = time.monotonic()
        report = self._report(question, field, relaxed, 0.0, out)
        if looks:  # one that nothing waits in says no: it may not have been reached yet
            report["outlook"] = [self._pulling(state, report["low"] or 0) for state in held.values()]
        report["seconds"] = time.perf_counter() - begun
        return (report, *out)

    @staticmethod
    def _take(held: dict[int, Held], field: str, inbox: Sequence[Message]) -> None:
        for message in inbox:
            for part, vertices, values in message:
                getattr(held[part], field).offer(vertices, values)

    # The finish by pulling (partition/waves.hpp) ----------------------------------------------------------------------

    def mirror(self, question: int, *inbox: Message) -> tuple[Any, ...]:
        """Take what others found; tell them what is known here of their ghosts: (who, from which ghost on, values)."""
        begun = time.perf_counter()
        held, out = self._held(question), self._nothing()
        self._take(held, "search", inbox)
        for state in held.values():
            values = state.search.values()
            for part, home in enumerate(self.homes):
                if part == state.part.number:
                    continue
                first, own = self.graph.mirrored(part, state.part.number)
                if len(own):
                    out[home].append((part, first, values[own]))
        self._reflect(held, [out[self.number]])
        out[self.number] = []
        report = self._report(question, "search", 0, 0.0, self._nothing())
        report["sent"] = [sum(len(values) for _, _, values in message) for message in out]
        report["bytes"] = sum(values.nbytes for message in out for _, _, values in message)
        report["seconds"] = time.perf_counter() - begun
        return (report, *out)

    @staticmethod
    def _reflect(held: dict[int, Held], inbox: Sequence[Message]) -> None:
        for message in inbox:
            for who, first, values in message:
                held[who].search.mirror(first, values)

    def pull(self, question: int, low: Any, *inbox: Message) -> tuple[Any, ...]:
        """Take the values of ghosts, and lower own vertices by them in place of all that waits; what fell waits now."""
        begun = time.perf_counter()
        held = self._held(question)
        self._reflect(held, inbox)
        looked, outlook = 0, []
        for state in held.values():
            state.has_pulled = True
            read, left = state.search.pull(low, state.ends.lightest)
            looked += read
            least = state.search.pending()
            if least is not None:
                outlook.append((self._pulling(state, least)[0], left))
        out = self._nothing()
        report = self._report(question, "search", looked, 0.0, out) | {"outlook": outlook}
        report["seconds"] = time.perf_counter() - begun
        return (report, *out)

    @staticmethod
    def _pulling(state: Held, low: Any) -> tuple[int, int]:
        """Return what pulling and what pushing would cost, in edges."""
        pull, push = state.search.outlook(low)
        return pull + GHOST * len(state.ends.ghosts), push

    def _pass_on(self, held: dict[int, Held], field: str) -> bool:
        """Tell own parts what changed, keep what is for other workers; return whether there was anything to tell."""
        told = False
        for state in held.values():
            ghosts = getattr(state, field).take()
            if len(ghosts) == 0:
                continue
            if len(held) == 1:  # all ghosts are others'
                state.remote.append(ghosts)
                continue
            values = getattr(state, field).values()[state.part.own :][ghosts]
            far = np.ones(len(ghosts), dtype=bool)
            cuts = np.searchsorted(ghosts, state.ends.bounds)
            for other, to in held.items():
                first, last = cuts[other], cuts[other + 1]
                if first < last:
                    getattr(to, field).offer(state.ends.names(other, ghosts[first:last]), values[first:last])
                    far[first:last] = False
                    told = True
            if far.any():
                state.remote.append(ghosts[far])
        return told

    def _address(self, state: Held, ghosts: Array, values: Array, out: list[Message]) -> None:
        """Put rising ghosts with their values into the messages of the workers where they are at home; ``ghosts`` is used up."""
        cuts = np.searchsorted(ghosts, state.ends.bounds)
        for part in np.flatnonzero(np.diff(cuts)).tolist():
            some = slice(cuts[part], cuts[part + 1])
            out[self.homes[part]].append((part, state.ends.names(part, ghosts[some]), values[some]))

    def resend(self, question: int) -> tuple[Any, ...]:
        """Tell everybody the best that was ever found for their vertices: who lost its memory needs it, and nobody else minds."""
        held = self._held(question)
        out = self._nothing()
        for state in held.values():
            if state.has_pulled:  # what others read here they were never told
                state.search.wake()
                state.has_pulled = False
            ghosts, values = state.search.resend()
            self._address(state, ghosts, values, out)
        for part, vertices, values in out[self.number]:
            held[part].search.offer(vertices, values)
        out[self.number] = []
        return (self._report(question, "search", 0, 0.0, out), *out)

    def _report(self, question: int, field: str, relaxed: int, seconds: float, out: list[Message]) -> dict[str, Any]:
        waiting = [
            least
            for state in self.questions[question].values()
            if (least := getattr(state, field).pending()) is not None
        ]
        sent = [values.min().item() for message in out for _, _, values in message if len(values)]
        return {
            "low": min(waiting + sent, default=None),
            "sent": [sum(len(vertices) for _, vertices, _ in message) for message in out],
            "bytes": sum(vertices.nbytes + values.nbytes for message in out for _, vertices, values in message),
            "relaxed": relaxed,
            "seconds": seconds,
            "furthest": max((state.furthest() for state in self.questions[question].values()), default=-1),
            "outgrown": any(state.search.outgrown for state in self.questions[question].values()),
        }

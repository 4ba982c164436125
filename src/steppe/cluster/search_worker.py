"""SearchWorker: the search in the parts of one worker. Values of vertices are lowered along edges, here and by messages, until none falls.

The first argument of every method is the id of a question. Methods that send return a report and a message for each worker. Parts of one worker
exchange values directly: they are relaxed again until no part has a value below the limit for another.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .part_state import GhostOwners, PartState
from .question import GHOST, UnknownQuestionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..files.partitioned import PartitionedGraph
    from .question import Message, WorkerQuestion

Array = npt.NDArray[Any]
FIRST_ESTIMATE, ALL = 1 << 15, 2**63 - 1
"""Edges that a part relaxes, at least, between two estimates of whether to finish by pulling (fewer take less time than a message); no limit."""


class SearchWorker:
    """The parts that ``worker_of_part`` gives to worker ``number``.

    Parameters
    ----------
    graph : PartitionedGraph
        Opened for this worker.
    number : int
        The number of this worker.
    worker_of_part : list of int
        The worker of every part.
    key : int
        The key of the sum over arcs, see :meth:`~steppe.PartitionedGraph.check_balance`; the same for all workers.

    Attributes
    ----------
    balance : int
        The sum of these parts' arcs.
    """

    def __init__(self, graph: PartitionedGraph, number: int, worker_of_part: Sequence[int], key: int) -> None:
        self.graph = graph
        self.number, self.worker_of_part, self.count = number, list(worker_of_part), max(worker_of_part) + 1
        mine = [part for part, worker in enumerate(worker_of_part) if worker == number]
        self.parts = {part: graph.part(part) for part in mine}
        self.balance = sum(graph.prove(part, key) for part in self.parts.values())
        self.ghost_owners = {number: GhostOwners(part, self.graph.starts) for number, part in self.parts.items()}
        self.questions: dict[int, dict[int, PartState]] = {}
        self.saved: dict[int, float] = {}

    def pid(self) -> int:
        """Return the number of this process."""
        return os.getpid()

    def begin(self, question: WorkerQuestion) -> dict[str, Any]:
        """Begin a search: from the sources, or from its checkpoint."""
        self.questions[question.id] = {
            number: PartState(part, self.ghost_owners[number], question) for number, part in self.parts.items()
        }
        self.saved[question.id] = time.monotonic()
        return self._report(question.id)

    def forget(self, question_id: int) -> None:
        """Free a question."""
        self.questions.pop(question_id, None)
        self.saved.pop(question_id, None)

    def _states(self, question_id: int) -> dict[int, PartState]:
        """Return the states of a question by part; FormatError where a file was changed after it was opened."""
        for part in self.parts.values():
            part.check_unchanged()
        self.graph.check_unchanged()
        try:
            return self.questions[question_id]
        except KeyError:
            raise UnknownQuestionError(question_id) from None

    def _no_messages(self) -> list[Message]:
        return [[] for _ in range(self.count)]

    # Relaxing up to a limit -----------------------------------------------------------------------------------------

    def advance(self, question_id: int, field: str, limit: Any, *inbox: Message) -> tuple[Any, ...]:
        """Receive values, relax everything up to the limit, send what fell.

        Where the search may be finished by pulling, it stops after some edges to estimate the costs: pulling pays while most edges are not relaxed.
        """
        begun = time.perf_counter()
        states, relaxed = self._states(question_id), 0
        self._receive(states, field, inbox)
        question = next(iter(states.values())).question if states else None
        estimates = (
            field == "search"
            and question is not None
            and question.pulls
            and not any(s.has_pulled for s in states.values())
        )
        while True:
            for state in states.values():
                most = max(FIRST_ESTIMATE, state.part.graph.num_edges // 24) if estimates else ALL
                relaxed += getattr(state, field).advance(limit, most)
            if not self._exchange_between_own_parts(states, field) or estimates:
                break
        out = self._no_messages()
        for state in states.values():
            if state.remote:
                ghosts = state.remote[0] if len(state.remote) == 1 else np.unique(np.concatenate(state.remote))
                state.remote = []
                self._add_messages(state, ghosts, getattr(state, field).values()[state.part.own :][ghosts], out)
                del ghosts
        keeps = question is not None and question.checkpoint is not None and field == "search"
        if keeps and question is not None and time.monotonic() - self.saved[question_id] >= question.every:
            for state in states.values():
                state.save()
            self.saved[question_id] = time.monotonic()
        report = self._report(question_id, begun, out, field, relaxed)
        if estimates:  # a part in which nothing waits counts as one to push: it may not have been reached yet
            report["outlook"] = [self._costs(state, report["low"] or 0) for state in states.values()]
        return (report, *out)

    @staticmethod
    def _receive(states: dict[int, PartState], field: str, inbox: Sequence[Message]) -> None:
        for message in inbox:
            for part, vertices, values in message:
                getattr(states[part], field).offer(vertices, values)

    # The finish by pulling (partition/part_search.hpp) ----------------------------------------------------------------

    def mirror(self, question_id: int, *inbox: Message) -> tuple[Any, ...]:
        """Receive values; send every other part the values of its ghosts: (part, first ghost, values)."""
        begun = time.perf_counter()
        states, out = self._states(question_id), self._no_messages()
        self._receive(states, "search", inbox)
        for state in states.values():
            values = state.search.values()
            for part, worker in enumerate(self.worker_of_part):
                if part == state.part.number:
                    continue
                first, own = self.graph.mirrored(part, state.part.number)
                if len(own):
                    out[worker].append((part, first, values[own]))
        self._receive_ghosts(states, [out[self.number]])
        out[self.number] = []
        report = self._report(question_id, begun)
        report["sent"] = [sum(len(values) for _, _, values in message) for message in out]
        report["bytes"] = sum(values.nbytes for message in out for _, _, values in message)
        return (report, *out)

    @staticmethod
    def _receive_ghosts(states: dict[int, PartState], inbox: Sequence[Message]) -> None:
        for message in inbox:
            for part, first, values in message:
                states[part].search.mirror(first, values)

    def pull(self, question_id: int, low: Any, *inbox: Message) -> tuple[Any, ...]:
        """Receive the values of ghosts, and lower own vertices by reading their edges, in place of relaxing what waits; what fell waits now."""
        begun = time.perf_counter()
        states = self._states(question_id)
        self._receive_ghosts(states, inbox)
        read_edges, outlook = 0, []
        for state in states.values():
            state.has_pulled = True
            read, left = state.search.pull(low, state.ghost_owners.lightest)
            read_edges += read
            least = state.search.pending()
            if least is not None:
                outlook.append((self._costs(state, least)[0], left))
        report = self._report(question_id, begun, relaxed=read_edges) | {"outlook": outlook}
        return (report, *self._no_messages())

    @staticmethod
    def _costs(state: PartState, low: Any) -> tuple[int, int]:
        """Return what pulling and pushing would cost, in edges."""
        pull, push = state.search.outlook(low)
        return pull + GHOST * len(state.ghost_owners.ghosts), push

    def _exchange_between_own_parts(self, states: dict[int, PartState], field: str) -> bool:
        """Give own parts what fell, and keep what is for other workers; return whether own parts got anything."""
        any_fell = False
        for state in states.values():
            ghosts = getattr(state, field).take()
            if len(ghosts) == 0:
                continue
            if len(states) == 1:  # all ghosts belong to other workers
                state.remote.append(ghosts)
                continue
            values = getattr(state, field).values()[state.part.own :][ghosts]
            far = np.ones(len(ghosts), dtype=bool)
            cuts = np.searchsorted(ghosts, state.ghost_owners.bounds)
            for other, to in states.items():
                first, last = cuts[other], cuts[other + 1]
                if first < last:
                    getattr(to, field).offer(
                        state.ghost_owners.local_indices(other, ghosts[first:last]), values[first:last]
                    )
                    far[first:last] = False
                    any_fell = True
            if far.any():
                state.remote.append(ghosts[far])
        return any_fell

    def _add_messages(self, state: PartState, ghosts: Array, values: Array, out: list[Message]) -> None:
        """Add ghosts (ascending) and their values to the messages of the workers that own them; ``ghosts`` is overwritten."""
        cuts = np.searchsorted(ghosts, state.ghost_owners.bounds)
        for part in np.flatnonzero(np.diff(cuts)).tolist():
            some = slice(cuts[part], cuts[part + 1])
            out[self.worker_of_part[part]].append(
                (part, state.ghost_owners.local_indices(part, ghosts[some]), values[some])
            )

    def resend(self, question_id: int) -> tuple[Any, ...]:
        """Send all others the least values ever found for their vertices: a new worker needs them, and for the rest they change nothing."""
        states = self._states(question_id)
        out = self._no_messages()
        for state in states.values():
            if state.has_pulled:  # others read values here that were never sent
                state.search.wake()
                state.has_pulled = False
            ghosts, values = state.search.resend()
            self._add_messages(state, ghosts, values, out)
        for part, vertices, values in out[self.number]:
            states[part].search.offer(vertices, values)
        out[self.number] = []
        return (self._report(question_id, out=out), *out)

    def _report(
        self,
        question_id: int,
        begun: float | None = None,
        out: list[Message] | None = None,
        field: str = "search",
        relaxed: int = 0,
    ) -> dict[str, Any]:
        states, messages = self.questions[question_id].values(), out or self._no_messages()
        waiting = [least for state in states if (least := getattr(state, field).pending()) is not None]
        sent = [values.min().item() for message in messages for _, _, values in message if len(values)]
        return {
            "low": min(waiting + sent, default=None),
            "sent": [sum(len(vertices) for _, vertices, _ in message) for message in messages],
            "bytes": sum(vertices.nbytes + values.nbytes for message in messages for _, vertices, values in message),
            "relaxed": relaxed,
            "seconds": 0.0 if begun is None else time.perf_counter() - begun,
            "furthest": max((state.furthest() for state in states), default=-1),
            "outgrown": any(state.search.outgrown for state in states),
        }

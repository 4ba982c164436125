"""Worker: some parts of a graph and every method that is called on them, by this process or by an actor of Ray.

``search_worker.py`` has the search; here is what follows it: the tree, the proof, the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import PartFault
from ..files.target import destination
from .part_state import NO_TAIL, PartState, public, unreached
from .search_worker import SearchWorker

if TYPE_CHECKING:
    from pathlib import Path

    from .question import Message

Array = npt.NDArray[Any]
GHOSTS = 1 << 19
"""Ghosts of a part whose values are requested at a time."""


class Worker(SearchWorker):
    """The parts of one worker: the search, the tree, the proof and the answers."""

    # Final values of ghosts -----------------------------------------------------------------------------------------

    def request(self, question_id: int, first: int) -> tuple[Any, ...]:
        """Request the final values of ghosts from the workers that own them: (part, (requesting part, first ghost), vertices).

        At most ``GHOSTS`` for each part, from the ghost ``first`` on: a request for all would take more memory than the search.
        """
        out = self._no_messages()
        more = False
        for number, state in self._states(question_id).items():
            last = min(first + GHOSTS, len(state.ghost_owners.ghosts))
            more |= last < len(state.ghost_owners.ghosts)
            cuts = np.clip(state.ghost_owners.bounds, first, max(first, last))
            for part in np.flatnonzero(np.diff(cuts)).tolist():
                begin, end = cuts[part : part + 2].tolist()
                out[self.worker_of_part[part]].append(
                    (part, (number, begin), state.ghost_owners.local_indices(part, np.arange(begin, end)))
                )
        return ({"sent": [len(message) for message in out], "more": more}, *out)

    def reply(self, question_id: int, field: str, *inbox: Message) -> tuple[Any, ...]:
        """Reply to such requests: (requesting part, first ghost, values)."""
        states, out = self._states(question_id), self._no_messages()
        for message in inbox:
            for part, (to, first), vertices in message:
                out[self.worker_of_part[to]].append((to, first, self._final(states[part], field)[vertices]))
        return ({"sent": [len(message) for message in out]}, *out)

    def accept(self, question_id: int, field: str, *inbox: Message) -> None:
        """Write such replies to the ghosts."""
        states = self._states(question_id)
        for message in inbox:
            for part, first, values in message:
                begin = states[part].part.own + first
                self._final(states[part], field)[begin : begin + len(values)] = values

    @staticmethod
    def _final(state: PartState, field: str) -> Array:
        found: Array = state.distances if field == "distances" else state.tree.values()  # type: ignore[union-attr]
        return found

    def finish(self, question_id: int, furthest: int | float | None) -> None:
        """Take the values as distances, and remove the checkpoint."""
        for state in self._states(question_id).values():
            state.finish(furthest)
            if state.question.checkpoint is not None:
                state.drop()

    # The tree -------------------------------------------------------------------------------------------------------

    def begin_tree(self, question_id: int) -> dict[str, Any]:
        """Begin to count the edges of canonical paths."""
        for state in self._states(question_id).values():
            state.begin_tree()
        return self._report(question_id, field="tree")

    def tails(self, question_id: int) -> tuple[Any, ...]:
        """Find the predecessor of each vertex, as far as it is in these parts; send others those of their vertices."""
        out = self._no_messages()
        for state in self._states(question_id).values():
            state.tails = state.find_tails()
            ghosts = np.flatnonzero(state.tails[state.part.own :] != NO_TAIL)
            self._add_messages(state, ghosts, state.tails[state.part.own :][ghosts], out)
            state.tails = state.tails[: state.part.own].copy()
        return ({"sent": [len(message) for message in out]}, *out)

    def take_tails(self, question_id: int, *inbox: Message) -> None:
        """Receive the predecessors of own vertices that others found."""
        states = self._states(question_id)
        for message in inbox:
            for part, vertices, values in message:
                tails = states[part].tails
                tails[vertices] = np.minimum(tails[vertices], values)

    def walk(self, question_id: int, place: int) -> tuple[list[int], int]:
        """Return the vertices from this place back towards the source, as long as they are in these parts, and the vertex before them (-1: none)."""
        states = self._states(question_id)
        found: list[int] = []
        while True:
            part = int(self.graph.owners_of(np.array([place]))[0])
            if part not in states:
                return found, self._number_at(place)
            state = states[part]
            at = place - state.part.first
            found.append(state.part.number_of(at))
            before = int(state.tails[at])
            if before == NO_TAIL:
                return found, -1
            place = int(self.graph.places_of(np.array([before]))[0])

    def _number_at(self, place: int) -> int:
        return int(self.graph.numbers_at(place, place + 1)[0]) if self.graph.is_renumbered else place

    # The proof ------------------------------------------------------------------------------------------------------

    def prove(self, question_id: int) -> tuple[Any, ...]:
        """Check every vertex and edge; send others which of their vertices are supported: a tight edge leads there from a nearer vertex."""
        out = self._no_messages()
        fault: dict[str, Any] | None = None
        for state in self._states(question_id).values():
            kind, vertex, other = state.prove()
            if kind != PartFault.none and fault is None:
                fault = self._fault(state, kind.name, vertex, other)
            wrong = state.sources[state.distances[state.sources] != 0]
            if len(wrong) and fault is None:
                fault = self._fault(state, "source", int(wrong[0]), -1)
            ghosts = np.flatnonzero(state.supported[state.part.own :])
            self._add_messages(state, ghosts, np.ones(len(ghosts), dtype=np.uint8), out)
        return ({"sent": [len(message) for message in out], "fault": fault}, *out)

    def _fault(self, state: PartState, kind: str, vertex: int, other: int) -> dict[str, Any]:
        distance, further = public(state.distances[[vertex, other]], hops=state.question.hops).tolist()
        found = {"kind": kind, "vertex": state.part.number_of(vertex), "distance": distance}
        if other >= 0:
            own = state.part.own
            at_home = other < own
            number = state.part.number_of(other) if at_home else self._number_at(int(state.part.ghosts[other - own]))
            found |= {"other": number, "other_distance": further}
        return found

    def count_unsupported(self, question_id: int, *inbox: Message) -> int:
        """Receive which own vertices are supported; return how many are not."""
        states = self._states(question_id)
        for message in inbox:
            for part, vertices, _ in message:
                states[part].supported[vertices] = 1
        return sum(int(self._unsupported(state).sum()) for state in states.values())

    def unsupported(self, question_id: int) -> int | None:
        """Return a vertex to which no path of tight edges leads, None: there is none; after the tree was grown."""
        for state in self._states(question_id).values():
            assert state.tree is not None  # noqa: S101
            own = slice(0, state.part.own)
            far = self._unsupported(state) & (state.tree.values()[own] == np.iinfo(np.uint32).max)
            if far.any():
                return state.part.number_of(int(np.flatnonzero(far)[0]))
        return None

    @staticmethod
    def _unsupported(state: PartState) -> Array:
        own = state.distances[: state.part.own]
        found: Array = (own != unreached(own)) & (state.supported[: state.part.own] == 0)
        return found

    # Answers --------------------------------------------------------------------------------------------------------

    def distances_at(self, question_id: int, places: npt.NDArray[np.int64]) -> list[int | float]:
        """Return the distances at places in these parts."""
        states = self._states(question_id)
        found: list[int | float] = []
        for place, part in zip(places.tolist(), self.graph.owners_of(places).tolist(), strict=True):
            state = states[part]
            at = place - state.part.first
            found += public(state.distances[at : at + 1], hops=state.question.hops).tolist()
        return found

    def collect(self, question_id: int, part: int, field: str) -> Array:
        """Return the distances or the predecessors of a part's own vertices."""
        state = self._states(question_id)[part]
        own = slice(0, state.part.own)
        if field == "distances":
            return public(state.distances[own], hops=state.question.hops)
        return np.where(state.tails[own] == NO_TAIL, -1, state.tails[own])

    def count_reached(self, question_id: int) -> int:
        """Return how many vertices were reached."""
        each = (state.distances[: state.part.own] for state in self._states(question_id).values())
        return sum(int((own != unreached(own)).sum()) for own in each)

    def store(self, question_id: int, folder: Path) -> list[str]:
        """Write the distances of these parts, a file each; return the files' names."""
        names = []
        for number in self._states(question_id):
            names.append(f"distances-{number:06}.npy")
            with destination(folder / names[-1]) as file:
                np.save(file, self.collect(question_id, number, "distances"))
        return names

    def spoil(self, question_id: int, place: int, distance: Any) -> None:
        """Write a wrong distance: for tests of the proof."""
        for state in self._states(question_id).values():
            if state.part.first <= place < state.part.first + state.part.own:
                values = state.search.values()
                dtype = public(values[:0], hops=state.question.hops).dtype
                is_far = dtype.kind == "i" and distance == np.iinfo(dtype).max
                values[place - state.part.first] = np.iinfo(values.dtype).max if is_far else distance

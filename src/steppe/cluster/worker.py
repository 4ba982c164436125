"""Worker: some parts of a graph and all that can be asked of them. It knows nothing of who calls it: this process, or an engine's actor.

``spreading.py`` has what all of it is made of, values that fall and what is told of them; here is what comes after: the tree, the proof, the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import PartFault
from ..files.target import destination
from .held import NO_TAIL, Held, public
from .spreading import Spreading

if TYPE_CHECKING:
    from pathlib import Path

    from .asked import Message

Array = npt.NDArray[Any]
GHOSTS = 1 << 19
"""Ghosts of a part that are asked for at a time."""


class Worker(Spreading):
    """The parts of one worker, and questions about them."""

    # What others know of ghosts -------------------------------------------------------------------------------------

    def request(self, question: int, first: int) -> tuple[Any, ...]:
        """Ask where the ghosts are at home for what is final there: (part, (who asks, from which ghost on), vertices).

        At most ``GHOSTS`` for each part, from the ghost ``first`` on: asking for all would take more memory than the search.
        """
        out = self._nothing()
        more = False
        for number, state in self._held(question).items():
            last = min(first + GHOSTS, len(state.ends.ghosts))
            more |= last < len(state.ends.ghosts)
            cuts = np.clip(state.ends.bounds, first, max(first, last))
            for part in np.flatnonzero(np.diff(cuts)).tolist():
                begin, end = cuts[part : part + 2].tolist()
                out[self.homes[part]].append((part, (number, begin), state.ends.names(part, np.arange(begin, end))))
        return ({"sent": [len(message) for message in out], "more": more}, *out)

    def reply(self, question: int, field: str, *inbox: Message) -> tuple[Any, ...]:
        """Answer such requests: (who asked, from which ghost on, values)."""
        held, out = self._held(question), self._nothing()
        for message in inbox:
            for part, (who, first), vertices in message:
                out[self.homes[who]].append((who, first, self._final(held[part], field)[vertices]))
        return ({"sent": [len(message) for message in out]}, *out)

    def accept(self, question: int, field: str, *inbox: Message) -> None:
        """Write such answers where the ghosts are."""
        held = self._held(question)
        for message in inbox:
            for who, first, values in message:
                begin = held[who].part.own + first
                self._final(held[who], field)[begin : begin + len(values)] = values

    @staticmethod
    def _final(state: Held, field: str) -> Array:
        found: Array = state.distances if field == "distances" else state.tree.values()  # type: ignore[union-attr, assignment]
        return found

    def finish(self, question: int, furthest: int | float | None) -> None:
        """Make public distances of what was found; its checkpoint is of no use any more."""
        for state in self._held(question).values():
            state.finish(furthest)
            if state.asked.checkpoint is not None:
                state.drop()

    # The tree -------------------------------------------------------------------------------------------------------

    def plant_tree(self, question: int) -> dict[str, Any]:
        """Begin to count the edges of canonical paths."""
        for state in self._held(question).values():
            state.plant_tree()
        return self._report(question, "tree", 0, 0.0, self._nothing())

    def tails(self, question: int) -> tuple[Any, ...]:
        """Find the vertex before each vertex, as far as it is in these parts; tell others theirs."""
        out = self._nothing()
        for state in self._held(question).values():
            state.tails = state.find_tails()
            ghosts = np.flatnonzero(state.tails[state.part.own :] != NO_TAIL)
            self._address(state, ghosts, state.tails[state.part.own :][ghosts], out)
            state.tails = state.tails[: state.part.own].copy()
        return ({"sent": [len(message) for message in out]}, *out)

    def take_tails(self, question: int, *inbox: Message) -> None:
        """Take what others found before own vertices."""
        held = self._held(question)
        for message in inbox:
            for part, vertices, values in message:
                tails = held[part].tails
                assert tails is not None  # noqa: S101 - found before
                tails[vertices] = np.minimum(tails[vertices], values)

    def walk(self, question: int, place: int) -> tuple[list[int], int]:
        """Return the vertices from this place backwards, as long as they are in these parts, and the vertex before them (-1: none)."""
        held = self._held(question)
        found: list[int] = []
        while True:
            part = int(self.graph.owners_of(np.array([place]))[0])
            if part not in held:
                return found, self._number_at(place)
            state = held[part]
            assert state.tails is not None  # noqa: S101
            at = place - state.part.first
            found.append(state.part.number_of(at))
            before = int(state.tails[at])
            if before == NO_TAIL:
                return found, -1
            place = int(self.graph.places_of(np.array([before]))[0])

    def _number_at(self, place: int) -> int:
        return int(self.graph.numbers_at(place, place + 1)[0]) if self.graph.is_renumbered else place

    # The proof ------------------------------------------------------------------------------------------------------

    def prove(self, question: int) -> tuple[Any, ...]:
        """Look at every vertex and edge; tell others which of their vertices hang from nearer ones."""
        out = self._nothing()
        fault: dict[str, Any] | None = None
        for state in self._held(question).values():
            kind, vertex, other = state.prove()
            if kind != PartFault.none and fault is None:
                fault = self._fault(state, kind.name, vertex, other)
            distances, hung = state.distances, state.hung
            assert distances is not None and hung is not None  # noqa: S101, PT018
            wrong = state.sources[distances[state.sources] != 0]
            if len(wrong) and fault is None:
                fault = self._fault(state, "source", int(wrong[0]), -1)
            ghosts = np.flatnonzero(hung[state.part.own :])
            self._address(state, ghosts, np.ones(len(ghosts), dtype=np.uint8), out)
        return ({"sent": [len(message) for message in out], "fault": fault}, *out)

    def _fault(self, state: Held, kind: str, vertex: int, other: int) -> dict[str, Any]:
        assert state.distances is not None  # noqa: S101
        distance, further = public(state.distances[[vertex, other]], hops=state.asked.hops).tolist()
        found = {"kind": kind, "vertex": state.part.number_of(vertex), "distance": distance}
        if other >= 0:
            own = state.part.own
            at_home = other < own
            number = state.part.number_of(other) if at_home else self._number_at(int(state.part.ghosts[other - own]))
            found |= {"other": number, "other_distance": further}
        return found

    def hang(self, question: int, *inbox: Message) -> int:
        """Take word of vertices that hang; return how many have none to hang from yet."""
        held = self._held(question)
        for message in inbox:
            for part, vertices, _ in message:
                held[part].hung[vertices] = 1  # type: ignore[index]
        return sum(int(self._loose(state).sum()) for state in held.values())

    def loose(self, question: int) -> int | None:
        """Return a vertex that no path of tight edges leads to, None: there is none; after the tree was grown."""
        for state in self._held(question).values():
            assert state.tree is not None  # noqa: S101
            own = slice(0, state.part.own)
            far = self._loose(state) & (state.tree.values()[own] == np.iinfo(np.uint32).max)
            if far.any():
                return state.part.number_of(int(np.flatnonzero(far)[0]))
        return None

    @staticmethod
    def _loose(state: Held) -> Array:
        assert state.distances is not None and state.hung is not None  # noqa: S101, PT018
        own = state.distances[: state.part.own]
        far = np.inf if own.dtype.kind == "f" else np.iinfo(own.dtype).max
        loose: Array = (own != far) & (state.hung[: state.part.own] == 0)
        return loose

    # Answers --------------------------------------------------------------------------------------------------------

    def distances_at(self, question: int, places: npt.NDArray[np.int64]) -> list[int | float]:
        """Return the distances at places in these parts."""
        held = self._held(question)
        found: list[int | float] = []
        for place, part in zip(places.tolist(), self.graph.owners_of(places).tolist(), strict=True):
            distances = held[part].distances
            assert distances is not None  # noqa: S101
            at = place - held[part].part.first
            found += public(distances[at : at + 1], hops=held[part].asked.hops).tolist()
        return found

    def collect(self, question: int, part: int, field: str) -> Array:
        """Return the distances or the predecessors of a part's own vertices."""
        state = self._held(question)[part]
        own = slice(0, state.part.own)
        if field == "distances":
            assert state.distances is not None  # noqa: S101
            return public(state.distances[own], hops=state.asked.hops)
        assert state.tails is not None  # noqa: S101
        return np.where(state.tails[own] == NO_TAIL, -1, state.tails[own])

    def count_reached(self, question: int) -> int:
        """Return how many vertices were reached."""
        count = 0
        for state in self._held(question).values():
            assert state.distances is not None  # noqa: S101
            own = state.distances[: state.part.own]
            count += int((own != (np.inf if own.dtype.kind == "f" else np.iinfo(own.dtype).max)).sum())
        return count

    def store(self, question: int, folder: Path) -> list[str]:
        """Write the distances of these parts, a file each; return the files' names."""
        names = []
        for number in self._held(question):
            names.append(f"distances-{number:06}.npy")
            with destination(folder / names[-1]) as file:
                np.save(file, self.collect(question, number, "distances"))
        return names

    def spoil(self, question: int, place: int, distance: Any) -> None:
        """Write a wrong distance: for tests, which see that the proof finds it."""
        for state in self._held(question).values():
            if state.part.first <= place < state.part.first + state.part.own:
                values = state.search.values()
                dtype = public(values[:0], hops=state.asked.hops).dtype
                unreached = dtype.kind == "i" and distance == np.iinfo(dtype).max
                values[place - state.part.first] = np.iinfo(values.dtype).max if unreached else distance

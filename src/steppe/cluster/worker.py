"""Worker: some parts of a graph and all that can be asked of them. It knows nothing of who calls it: this process, or an engine's actor.

Every method's first argument is the number of a question. Those that send answer with a report and a message for each worker; a message is a list
of (part, vertices, values). Between parts of one worker nothing is sent: they go on until none has anything for another below the limit.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import PartFault
from ..files.partitioned import open_partitioned
from ..files.target import destination
from .asked import ForgottenError
from .held import NO_TAIL, Ends, Held, public

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .asked import Asked, Message

Array = npt.NDArray[Any]
GHOSTS = 1 << 19
"""Ghosts of a part that are asked for at a time."""


class Worker:
    """The parts that ``homes`` gives to worker ``number``.

    Parameters
    ----------
    folder : str
        The partitioned graph.
    number : int
        Which worker this is.
    homes : list of int
        The worker of every part.
    """

    def __init__(self, folder: str, number: int, homes: Sequence[int]) -> None:
        self.graph = open_partitioned(folder)
        self.number, self.homes, self.count = number, list(homes), max(homes) + 1
        mine = [part for part, home in enumerate(homes) if home == number]
        self.parts = {part: self.graph.part(part, check=True) for part in mine}
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
        try:
            return self.questions[question]
        except KeyError:
            raise ForgottenError(question) from None

    def _nothing(self) -> list[Message]:
        return [[] for _ in range(self.count)]

    # Values that fall -----------------------------------------------------------------------------------------------

    def advance(self, question: int, field: str, limit: Any, *inbox: Message) -> tuple[Any, ...]:
        """Take what others found, relax everything up to the limit, tell others."""
        begun = time.perf_counter()
        held = self._held(question)
        for message in inbox:
            for part, vertices, values in message:
                getattr(held[part], field).offer(vertices, values)
        relaxed = 0
        while True:
            for state in held.values():
                relaxed += getattr(state, field).advance(limit)
            if not self._pass_on(held, field):
                break
        out = self._nothing()
        for state in held.values():
            if state.remote:
                ghosts = state.remote[0] if len(state.remote) == 1 else np.unique(np.concatenate(state.remote))
                state.remote = []
                self._address(state, ghosts, getattr(state, field).values()[state.part.own :][ghosts], out)
                del ghosts
        asked = next(iter(held.values())).asked if held else None
        keeps = asked is not None and asked.checkpoint is not None and field == "search"
        if keeps and asked is not None and time.monotonic() - self.saved[question] >= asked.every:
            for state in held.values():
                state.save()
            self.saved[question] = time.monotonic()
        return (self._report(question, field, relaxed, time.perf_counter() - begun, out), *out)

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
            "outgrown": any(state.search.outgrown for state in self.questions[question].values()),
        }

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

    def finish(self, question: int) -> None:
        """Make public distances of what was found; its checkpoint is of no use any more."""
        for state in self._held(question).values():
            state.finish()
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

"""Roster: who of this process holds CPUs of a cluster, and who makes room for whom.

The workers of a graph stay for the calls that follow, and keep their CPUs meanwhile. A cluster has so many, so the next graph, another engine or
a matrix may find none left. Then crews that nobody is asking are released, the one that was used longest ago first, as many as are needed; whoever
asks one of them again has its workers started again, and its answers found again. Crews that are at work are waited for, and release their workers
when they are done, as long as somebody waits.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import TYPE_CHECKING, Protocol

from ..machine import locks

if TYPE_CHECKING:
    from collections.abc import Iterator


class Holder(Protocol):
    """Workers that may hold CPUs."""

    def held(self) -> float:
        """Return how many CPUs they hold."""

    def asked_by(self) -> int | None:
        """Return the thread that is asking them, None: nobody is."""

    def retire_if_idle(self) -> bool:
        """End them, unless somebody is asking; return whether they were ended."""


class Roster:
    """All such workers of this process, those used last at the end."""

    def __init__(self) -> None:
        self._lock = locks.make()
        self._holders: list[weakref.ref[Holder]] = []
        self._wanting: list[int] = []  # threads that wait for CPUs
        self._matrices: list[int] = []  # threads whose matrices are computed

    def used(self, holder: Holder) -> None:
        """Note that workers were asked just now."""
        with self._lock:
            others = [ref for ref in self._holders if ref() not in (None, holder)]
            self._holders = [*others, weakref.ref(holder)]

    def _all(self) -> list[Holder]:
        with self._lock:
            return [holder for ref in self._holders if (holder := ref()) is not None]

    def make_room(self, needed: float, free: float) -> None:
        """Release idle workers, those first that were used longest ago, until so many CPUs are free or none is idle."""
        for holder in self._all():
            held = holder.held()
            if free >= needed:
                return
            if held and holder.retire_if_idle():
                free += held

    @property
    def is_waited_for(self) -> bool:
        """Whether somebody waits for CPUs."""
        return bool(self._wanting or self._matrices)

    def will_be_free(self) -> bool:
        """Tell whether other threads hold CPUs that they give back when they are done."""
        me = threading.get_ident()
        asked = [holder.asked_by() for holder in self._all() if holder.held()]
        return any(thread not in (None, me) for thread in asked + self._matrices)

    @contextlib.contextmanager
    def wanting(self) -> Iterator[None]:
        """Have whoever is done give back their CPUs meanwhile."""
        yield from self._noted(self._wanting)

    @contextlib.contextmanager
    def matrix(self) -> Iterator[None]:
        """Compute a matrix meanwhile: its tasks want all CPUs there are, and give them back."""
        yield from self._noted(self._matrices)

    @staticmethod
    def _noted(threads: list[int]) -> Iterator[None]:
        me = threading.get_ident()
        threads.append(me)
        try:
            yield
        finally:
            threads.remove(me)


roster = Roster()
"""Of this process."""

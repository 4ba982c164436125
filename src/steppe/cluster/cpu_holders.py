"""CpuHolders: the workers of this process that hold CPUs of a cluster, and which of them free their CPUs for others.

The workers of a graph stay for the calls that follow, and keep their CPUs. So the next graph, another engine or a matrix may find no free CPUs. Then
workers that are not in use are stopped, the least recently used first, as many as needed; the next call on their graph starts them again and
repeats its search. Workers in use are waited for: they stop when their call is done, as long as another thread waits for CPUs.
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

    def cpus_held(self) -> float:
        """Return how many CPUs they hold."""

    def used_by(self) -> int | None:
        """Return the thread that uses them, None: none does."""

    def stop_if_idle(self) -> bool:
        """Stop them unless they are in use; return whether they were stopped."""


class CpuHolders:
    """All such workers of this process, the most recently used at the end."""

    def __init__(self) -> None:
        self._lock = locks.make()
        self._holders: list[weakref.ref[Holder]] = []
        self._waiting: list[int] = []  # threads that wait for CPUs
        self._matrices: list[int] = []  # threads whose matrices are computed

    def used(self, holder: Holder) -> None:
        """Note that workers are in use now."""
        with self._lock:
            others = [ref for ref in self._holders if ref() not in (None, holder)]
            self._holders = [*others, weakref.ref(holder)]

    def _all(self) -> list[Holder]:
        with self._lock:
            return [holder for ref in self._holders if (holder := ref()) is not None]

    def make_room(self, needed: float, free: float) -> None:
        """Stop idle workers, the least recently used first, until so many CPUs are free or none is idle."""
        for holder in self._all():
            cpus = holder.cpus_held()
            if free >= needed:
                return
            if cpus and holder.stop_if_idle():
                free += cpus

    @property
    def is_contended(self) -> bool:
        """Whether a thread waits for CPUs."""
        return bool(self._waiting or self._matrices)

    def can_wait(self) -> bool:
        """Return whether other threads hold CPUs that they free when they are done."""
        me = threading.get_ident()
        threads = [holder.used_by() for holder in self._all() if holder.cpus_held()]
        return any(thread not in (None, me) for thread in threads + self._matrices)

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Have workers stop when their call is done, meanwhile."""
        yield from self._noted(self._waiting)

    @contextlib.contextmanager
    def matrix(self) -> Iterator[None]:
        """Compute a matrix meanwhile: its tasks use all CPUs, and free them at the end."""
        yield from self._noted(self._matrices)

    @staticmethod
    def _noted(threads: list[int]) -> Iterator[None]:
        me = threading.get_ident()
        threads.append(me)
        try:
            yield
        finally:
            threads.remove(me)


cpu_holders = CpuHolders()
"""Of this process."""

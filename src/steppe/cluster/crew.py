"""Crew: the workers of a partitioned graph, all asked at once. This one is in this process; ``ray_crew.py`` has one on a cluster."""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..files.partitioned import reopen
from ..machine import locks
from .worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from ..files.partitioned import PartitionedGraph

Outbox = list[list[Any]]
"""For each worker the messages that are on their way to it: as they are, or where an engine keeps them."""


class Crew(Protocol):
    """What a search needs of workers, wherever they are."""

    homes: list[int]
    """The worker of every part."""

    def at_work(self) -> AbstractContextManager[None]:
        """Keep the workers for one who asks, all of them there: a worker has one superstep at a time."""

    def exchange(self, method: str, inbox: Outbox, *args: Any) -> tuple[list[dict[str, Any]], Outbox]:
        """Call a method that sends, with the messages for each worker; return reports and new messages."""

    def ask(self, method: str, *args: Any, only: Iterable[int] | None = None, inbox: Outbox | None = None) -> list[Any]:
        """Call a method that sends nothing, of all workers or of some; return its results."""

    def revive(self, workers: set[int]) -> None:
        """Put new workers in the place of dead ones."""

    def release(self, question: int) -> None:
        """Let workers forget a question, without waiting for them."""


def dealt(parts: int, workers: int) -> list[int]:
    """Return the worker of every part: neighbours stay together, and no worker has more than one part more than another.

    >>> dealt(5, 2)
    [0, 0, 0, 1, 1]
    """
    workers = max(1, min(workers, parts))
    return (np.arange(parts) * workers // max(1, parts)).tolist()


class LocalCrew:
    """Workers in this process, called one after the other."""

    def __init__(self, graph: PartitionedGraph, workers: int) -> None:
        self.homes = dealt(graph.num_parts, workers)
        self.lock = locks.make()
        self.folder, self.digest, self.key = str(graph.folder), graph.digest, secrets.randbits(64)
        self.workers = [self._worker(number) for number in range(max(self.homes) + 1)]
        graph.check_balance(worker.balance for worker in self.workers)

    def _worker(self, number: int) -> Worker:
        # The graph is opened again: a crew that held it would keep it from ever being freed.
        return Worker(reopen(self.folder, self.digest), number, self.homes, self.key)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Keep the workers for one who asks."""
        with self.lock:
            yield

    def exchange(self, method: str, inbox: Outbox, *args: Any) -> tuple[list[dict[str, Any]], Outbox]:
        """Call a method that sends."""
        outbox: Outbox = [[] for _ in self.workers]
        reports = []
        for number, worker in enumerate(self.workers):
            report, *out = getattr(worker, method)(*args, *inbox[number])
            reports.append(report)
            for to, message in enumerate(out):
                if message:
                    outbox[to].append(message)
        return reports, outbox

    def ask(self, method: str, *args: Any, only: Iterable[int] | None = None, inbox: Outbox | None = None) -> list[Any]:
        """Call a method that sends nothing."""
        chosen = range(len(self.workers)) if only is None else only
        return [getattr(self.workers[w], method)(*args, *(inbox[w] if inbox else ())) for w in chosen]

    def revive(self, workers: set[int]) -> None:
        """Not needed: these workers live as long as whoever asks."""

    def release(self, question: int) -> None:
        """Let workers forget a question."""
        for worker in self.workers:
            worker.forget(question)

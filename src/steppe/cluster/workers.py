"""The workers of a partitioned graph: what a search calls (``Workers``), and workers in this process; ``ray_workers.py`` has those on a cluster."""

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
"""For each worker the messages sent to it: themselves, or references to where the engine keeps them."""


class Workers(Protocol):
    """All workers of one graph, wherever they run."""

    worker_of_part: list[int]
    """The worker of every part."""

    def reserved(self) -> AbstractContextManager[None]:
        """Start the workers that are missing, and keep all for one caller: a worker runs one superstep at a time."""

    def exchange(self, method: str, inbox: Outbox, *args: Any) -> tuple[list[dict[str, Any]], Outbox]:
        """Call a method that sends messages, with the messages for each worker; return reports and new messages."""

    def call(
        self, method: str, *args: Any, only: Iterable[int] | None = None, inbox: Outbox | None = None
    ) -> list[Any]:
        """Call a method that sends no messages, on all workers or on some; return its results."""

    def replace(self, workers: set[int]) -> None:
        """Start new workers in place of dead ones."""

    def release(self, question_id: int) -> None:
        """Have workers free a question, without waiting for them."""


def divide_parts(parts: int, workers: int) -> list[int]:
    """Return the worker of every part: parts with neighbouring numbers stay together, and workers differ by one part at most.

    >>> divide_parts(5, 2)
    [0, 0, 0, 1, 1]
    """
    workers = max(1, min(workers, parts))
    return (np.arange(parts) * workers // max(1, parts)).tolist()


class LocalWorkers:
    """Workers in this process, called one after the other."""

    def __init__(self, graph: PartitionedGraph, workers: int) -> None:
        self.worker_of_part = divide_parts(graph.num_parts, workers)
        self.lock = locks.make()
        self.folder, self.digest, self.key = str(graph.folder), graph.digest, secrets.randbits(64)
        self.workers = [self._worker(number) for number in range(max(self.worker_of_part) + 1)]
        graph.check_balance(worker.balance for worker in self.workers)

    def _worker(self, number: int) -> Worker:
        # The graph is opened again: these workers are kept as long as the graph lives, so a reference to it would keep it alive for ever.
        return Worker(reopen(self.folder, self.digest), number, self.worker_of_part, self.key)

    @contextlib.contextmanager
    def reserved(self) -> Iterator[None]:
        """Keep the workers for one caller."""
        with self.lock:
            yield

    def exchange(self, method: str, inbox: Outbox, *args: Any) -> tuple[list[dict[str, Any]], Outbox]:
        """Call a method that sends messages."""
        outbox: Outbox = [[] for _ in self.workers]
        reports = []
        for number, worker in enumerate(self.workers):
            report, *out = getattr(worker, method)(*args, *inbox[number])
            reports.append(report)
            for to, message in enumerate(out):
                if message:
                    outbox[to].append(message)
        return reports, outbox

    def call(
        self, method: str, *args: Any, only: Iterable[int] | None = None, inbox: Outbox | None = None
    ) -> list[Any]:
        """Call a method that sends no messages."""
        chosen = range(len(self.workers)) if only is None else only
        return [getattr(self.workers[w], method)(*args, *(inbox[w] if inbox else ())) for w in chosen]

    def replace(self, workers: set[int]) -> None:
        """Do nothing: workers in this process are never lost."""

    def release(self, question_id: int) -> None:
        """Have workers free a question."""
        for worker in self.workers:
            worker.forget(question_id)

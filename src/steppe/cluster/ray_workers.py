"""RayWorkers: workers as actors of Ray.

A superstep is one call of each actor. It returns a report, which comes to the caller, and a message for every other worker, which stays where it is:
the caller gets a reference and passes it to the receiver, and Ray moves the bytes from worker to worker (small ones travel with the call).
References of empty messages are never used.

Ray is not allowed to restart actors: a restarted actor answers as if nothing had happened, with all its values lost (``rounds.py``). So an actor
that dies stays dead and is replaced; the new one gets the question and all values that others have found. An actor that does not answer is pinged in
another thread of its process; if that does not answer either, the actor is killed and replaced. What it may still compute goes nowhere: nobody holds
a reference to its messages.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import threading
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, PlacementGroupSchedulingStrategy

from ..files.partitioned import reopen
from ..machine import locks
from .cpu_holders import cpu_holders
from .question import UnknownQuestionError, WorkersLostError
from .worker import Worker
from .workers import divide_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..files.partitioned import PartitionedGraph
    from .workers import Outbox


MOMENT = 0.5
"""Seconds that a free cluster takes, at most, to reserve CPUs."""

TURN = 5.0
"""Seconds after which workers in use are asked to free their CPUs as soon as their call is done."""

START = 60.0
"""Seconds that a worker has to start and read its parts, at least."""


class Actor:
    """A worker as an actor of Ray."""

    worker: Worker

    @ray.method(concurrency_group="search")  # type: ignore[untyped-decorator]
    def open(self, folder: str, digest: str, number: int, worker_of_part: list[int], key: int) -> tuple[int, str, int]:
        """Open the parts; return process, node and the sum of the arcs.

        Not done in the constructor: there Ray would hide the error of a damaged file.
        """
        _return_freed_memory()
        self.worker = Worker(reopen(folder, digest), number, worker_of_part, key)
        return os.getpid(), ray.get_runtime_context().get_node_id(), self.worker.balance

    @ray.method(concurrency_group="search")  # type: ignore[untyped-decorator]
    def call(self, method: str, args: tuple[Any, ...], *inbox: Any) -> Any:
        """Call a method of the worker."""
        return getattr(self.worker, method)(*args, *inbox)

    @ray.method(concurrency_group="health")  # type: ignore[untyped-decorator]
    def ping(self) -> None:
        """Answer, in a thread of its own, while the search runs without the GIL in another."""


def _return_freed_memory() -> None:
    """Have glibc return large freed blocks to the system at once.

    It would keep up to 32 MiB of each size for later use: a worker allocates and frees messages of all sizes, and would keep their sum.
    """
    with contextlib.suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(-3, 1 << 20)  # M_MMAP_THRESHOLD: larger ones are mapped one by one
        mallopt(-1, 1 << 20)  # M_TRIM_THRESHOLD


def _end(pid: int) -> None:
    """Kill a process that does not answer, if it is a worker of Ray."""
    with contextlib.suppress(OSError):
        if b"ray::" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)


def session() -> tuple[str, ...]:
    """Return what identifies the connection to a cluster; two connections to the same address differ."""
    context = ray.get_runtime_context()
    return context.gcs_address, context.get_job_id(), context.get_node_id()


class RayWorkers:
    """The workers of one graph; :meth:`reserved` starts those that are missing.

    Their CPUs are reserved together, as a placement group: all of them or none. So the workers of two graphs never wait for each other with half of
    the CPUs each.
    """

    def __init__(self, graph: PartitionedGraph, workers: int, *, timeout: float, cpus: float) -> None:
        self.session = session()
        self.graph = reopen(str(graph.folder), graph.digest)  # a reference to the caller's would keep it alive
        self.timeout, self.cpus = timeout, cpus
        self.worker_of_part = divide_parts(graph.num_parts, workers)
        self.count = max(self.worker_of_part) + 1
        self.key = secrets.randbits(64)
        self.lock = locks.make()
        self.is_closed = False
        self._depth = 0
        self._thread: int | None = None
        self.actors: list[Any] = [None] * self.count
        self.pids: list[tuple[int, str]] = [(0, "")] * self.count
        self._groups: list[Any] = []  # one, while workers run
        freed = weakref.finalize(self, _free, self.actors, self._groups, self.session, os.getpid())
        freed.atexit = False  # Ray itself ends them then

    @contextlib.contextmanager
    def reserved(self) -> Iterator[None]:
        """Keep the workers for one caller; start those that are missing."""
        with self.lock:
            self._depth += 1
            self._thread = threading.get_ident()
            try:
                self._start_missing()
                cpu_holders.used(self)
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._thread = None
                    if cpu_holders.is_contended:
                        self.stop()

    def start(self) -> Self:
        """Start the workers that are missing."""
        with self.reserved():
            return self

    def cpus_held(self) -> float:
        """Return how many CPUs the workers hold."""
        return self.count * self.cpus if self._groups else 0.0

    def used_by(self) -> int | None:
        """Return the thread that uses them, None: none does."""
        return self._thread

    def stop_if_idle(self) -> bool:
        """Stop the workers unless they are in use; return whether they were stopped."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            if self._depth == 0:
                self.stop()
            return self._depth == 0
        finally:
            self.lock.release()

    def _check_open(self) -> None:
        if self.is_closed or not ray.is_initialized() or session() != self.session:
            what = "the engine was closed" if self.is_closed else "Ray was shut down"
            raise RuntimeError(f"{what}, and the answers that lay with its workers are gone: search again")

    def _start_missing(self) -> None:
        self._check_open()
        if self._groups:
            return
        try:
            self._reserve_cpus()
            self.graph.check_balance(self._start(range(self.count)))
        except BaseException as error:
            self.stop()
            if not isinstance(error, WorkersLostError):
                raise
            free = ray.available_resources().get("CPU", 0)
            raise RuntimeError(
                f"{len(error.dead)} of {self.count} workers did not start within {2 * max(self.timeout, START):g} seconds: each takes "
                f"{self.cpus:g} CPUs, and the cluster has {free:g} free (give fewer workers=, less cpus= or more timeout=)"
            ) from None

    def _reserve_cpus(self) -> None:
        """Reserve the CPUs: stop idle workers of other graphs, and wait for those in use."""
        if not self.cpus:
            self._groups.append(None)
            return
        group = placement_group([{"CPU": self.cpus}] * self.count, strategy="SPREAD")
        self._groups.append(group)
        if group.wait(MOMENT):
            return
        patience = 2 * max(self.timeout, START)
        begun = last = time.monotonic()
        with contextlib.ExitStack() as stack:
            while True:
                now = time.monotonic()
                if now - begun > TURN and not cpu_holders.is_contended:
                    stack.enter_context(cpu_holders.waiting())
                if cpu_holders.can_wait():
                    last = now
                elif now - last > patience:
                    raise WorkersLostError(set(range(self.count)), set())
                # The free CPUs may be on nodes where no worker fits: then idle workers are stopped although enough CPUs are free.
                free = ray.available_resources().get("CPU", 0) if now - begun < patience / 2 else 0
                cpu_holders.make_room(self.count * self.cpus, free)
                if group.wait(min(MOMENT, patience)):
                    return

    def _start(self, workers: Iterable[int]) -> list[int]:
        opening = {}
        made = ray.remote(
            num_cpus=self.cpus, max_restarts=0, max_task_retries=0, concurrency_groups={"health": 1, "search": 1}
        )(Actor)
        (group,) = self._groups
        for number in workers:
            there: Any = "SPREAD" if group is None else PlacementGroupSchedulingStrategy(group, number)
            self.actors[number] = made.options(scheduling_strategy=there).remote()
            opening[number] = self.actors[number].open.remote(
                str(self.graph.folder), self.graph.digest, number, self.worker_of_part, self.key
            )
        sums = []
        for number, (pid, node, balance) in self._gather(opening, max(self.timeout, START)).items():
            self.pids[number] = pid, node
            sums.append(balance)
        return sums

    def exchange(self, method: str, inbox: Outbox, *args: Any) -> tuple[list[dict[str, Any]], Outbox]:
        """Call a method that sends messages."""
        self._check_open()
        refs = [
            actor.call.options(num_returns=1 + self.count).remote(method, args, *inbox[number])
            for number, actor in enumerate(self.actors)
        ]
        reports = self._gather({number: ref[0] for number, ref in enumerate(refs)})
        outbox: Outbox = [[] for _ in self.actors]
        for number, report in reports.items():
            for to, sent in enumerate(report["sent"]):
                if sent:
                    outbox[to].append(refs[number][1 + to])
        return [reports[number] for number in range(self.count)], outbox

    def call(
        self, method: str, *args: Any, only: Iterable[int] | None = None, inbox: Outbox | None = None
    ) -> list[Any]:
        """Call a method that sends no messages."""
        self._check_open()
        chosen = range(self.count) if only is None else list(only)
        found = self._gather(
            {w: self.actors[w].call.remote(method, args, *(inbox[w] if inbox else ())) for w in chosen}
        )
        return [found[number] for number in chosen]

    def _gather(self, refs: dict[int, Any], patience: float | None = None) -> dict[int, Any]:
        """Wait for all; raise WorkersLostError where some are lost, and what a worker itself has raised."""
        try:
            return self._wait(refs, self.timeout if patience is None else patience)
        except (WorkersLostError, Exception):
            raise
        except BaseException:  # Ctrl-C: their state is unknown, and they must not go on
            self.stop()
            raise

    def _wait(self, refs: dict[int, Any], patience: float) -> dict[int, Any]:
        results: dict[int, Any] = {}
        dead: set[int] = set()
        without_state: set[int] = set()
        lost_message, problem = False, None
        waiting = {ref: number for number, ref in refs.items()}
        while waiting:
            ready, late = ray.wait(list(waiting), num_returns=len(waiting), timeout=patience)
            for ref in ready:
                number = waiting.pop(ref)
                try:
                    results[number] = ray.get(ref)
                except RayTaskError as error:
                    cause = error.cause
                    if isinstance(cause, UnknownQuestionError):
                        without_state.add(number)
                    elif isinstance(cause, RayError):
                        lost_message = True  # a message was lost with its node, so the method was not called
                    else:
                        problem = cause if isinstance(cause, Exception) else error
                except RayActorError:
                    dead.add(number)
                except RayError:
                    lost_message = True
            if late:
                unresponsive = self._unresponsive({waiting[ref] for ref in late}, patience)
                dead |= unresponsive
                waiting = {ref: number for ref, number in waiting.items() if number not in unresponsive}
        if problem is not None and not dead:
            raise problem
        if dead or without_state or lost_message:
            raise WorkersLostError(dead, without_state)
        return results

    def _unresponsive(self, workers: set[int], patience: float) -> set[int]:
        """Return the workers that do not answer a ping."""
        pings = {self.actors[w].ping.remote(): w for w in workers}
        ready, late = ray.wait(list(pings), num_returns=len(pings), timeout=patience)
        unresponsive = {pings[ref] for ref in late}
        for ref in ready:
            try:
                ray.get(ref)
            except RayError:
                unresponsive.add(pings[ref])
        return unresponsive

    def replace(self, workers: set[int]) -> None:
        """Start new workers in place of dead ones."""
        self._check_open()
        for number in workers:
            self._kill(number)
        self._start(sorted(workers))

    def _kill(self, number: int) -> None:
        pid, node = self.pids[number]
        with contextlib.suppress(RayError, ValueError):
            ray.kill(self.actors[number], no_restart=True)
            if pid:  # a stopped process does not react to ray.kill
                there = NodeAffinitySchedulingStrategy(node, soft=False)
                ray.remote(_end).options(num_cpus=0, max_retries=0, scheduling_strategy=there).remote(pid)

    def release(self, question_id: int) -> None:
        """Have workers free a question, without waiting for them."""
        with contextlib.suppress(Exception):
            if self._groups and ray.is_initialized() and session() == self.session:
                for actor in self.actors:
                    actor.call.remote("forget", (question_id,))

    def stop(self) -> None:
        """Stop all workers; the next call starts them again."""
        _free(self.actors, self._groups, self.session, os.getpid())
        self.pids[:] = [(0, "")] * self.count

    def close(self) -> None:
        """Stop all workers for good."""
        self.is_closed = True
        self.stop()


def _free(actors: list[Any], groups: list[Any], of: tuple[str, ...], pid: int) -> None:
    """Stop workers and free their CPUs, in the process that started them and while it is connected to their cluster."""
    ended = [actor for actor in actors if actor is not None]
    reserved = [group for group in groups if group is not None]
    actors[:] = [None] * len(actors)
    groups.clear()
    with contextlib.suppress(Exception):
        if os.getpid() == pid and ray.is_initialized() and session() == of:
            for actor in ended:
                ray.kill(actor, no_restart=True)
            for group in reserved:
                remove_placement_group(group)

"""How many threads a call may use."""

from __future__ import annotations

import math
import operator
import os
import time
from functools import cache
from pathlib import Path


@cache
def available() -> int:
    """Return the number of CPUs this process may really use: affinity and a container's CPU quota are honoured.

    >>> available() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return max(1, min(count, _quota()))


def _quota() -> int:
    """Return the control group's CPU quota, rounded up; a large number where there is none."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return 10**6 if quota == "max" else math.ceil(int(quota) / int(period))
    except (OSError, ValueError):
        return 10**6


LARGE = 1_000_000
"""Edges from which a search reads the load of the machine: that takes as long as relaxing a few thousand."""


def free() -> int:
    """Return how many of the :func:`available` CPUs are not used by other processes right now.

    Threads of one search wait for each other. One that shares its CPU holds all up, a time slice at a time, and the search takes longer
    than on the other CPUs alone.

    >>> 1 <= free() <= available()
    True
    """
    elsewhere = (os.cpu_count() or 1) - available()  # CPUs that others may use and we may not
    busy = _others() - elsewhere
    if busy > 0:  # one sample may catch a short job, such as the kernel's: a long one is there in both samples
        time.sleep(0.0005)
        busy = min(busy, _others() - elsewhere)
    return max(1, available() - max(0, busy))


def _others() -> int:
    """Return how many threads of other processes run or want to; 0 where the system does not say."""
    try:
        running = int(Path("/proc/loadavg").read_text().split()[3].split("/")[0])
        return max(0, running - _ours()) if running > 1 else 0
    except (OSError, ValueError, IndexError):
        return 0


def _ours() -> int:
    """Return how many threads of this process run, this one among them: workers wait awake for a moment after their work."""
    states = (task.read_text().rpartition(")")[2].split()[0] for task in Path("/proc/self/task").glob("*/stat"))
    return max(1, sum(state == "R" for state in states))


MOST = 1024
"""Threads that a caller may ask for. More than there are CPUs are started where he wants them, and each takes memory for its stack."""


def resolve(threads: int | None, *, edges: int = 0) -> int:
    """Return the thread count for a call: the argument, else ``STEPPE_NUM_THREADS``, else :func:`available`.

    A search of many ``edges`` gets no more than are :func:`free`, whatever ``threads`` is: more would make it slower.

    >>> resolve(3)
    3
    """
    name = "threads"
    if threads is None:
        name = "STEPPE_NUM_THREADS"
        text = os.environ.get("STEPPE_NUM_THREADS", "")
        try:
            threads = int(text) if text else available()
        except ValueError:
            raise ValueError(f"STEPPE_NUM_THREADS must be a whole number, not {text!r}") from None
    threads = operator.index(threads)
    if not 1 <= threads <= MOST:
        raise ValueError(f"{name} must be from 1 to {MOST:,}, not {threads}")
    return min(threads, free()) if threads > 1 and edges >= LARGE else threads

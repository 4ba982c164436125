"""How many threads a call may use."""

from __future__ import annotations

import math
import operator
import os
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


def resolve(threads: int | None) -> int:
    """Return the thread count for a call: the argument, else ``STEPPE_NUM_THREADS``, else :func:`available`.

    >>> resolve(3)
    3
    """
    if threads is None:
        text = os.environ.get("STEPPE_NUM_THREADS", "")
        if not text:
            return available()
        try:
            threads = int(text)
        except ValueError:
            raise ValueError(f"STEPPE_NUM_THREADS must be a whole number, not {text!r}") from None
    threads = operator.index(threads)
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    return threads

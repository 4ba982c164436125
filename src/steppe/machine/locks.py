"""Locks that a forked child finds open.

A child has only the thread that forked. A lock that another thread of the parent held at that moment would stay locked in the child for ever:
its first search on a graph that was just being prepared would wait for ever. So the child opens every lock but those of its own thread.
What such a lock guards is a cache whose entries are stored whole, at the end of the work: half of one is never seen.
"""

from __future__ import annotations

import os
import threading
import weakref
from functools import cached_property
from typing import Any, TypeVar

Lock = threading.RLock
Class = TypeVar("Class", bound=type)
_locks: weakref.WeakSet[Any] = weakref.WeakSet()


def make() -> Lock:
    """Return a lock that its owner may take again.

    >>> with make():
    ...     "mine"
    'mine'
    """
    lock = Lock()
    _locks.add(lock)
    return lock


def opened_in_child(cls: Class) -> Class:
    """Decorate a class of which cached properties may be computed while another thread forks: up to Python 3.11 each has a lock."""
    for value in vars(cls).values():
        if isinstance(value, cached_property) and hasattr(value, "lock"):
            _locks.add(value.lock)
    return cls


def _open_in_child() -> None:
    for lock in list(_locks):
        if not lock._is_owned():  # the thread that forked keeps what it holds
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_in_child)

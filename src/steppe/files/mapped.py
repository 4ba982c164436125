"""A ``.steppe`` file as bytes: mapped for reading, under guard, or read where it is small.

A small file is read: it cannot change under a search then, and reading it costs less than a system call a page. A large one is mapped.
A mapped file can be changed by others at any time, and three things stand against that. If it is shortened, the pages that are gone
read as zeros (``cpp/base/guard.hpp``) and the call fails with a FormatError. If it is written to, its time changes, which is looked at before
rows are handed out. What is left is somebody who writes other edges into a large file, in place, while a search runs over it: nothing
protects that search. :func:`steppe.write` never does that; it puts a new file in the place of the old one.
"""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from pathlib import Path

SMALL = 1 << 18
"""Bytes up to which a file is read."""


class Mapping(mmap.mmap):
    """A file mapped for reading; its guard lives as long as the mapping."""

    guard: _core.Guard
    identity: tuple[int, ...]

    def change(self) -> str | None:
        """Return what happened to the file since it was mapped: None, if all is well."""
        if self.guard.faulted:
            return "was truncated, or could not be read,"
        now = self.guard.identity
        if now[:4] == self.identity[:4]:  # not the time of renaming
            return None
        return "was truncated" if now[2] < self.identity[2] else "was written to"


def open_bytes(path: Path) -> bytes | mmap.mmap:
    """Return all of a file."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if 0 < size <= SMALL:
            memory = mmap.mmap(-1, size)  # of no file: memory that begins with a page, as a mapped file does
            read = file.readinto(memory)
            return memory if read == size else memory[:read]
        try:
            mapping = Mapping(file.fileno(), 0, access=mmap.ACCESS_READ)
            mapping.guard = _core.Guard(file.fileno(), np.frombuffer(mapping, dtype=np.uint8))
        except (OSError, ValueError, RuntimeError):  # no file of this system, or a thousand are mapped already
            return file.read()
        mapping.identity = mapping.guard.identity
        return mapping

"""Host memory: whether a result fits, asked before it is computed."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ResultSizeError

if TYPE_CHECKING:
    import numpy as np


_UNITS = {"": 1} | {
    letter + end: base**power
    for power, letter in enumerate("KMGT", 1)
    for end, base in (("", 1024), ("IB", 1024), ("B", 1000))
}


def size_of(limit: int | str | None) -> int | None:
    """Return bytes as a caller wrote them: a number, or text with a unit.

    >>> size_of("2GB"), size_of("1.5 GiB"), size_of("200M"), size_of(7), size_of(None)
    (2000000000, 1610612736, 209715200, 7, None)
    """
    if not isinstance(limit, str):
        return limit
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([A-Za-z]*)\s*", limit)
    unit = match and _UNITS.get("" if match[2].upper() == "B" else match[2].upper())
    if not match or not unit:
        raise ValueError(f'memory_limit must be a number of bytes, or like "2GB", "500MiB" or "200M", not {limit!r}')
    return int(float(match[1]) * unit)


def available() -> int | None:
    """Return the bytes a new array may take: free memory, and what the control group allows; None where neither is known."""
    limits = []
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        limits.append(int(lines["MemAvailable"].split()[0]) * 1024)
    except (OSError, KeyError, ValueError):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    try:
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        if most != "max":
            limits.append(int(most) - int(Path("/sys/fs/cgroup/memory.current").read_text()))
    except (OSError, ValueError):
        pass
    return min(limits, default=None)


SMALL = 16 << 20
"""Bytes up to which the free memory is not read: reading it takes as long as computing a small matrix."""


def check_fits(shape: tuple[int, int], dtype: np.dtype[Any], limit: int | None = None) -> None:
    """Refuse a matrix that does not fit in memory, or within ``limit`` bytes, and say what can be done."""
    needed = shape[0] * shape[1] * dtype.itemsize
    free = None if needed <= SMALL else available()
    if limit is not None:
        free = limit if free is None else min(limit, free)
    if free is not None and needed > free:
        ways = [
            'dtype= stores distances in fewer bytes ("float32", "uint16")',
            "cutoff= with sparse=True keeps the near pairs only",
            "out= writes the matrix to a file, in blocks",
        ]
        raise ResultSizeError(
            f"a matrix of {shape[0]:,} × {shape[1]:,} {dtype} takes {needed:,} bytes, {max(free, 0):,} are free: {'; '.join(ways)}",
            needed=needed,
            free=max(free, 0),
        )

"""Host memory: whether a result fits, asked before it is computed."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ResultSizeError

if TYPE_CHECKING:
    import numpy as np


def available() -> int | None:
    """Return the bytes a new array may take: free memory, and what the control group allows; None where nobody says."""
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


def check_fits(shape: tuple[int, int], dtype: np.dtype[Any], limit: int | None = None) -> None:
    """Refuse a matrix that does not fit in memory, or within ``limit`` bytes, and say what can be done."""
    needed, free = shape[0] * shape[1] * dtype.itemsize, available()
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

"""GAP's reference programs as a rival, for comparison only: nothing of them is part of steppe, fetched or built by it.

Set ``STEPPE_GAP`` to a folder with the programs ``sssp`` and ``bfs``, compiled with OpenMP. Programs in a folder ``serial``
inside it, compiled without (``make SERIAL=1``), are used for one thread. ``sssp_float32`` beside either is used for float32
weights: GAP's ``WeightT`` is then float, and its reader must be told to accept four-byte weights of that type.

Fair play: GAP gets its graph as a serialized file, read outside its clock. It does not choose delta, so six powers of two
around the largest weight / average degree are tried on the first source, more while the best lies at an end of the range,
and the best is kept. A trial here is the better of two in one process. It uses 32-bit distances and no predecessors (its
bfs writes parents and no hops). It times itself; for one thread its clock is replaced by one that counts CPU time, as
steppe's own is, so that a busy machine costs neither anything. It prints no distances: its own verifier must pass, and the
number of vertices reached must agree. From LARGE edges on, where a run takes ten seconds and more, it is tuned once, on all
CPUs, from three powers of two on; a trial is one run, and its verifier, a serial search of minutes, is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

import steppe as sp
from steppe.machine.threads import available

from .graphs import pick_sources

FOLDER = Path(os.environ["STEPPE_GAP"]) if os.environ.get("STEPPE_GAP") else None

LARGE = 100_000_000
"""Edges from which a run takes so long that fewer are made."""

_CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    return syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, now);
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec t;
    (void)zone;
    clock_gettime(0, &t);
    now->tv_sec = t.tv_sec;
    now->tv_usec = t.tv_nsec / 1000;
    return 0;
}
"""


def _binary(graph: sp.Graph, task: str, threads: int) -> Path | None:
    if FOLDER is None:
        return None
    name = (
        "sssp_float32" if task == "sssp" and graph.weights is not None and graph.weights.dtype == np.float32 else task
    )
    for folder in (FOLDER / "serial", FOLDER) if threads == 1 else (FOLDER,):
        if (folder / name).is_file():
            return folder / name
    return None


def has(graph: sp.Graph, task: str, threads: int) -> bool:
    """Whether there is a program for this."""
    known = task == "bfs" or (graph.weights is not None and graph.weights.dtype in (np.int32, np.float32))
    return known and _binary(graph, task, threads) is not None


@cache
def _cpu_clock() -> str | None:
    """Return a library that makes every clock count CPU time; None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="steppe-clock-"))
    (folder / "clock.c").write_text(_CLOCK)
    library = folder / "clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", str(folder / "clock.c"), "-o", str(library)], check=True)
    return str(library)


class _File:
    """A graph as GAP reads it, for all programs that are given it, and the delta that was found for them."""

    def __init__(self, graph: sp.Graph, task: str) -> None:
        self.graph, self.delta = graph, ""
        self._folder = tempfile.TemporaryDirectory(prefix="steppe-gap-")
        self.path = Path(self._folder.name) / ("graph.wsg" if task == "sssp" else "graph.sg")
        # The file format has four bytes per weight and the float program reads them as floats: write the bits.
        weights = None if task == "bfs" else graph.weights.view(np.int32)
        sp.write(sp.Graph.from_csr(graph.indptr, graph.indices, weights, directed=graph.directed), self.path)


_files: WeakValueDictionary[tuple[int, str], _File] = WeakValueDictionary()


class Program:
    """One of GAP's programs with a graph and, for sssp, its best delta."""

    def __init__(self, graph: sp.Graph, task: str, threads: int) -> None:
        binary = _binary(graph, task, threads)
        assert binary is not None
        self._large = graph.num_edges >= LARGE
        self._file = _files.get((id(graph), task)) or _File(graph, task)
        _files[id(graph), task] = self._file
        self.note = "parents by direction-optimising search"
        self._delta: list[str] = []
        self._binary, self._threads = binary, threads
        if task == "sssp" and self._large:
            self._tune_once(graph, pick_sources(graph, 1)[0])
        elif task == "sssp":
            self._tune(graph, pick_sources(graph, 1)[0])

    def _tune_once(self, graph: sp.Graph, source: int) -> None:
        """Find the best delta on all CPUs, or take the one that was found for another number of threads."""
        if not self._file.delta:
            mine = self._binary, self._threads
            self._threads = available()
            self._binary = _binary(graph, "sssp", self._threads) or self._binary
            self._tune(graph, source, around=1)
            self._binary, self._threads = mine
            self._file.delta = self._delta[-1]
        self._delta = ["-d", self._file.delta]
        self.note = f"delta-stepping, delta {self._file.delta} the best on all CPUs, 32-bit distances"

    def _call(self, source: int, trials: int, *flags: str, clock: bool) -> str:
        environment = {**os.environ, "OMP_NUM_THREADS": str(self._threads)}
        library = _cpu_clock() if clock and self._threads == 1 else None
        if library is not None:
            environment["LD_PRELOAD"] = library
        command = [
            str(self._binary),
            "-f",
            str(self._file.path),
            "-r",
            str(source),
            "-n",
            str(trials),
            *self._delta,
            *flags,
        ]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    def _seconds(self, source: int) -> float:
        out = self._call(source, 1 if self._large else 2, clock=True)
        return min(float(t) for t in re.findall(r"^Trial Time:\s+(\S+)", out, re.MULTILINE))

    def _tune(self, g: sp.Graph, source: int, around: int = 3) -> None:
        """Find the best delta among powers of two: so many on either side of a guess, and on from the best."""
        whole = g.is_integer
        middle = round(np.log2(g.max_weight * g.num_vertices / g.num_edges))
        times: dict[int, float] = {}

        def attempt(power: int) -> None:
            if power in times or (whole and power < 0):
                return
            self._delta = ["-d", str(2**power if whole else 2.0**power)]
            times[power] = self._seconds(source)

        for power in range(middle - around, middle + max(around, 2)):
            attempt(power)
        best, known = min(times, key=times.__getitem__), 0
        while len(times) > known:
            known = len(times)
            attempt(best - 1)
            attempt(best + 1)
            best = min(times, key=times.__getitem__)
        chosen = 2**best if whole else 2.0**best
        self._delta = ["-d", str(chosen)]
        self.note = f"delta-stepping, delta {chosen} the best of {len(times)}, 32-bit distances"

    def answer(self, source: int) -> str:
        """Return what the program says of its answer, by its own verifier and statistics."""
        return self._call(source, 1, *([] if self._large else ["-v"]), "-a", clock=False)

    def check(self, source: int, answer: str, truth: npt.NDArray[Any]) -> None:
        """Check the verdict and the number of vertices reached."""
        assert self._large or re.search(r"Verification:\s+PASS", answer), f"GAP's verifier, source {source}: {answer}"
        reached = re.search(r"Tree (?:reaches|has) (\d+) nodes", answer)
        assert reached is not None, answer
        assert int(reached[1]) == np.isfinite(truth).sum()

    def timed(self, source: int) -> tuple[float, float]:
        """Return (wall, CPU) seconds of a trial by the program's own clock: CPU for one thread, wall for more."""
        seconds = self._seconds(source)
        return (float("nan"), seconds) if self._threads == 1 and _cpu_clock() else (seconds, float("nan"))

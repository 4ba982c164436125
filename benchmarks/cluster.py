"""A graph in parts on workers of Ray: against one process and SciPy, by superstep, and the memory of every process.

    make bench-cluster                                            # all of it: three minutes or so
    PYTHONPATH=tests python -m benchmarks.cluster rmat grid       # or some of: rmat, grid, memory
    PYTHONPATH=tests python -m benchmarks.cluster memory --folder /tmp/m   # keeps the graph of 100 M edges there

Ray runs as in the tests, in a network with nothing but loopback; where that is not permitted there is an error. Every answer is compared
with that of one process, and proven in the workers, before anything is timed. Times are by the clock, interleaved: least and median.

``plain`` is delta-stepping as Meyer and Sanders have it ("Δ-stepping: a parallelizable shortest path algorithm", 2003), counted and not timed:
every phase, of light edges of a bucket or of its heavy ones, is a superstep. It is run at the width of the plan's supersteps, and at
that of buckets within a part.

Memory is read from /proc/PID/status every few milliseconds. A worker's share are the files of its parts. What it takes beyond is its resident memory
(RssAnon + RssShmem + RssFile) without as much of the share as it may have mapped: the workers read all of it. An idle worker of Ray's with NumPy and
steppe imported is measured the same way.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import dijkstra

import steppe as sp
from benchmarks import graphs
from cluster_checks import running
from steppe.calls.partitioned import facts_of_parts
from steppe.planning.widths import within_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from steppe.files.partitioned import PartitionedGraph

MIB = 1 << 20
FIELDS = ("RssAnon", "RssShmem", "RssFile")


# Time -----------------------------------------------------------------------------------------------------------------


def interleaved(runs: dict[str, Callable[[], Any]], times: int) -> dict[str, list[float]]:
    """Return the seconds of every run, made in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            begun = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - begun)
    return seconds


def show(name: str, seconds: list[float]) -> None:
    """Print a line: least and median."""
    print(f"  {name:38} {min(seconds) * 1e3:9.1f} ms   median {statistics.median(seconds) * 1e3:9.1f} ms", flush=True)


def show_steps(answers: list[Any]) -> int:
    """Print what a superstep took, and how it divides: of the busiest worker, and of exchange and waiting; return how many there were."""
    steps: int = answers[0].explain().supersteps
    each = [answer._rounds.spent / steps * 1e3 for answer in answers]
    busy = [answer._rounds.busy / steps * 1e3 for answer in answers]
    rest = [a - b for a, b in zip(each, busy, strict=True)]
    words = [f"{min(some):.2f} ms, median {statistics.median(some):.2f}" for some in (each, busy, rest)]
    print(f"  {steps} supersteps, each {words[0]}: searching {words[1]}; exchange {words[2]}")
    return steps


def proven(g: PartitionedGraph, graph: sp.Graph, source: int, engine: sp.Ray) -> None:
    """Compare an answer with that of one process, and have it proven."""
    right = sp.sssp(graph, source).verify()
    found = sp.sssp(g, source, engine=engine).verify()
    if not np.array_equal(found.distances, right.distances):
        raise AssertionError("the answers differ")
    print("  proven, and equal to one process's, bit for bit", flush=True)


def rmat(folder: Path, args: argparse.Namespace) -> None:
    """R-MAT: two workers against one process and SciPy."""
    graph = sp.generate.rmat(args.scale, 16, seed=1)
    source = int(np.argmax(graph.degrees))
    g = sp.partition(graph, folder / "rmat", parts=2)
    print(f"R-MAT of scale {args.scale}: {g}")
    matrix = graph.to_scipy().astype(np.float64)
    plain, ready = graphs.fresh(graph), graphs.fresh(graph).prepare()

    def unprepared() -> None:
        os.environ["STEPPE_PREPARE"] = "0"
        sp.sssp(plain, source)
        del os.environ["STEPPE_PREPARE"]

    with sp.Ray(workers=2) as engine:
        proven(g, graph, source, engine)
        right = sp.sssp(graph, source)
        if not np.array_equal(dijkstra(matrix, indices=source), np.where(right.reachable, right.distances, np.inf)):
            raise AssertionError("SciPy's answer differs")
        told: list[Any] = []
        runs = {
            "two workers": lambda: told.append(sp.sssp(g, source, engine=engine)),
            "one process, rows not prepared": unprepared,
            "one process, prepared": lambda: sp.sssp(ready, source),
        }
        seconds = interleaved(runs, args.times)
        seconds |= interleaved({"SciPy, one process": lambda: dijkstra(matrix, indices=source)}, 3)
        explained = told[0].explain()
        show_steps(told)
        told.clear()
    for name, found in seconds.items():
        show(name, found)
    edges = explained.relaxations_per_edge
    print(f"  {explained.messages:,} vertices told, {edges} relaxations an edge, {explained.wait_share:.0%} waiting")
    mine = seconds["two workers"]
    for name in list(seconds)[1:]:
        least, middle = (f(mine) / f(seconds[name]) for f in (min, statistics.median))
        print(f"  two workers : {name} = {least:.2f}, of medians {middle:.2f}")


# Supersteps -----------------------------------------------------------------------------------------------------------


def plain_phases(graph: sp.Graph, source: int, delta: float) -> tuple[int, Any]:
    """Return how many phases plain delta-stepping makes, and its distances."""
    indptr, indices, weights = graph.indptr, graph.indices, graph.weights
    distances = np.full(graph.num_vertices, np.inf)
    distances[source] = 0
    phases = 0

    def relax(rows: Any, light: bool) -> Any:
        """Relax these vertices' light or heavy edges in one phase; return the vertices that fell."""
        counts = indptr[rows + 1] - indptr[rows]
        edges = np.arange(counts.sum()) + np.repeat(indptr[rows] - (np.cumsum(counts) - counts), counts)
        sums = np.repeat(distances[rows], counts) + weights[edges]
        chosen = (weights[edges] <= delta) == light
        targets, sums = indices[edges][chosen], sums[chosen]
        better = sums < distances[targets]
        np.minimum.at(distances, targets[better], sums[better])
        return np.unique(targets[better])

    is_waiting = np.zeros(graph.num_vertices, dtype=bool)
    is_waiting[source] = True
    while is_waiting.any():
        waiting = np.flatnonzero(is_waiting)
        bucket = distances[waiting].min() // delta
        rows, done = waiting[distances[waiting] // delta == bucket], []
        while len(rows):
            is_waiting[rows] = False
            done.append(rows)
            fell = relax(rows, light=True)
            is_waiting[fell] = True
            rows = fell[distances[fell] // delta == bucket]
            phases += 1
        done = np.unique(np.concatenate(done))
        if (weights[_edges_of(indptr, done)] > delta).any():
            is_waiting[relax(done, light=False)] = True
            phases += 1
    return phases, distances


def _edges_of(indptr: Any, rows: Any) -> Any:
    counts = indptr[rows + 1] - indptr[rows]
    return np.arange(counts.sum()) + np.repeat(indptr[rows] - (np.cumsum(counts) - counts), counts)


def grid(folder: Path, args: argparse.Namespace) -> None:
    """Count and time the supersteps on a grid."""
    graph = sp.generate.grid(args.side, args.side, seed=1)
    g = sp.partition(graph, folder / "grid", parts=2)
    print(f"grid {args.side}²: {g}")
    matrix = graph.to_scipy().astype(np.float64)
    with sp.Ray(workers=2) as engine:
        proven(g, graph, 0, engine)
        told: list[Any] = []
        runs = {
            "two workers": lambda: told.append(sp.sssp(g, 0, engine=engine)),
            "one process": lambda: sp.sssp(graph, 0),
            "SciPy, one process": lambda: dijkstra(matrix, indices=0),
        }
        for name, seconds in interleaved(runs, 4 * args.times).items():
            show(name, seconds)
        steps = show_steps(told)
        right = sp.sssp(graph, 0).distances
        narrow = float(2.0 ** int(np.log2(within_part(facts_of_parts(g), hops=False))))
        for name, delta in (("the plan's", told[0].explain().delta), ("buckets within a part", narrow)):
            phases, distances = plain_phases(graph, 0, delta)
            if not np.array_equal(distances, right):
                raise AssertionError("plain delta-stepping is wrong")
            same = sp.sssp(g, 0, engine=engine, delta=delta).explain().supersteps
            print(
                f"  delta {delta:g} ({name}): {same} supersteps; plain delta-stepping {phases}, {phases / steps:.1f}×"
            )


# Memory ---------------------------------------------------------------------------------------------------------------


def resident(pid: int) -> dict[str, int]:
    """Return a process's resident memory by kind, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    found = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith("Rss")}
    return {field: int(found[field]) * 1024 for field in FIELDS}


class Peaks:
    """The most that processes had resident while a block of code runs: of each kind, and of anonymous and shared memory together."""

    def __init__(self, pids: Iterable[int]) -> None:
        self.most = {pid: dict.fromkeys((*FIELDS, "own"), 0) for pid in pids}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._stop.wait(0.005):
            for pid, most in self.most.items():
                now = resident(pid)
                now["own"] = now["RssAnon"] + now["RssShmem"]
                for field, size in now.items():
                    most[field] = max(most[field], size)

    def __enter__(self) -> Peaks:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def memory(folder: Path, args: argparse.Namespace) -> None:
    """100 M random edges: partitioned, and searched by four workers."""
    import ray

    file = folder / "random.steppe"
    if not file.exists():
        sp.generate.to_file(file, "random", args.vertices, args.edges, seed=1)
    before = resident(os.getpid())["RssAnon"]
    if not (folder / "random").exists():
        begun = time.perf_counter()
        with Peaks([os.getpid()]) as peaks:
            sp.partition(file, folder / "random", parts=4, memory_limit="512MiB")
        most = peaks.most[os.getpid()]["RssAnon"]
        seconds = time.perf_counter() - begun
        print(f"partitioned in {seconds:.1f} s: {most / MIB:.0f} MiB private at most, {before / MIB:.0f} before")
    g = sp.open_partitioned(folder / "random")
    print(g)

    @ray.remote
    class Idle:
        def pid(self) -> int:
            import steppe

            return steppe and os.getpid()

    idle = Idle.remote()
    none = resident(ray.get(idle.pid.remote()))
    print("  an idle worker: " + ", ".join(f"{field} {size / MIB:.0f}" for field, size in none.items()) + " MiB")
    ray.kill(idle)
    with sp.Ray(workers=4, cpus=0.5, timeout=120) as engine:
        pids = [pid for pid, _ in engine.workers_of(g).start().pids]
        shares = [sum((folder / "random" / f"{kind}").stat().st_size for kind in kinds(n)) for n in range(4)]
        source = 0
        for name, call in phases_of(g, source, engine):
            begun = time.perf_counter()
            with Peaks(pids) as peaks:
                call()
            seconds = time.perf_counter() - begun
            for share, most in zip(shares, peaks.most.values(), strict=True):
                beyond = most["own"] + max(0, most["RssFile"] - share)
                kinds_of = ", ".join(f"{field} {most[field] / MIB:.0f}" for field in FIELDS)
                print(
                    f"  {name}: share {share / MIB:.0f}, beyond it {beyond / MIB:.0f} MiB at most ({kinds_of})",
                    flush=True,
                )
            print(f"  {name}: {seconds:.1f} s", flush=True)


def kinds(part: int) -> tuple[str, str]:
    """Return the files of a part."""
    return f"part-{part:06}.steppe", f"ghosts-{part:06}.npy"


def phases_of(g: PartitionedGraph, source: int, engine: sp.Ray) -> Iterable[tuple[str, Callable[[], object]]]:
    """Yield what workers are asked, in turn: a search, and the proof of it."""
    answers: list[Any] = []
    yield "search", lambda: answers.append(sp.sssp(g, source, engine=engine))
    yield "proof", answers[0].verify
    print(answers[0].explain())


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=[], help="rmat, grid, memory; default: all")
    parser.add_argument("--folder", type=Path, help="keep graphs there")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--side", type=int, default=500)
    parser.add_argument("--vertices", type=int, default=8_000_000)
    parser.add_argument("--edges", type=int, default=100_000_000)
    parser.add_argument("--times", type=int, default=7)
    args = parser.parse_args()
    known = {"rmat": rmat, "grid": grid, "memory": memory}
    if unknown := set(args.what) - set(known):
        parser.error(f"not known: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in args.what or known:
            with running(cpus=2):
                known[name](folder, args)


if __name__ == "__main__":
    main()

"""Measure graphs larger than the device: time and bytes copied, from a budget of all edges down to a twentieth of them.

    python -m benchmarks.stream --device opencl:pocl --scale 18 --graph rmat grid

A budget of 25 % is room for the arrays of the vertices and a quarter of the bytes of edges. Every
answer is compared with the CPU's, and the peak of the device's memory with the budget, before a line is printed. ``every part`` copies all
parts in every round, as document 001 does (every_part.py); it is measured at 25 % (``--every`` for all budgets: slow on grids).
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np

import steppe as sp
from steppe.gpu import get_device
from steppe.gpu.stream import loop as stream
from steppe.gpu.stream.passes import Passes
from steppe.planning.question import Question

from .every_part import EveryPart

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEDULES = {"active": Passes, "every part": EveryPart}
SHARES = (1.0, 0.5, 0.25, 0.1, 0.05)
VERTEX = 16  # bytes: offset, distance, mark; the work list has to go into the share of the edges
GRAPHS: dict[str, Callable[[int], sp.Graph]] = {
    "rmat": sp.generate.rmat,
    "random": lambda scale: sp.generate.random(1 << scale, 16 << scale),
    "grid": lambda scale: sp.generate.grid(1 << scale // 2, 1 << scale - scale // 2),
}


def measure(name: str, graph: sp.Graph, device: str, method: str, every: bool) -> None:
    """Print one line for every budget and schedule."""
    begun = time.perf_counter()
    right = sp.sssp(graph, 0, device="cpu").distances
    cpu = time.perf_counter() - begun
    edges = graph.indices.nbytes + (0 if graph.weights is None else graph.weights.nbytes)
    print(f"\n{name}: {graph.num_vertices:,} vertices, {edges:,} bytes of edges; CPU {cpu:.2f} s\n")
    print("| budget | schedule | seconds | parts | passes | bytes copied / bytes of edges | peak / budget |")
    print("|---|---|---|---|---|---|---|")
    for share in SHARES:
        limit = int(VERTEX * graph.num_vertices + (1 << 14) + share * edges)
        small = get_device(device, memory_limit=limit)
        if small is None:
            raise SystemExit("the CPU is no device here: use opencl:pocl, cuda, ...")
        for schedule, passes in SCHEDULES.items() if every or share == 0.25 else [("active", Passes)]:
            small.memory.peak = 0
            search = Question(np.zeros(1, np.int64))
            stream.run(small, graph, search, method, passes=passes) if share == 1.0 else None  # compile
            begun = time.perf_counter()
            answer = stream.run(small, graph, search, method, passes=passes)
            seconds = time.perf_counter() - begun
            if not np.array_equal(answer.distances, right) or small.memory.peak > limit:
                raise SystemExit(f"{name}, {share:.0%}, {schedule}: wrong")
            explained = answer.explained
            copied, peak = explained["bytes_copied"] / edges, small.memory.peak / limit
            counts = f"{explained['parts']} | {explained['passes']}"
            print(f"| {share:.0%} | {schedule} | {seconds:.2f} | {counts} | {copied:.2f} | {peak:.3f} |", flush=True)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="opencl")
    parser.add_argument("--scale", type=int, default=17, help="2^scale vertices")
    parser.add_argument("--graph", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--method", choices=("frontier", "delta-stepping", "bellman-ford"), default="delta-stepping")
    parser.add_argument("--every", action="store_true", help="every part at every budget")
    given = parser.parse_args()
    for name in given.graph:
        measure(name, GRAPHS[name](given.scale), given.device, given.method, given.every)


if __name__ == "__main__":
    main()

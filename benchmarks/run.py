"""Measure graphs by methods, rivals and sources: one JSON line per trial.

    python -m benchmarks.run                         quick: medium graphs, about two minutes
    python -m benchmarks.run --plan sssp             `make bench-sssp`: large graphs, five sources, at least seven trials
    python -m benchmarks.run --plan full             everything, three sizes: hours
    python -m benchmarks.run --family kron --size small --rival steppe SciPy

Every option of a plan can be given by hand. What exactly is computed, checked and excluded: benchmarks/cells.py, benchmarks/rivals.py and
(for GAP, with STEPPE_GAP) benchmarks/gap.py. ``python -m benchmarks.report FILE`` makes tables and charts of the lines.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import steppe as sp

from . import cells, graphs, limits, rivals

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Plan:
    """What is measured. ``floats`` are the families that are measured with float weights, too."""

    family: tuple[str, ...] = tuple(graphs.FAMILIES)
    size: tuple[str, ...] = ("medium",)
    floats: tuple[str, ...] = ("kron",)
    weights: tuple[str, ...] = graphs.WEIGHTS
    task: tuple[str, ...] = ("sssp", "bfs")
    output: tuple[str, ...] = ("distances", "predecessors", "recorded")
    threads: tuple[int, ...] = (1, 2)
    method: tuple[str, ...] = ("auto",)
    rival: tuple[str, ...] = tuple(rivals.RIVALS)
    sources: int = 3
    trials: int = 5
    budget: float = 0.7


MAIN = ("kron", "urand", "er", "grid", "NY")
PLANS = {
    "quick": Plan(),
    "sssp": Plan(MAIN, ("large",), MAIN, rival=("steppe", "GAP", "SciPy"), sources=5, trials=7),
    "peers": Plan(
        MAIN,
        ("large",),
        MAIN,
        weights=("int32",),
        output=("distances", "predecessors"),
        sources=5,
        trials=7,
        budget=20.0,
    ),
    "growth": Plan(size=graphs.SIZES, weights=("int32",), output=("distances",), rival=("steppe", "GAP", "SciPy")),
    "giants": Plan(
        ("kron", "er"),
        (graphs.GIANT,),
        (),
        weights=("int32",),
        task=("sssp",),
        output=("distances",),
        rival=("steppe", "GAP"),
        sources=1,
        trials=2,
    ),
    "full": Plan(
        size=graphs.SIZES,
        floats=tuple(graphs.FAMILIES),
        method=("auto", "dijkstra", "delta-stepping", "frontier"),
        sources=5,
        trials=7,
        budget=30.0,
    ),
}


def machine() -> dict[str, Any]:
    """Describe this computer and these programs."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    git = ["git", "-C", str(graphs.ROOT), "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "machine": f"{model}, {cpus} CPUs",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}, NumPy {np.__version__}",
        "commit": commit,
    }


def cases(plan: Plan) -> list[tuple[str, str, str]]:
    """Return the graphs of a plan: (family, size, weights)."""
    return [
        (family, size, weights)
        for family in plan.family
        for size in plan.size
        for weights in plan.weights
        if graphs.exists(family, size) and (weights == "int32" or family in plan.floats)
    ]


def run_case(plan: Plan, family: str, size: str, weights: str) -> Any:
    """Yield the records of one graph."""
    graph = graphs.load(family, size, weights)
    sources = graphs.pick_sources(graph, plan.sources)
    about = {"family": family, "size": size, "weights": weights, "n": graph.num_vertices, "m": graph.num_edges}
    prepared = cells.prepare(graph)
    for task in plan.task if weights == "int32" else [t for t in plan.task if t == "sssp"]:
        truth = cells.truths(graph, task, sources)
        reached = float(np.mean([np.isfinite(d).mean() for d in truth.values()]))
        table = [
            cell
            for threads in plan.threads
            for output in plan.output
            for cell in cells.cells(graph, task, output, threads, list(plan.rival), list(plan.method))
        ]
        for record in cells.run(table, {task: truth}, rounds=plan.trials, budget=plan.budget):
            limit = limits.limit_ns(graph.num_vertices, record["threads"], bytes_per_edge=8 if task == "sssp" else 4)
            yield about | prepared | {"reached": reached, "limit_ns": limit} | record
    rivals.forget()


def run(plan: Plan, out: Path) -> int:
    """Measure a plan into a file; return the number of cells that gave wrong answers."""
    out.parent.mkdir(exist_ok=True, parents=True)
    common = machine() | {"run": time.strftime("%Y-%m-%dT%H:%M:%S")}
    failures = 0
    with out.open("w") as file:
        for case in cases(plan):
            begun, trials = time.perf_counter(), 0
            print(f"{' '.join(case):32}", end="", file=sys.stderr, flush=True)
            for record in run_case(plan, *case):
                file.write(json.dumps(common | record) + "\n")
                trials += record["kind"] == "trial"
                if record["kind"] == "failure":
                    failures += 1
                    print(f"\n  WRONG: {record['rival']} {record['task']} {record['error']}", file=sys.stderr)
            print(f"{trials:6} trials {time.perf_counter() - begun:8.1f} s", file=sys.stderr)
            file.flush()
    return failures


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plan", choices=PLANS, default="quick")
    parser.add_argument("-o", "--out", type=Path, help="JSON lines; default: benchmarks/results/PLAN.jsonl")
    choices = {
        "family": graphs.FAMILIES,
        "size": (*graphs.SIZES, graphs.GIANT),
        "weights": graphs.WEIGHTS,
        "rival": rivals.RIVALS,
    }
    for field in fields(Plan):
        value = getattr(Plan(), field.name)
        many = isinstance(value, tuple)
        kind = type(value[0]) if many else type(value)
        parser.add_argument(f"--{field.name}", nargs="+" if many else None, type=kind, choices=choices.get(field.name))
    options = vars(parser.parse_args(arguments))
    given = {f.name: options[f.name] for f in fields(Plan) if options[f.name] is not None}
    plan = replace(PLANS[options["plan"]], **{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    if "weights" in given and "floats" not in given:
        plan = replace(plan, floats=plan.family)
    out = options["out"] or RESULTS / f"{options['plan']}.jsonl"
    failures = run(plan, out)
    print(f"wrote {out}; steppe {sp.__version__}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

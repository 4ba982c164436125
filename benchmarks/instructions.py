"""Count instructions per query with Valgrind's callgrind: a figure that does not depend on noise.

Two processes run the same program, one with a few queries more; the difference of their counts is what those queries cost,
Python's part included. Nothing else differs, so the count repeats to a few in a million. It says nothing of caches: a method
may execute more instructions and still be faster.

    python -m benchmarks.instructions [--family kron er grid] [--task sssp bfs]
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys

from . import graphs
from .run import machine

QUERIES = 4
_PROGRAM = """
import sys
import steppe as sp
from benchmarks import graphs
family, task, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
graph = graphs.load(family, "small")
search = sp.sssp if task == "sssp" else sp.bfs
source = graphs.pick_sources(graph, 1)[0]
if hasattr(graph, "prepare"):
    graph.prepare()
for _ in range(2 + count):
    search(graph, source, threads=1)
"""


def count(family: str, task: str, queries: int) -> int:
    """Return the instructions of a whole process with so many queries after two that warm it up."""
    valgrind = shutil.which("valgrind")
    assert valgrind is not None, "valgrind is not installed"
    command = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-c", _PROGRAM]
    done = subprocess.run(
        [*command, family, task, str(queries)], cwd=graphs.ROOT, capture_output=True, text=True, check=True
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1])


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line: JSON lines to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", nargs="+", default=["kron", "er", "grid"], choices=list(graphs.FAMILIES))
    parser.add_argument("--task", nargs="+", default=["sssp"], choices=["sssp", "bfs"])
    options = parser.parse_args(arguments)
    for family in options.family:
        graph = graphs.load(family, "small")
        for task in options.task:
            each = (count(family, task, QUERIES) - count(family, task, 0)) / QUERIES
            record = {"kind": "instructions", "family": family, "size": "small", "task": task, "n": graph.num_vertices}
            record |= {"m": graph.num_edges, "instructions": round(each), "per_edge": round(each / graph.num_edges, 2)}
            print(json.dumps(machine() | record), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""One path at a time: ``route`` beside our own search stopped at the target, on a road network.

Each side answers the same random pairs, one after the other, on one thread, CPU time:

- stopped: ``sssp(graph, source, targets=[target])`` on a prepared graph; distances of all that was reached.
- bidirectional: ``route`` as it is at first; the path, too.
- landmarks: ``route`` after ``prepare(routes=True)``, whose time is given beside it; the path, too.
- from scratch: ``route`` on a fresh graph, with all that it makes on the way, landmarks when they pay included.
- neighbours: ``route`` between the ends of an edge, with landmarks.

All distances must be equal before any time is told. The graph is New York where its file is (see graphs.py), else generated.

    python -m benchmarks.route [--pairs 1000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import steppe as sp

from . import graphs
from .run import machine

if TYPE_CHECKING:
    from collections.abc import Callable


def _fresh() -> sp.Graph:
    if graphs.exists("NY", "large"):
        return graphs.load("NY", "large")
    return sp.generate.road(250_000)


def _ask(answer: Callable[[int, int], Any], pairs: list[list[int]]) -> tuple[float, list[Any]]:
    start = time.process_time()
    found = [answer(s, t) for s, t in pairs]
    return (time.process_time() - start) / len(pairs), found


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line: JSON lines to standard output, a summary to standard error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    plain, marked = _fresh(), _fresh()
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, plain.num_vertices, (options.pairs, 2)).tolist()
    ends = rng.integers(0, plain.num_edges, options.pairs)
    edges = np.c_[np.searchsorted(plain.indptr, ends, side="right") - 1, plain.indices[ends]].tolist()
    plain.prepare()
    start = time.process_time()
    marked.prepare(routes=True)
    making = time.process_time() - start

    def stopped(s: int, t: int) -> Any:
        return sp.sssp(plain, s, targets=[t], threads=1).distance(t)

    def without(s: int, t: int) -> Any:
        plain.prepared.slot("landmarks").spent = 0  # a graph that never gets landmarks
        return sp.route(plain, s, t)

    best: dict[str, float] = {}
    settled: dict[str, float] = {}
    for _ in range(options.rounds):
        fresh = _fresh()
        answers = {
            "stopped": _ask(stopped, pairs),
            "bidirectional": _ask(without, pairs),
            "landmarks": _ask(lambda s, t: sp.route(marked, s, t), pairs),
            "from scratch": _ask(lambda s, t, g=fresh: sp.route(g, s, t), pairs),  # type: ignore[misc]
        }
        expected = answers.pop("stopped")
        best["stopped"] = min(best.get("stopped", expected[0]), expected[0])
        for name, (seconds, found) in answers.items():
            assert [r.distance for r in found] == expected[1], f"{name}: the distances differ"
            best[name] = min(best.get(name, seconds), seconds)
            settled[name] = sum(r.settled for r in found) / len(found)
        seconds, _found = _ask(lambda s, t: sp.route(marked, s, t), edges)
        best["neighbours"] = min(best.get("neighbours", seconds), seconds)
    common = machine() | {"kind": "route", "n": plain.num_vertices, "m": plain.num_edges, "pairs": options.pairs}
    for name, seconds in best.items():
        print(json.dumps(common | {"rival": name, "cpu": seconds, "settled": settled.get(name)}))
        told = f"{settled[name]:9,.0f} settled" if name in settled else ""
        print(f"{name:14} {1e6 * seconds:8.1f} µs {best['stopped'] / seconds:6.2f}× {told}", file=sys.stderr)
    print(f"landmarks and rows took {making:.3f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Whether `auto` is ever the slow choice: beside every method of our own, whatever the weights.

Graphs: all instances of SPLIB that are at hand (``splib`` in the folder of real graphs, see benchmarks/graphs.py), and {grid, R-MAT, random}
by nine kinds of weights, from even to so skewed that their mean says nothing. Times are CPU seconds of one thread, graphs not prepared, the
methods in turn, the least of several rounds; answers must be equal. A method that takes ten times as long as `auto` in the first round is
not asked again.

    python -m benchmarks.widths [--rounds 5] [--only splib|made]

Shown are `auto`, the best of the methods, their ratio, and how often `auto` relaxed an edge. The last line has the worst of both.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import steppe as sp

from . import graphs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WEIGHTS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "uniform": lambda rng, m: rng.integers(1, 11, m),
    "lognormal 1": lambda rng, m: rng.lognormal(0, 1, m),
    "lognormal 2": lambda rng, m: rng.lognormal(0, 2, m),
    "lognormal 3": lambda rng, m: rng.lognormal(0, 3, m),
    "Pareto 1": lambda rng, m: 1 + rng.pareto(1, m),
    "Pareto 0.5": lambda rng, m: 1 + rng.pareto(0.5, m),
    "1 % of 10^6": lambda rng, m: np.where(rng.random(m) < 0.01, 10**6, rng.integers(1, 11, m)),
    "0.1 % of 10^9": lambda rng, m: np.where(rng.random(m) < 0.001, 10**9, rng.integers(1, 11, m)),
    "two scales": lambda rng, m: np.where(rng.random(m) < 0.5, 1, 10**5) * rng.integers(1, 11, m),
}
SHAPES: dict[str, Callable[[], sp.Graph]] = {
    "grid 500²": lambda: sp.generate.grid(500, 500, weights=None),
    "R-MAT 16": lambda: sp.generate.rmat(16, 16, weights=None, seed=1),
    "random 200,000": lambda: sp.generate.random(200_000, 1_000_000, weights=None, seed=1),
}
METHODS = ("dijkstra", "delta-stepping", "frontier", "bellman-ford")


def made() -> Iterator[tuple[str, sp.Graph, int]]:
    """Yield every shape with every kind of weights, and the vertex of most edges; weights are the same both ways."""
    for shape, make in SHAPES.items():
        plain = make()
        u, v = np.repeat(np.arange(plain.num_vertices), plain.degrees), plain.indices
        if not plain.directed:
            once = u <= v
            u, v = u[once], v[once]
        for kind, draw in WEIGHTS.items():
            weights = draw(np.random.default_rng(7), len(u))
            graph = sp.Graph.from_edges(u, v, weights, directed=plain.directed)
            yield f"{shape}, {kind}", graph, int(np.argmax(graph.degrees))


def splib() -> Iterator[tuple[str, sp.Graph, int]]:
    """Yield the instances of SPLIB with the sources that ``expected.csv`` beside them names."""
    folder = graphs.data() / "splib"
    if not (folder / "expected.csv").exists():
        print(f"no SPLIB in {folder}: left out")
        return
    with (folder / "expected.csv").open() as file:
        for row in csv.DictReader(file):
            yield row["file"].split(".gr")[0], sp.read(folder / row["file"]), int(row["source"])


def measure(graph: sp.Graph, source: int, rounds: int) -> tuple[dict[str, float], float]:
    """Return the least seconds of `auto` and of each method that is quick enough, and `auto`'s relaxations an edge."""
    truth = sp.sssp(graph, source, threads=1).verify()
    methods = ["auto", *(m for m in METHODS if not graph.has_negative or m == "bellman-ford")]
    best: dict[str, float] = {}
    for turn in range(rounds):
        for method in list(methods):
            begun = time.process_time()
            answer = sp.sssp(graph, source, threads=1, method=method)
            seconds = time.process_time() - begun
            best[method] = min(seconds, best.get(method, seconds))
            if turn == 0:
                if not np.array_equal(answer.distances, truth.distances):
                    raise AssertionError(f"{method} differs from auto")
                if seconds > 10 * best["auto"]:
                    methods.remove(method)
    return best, truth.explain().relaxations_per_edge or 0.0


def main(arguments: list[str] | None = None) -> None:
    """Print one line a graph."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("splib", "made"))
    options = parser.parse_args(arguments)
    os.environ["STEPPE_PREPARE"] = "0"
    kinds = {"splib": splib, "made": made}
    worst, most = (0.0, ""), (0.0, "")
    for kind in [options.only] if options.only else kinds:
        for name, graph, source in kinds[kind]():
            best, relaxed = measure(graph, source, options.rounds)
            quickest = min((m for m in best if m != "auto"), key=best.__getitem__)
            ratio = best["auto"] / best[quickest]
            worst, most = max(worst, (ratio, name)), max(most, (relaxed, name))
            print(
                f"{name:32} auto {1e3 * best['auto']:8.2f} ms, {quickest:14} {1e3 * best[quickest]:8.2f} ms, "
                f"ratio {ratio:.2f}, {relaxed:.2f} relaxations an edge",
                flush=True,
            )
    print(f"worst ratio {worst[0]:.2f} ({worst[1]}); most relaxations an edge {most[0]:.2f} ({most[1]})")


if __name__ == "__main__":
    main()

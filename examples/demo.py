"""Shortest paths on a road-like network of a million crossings: made, solved, proved, one path shown. Run by `make demo`."""

from __future__ import annotations

import sys
import time

import steppe as sp


def table(title: str, rows: list[tuple[str, str, str]]) -> None:
    """Print three columns: with rich where it is installed, plainly where it is not."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ModuleNotFoundError:
        print(title, *(f"  {a:<24} {b:>8} s   {c}" for a, b, c in rows), sep="\n")
        return
    grid = Table(title=title, title_justify="left")
    grid.add_column("step")
    grid.add_column("seconds", justify="right")
    grid.add_column("what came out")
    for row in rows:
        grid.add_row(*row)
    Console().print(grid)


def main(vertices: int = 1_000_000) -> None:
    """Make, solve and prove; vertices are numbered row by row, so the last one lies in the opposite corner."""
    rows: list[tuple[str, str, str]] = []
    clock = time.perf_counter()

    def done(step: str, outcome: str) -> None:
        nonlocal clock
        now = time.perf_counter()
        rows.append((step, f"{now - clock:.3f}", outcome))
        clock = time.perf_counter()

    graph = sp.generate.road(vertices, seed=2024)
    done("generate a road network", f"{graph.num_vertices:,} crossings, {graph.num_edges:,} directed links, in metres")

    paths = sp.sssp(graph, 0)
    how = paths.explain()
    done("shortest paths from 0", f"{int(paths.reachable.sum()):,} reached; {how.method} on {how.threads} threads")

    paths.verify()
    done("prove every distance", "no edge improves, every vertex hangs from the source")

    goal = vertices - 1
    path = paths.path(goal)
    done(f"one path, 0 → {goal}", f"{len(path):,} crossings, {paths.distance(goal) / 1000:,.1f} km")

    route = sp.route(graph, 0, goal)
    done("the same by route()", f"{route.distance / 1000:,.1f} km")

    table(f"steppe {sp.__version__}", rows)
    print("the path:", *path[:6].tolist(), "…", *path[-6:].tolist())
    print(f"why {how.method}:", how.reason)
    if route.distance != paths.distance(goal):
        sys.exit("route() and sssp() disagree")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

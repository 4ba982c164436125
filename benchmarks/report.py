"""Make tables and charts of JSON lines: ``python -m benchmarks.report FILE... [--docs]``.

A figure is the mean over the sources of the least time of each: CPU time for one thread, which a busy machine hardly
disturbs, and wall time for more. Ratios compare such figures of one run. Without ``--docs`` the tables go to the terminal and,
with the charts, beside the first file; with it to docs/benchmarks.md, docs/benchmarks-*.svg and the marked part of the README.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from . import chart, graphs, rivals

Row = dict[str, Any]
CASE = ("family", "size", "weights")
RECORDED = "steppe, recorded"
TIMES = "×"
KEY = (*CASE, "task", "output", "threads", "state", "method", "rival")


def read(paths: list[Path]) -> list[Row]:
    """Return the lines of several files; of two runs of one cell the later counts."""
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    latest: dict[Any, str] = {}
    for line in lines:
        key = tuple(line.get(name) for name in KEY)
        latest[key] = max(latest.get(key, ""), line["run"])
    return [line for line in lines if line["run"] == latest[tuple(line.get(name) for name in KEY)]]


def summarise(lines: list[Row]) -> list[Row]:
    """Return one row per cell: ``ms`` (the figure of the module's text), ``median_ms``, ``trials`` per source, and the facts of the graph."""
    groups: dict[Any, list[Row]] = defaultdict(list)
    for line in lines:
        if line["kind"] == "trial":
            groups[tuple(line[name] for name in KEY)].append(line)
    rows = []
    for trials in groups.values():
        row = dict(trials[-1])
        times: dict[int, list[float]] = defaultdict(list)
        for t in trials:
            use_cpu = t["threads"] == 1 and t["cpu"] is not None
            times[t["source"]].append(t["cpu"] if use_cpu or t["wall"] is None else t["wall"])
        row["ms"] = 1e3 * statistics.mean(min(v) for v in times.values())
        row["median_ms"] = 1e3 * statistics.mean(statistics.median(v) for v in times.values())
        row["trials"], row["sources"] = min(len(v) for v in times.values()), len(times)
        row["load"] = statistics.mean(t["load"] for t in trials)
        if trials[-1].get("edges_touched") is not None:
            row["touched"] = statistics.mean(t["edges_touched"] for t in trials) / row["m"]
        row["ns"] = row["ms"] * 1e6 / max(1.0, row["m"])
        row["share"] = row["limit_ns"] / row["ns"]
        rows.append(row)
    order = {name: i for i, name in enumerate((*graphs.FAMILIES, *graphs.SIZES, graphs.GIANT, *graphs.WEIGHTS))}
    return sorted(rows, key=lambda r: [order[r[name]] for name in CASE])


def select(rows: list[Row], **wanted: Any) -> list[Row]:
    """Return the rows that have these values; a tuple names alternatives."""
    return [r for r in rows if all(r[k] in v if isinstance(v, tuple) else r[k] == v for k, v in wanted.items())]


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def _graph(row: Row) -> str:
    weights = "" if row["weights"] == "int32" or row["task"] == "bfs" else f", {row['weights']}"
    return f"{row['family']} {row['size']}{weights}"


def markdown(head: list[str], body: list[list[str]]) -> str:
    """Return a table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---", *["---:"] * (len(head) - 1)], *body])


def compare(rows: list[Row], *, note: str = "", **wanted: Any) -> str:
    """Return the table of all rivals on one question: milliseconds, and how many times steppe's time that is."""
    chosen = [r for r in select(rows, state="warm", **wanted) if r["method"] in ("", "auto")]
    if wanted["output"] == "predecessors":
        recorded = select(rows, state="warm", rival="steppe", method="auto", **(wanted | {"output": "recorded"}))
        chosen += [r | {"rival": RECORDED} for r in recorded]
    names = [name for name in ("steppe", RECORDED, *rivals.RIVALS) if any(r["rival"] == name for r in chosen)]
    names = list(dict.fromkeys(names))
    by_case: dict[Any, dict[str, Row]] = defaultdict(dict)
    for r in chosen:
        by_case[tuple(r[name] for name in CASE)][r["rival"]] = r
    body = []
    for found in by_case.values():
        ours = found.get("steppe")
        if ours is None:
            continue
        cells = [f"**{_number(ours['ms'])}**"]
        for name in names[1:]:
            r = found.get(name)
            cells.append("" if r is None else f"{_number(r['ms'])} ({r['ms'] / ours['ms']:.1f}{TIMES})")
        body.append([_graph(ours), f"{ours['m'] / 1e6:.1f} M", *cells])
    return note + markdown(["graph", "edges", *(f"{name}, ms" for name in names)], body) if body else ""


def states(rows: list[Row]) -> str:
    """Return the table of steppe's own states: cold, warm, with either tree, with more threads."""
    by_case: dict[Any, dict[str, Row]] = defaultdict(dict)
    for r in select(rows, rival="steppe", method="auto"):
        name = {"distances": r["state"], "predecessors": "canonical tree", "recorded": "recorded tree"}[r["output"]]
        if r["threads"] == 1 or name == "warm":
            by_case[*(r[k] for k in CASE), r["task"]][
                name if r["threads"] == 1 else f"warm, {r['threads']} threads"
            ] = r
    names = ["cold", "warm", "canonical tree", "recorded tree"]
    names += sorted({n for found in by_case.values() for n in found} - set(names))
    body = []
    for key, found in by_case.items():
        row = next(iter(found.values()))
        cells = [_number(found[n]["ms"]) if n in found else "" for n in names]
        body.append([f"{_graph(row)}, {key[-1]}", *cells, _number(1e3 * row["prepare_cpu"])])
    return markdown(["graph, task", *(f"{n}, ms" for n in names), "prepare, CPU ms"], body)


def work(rows: list[Row]) -> str:
    """Return the table of work and limits: one thread, warm, distances only."""
    body = [
        [
            f"{_graph(r)}, {r['task']}",
            f"{r['n']:,}",
            f"{r['m']:,}",
            str(r["ran"]) + (f", δ {r['delta']:g}" if r["delta"] else ""),
            f"{r['touched']:.2f}",
            f"{r['ns']:.2f}",
            f"{r['limit_ns']:.2f}",
            f"{100 * r['share']:.0f} %",
        ]
        for r in select(rows, rival="steppe", state="warm", output="distances", threads=1, method="auto")
    ]
    return markdown(
        ["graph, task", "vertices", "edges", "method", "touched / edges", "ns per edge", "limit, ns", "share"], body
    )


def losses(rows: list[Row]) -> list[str]:
    """Return a line for every warm cell in which a rival is faster than steppe (with predecessors: than the faster of its two ways)."""
    ours: dict[Any, float] = {}
    for r in select(rows, rival="steppe", state="warm", method="auto"):
        output = "predecessors" if r["output"] == "recorded" else r["output"]
        key = (*(r[k] for k in (*CASE, "task")), output, r["threads"])
        ours[key] = min(ours.get(key, r["ms"]), r["ms"])
    lines = []
    for r in rows:
        mine = ours.get(tuple(r[k] for k in (*CASE, "task", "output", "threads")))
        if r["rival"] != "steppe" and mine is not None and r["ms"] < mine:
            plural = "s" if r["threads"] > 1 else ""
            lines.append(
                f"{_graph(r)}, {r['task']}, {r['output']}, {r['threads']} thread{plural}: {r['rival']} {_number(r['ms'])} ms, "
                f"steppe {_number(mine)} ms ({mine / r['ms']:.2f}{TIMES})"
            )
    return lines


def origin(rows: list[Row]) -> str:
    """Return where and with what the figures were made."""
    versions = {r["rival"]: r["version"] for r in rows}
    load = statistics.mean(r["load"] for r in rows)
    first = rows[0]
    return (
        f"{first['machine']}; {first['system']}; commit {', '.join(sorted({r['commit'] for r in rows}))}; "
        + ", ".join(f"{name} {version}" for name, version in versions.items())
        + f". {max(r['sources'] for r in rows)} sources, up to {max(r['trials'] for r in rows)} trials each; "
        f"mean load average meanwhile {load:.1f}."
    )


def document(rows: list[Row]) -> str:
    """Return docs/benchmarks.md."""
    parts = [(graphs.ROOT / "benchmarks" / "protocol.md").read_text().strip(), "## Figures", origin(rows)]
    tasks = [("sssp", "Shortest paths"), ("bfs", "Hops (BFS)")]
    outputs = [("distances", "distances only"), ("predecessors", "with predecessors")]
    threads = sorted({r["threads"] for r in rows})
    for task, title in tasks:
        for output, what in outputs:
            for count in threads:
                table = compare(rows, task=task, output=output, threads=count)
                if table and (count == 1 or output == "distances"):
                    clock = "CPU time" if count == 1 else "wall time"
                    parts += [f"### {title}, {what}, {count} thread{'s' if count > 1 else ''} ({clock})", table]
        parts.append(f"![{title}: time per edge](benchmarks-{task}.svg)")
    if chart.growth(rows):
        parts += ["### Growth", "![Shortest paths: time per edge over the sizes](benchmarks-growth.svg)"]
    parts += [
        "### steppe itself",
        states(rows),
        "### Work and the machine's limit",
        work(rows),
        "### Where steppe loses",
    ]
    lost = losses(rows)
    parts.append("\n".join(f"- {line}" for line in lost) if lost else "In none of the cells above.")
    return "\n\n".join(parts) + "\n"


def readme(rows: list[Row]) -> str:
    """Return the README's part: shortest paths and hops, distances only, one thread, integer weights, the largest size there is."""
    size = max({r["size"] for r in rows}, key=(*graphs.SIZES, graphs.GIANT).index)
    large = select(rows, size=size, weights="int32")
    sssp = compare(large, task="sssp", output="distances", threads=1)
    lost = losses(large)
    return "\n\n".join(
        [
            "Shortest paths from one source, distances only, one thread, CPU time (in brackets: times steppe's):",
            sssp,
            "![time per edge](docs/benchmarks-sssp.svg)",
            origin(large)
            + " Every answer was checked before it was timed. All tables, what is computed and what is excluded: "
            f"[docs/benchmarks.md](docs/benchmarks.md). Cells of the large tables in which another library is faster: {len(lost)}; "
            "they are listed there. On your machine: `make bench`.",
        ]
    )


def _between(text: str, part: str) -> str:
    head, start, rest = text.partition("<!-- benchmarks -->")
    _, end, tail = rest.partition("<!-- /benchmarks -->")
    assert start, "the README has no <!-- benchmarks -->"
    assert end, "the README has no <!-- /benchmarks -->"
    return f"{head}{start}\n{part}\n{end}{tail}"


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--docs", action="store_true", help="write docs/benchmarks.md, its charts and the README's part"
    )
    options = parser.parse_args(arguments)
    rows = summarise(read(options.files))
    if not rows:
        sys.exit("no trials in these files")
    folder = graphs.ROOT / "docs" if options.docs else options.files[0].parent
    for task in ("sssp", "bfs"):
        chart.draw(rows, task, folder / f"benchmarks-{task}.svg")
    chart.draw_growth(rows, folder / "benchmarks-growth.svg")
    (folder / "benchmarks.md").write_text(document(rows))
    if options.docs:
        path = graphs.ROOT / "README.md"
        path.write_text(_between(path.read_text(), readme(rows)))
    else:
        print(document(rows))
    print(f"wrote {folder / 'benchmarks.md'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A graph larger than its budget: written straight to a file, searched from the file, proven, with memory measured.

    python -m benchmarks.external --edges 218000000 --vertices 20000000 --limit 1073741824 --device cpu opencl:pocl

The graph never exists in memory. ``RssAnon`` (this process's memory without mapped pages, from /proc/self/status, Linux
only) is read every few milliseconds; the table shows by how much it rose above what it was before the step. On PoCL, which runs
on the CPU, that includes everything on the device. Every answer is compared with the first one of its kind, which is proven.
The best published run of this idea, streaming through a laptop GPU, took 59.3 s for 20 M vertices and 218 M edges.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import steppe as sp

if TYPE_CHECKING:
    from collections.abc import Callable

PUBLISHED = 59.3


def resident(field: str) -> int:
    """Return a field of /proc/self/status in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field + ":")) * 1024


class Peak:
    """The largest rise of ``RssAnon`` and the largest ``RssFile`` while a block of code runs."""

    def __enter__(self) -> Peak:
        """Start to watch."""
        self._stop = threading.Event()
        self._begun = resident("RssAnon")
        self.anonymous = self.mapped = 0
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._stop.wait(0.005):
            self.anonymous = max(self.anonymous, resident("RssAnon") - self._begun)
            self.mapped = max(self.mapped, resident("RssFile"))

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._stop.set()
        self._thread.join()


def measure(name: str, call: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    """Return a row of the table and what the call returned."""
    with Peak() as peak:
        begun, worked = time.perf_counter(), time.process_time()
        result = call()
        seconds, worked = time.perf_counter() - begun, time.process_time() - worked
    times = {"step": name, "seconds": round(seconds, 3), "cpu_seconds": round(worked, 3)}
    return times | {"rss_anon": peak.anonymous, "rss_file": peak.mapped}, result


def show(args: argparse.Namespace, file: Path) -> dict[str, Any]:
    """Make, search and prove; return what was measured."""
    rows, answers = [], []
    if file.exists():
        graph = sp.read(file)
    else:
        shape = (args.vertices, args.edges) if args.family == "random" else (args.vertices,)
        row, graph = measure("generate to file", lambda: sp.generate.to_file(file, args.family, *shape, seed=1))
        rows.append(row)
    source = int(graph.degrees.argmax())
    vars(graph).pop("degrees")  # eight bytes a vertex that the search does not need
    for name, search in (("sssp", sp.sssp), ("bfs", sp.bfs)):
        first: sp.Paths | None = None
        for device in args.device:
            for turn in range(args.repeat):
                row, paths = measure(
                    f"{name}, {device}, {'first' if turn == 0 else 'again'}",
                    lambda search=search, device=device: search(graph, source, device=device, memory_limit=args.limit),  # type: ignore[misc]
                )
                rows.append(row | figures(paths))
                if first is None:
                    first = paths
                elif not np.array_equal(first.distances, paths.distances):
                    raise SystemExit(f"{name}: {device} has another answer than {args.device[0]}")
            del paths
        if first is not None:
            row, _ = measure(f"{name}, verify", first.verify)
            rows.append(row)
            reached = f"{name} reached {int(first.reachable.sum()):,} of {graph.num_vertices:,}"
            answers.append(f"{reached}; {' and '.join(args.device)} agree, proven")
    if args.compare:
        row, _ = measure("sssp, cpu, without a limit", lambda: sp.sssp(graph, source, device="cpu"))
        rows.append(row)
    return {
        "graph": repr(graph),
        "file_bytes": file.stat().st_size,
        "limit": args.limit,
        "published_seconds": PUBLISHED,
        "answers": answers,
        "rows": rows,
    }


def figures(paths: sp.Paths) -> dict[str, Any]:
    """Return what a search tells of itself."""
    told = paths.explain()
    names = ("passes", "parts", "bytes_copied", "bytes_skipped", "edges_relaxed", "threads", "copy_share")
    return {name: getattr(told, name) for name in names} | {"counted_peak": told.peak_bytes}


def table(shown: dict[str, Any]) -> str:
    """Return what was measured as markdown."""
    lines = [
        f"{shown['graph']}, file {shown['file_bytes'] / 1e9:.2f} GB, memory_limit {shown['limit'] / 2**20:,.0f} MiB",
        "",
        "| step | seconds | CPU seconds | RssAnon rose, MiB | RssFile, MiB | counted peak, MiB | passes | GB read | GB skipped |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in shown["rows"]:
        cells = [row["step"], f"{row['seconds']:.2f}", f"{row['cpu_seconds']:.2f}"]
        cells += [f"{row['rss_anon'] / 2**20:.0f}", f"{row['rss_file'] / 2**20:.0f}"]
        if "passes" in row:
            cells += [f"{row['counted_peak'] / 2**20:.0f}", f"{row['passes']:,}"]
            cells += [f"{row['bytes_copied'] / 1e9:.2f}", f"{row['bytes_skipped'] / 1e9:.2f}"]
        else:
            cells += ["", "", "", ""]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *shown["answers"]])


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=["random", "road"], default="random")
    parser.add_argument("--vertices", type=int, default=20_000_000)
    parser.add_argument("--edges", type=int, default=218_000_000)
    parser.add_argument("--limit", type=int, default=1 << 30)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--compare", action="store_true", help="search without a limit as well")
    parser.add_argument("--device", nargs="+", default=["cpu"], help="cpu, opencl:pocl, ...; several are compared")
    parser.add_argument("--folder", type=Path, help="where the file goes; it is deleted afterwards")
    parser.add_argument("--file", type=Path, help="a .steppe file that stays; made if it is not there")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        shown = show(args, args.file or Path(folder, "graph.steppe"))
    sys.stdout.write((json.dumps(shown, indent=1) if args.json else table(shown)) + "\n")


if __name__ == "__main__":
    main()

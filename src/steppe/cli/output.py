"""What commands print and save: aligned facts or JSON, arrays to files."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..files.matrix_file import npy_header
from ..files.target import destination
from .app import output_kind
from .terminal import escaped, escaped_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..files.matrix_file import Array
    from ..paths import Paths


KINDS = (".npy", ".npz", ".csv", ".parquet")


def show(facts: dict[str, Any], *, as_json: bool, error: bool = False) -> None:
    """Print facts, one a line, or as one JSON object; to stderr where stdout carries the answer itself."""
    if as_json:
        line = escaped_json(json.dumps(_plain(facts), ensure_ascii=False))
        print(line, file=sys.stderr if error else sys.stdout)
        return
    from rich.text import Text

    console = _console(error=error)
    shown = {escaped(name.replace("_", " ")): escaped(said) for name, value in facts.items() if (said := text(value))}
    width = max(map(len, shown))
    for name, value in shown.items():
        console.print(Text(f"{name:<{width}}  ", style="dim").append(Text(value, style="not dim")), soft_wrap=True)


def _console(*, error: bool = False) -> Any:
    from rich.console import Console

    class Pipe(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # which the application knows to be no error; rich would exit with 1

    return Pipe(stderr=error, highlight=False)


def aligned(rows: list[list[str]]) -> None:
    """Print a table: the first column to the left, the others to the right, a header first."""
    from rich.text import Text

    if not rows:
        return
    rows = [[escaped(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(len(rows[0]))]
    console = _console()
    for line, row in enumerate(rows):
        cells = [
            f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(row, widths, strict=False))
        ]
        console.print(Text("  ".join(cells).rstrip(), style="dim" if line == 0 else "not dim"), soft_wrap=True)


def text(value: Any) -> str:
    """Return a value as people read it; nothing for None and for what only JSON has."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list):
        return " ".join(map(text, value))
    return "" if value is None or isinstance(value, dict) else str(value)


def _plain(value: Any) -> Any:
    """Return the value in JSON's types; JSON has no infinity, so that an unreached vertex is null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def summary(paths: Paths) -> dict[str, Any]:
    """Return how many vertices were reached, the sum of their distances (exact for integers) and the largest."""
    reached = paths.distances[paths.reachable]
    total: int | float
    if reached.dtype.kind == "f":
        total = float(reached.sum(dtype=np.float64))
    else:  # a sum of int64 may pass int64: add the halves
        wide = reached.astype(np.int64, copy=False)
        total = (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFFFFFF).sum())
    largest = reached.max().item() if len(reached) else None
    return {"reached": len(reached), "sum": total, "largest": largest}


def save(paths: Paths, file: str, *, predecessors: bool) -> None:
    """Save distances, and predecessors where they were recorded, in the format that the suffix names."""
    kind = output_kind(file, KINDS)
    if kind == ".npy":
        save_npy(paths.distances, file)
    elif kind == ".npz":
        arrays = {"distances": paths.distances, "sources": paths.sources}
        if paths.graph.labels is not None:
            arrays["labels"] = paths.graph.labels
        if predecessors:
            arrays["predecessors"] = paths.predecessors
        save_npz(arrays, file)
    elif kind == ".csv":
        columns = _columns(paths, predecessors=predecessors)
        save_csv(tuple(columns), zip(*columns.values(), strict=True), file)
    else:
        save_parquet(_columns(paths, predecessors=predecessors), file)


def _columns(paths: Paths, *, predecessors: bool) -> dict[str, list[Any]]:
    """Return the answer as columns of labels and numbers; None where a vertex was not reached."""
    graph = paths.graph
    names = graph.labels_of(np.arange(graph.num_vertices)).tolist()
    reached = paths.reachable.tolist()
    distances = [d if ok else None for d, ok in zip(paths.distances.tolist(), reached, strict=True)]
    columns: dict[str, list[Any]] = {"vertex": names, "distance": distances}
    if predecessors:
        columns["predecessor"] = [None if p < 0 else names[p] for p in paths.predecessors.tolist()]
    return columns


def save_npy(array: Array, file: str) -> None:
    """Write one array."""
    array = np.ascontiguousarray(array)
    with destination(Path(file)) as stream:  # np.save would write with the C library, whose errors have no reason
        stream.write(npy_header(array.shape, array.dtype))
        stream.write(array.reshape(-1).view(np.uint8).data if array.size else b"")


def save_npz(arrays: dict[str, Any], file: str) -> None:
    """Write arrays under their names."""
    with destination(Path(file)) as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def save_csv(heading: tuple[str, ...], rows: Iterable[tuple[Any, ...]], file: str) -> None:
    """Write a table; ``-`` is standard output, where a terminal is shown no control characters."""
    if file == "-":
        if sys.stdout.isatty():
            rows = (tuple(escaped(cell) if isinstance(cell, str) else cell for cell in row) for row in rows)
        _write_rows(heading, rows, sys.stdout)
        return
    with destination(Path(file)) as stream:
        lines = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        try:
            _write_rows(heading, rows, lines)
        finally:
            lines.detach()


def _write_rows(heading: tuple[str, ...], rows: Iterable[tuple[Any, ...]], stream: Any) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)


def save_parquet(columns: dict[str, list[Any]], file: str) -> None:
    """Write columns as Parquet; needs pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise ImportError("writing .parquet needs pyarrow: pip install pyarrow") from None
    with destination(Path(file)) as stream:
        pq.write_table(pa.table(columns), stream)


def save_lines(heading: tuple[str, ...], columns: tuple[list[Any], ...], file: str, kind: str) -> None:
    """Write columns of equal length as ``.csv`` or ``.parquet``."""
    if kind == ".parquet":
        save_parquet(dict(zip(heading, columns, strict=True)), file)
    elif kind == ".npz":
        save_npz({name: np.asarray(column) for name, column in zip(heading, columns, strict=True)}, file)
    else:
        save_csv(heading, zip(*columns, strict=True), file)

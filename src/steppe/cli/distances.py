"""``steppe distances``, ``all-pairs``, ``nearest``: matrices and pairs of distances, printed, saved or written in blocks."""

from __future__ import annotations

import os
import shlex
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from .. import all_pairs as _all_pairs
from .. import distance_blocks as _distance_blocks
from .. import distances as _distances
from .. import nearest as _nearest
from ..errors import GraphError
from ..files.target import destination
from ..planning.distance_types import unreachable as _unreachable
from ..planning.progress import Bar
from . import app as shared
from . import output
from .app import app, vertices
from .guard import Names
from .pairs import read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
MethodOption = Annotated[
    str,
    typer.Option(
        help="auto, dijkstra, delta-stepping, bellman-ford, johnson, bfs, edge-sweep, batched, contraction, floyd-warshall or essential-edges.",
        metavar="NAME",
        callback=shared.method_name,
    ),
]


def _dtype(text: str) -> np.dtype[Any]:
    try:
        return np.dtype(text)
    except TypeError:
        raise ValueError(f"there is no type {text}") from None


@app.command()
def distances(
    *,
    file: shared.FileArgument,
    sources: Annotated[
        list[str] | None,
        typer.Option("--sources", "--source", "-s", metavar="LIST", help=f"A row for each. {shared.LIST}"),
        Names.LISTED,
    ] = None,
    targets: Annotated[
        list[str] | None,
        typer.Option(
            "--targets",
            "--target",
            "-t",
            metavar="LIST",
            help=f"A column for each; default: every vertex. {shared.LIST}",
        ),
        Names.LISTED,
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A source and a target in each line, and a distance for each of them; - for standard input.",
        ),
        Names.READ,
    ] = None,
    method: MethodOption = "auto",
    device: shared.DeviceOption = None,
    cutoff: shared.CutoffOption = None,
    sparse: Annotated[bool, typer.Option("--sparse", help="Keep reachable pairs only; needs --cutoff.")] = False,
    dtype: Annotated[
        Any, typer.Option(parser=_dtype, metavar="TYPE", help="Store distances in this type: uint16, float32, …")
    ] = None,
    threads: shared.ThreadsOption = None,
    memory_limit: shared.MemoryOption = None,
    reading: shared.Reading,
    save: shared.OutputOption = None,
    force: shared.ForceOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Find the distances from many vertices: a row for each source, a column for each target.

    A .npy file, a .zarr store or a folder of Parquet parts (-o NAME.parquet/) is written in blocks, so that it may be larger than memory, and
    the same command continues one that it has left unfinished.
    """
    if (sources is None) == (pairs is None):
        raise ValueError("give --sources, or --pairs with a file of pairs")
    kind = _kind(save, sparse=sparse)
    if pairs is not None and kind in FOLDERS:
        raise GraphError(f"cannot save pairs as {save!r}: use .npy, .csv or .parquet")
    if pairs is not None and (sparse or targets is not None):
        raise ValueError("--pairs has the targets, and nothing that is sparse")
    shared.keep_finished(save, stored=kind in STORES, force=force)
    graph = reading.open(file)
    options: dict[str, Any] = {"method": method, "device": device, "cutoff": cutoff}
    options |= {"threads": threads, "memory_limit": memory_limit}
    if pairs is not None:
        ends = read_pairs(graph, pairs)
        return _pairs(graph, ends, options | {"dtype": dtype}, save, kind, as_json=as_json)
    rows = vertices(graph, sources or [])
    across = None if targets is None else vertices(graph, targets)
    facts: dict[str, Any]
    start = time.perf_counter()
    with Bar() as bar, going_on(save, kind):
        matrix = _distances(
            graph,
            rows,
            across,
            sparse=sparse,
            dtype=dtype,
            out=save if kind in STORES else None,
            overwrite=force and kind in STORES,
            progress=bar,
            **options,
        )
    seconds = time.perf_counter() - start
    if kind in FOLDERS:
        count = graph.num_vertices if across is None else len(across)
        facts = {"sources": len(rows), "targets": count, "seconds": round(seconds, 4), "written": save}
        output.show(facts, as_json=as_json)
        return None
    table = Table(graph, rows, across, matrix, sparse=sparse)
    if save is not None and kind != ".npy":
        table.save(save, kind)
    facts = {"sources": len(rows), "targets": matrix.shape[1], **table.summary()}
    facts |= {"dtype": str(matrix.dtype), "seconds": round(seconds, 4), "written": None if save == "-" else save}
    if targets is not None and save is None:
        facts["distances"] = [[d for _, d in row] for row in table.rows(every=True)]
        if as_json:
            facts |= {"source_labels": rows, "target_labels": across}
        if not as_json:
            table.show()
    output.show(facts | ({"distances": None} if not as_json else {}), as_json=as_json, error=save == "-")
    return None


@app.command("all-pairs")
def all_pairs(
    *,
    file: shared.FileArgument,
    method: MethodOption = "auto",
    device: shared.DeviceOption = None,
    cutoff: shared.CutoffOption = None,
    sparse: Annotated[bool, typer.Option("--sparse", help="Keep reachable pairs only; needs --cutoff.")] = False,
    dtype: Annotated[Any, typer.Option(parser=_dtype, metavar="TYPE", help="Store distances in this type.")] = None,
    threads: shared.ThreadsOption = None,
    memory_limit: shared.MemoryOption = None,
    reading: shared.Reading,
    save: shared.OutputOption = None,
    force: shared.ForceOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Find the distances between all pairs of vertices; without -o only how many have a path, the sum and the largest."""
    kind = _kind(save, sparse=sparse)
    shared.keep_finished(save, stored=kind in STORES, force=force)
    graph = reading.open(file)
    options: dict[str, Any] = {"method": method, "device": device, "cutoff": cutoff}
    options |= {"threads": threads, "memory_limit": memory_limit}
    start = time.perf_counter()
    facts: dict[str, Any] = {"vertices": graph.num_vertices}
    with Bar() as bar, going_on(save, kind):
        if save is None and not sparse:
            reached, most = 0, 0
            for block in _distance_blocks(graph, dtype=dtype, progress=bar, **options):
                found = block.distances[block.distances != _unreachable(block.distances.dtype)]
                reached, most = reached + len(found), max(most, found.max(initial=0).item())
            facts |= {"reachable_pairs": reached, "largest": most}
        else:
            out = save if kind in STORES else None
            again = force and out is not None
            matrix = _all_pairs(graph, sparse=sparse, dtype=dtype, out=out, overwrite=again, progress=bar, **options)
            if kind not in FOLDERS:
                labels = graph.labels_of(np.arange(graph.num_vertices)).tolist()
                table = Table(graph, labels, None, matrix, sparse=sparse)
                if save is not None and kind != ".npy":
                    table.save(save, kind)
                facts |= table.summary() | {"dtype": str(matrix.dtype)}
    facts |= {"seconds": round(time.perf_counter() - start, 4), "written": None if save == "-" else save}
    output.show(facts, as_json=as_json, error=save == "-")


@app.command()
def nearest(
    *,
    file: shared.FileArgument,
    sources: Annotated[
        list[str],
        typer.Option("--sources", "--source", "-s", metavar="LIST", help=f"The sources. {shared.LIST}"),
        Names.LISTED,
    ],
    offsets: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="The initial distance of each source: numbers with commas between them."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many sources to find for every vertex.")] = 1,
    reverse: Annotated[bool, typer.Option("--reverse", help="Count distances to the sources.")] = False,
    cutoff: shared.CutoffOption = None,
    reading: shared.Reading,
    save: shared.OutputOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Find the nearest of several sources for every vertex; saved are lines of vertex, source and distance."""
    kind = _kind(save, sparse=False)
    if kind in {*STORES, ".npz"}:
        raise GraphError(f"cannot save lines of vertex, source and distance as {save!r}: use .csv or .parquet")
    graph = reading.open(file)
    initial = None if offsets is None else [shared.number(text) for text in offsets.split(",")]
    starts = vertices(graph, sources)
    start = time.perf_counter()
    with Bar() as bar:
        first = [0] * len(starts) if offsets is None and k == 1 else initial
        found = _nearest(graph, starts, offsets=first, k=k, cutoff=cutoff, reverse=reverse, progress=bar)
    seconds = time.perf_counter() - start
    lines = found._columns()
    if save is not None:
        names = ("vertex", "source", "distance")
        output.save_lines(names, tuple(lines[name].tolist() for name in names), save, kind)
    facts = {
        "sources": len(set(starts)),
        "reached": int((found.source_index.reshape(-1, k)[:, 0] >= 0).sum()),
        "largest": lines["distance"].max(initial=0).item(),
        "seconds": round(seconds, 4),
        "written": None if save == "-" else save,
    }
    output.show(facts, as_json=as_json, error=save == "-")


def _pairs(
    graph: Graph,
    ends: tuple[list[Any], list[Any]],
    options: dict[str, Any],
    save: str | None,
    kind: str,
    *,
    as_json: bool,
) -> None:
    start = time.perf_counter()
    with Bar() as bar:
        found = _distances(graph, *ends, pairs=True, progress=bar, **options)
    seconds = time.perf_counter() - start
    reached = found != _unreachable(found.dtype)
    values = [d if ok else None for d, ok in zip(found.tolist(), reached.tolist(), strict=True)]
    if kind == ".npy":
        output.save_npy(found, str(save))
    elif save is not None:
        output.save_lines(("source", "target", "distance"), (*ends, values), save, kind)
    most = found[reached].max(initial=0).item()
    facts: dict[str, Any] = {"pairs": len(found), "reachable_pairs": int(reached.sum()), "largest": most}
    facts |= {"dtype": str(found.dtype), "seconds": round(seconds, 4), "written": None if save == "-" else save}
    if save is None:
        facts["distances"] = values if as_json else None
        if as_json:
            facts |= {"source_labels": ends[0], "target_labels": ends[1]}
        if not as_json:
            output.aligned(
                [[str(s), str(t), "-" if d is None else output.text(d)] for s, t, d in zip(*ends, values, strict=True)]
            )
    output.show(facts, as_json=as_json, error=save == "-")


STORES = (".npy", ".zarr", ".parquet/")
"""What a matrix is written to in blocks, and continued after an interruption."""

FOLDERS = (".zarr", ".parquet/")
"""Those of them that are not read again as a whole."""


@contextmanager
def going_on(save: str | None, kind: str) -> Iterator[None]:
    """Say after Ctrl-C how to go on, where something of the matrix is kept."""
    try:
        yield
    except KeyboardInterrupt:
        if kind in STORES and save is not None and Path(f"{os.path.realpath(save)}.rows").exists():
            sys.stderr.write(f"\nsteppe: what is done is kept; go on with\n  steppe {shlex.join(sys.argv[1:])}\n")
        raise


def _kind(save: str | None, *, sparse: bool) -> str:
    """Return the kind of file to write, refused before anything is computed; "" for none."""
    if save is None:
        return ""
    if save.endswith((".parquet/", f".parquet{os.sep}")):
        kind = ".parquet/"
    else:
        kind = shared.output_kind(save.rstrip("/"), (".npy", ".npz", ".csv", ".parquet", ".zarr"))
    if kind in STORES and sparse:
        raise GraphError(f"a sparse matrix is saved as .npz, .csv or .parquet, not as {kind}")
    return kind


class Table:
    """A matrix with the labels of its rows and columns. As a file of lines it is long: source, target, distance."""

    def __init__(
        self, graph: Graph, sources: list[Any], targets: list[Any] | None, matrix: Any, *, sparse: bool
    ) -> None:
        self.sources = sources
        self.targets = graph.labels_of(np.arange(graph.num_vertices)).tolist() if targets is None else targets
        self.matrix = matrix
        self.sparse = sparse

    def _values(self, row: int) -> tuple[Array, Array, Array]:
        """Return the columns stored in a row, the distances there, and which of them are reachable."""
        if self.sparse:
            begin, end = self.matrix.indptr[row : row + 2]
            found = self.matrix.data[begin:end]
            return self.matrix.indices[begin:end], found, np.ones(len(found), dtype=bool)
        found = np.asarray(self.matrix[row])
        unreachable = np.inf if found.dtype.kind == "f" else np.iinfo(found.dtype).max
        return np.arange(len(found)), found, found != unreachable

    def rows(self, *, every: bool = False) -> Iterator[list[tuple[Any, Any]]]:
        """Yield, for every source, (target, distance) pairs; None where there is no path. ``every``: also what a sparse matrix leaves out."""
        for row in range(len(self.sources)):
            places, values, reachable = self._values(row)
            pairs = [
                (int(j), d if ok else None)
                for j, d, ok in zip(places, values.tolist(), reachable.tolist(), strict=True)
            ]
            if every and self.sparse:
                stored = dict(pairs)
                pairs = [(j, stored.get(j)) for j in range(len(self.targets))]
            yield [(self.targets[j], d) for j, d in pairs]

    def summary(self) -> dict[str, Any]:
        """Return how many pairs have a path, and the largest distance."""
        count, largest = 0, None
        for row in range(len(self.sources)):
            _, values, reachable = self._values(row)
            count += int(reachable.sum())
            if reachable.any():
                most = values[reachable].max().item()
                largest = most if largest is None else max(largest, most)
        return {"reachable_pairs": count, "largest": largest}

    def show(self) -> None:
        """Print the matrix, aligned."""
        header = ["", *map(str, self.targets)]
        lines = [
            [str(source), *("-" if d is None else output.text(d) for _, d in row)]
            for source, row in zip(self.sources, self.rows(every=True), strict=True)
        ]
        output.aligned([header, *lines])

    def save(self, file: str, kind: str) -> None:
        """Write the matrix."""
        if kind == ".npz" and self.sparse:
            from scipy.sparse import save_npz

            with destination(Path(file)) as stream:
                save_npz(stream, self.matrix)
        elif kind == ".npz":
            arrays = {
                "distances": self.matrix,
                "sources": np.asarray(self.sources),
                "targets": np.asarray(self.targets),
            }
            output.save_npz(arrays, file)
        elif kind == ".parquet":
            source, target, distance = ([line[i] for line in self._lines()] for i in range(3))
            output.save_parquet({"source": source, "target": target, "distance": distance}, file)
        else:
            output.save_csv(("source", "target", "distance"), self._lines(), file)

    def _lines(self) -> Iterator[tuple[Any, Any, Any]]:
        for source, row in zip(self.sources, self.rows(), strict=True):
            for target, distance in row:
                yield source, target, distance

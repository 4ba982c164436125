"""``steppe distances``: a matrix of distances, sources × targets, printed, saved or written in blocks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from .. import distances as _distances
from .. import read
from ..errors import GraphError
from ..files.target import destination
from ..planning.progress import Bar
from . import app as shared
from . import output
from .app import app, vertices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
LIST = "Vertices with commas between them; may be repeated."


def _dtype(text: str) -> np.dtype[Any]:
    try:
        return np.dtype(text)
    except TypeError:
        raise ValueError(f"there is no type {text}") from None


@app.command()
def distances(
    file: shared.FileArgument,
    sources: Annotated[list[str], typer.Option("--sources", "-s", metavar="LIST", help=f"A row for each. {LIST}")],
    targets: Annotated[
        list[str] | None,
        typer.Option("--targets", "-t", metavar="LIST", help=f"A column for each; default: every vertex. {LIST}"),
    ] = None,
    method: Annotated[
        str, typer.Option(help="auto, dijkstra, delta-stepping, bellman-ford, bfs or edge.", metavar="NAME")
    ] = "auto",
    device: shared.DeviceOption = None,
    cutoff: shared.CutoffOption = None,
    sparse: Annotated[bool, typer.Option("--sparse", help="Keep reachable pairs only; needs --cutoff.")] = False,
    dtype: Annotated[
        Any, typer.Option(parser=_dtype, metavar="TYPE", help="Store distances in this type: uint16, float32, …")
    ] = None,
    threads: shared.ThreadsOption = None,
    file_format: shared.FormatOption = None,
    directed: shared.DirectedOption = None,
    save: shared.OutputOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Find the distances from many vertices: a row for each source, a column for each target.

    A .npy file is written in blocks, so that it may be larger than memory, and the same command goes on with one it has left unfinished.
    """
    kind = _kind(save, sparse=sparse)
    shared.keep_input(file, save)
    graph = read(file, format=file_format, directed=directed)
    rows = vertices(graph, sources)
    columns = None if targets is None else vertices(graph, targets)
    start = time.perf_counter()
    with Bar() as bar:
        matrix = _distances(
            graph,
            rows,
            columns,
            method=method,
            device=device,
            cutoff=cutoff,
            sparse=sparse,
            dtype=dtype,
            out=save if kind == ".npy" else None,
            threads=threads,
            progress=bar,
        )
    seconds = time.perf_counter() - start
    table = Table(graph, rows, columns, matrix, sparse=sparse)
    if save is not None and kind != ".npy":
        table.save(save, kind)
    facts: dict[str, Any] = {"sources": len(rows), "targets": matrix.shape[1], **table.summary()}
    facts |= {"dtype": str(matrix.dtype), "seconds": round(seconds, 4), "written": None if save == "-" else save}
    if targets is not None and save is None:
        facts["distances"] = [[d for _, d in row] for row in table.rows(every=True)]
        if not as_json:
            table.show()
    output.show(facts | ({"distances": None} if not as_json else {}), as_json=as_json, error=save == "-")


def _kind(save: str | None, *, sparse: bool) -> str:
    """Return the kind of file to write, refused before anything is computed; "" for none."""
    kind = "" if save is None else ".csv" if save == "-" else Path(save).suffix
    if kind not in {"", ".npy", ".npz", ".csv", ".parquet"}:
        raise GraphError(f"cannot save a matrix as {save!r}: use .npy, .npz, .csv or .parquet")
    if kind == ".npy" and sparse:
        raise GraphError("a sparse matrix is saved as .npz, .csv or .parquet, not as .npy")
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

"""The commands about graphs themselves: ``info``, ``convert``, ``partition``, ``generate``."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Any, Literal

import numpy as np
import typer

from .. import Graph, write
from .. import generate as _generate
from .. import partition as _partition
from ..files import formats, write_stream
from ..planning.progress import Bar
from . import app as shared
from . import output
from .app import Application, Commands, app
from .guard import Names


@app.command()
def info(
    *,
    file: shared.FileArgument,
    reading: shared.Reading,
    as_json: shared.JsonOption = False,
) -> None:
    """Print what a graph file holds."""
    start = time.perf_counter()
    graph = reading.open(file)
    output.show(_facts(graph) | {"read_seconds": round(time.perf_counter() - start, 4)}, as_json=as_json)


def _facts(graph: Graph) -> dict[str, Any]:
    n, degrees, weights = graph.num_vertices, graph.degrees, graph.weights
    facts: dict[str, Any] = {"vertices": n, "edges": graph.num_edges, "directed": graph.directed}
    if n:
        labels = "integers" if graph.labels is None else str(graph.labels.dtype)
        facts |= {"labels": labels, "first_vertex": graph.label(0), "last_vertex": graph.label(n - 1)}
        facts |= {"mean_degree": graph.num_edges / n, "largest_degree": int(degrees.max())}
        facts |= {"without_out_edges": int((degrees == 0).sum())}
    facts["weights"] = "none" if weights is None else str(weights.dtype)
    if weights is not None and len(weights):
        facts |= {"min_weight": graph.min_weight, "mean_weight": graph.mean_weight, "max_weight": graph.max_weight}
    return facts | {"bytes": graph.nbytes}


@app.command()
def convert(
    *,
    file: shared.FileArgument,
    to: Annotated[
        str,
        typer.Argument(metavar="OUT", help="The new file; its suffix tells the format. - for stdout."),
        Names.WRITTEN,
    ],
    to_format: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help=f"The new format: {formats.listed(written=True)}.")
    ] = None,
    numbers: Annotated[
        str | None,
        typer.Option("--map", metavar="FILE", help="Number vertices 1…n, and write numbers and labels to this .csv."),
        Names.WRITTEN,
    ] = None,
    reading: shared.Reading,
    attributes: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Further columns to keep, with commas between them.")
    ] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out lines in which something is missing.")
    ] = False,
    decimal: Annotated[str | None, typer.Option(help="The decimal point of a table: . or ,")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a text that is not UTF-8: latin-1, cp1252, utf-16.")] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Read a graph in one format and write it in another."""
    if to == "-" and to_format is None:
        raise ValueError("standard output has no suffix that tells a format: add --to csv, or another one")
    options: dict[str, Any] = {"missing": "drop" if drop_missing else "error", "decimal": decimal, "encoding": encoding}
    if attributes is not None:
        options["attributes"] = [int(word) if word.isdecimal() else word for word in attributes.split(",")]
    graph = reading.open(file, **options)
    if numbers is not None:
        graph = _numbered(graph, numbers)
    if to == "-":
        write_stream(graph, sys.stdout.buffer, format=str(to_format))
        return
    write(graph, to, format=to_format)
    _show_written(graph, to, as_json=as_json)


def _numbered(graph: Graph, file: str) -> Graph:
    """Write the vertices' labels to a file, and return the graph with numbers from 1 in their place."""
    count = graph.num_vertices
    labels = graph.labels_of(np.arange(count)).tolist()
    kind = shared.output_kind(file, (".csv", ".parquet"))
    output.save_lines(("vertex", "label"), (list(range(1, count + 1)), labels), file, kind)
    rows = graph.indptr, graph.indices, graph.weights
    return Graph.from_csr(*rows, labels=np.arange(1, count + 1), directed=graph.directed)


def _make(to: str, family: str, *sizes: int, stream: bool, as_json: bool, **options: Any) -> None:
    """Make a graph of a family and write it, streamed where that is wanted."""
    if stream:
        graph = _generate.to_file(to, family, *sizes, **options)
    else:
        graph = getattr(_generate, family)(*sizes, **options)
        write(graph, to)
    _show_written(graph, to, as_json=as_json)


def _show_written(graph: Graph, to: str, *, as_json: bool) -> None:
    output.show({"written": to, "vertices": graph.num_vertices, "edges": graph.num_edges}, as_json=as_json)


@app.command()
def partition(
    file: shared.FileArgument,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder to make."), Names.WRITTEN],
    parts: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many, at most 4096 and as many as vertices.", show_default="64, or as many as vertices"
        ),
    ] = None,
    by: Annotated[Literal["range", "locality"], typer.Option(help="By numbers, or neighbours together.")] = "range",
    memory_limit: shared.MemoryOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Cut a graph into parts, for a cluster; a .steppe file is read piece by piece."""
    with Bar() as bar:
        made = _partition(file, folder, parts=parts, by=by, memory_limit=memory_limit, progress=bar)
    cut = {"edges_cut": made.num_cut, "share_cut": round(made.num_cut / max(1, made.num_edges), 4)}
    facts = {"written": folder, "parts": made.num_parts, "vertices": made.num_vertices, "edges": made.num_edges}
    output.show(facts | cut, as_json=as_json)


# generate -----------------------------------------------------------------------------------------------------------

makers = Application(cls=Commands, no_args_is_help=True, help="Make a graph; the same seed makes the same graph.")
app.add_typer(makers, name="generate")


def _weights(text: str) -> tuple[int, int] | str | None:
    if text == "none":
        return None
    if text in {"float32", "float64"}:
        return text
    low, dots, high = text.partition("..")
    if not dots:
        raise ValueError("use LOW..HIGH, float32, float64 or none")
    return int(low), int(high)


Out = Annotated[
    str, typer.Option("--output", "-o", help="The file to write; its suffix tells the format."), Names.WRITTEN
]
Seed = Annotated[int, typer.Option(help="Names the graph.")]
Stream = Annotated[
    bool, typer.Option("--stream", help="Write a .steppe file piece by piece: the graph may be larger than memory.")
]
Weights = Annotated[
    Any, typer.Option(parser=_weights, metavar="KIND", help="LOW..HIGH (whole numbers), float32, float64 or none.")
]


@makers.command()
def rmat(
    scale: Annotated[int, typer.Argument(help="2 to this power is the number of vertices.")],
    out: Out,
    edge_factor: Annotated[int, typer.Option(help="Edges drawn per vertex.")] = 16,
    directed: Annotated[bool, typer.Option("--directed", help="Store one direction only.")] = False,
    weights: Weights = "1..255",
    seed: Seed = 0,
    as_json: shared.JsonOption = False,
) -> None:
    """R-MAT: few hubs, small diameter (Graph500's parameters)."""
    options = {"weights": weights, "seed": seed, "directed": directed}
    _make(out, "rmat", scale, edge_factor, stream=False, as_json=as_json, **options)


@makers.command()
def random(
    vertices: int,
    edges: int,
    out: Out,
    weights: Weights = "1..255",
    stream: Stream = False,
    seed: Seed = 0,
    as_json: shared.JsonOption = False,
) -> None:
    """Random: directed edges with uniform ends; with --stream another such graph, its out-degrees at most twice the mean."""
    _make(out, "random", vertices, edges, weights=weights, stream=stream, seed=seed, as_json=as_json)


@makers.command()
def grid(
    rows: int,
    columns: int,
    out: Out,
    weights: Weights = "1..255",
    stream: Stream = False,
    seed: Seed = 0,
    as_json: shared.JsonOption = False,
) -> None:
    """Grid: rows and columns, undirected."""
    _make(out, "grid", rows, columns, weights=weights, stream=stream, seed=seed, as_json=as_json)


@makers.command()
def road(
    vertices: int,
    out: Out,
    metric: Annotated[
        Literal["length", "time"], typer.Option(help="Metres, or tenths of a second at the road's speed.")
    ] = "length",
    stream: Stream = False,
    seed: Seed = 0,
    as_json: shared.JsonOption = False,
) -> None:
    """Road: low degree, large diameter, connected; weights are lengths or times."""
    _make(out, "road", vertices, metric=metric, stream=stream, seed=seed, as_json=as_json)

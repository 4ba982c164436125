"""The commands about graphs themselves: ``info``, ``convert``, ``generate``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import generate as _generate
from .. import read, write
from ..files.edge_list import vertex_file
from ..files.source import split_suffix
from . import app as shared
from . import output
from .app import Commands, app

if TYPE_CHECKING:
    from ..graph.graph import Graph


@app.command()
def info(
    file: shared.FileArgument,
    file_format: shared.FormatOption = None,
    directed: shared.DirectedOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Print what a graph file holds."""
    start = time.perf_counter()
    graph = read(file, format=file_format, directed=directed)
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
    file: shared.FileArgument,
    to: Annotated[str, typer.Argument(metavar="OUT", help="The new file; its suffix tells the format.")],
    file_format: shared.FormatOption = None,
    directed: shared.DirectedOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Read a graph in one format and write it in another."""
    shared.keep_input(file, to, vertex_file(Path(to)) if split_suffix(Path(to))[0] == ".e" else None)
    graph = read(file, format=file_format, directed=directed)
    _written(graph, to, as_json=as_json)


def _written(graph: Graph, to: str, *, as_json: bool) -> None:
    write(graph, to)
    _told(graph, to, as_json=as_json)


def _streamed(to: str, family: str, first: int, second: int | None, *, as_json: bool, **options: Any) -> None:
    _told(_generate.to_file(to, family, first, second, **options), to, as_json=as_json)


def _told(graph: Graph, to: str, *, as_json: bool) -> None:
    output.show({"written": to, "vertices": graph.num_vertices, "edges": graph.num_edges}, as_json=as_json)


# generate -----------------------------------------------------------------------------------------------------------

makers = typer.Typer(cls=Commands, no_args_is_help=True, help="Make a graph; the same seed makes the same graph.")
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


Out = Annotated[str, typer.Option("--output", "-o", help="The file to write; its suffix tells the format.")]
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
    graph = _generate.rmat(scale, edge_factor, weights=weights, seed=seed, directed=directed)
    _written(graph, out, as_json=as_json)


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
    if stream:
        _streamed(out, "random", vertices, edges, weights=weights, seed=seed, as_json=as_json)
    else:
        _written(_generate.random(vertices, edges, weights=weights, seed=seed), out, as_json=as_json)


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
    if stream:
        _streamed(out, "grid", rows, columns, weights=weights, seed=seed, as_json=as_json)
    else:
        _written(_generate.grid(rows, columns, weights=weights, seed=seed), out, as_json=as_json)


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
    if stream:
        _streamed(out, "road", vertices, None, metric=metric, seed=seed, as_json=as_json)
    else:
        _written(_generate.road(vertices, metric=metric, seed=seed), out, as_json=as_json)

"""``steppe plot``: a graph, or one search, as a picture; and what ``isochrone`` shares with it."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import sssp
from ..errors import GraphError
from ..files.target import destination
from . import app as shared
from . import output
from .app import app, vertex
from .guard import Names

if TYPE_CHECKING:
    from ..graph.graph import Graph

PICTURES = (".png", ".svg", ".pdf")

CoordinatesOption = Annotated[
    str | None,
    typer.Option("--coordinates", metavar="FILE", help="A DIMACS .co file: where the vertices are."),
    Names.READ,
]
NearOption = Annotated[
    str | None, typer.Option("--near", metavar="LON,LAT", help="Start from the vertex nearest to this point instead.")
]
StartOption = Annotated[str | None, typer.Option("--source", "-s", help="The vertex to start from.")]


@app.command()
def plot(
    file: shared.FileArgument,
    save: Annotated[str, typer.Option("--output", "-o", help="The picture: .png, .svg or .pdf."), Names.WRITTEN],
    source: StartOption = None,
    near: NearOption = None,
    target: Annotated[str | None, typer.Option("--target", "-t", help="Draw the path to this vertex.")] = None,
    tree: Annotated[bool, typer.Option("--tree", help="Draw only the tree of shortest paths.")] = False,
    coordinates: CoordinatesOption = None,
    profile: shared.ProfileOption = None,
    file_format: shared.FormatOption = None,
    directed: shared.DirectedOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Draw a graph; with --source, the distances from a vertex as colours, and a path."""
    kind = kind_of(save, PICTURES)
    graph = shared.Reading(file_format, directed, profile=profile).open(file, coordinates=coordinates)
    searched = source is not None or near is not None
    if not searched and (target is not None or tree):
        raise ValueError("--target and --tree need --source or --near")
    begun = time.perf_counter()
    if searched:
        paths = sssp(graph, start_of(graph, source, near))
        axes = paths.plot(None if target is None else vertex(graph, target), tree=tree)
    else:
        axes = graph.plot()
    save_picture(axes, save, kind)
    facts = {"written": save, "vertices": graph.num_vertices, "edges": graph.num_edges}
    facts |= {"turn_restrictions": graph.metadata.get("turn_restrictions")}
    output.show(facts | {"seconds": round(time.perf_counter() - begun, 4)}, as_json=as_json)


def start_of(graph: Graph, source: str | None, near: str | None) -> Any:
    """Return the vertex to start from."""
    if (source is None) == (near is None):
        raise ValueError("give either --source or --near")
    if source is not None:
        return vertex(graph, source)
    try:
        lon, lat = map(float, str(near).split(","))
    except ValueError:
        raise ValueError(f"--near takes a longitude and a latitude, such as -73.99,40.76, not {near!r}") from None
    return graph.nearest_vertex(lon, lat)


def kind_of(save: str | None, known: tuple[str, ...]) -> str:
    """Return the suffix of what is saved; refuse unknown ones."""
    if save is None:
        return ""
    kind = ".geojson" if save == "-" and ".geojson" in known else Path(save).suffix.lower()
    if kind not in known:
        raise GraphError(f"cannot save that as {save!r}: use {', '.join(known)}")
    return kind


def save_picture(axes: Any, save: str | None, kind: str) -> None:
    """Save a picture, whole or not at all."""
    drawn = io.BytesIO()
    axes.figure.savefig(drawn, format=kind[1:], dpi=150)
    with destination(Path(str(save))) as stream:
        stream.write(drawn.getbuffer())

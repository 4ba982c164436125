"""``steppe isochrone``: what can be reached within some limits, as polygons, a picture or a table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import isochrones
from ..files.target import destination
from ..planning.progress import Bar
from . import app as shared
from . import output
from . import plot as drawn
from .app import app
from .guard import Names

TABLES = (".csv", ".parquet")


@app.command()
def isochrone(
    file: shared.FileArgument,
    bands: Annotated[str, typer.Option("--bands", metavar="A,B,…", help="The limits, in the unit of the weights.")],
    save: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Save: .geojson, .png, .svg, .pdf, .csv or .parquet; - for GeoJSON to stdout."
        ),
        Names.WRITTEN,
    ] = None,
    source: drawn.StartOption = None,
    near: drawn.NearOption = None,
    coordinates: drawn.CoordinatesOption = None,
    profile: shared.ProfileOption = None,
    radius: Annotated[
        float | None, typer.Option(min=0, help="Metres around what is reached that belong to a polygon.")
    ] = None,
    names: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="What the picture's legend says for each limit.")
    ] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="From where the source can be reached.")] = False,
    memory_limit: shared.MemoryOption = None,
    verify: shared.VerifyOption = False,
    file_format: shared.FormatOption = None,
    directed: shared.DirectedOption = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Find what can be reached from a vertex within some limits: polygons, a picture or a table."""
    kind = drawn.kind_of(save, (".geojson", *drawn.PICTURES, *TABLES))
    limits = [shared.number(text) for text in bands.split(",")]
    start = time.perf_counter()
    graph = shared.Reading(file_format, directed, profile=profile).open(file, coordinates=coordinates)
    read_seconds = time.perf_counter() - start
    with Bar() as bar:
        origin = drawn.start_of(graph, source, near)
        found = isochrones(graph, origin, limits, reverse=reverse, memory_limit=memory_limit, progress=bar)
    facts: dict[str, Any] = {"vertices": graph.num_vertices, "edges": graph.num_edges, "source": found.paths.source}
    facts |= {f"within_{limit:g}": count for limit, count in zip(found.limits, found.counts(), strict=True)}
    facts |= {"turn_restrictions": graph.metadata.get("turn_restrictions")}
    if verify:
        found.verify()
        facts["verified"] = True
    start = time.perf_counter()
    if kind in drawn.PICTURES:
        drawn.save_picture(found.plot(names=None if names is None else names.split(",")), save, kind)
    elif kind == ".geojson":
        _text(found.to_geojson(radius=radius), save)
    elif kind:
        table = found._columns()
        output.save_lines(tuple(table), tuple(column.tolist() for column in table.values()), str(save), kind)
    facts |= {"written": save, "read_seconds": round(read_seconds, 4)}
    facts |= {"seconds": round(found.explain().seconds, 4), "write_seconds": round(time.perf_counter() - start, 4)}
    output.show(facts, as_json=as_json, error=save == "-")


def _text(text: str, save: str | None) -> None:
    if save == "-":
        typer.echo(text)
        return
    with destination(Path(str(save))) as stream:
        stream.write(text.encode())

"""``steppe route``: one shortest path, or one for each pair of a file."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import route as _route
from ..planning.progress import Bar, Progress
from . import app as shared
from . import output
from .app import app, vertex
from .guard import Names
from .pairs import read_pairs

if TYPE_CHECKING:
    from ..graph.graph import Graph


@app.command()
def route(
    *,
    file: shared.FileArgument,
    source: Annotated[str | None, typer.Option("--source", "--sources", "-s", help="The vertex to start from.")] = None,
    target: Annotated[str | None, typer.Option("--targets", "--target", "-t", help="The vertex to reach.")] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A source and a target in each line, and a path for each of them; - for standard input.",
        ),
        Names.READ,
    ] = None,
    reading: shared.Reading,
    save: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Save the paths, a line for each vertex: .csv or .parquet; - for CSV to stdout."
        ),
        Names.WRITTEN,
    ] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Find one shortest path between two vertices (exit code 1 where there is none), or one for each pair of a file."""
    if (pairs is None) == (source is None or target is None) or (pairs is not None and (source or target)):
        raise ValueError("give --source and --target, or --pairs with a file of pairs")
    kind = "" if save is None else shared.output_kind(save, (".csv", ".parquet"))
    graph = reading.open(file)
    if pairs is not None:
        _many(graph, *read_pairs(graph, pairs), save, kind, as_json=as_json)
        return
    found = _route(graph, vertex(graph, str(source)), vertex(graph, str(target)))
    facts: dict[str, Any] = {"reachable": found.reachable}
    if found.reachable:
        facts |= {"distance": found.distance, "edges": len(found.vertices) - 1, "path": found.vertices.tolist()}
    if save is not None:
        ends = [vertex(graph, str(source))], [vertex(graph, str(target))]
        output.save_lines(HEADING, _lines(*ends, [found]), save, kind)
        facts |= {"path": None, "written": None if save == "-" else save}
    output.show(facts, as_json=as_json, error=save == "-")
    raise typer.Exit(0 if found.reachable else 1)


HEADING = ("pair", "source", "target", "distance", "step", "vertex")


def _many(graph: Graph, sources: list[Any], targets: list[Any], save: str | None, kind: str, *, as_json: bool) -> None:
    start, found = time.perf_counter(), []
    with Bar() as bar:
        for done, (s, t) in enumerate(zip(sources, targets, strict=True)):
            found.append(_route(graph, s, t))
            bar(Progress(done + 1, len(sources), "routes"))
    seconds = time.perf_counter() - start
    if save is not None:
        output.save_lines(HEADING, _lines(sources, targets, found), save, kind)
    paths = [one.vertices.tolist() if one.reachable else None for one in found]
    distances = [one.distance if one.reachable else None for one in found]
    facts: dict[str, Any] = {"pairs": len(found), "reachable_pairs": sum(one.reachable for one in found)}
    facts |= {"seconds": round(seconds, 4), "written": None if save == "-" else save}
    if save is None and as_json:
        facts |= {"source_labels": sources, "target_labels": targets, "distances": distances, "paths": paths}
    elif save is None:
        shown = zip(sources, targets, distances, paths, strict=True)
        output.aligned(
            [
                ["source", "target", "distance", "path"],
                *(
                    [str(s), str(t), "-" if d is None else output.text(d), output.text(p or "-")]
                    for s, t, d, p in shown
                ),
            ]
        )
    output.show(facts, as_json=as_json, error=save == "-")


def _lines(sources: list[Any], targets: list[Any], found: list[Any]) -> tuple[list[Any], ...]:
    """Return columns with a line for each vertex of each path; one line without a vertex where there is no path."""
    lines: list[tuple[Any, ...]] = []
    for pair, (s, t, one) in enumerate(zip(sources, targets, found, strict=True)):
        if not one.reachable:
            lines.append((pair, s, t, None, None, None))
            continue
        lines += [(pair, s, t, one.distance, step, v) for step, v in enumerate(one.vertices.tolist())]
    return tuple([line[at] for line in lines] for at in range(len(HEADING)))

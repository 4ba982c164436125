"""Graphs in files: :func:`steppe.read` and :func:`write`, by suffix and by content.

A format is a module with a :class:`.format.Format`, and a line in :data:`.formats.FORMATS`; :mod:`.source` deals with mapping, compression and
standard input, :mod:`.target` with writing whole files or none, :mod:`.text` with what text formats share. ``docs/files.md`` lists formats and rules.
"""

from __future__ import annotations

import errno
import operator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..errors import GraphError
from ..graph.coordinates import replace_coordinates
from . import dimacs, formats, steppe_file
from .format import ReadOptions
from .source import Source, split_suffix
from .target import Target, unfinished

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Literal

    from ..graph.graph import Graph
    from .format import ColumnRef
    from .text import Array

__all__ = ["check", "read", "read_coordinates", "write"]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    directed: bool | None = None,
    source: ColumnRef | None = None,
    target: ColumnRef | None = None,
    weight: ColumnRef | Literal[False] | None = None,
    attributes: Iterable[ColumnRef] = (),
    missing: Literal["error", "drop"] = "error",
    decimal: Literal[".", ","] | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
    coordinates: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    largest_component: bool = False,
) -> Graph:
    r"""Read a graph from a file.

    Parameters
    ----------
    path : path
        ``"-"`` is standard input. ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` files are unpacked on the way.
    format : str, optional
        A suffix that names the format (``"gr"``, ``"csv"``, ``"mtx"``, …), where the file's own suffix and content do
        not tell.
    directed : bool, optional
        Default: what the format says, and directed where it says nothing. ``False`` adds the opposite of every edge of
        a directed file; ``True`` takes every line of an undirected one as one arc.
    source, target, weight : str or int, optional
        Columns of a table (``.csv``, ``.tsv``), by their names in the heading or by positions, counted from 0. Default: what the heading
        says (``docs/files.md`` has the words), or the first, second and third. ``weight=False``: edges have no weights.
        Roads of OpenStreetMap weigh ``"seconds"``, the default, or ``"metres"``; both are attributes, beside ``way``, the id of the way.
    attributes : list, optional
        Further columns of numbers that ride along with the edges, as in :meth:`Graph.from_frame`: ``paths.along("km")``.
    missing : str
        What to do with lines in which a wanted field is empty (or NA, NaN, null): refuse them, or ``"drop"`` them.
    decimal : str, optional
        ``","`` for a decimal comma, which is found out where semicolons part the columns.
    encoding : str, optional
        Of a text that is not UTF-8: ``"latin-1"``, ``"cp1252"``, ``"utf-16"``.
    max_bytes : int, optional
        The most memory to take on the word of the file alone: what it may unpack to, and what the arrays may take for vertices that its header
        counts but no line mentions. It counts in every format, ``.npz``, Parquet, Arrow and OpenStreetMap's too. Default: 64 times the size of the
        file + 1 MiB, and 64 times that size + 64 MiB. A larger number allows more, a smaller one less.
    coordinates : path, optional
        A DIMACS ``.co`` file: where the graph's vertices are, one line for each, in their order. Whole numbers up to ±180 000 000 and
        ±90 000 000 are longitude and latitude in millionths of a degree, as the challenge has them; others are x and y in a plane.
    profile : {"car", "bike", "foot"}, optional
        Whose roads are taken from a file of OpenStreetMap (``.osm.pbf``, ``.osm``); default: a car's. ``graph.metadata`` tells what was left out.
    largest_component : bool
        Keep only the largest part in which every vertex can be reached from every other (:meth:`Graph.largest_component`).

    Returns
    -------
    Graph
        Its labels are the file's ids, unless these are 0…n-1.

    Raises
    ------
    FormatError
        With file, line and what was expected. Nothing is skipped or guessed: a damaged file gives no graph, never a
        smaller one.

    Examples
    --------
    >>> import steppe as sp, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "roads.gr")
    >>> _ = file.write_text("c three towns\np sp 3 2\na 1 2 7\na 2 3 4\n")
    >>> g = sp.read(file)
    >>> g, g.labels.tolist()
    (<Graph: 3 vertices, 2 edges, directed, weights int32 4…7>, [1, 2, 3])
    """
    options = ReadOptions.of(locals())
    limit = None if max_bytes is None else operator.index(max_bytes)
    suffix = formats.of_name(path) if format is None else formats.named(format)[1]
    file = Source(path, max_bytes=limit, encoding=encoding, opened=not formats.opens(suffix))
    form, suffix = formats.recognise(file, suffix, given=format is not None)
    options = replace(options, suffix=suffix)
    form.refuse(options)
    graph = form.read(file, options)
    if coordinates is not None:
        graph = replace_coordinates(graph, dimacs.coordinates_for(graph, Source(coordinates, max_bytes=limit)))
    return graph.largest_component() if largest_component else graph


def read_coordinates(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Array:
    """Read a DIMACS ``.co`` file: an array of (x, y), one row for each vertex in the order of the graph's file. ``max_bytes`` as in :func:`read`."""
    return dimacs.read_coordinates(Source(path, max_bytes=max_bytes))


def check(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> None:
    """Prove all of a ``.steppe`` file: every checksum and every row. Raises FormatError.

    :func:`steppe.read` compares the header's checksum alone, and a search proves the rows, but not their checksums. ``max_bytes`` is as there.
    """
    steppe_file.check(Source(path, max_bytes=max_bytes))


def write(graph: Graph, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write a graph to a file in the format its suffix names; it appears whole or not at all.

    Parameters
    ----------
    graph : Graph
        What the format cannot keep is refused with a GraphError that names one which can.
    path : path
        ``.gr``, ``.el``, ``.wel``, ``.txt``, ``.csv``, ``.tsv``, ``.e`` (with ``.v`` beside), ``.mtx``, ``.graph``,
        ``.npz``, ``.sg``, ``.wsg``, ``.parquet``, ``.arrow``, ``.graphml``, ``.net`` or
        ``.steppe``, and ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` behind any of them.
    format : str, optional
        Instead of the suffix.

    Examples
    --------
    >>> import steppe as sp, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "tiny.steppe")
    >>> sp.write(sp.Graph.from_edges([0, 1], [1, 2], [0.5, 1.5]), file)
    >>> sp.read(file)
    <Graph: 3 vertices, 2 edges, directed, weights float64 0.5…1.5>
    """
    path = Path(path)
    put, suffix, more = formats.writer(format if format is not None else split_suffix(path)[0])
    beside = [_beside(path, suffix, other) for other in more]
    for other in beside:
        if other.exists() and not path.exists() and not unfinished(path).exists():
            raise FileExistsError(
                errno.EEXIST, f"this is there without {path.name}: move it away, or write another name", str(other)
            )
    with Target() as target:
        put(graph, target.open(path), suffix, *map(target.open, beside))


def write_stream(graph: Graph, stream: IO[bytes], *, format: str) -> None:  # noqa: A002
    """Write a graph to an open binary stream."""
    put, suffix, beside = formats.writer(format)
    if beside:
        raise GraphError(f"an {suffix} file has a {beside[0]} file beside it, and a stream is one file")
    put(graph, stream, suffix)
    stream.flush()


def _beside(path: Path, main: str, other: str) -> Path:
    """Return the name of a file beside another, packed alike.

    >>> _beside(Path("x.e.gz"), ".e", ".v").name
    'x.v.gz'
    """
    suffix, packing = split_suffix(path)
    if suffix == other:
        raise GraphError(f"a {other} file belongs to the {main} file beside it: write the {main} file")
    return path.with_name(path.name[: len(path.name) - len(packing) - len(suffix)] + other + packing)

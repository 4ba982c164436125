"""Graphs in files: :func:`steppe.read` and :func:`write`, by suffix and by content.

One module per format; :mod:`.source` deals with mapping, compression and standard input, :mod:`.target` with writing
whole files or none, :mod:`.text` with what text formats share. ``docs/files.md`` lists formats and rules.
"""

from __future__ import annotations

import errno
import operator
import re
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..errors import GraphError
from ..graph.coordinates import replace_coordinates
from . import columnar, dimacs, edge_list, gap, graphml, matrix_market, metis, npz, osm, pajek, steppe_file, tntp
from .column_choice import ColumnChoice
from .source import Source, split_suffix
from .target import Target, unfinished

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Literal

    from ..graph.graph import Graph
    from .column_choice import ColumnRef
    from .text import Array

__all__ = ["check", "read", "read_coordinates", "write"]

_EDGE_LISTS = (".el", ".wel", ".txt", ".csv", ".tsv", ".e")
_ALIASES = {
    ".dimacs": ".gr",
    ".max": ".gr",
    ".col": ".gr",
    ".tgf": ".txt",
    ".edges": ".txt",
    ".edgelist": ".txt",
    ".snap": ".txt",
    ".tab": ".tsv",
    ".psv": ".csv",
    ".mm": ".mtx",
    ".matrixmarket": ".mtx",
    ".metis": ".graph",
    ".adjlist": ".adj",
    ".adjacency": ".adj",
    ".scipy": ".npz",
    ".pajek": ".net",
    ".pq": ".parquet",
    ".feather": ".arrow",
    ".ipc": ".arrow",
    ".arrows": ".arrow",
}
_READABLE = (
    *_EDGE_LISTS,
    ".gr",
    ".co",
    ".mtx",
    ".graph",
    ".adj",
    ".npz",
    ".sg",
    ".wsg",
    ".parquet",
    ".arrow",
    ".graphml",
    ".net",
    ".tntp",
    ".steppe",
)


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
    wanted = ColumnChoice.checked(source, target, weight, attributes, missing, decimal)
    limit = None if max_bytes is None else operator.index(max_bytes)
    if osm.is_osm(path, format):
        if directed is not None or coordinates is not None or encoding is not None:
            raise ValueError("a file of OpenStreetMap has its own directions, coordinates and encoding")
        wanted.refuse("OpenStreetMap", "weight")
        return osm.read(
            path,
            format=format,
            profile=profile,
            weight=weight,
            largest_component=largest_component,
            max_bytes=limit,
        )
    if profile is not None:
        raise ValueError("profile= is for files of OpenStreetMap (.osm.pbf, .osm)")
    graph = _read(Source(path, max_bytes=limit, encoding=encoding), format, wanted, directed=directed)
    if coordinates is not None:
        graph = replace_coordinates(graph, dimacs.coordinates_for(graph, Source(coordinates, max_bytes=limit)))
    return graph.largest_component() if largest_component else graph


def _read(file: Source, format: str | None, wanted: ColumnChoice, *, directed: bool | None) -> Graph:  # noqa: A002
    """Read a file that is a list of edges, in whatever form."""
    kind = _known(format) if format is not None else _recognise(file)
    if kind != ".mtx" and _is_matrix_market(file):
        raise file.error(f"this is a Matrix Market file, not {kind}", 1)
    if kind == ".txt" and not wanted.is_default:
        kind = ".csv"
    if kind in _EDGE_LISTS:
        return edge_list.read(file, format=kind, directed=directed, wanted=wanted)
    if kind in columnar.KINDS:
        return columnar.read(file, format=kind, directed=directed, wanted=wanted)
    if kind == ".tntp":
        return tntp.read(file, directed=directed, wanted=wanted)
    if kind == ".graphml":
        return graphml.read(file, directed=directed, wanted=wanted)
    wanted.refuse(kind)
    if kind in (".gr", ".co"):
        reader = gap.read_galois if gap.is_galois(file.data[:8]) else dimacs.read
        return reader(file, directed=directed)
    if kind in (".sg", ".wsg"):
        return gap.read(file, format=kind, directed=directed)
    readers = {
        ".mtx": matrix_market.read,
        ".graph": metis.read,
        ".adj": metis.read_adjacency,
        ".npz": npz.read,
        ".net": pajek.read,
        ".steppe": steppe_file.read,
    }
    return readers[kind](file, directed=directed)


def read_coordinates(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Array:
    """Read a DIMACS ``.co`` file: an array of (x, y), one row for each vertex in the order of the graph's file. ``max_bytes`` as in :func:`read`."""
    return dimacs.read_coordinates(Source(path, max_bytes=max_bytes))


def check(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> None:
    """Prove all of a ``.steppe`` file: every checksum and every row. Raises FormatError.

    :func:`steppe.read` compares the header's checksum alone, and a search proves the rows, but not their checksums. ``max_bytes`` is as there.
    """
    steppe_file.check(Source(path, max_bytes=max_bytes))


def _known(format: str) -> str:  # noqa: A002
    suffix = "." + format.lower().lstrip(".").replace("-", "").replace("_", "")
    suffix = _ALIASES.get(suffix, suffix)
    if suffix not in _READABLE:
        raise GraphError(f"unknown format {format!r}; known are {', '.join(s[1:] for s in _READABLE)}")
    return suffix


def _is_matrix_market(source: Source) -> bool:
    return bytes(source.data[source.start : source.start + 14]).lower() == b"%%matrixmarket"


def _recognise(source: Source) -> str:
    """Return the format: by magic number, then suffix, then looks."""
    head = bytes(source.data[source.start : source.start + 4096])
    if head.startswith(steppe_file.MAGIC):
        return ".steppe"
    for magic, kind in columnar.MAGIC.items():
        if head.startswith(magic):
            return kind
    if head.startswith(b"PK\x03\x04"):
        return ".npz"
    if _is_matrix_market(source):
        return ".mtx"
    if re.match(rb"\s*(<\?xml|<graphml)", head):
        return ".graphml"
    suffix = _ALIASES.get(source.suffix, source.suffix)
    if suffix in _READABLE and suffix != ".txt":
        return suffix
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    content = next((line for line in lines if line and not line.startswith(("#", "%", "//"))), None)
    if content is None and any(lines):
        return ".txt"  # comments alone: an edge list without edges
    if content is not None and re.match(r"\*(vertices|network)\b", content, re.IGNORECASE):
        return ".net"
    if content is not None and content.startswith("<NUMBER OF "):
        return ".tntp"
    if content is not None and re.match(r"[cptnaev]($|\s)", content):
        return ".gr"
    if suffix == ".txt" or (content is not None and re.match(r"\d+[\s,;]+\d+", content)):
        return ".txt"
    if content is not None and re.fullmatch(r"\w+([,;|]\w+)+", content):
        return ".csv"
    raise source.error(
        "cannot tell the format from its name or content; pass format=, one of " + ", ".join(s[1:] for s in _READABLE)
    )


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
    kind = _known(format if format is not None else split_suffix(path)[0])
    if kind in (".co", ".adj", ".tntp"):
        raise GraphError(f"{kind} files are read, not written")
    if kind == ".e":
        beside = edge_list.vertex_file(path)
        if beside.exists() and not path.exists() and not unfinished(path).exists():
            raise FileExistsError(
                errno.EEXIST, f"this is there without {path.name}: move it away, or write another name", str(beside)
            )
    with Target() as target:
        file = target.open(path)
        _put(graph, file, kind, target.open(edge_list.vertex_file(path)) if kind == ".e" else None)


def write_stream(graph: Graph, stream: IO[bytes], *, format: str) -> None:  # noqa: A002
    """Write a graph to an open binary stream."""
    kind = _known(format)
    if kind in (".co", ".adj", ".tntp"):
        raise GraphError(f"{kind} files are read, not written")
    if kind == ".e":
        raise GraphError("an .e file has a .v file beside it, and a stream is one file")
    _put(graph, stream, kind, None)
    stream.flush()


def _put(graph: Graph, file: IO[bytes], kind: str, vertices: IO[bytes] | None) -> None:
    if kind in _EDGE_LISTS:
        edge_list.write(graph, file, kind, vertices)
    elif kind in columnar.KINDS:
        columnar.write(graph, file, kind)
    elif kind in (".sg", ".wsg"):
        gap.write(graph, file, kind)
    else:
        writers = {
            ".gr": dimacs.write,
            ".mtx": matrix_market.write,
            ".graph": metis.write,
            ".npz": npz.write,
            ".net": pajek.write,
            ".graphml": graphml.write,
            ".steppe": steppe_file.write,
        }
        writers[kind](graph, file)

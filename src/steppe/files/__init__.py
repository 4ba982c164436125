"""Graphs in files: :func:`read` and :func:`write`, by suffix and by content.

One module per format; :mod:`.source` deals with mapping, compression and standard input, :mod:`.target` with writing
whole files or none, :mod:`.text` with what text formats share. ``docs/files.md`` lists formats and rules.
"""

from __future__ import annotations

import operator
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import GraphError
from . import dimacs, edge_list, gap, matrix_market, metis, npz, steppe_file
from .source import Source, split_suffix
from .target import Target

if TYPE_CHECKING:
    import os

    from ..graph.graph import Graph
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
    ".mm": ".mtx",
    ".matrixmarket": ".mtx",
    ".metis": ".graph",
    ".adjlist": ".adj",
    ".adjacency": ".adj",
    ".scipy": ".npz",
}
_READABLE = (*_EDGE_LISTS, ".gr", ".co", ".mtx", ".graph", ".adj", ".npz", ".sg", ".wsg", ".steppe")


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    directed: bool | None = None,
    max_bytes: int | None = None,
) -> Graph:
    r"""Read a graph from a file.

    Parameters
    ----------
    path : path
        ``"-"`` is standard input. ``.gz``, ``.xz`` and ``.zst`` files are unpacked on the way.
    format : str, optional
        A suffix that names the format (``"gr"``, ``"csv"``, ``"mtx"``, …), where the file's own suffix and content do
        not tell.
    directed : bool, optional
        Default: what the format says, and directed where it says nothing. ``False`` adds the opposite of every edge of
        a directed file; ``True`` takes every line of an undirected one as one arc.
    max_bytes : int, optional
        The most memory to take on the word of the file alone: what it may unpack to, and what the arrays may take for vertices that its header
        counts but no line mentions. Default: 64 times the packed size + 1 MiB, and 64 times the (unpacked) size + 64 MiB.

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
    source = Source(path, max_bytes=None if max_bytes is None else operator.index(max_bytes))
    kind = _known(format) if format is not None else _recognise(source)
    if kind != ".mtx" and _is_matrix_market(source):
        raise source.error(f"this is a Matrix Market file, not {kind}", 1)
    if kind in _EDGE_LISTS:
        return edge_list.read(source, format=kind, directed=directed)
    if kind in (".gr", ".co"):
        reader = gap.read_galois if gap.is_galois(source.data[:8]) else dimacs.read
        return reader(source, directed=directed)
    if kind in (".sg", ".wsg"):
        return gap.read(source, format=kind, directed=directed)
    readers = {
        ".mtx": matrix_market.read,
        ".graph": metis.read,
        ".adj": metis.read_adjacency,
        ".npz": npz.read,
        ".steppe": steppe_file.read,
    }
    return readers[kind](source, directed=directed)


def read_coordinates(path: str | os.PathLike[str]) -> Array:
    """Read a DIMACS ``.co`` file: an array of (x, y), one row for each vertex in the order of the graph's file."""
    return dimacs.read_coordinates(Source(path))


def check(path: str | os.PathLike[str]) -> None:
    """Prove all of a ``.steppe`` file: every checksum and every row. Raises FormatError.

    :func:`read` compares the header's checksum alone, and a search proves the rows, but not their checksums.
    """
    steppe_file.check(Source(path))


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
    if head.startswith(b"PK\x03\x04"):
        return ".npz"
    if _is_matrix_market(source):
        return ".mtx"
    suffix = _ALIASES.get(source.suffix, source.suffix)
    if suffix in _READABLE and suffix != ".txt":
        return suffix
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    content = next((line for line in lines if line and not line.startswith(("#", "%", "//"))), None)
    if content is None and any(lines):
        return ".txt"  # comments alone: an edge list without edges
    if content is not None and re.match(r"[cptnaev]($|\s)", content):
        return ".gr"
    if suffix == ".txt" or (content is not None and re.match(r"\d+[\s,;]+\d+", content)):
        return ".txt"
    if content is not None and re.fullmatch(r"\w+([,;]\w+)+", content):
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
        ``.npz``, ``.sg``, ``.wsg`` or ``.steppe``, and ``.gz``, ``.xz`` or ``.zst`` behind any of them.
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
    if kind in (".co", ".adj"):
        raise GraphError(f"{kind} files are read, not written")
    with Target() as target:
        file = target.open(path)
        if kind in _EDGE_LISTS:
            vertices = target.open(edge_list.vertex_file(path)) if kind == ".e" else None
            edge_list.write(graph, file, kind, vertices)
        elif kind == ".gr":
            dimacs.write(graph, file)
        elif kind == ".mtx":
            matrix_market.write(graph, file)
        elif kind == ".graph":
            metis.write(graph, file)
        elif kind == ".npz":
            npz.write(graph, file)
        elif kind == ".steppe":
            steppe_file.write(graph, file)
        else:
            gap.write(graph, file, kind)

"""Files of pairs: a source and a target in each line, for ``distances --pairs`` and ``route --pairs``."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FormatError, GraphError
from ..files import heading
from .app import vertex

if TYPE_CHECKING:
    from ..graph.graph import Graph


def read_pairs(graph: Graph, file: str) -> tuple[list[Any], list[Any]]:
    """Return the sources and targets of a file with a pair in each line, with a comma, a semicolon, a tab or spaces between them.

    ``#`` begins a comment; a first line may name the columns, in any order and among others.
    """
    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    sources: list[Any] = []
    targets: list[Any] = []
    places, first = [0, 1], True
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        part = next((part for part in ",;\t" if part in line), None)
        cells = line.split() if part is None else next(csv.reader([line], delimiter=part))
        words = [cell.strip() for cell in cells]
        if first:
            first = False
            roles = [heading.role(word) for word in words]
            if roles.count("s") == roles.count("t") == 1 and not _are_vertices(graph, words):
                places = [roles.index("s"), roles.index("t")]
                continue
        if len(words) <= max(places) or (places == [0, 1] and len(words) != 2):
            raise FormatError(f"a source and a target are wanted, not {line!r}", file=file, line=number)
        try:
            sources.append(vertex(graph, words[places[0]]))
            targets.append(vertex(graph, words[places[1]]))
        except GraphError as error:
            raise FormatError(str(error), file=file, line=number) from None
    return sources, targets


def _are_vertices(graph: Graph, words: list[str]) -> bool:
    try:
        return all(vertex(graph, word) is not None for word in words)
    except GraphError:
        return False

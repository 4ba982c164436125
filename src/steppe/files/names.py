"""Tables of names: ``.csv`` and ``.tsv`` files whose ids are strings, ``Ulm,Bonn,3.5``.

A table has numbers or names for ids, never both; its first line of data decides. Names are what is in quotes and what is no number. So a
number without quotes among names is refused (it may be one bad line in a table of numbers), and a word among numbers is refused by
``edge_list``. Quotes are doubled within quotes, as everywhere; a name lies within one line.

A first line without a number names the columns if it has the usual words, ``source,target``. Other words might as well be an edge; they are
taken for a heading only where a third column must be a weight and neither of them is a vertex, and refused otherwise: nothing is lost.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import GraphError
from ..labels import Labels
from . import text

if TYPE_CHECKING:
    from collections.abc import Container

    from ..graph import Graph
    from .source import Source
    from .text import Array, Note

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")
_INFINITY = re.compile(r"\+?inf(inity)?", re.IGNORECASE)
_HEADINGS = {
    ("source", "target"),
    ("src", "dst"),
    ("src", "dest"),
    ("from", "to"),
    ("u", "v"),
    ("start", "end"),
    ("tail", "head"),
    ("node1", "node2"),
    ("vertex1", "vertex2"),
    ("source_id", "target_id"),
}


class Field(NamedTuple):
    """One field of a line."""

    text: str
    quoted: bool

    @property
    def is_name(self) -> bool:
        """Whether this can only be a name."""
        return self.quoted or _NUMBER.fullmatch(self.text) is None


def separator(line: str, format: str) -> str:  # noqa: A002
    """Return what parts the columns of a table with this line."""
    if format == ".tsv":
        return "\t"
    bare = re.sub(r'"[^"]*"', "", line)
    return ";" if ";" in bare and "," not in bare else ","


def fields(line: str, part: str) -> list[Field] | None:
    """Return the fields of a line; None where quotes do not match.

    >>> fields('Ulm, "Rye, NY" ,7', ",")
    [Field(text='Ulm', quoted=False), Field(text='Rye, NY', quoted=True), Field(text='7', quoted=False)]
    """
    pattern = re.compile(rf'[ ]*(?:"((?:[^"]|"")*)"|([^"{part}]*?))[ ]*({part}|$)')
    found, at = [], 0
    while (match := pattern.match(line, at)) is not None:
        quoted, plain, end = match.groups()
        found.append(Field(plain, quoted=False) if quoted is None else Field(quoted.replace('""', '"'), quoted=True))
        at = match.end()
        if not end:
            return found
    return None


def is_table(line: str, format: str) -> bool:  # noqa: A002
    """Return whether a first line of data has names for ids."""
    found = fields(line, separator(line, format))
    return found is not None and len(found) > 1 and any(field.is_name for field in found[:2])


def read(source: Source, *, format: str, begin: int, directed: bool | None, note: Note) -> Graph:  # noqa: A002
    """Read a table of names whose first line of data is at offset ``begin``; a heading may stand above it."""
    heading = None
    numbers: dict[str, int] = {}
    ends: tuple[list[int], list[int]] = ([], [])
    weights: list[str] = []
    part, columns = "", 0
    for offset, line, content in source.lines():
        if not content or content.startswith(("#", "%", "//")):
            continue
        if not part:
            part = separator(content, format)
        if offset < begin:
            heading = (content, line)
            continue
        if "�" in content or "\0" in content:
            raise source.error("expected text in UTF-8 without NUL characters", line)
        found = fields(content, part)
        if found is None:
            raise source.error("expected a closing quote, and after it the next column", line)
        columns = columns or len(found)
        if len(found) != columns or columns not in (2, 3):
            wanted = str(columns) if columns in (2, 3) else "2 or 3"
            raise source.error(f"expected {wanted} columns (source, target, weight), found {len(found)}", line)
        for field, end in zip(found, ends, strict=False):
            if not field.text:
                raise source.error("expected a vertex's name, found nothing", line)
            if not field.is_name:
                raise source.error(
                    f"expected a name, as above, found the number {field.text}: names that look so are put in quotes",
                    line,
                )
            end.append(numbers.setdefault(field.text, len(numbers)))
        if columns == 3:
            weights.append(_weight(source, found[2].text, line))
    if heading is not None:
        check_heading(source, *heading, part, numbers if columns == 3 else None)
    order = sorted(numbers)
    rank = np.empty(len(order), dtype=np.int64)
    rank[[numbers[name] for name in order]] = np.arange(len(order))
    u, v = (rank[np.array(end, dtype=np.int64)] for end in ends)
    if directed is None:
        directed = not note.undirected
    w = note.stored(_typed(weights)) if columns == 3 else None
    return text.build(u, v, w, len(order), Labels(np.array(order)), directed=directed, note=note)


def check_heading(source: Source, content: str, line: int, part: str, names: Container[str] | None = None) -> None:
    """Raise where a line without numbers might be an edge; ``names``: those of a table with weights."""
    found = fields(content, part) or []
    words = [field.text for field in found[:2]]
    if tuple(map(str.lower, words)) in _HEADINGS or (names is not None and not any(word in names for word in words)):
        return
    raise source.error(
        f"cannot tell whether {content!r} names the columns or is an edge: begin the file with the line source{part}target",
        line,
    )


def _weight(source: Source, word: str, line: int) -> str:
    if _WHOLE.fullmatch(word):
        if not -(2**63) <= int(word) < 2**63:
            raise source.error(f"expected a weight of 64 bits, found {word}", line)
    elif not (_INFINITY.fullmatch(word) or (_NUMBER.fullmatch(word) and abs(float(word)) < float("inf"))):
        raise source.error(f"expected a number, found {word!r}", line)
    return word


def _typed(words: list[str]) -> Array:
    """Return weights as the other text formats have them: int32, int64 if one needs it, float64 if one is not whole."""
    if not all(map(_WHOLE.fullmatch, words)):
        return np.array([float(word) for word in words])
    wide = np.array([int(word) for word in words], dtype=np.int64)
    narrow = wide.astype(np.int32)
    return narrow if np.array_equal(narrow, wide) else wide


def write(graph: Graph, file: IO[bytes], format: str, note: Note) -> None:  # noqa: A002
    """Write a table of names, all of them in quotes: whatever they look like, they come back as names."""
    labels = [] if graph.labels is None else graph.labels.tolist()
    for label in labels:
        if not isinstance(label, str) or not label or re.search(r"[\r\n\0\ud800-\udfff\ufffd]", label):
            raise GraphError(f"{format} files cannot keep the label {label!r}; write a .steppe file")
    quoted = ['"' + label.replace('"', '""') + '"' for label in labels]
    part = "," if format == ".csv" else "\t"
    if str(note):
        file.write(f"# {note}\n".encode())
    file.write((part.join(["source", "target"] + ["weight"] * (graph.weights is not None)) + "\n").encode())
    for u, name in enumerate(quoted):
        begin, end = int(graph.indptr[u]), int(graph.indptr[u + 1])
        lines = [[name, quoted[v]] for v in graph.indices[begin:end].tolist()]
        if graph.weights is not None:
            for line, weight in zip(lines, graph.weights[begin:end].tolist(), strict=True):
                line.append(repr(weight))
        file.write("".join(part.join(line) + "\n" for line in lines).encode())

"""Tables of names: ``.csv`` and ``.tsv`` files whose ids are strings, ``Ulm,Bonn,3.5``.

A table has numbers or names for ids, never both; its first line of data decides. Names are what is in quotes and what is no number. So a
number without quotes among names is refused (it may be one bad line in a table of numbers), and a word among numbers is refused by
``edge_list``. Quotes are doubled within quotes, as everywhere; a name lies within one line.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import GraphError
from ..graph.labels import Labels, string_array
from . import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors import FormatError
    from ..graph.graph import Graph
    from .heading import Heading
    from .source import Source
    from .text import Array, Note

# Each takes a time in proportion to the word: no two parts of a pattern may share out the same characters.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_INFINITY = re.compile(r"\+?inf(inity)?", re.IGNORECASE | re.ASCII)


MOST_COLUMNS = 1000
"""More are refused: a line of a million separators is no table, and a million objects are."""


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
    """Return the fields of a line, no more than one above MOST_COLUMNS; None where quotes do not match.

    >>> fields('Ulm, "Rye, NY" ,7', ",")
    [Field(text='Ulm', quoted=False), Field(text='Rye, NY', quoted=True), Field(text='7', quoted=False)]
    """
    if '"' not in line:
        return [Field(text.strip(" "), quoted=False) for text in line.split(part, MOST_COLUMNS)]
    found, at, size = [], 0, len(line)
    while True:
        while at < size and line[at] == " ":
            at += 1
        if at < size and line[at] == '"':
            pieces, quoted = [], True
            while True:
                end = line.find('"', at + 1)
                if end < 0:
                    return None
                pieces.append(line[at + 1 : end])
                at = end + 1
                if at == size or line[at] != '"':
                    break
            text = '"'.join(pieces)
            while at < size and line[at] == " ":
                at += 1
        else:
            end = line.find(part, at)
            end = size if end < 0 else end
            text, quoted = line[at:end].rstrip(" "), False
            if '"' in text:
                return None
            at = end
        found.append(Field(text, quoted))
        if at == size or len(found) > MOST_COLUMNS:
            return found
        if line[at] != part:
            return None
        at += 1


def is_number(word: str) -> bool:
    """Return whether a word is a number, infinite or none: what can stand for a weight, and names no column."""
    return bool(_NUMBER.fullmatch(word)) or word.lower().lstrip("+-") in ("inf", "infinity", "nan")


def is_table(line: str, format: str, places: tuple[int, ...] = (0, 1)) -> bool:  # noqa: A002
    """Return whether a first line of data has names for ids; ``places`` says in which columns the ids are."""
    found = fields(line, separator(line, format))
    return found is not None and len(found) > max(places) and any(found[at].is_name for at in places)


def read(
    source: Source,
    *,
    format: str,  # noqa: A002
    begin: int,
    heading: Heading | None,
    directed: bool | None,
    note: Note,
) -> Graph:
    """Read a table of names whose first line of data is at offset ``begin``, under this heading."""
    numbers: dict[str, int] = {}
    ends: tuple[list[int], list[int]] = ([], [])
    weights: list[str] = []
    lines: list[int] = []
    part = ""
    columns = 0 if heading is None else len(heading.columns)
    places = (0, 1, 2) if heading is None else heading.places
    for offset, line, content in source.lines():
        if not content or content.startswith(("#", "%", "//")):
            continue
        part = part or separator(content, format)
        if offset < begin:
            continue
        found = _row(source, content, line, part)
        columns = columns or len(found)
        if len(found) != columns or (heading is None and columns not in (2, 3)):
            wanted = str(columns) if heading is not None or columns in (2, 3) else "2 or 3"
            raise source.error(f"expected {wanted} columns (source, target, weight), found {len(found)}", line)
        for at, end in zip(places, ends, strict=False):
            end.append(numbers.setdefault(_name(source, found[at], line), len(numbers)))
        if len(places) > 2 and columns > 2:
            weights.append(_weight(source, found[places[2]].text, line))
        lines.append(line)
    order = sorted(numbers)
    rank = np.empty(len(order), dtype=np.int64)
    rank[[numbers[name] for name in order]] = np.arange(len(order))
    u, v = (rank[np.array(end, dtype=np.int64)] for end in ends)
    if directed is None:
        directed = not note.undirected

    def complain(what: str, entry: int) -> FormatError:
        return source.error(what, lines[entry])

    w = note.stored(_typed(weights, note, complain), complain) if weights else None
    labels = Labels(string_array(order))
    return text.build(u, v, w, len(order), labels, directed=directed, note=note, complain=complain)


def _row(source: Source, content: str, line: int, part: str) -> list[Field]:
    if "\ufffd" in content or "\0" in content:
        raise source.error("expected text in UTF-8 without NUL characters", line)
    found = fields(content, part)
    if found is None:
        raise source.error("expected a closing quote, and after it the next column", line)
    return found


def _name(source: Source, field: Field, line: int) -> str:
    if not field.text:
        raise source.error("expected a vertex's name, found nothing", line)
    if not field.is_name:
        raise source.error(
            f"expected a name, as above, found the number {field.text[:80]}: names that look so are put in quotes", line
        )
    return field.text


def _weight(source: Source, word: str, line: int) -> str:
    if _WHOLE.fullmatch(word):
        word = ("-" if word[0] == "-" else "") + (word.lstrip("+-0") or "0")
        if len(word) > 20 or not -(2**63) <= int(word) < 2**63:
            raise source.error(f"expected a weight of 64 bits, found {word[:80]}", line)
    elif not (_INFINITY.fullmatch(word) or (_NUMBER.fullmatch(word) and abs(float(word)) < float("inf"))):
        raise source.error(f"expected a number, found {word[:80]!r}", line)
    return word


def _typed(words: list[str], note: Note, complain: Callable[[str, int], FormatError]) -> Array:
    """Return weights as the other text formats have them: int32, int64 if one needs it, float64 if one is not whole."""
    if note.dtype == "float32":
        exact = np.array([float(word) for word in words])
        with np.errstate(over="ignore"):
            single = exact.astype(np.float32)
        lost = np.isinf(single) & np.isfinite(exact)
        if lost.any():
            raise complain("a weight does not fit in float32", int(np.argmax(lost)))
        return single
    if note.dtype == "float64" or not all(map(_WHOLE.fullmatch, words)):
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

"""Headings: the first line of a ``.csv`` or ``.tsv`` file, where it names the columns.

Its words are read, not skipped: ``weight,source,target`` and ``edge_id,from,to`` say where the ends of an edge are. Words are compared without
case, and without what they are often dressed in (``source_id``, ``fromNode``, ``Length (km)``). One column must be a source and one a target; one may
be a weight. Further columns are skipped if they can be nothing else: where a weight was named, or where their own names say so (``id``, ``name``).
Everything else is refused. A wrong guess would give another graph, and nobody would see it. What the caller names is taken as named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .format import ColumnRef, ReadOptions
    from .source import Source

_SOURCE = {"source", "src", "from", "origin", "orig", "start", "tail", "u", "begin", "sender", "predecessor", "citing"}
_TARGET = {"target", "tgt", "to", "dest", "destination", "dst", "end", "head", "v", "receiver", "successor", "cited"}
_WEIGHT = {"weight", "weights", "w", "wt", "cost", "costs", "length", "len", "distance", "dist", "value", "time"}
_WEIGHT |= {"duration", "traveltime", "km", "miles", "meters", "metres", "minutes", "seconds", "hours"}
_UNITS = {"km", "m", "mi", "miles", "ft", "meters", "metres"}
_UNITS |= {"s", "sec", "seconds", "min", "minutes", "h", "hours", "ms"}
_DRESS = {"id", "ids", "node", "nodes", "vertex", "name", "label", "edge", "travel", "no", "key"}
_SKIPPED = {"", "id", "name", "label", "key", "index", "comment", "note", "description", "color", "colour", "edge"}
_DIRECTION = {"type", "directed", "direction", "oneway", "bidirectional", "undirected"}


@dataclass(frozen=True)
class Heading:
    """Which column holds what.

    Attributes
    ----------
    columns : str
        One letter for each: s(ource), t(arget), w(eight), or - for one that is skipped.
    attributes : tuple
        Name and place of the columns that ride along.
    """

    columns: str
    attributes: tuple[tuple[str, int], ...] = ()

    @property
    def weighted(self) -> bool:
        """Whether there is a weight."""
        return "w" in self.columns

    @property
    def places(self) -> tuple[int, ...]:
        """Where source, target and (if there is one) weight are, counted from 0."""
        return tuple(self.columns.index(role) for role in "stw" if role in self.columns)

    @property
    def is_plain(self) -> bool:
        """Whether the columns are those of a file without a heading."""
        return self.columns in ("st", "stw") and not self.attributes


def role(word: str) -> str:
    """Return what a column of this name holds: s, t, w, - (skipped), > (may say which way an edge goes) or ? (unknown).

    >>> [role(word) for word in ("source", "To_Node", "node1", "Length (km)", "edge_id", "oneWay", "Ulm")]
    ['s', 't', 's', 'w', '-', '>', '?']
    """
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", word)
    words = re.findall(r"[^\W\d_]+|\d+", parted.lower())
    joined = "".join(words)
    if joined in _DIRECTION:
        return ">"
    if words[1:] and words[0] in _WEIGHT and set(words[1:]) <= _UNITS:
        return "w"
    bare = [part for part in words if part not in _DRESS]
    core = "".join(bare)
    for letter, known, number in (("s", _SOURCE, "1"), ("t", _TARGET, "2"), ("w", _WEIGHT, "")):
        if joined in known or core in known:
            return letter
        if number and core == number and words[0] in ("node", "vertex", "id", "name"):
            return letter
    return "-" if joined in _SKIPPED or (not core and "edge" in words) else "?"


def place(source: Source, column: ColumnRef, words: Sequence[str], line: int | None) -> int:
    """Return where a column is that the caller names, or counts from 0."""
    if isinstance(column, int):
        if 0 <= column < len(words):
            return column
        raise source.error(f"there is no column {column}: there are {len(words)}, counted from 0", line)
    found = [at for at, word in enumerate(words) if word == column]
    found = found or [at for at, word in enumerate(words) if word.casefold() == column.casefold()]
    if len(found) != 1:
        what = "more than one column" if found else "no column"
        raise source.error(f"there is {what} {column!r}; the columns are {_shown(words)}", line)
    return found[0]


def read(source: Source, words: list[str], line: int | None, options: ReadOptions) -> Heading:
    """Return what the words of a heading mean, and the caller says; raise where that is not clear."""
    roles = [role(word) for word in words]
    extra = [place(source, column, words, line) for column in options.attributes]
    for at in extra:
        roles[at] = "-"
    for letter, column in (("s", options.source), ("t", options.target), ("w", options.weight)):
        if column is not None:
            roles = ["-" if found == letter else found for found in roles]
        if column is not None and column is not False:
            at = place(source, column, words, line)
            if roles[at] in "stw" and (options.source, options.target, options.weight).count(column) > 1:
                raise source.error(f"the column {words[at]!r} cannot be two things", line)
            roles[at] = letter

    def named(letter: str) -> str:
        return " and ".join(repr(word) for word, found in zip(words, roles, strict=True) if found == letter)

    for letter, what in (("s", "source"), ("t", "target"), ("w", "weight")):
        if roles.count(letter) > 1:
            raise source.error(
                f"cannot tell which column is the {what}: {named(letter)} (pass {what}= with its name)", line
            )
    unknown = named("?")
    if "s" not in roles or "t" not in roles:
        raise source.error(
            f"cannot tell whether {_shown(words)} names the columns or is an edge: expected a heading such as source,target,weight "
            "(or from,to; u,v; … in any order), or a first line with numbers; or pass source= and target= with the names of columns",
            line,
        )
    if unknown and "w" not in roles and options.weight is None:
        raise source.error(
            f"cannot tell whether {unknown} is a weight: pass weight= with the column's name, or weight=False", line
        )
    if ">" in roles and options.directed is None:
        raise source.error(
            f"the column {named('>')} may say which way edges go and is not read: pass directed=True or directed=False",
            line,
        )
    columns = "".join(found if found in "stw" else "-" for found in roles)
    return Heading(columns, tuple((words[at], at) for at in extra))


def without_names(source: Source, count: int, line: int, options: ReadOptions) -> Heading:
    """Return what the columns hold where no heading names them: source, target and weight, or what the caller counts."""
    words = [str(at) for at in range(count)]
    roles = ["-"] * count
    ends = {"s": 0 if options.source is None else options.source, "t": 1 if options.target is None else options.target}
    for letter, column in ends.items():
        roles[place(source, column, words, line)] = letter
    if options.weight is None:
        rest = [at for at, found in enumerate(roles) if found == "-" and at not in options.attributes]
        if len(rest) > 1:
            raise source.error(
                f"cannot tell which of {count} columns is the weight: pass weight= with its position, counted from 0, or weight=False",
                line,
            )
        for at in rest:
            roles[at] = "w"
    elif options.weight is not False:
        roles[place(source, options.weight, words, line)] = "w"
    if roles.count("s") != 1 or roles.count("t") != 1:
        raise source.error("a column cannot be two things", line)
    extra = tuple((str(column), place(source, column, words, line)) for column in options.attributes)
    return Heading("".join(roles), extra)


def _shown(words: Sequence[str]) -> str:
    text = ",".join(words)
    return repr(text if len(text) <= 80 else text[:80] + "…")

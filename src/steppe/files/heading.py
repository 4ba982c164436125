"""Headings: the first line of a ``.csv`` or ``.tsv`` file, where it names the columns.

Its words are read, not skipped: ``weight,source,target`` and ``edge_id,from,to`` say where the ends of an edge are. Words are compared without
case, and without what they are often dressed in (``source_id``, ``fromNode``, ``Length (km)``). One column must be a source and one a target; one may
be a weight. Further columns are skipped if they can be nothing else: where a weight was named, or where their own names say so (``id``, ``name``).
Everything else is refused. A wrong guess would give another graph, and nobody would see it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .source import Source

_SOURCE = {"source", "src", "from", "origin", "orig", "start", "tail", "u", "begin", "sender", "predecessor", "citing"}
_TARGET = {"target", "tgt", "to", "dest", "destination", "dst", "end", "head", "v", "receiver", "successor", "cited"}
_WEIGHT = {
    *(
        "weight",
        "weights",
        "w",
        "wt",
        "cost",
        "costs",
        "length",
        "len",
        "distance",
        "dist",
        "time",
        "duration",
        "value",
    ),
    *("traveltime", "km", "miles", "meters", "metres", "minutes", "seconds", "hours"),
}
_UNITS = {
    "km",
    "m",
    "mi",
    "miles",
    "ft",
    "meters",
    "metres",
    "s",
    "sec",
    "seconds",
    "min",
    "minutes",
    "h",
    "hours",
    "ms",
}
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
    """

    columns: str

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
        return self.columns in ("st", "stw")


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


def read(source: Source, words: list[str], line: int, directed: bool | None) -> Heading:
    """Return what the words of a heading mean; raise where that is not clear."""
    roles = [role(word) for word in words]

    def named(letter: str) -> str:
        return " and ".join(repr(word) for word, found in zip(words, roles, strict=True) if found == letter)

    for letter, what in (("s", "source"), ("t", "target"), ("w", "weight")):
        if roles.count(letter) > 1:
            raise source.error(f"cannot tell which column is the {what}: {named(letter)}", line)
    unknown = named("?")
    if "s" not in roles or "t" not in roles:
        raise source.error(
            f"cannot tell whether {_shown(words)} names the columns or is an edge: expected a heading such as source,target,weight "
            "(or from,to; u,v; … in any order), or a first line with numbers",
            line,
        )
    if unknown and "w" not in roles:
        raise source.error(f"cannot tell whether {unknown} is a weight: call it weight, or leave that column out", line)
    if ">" in roles and directed is None:
        raise source.error(
            f"the column {named('>')} may say which way edges go and is not read: pass directed=True or directed=False",
            line,
        )
    return Heading("".join(found if found in "stw" else "-" for found in roles))


def _shown(words: list[str]) -> str:
    text = ",".join(words)
    return repr(text if len(text) <= 80 else text[:80] + "…")

"""Edges listed one by one: what formats share that are read line by line or element by element (TNTP, Pajek, GraphML).

Some of the edges may go one way and others both ways. Where all go the same, the graph is directed or not, and edges know their ids and attributes;
a mixture becomes a directed graph in which each edge of both ways is two arcs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import GraphError
from ..graph.arrays import vertex_dtype
from ..graph.frame import EdgeEnds, rows_of_chunks
from ..graph.graph import Graph
from ..graph.labels import Labels, string_array
from ..graph.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..errors import FormatError
    from ..graph.origin import Ends
    from .text import Array, Note

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"\+?inf(inity)?", re.IGNORECASE | re.ASCII)
_PLAIN_ID = re.compile(r"0|-?[1-9][0-9]{0,17}")


def number(word: str) -> int | float | None:
    """Return the number that a word is, whole ones as integers of 64 bits; None for anything else.

    >>> number("7"), number("2.5e1"), number("inf"), number("nan"), number(str(2**63)), number("1_0")
    (7, 25.0, inf, None, None, None)
    """
    if _WHOLE.fullmatch(word):
        digits = word.lstrip("+-0")
        if len(digits) > 19:
            return None
        value = int(word)
        return value if -(2**63) <= value < 2**63 else None
    if _REAL.fullmatch(word):
        real = float(word)
        return real if abs(real) < float("inf") else None
    return float("inf") if _INFINITE.fullmatch(word) else None


def typed(values: Sequence[int | float]) -> Array:
    """Return numbers as text formats have them: int32, int64 if one needs it, float64 if one is not whole."""
    if not all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.float64)
    wide = np.array(values, dtype=np.int64)
    narrow = wide.astype(np.int32)
    return narrow if np.array_equal(narrow, wide) else wide


def stored(values: Sequence[int | float], note: Note, complain: Callable[[str], FormatError]) -> Array:
    """Return weights in the type that a note names, or the narrowest."""
    if note.dtype != "float32":
        found = note.stored(typed(values), lambda what, _: complain(what))
        return typed(values) if found is None else found
    with np.errstate(over="ignore"):
        single = np.array(values, dtype=np.float64).astype(np.float32)
    if bool((np.isinf(single) & np.isfinite(np.array(values, dtype=np.float64))).any()):
        raise complain("a weight does not fit in float32")
    return single


def are_numbers(names: Iterable[str]) -> bool:
    """Return whether :func:`labels_of` makes numbers of these names."""
    return all(map(_PLAIN_ID.fullmatch, names))


def kept_labels(graph: Graph, kind: str, keeps: Callable[[str], bool]) -> list[int | str]:
    """Return a graph's labels if a file can keep them as text, and they come back as what they are."""
    labels = list(range(graph.num_vertices)) if graph.labels is None else graph.labels.tolist()
    for label in labels:
        if isinstance(label, bool) or not isinstance(label, str | int) or not keeps(str(label)):
            raise GraphError(f"{kind} files cannot keep the label {label!r}; write a .steppe file")
    strings = sum(isinstance(label, str) for label in labels)
    if strings and (strings < len(labels) or are_numbers(map(str, labels))):
        raise GraphError(f"{kind} files cannot tell these names from numbers; write a .steppe file")
    if not strings and not are_numbers(map(str, labels)):
        raise GraphError(f"{kind} files cannot keep numbers of more than 18 digits as labels; write a .steppe file")
    return labels


def labels_of(names: list[str]) -> Labels | None:
    """Return the labels that names are: numbers where all of them are plain whole numbers, strings otherwise.

    >>> labels_of(["1", "3"]).array.tolist(), labels_of(["01", "3"]).array.tolist(), labels_of(["0", "1"])
    ([1, 3], ['01', '3'], None)
    """
    if are_numbers(names):
        numbers = np.array([int(name) for name in names], dtype=np.int64)
        return None if np.array_equal(numbers, np.arange(len(numbers))) else Labels(numbers)
    return Labels(string_array(names))


def build(
    ends: tuple[Array, Array],
    weights: Array | None,
    count: int,
    labels: Labels | None,
    *,
    both: npt.NDArray[np.bool_],
    undirected: bool,
    directed: bool | None,
    attributes: dict[str, Array],
) -> Graph:
    """Build the graph.

    Parameters
    ----------
    ends : pair of arrays
        Vertices, counted from 0.
    both : array of bool
        Which of the edges go both ways.
    undirected : bool
        Whether a graph without edges is undirected.
    directed : bool, optional
        What the caller says: True takes every edge as one arc, False lets all go both ways.
    """
    kind = vertex_dtype(count)
    u, v = (np.ascontiguousarray(end, dtype=kind) for end in ends)
    if directed is None:
        directed = not (both.all() if len(u) else undirected)
        if directed and both.any():
            if attributes:
                raise GraphError(
                    "attributes cannot ride along where some edges go one way and others both ways: leave attributes= out"
                )
            back = both & (u != v)
            u, v = np.concatenate([u, v[back]]), np.concatenate([v, u[back]])
            weights = None if weights is None else np.concatenate([weights, weights[back]])
    given = EdgeEnds([u], [v], 0, count, labels)
    rows, columns, stored, facts, in_order = rows_of_chunks(
        given, None if weights is None else [weights], directed=directed, narrow=False
    )

    def again() -> Ends:
        return [u], [v], 0

    origin = Origin(len(u), None if in_order else again, attributes=attributes)
    return Graph._make(rows, columns, stored, labels=labels, directed=directed, facts=facts, origin=origin)

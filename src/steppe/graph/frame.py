"""Frame: a table of edges becomes a graph.

The rows are all that is allocated for whole numbers that follow each other (from any start): ends and weights are read where the table has them
(``cpp/rows/scatter.hpp``). Names are numbered by all threads (``cpp/table/names.hpp``); numbers with gaps are renumbered in a copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import GraphError
from ..machine import threads
from .arrays import Array, label_array, stored_weights, vertex_dtype
from .build import rows_of_edges
from .labels import KEY, Labels, relabel, renumber, string_array
from .origin import Origin

if TYPE_CHECKING:
    from .columns import Column
    from .graph import Graph
    from .origin import Ends
    from .proof import Facts

Kept = npt.NDArray[np.int64] | None
"""The rows that are edges; None: all."""


@dataclass(frozen=True)
class EdgeEnds:
    """Both ends of the edges as integers in chunks, the one that is vertex 0, how many vertices there are, and their labels."""

    sources: list[Array]
    targets: list[Array]
    base: int
    count: int
    labels: Labels | None


def graph_of_columns(
    graph: type[Graph],
    source: Column,
    target: Column,
    weight: Column | None,
    attributes: dict[Any, Column],
    *,
    directed: bool,
    missing: str,
    library: str | None = None,
    span: range | None = None,
    narrow: bool = True,
    quick: bool = False,
) -> Graph:
    """Build a graph from the columns of a table.

    ``span``: the ids of all vertices, where more are known than the edges mention. ``narrow``: int64 weights are stored as int32 where all fit.
    ``quick``: deal the edges into blocks on the way to their rows: less than half the time where they are in no order, and a copy of them.
    """
    kept = _kept([source, target, *([] if weight is None else [weight]), *attributes.values()], missing)
    ends = ends_of_columns(source, target, kept, span)
    weights = None if weight is None else _weights(weight, kept)
    make = _rows_by_blocks if quick and len(ends.sources) == 1 else rows_of_chunks
    indptr, indices, stored, facts, in_order = make(ends, weights, directed=directed, narrow=narrow)

    def again() -> Ends:
        same = ends_of_columns(source, target, kept, span)
        return same.sources, same.targets, same.base

    origin = Origin(
        source.rows,
        None if in_order and kept is None else again,
        rows=kept,
        attributes={name: column.numbers("an attribute") for name, column in attributes.items()},
        library=library,
    )
    return graph._make(indptr, indices, stored, labels=ends.labels, directed=directed, facts=facts, origin=origin)


def _kept(columns: list[Column], missing: str) -> Kept:
    """Return the rows of which nothing is missing, or None where that is all; refuse others unless they are to be dropped."""
    if len({column.rows for column in columns}) > 1:
        raise GraphError(f"ragged edges: columns of {', '.join(str(column.rows) for column in columns)} rows")
    holes = [(column.missing, column.name) for column in columns if column.missing is not None]
    if not holes:
        return None
    if missing == "error":
        row, name = min(((int(np.argmax(mask)), name) for mask, name in holes), key=lambda hole: hole[0])
        raise GraphError(f'row {row} has no {name!r}: missing="drop" leaves such rows out')
    return np.flatnonzero(~np.logical_or.reduce([mask for mask, _ in holes]))


def ends_of_columns(a: Column, b: Column, kept: Kept = None, span: range | None = None) -> EdgeEnds:
    """Return the ends of the edges as vertices: the ids that appear, or ``span``."""
    if span is not None and not (a.is_integer and b.is_integer):
        raise GraphError(f"vertices {span.start} to {span.stop - 1} are expected, not names")
    if a.names is not None and b.names is not None:
        return _named(a, b, kept)
    if a.is_integer and b.is_integer:
        return _numbered(a, b, kept, span)
    u, v = (_some(column.array(), kept) for column in (a, b))
    labels, u, v = relabel(label_array(u, repr(a.name)), label_array(v, repr(b.name)))
    return EdgeEnds([u], [v], 0, len(labels), labels)


def _named(a: Column, b: Column, kept: Kept) -> EdgeEnds:
    m = a.rows
    kind = vertex_dtype(2 * m)
    u: Array = np.empty(m, dtype=kind)
    v: Array = np.empty(m, dtype=kind)
    assert a.names is not None  # noqa: S101
    assert b.names is not None  # noqa: S101
    rows = _core.number_names(a.names, b.names, u, v, KEY, threads.resolve(None, edges=2 * m))
    try:
        texts = _core.take_names(a.names, b.names, rows)
    except UnicodeDecodeError as error:
        raise GraphError(f"a name in {a.name!r} or {b.name!r} is no UTF-8: {error}") from error
    labels = Labels(string_array(texts))
    if kept is None:
        return EdgeEnds([u], [v], 0, len(labels), labels)
    u, v = u[kept], v[kept]
    there = np.zeros(len(labels), dtype=bool)  # a name may have stood in dropped rows alone
    there[u] = there[v] = True
    if not there.all():
        rank = np.cumsum(there, dtype=kind) - 1
        u, v, labels = rank[u], rank[v], Labels(labels.array[there])
    return EdgeEnds([u], [v], 0, len(labels), labels)


def _numbered(a: Column, b: Column, kept: Kept, span: range | None) -> EdgeEnds:
    sources, targets = _aligned(a.chunks or [], b.chunks or [], kept)
    m = sum(map(len, sources))
    known = None if span is None or span.start == 0 else Labels(span)
    if m == 0:
        return EdgeEnds([], [], 0, 0 if span is None else len(span), known)
    if sources[0].dtype == np.uint64:  # beyond 2^63
        labels, u, v = relabel(np.concatenate(sources), np.concatenate(targets))
        return EdgeEnds([u], [v], 0, len(labels), labels)
    team = threads.resolve(None, edges=m)
    facts = [_core.edge_facts(u, v, np.iinfo(np.int64).max, team) for u, v in zip(sources, targets, strict=True)]
    low, high = min(int(f[0]) for f in facts), max(int(f[1]) for f in facts)
    if span is not None:
        if low < span.start or high >= span.stop:
            raise GraphError(f"an edge goes beyond the vertices {span.start} to {span.stop - 1}")
        return EdgeEnds(sources, targets, span.start, len(span), known)
    count = high - low + 1
    if count <= 2 * m and _core.distinct_ids(sources, targets, low, high, team) == count:
        return EdgeEnds(sources, targets, low, count, None if low == 0 else Labels(range(low, high + 1)))
    labels, u, v = renumber(np.concatenate(sources), np.concatenate(targets), low, high)
    return EdgeEnds([u], [v], 0, len(labels), labels)


def _aligned(sources: list[Array], targets: list[Array], kept: Kept) -> tuple[list[Array], list[Array]]:
    """Return the ends in chunks of the same lengths and one type: int32 or int64, or uint64 where some are beyond 2^63."""
    kinds = {chunk.dtype for chunk in (*sources, *targets)}
    if kept is not None or [*map(len, sources)] != [*map(len, targets)]:
        sources, targets = ([_some(np.concatenate(x), kept)] for x in (sources, targets))
    if kinds <= {np.dtype(np.int32)} or kinds <= {np.dtype(np.int64)}:
        return [np.ascontiguousarray(c) for c in sources], [np.ascontiguousarray(c) for c in targets]
    huge = any(c.dtype == np.uint64 and c.size and c.max() >= 2**63 for c in (*sources, *targets))
    if huge and not all(c.dtype.kind == "u" or c.min(initial=0) >= 0 for c in (*sources, *targets)):
        raise GraphError("ids below 0 and beyond 2^63 in one table: make them strings")
    kind = np.uint64 if huge else np.int32 if all(k.itemsize < 4 or k == np.int32 for k in kinds) else np.int64
    return [c.astype(kind) for c in sources], [c.astype(kind) for c in targets]


def _weights(column: Column, kept: Kept) -> list[Array]:
    """Return weights in chunks, of a type that is stored, or int64 that may be stored in fewer bytes."""
    chunks = [np.ascontiguousarray(chunk) for chunk in column.numbers("weights")]
    if kept is not None:
        chunks = [_some(np.concatenate(chunks), kept)]
    if all(chunk.dtype in (np.int32, np.int64, np.float32, np.float64) for chunk in chunks):
        return chunks
    return [stored_weights(np.concatenate(chunks))]


def _some(array: Array, kept: Kept) -> Array:
    return array if kept is None else array[kept]


def _rows_by_blocks(
    ends: EdgeEnds, weights: list[Array] | None, *, directed: bool, narrow: bool = True
) -> tuple[npt.NDArray[np.int64], Array, Array | None, Facts | None, bool]:
    (u,), (v,) = ends.sources, ends.targets
    if ends.base:
        u, v = u - ends.base, v - ends.base
    w = None
    if weights is not None:
        w = weights[0] if len(weights) == 1 else np.concatenate(weights or [np.empty(0, np.int32)])
        if narrow and w.dtype == np.int64 and (not len(w) or (w.min() >= -(2**31) and w.max() < 2**31)):
            w = w.astype(np.int32)
    return rows_of_edges(u, v, w, ends.count, directed)


def rows_of_chunks(
    ends: EdgeEnds, weights: list[Array] | None, *, directed: bool, narrow: bool = True
) -> tuple[npt.NDArray[np.int64], Array, Array | None, Facts | None, bool]:
    """Sort edges that come in chunks into rows: what :func:`steppe.graph.build.rows_of_edges` returns, without a second copy of the edges."""
    team = threads.resolve(None, edges=sum(map(len, ends.sources)))
    limit = np.iinfo(np.int64).max
    sources, targets = ends.sources, ends.targets
    if weights is not None and [*map(len, weights)] != [*map(len, sources)]:
        sources, targets = ([np.concatenate(x)] if x else [np.empty(0, np.int32)] for x in (sources, targets))
        weights = [np.concatenate(weights) if weights else np.empty(0, np.int32)]
    found = [_core.edge_facts(u, v, limit, team) for u, v in zip(sources, targets, strict=True)]
    in_order = directed and all(f[4] for f in found)
    pieces = [chunk for chunk in sources if len(chunk)]
    in_order &= all(a[-1] <= b[0] for a, b in pairwise(pieces))
    loops = sum(f[2] for f in found)
    m = sum(map(len, sources))
    facts, kind = _facts(weights, team, narrow)
    arcs = m if directed else 2 * m - loops
    indptr = np.empty(ends.count + 1, dtype=np.int64)
    indices = np.empty(arcs, dtype=vertex_dtype(ends.count))
    stored = None if kind is None else np.empty(arcs, dtype=kind)
    _core.scatter_rows(sources, targets, weights or [], ends.base, not directed, indptr, indices, stored, team)
    return indptr, indices, stored, facts, in_order


def _facts(weights: list[Array] | None, team: int, narrow: bool) -> tuple[Facts | None, np.dtype[Any] | None]:
    """Return the facts of weights in chunks, and the type to store them in."""
    if weights is None:
        return None, None
    parts, row = [], 0
    for chunk in weights:
        low, high, mean, bad = _core.weight_facts(chunk, team)
        if bad >= 0:
            raise GraphError(
                f"the weight of row {row + bad} is {chunk[bad]}: weights must be numbers (+inf means no edge)"
            )
        row += len(chunk)
        if (low, high) != (0, 0) or chunk.dtype.kind == "i" or bool(np.isfinite(chunk).any()):  # else: no edges
            parts.append((low, high, mean, len(chunk)))
    kind: np.dtype[Any] = weights[0].dtype if weights else np.dtype(np.int32)
    parts = [part for part in parts if part[3]]
    if not parts:
        return (0, 0, 0.0), np.dtype(np.int32) if kind.kind == "i" and narrow else kind
    least, most = min(p[0] for p in parts), max(p[1] for p in parts)
    count = sum(p[3] for p in parts)
    mean = sum(p[2] * (p[3] / count) for p in parts)
    if narrow and kind == np.int64 and least >= -(2**31) and most < 2**31:
        kind = np.dtype(np.int32)
    return (least, most, min(max(mean, float(least)), float(most))), kind

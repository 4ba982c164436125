"""Sizes: the bytes each search takes at its peak, from the tables by which it allocates them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..keys import choices_of
from ..rows import layout as rows
from ..rows import links_layout
from . import bellman_ford, bfs, delta_stepping, edge, frontier, predecessors, work

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from ..keys import Keys

    Weights = DTypeLike | None


def _keys(weights: Weights, wide: bool, *, signed: bool = False) -> Keys:
    return choices_of(weights, signed=signed)[-1 if wide else 0]


def _work(n: int, m: int, weights: Weights, keys: Keys, *, lists: int, record_paths: bool, chunks: int) -> int:
    """Rows, and the arrays that every search by rounds has."""
    recorded = work.is_recorded(keys, record_paths, has_atomic_64=True)
    table = work.layout(n, keys, recorded=recorded, lists=lists, chunks=chunks, weighted=weights is not None)
    return rows(n, m, weights).nbytes + table.nbytes


def _frontier(
    n: int, m: int, weights: Weights, groups: int, record_paths: bool, chunks: int, wide: bool, **_: Any
) -> int:
    keys = _keys(weights, wide)
    rounds = frontier.layout(groups).nbytes
    return rounds + _work(n, m, weights, keys, lists=frontier.LISTS, record_paths=record_paths, chunks=chunks)


def _bellman_ford(n: int, m: int, weights: Weights, groups: int, chunks: int, **_: Any) -> int:
    keys = _keys(weights, wide=False, signed=True)
    own = frontier.layout(groups).nbytes + bellman_ford.layout(n).nbytes
    return own + _work(n, m, weights, keys, lists=frontier.LISTS, record_paths=False, chunks=chunks)


def _delta_stepping(
    n: int, m: int, weights: Weights, groups: int, record_paths: bool, targets: int, chunks: int, wide: bool, **_: Any
) -> int:
    keys = _keys(weights, wide)
    own = delta_stepping.layout(n, keys, groups=groups, targets=targets).nbytes
    return own + _work(n, m, weights, keys, lists=delta_stepping.LISTS, record_paths=record_paths, chunks=chunks)


def _bfs(
    n: int,
    m: int,
    weights: Weights,
    record_paths: bool,
    sources: int,
    targets: int,
    backwards: bool = False,
    directed: bool = True,
    **_: Any,
) -> int:
    own = bfs.layout(n, m, sources=sources, targets=targets, predecessors=record_paths, backwards=backwards)
    return own.nbytes + rows(n, m, weights).nbytes * (2 if backwards and directed else 1)


def _edge(n: int, m: int, weights: Weights, sources: int, wide: bool, directed: bool = True, **_: Any) -> int:
    own = edge.layout(n, _keys(weights, wide), sources).nbytes
    if directed:
        return own + rows(n, m, weights, tails=True).nbytes
    return own + links_layout(m, weights).nbytes


def _predecessors(
    n: int, m: int, weights: Weights, sources: int, hops: bool = False, uniform: bool = False, **_: Any
) -> int:
    own = predecessors.nbytes(n, m, None if hops else weights, uniform=uniform, sources=sources)
    return own + rows(n, m, weights, tails=True).nbytes


SIZES: dict[str, Callable[..., int]] = {
    "frontier": _frontier,
    "delta-stepping": _delta_stepping,
    "bellman-ford": _bellman_ford,
    "bfs": _bfs,
    "edge-sweep": _edge,
    "predecessors": _predecessors,
}

"""Bytes: what a search on the CPU will take beside the graph, as one table of (name, count, size) for each method.

Lists that grow while a search runs (buckets, heaps, queues) are counted as large as they commonly get: an entry for each vertex.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ResultSizeError
from ..prepared.reverse import in_edges
from .capabilities import DENSE

if TYPE_CHECKING:
    from .facts import Facts
    from .request import Request


BLOCK = 32 << 20
"""Bytes of a block of rows, where a matrix is written, narrowed or thinned out block by block."""


@dataclass(frozen=True)
class Array:
    """One array: its name, how many entries it has, and the bytes of one."""

    name: str
    count: int
    size: int


def total(arrays: list[Array]) -> int:
    """Return the bytes of all.

    >>> total([Array("distances", 10, 8), Array("queue", 10, 4)])
    120
    """
    return sum(array.count * array.size for array in arrays)


def fits(arrays: list[Array], limit: int | None) -> bool:
    """Tell whether arrays take no more than a limit, if there is one."""
    return limit is None or total(arrays) <= limit


def narrow(facts: Facts) -> int:
    """Return the bytes of a distance while it is searched for: 32-bit weights are added up in 32 bits as long as that goes well.

    Between vertices of 64 bits they are always added up in 64.
    """
    return 4 if facts.is_integer and facts.weight in (0, 4) and facts.vertex == 4 else facts.distance


def search(
    facts: Facts, method: str, *, record_paths: bool, threads: int, hops: bool = False, delta: float | None = None
) -> list[Array]:
    """Return the arrays of one search, the edges in memory; with a width (``delta``) vertices come from buckets, by Dijkstra's method too."""
    n = facts.vertices
    if method == "bfs":
        return levels(facts, record_paths=record_paths, hops=hops)
    inside, public = narrow(facts), facts.distance
    arrays = [Array("distances", n, public)]
    if record_paths or method == "bellman-ford":
        arrays.append(Array("predecessors", n, facts.vertex))
    if method == "bellman-ford":
        return [*arrays, Array("queue", 2 * n, facts.vertex), Array("tree", n, 3 * facts.vertex + 4)]
    if inside != public:
        arrays.append(Array("narrow distances", n, inside))
    if method == "frontier" and record_paths and inside == facts.vertex == 4:
        arrays.append(Array("distance and predecessor together", n, 8))
    if method == "delta-stepping" and threads > 1:
        arrays.append(Array("offers of a thread", threads * min(facts.edges, 1 << 18), inside + facts.vertex))
    waiting = n // 8 + 1 if facts.roadlike else n  # on roads the vertices that a search has before it are few
    if method == "dijkstra" and delta is None:
        # An improved vertex is pushed again, and a full list is copied to one of twice the length.
        arrays.append(Array("heap", 2 * waiting, 8 if inside == facts.vertex == 4 else 16))
    elif method == "frontier":
        arrays += [Array("committed", n, inside), Array("queued", n, 1), Array("queue", 2 * waiting, facts.vertex)]
    else:
        arrays.append(Array("buckets", waiting, facts.vertex))
    return arrays


def levels(facts: Facts, *, record_paths: bool, hops: bool) -> list[Array]:
    """Return the arrays of a count of hops, or, if that is more, of making distances of them."""
    n = facts.vertices
    counted = Array("hops", n, 4)
    arrays = [counted, Array("predecessors", n, facts.vertex), Array("found", n + 1, facts.vertex)]
    arrays.append(Array("bitmaps", 3 * (n // 64 + 1), 8))
    if facts.roadlike and facts.vertex == 4:
        arrays.append(Array("hops and predecessor together", n, 8))
    elif record_paths:
        arrays.append(Array("predecessors of those found", n + 1, facts.vertex))
    after = [counted, Array("distances", n, facts.distance), Array("predecessors", n, facts.vertex * record_paths)]
    return arrays if hops else max(arrays, after, key=total)


def winners(facts: Facts) -> list[Array]:
    """Return what there is while the nearest source of each vertex is found: distances, the tree, and its roots, twice."""
    n = facts.vertices
    return [Array("distances", n, facts.distance), Array("tree", n, facts.vertex), Array("roots", n, 2 * 8 + 1)]


def route(facts: Facts) -> list[Array]:
    """Return the arrays of queries for one path, and what the first one makes for all."""
    n, edge = facts.vertices, 8 if facts.weight <= 4 else 16
    arrays = [Array("labels of both ends", 2 * n, narrow(facts) + facts.vertex), Array("buckets", 2 * n, facts.vertex)]
    if not facts.has("reverse"):
        arrays += [Array("in-edges", 1, in_edges(facts)), Array("edges while they are turned round", facts.edges, edge)]
    if facts.roadlike and facts.vertex == 4 and not facts.has("packed"):
        arrays.append(Array("records of four", (n + n // 8) * (2 if facts.directed else 1), 4 * edge))
    return arrays


BIN_SHIFT = 16
"""Logarithm of the vertices that a bin of a search in blocks is for: their distances stay in a second-level cache."""


def sweep(facts: Facts, *, record_paths: bool, threads: int, shift: int, hops: bool, bins: bool = False) -> list[Array]:
    """Return what has an entry for each vertex or block of ``2**shift`` of them in a search by blocks (cpp/external).

    ``bins``: candidates are sorted by the blocks of their targets (``cpp/external/bins.hpp``). Eight bytes a vertex hold one in ten of the
    relaxations of a search; with less, passes only empty them (20 M vertices, two threads, AMD EPYC, November 2026: 64 MB 1.96 s,
    256 MB 1.84 s, 512 MB 1.87 s).
    """
    n, blocks = facts.vertices, -(-facts.vertices >> shift) or 1
    public = 4 if hops else facts.distance
    inside = 4 if hops else narrow(facts)
    arrays = [Array("distances", n, public), Array("marks", n // 64 + 1, 8)]
    if facts.is_mapped or not bins:  # else they are in memory already, as part of the graph
        arrays.append(Array("offsets", n + 1, 8))
    if inside != public:
        arrays.append(Array("narrow distances", n, inside))
    if record_paths:
        arrays.append(Array("predecessors", n, facts.vertex))
        if inside == facts.vertex == 4 and threads > 1 and not bins:
            arrays.append(Array("distance and predecessor together", n, 8))
    if bins:
        arrays.append(Array("bins", n, 8))
        if facts.has("packed"):
            arrays.append(Array("unsettled", n, facts.vertex))
        elif facts.has("reverse"):
            arrays += [Array("calibers", n, facts.weight), Array("fallen", n // 64 + 1, 8)]
    return [*arrays, Array("blocks", blocks, inside + 9), Array("queues", threads << shift, facts.vertex)]


def sweep_negative(facts: Facts, *, shift: int) -> list[Array]:
    """Return the same where weights may be negative: one thread, and predecessors always."""
    n, blocks = facts.vertices, -(-facts.vertices >> shift) or 1
    return [
        Array("offsets", n + 1, 8),
        Array("distances", n, facts.distance),
        Array("predecessors", n, facts.vertex),
        Array("marks", 3 * (n // 64 + 1), 8),
        Array("blocks", blocks, 10),
        Array("queue", 1 << shift, facts.vertex),
    ]


def in_parts(facts: Facts, *, hops: bool) -> list[Array]:
    """Return what all workers of a graph in parts take together, ghosts not counted: values, distances, marks and buckets."""
    public, inside = (4, 4) if hops else (facts.distance, facts.distance)
    arrays = [Array("values", facts.vertices, inside), Array("buckets", facts.vertices, facts.vertex)]
    return [*arrays, Array("distances", facts.vertices, public)] if facts.is_integer or hops else arrays


def matrix(facts: Facts, method: str, request: Request, *, threads: int) -> list[Array]:
    """Return what a call for many rows hands over, the blocks it goes through meanwhile, and what its method keeps."""
    arrays = _told(facts, method, request, threads) + _kept(facts, threads)
    if method in DENSE:
        arrays.append(Array("all pairs", facts.vertices**2, narrow(facts)))
    elif method == "batched":
        arrays += lanes(facts, threads=threads)
    elif method == "contraction":
        arrays += contraction(facts, threads=threads)
    elif method == "bfs" and shares_hops(request.rows, facts.vertices):
        arrays += hops(facts, request.rows)
    elif method in ("bellman-ford", "johnson"):
        arrays += search(facts, "bellman-ford", record_paths=False, threads=1)
    return arrays


def _told(facts: Facts, method: str, request: Request, threads: int) -> list[Array]:
    """Return the result of a call for many rows, and the blocks of rows that it is made from. A sparse result is not counted: nobody knows."""
    rows, columns, natural = request.rows, request.columns, facts.distance
    item, form = request.item or natural, request.options.form
    if form == "pairs":
        return [Array("pairs", columns, natural + 2 * item + 4 * 8)]  # as found, as stored, in their order; ids
    width = facts.vertices if form == "predecessors" else columns
    at_once = rows_at_once(width, natural, threads, request.options.memory_limit, method=method)
    at_once = rows if method in DENSE else min(rows, at_once)
    # One is looked at while the next one is made.
    blocks = Array("blocks of rows", min(rows, 2 * at_once) * width, natural)
    if form == "reduce":
        return [blocks, Array("reached", at_once * width, 1 + natural * facts.has_negative)]
    if request.options.in_blocks:
        return [blocks, Array("block as stored", at_once * columns, request.item)]
    result = [Array("matrix", rows * columns, item)]
    if form == "predecessors":
        tree = Array("a tree", facts.vertices, 3 * facts.vertex + natural)
        columns_alone = Array("columns of a block", at_once * columns if width != columns else 0, natural)
        return [*result, Array("predecessors", rows * columns, facts.vertex), blocks, tree, columns_alone]
    return [*result, blocks] if request.item else result


def _kept(facts: Facts, threads: int) -> list[Array]:
    """Return what each thread keeps from source to source."""
    return [
        Array("distances of a thread", threads * facts.vertices, narrow(facts)),
        Array("buckets of a thread", threads * facts.vertices, 2 * facts.vertex),
    ]


HOPS_FROM, HOPS_VERTICES = 32, 1 << 24
"""Sources from which hops may be counted for all at once (``cpp/matrix/hops.hpp``), and vertices up to which bits are kept for it."""


def shares_hops(rows: int, vertices: int) -> bool:
    """Whether the searches of a count of hops may share their looks at the edges; in-edges are built for it."""
    return rows >= HOPS_FROM and vertices <= HOPS_VERTICES


def hops(facts: Facts, rows: int) -> list[Array]:
    """Return what such searches take together: for each vertex and source of a group three bits and those of a level's digits, and the in-edges."""
    most = 512 if facts.vertices <= 1 << 21 else 128
    wide = next(width for width in (64, 128, 256, 512) if width >= min(rows, most))
    arrays = [Array("bits", facts.vertices, (3 + 5) * wide // 8)]
    return [*arrays, Array("in-edges", 1, in_edges(facts))]


def lanes(facts: Facts, *, threads: int) -> list[Array]:
    """Return what lanes take beside the in-edges: a cache line and a mark for each vertex, and two lists."""
    return [
        Array("lines of a thread", threads * facts.vertices, 64 + 1),
        Array("lists of a thread", threads * facts.vertices, 2 * facts.vertex),
    ]


def contraction(facts: Facts, *, threads: int) -> list[Array]:
    """Return what sweeps take beside the contraction."""
    return [Array("lines of a thread", threads * facts.vertices, 64 + 1 + (4 if facts.weight <= 4 else 8))]


def closed(facts: Facts) -> int:
    """Return the bytes of the distances of all pairs, while they are found and as they are told."""
    return facts.vertices**2 * (narrow(facts) + facts.distance)


def check_closed(method: str, facts: Facts, limit: int) -> None:
    """Raise where a method that finds all pairs at once may not hold them."""
    needed = closed(facts)
    if needed > limit:
        raise ResultSizeError(
            f"{method} holds the distances of all pairs, {needed:,} bytes, and memory_limit is {limit:,}: "
            'leave the method out, or give method="delta-stepping"',
            needed=needed,
            free=limit,
        )


def closed_fits(facts: Facts, request: Request) -> bool:
    """Whether the distances of all pairs may be held beside what was asked for: within its limit, or no more than a block of rows or the matrix."""
    needed = closed(facts)
    if request.options.memory_limit is not None:
        return needed <= request.options.memory_limit
    return needed <= 8 * BLOCK or not request.options.in_blocks


def rows_at_once(
    columns: int, item: int, threads: int, memory_limit: int | None = None, *, method: str = "delta-stepping"
) -> int:
    """Return how many rows of a matrix a block has: some for each thread, and no more than a part of the memory that may be taken.

    >>> rows_at_once(1 << 20, 8, threads=1), rows_at_once(1 << 20, 8, threads=2, memory_limit=64 << 20)
    (4, 4)
    """
    row = max(1, columns * item)
    rows = max(4 * threads, BLOCK // row)
    if memory_limit is not None:
        rows = max(1, min(rows, memory_limit // (2 * row)))
    if method == "bfs" and memory_limit is None:
        return max(rows, 128)  # searches share their looks at the edges
    if method in ("batched", "contraction"):
        batches = 16 * threads  # one for every thread
        return rows // batches * batches or (batches if memory_limit is None else rows)
    return rows

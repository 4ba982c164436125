"""distances(), all_pairs(): distances from many sources, in every form they can be had in.

What is behind them is in ``matrix.py``, and a file for each form beside it. The overloads say which form has which type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from ..machine.memory import check_fits
from ..planning.call import Call
from ..planning.options import Options
from ..planning.question import check_graph
from . import reduce as _reduce
from .along import skims_along
from .matrix import check_and_plan, deliver
from .pairs import grouped, paired
from .stored import type_with, with_unreachable
from .trees import with_predecessors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from scipy.sparse import csr_array

    from ..cluster.engine import Ray
    from ..graph.graph import Graph
    from ..planning.progress import Progress
    from .distance_matrix import DistanceMatrix
    from .reduce import Reduce

Array = npt.NDArray[Any]

FORMS = ("pairs", "reduce", "predecessors", "sparse", "out", "along")
"""Options that ask for another form than a matrix in memory."""


class Shared(TypedDict, total=False):
    """What every form takes."""

    method: str
    device: str | None
    cutoff: float | None
    dtype: npt.DTypeLike | None
    overwrite: bool
    reverse: bool
    threads: int | None
    memory_limit: int | str | None
    progress: bool | Callable[[Progress], object] | None
    engine: str | Ray | None


class Dense(Shared, total=False):
    """What asks for an array."""

    reduce: Reduce | None
    unreachable: float | None
    sparse: Literal[False]
    out: None
    predecessors: Literal[False]
    along: None


class AnyForm(Shared, total=False):
    """What may ask for any form."""

    reduce: Reduce | None
    unreachable: float | None
    sparse: bool
    out: str | PathLike[str] | None
    predecessors: bool
    along: Any


@overload
def distances(
    graph: Graph, sources: Any, targets: Any = None, *, sparse: Literal[True], **options: Unpack[Shared]
) -> csr_array: ...
@overload
def distances(
    graph: Graph, sources: Any, targets: Any = None, *, predecessors: Literal[True], **options: Unpack[Shared]
) -> DistanceMatrix: ...
@overload
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    along: Sequence[Any] | Mapping[Any, Any],
    **options: Unpack[Shared],
) -> DistanceMatrix: ...
@overload
def distances(
    graph: Graph, sources: Any, targets: Any = None, *, pairs: bool = False, **options: Unpack[Dense]
) -> Array: ...
@overload
def distances(
    graph: Graph, sources: Any, targets: Any = None, *, pairs: bool = False, **options: Unpack[AnyForm]
) -> Any: ...
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    pairs: bool = False,
    reduce: Reduce | None = None,
    predecessors: bool = False,
    sparse: bool = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str] | None = None,
    overwrite: bool = False,
    along: Any = None,
    unreachable: float | None = None,
    reverse: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: str | Ray | None = None,
) -> Any:
    """Compute the distances from many sources: a matrix, sources × targets.

    Parameters
    ----------
    graph : Graph
        The graph; without weights every edge has length 1.
    sources : list of labels
        One row each; the same one may stand there twice.
    targets : list of labels, optional
        One column each; default: every vertex, in the graph's order.
    method : str
        "auto", "dijkstra", "delta-stepping", "bellman-ford", "bfs", "edge-sweep", "batched", "contraction", "floyd-warshall", "essential-edges" or
        "johnson". All give the same distances, but "floyd-warshall" adds floats in an order of its own: their last bits may differ. On the CPU one
        search per thread; "edge-sweep" sweeps the edges, on a device only; "batched" searches from 16 sources at once, where paths have few edges;
        "contraction" does so on roads with integer weights, which it prepares for this once; "floyd-warshall" and "essential-edges" are for dense
        graphs, "johnson" for negative integers.
    device : str, optional
        "cpu", "cuda", "opencl", …; default: the default device.
    cutoff : number, optional
        Pairs further apart than this count as unreachable.
    pairs : bool
        One distance for each pair ``sources[i]``, ``targets[i]`` instead of a matrix: an array as long as both.
    reduce : {"max", "sum", "count"} or callable, optional
        One value for each source instead of a matrix: the largest distance of a target that is reached (0 where none is), the sum of their distances,
        how many they are; or what a function makes of each block of rows. No matrix is held.
    predecessors : bool
        Return a :class:`~steppe.DistanceMatrix`: the distances, and the vertex before each target on its canonical path.
    sparse : bool
        Return a ``scipy.sparse.csr_array`` that stores the reachable pairs only (zeros included); needs a ``cutoff``.
    dtype : dtype, optional
        Store distances in this type. Integers must fit (their largest value means unreachable), else the call fails; floats are rounded, and
        must not overflow.
    out : path, optional
        Write the matrix to this ``.npy`` file, Zarr store (``NAME.zarr``) or folder of Parquet parts (``NAME.parquet``: source, target, distance of
        the pairs that are reached), in blocks. If the call is interrupted, the same call goes on where it stopped; a call with another graph or
        question is refused. A symbolic link is followed.
    overwrite : bool
        ``out`` may be there already, whoever wrote it: it is replaced when the new matrix is complete. Without this a file is refused, and so is a
        folder that has something in it, but for a finished one of the same call, which is returned as it is.
    along : list of str, or mapping of names to arrays, optional
        Attributes of the edges (see :meth:`Graph.from_frame`) to add up along the shortest paths; then a :class:`~steppe.DistanceMatrix` is returned,
        which has a matrix of each beside the distances, and all as a table. On the CPU, dense.
    unreachable : number, optional
        What stands for "no path" in a dense matrix: ``np.nan``, -1, … Where its type does not have this number (``np.nan`` or 0.5 among integers,
        -1 among unsigned ones, 70000 in 16 bits) the matrix is of float64, which rounds integers beyond 2⁵³.
    reverse : bool
        Distances lead from the targets to the sources, against the edges.
    threads : int, optional
        Default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use.
    memory_limit : int or str, optional
        Bytes ("2GB", "500MiB") that the matrix, or a block of its rows with ``out``, ``sparse`` or ``reduce``, may take; default: what is free. On
        a device, all it may take.
    progress : bool or callable, optional
        True draws a bar; a function gets a :class:`~steppe.Progress` that counts sources.
    engine : None, "ray" or Ray, optional
        "ray": blocks of rows are tasks of a cluster's workers, which open the graph's file where it is a ``.steppe`` file that they see; for dense
        matrices, in memory or with ``out``. See ``docs/cluster.md``.

    Returns
    -------
    ndarray, csr_array, memmap, Path or DistanceMatrix
        Dense: int64 with :data:`steppe.UNREACHABLE` for integer weights, else of the weights' type with ``inf``. With ``out``: a file,
        mapped for reading, or the path of a folder. Sums of floats are float64, counts int64.

    Raises
    ------
    ResultSizeError
        The matrix does not fit in memory (or on the disk, or within ``memory_limit``); the message has the ways out.
    DistanceOverflowError
        A distance does not fit in 64 bits, or in ``dtype``.
    StoreError
        ``out`` is there already, or an unfinished one that answers another question; the message says what differs.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
    >>> sp.distances(g, ["a", "b"], ["b", "c"]).tolist()
    [[5, 8], [0, 3]]
    >>> sp.distances(g, ["a", "b"], cutoff=5, dtype="uint16").tolist()
    [[0, 5, 65535], [65535, 0, 3]]
    >>> sp.distances(g, ["a", "b", "a"], ["c", "c", "b"], pairs=True).tolist()
    [8, 3, 5]
    >>> sp.distances(g, ["a", "b"], reduce="sum").tolist()
    [13, 3]
    >>> sp.distances(g, ["c"], reverse=True).tolist()
    [[8, 3, 0]]
    """
    options = Options.of(locals())
    check_graph(graph)
    columns = None if targets is None else graph.indices_of(targets)
    return _answer(graph, Call.DISTANCES, graph.indices_of(sources), columns, options)


def _answer(
    graph: Graph, call: Call, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64] | None, options: Options
) -> Any:
    """Return the form that was asked for."""
    _check_form(options)
    unreachable = options.unreachable
    if unreachable is not None and (options.in_blocks or options.predecessors or options.along is not None):
        raise ValueError(
            "unreachable= is for dense matrices in memory, and pairs: without sparse, out, reduce, predecessors and along"
        )
    if options.along is not None:
        return skims_along(graph, rows, columns, options)
    offsets = order = rows
    if options.pairs:
        if columns is None or len(columns) != len(rows):
            count = "no" if columns is None else f"{len(columns):,}"
            raise ValueError(f"pairs=True takes a target for each source: {len(rows):,} sources and {count} targets")
        rows, offsets, order = grouped(rows)
        columns = columns[order]
    matrix = check_and_plan(graph, call, rows, columns, options)
    if unreachable is not None:
        shape = (1, len(order)) if options.pairs else matrix.shape
        check_fits(shape, type_with(matrix.dtype, unreachable), options.memory_limit)
    if options.reduce is not None:
        return _reduce.reduced(matrix)
    if options.predecessors:
        return with_predecessors(matrix)
    made = paired(matrix, offsets, order) if options.pairs else deliver(matrix)
    return made if unreachable is None else with_unreachable(made, unreachable)


def _check_form(options: Options) -> None:
    """Raise where two forms are asked for at once, or options that go with another form."""
    if options.overwrite and options.out is None:
        raise ValueError("overwrite= is for out=: nothing else is written")
    if options.along is not None and options.dtype is not None:
        raise ValueError("dtype= is the type of one matrix: along= gives several, of their own types")
    named = [name for name in FORMS if getattr(options, name) not in (None, False)]
    if len(named) > 1 and set(named) != {"sparse", "out"}:  # those have a message of their own
        names = " and ".join(f"{name}=" for name in named)
        raise ValueError(f"{names} do not go together: each is a form of its own")
    if options.reduce is not None:
        _reduce.check(options.reduce)
        if options.dtype is not None:
            raise ValueError("dtype= is the type of a matrix: reduce= gives none, convert its result")
    if options.engine is not None and named and named != ["out"]:
        raise ValueError(
            f"engine= computes dense matrices, in memory or with out=: leave out {', '.join(f'{name}=' for name in named if name != 'out')}"
        )


@overload
def all_pairs(graph: Graph, *, sparse: Literal[True], **options: Unpack[Shared]) -> csr_array: ...
@overload
def all_pairs(graph: Graph, *, predecessors: Literal[True], **options: Unpack[Shared]) -> DistanceMatrix: ...
@overload
def all_pairs(
    graph: Graph, *, along: Sequence[Any] | Mapping[Any, Any], **options: Unpack[Shared]
) -> DistanceMatrix: ...
@overload
def all_pairs(graph: Graph, **options: Unpack[Dense]) -> Array: ...
@overload
def all_pairs(graph: Graph, **options: Unpack[AnyForm]) -> Any: ...
def all_pairs(
    graph: Graph,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    reduce: Reduce | None = None,
    predecessors: bool = False,
    sparse: bool = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str] | None = None,
    overwrite: bool = False,
    along: Any = None,
    unreachable: float | None = None,
    reverse: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    engine: str | Ray | None = None,
) -> Any:
    """Compute the distances between all pairs of vertices; the parameters are those of :func:`distances`.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges([0, 1], [1, 2], [0.5, 2.0], directed=False)
    >>> sp.all_pairs(g).tolist()
    [[0.0, 0.5, 2.5], [0.5, 0.0, 2.0], [2.5, 2.0, 0.0]]
    >>> sp.all_pairs(g, predecessors=True).predecessors.tolist()
    [[-1, 0, 1], [1, -1, 1], [1, 2, -1]]
    """
    options = Options.of(locals())
    check_graph(graph)
    return _answer(graph, Call.ALL_PAIRS, np.arange(graph.num_vertices, dtype=np.int64), None, options)

"""distances(), all_pairs(): distances from many sources, in every form they can be had in.

What is behind them is in ``matrix.py``, and a file for each form beside it. The overloads say which form has which type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from ..machine.memory import check_fits, size_of
from ..planning.distance_types import distance_dtype
from ..planning.question import check_graph
from . import reduce as _reduce
from .along import skims_along
from .matrix import Form, asked, deliver
from .pairs import grouped, paired
from .stored import type_with, with_unreachable
from .trees import with_predecessors

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from scipy.sparse import csr_array

    from ..cluster.engine import Ray
    from ..graph.graph import Graph
    from ..planning.progress import Progress
    from .distance_matrix import DistanceMatrix
    from .reduce import Reduce

Array = npt.NDArray[Any]


class Options(TypedDict, total=False):
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


@overload
def distances(
    graph: Graph, sources: Any, targets: Any = None, *, sparse: Literal[True], **options: Unpack[Options]
) -> csr_array: ...
@overload
def distances(
    graph: Graph, sources: Any, targets: Any = None, *, out: str | PathLike[str], **options: Unpack[Options]
) -> Any: ...
@overload
def distances(
    graph: Graph, sources: Any, targets: Any = None, *, predecessors: Literal[True], **options: Unpack[Options]
) -> DistanceMatrix: ...
@overload
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    pairs: bool = False,
    reduce: Reduce | None = None,
    along: None = None,
    sparse: Literal[False] = False,
    out: None = None,
    predecessors: Literal[False] = False,
    unreachable: float | None = None,
    **options: Unpack[Options],
) -> Array: ...
@overload
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    pairs: bool = False,
    reduce: Reduce | None = None,
    sparse: bool = False,
    out: str | PathLike[str] | None = None,
    predecessors: bool = False,
    along: Any = None,
    unreachable: float | None = None,
    **options: Unpack[Options],
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
    check_graph(graph)
    graph = graph.reverse if reverse else graph
    rows = graph.indices_of(sources)
    columns = None if targets is None else graph.indices_of(targets)
    _check_form(pairs=pairs, reduce=reduce, predecessors=predecessors, sparse=sparse, out=out, along=along, dtype=dtype)
    told = "pairs" if pairs else "reduce" if reduce is not None else "predecessors" if predecessors else ""
    form = _form(dtype, out, memory_limit, told, sparse=sparse, overwrite=overwrite)
    if unreachable is not None and (form.in_blocks or predecessors or along is not None or reduce is not None):
        raise ValueError(
            "unreachable= is for dense matrices in memory, and pairs: without sparse, out, reduce, predecessors and along"
        )
    shared: dict[str, Any] = {
        "method": method,
        "device": device,
        "cutoff": cutoff,
        "threads": threads,
        "progress": progress,
    }
    if engine is not None:
        _check_engine(pairs=pairs, reduce=reduce, predecessors=predecessors, sparse=sparse, along=along)
        shared["engine"] = engine
    if along is not None:
        return skims_along(graph, rows, columns, along, memory_limit=form.memory_limit, **shared)
    offsets = order = rows
    if pairs:
        if columns is None or len(columns) != len(rows):
            count = "no" if columns is None else f"{len(columns):,}"
            raise ValueError(f"pairs=True takes a target for each source: {len(rows):,} sources and {count} targets")
        rows, offsets, order = grouped(rows)
        columns = columns[order]
    matrix = asked("distances", graph, rows, columns, form, **shared)
    if unreachable is not None:
        shape = (1, len(order)) if pairs else matrix.shape
        check_fits(
            shape,
            type_with(np.dtype(distance_dtype(graph) if dtype is None else dtype), unreachable),
            form.memory_limit,
        )
    if reduce is not None:
        return _reduce.reduced(matrix, reduce)
    if predecessors:
        return with_predecessors(matrix, form)
    made = paired(matrix, offsets, order, form) if pairs else deliver(matrix, form)
    return made if unreachable is None else with_unreachable(made, unreachable)


def _form(
    dtype: npt.DTypeLike | None,
    out: str | PathLike[str] | None,
    memory_limit: int | str | None,
    told: str,
    **given: bool,
) -> Form:
    if given["overwrite"] and out is None:
        raise ValueError("overwrite= is for out=: nothing else is written")
    return Form(dtype, out, memory_limit=size_of(memory_limit), told=told, **given)


def _check_form(**given: Any) -> None:
    """Raise where two forms are asked for at once."""
    dtype = given.pop("dtype")
    if given.get("along") is not None and dtype is not None:
        raise ValueError("dtype= is the type of one matrix: along= gives several, of their own types")
    named = [name for name, value in given.items() if value is not None and value is not False]
    if len(named) > 1 and set(named) != {"sparse", "out"}:  # those have a message of their own
        raise ValueError(f"{' and '.join(f'{name}=' for name in named)} do not go together: each is a form of its own")
    if given["reduce"] is not None:
        _reduce.check(given["reduce"])
        if dtype is not None:
            raise ValueError("dtype= is the type of a matrix: reduce= gives none, convert its result")


def _check_engine(**given: Any) -> None:
    """Raise where a cluster is asked for a form that it has not."""
    named = [f"{name}=" for name, value in given.items() if value is not None and value is not False]
    if named:
        raise ValueError(f"engine= computes dense matrices, in memory or with out=: leave out {', '.join(named)}")


@overload
def all_pairs(graph: Graph, *, sparse: Literal[True], **options: Unpack[Options]) -> csr_array: ...
@overload
def all_pairs(graph: Graph, *, out: str | PathLike[str], **options: Unpack[Options]) -> Any: ...
@overload
def all_pairs(graph: Graph, *, predecessors: Literal[True], **options: Unpack[Options]) -> DistanceMatrix: ...
@overload
def all_pairs(
    graph: Graph,
    *,
    reduce: Reduce | None = None,
    sparse: Literal[False] = False,
    out: None = None,
    predecessors: Literal[False] = False,
    **options: Unpack[Options],
) -> Array: ...
@overload
def all_pairs(
    graph: Graph,
    *,
    reduce: Reduce | None = None,
    sparse: bool = False,
    out: str | PathLike[str] | None = None,
    predecessors: bool = False,
    **options: Unpack[Options],
) -> Any: ...
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
    check_graph(graph)
    graph = graph.reverse if reverse else graph
    _check_form(reduce=reduce, predecessors=predecessors, sparse=sparse, out=out, dtype=dtype)
    told = "reduce" if reduce is not None else "predecessors" if predecessors else ""
    form = _form(dtype, out, memory_limit, told, sparse=sparse, overwrite=overwrite)
    matrix = asked(
        "all_pairs",
        graph,
        np.arange(graph.num_vertices, dtype=np.int64),
        None,
        form,
        method=method,
        device=device,
        cutoff=cutoff,
        threads=threads,
        progress=progress,
        engine=engine,
    )
    if engine is not None:
        _check_engine(reduce=reduce, predecessors=predecessors, sparse=sparse)
    if reduce is not None:
        return _reduce.reduced(matrix, reduce)
    if predecessors:
        return with_predecessors(matrix, form)
    return deliver(matrix, form)

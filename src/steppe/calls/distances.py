"""distances(), all_pairs(): matrices of distances, a row for each source.

What is behind them is in ``matrix.py``. The overloads say which form has which type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from ..machine.memory import size_of
from ..planning.question import check_graph
from .along import skims_along, with_unreachable
from .matrix import Form, deliver

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from scipy.sparse import csr_array

    from ..graph.graph import Graph
    from ..planning.progress import Progress

Array = npt.NDArray[Any]


@overload
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: Literal[False] = False,
    dtype: npt.DTypeLike | None = None,
    out: None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Array: ...
@overload
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: Literal[True],
    dtype: npt.DTypeLike | None = None,
    out: None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> csr_array: ...
@overload
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: Literal[False] = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str],
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> np.memmap[Any, np.dtype[Any]]: ...
@overload
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: bool = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str] | None = None,
    along: Any = None,
    unreachable: float | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Any: ...
def distances(
    graph: Graph,
    sources: Any,
    targets: Any = None,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: bool = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str] | None = None,
    along: Any = None,
    unreachable: float | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
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
    method : {"auto", "dijkstra", "delta-stepping", "bellman-ford", "bfs", "edge"}
        All give the same distances. On the CPU one search per thread; "edge" sweeps the edges, on a device only.
    device : str, optional
        "cpu", "cuda", "opencl", …; default: the default device.
    cutoff : number, optional
        Pairs further apart than this count as unreachable.
    sparse : bool
        Return a ``scipy.sparse.csr_array`` that stores the reachable pairs only (zeros included); needs a ``cutoff``.
    dtype : dtype, optional
        Store distances in this type. Integers must fit (their largest value means unreachable), else the call fails; floats are rounded, and
        must not overflow.
    out : path, optional
        Write the matrix to this ``.npy`` file, in blocks; a file that is there is replaced when the new one is complete. If the call is
        interrupted, the same call goes on where it stopped.
    along : list of str, or mapping of names to arrays, optional
        Attributes of the edges (see :meth:`Graph.from_frame`) to add up along the shortest paths; then a :class:`~steppe.Skims` is returned, which
        has a matrix of each beside the distances, and all as a table. On the CPU, dense.
    unreachable : number, optional
        What stands for "no path" in a dense matrix, ``np.nan`` for example: the matrix is then of floats.
    threads : int, optional
        Default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use.
    memory_limit : int or str, optional
        Bytes ("2GB", "500MiB") that the matrix, or a block of its rows with ``out`` or ``sparse``, may take; default: what is free. On a
        device, all it may take.
    progress : bool or callable, optional
        True draws a bar; a function gets a :class:`~steppe.Progress` that counts sources.

    Returns
    -------
    ndarray, csr_array, memmap or Skims
        Dense: int64 with :data:`steppe.UNREACHABLE` for integer weights, else of the weights' type with ``inf``. With ``out``: the file,
        mapped for reading.

    Raises
    ------
    ResultSizeError
        The matrix does not fit in memory (or on the disk, or within ``memory_limit``); the message has the ways out.
    DistanceOverflowError
        A distance does not fit in 64 bits, or in ``dtype``.

    Examples
    --------
    >>> import steppe as sp
    >>> g = sp.Graph.from_edges(["a", "a", "b"], ["b", "c", "c"], [5, 9, 3], relabel=True)
    >>> sp.distances(g, ["a", "b"], ["b", "c"]).tolist()
    [[5, 8], [0, 3]]
    >>> sp.distances(g, ["a", "b"], cutoff=5, dtype="uint16").tolist()
    [[0, 5, 65535], [65535, 0, 3]]
    """
    check_graph(graph)
    rows = graph.indices_of(sources)
    columns = None if targets is None else graph.indices_of(targets)
    form = Form(dtype, out, sparse, size_of(memory_limit))
    shared: dict[str, Any] = {
        "method": method,
        "device": device,
        "cutoff": cutoff,
        "threads": threads,
        "progress": progress,
    }
    if along is not None:
        if form.in_blocks or dtype is not None or unreachable is not None:
            raise ValueError(
                "along= gives dense matrices of their own types: without sparse, out, dtype and unreachable"
            )
        return skims_along(graph, rows, columns, along, memory_limit=form.memory_limit, **shared)
    if unreachable is not None and form.in_blocks:
        raise ValueError("unreachable= is for dense matrices in memory: without sparse and out")
    made = deliver("distances", graph, rows, columns, form, **shared)
    return made if unreachable is None else with_unreachable(made, unreachable)


@overload
def all_pairs(
    graph: Graph,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: Literal[False] = False,
    dtype: npt.DTypeLike | None = None,
    out: None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Array: ...
@overload
def all_pairs(
    graph: Graph,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: Literal[True],
    dtype: npt.DTypeLike | None = None,
    out: None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> csr_array: ...
@overload
def all_pairs(
    graph: Graph,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: Literal[False] = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str],
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> np.memmap[Any, np.dtype[Any]]: ...
@overload
def all_pairs(
    graph: Graph,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: bool = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str] | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Any: ...
def all_pairs(
    graph: Graph,
    *,
    method: str = "auto",
    device: str | None = None,
    cutoff: float | None = None,
    sparse: bool = False,
    dtype: npt.DTypeLike | None = None,
    out: str | PathLike[str] | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Any:
    """Compute the distances between all pairs of vertices; the parameters are those of :func:`distances`.

    Examples
    --------
    >>> import steppe as sp
    >>> sp.all_pairs(sp.Graph.from_edges([0, 1], [1, 2], [0.5, 2.0], directed=False)).tolist()
    [[0.0, 0.5, 2.5], [0.5, 0.0, 2.0], [2.5, 2.0, 0.0]]
    """
    rows = np.arange(graph.num_vertices, dtype=np.int64)
    form = Form(dtype, out, sparse, size_of(memory_limit))
    return deliver(
        "all_pairs",
        graph,
        rows,
        None,
        form,
        method=method,
        device=device,
        cutoff=cutoff,
        threads=threads,
        progress=progress,
    )

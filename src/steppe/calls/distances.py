"""distances(), all_pairs(): matrices of distances, a row for each source.

On the CPU every thread searches from one source at a time (``cpp/search/many.hpp``); on a device a block of threads sweeps the edges for one source
(``gpu/edge.py``). Rows come in blocks, so a matrix can be narrowed (``dtype=``), thinned out (``sparse=``) or written to a file (``out=``)
without ever being held in memory as a whole; whether the whole would fit is asked before anything is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core, gpu
from ..errors import DistanceOverflowError, NegativeWeightError
from ..files.matrix_file import MatrixFile
from ..machine import threads as _threads
from ..machine.memory import check_fits
from ..paths import UNREACHABLE
from ..plan.question import Search
from .bfs import run as run_bfs
from .sssp import negative_edge
from .sssp import run as run_sssp
from .verify import distance_dtype, inclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from ..graph.graph import Graph

Array = npt.NDArray[Any]
METHODS = ("auto", "dijkstra", "delta-stepping", "bellman-ford", "edge")
BLOCK = 32 << 20  # bytes of a block of rows


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
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
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
    method : {"auto", "dijkstra", "delta-stepping", "bellman-ford", "edge"}
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
    threads : int, optional
        Default: ``STEPPE_NUM_THREADS``, or all CPUs this process may use.
    progress : callable, optional
        Called now and then with the number of sources done.

    Returns
    -------
    ndarray, csr_array or memmap
        Dense: int64 with :data:`steppe.UNREACHABLE` for integer weights, else of the weights' type with ``inf``. With ``out``: the file,
        mapped for reading.

    Raises
    ------
    ResultSizeError
        The matrix does not fit in memory (or on the disk); the message has the ways out.
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
    rows = graph.indices_of(sources)
    columns = None if targets is None else graph.indices_of(targets)
    question = _ask(graph, rows, columns, method, device, cutoff, threads, progress)
    _check_sparse(sparse, cutoff, out)
    return _deliver(question, sparse=sparse, dtype=dtype, out=out)


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
    progress: Callable[[int], object] | None = None,
) -> Any:
    """Compute the distances between all pairs of vertices; the parameters are those of :func:`distances`.

    Examples
    --------
    >>> import steppe as sp
    >>> sp.all_pairs(sp.Graph.from_edges([0, 1], [1, 2], [0.5, 2.0], directed=False)).tolist()
    [[0.0, 0.5, 2.5], [0.5, 0.0, 2.0], [2.5, 2.0, 0.0]]
    """
    rows = np.arange(graph.num_vertices, dtype=np.int64)
    question = _ask(graph, rows, None, method, device, cutoff, threads, progress)
    _check_sparse(sparse, cutoff, out)
    return _deliver(question, sparse=sparse, dtype=dtype, out=out)


@dataclass(frozen=True)
class Question:
    """A checked call: vertices 0…n-1, a method that is not "auto", the cutoff in the type of the distances."""

    graph: Graph
    sources: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64] | None
    method: str
    device: gpu.Device | None
    bound: int | float | None
    threads: int
    progress: Callable[[int], object] | None

    @property
    def shape(self) -> tuple[int, int]:
        """Sources × targets."""
        return len(self.sources), self.graph.num_vertices if self.columns is None else len(self.columns)


def _ask(
    graph: Graph,
    sources: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    method: str,
    device: str | None,
    cutoff: float | None,
    threads: int | None,
    progress: Callable[[int], object] | None,
) -> Question:
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if cutoff is not None and not cutoff >= 0:
        raise ValueError(f"cutoff must be a number and not negative: {cutoff!r}")
    runner = gpu.get_device(device)
    if method == "auto":
        method = _choose(graph, on_device=runner is not None)
    elif method == "edge" and runner is None:
        raise ValueError('method="edge" runs on a device: give device="opencl" or "cuda", or leave the method out')
    elif method != "edge" and runner is not None:
        raise ValueError(f'{method} from many sources runs on the CPU: give device="cpu", or method="edge"')
    if graph.has_negative:
        if method != "bellman-ford":
            edge = negative_edge(graph)
            raise NegativeWeightError(
                f"{method} needs non-negative weights, but edge {edge[0]!r} → {edge[1]!r} weighs {edge[2]}; "
                'use method="bellman-ford" on the CPU',
                edge,
            )
        if cutoff is not None:
            raise ValueError("cutoff has no meaning where weights are negative: a longer path may come back below it")
    bound = None if cutoff is None else inclusive(cutoff, distance_dtype(graph))
    return Question(graph, sources, columns, method, runner, bound, _threads.resolve(threads), progress)


def _choose(graph: Graph, *, on_device: bool) -> str:
    if on_device:
        return "edge"
    if graph.has_negative:
        return "bellman-ford"
    return "dijkstra" if graph.num_edges < 20_000 else "delta-stepping"


def _check_sparse(sparse: bool, cutoff: float | None, out: str | PathLike[str] | None) -> None:
    if sparse and cutoff is None:
        raise ValueError("sparse=True needs a cutoff: without one most pairs are reachable, and nothing is sparse")
    if sparse and out is not None:
        raise ValueError("sparse=True and out= do not go together: write the sparse matrix with scipy.sparse.save_npz")


def _deliver(question: Question, *, sparse: bool, dtype: npt.DTypeLike | None, out: str | PathLike[str] | None) -> Any:
    """Compute, and hand over in the form that was asked for."""
    natural = distance_dtype(question.graph)
    stored = natural if dtype is None else np.dtype(dtype)
    if stored.kind not in "iuf":
        raise ValueError(f"dtype must be of integers or floats, not {stored}")
    if sparse:
        return _sparse(question, stored)
    if out is not None:
        key = (natural, question.bound, question.graph, question.sources, question.columns)
        with MatrixFile(out, question.shape, stored, key) as file:
            for first, last in list(file.missing()):
                for begin, block in _blocks(question, first, last):
                    file.write(begin, _stored(question, begin, block, stored))
            return file.finish()
    check_fits(question.shape, stored)
    result = np.empty(question.shape, dtype=stored)
    if stored == natural:
        _compute(question, 0, len(result), result)
    else:
        for begin, block in _blocks(question):
            result[begin : begin + len(block)] = _stored(question, begin, block, stored)
    return result


def _blocks(question: Question, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, Array]]:
    """Yield the rows from ``begin`` to ``end`` as (first row, block of rows)."""
    count, width = question.shape
    count = count if end is None else end
    natural = distance_dtype(question.graph)
    step = max(4 * question.threads, BLOCK // max(1, width * natural.itemsize))
    for first in range(begin, count, step):
        last = min(first + step, count)
        block = np.empty((last - first, width), dtype=natural)
        _compute(question, first, last, block)
        yield first, block


def _compute(question: Question, begin: int, end: int, into: Array) -> None:
    """Fill ``into`` with the rows [begin, end) in the natural type."""
    q, g = question, question.graph
    if into.size == 0:
        return
    sources = q.sources[begin:end]
    progress = q.progress
    told = None if progress is None else lambda done: progress(begin + done)
    if q.method == "edge":
        from ..gpu.loops import edge

        assert q.device is not None  # noqa: S101 - _ask has seen to it
        edge.run(q.device, g, sources, columns=q.columns, bound=q.bound, out=into, progress=told)
        return
    if q.method == "bellman-ford":
        for i in range(len(sources)):
            row = _bellman_ford(q, sources[i : i + 1])
            into[i] = row if q.columns is None else row[q.columns]
            if told is not None:
                told(i + 1)
        return
    hops = g.weights is None or (g.is_integer and g.min_weight == g.max_weight == 1)
    lost = _core.many(
        q.method,
        g.indptr,
        g.indices,
        None if hops else g.weights,
        sources,
        q.columns,
        int(q.bound) if g.is_integer and q.bound is not None else None,
        None if g.is_integer or q.bound is None else float(q.bound),
        0.0,
        g.mean_weight,
        float(g.max_weight),
        q.threads,
        into.reshape(-1),
        told,
    )
    if lost >= 0:
        raise DistanceOverflowError(f"a distance from {g.label(int(sources[lost]))!r} does not fit in 64 bits")
    if told is not None:
        told(end - begin)


def _bellman_ford(question: Question, source: npt.NDArray[np.int64]) -> Array:
    """Return the distances from one source. Where no weight is negative, those beyond the columns need not fit in 64 bits."""
    g, bound = question.graph, question.bound
    may_be_long = g.is_integer and not g.has_negative and bound is None
    search = Search(source, bound=UNREACHABLE - 1 if may_be_long else bound, threads=question.threads)
    row = run_sssp(g, search, "bellman-ford").distances
    if may_be_long and int(g.max_weight) * g.num_vertices >= UNREACHABLE:
        hops = run_bfs(g, Search(source)).distances
        lost = (row == UNREACHABLE) & (hops != np.iinfo(np.int32).max)
        if (lost if question.columns is None else lost[question.columns]).any():
            raise DistanceOverflowError(f"a distance from {g.label(int(source[0]))!r} does not fit in 64 bits")
    return row


def _stored(question: Question, begin: int, block: Array, dtype: np.dtype[Any]) -> Array:
    """Return a block in the type asked for, or raise where a distance does not fit."""
    if dtype == block.dtype:
        return block
    unreached = block == (np.inf if block.dtype.kind == "f" else np.iinfo(block.dtype).max)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            result = block.astype(dtype)
        bad = np.isinf(result) & ~unreached
        result[unreached] = np.inf
    else:
        limits = np.iinfo(dtype)
        with np.errstate(invalid="ignore"):
            result = block.astype(dtype)
        # The largest value means "unreachable", so no distance may take it.
        bad = ~unreached & ((block < limits.min) | (block >= limits.max) | (result != block))
        result[unreached] = limits.max
    if bad.any():
        i, j = (int(x[0]) for x in np.nonzero(bad))
        g, column = question.graph, j if question.columns is None else int(question.columns[j])
        ends = f"{g.label(int(question.sources[begin + i]))!r} to {g.label(column)!r}"
        raise DistanceOverflowError(f"the distance from {ends} is {block[i, j].item()} and cannot be stored as {dtype}")
    return result


def _sparse(question: Question, dtype: np.dtype[Any]) -> Any:
    try:
        from scipy.sparse import csr_array
    except ImportError as error:
        raise ImportError("sparse=True gives a SciPy matrix: pip install scipy") from error
    indptr = np.zeros(question.shape[0] + 1, dtype=np.int64)
    values: list[Array] = [np.empty(0, dtype=dtype)]
    places: list[Array] = [np.empty(0, dtype=np.int64)]
    for begin, block in _blocks(question):
        reached = block != (np.inf if block.dtype.kind == "f" else np.iinfo(block.dtype).max)
        indptr[begin + 1 : begin + len(block) + 1] = reached.sum(axis=1)
        places.append(np.nonzero(reached)[1])
        values.append(_stored(question, begin, block, dtype)[reached])
    np.cumsum(indptr, out=indptr)
    return csr_array((np.concatenate(values), np.concatenate(places), indptr), shape=question.shape)

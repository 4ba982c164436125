"""Matrix: distances from many sources, in the form that was asked for.

On the CPU every thread searches from one source at a time (``cpu/many.py``); on a device all sources of a batch are searched together
(``gpu/loops/many.py``), or a block of threads sweeps the edges for each (``edge.py``). Rows come in blocks, so a matrix can be narrowed
(``dtype=``), thinned out (``sparse=``) or written to a file (``out=``) without ever being held in memory as a whole; whether the whole
would fit is asked before anything is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..cpu import many
from ..errors import DistanceOverflowError
from ..files.matrix_file import MatrixFile
from ..machine.memory import check_fits
from ..planning.bytes import rows_at_once
from ..planning.distance_types import distance_dtype, unreachable
from ..planning.question import Question, ask
from .plan import device_for, planned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from .. import gpu
    from ..graph.graph import Graph
    from ..planning.plan import Plan
    from ..planning.progress import Progress

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Form:
    """In what form a matrix is wanted."""

    dtype: npt.DTypeLike | None
    out: str | PathLike[str] | None
    sparse: bool
    memory_limit: int | None

    @property
    def in_blocks(self) -> bool:
        """Whether the matrix is never held as a whole."""
        return self.sparse or self.out is not None


@dataclass(frozen=True)
class Matrix:
    """A checked call: what is asked, what will run, and the vertices of the columns (None: all)."""

    graph: Graph
    question: Question
    plan: Plan
    columns: npt.NDArray[np.int64] | None
    device: gpu.Device | None
    memory_limit: int | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Sources × targets."""
        return len(self.question.sources), self.graph.num_vertices if self.columns is None else len(self.columns)


def deliver(
    call: str,
    graph: Graph,
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    form: Form,
    *,
    method: str,
    device: str | None,
    cutoff: float | None,
    threads: int | None,
    progress: bool | Callable[[Progress], object] | None,
) -> Any:
    """Ask, plan, compute, and hand over in the form that was asked for."""
    question = ask(
        graph, rows, distance_dtype(graph), cutoff=cutoff, progress=progress, total=len(rows), unit="sources"
    )
    runner = device_for(graph, call, device, form.memory_limit)
    plan = planned(
        graph,
        call,
        device=runner,
        threads=threads,
        method=method,
        memory_limit=form.memory_limit,
        bounded=cutoff is not None,
        rows=len(rows),
        columns=graph.num_vertices if columns is None else len(columns),
        item=0 if form.dtype is None else np.dtype(form.dtype).itemsize,
        in_blocks=form.in_blocks,
    )
    if form.sparse and cutoff is None:
        raise ValueError("sparse=True needs a cutoff: without one most pairs are reachable, and nothing is sparse")
    if form.sparse and form.out is not None:
        raise ValueError("sparse=True and out= do not go together: write the sparse matrix with scipy.sparse.save_npz")
    question = question.planned(plan)
    return _run(Matrix(graph, question, plan, columns, runner, form.memory_limit), form)


def _run(matrix: Matrix, form: Form) -> Any:
    natural = distance_dtype(matrix.graph)
    stored = natural if form.dtype is None else np.dtype(form.dtype)
    if stored.kind not in "iuf":
        raise ValueError(f"dtype must be of integers or floats, not {stored}")
    if not form.in_blocks:
        check_fits(matrix.shape, stored, form.memory_limit)
    if matrix.plan.prepares:
        matrix.graph.prepare(threads=matrix.plan.threads)
    if form.sparse:
        return _sparse(matrix, stored)
    if form.out is not None:
        question = matrix.question
        key = (natural, question.bound, matrix.graph, question.sources, matrix.columns)
        with MatrixFile(form.out, matrix.shape, stored, key) as file:
            for first, last in list(file.missing()):
                for begin, block in _blocks(matrix, first, last):
                    file.write(begin, _stored(matrix, begin, block, stored))
            return file.finish()
    result = np.empty(matrix.shape, dtype=stored)
    if stored == natural:
        _compute(matrix, 0, len(result), result)
    else:
        for begin, block in _blocks(matrix):
            result[begin : begin + len(block)] = _stored(matrix, begin, block, stored)
    return result


def _blocks(matrix: Matrix, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, Array]]:
    """Yield the rows from ``begin`` to ``end`` as (first row, block of rows)."""
    count, width = matrix.shape
    count = count if end is None else end
    natural = distance_dtype(matrix.graph)
    step = rows_at_once(width, natural.itemsize, matrix.plan.threads, matrix.memory_limit)
    for first in range(begin, count, step):
        last = min(first + step, count)
        block = np.empty((last - first, width), dtype=natural)
        _compute(matrix, first, last, block)
        yield first, block


def _compute(matrix: Matrix, begin: int, end: int, into: Array) -> None:
    """Fill ``into`` with the rows [begin, end) in the natural type."""
    if into.size == 0:
        return
    hear = matrix.question.progress
    tell = None if hear is None else lambda done, note="": hear(begin + done, note)
    asked = replace(matrix.question, sources=matrix.question.sources[begin:end], progress=tell)
    if matrix.device is None:
        many.run(matrix.graph, asked, matrix.plan.method, matrix.columns, into)
    else:
        from ..gpu import loops

        loops.rows_of_matrix(
            matrix.plan.method,
            matrix.device,
            matrix.graph,
            asked.sources,
            columns=matrix.columns,
            bound=asked.bound,
            out=into,
            progress=tell,
        )


def _stored(matrix: Matrix, begin: int, block: Array, dtype: np.dtype[Any]) -> Array:
    """Return a block in the type asked for, or raise where a distance does not fit."""
    if dtype == block.dtype:
        return block
    unreached = block == unreachable(block.dtype)
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
        g, column = matrix.graph, j if matrix.columns is None else int(matrix.columns[j])
        ends = f"{g.label(int(matrix.question.sources[begin + i]))!r} to {g.label(column)!r}"
        raise DistanceOverflowError(f"the distance from {ends} is {block[i, j].item()} and cannot be stored as {dtype}")
    return result


def _sparse(matrix: Matrix, dtype: np.dtype[Any]) -> Any:
    try:
        from scipy.sparse import csr_array
    except ImportError as error:
        raise ImportError("sparse=True gives a SciPy matrix: pip install scipy") from error
    indptr = np.zeros(matrix.shape[0] + 1, dtype=np.int64)
    values: list[Array] = [np.empty(0, dtype=dtype)]
    places: list[Array] = [np.empty(0, dtype=np.int64)]
    for begin, block in _blocks(matrix):
        reached = block != unreachable(block.dtype)
        indptr[begin + 1 : begin + len(block) + 1] = reached.sum(axis=1)
        places.append(np.nonzero(reached)[1])
        values.append(_stored(matrix, begin, block, dtype)[reached])
    np.cumsum(indptr, out=indptr)
    return csr_array((np.concatenate(values), np.concatenate(places), indptr), shape=matrix.shape)

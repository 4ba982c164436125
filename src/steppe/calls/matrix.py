"""Matrix: distances from many sources, in the form that was asked for.

On the CPU every thread searches from one source at a time (``cpu/many.py``); on a device all sources of a batch are searched together
(``gpu/loops/many.py``), or a block of threads sweeps the edges for each (``edge.py``). Rows come in blocks, so a matrix can be narrowed
(``dtype=``), thinned out (``sparse=``) or written to a file (``out=``) without ever being held in memory as a whole; whether the whole
would fit is asked before anything is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..cluster.blocks import rows_of
from ..cluster.engine import engine_of
from ..cpu import many
from ..files.matrix_file import MatrixFile
from ..files.matrix_folder import MatrixFolder
from ..machine.memory import check_fits
from ..planning.bytes import rows_at_once
from ..planning.capabilities import DENSE
from ..planning.distance_types import distance_dtype
from ..planning.explain import Explanation, Learnt
from ..planning.question import Question, ask
from ..prepared.account import spend_rows
from ..prepared.making import ready
from .plan import planned
from .stored import NATIVE, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import gpu
    from ..cluster.engine import Ray
    from ..graph.graph import Graph
    from ..planning.call import Call
    from ..planning.options import Options
    from ..planning.plan import Plan

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Matrix:
    """A checked call: what is asked, what will run, and the vertices of the columns (None: all)."""

    graph: Graph
    question: Question
    plan: Plan
    columns: npt.NDArray[np.int64] | None
    device: gpu.Device | None
    options: Options
    engine: Ray | None = None
    learnt: Learnt = field(default_factory=Learnt)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type in which the distances are wanted."""
        return np.dtype(distance_dtype(self.graph) if self.options.dtype is None else self.options.dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """Sources × targets."""
        return len(self.question.sources), self.graph.num_vertices if self.columns is None else len(self.columns)

    def rows(self, begin: int, end: int) -> Question:
        """Return the question of the rows [begin, end), which tells its progress as part of the whole."""
        hear = self.question.progress
        tell = None if hear is None else lambda done, note="": hear(begin + done, note)
        return replace(self.question, sources=self.question.sources[begin:end], progress=tell)

    def explained(self, plan: Plan, seconds: float) -> Explanation:
        """Return how the rows were found that have been found so far; ``plan``: as :func:`begin` returned it."""
        return Explanation.of(plan, self.learnt.measured(plan), seconds)

    def pair(self, row: int, column: int) -> str:
        """Return the labels of a pair, for a message."""
        target = column if self.columns is None else int(self.columns[column])
        return f"{self.graph.label(int(self.question.sources[row]))!r} to {self.graph.label(target)!r}"


def check_and_plan(
    graph: Graph,
    call: Call,
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    options: Options,
) -> Matrix:
    """Check a call and plan it; of pairs, ``columns`` are their targets, grouped by source."""
    graph = graph.reverse if options.reverse else graph
    workers = engine_of(options.engine)
    question = ask(graph, call, rows, options)
    width = graph.num_vertices if columns is None else len(columns)
    plan, device = planned(graph, call, options, rows=len(rows), columns=width)
    if options.sparse and options.cutoff is None:
        raise ValueError("sparse=True needs a cutoff: without one most pairs are reachable, and nothing is sparse")
    if options.sparse and options.out is not None:
        raise ValueError("sparse=True and out= do not go together: write the sparse matrix with scipy.sparse.save_npz")
    if np.dtype(options.dtype or distance_dtype(graph)).kind not in "iuf":
        raise ValueError(f"dtype must be of integers or floats, not {np.dtype(options.dtype)}")
    return Matrix(graph, question.planned(plan), plan, columns, device, options, workers)


def begin(matrix: Matrix) -> Plan:
    """Do what the plan wants done before the first row; return the plan as it will be carried out."""
    if matrix.engine is not None:  # its workers map the graph's file
        return matrix.plan
    plan = ready(matrix.graph, matrix.plan, matrix.plan.threads)
    spend_rows(matrix.graph, plan, len(matrix.question.sources))
    return plan


def deliver(matrix: Matrix) -> Any:
    """Compute, and hand over in the form that was asked for."""
    options, wanted = matrix.options, matrix.dtype
    if not options.in_blocks:
        check_fits(matrix.shape, wanted, options.memory_limit)
    if options.out is not None:
        with _store(matrix, Path(options.out), wanted) as file:
            missing = list(file.missing())
            if missing:
                begin(matrix)
            for first, last in missing:
                for row, block in blocks_of(matrix, first, last, at_once=file.rows):
                    file.write(row, narrowed(matrix, row, block, wanted))
            return file.finish()
    begin(matrix)
    if options.sparse:
        from .sparse import sparse_matrix  # which uses this module

        return sparse_matrix(matrix, wanted)
    result = np.empty(matrix.shape, dtype=wanted)
    if matrix.engine is None and (wanted == distance_dtype(matrix.graph) or _stores(matrix, wanted)):
        _compute(matrix, 0, len(result), result)
    else:
        for row, block in blocks_of(matrix):
            narrowed(matrix, row, block, wanted, result[row : row + len(block)])
    return result


def _stores(matrix: Matrix, wanted: np.dtype[Any]) -> bool:
    """Whether rows can be computed in the type asked for, so that they need not be narrowed block by block."""
    on_cpu = matrix.device is None
    return on_cpu and wanted in NATIVE and many.stores_any(matrix.graph, matrix.question, matrix.plan.method)


def _store(matrix: Matrix, out: Path, dtype: np.dtype[Any]) -> Any:
    """Return the file or folder that a matrix is written to."""
    question, overwrite = _asked_of(matrix), matrix.options.overwrite
    if out.suffix not in (".zarr", ".parquet"):
        return MatrixFile(out, matrix.shape, dtype, question, overwrite=overwrite)
    if out.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise ImportError("writing .parquet needs pyarrow: pip install 'steppe[parquet]'")
    return MatrixFolder(
        out,
        matrix.shape,
        dtype,
        question,
        graph=matrix.graph,
        sources=matrix.question.sources,
        columns=matrix.columns,
        overwrite=overwrite,
    )


def _asked_of(matrix: Matrix) -> dict[str, Any]:
    """Return all that the bits of a matrix and its labels depend on, by names that people know."""
    graph, natural = matrix.graph, distance_dtype(matrix.graph)
    labels = None if graph._labels is None else graph._labels.values
    # Sums of floats along a path have one order, in every method but this: rows of the two do not belong together.
    alone = matrix.plan.method == "floyd-warshall" and natural.kind == "f"
    where = "the CPU" if matrix.device is None else matrix.device.info.name
    return {
        "edges": (graph.indptr, graph.indices),
        "weights": graph.weights,
        "labels": labels,
        "sources": matrix.question.sources,
        "targets": "every vertex" if matrix.columns is None else matrix.columns,
        "cutoff": matrix.question.bound,
        "distances": natural,
        "method": f"floyd-warshall on {where}" if alone else "any that adds along paths",
    }


def blocks_of(
    matrix: Matrix, begin: int = 0, end: int | None = None, *, at_once: int | None = None
) -> Iterator[tuple[int, Array]]:
    """Yield the rows from ``begin`` to ``end`` as (first row, block of rows); ``at_once``: so many rows a block."""
    count, width = matrix.shape
    count = count if end is None else end
    natural = distance_dtype(matrix.graph)
    plan = matrix.plan
    step = at_once or rows_at_once(
        width, natural.itemsize, plan.threads, matrix.options.memory_limit, method=plan.method
    )
    if matrix.plan.method in DENSE:  # all pairs are found at once
        whole = np.empty((count - begin, width), dtype=natural)
        _compute(matrix, begin, count, whole)
        step = at_once or max(1, count - begin)
        for first in range(begin, count, step):
            yield first, whole[first - begin : min(first + step, count) - begin]
        return
    if matrix.engine is not None:
        some = matrix.rows(begin, count)
        for first, block in rows_of(matrix.engine, matrix.graph, some, matrix.plan, matrix.columns, step):
            yield begin + first, block
        return
    for first in range(begin, count, step):
        last = min(first + step, count)
        block = np.empty((last - first, width), dtype=natural)
        _compute(matrix, first, last, block)
        yield first, block


def _compute(matrix: Matrix, begin: int, end: int, into: Array) -> None:
    """Fill ``into`` with the rows [begin, end), in the natural type or one that :func:`_stores` allows."""
    if into.size == 0:
        return
    some = matrix.rows(begin, end)
    if matrix.device is None:
        many.run(matrix.graph, some, matrix.plan, matrix.columns, into, matrix.learnt)
    else:
        from ..gpu import loops

        loops.rows_of_matrix(
            matrix.plan.method,
            matrix.device,
            matrix.graph,
            some.sources,
            columns=matrix.columns,
            bound=some.bound,
            out=into,
            progress=some.progress,
        )


def narrowed(matrix: Matrix, begin: int, block: Array, dtype: np.dtype[Any], into: Array | None = None) -> Array:
    """Return a block of rows, the first of which is row ``begin``, in the type asked for; ``into``: an array to fill."""
    width = max(1, block.shape[1])
    name: Callable[[int], str] = lambda i: matrix.pair(begin + i // width, i % width)  # noqa: E731
    return stored(block, dtype, name, threads=matrix.plan.threads, into=into)

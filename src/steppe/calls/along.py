"""distances(…, along=[…]): a matrix of distances, and beside it what attributes of the edges add up to along the shortest paths."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..cpu import skims
from ..graph.origin import stored_order
from ..machine.memory import check_fits
from ..planning.call import Call
from ..planning.distance_types import distance_dtype
from ..planning.explain import Explanation
from ..planning.question import ask
from ..prepared.account import spend_rows
from ..prepared.making import ready
from .distance_matrix import DistanceMatrix
from .plan import planned

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..planning.options import Options

Array = npt.NDArray[Any]


def skims_along(
    graph: Graph,
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    options: Options,
) -> DistanceMatrix:
    """Ask, plan, run, wrap; ``along`` is attributes, or a mapping of names to arrays of a number for each edge given."""
    begun = time.perf_counter()
    graph, names = graph.reverse if options.reverse else graph, options.along
    if isinstance(names, str):
        raise ValueError(f"along must be a list of attributes, not {names!r}")
    wanted = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
    attributes = []
    for column in wanted.values():
        values, ids = graph._attribute_along(column)
        kind = np.int64 if values.dtype.kind == "i" else np.float64
        attributes.append(np.ascontiguousarray(stored_order(values, ids), dtype=kind))
    ends = np.arange(graph.num_vertices, dtype=np.int64) if columns is None else columns
    question = ask(graph, Call.DISTANCES, rows, options)
    plan, device = planned(graph, Call.DISTANCES, options, rows=len(rows), columns=len(ends))
    if device is not None:
        raise ValueError('along= runs on the CPU: use device="cpu"')
    shape = (len(rows), len(ends))
    check_fits((len(rows), len(ends) * (1 + len(attributes))), np.dtype(np.int64), options.memory_limit)
    plan = ready(graph, plan, plan.threads)
    spend_rows(graph, plan, len(rows))
    found = np.empty(shape, dtype=distance_dtype(graph))
    sums = [np.empty(shape, dtype=values.dtype) for values in attributes]
    if found.size:
        skims.run(graph, question.planned(plan), plan.method, ends, attributes, found, sums)
    made = dict(zip(wanted, sums, strict=True))
    explanation = Explanation.of(plan, {}, time.perf_counter() - begun)
    return DistanceMatrix(graph, found, None, made, rows, ends, question.bound, explanation, wanted)

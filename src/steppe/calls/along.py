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
from ..planning.distance_types import distance_dtype
from ..planning.explain import Explanation
from ..planning.question import ask
from .distance_matrix import DistanceMatrix
from .plan import device_for, planned

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph import Graph
    from ..planning.progress import Progress

Array = npt.NDArray[Any]


def skims_along(
    graph: Graph,
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64] | None,
    names: Any,
    *,
    method: str,
    device: str | None,
    cutoff: float | None,
    threads: int | None,
    memory_limit: int | None,
    progress: bool | Callable[[Progress], object] | None,
) -> DistanceMatrix:
    """Ask, plan, run, wrap; ``names``: attributes, or a mapping of names to arrays of a number for each edge given."""
    begun = time.perf_counter()
    if isinstance(names, str):
        raise ValueError(f"along must be a list of attributes, not {names!r}")
    wanted = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
    attributes = []
    for column in wanted.values():
        values, ids = graph._attribute_along(column)
        kind = np.int64 if values.dtype.kind == "i" else np.float64
        attributes.append(np.ascontiguousarray(stored_order(values, ids), dtype=kind))
    ends = np.arange(graph.num_vertices, dtype=np.int64) if columns is None else columns
    if device_for(graph, "distances", device, memory_limit) is not None:
        raise ValueError('along= runs on the CPU: use device="cpu"')
    natural = distance_dtype(graph)
    question = ask(graph, rows, natural, cutoff=cutoff, progress=progress, total=len(rows), unit="sources")
    plan = planned(
        graph,
        "distances",
        device=None,
        threads=threads,
        method=method,
        memory_limit=memory_limit,
        bounded=cutoff is not None,
        targets=True,  # searches: sums follow the tree of each
        rows=len(rows),
        columns=len(ends),
        item=0,
        in_blocks=False,
    )
    shape = (len(rows), len(ends))
    check_fits((len(rows), len(ends) * (1 + len(attributes))), np.dtype(np.int64), memory_limit)
    if plan.prepares:
        graph.prepare(threads=plan.threads)
    found = np.empty(shape, dtype=natural)
    sums = [np.empty(shape, dtype=values.dtype) for values in attributes]
    if found.size:
        skims.run(graph, question.planned(plan), plan.method, ends, attributes, found, sums)
    made = dict(zip(wanted, sums, strict=True))
    explanation = Explanation.of(plan, {}, time.perf_counter() - begun)
    return DistanceMatrix(graph, found, None, made, rows, ends, question.bound, explanation, wanted)
